//! Search over segments: every Message that holds a term, and how often.
//!
//! One pass of a SIMD finder per term over blocks that stay in the cache while all terms look at
//! them; a match is mapped to its Message by the table of ends. Proof:
//! `tests/differential/test_corpus.py`, `tests/unit/test_corpus_large.py`; speed:
//! `benches/corpus_search.py`.

use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr_iter, memmem};

use crate::segment::Segment;
use crate::threads;

/// Bytes of a block, a fraction of a core's second-level cache. A longer Message is its own block.
const BLOCK_BYTES: usize = 256 << 10;
/// Below this a second thread costs more than it brings: 8 MB are read in about 1 ms.
const PARALLEL_BYTES: usize = 8 << 20;

/// Verified Messages as parallel columns, in (key, row) order.
#[derive(Debug, Default, PartialEq, Eq)]
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
    /// First 8 bytes, big-endian, of SHA-256(id).
    pub ident: Vec<u64>,
    /// The same of the folded surviving spans of all leaves, joined by one byte 0xFF.
    pub digest: Vec<u64>,
    /// Occurrences, one column per term.
    pub frequency: Vec<Vec<u64>>,
}

/// Every Message of `segments` that holds at least one of the folded, non-empty `terms`.
pub fn search(segments: &[Arc<Segment>], terms: &[&str]) -> Hits {
    let needles: Vec<Needle> = terms.iter().map(|term| Needle::new(term)).collect();
    let blocks: Vec<Block> = segments.iter().enumerate().flat_map(blocks_of).collect();
    let bytes: usize = segments.iter().map(|segment| segment.arena().len()).sum();
    let found = threads::map(
        threads::count(bytes > PARALLEL_BYTES),
        blocks.len(),
        |block| blocks[block].search(segments, &needles),
    );
    let mut all = Hits::for_terms(terms.len());
    for hits in found {
        all.append(hits);
    }
    all
}

/// Consecutive Messages of one segment.
struct Block {
    key: usize,
    rows: Range<usize>,
}

fn blocks_of((key, segment): (usize, &Arc<Segment>)) -> Vec<Block> {
    let ends = segment.ends();
    let mut blocks = Vec::new();
    let (mut first, mut start) = (0, 0);
    while first < ends.len() {
        let whole = ends[first..].partition_point(|&end| end <= start + BLOCK_BYTES);
        let after = first + whole.max(1);
        blocks.push(Block {
            key,
            rows: first..after,
        });
        (first, start) = (after, ends[after - 1]);
    }
    blocks
}

impl Block {
    /// `None` if no Message holds a term.
    fn search(&self, segments: &[Arc<Segment>], needles: &[Needle]) -> Option<Hits> {
        let segment = &segments[self.key];
        let start = self
            .rows
            .start
            .checked_sub(1)
            .map_or(0, |before| segment.ends()[before]);
        let ends = &segment.ends()[self.rows.clone()];
        let messages = ends.len();
        let mut counts = vec![0; needles.len() * messages];
        let mut any = false;
        for (needle, column) in needles.iter().zip(counts.chunks_exact_mut(messages)) {
            any |= needle.count(segment.arena(), start, ends, column);
        }
        if !any {
            return None;
        }
        let mut hits = Hits::for_terms(needles.len());
        for message in 0..messages {
            let frequency = || (0..needles.len()).map(|term| counts[term * messages + message]);
            if frequency().any(|count| count > 0) {
                hits.push(self.key, self.rows.start + message, segment, frequency());
            }
        }
        Some(hits)
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

    /// Adds to `column` the occurrences in each Message; the first starts at `start`, each ends at
    /// its place in `ends`. Answers whether there was any.
    fn count(&self, arena: &[u8], start: usize, ends: &[usize], column: &mut [u64]) -> bool {
        let mut any = false;
        match self {
            Self::Byte(byte) => {
                let mut at = start;
                for (&end, count) in ends.iter().zip(column) {
                    *count = memchr_iter(*byte, &arena[at..end]).count() as u64;
                    any |= *count > 0;
                    at = end;
                }
            }
            Self::Text(finder) => {
                let Some(&last) = ends.last() else {
                    return false;
                };
                let mut message = 0;
                for at in finder.find_iter(&arena[start..last]) {
                    // Matches come in order, so the Message can only be this one or a later one.
                    if start + at >= ends[message] {
                        message += ends[message..].partition_point(|&end| end <= start + at);
                    }
                    column[message] += 1;
                    any = true;
                }
            }
        }
        any
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
        row: usize,
        segment: &Segment,
        frequency: impl Iterator<Item = u64>,
    ) {
        let note = segment.note(row);
        self.key.push(key);
        self.row.push(row);
        self.turn.push(note.turn_ordinal());
        self.timestamp.push(note.timestamp);
        self.kind.push(note.kind);
        self.length.push(note.length);
        self.ident.push(note.ident);
        self.digest.push(note.digest);
        for (column, count) in self.frequency.iter_mut().zip(frequency) {
            column.push(count);
        }
    }

    fn append(&mut self, mut other: Self) {
        self.key.append(&mut other.key);
        self.row.append(&mut other.row);
        self.turn.append(&mut other.turn);
        self.timestamp.append(&mut other.timestamp);
        self.kind.append(&mut other.kind);
        self.length.append(&mut other.length);
        self.ident.append(&mut other.ident);
        self.digest.append(&mut other.digest);
        for (column, mut more) in self.frequency.iter_mut().zip(other.frequency) {
            column.append(&mut more);
        }
    }
}
