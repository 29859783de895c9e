//! A segment while it grows: verified Messages one after the other, in tables of equal length.
//!
//! Redaction and the fold happen here, and nowhere else on the way into a segment; what redaction
//! takes out never enters the arena. Drafts are made side by side and joined, equal to one made at
//! once. Proof: `tests/unit/test_corpus.py`, `tests/unit/test_corpus_large.py`.

use std::collections::HashMap;
use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::fold::fold;
use crate::redact::Redactor;
use crate::segment::{BARRIER, Entry, Row};
use crate::surviving::surviving;

/// The ordinal of a Message's Turn when it has none.
pub(crate) const NO_TURN: u32 = u32::MAX;

/// What is known of a Message beside its text, and where its own cuts end. The counts of leaves,
/// Turns and redacted spans fit in 32 bits: each item stands for an object of 16 bytes or more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Note {
    pub(crate) timestamp: i64,
    pub(crate) digest: u64,
    /// Code points of surviving text, before the fold.
    pub(crate) length: u64,
    pub(crate) turn: u32,
    pub(crate) leaves: u32,
    cuts_end: u32,
    pub(crate) kind: u8,
}

/// One redacted span, in code points of its leaf.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) leaf: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Many strings end to end.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    bytes: String,
    ends: Vec<usize>,
}

/// Messages in their order.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    arena: Vec<u8>,
    ends: Vec<usize>,
    pub(crate) notes: Vec<Note>,
    cuts: Vec<Cut>,
    pub(crate) ids: Texts,
    pub(crate) locators: Texts,
    pub(crate) turns: Texts,
    ordinals: HashMap<Box<str>, u32>,
}

impl Draft {
    /// Redacts and folds `entries`, in their order.
    pub(crate) fn of<S: AsRef<str>>(entries: &[Entry<S>], redactor: &Redactor) -> Self {
        let mut draft = Self::default();
        draft.reserve(
            entries.len(),
            entries
                .iter()
                .map(|entry| entry.text_bytes() + entry.leaves.len())
                .sum(),
        );
        for entry in entries {
            draft.push(entry, redactor);
        }
        draft
    }

    /// Makes room, so that a table which is appended to once is not grown in steps.
    fn reserve(&mut self, messages: usize, arena_bytes: usize) {
        self.arena.reserve_exact(arena_bytes);
        self.ends.reserve_exact(messages);
        self.notes.reserve_exact(messages);
        self.ids.ends.reserve_exact(messages);
        self.locators.ends.reserve_exact(messages);
    }

    /// Messages.
    pub(crate) fn count(&self) -> usize {
        self.notes.len()
    }

    /// Folded surviving text of all Messages, a barrier behind each span.
    pub(crate) fn arena(&self) -> &[u8] {
        &self.arena
    }

    /// Where the text of a Message lies in the arena.
    pub(crate) fn text_of(&self, row: usize) -> Range<usize> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[row]
    }

    pub(crate) fn cuts_of(&self, row: usize) -> &[Cut] {
        let start = row
            .checked_sub(1)
            .map_or(0, |before| self.notes[before].cuts_end);
        &self.cuts[start as usize..self.notes[row].cuts_end as usize]
    }

    fn push<S: AsRef<str>>(&mut self, entry: &Entry<S>, redactor: &Redactor) {
        let start = self.arena.len();
        let mut length = 0;
        for (leaf, (text, sensitive)) in entry.leaves.iter().enumerate() {
            let text = text.as_ref();
            let redacted: Vec<Range<usize>> = match &entry.cuts {
                Some(known) => in_bytes(text, &known[leaf]),
                None => redactor
                    .spans(text, *sensitive)
                    .into_iter()
                    .map(|span| span.start..span.end)
                    .collect(),
            };
            length += self.push_leaf(leaf as u32, text, &redacted);
        }
        let note = Note {
            timestamp: entry.timestamp,
            digest: prefix_of_sha256(
                self.arena[start..]
                    .strip_suffix(&[BARRIER])
                    .unwrap_or_default(),
            ),
            length: length as u64,
            turn: self.ordinal(entry.turn.as_ref().map(AsRef::as_ref)),
            leaves: entry.leaves.len() as u32,
            cuts_end: self.cuts.len() as u32,
            kind: entry.kind,
        };
        self.keep(note, entry.id.as_ref(), entry.locator.as_ref());
    }

    /// Folds what is left of one leaf; answers the code points that survive.
    fn push_leaf(&mut self, leaf: u32, text: &str, redacted: &[Range<usize>]) -> usize {
        let (mut byte, mut point) = (0, 0);
        for span in redacted {
            let start = point + text[byte..span.start].chars().count();
            let end = start + text[span.start..span.end].chars().count();
            self.cuts.push(Cut { leaf, start, end });
            (byte, point) = (span.end, end);
        }
        let mut length = 0;
        for span in surviving(text.len(), redacted.iter().cloned()) {
            let span = &text[span];
            length += span.chars().count();
            self.arena.extend_from_slice(fold(span).as_bytes());
            self.arena.push(BARRIER);
        }
        length
    }

    /// Appends a Message that was verified before.
    pub(crate) fn copy(&mut self, row: &Row, text: &[u8], digest: u64, length: u64) {
        self.arena.extend_from_slice(text);
        for (leaf, spans) in row.spans.iter().enumerate() {
            let leaf = leaf as u32;
            let cuts = spans.iter().map(|&(start, end)| Cut { leaf, start, end });
            self.cuts.extend(cuts);
        }
        let note = Note {
            timestamp: row.timestamp,
            digest,
            length,
            turn: self.ordinal(row.turn.as_deref()),
            leaves: row.spans.len() as u32,
            cuts_end: self.cuts.len() as u32,
            kind: row.kind,
        };
        self.keep(note, &row.id, &row.locator);
    }

    /// Appends all Messages of another draft.
    pub(crate) fn join(&mut self, other: &Self) {
        self.arena.extend_from_slice(&other.arena);
        let mut end = self.ends.last().copied().unwrap_or_default();
        for (row, note) in other.notes.iter().enumerate() {
            end += other.text_of(row).len();
            self.cuts.extend_from_slice(other.cuts_of(row));
            let turn = (note.turn != NO_TURN).then(|| other.turns.get(note.turn as usize));
            let note = Note {
                turn: self.ordinal(turn),
                cuts_end: self.cuts.len() as u32,
                ..*note
            };
            self.ends.push(end);
            self.note(note, other.ids.get(row), other.locators.get(row));
        }
    }

    fn keep(&mut self, note: Note, id: &str, locator: &str) {
        self.ends.push(self.arena.len());
        self.note(note, id, locator);
    }

    fn note(&mut self, note: Note, id: &str, locator: &str) {
        self.notes.push(note);
        self.ids.push(id);
        self.locators.push(locator);
    }

    /// Counts a Turn of a Message that is in front of this draft.
    pub(crate) fn know_turn(&mut self, turn: &str) {
        self.ordinal(Some(turn));
    }

    /// Turns count in the order of their first Message.
    fn ordinal(&mut self, turn: Option<&str>) -> u32 {
        let Some(turn) = turn else { return NO_TURN };
        if let Some(&known) = self.ordinals.get(turn) {
            return known;
        }
        let next = self.turns.ends.len() as u32;
        self.turns.push(turn);
        self.ordinals.insert(turn.into(), next);
        next
    }
}

impl Texts {
    pub(crate) fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[index]]
    }

    fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
    }
}

/// Cuts in bytes instead of code points; what reaches behind the end ends there.
fn in_bytes(text: &str, cuts: &[(usize, usize)]) -> Vec<Range<usize>> {
    let (mut byte, mut point) = (0, 0);
    let mut to = |target: usize| {
        let ahead = target.saturating_sub(point);
        byte += text[byte..]
            .chars()
            .take(ahead)
            .map(char::len_utf8)
            .sum::<usize>();
        point = point.max(target);
        byte
    };
    cuts.iter()
        .map(|&(start, end)| to(start)..to(end))
        .collect()
}

/// The first 8 bytes, big-endian, of the SHA-256 of `bytes`.
pub(crate) fn prefix_of_sha256(bytes: &[u8]) -> u64 {
    Sha256::digest(bytes)
        .iter()
        .take(8)
        .fold(0, |prefix, &byte| prefix << 8 | u64::from(byte))
}
