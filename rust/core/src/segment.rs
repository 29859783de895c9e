//! A segment: the folded surviving text of one (source, Session), and its positions.
//!
//! All surviving spans lie in one arena, each followed by a barrier byte that occurs in no UTF-8
//! string: no term matches across spans, leaves or Messages, and none needs a check for it. Text
//! that redaction takes out never enters the arena. Tables are flat and exact in size: a Message
//! costs 72 bytes beside its text, id and locator. Proof: `tests/unit/test_corpus.py`,
//! `tests/differential/test_corpus.py`, `benches/corpus_search.py` (memory).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::fold::fold;
use crate::redact::Redactor;
use crate::surviving::surviving;

/// Follows every surviving span; in no UTF-8 string, so in no term.
const BARRIER: u8 = 0xFF;
/// The ordinal of a Message's Turn when it has none.
const NO_TURN: u32 = u32::MAX;

/// A Message as the corpus takes it; `S` is any string, borrowed from wherever it lives.
#[derive(Debug, Clone)]
pub struct Entry<S> {
    /// Id, unique or not.
    pub id: S,
    /// Id of its Turn.
    pub turn: Option<S>,
    /// Milliseconds since the epoch.
    pub timestamp: i64,
    /// Index into the kinds of Messages.
    pub kind: u8,
    /// Where the records lie; opaque.
    pub locator: S,
    /// Text of each leaf, and whether all of it is a secret.
    pub leaves: Vec<(S, bool)>,
    /// Redacted spans of each leaf in code points, disjoint and in order, where they are known;
    /// as many lists as leaves.
    pub cuts: Option<Vec<Vec<(usize, usize)>>>,
}

/// What is kept of a Message beside its folded text: positions, never text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// Id.
    pub id: &'a str,
    /// Id of its Turn.
    pub turn: Option<&'a str>,
    /// Milliseconds since the epoch.
    pub timestamp: i64,
    /// Index into the kinds of Messages.
    pub kind: u8,
    /// Where the records lie.
    pub locator: &'a str,
    /// Redacted spans in code points, per leaf.
    pub spans: Vec<Vec<(usize, usize)>>,
}

/// Many strings end to end.
#[derive(Debug, Default)]
struct Texts<Bytes, Ends> {
    bytes: Bytes,
    ends: Ends,
}

/// The part of a Message that a Hit reports, and where its own tables end. The counts of leaves,
/// Turns and redacted spans fit in 32 bits: each item stands for an object of 16 bytes or more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Note {
    pub(crate) timestamp: i64,
    pub(crate) ident: u64,
    pub(crate) digest: u64,
    pub(crate) length: u64,
    turn: u32,
    leaves: u32,
    cuts_end: u32,
    pub(crate) kind: u8,
}

impl Note {
    /// Ordinal of the Turn in the segment, -1 without one.
    pub(crate) fn turn_ordinal(&self) -> i64 {
        if self.turn == NO_TURN {
            -1
        } else {
            i64::from(self.turn)
        }
    }
}

/// One redacted span, in code points of its leaf.
#[derive(Debug, Clone, Copy)]
struct Cut {
    leaf: u32,
    start: usize,
    end: usize,
}

/// Immutable once built, so a search needs no lock while it reads one.
#[derive(Debug)]
pub struct Segment {
    arena: Box<[u8]>,
    ends: Box<[usize]>,
    notes: Box<[Note]>,
    cuts: Box<[Cut]>,
    ids: Texts<Box<str>, Box<[usize]>>,
    locators: Texts<Box<str>, Box<[usize]>>,
    turns: Texts<Box<str>, Box<[usize]>>,
}

impl Segment {
    /// Redacts and folds `entries`, in their order.
    pub fn build<S: AsRef<str>>(entries: &[Entry<S>], redactor: &Redactor) -> Self {
        let mut draft = Draft::default();
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
        draft.finish()
    }

    /// The Messages of `parts` one after the other; equal to building them all at once.
    pub fn join(parts: Vec<Self>) -> Self {
        let mut draft = Draft::default();
        draft.reserve(
            parts.iter().map(Self::count).sum(),
            parts.iter().map(|part| part.arena.len()).sum(),
        );
        let none = HashSet::new();
        for part in parts {
            draft.copy(&part, &none);
        }
        draft.finish()
    }

    /// This segment without the Messages of these ids, then the Messages of `added`.
    #[must_use]
    pub fn revised(&self, retracted: &HashSet<&str>, added: &Self) -> Self {
        let mut draft = Draft::default();
        draft.reserve(
            self.count() + added.count(),
            self.arena.len() + added.arena.len(),
        );
        draft.copy(self, retracted);
        draft.copy(added, &HashSet::new());
        draft.finish()
    }

    /// Messages.
    pub fn count(&self) -> usize {
        self.notes.len()
    }

    /// Bytes that the segment occupies.
    pub fn size(&self) -> usize {
        size_of::<Self>()
            + self.arena.len()
            + size_of_val(&*self.ends)
            + size_of_val(&*self.notes)
            + size_of_val(&*self.cuts)
            + self.ids.size()
            + self.locators.size()
            + self.turns.size()
    }

    /// What is kept of Message `index` beside its text.
    ///
    /// # Panics
    /// If there is no such Message.
    pub fn row(&self, index: usize) -> Row<'_> {
        let note = &self.notes[index];
        let mut spans = vec![Vec::new(); note.leaves as usize];
        for cut in &self.cuts[self.cuts_of(index)] {
            spans[cut.leaf as usize].push((cut.start, cut.end));
        }
        Row {
            id: self.ids.get(index),
            turn: (note.turn != NO_TURN).then(|| self.turns.get(note.turn as usize)),
            timestamp: note.timestamp,
            kind: note.kind,
            locator: self.locators.get(index),
            spans,
        }
    }

    /// Folded surviving text of all Messages, barriers included.
    pub(crate) fn arena(&self) -> &[u8] {
        &self.arena
    }

    /// Where each Message ends in the arena; it begins where the one before it ends.
    pub(crate) fn ends(&self) -> &[usize] {
        &self.ends
    }

    pub(crate) fn note(&self, index: usize) -> &Note {
        &self.notes[index]
    }

    fn cuts_of(&self, index: usize) -> Range<usize> {
        let start = index
            .checked_sub(1)
            .map_or(0, |before| self.notes[before].cuts_end);
        start as usize..self.notes[index].cuts_end as usize
    }
}

impl<S: AsRef<str>> Entry<S> {
    /// Bytes of all leaves, as they come.
    pub fn text_bytes(&self) -> usize {
        self.leaves
            .iter()
            .map(|(text, _)| text.as_ref().len())
            .sum()
    }
}

impl Texts<Box<str>, Box<[usize]>> {
    fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[index]]
    }

    fn size(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.ends)
    }
}

impl Texts<String, Vec<usize>> {
    fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
    }

    fn finish(self) -> Texts<Box<str>, Box<[usize]>> {
        Texts {
            bytes: self.bytes.into_boxed_str(),
            ends: self.ends.into_boxed_slice(),
        }
    }
}

/// A segment while it grows.
#[derive(Debug, Default)]
struct Draft {
    arena: Vec<u8>,
    ends: Vec<usize>,
    notes: Vec<Note>,
    cuts: Vec<Cut>,
    ids: Texts<String, Vec<usize>>,
    locators: Texts<String, Vec<usize>>,
    turns: Texts<String, Vec<usize>>,
    ordinals: HashMap<Box<str>, u32>,
}

impl Draft {
    fn reserve(&mut self, messages: usize, arena_bytes: usize) {
        self.arena.reserve_exact(arena_bytes);
        self.ends.reserve_exact(messages);
        self.notes.reserve_exact(messages);
        self.ids.ends.reserve_exact(messages);
        self.locators.ends.reserve_exact(messages);
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
        let id = entry.id.as_ref();
        let note = Note {
            timestamp: entry.timestamp,
            ident: prefix_of_sha256(id.as_bytes()),
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
        self.keep(note, id, entry.locator.as_ref());
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

    fn copy(&mut self, from: &Segment, retracted: &HashSet<&str>) {
        let mut start = 0;
        for (index, (&end, note)) in from.ends.iter().zip(&from.notes).enumerate() {
            let id = from.ids.get(index);
            if !retracted.contains(id) {
                self.arena.extend_from_slice(&from.arena[start..end]);
                self.cuts.extend_from_slice(&from.cuts[from.cuts_of(index)]);
                let turn = (note.turn != NO_TURN).then(|| from.turns.get(note.turn as usize));
                let note = Note {
                    turn: self.ordinal(turn),
                    cuts_end: self.cuts.len() as u32,
                    ..*note
                };
                self.keep(note, id, from.locators.get(index));
            }
            start = end;
        }
    }

    fn keep(&mut self, note: Note, id: &str, locator: &str) {
        self.ends.push(self.arena.len());
        self.notes.push(note);
        self.ids.push(id);
        self.locators.push(locator);
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

    fn finish(self) -> Segment {
        Segment {
            arena: self.arena.into_boxed_slice(),
            ends: self.ends.into_boxed_slice(),
            notes: self.notes.into_boxed_slice(),
            cuts: self.cuts.into_boxed_slice(),
            ids: self.ids.finish(),
            locators: self.locators.finish(),
            turns: self.turns.finish(),
        }
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
fn prefix_of_sha256(bytes: &[u8]) -> u64 {
    Sha256::digest(bytes)
        .iter()
        .take(8)
        .fold(0, |prefix, &byte| prefix << 8 | u64::from(byte))
}
