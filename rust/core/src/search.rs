//! Search over segments: every Message that holds a term, and how often.
//!
//! Signatures leave blocks out; over each that is left goes one pass of a SIMD finder per term, while
//! its text stays in the cache. Only a block with a match has its table read, which maps matches to
//! Messages. Proof: `tests/differential/test_corpus.py`, `tests/unit/test_corpus_large.py`; speed:
//! `benches/corpus_search.py`, `benches/segments.py`.

use std::sync::Arc;

use memchr::{memchr_iter, memmem};

use crate::segment::Segment;
use crate::segment::draft::prefix_of_sha256;
use crate::segment::table::{Name, Table};
use crate::segment::varint::Malformed;
use crate::signature::Probe;
use crate::threads;

/// Below this a second thread costs more than it brings: 8 MB are read in about 1 ms.
const PARALLEL_BYTES: usize = 8 << 20;

/// Verified Messages as parallel columns, in (key, row) order.
#[derive(Debug, Default)]
pub struct Hits {
    /// Index of the segment.
    pub key: Vec<usize>,
    /// Index of the Message in its segment.
    pub row: Vec<usize>,
    /// Ordinal of its Turn in the segment, -1 without one.
    pub turn: Vec<i64>,
    /// Milliseconds since the epoch.
    pub timestamp: Vec<i64>,
    /// Index into the kinds of Messages.
    pub kind: Vec<u8>,
    /// Code points of surviving text, before the fold.
    pub length: Vec<u64>,
    /// Ids as they are stored, end to end: equal ones are equal bytes.
    ids: Vec<u8>,
    id_ends: Vec<usize>,
    /// First 8 bytes, big-endian, of SHA-256 of the folded surviving spans of all leaves, joined by
    /// one byte 0xFF.
    pub digest: Vec<u64>,
    /// Occurrences, one column per term.
    pub frequency: Vec<Vec<u64>>,
    /// Segments that hold a term at all, in scope or not, in order.
    pub holding: Vec<usize>,
    /// Of how many Messages the time is out of scope.
    pub outside_time: u64,
    /// How many Messages are of Turns that were rewound, and left out for it.
    pub abandoned: u64,
}

/// Which of the Messages that hold a term are Hits.
#[derive(Debug, Clone)]
pub struct Scope {
    /// A bit for each kind.
    pub kinds: u16,
    /// First time.
    pub since: i64,
    /// Last time.
    pub until: i64,
    /// Whether those of rewound Turns are in.
    pub abandoned: bool,
    /// Indexes of segments, and the id of their Turn that is under way, and out of scope.
    pub active: Option<(Vec<usize>, Name<Vec<u8>>)>,
}

impl Default for Scope {
    /// Everything.
    fn default() -> Self {
        Self {
            kinds: u16::MAX,
            since: i64::MIN,
            until: i64::MAX,
            abandoned: true,
            active: None,
        }
    }
}

/// A segment of which a block cannot be read, or is not what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged {
    /// Index of the segment.
    pub segment: usize,
}

/// Every Message of `segments` that holds at least one of the folded, non-empty `terms`.
///
/// # Errors
/// [`Damaged`] names the first segment that is, of those whose blocks had to be read.
pub fn search(segments: &[Arc<Segment>], terms: &[&str], scope: &Scope) -> Result<Hits, Damaged> {
    let needles: Vec<Needle> = terms.iter().map(|term| Needle::new(term)).collect();
    let probes: Vec<Probe> = terms.iter().map(|term| Probe::new(term)).collect();
    let mut tasks = Vec::new();
    let mut bytes = 0;
    for (key, segment) in segments.iter().enumerate() {
        for (at, block) in segment.blocks().iter().enumerate() {
            let wanted = wanted(&probes, segment.signature(at));
            if wanted != 0 {
                bytes += block.text_bytes;
                tasks.push(Task { key, at, wanted });
            }
        }
    }
    let found = threads::map_with(
        threads::count(bytes > PARALLEL_BYTES),
        tasks.len(),
        Space::default,
        |space, task| {
            let task = &tasks[task];
            task.search(&segments[task.key], &needles, scope, space)
                .map_err(|_| Damaged { segment: task.key })
                .transpose()
        },
    );
    let mut all = Hits::for_terms(terms.len());
    for hits in found {
        all.append(hits?);
    }
    Ok(all)
}

/// A bit for each term that a text of this signature may hold; terms from the 64th on share one.
fn wanted(probes: &[Probe], signature: &[u8]) -> u64 {
    probes.iter().enumerate().fold(0, |wanted, (term, probe)| {
        wanted | u64::from(probe.passes(signature)) << term.min(63)
    })
}

/// What a thread keeps between blocks.
#[derive(Default)]
struct Space {
    text: Vec<u8>,
    table: Vec<u8>,
}

/// A block to look through, and for which terms.
struct Task {
    key: usize,
    at: usize,
    wanted: u64,
}

impl Task {
    /// `None` if no Message holds a term.
    fn search(
        &self,
        segment: &Segment,
        needles: &[Needle],
        scope: &Scope,
        space: &mut Space,
    ) -> Result<Option<Hits>, Malformed> {
        let text = segment.text(self.at, &mut space.text)?;
        let occurring: Vec<usize> = (0..needles.len())
            .filter(|term| self.wanted & 1 << term.min(&63) != 0 && needles[*term].occurs(text))
            .collect();
        if occurring.is_empty() {
            return Ok(None);
        }
        let block = &segment.blocks()[self.at];
        let table = segment.read_table(self.at, &mut space.table)?;
        let mut counts = vec![0; needles.len() * block.rows];
        for term in occurring {
            needles[term].count(text, &table.ends, &mut counts[term * block.rows..]);
        }
        let mut hits = Hits::for_terms(needles.len());
        for row in 0..block.rows {
            let frequency = || (0..needles.len()).map(|term| counts[term * block.rows + row]);
            if frequency().all(|count| count == 0) {
                continue;
            }
            hits.holding = vec![self.key];
            match scope.place(self.key, row, &table) {
                Place::Inside => hits.push(self.key, block.first, row, &table, frequency()),
                Place::OutsideTime => hits.outside_time += 1,
                Place::Abandoned => hits.abandoned += 1,
                Place::Outside => {}
            }
        }
        Ok(Some(hits))
    }
}

/// What becomes of a Message that holds a term.
enum Place {
    Inside,
    Outside,
    OutsideTime,
    Abandoned,
}

/// Added to the kind of a Message of a rewound Turn.
pub(crate) const ABANDONED: u8 = 16;

impl Scope {
    fn place(&self, key: usize, row: usize, table: &Table<'_>) -> Place {
        let kind = table.kinds[row];
        let active = self.active.as_ref().is_some_and(|(keys, turn)| {
            keys.contains(&key) && table.turn_name(row).is_some_and(|name| name.0 == turn.0)
        });
        if active || self.kinds & 1 << (kind % ABANDONED) == 0 {
            Place::Outside
        } else if !(self.since..=self.until).contains(&table.timestamps[row]) {
            Place::OutsideTime
        } else if kind >= ABANDONED && !self.abandoned {
            Place::Abandoned
        } else {
            Place::Inside
        }
    }
}

/// A term made ready.
enum Needle<'t> {
    /// Counted per Message: no cost per occurrence, of which one letter has very many.
    Byte(u8),
    /// Found over the whole block.
    Text(Box<memmem::Finder<'t>>),
}

impl<'t> Needle<'t> {
    fn new(term: &'t str) -> Self {
        match term.as_bytes() {
            &[byte] => Self::Byte(byte),
            bytes => Self::Text(Box::new(memmem::Finder::new(bytes))),
        }
    }

    fn occurs(&self, text: &[u8]) -> bool {
        match self {
            Self::Byte(byte) => memchr::memchr(*byte, text).is_some(),
            Self::Text(finder) => finder.find(text).is_some(),
        }
    }

    /// Adds to `column` the occurrences in each Message, which ends at its place in `ends`.
    fn count(&self, text: &[u8], ends: &[usize], column: &mut [u64]) {
        match self {
            Self::Byte(byte) => {
                let mut start = 0;
                for (&end, count) in ends.iter().zip(column) {
                    *count = memchr_iter(*byte, &text[start..end]).count() as u64;
                    start = end;
                }
            }
            Self::Text(finder) => {
                let mut message = 0;
                for at in finder.find_iter(text) {
                    // Matches come in order, so the Message can only be this one or a later one.
                    if at >= ends[message] {
                        message += ends[message..].partition_point(|&end| end <= at);
                    }
                    column[message] += 1;
                }
            }
        }
    }
}

impl Hits {
    fn for_terms(terms: usize) -> Self {
        Self {
            frequency: vec![Vec::new(); terms],
            ..Self::default()
        }
    }

    fn push(
        &mut self,
        key: usize,
        first: usize,
        row: usize,
        table: &Table<'_>,
        frequency: impl Iterator<Item = u64>,
    ) {
        self.key.push(key);
        self.row.push(first + row);
        self.turn.push(table.turn(row));
        self.timestamp.push(table.timestamps[row]);
        self.kind.push(table.kinds[row]);
        self.length.push(table.lengths[row]);
        self.ids.extend_from_slice(table.ids[row].0);
        self.id_ends.push(self.ids.len());
        self.digest.push(table.digest(row));
        for (column, count) in self.frequency.iter_mut().zip(frequency) {
            column.push(count);
        }
    }

    /// The id of a Hit as it is stored.
    pub(crate) fn id(&self, hit: usize) -> &[u8] {
        let start = hit.checked_sub(1).map_or(0, |before| self.id_ends[before]);
        &self.ids[start..self.id_ends[hit]]
    }

    /// First 8 bytes, big-endian, of the SHA-256 of each id.
    pub fn ident(&self) -> Vec<u64> {
        (0..self.id_ends.len())
            .map(|hit| prefix_of_sha256(&Name(self.id(hit)).bytes()))
            .collect()
    }

    /// Appends the Hits of later segments, or of later blocks of the last one.
    pub(crate) fn append(&mut self, mut other: Self) {
        let known = self.holding.last().copied();
        other.holding.retain(|&key| known != Some(key));
        self.holding.append(&mut other.holding);
        self.outside_time += other.outside_time;
        self.abandoned += other.abandoned;
        self.key.append(&mut other.key);
        self.row.append(&mut other.row);
        self.turn.append(&mut other.turn);
        self.timestamp.append(&mut other.timestamp);
        self.kind.append(&mut other.kind);
        self.length.append(&mut other.length);
        let known = self.ids.len();
        self.ids.append(&mut other.ids);
        self.id_ends
            .extend(other.id_ends.iter().map(|end| known + end));
        self.digest.append(&mut other.digest);
        for (column, mut more) in self.frequency.iter_mut().zip(other.frequency) {
            column.append(&mut more);
        }
    }
}
