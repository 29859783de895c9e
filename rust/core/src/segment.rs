//! A segment: the folded surviving text of one (source, Session), and its positions, in blocks.
//!
//! A block is the text of a few consecutive Messages and a table of what is kept of them beside it.
//! Every surviving span is followed by a barrier byte that occurs in no UTF-8 string: no term
//! matches across spans, leaves or Messages. Built or attached, a segment is the same bytes; an
//! attached one keeps its head in memory and reads blocks from the file as they are asked for.
//! Format: `docs/segments.md`. Proof: `tests/unit/test_segments.py`,
//! `tests/differential/test_segments.py`, `benches/segments.py` (memory).

use std::collections::HashSet;
use std::path::Path;

pub(crate) mod body;
pub(crate) mod draft;
mod laid;
pub(crate) mod layout;
pub(crate) mod table;
pub(crate) mod varint;

use crate::error::AttachError;
use crate::redact::Redactor;
use crate::signature;
use body::{Body, Packs, Stretch};
use draft::Draft;
use laid::Laid;
pub use layout::FORMAT;
use layout::{FIXED, Opening};
pub use table::Name;
use table::Table;
use varint::Malformed;

/// Follows every surviving span; in no UTF-8 string, so in no term.
pub(crate) const BARRIER: u8 = 0xFF;
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

impl<S: AsRef<str>> Entry<S> {
    /// Bytes of all leaves, as they come.
    pub fn text_bytes(&self) -> usize {
        self.leaves
            .iter()
            .map(|(text, _)| text.as_ref().len())
            .sum()
    }
}

/// What is kept of a Message beside its folded text: positions, never text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Id.
    pub id: String,
    /// Id of its Turn.
    pub turn: Option<String>,
    /// Milliseconds since the epoch.
    pub timestamp: i64,
    /// Index into the kinds of Messages.
    pub kind: u8,
    /// Where the records lie.
    pub locator: String,
    /// Redacted spans in code points, per leaf.
    pub spans: Vec<Vec<(usize, usize)>>,
}

/// Consecutive Messages: where their text and, behind it, their table lie.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// Index of the first Message.
    pub(crate) first: usize,
    pub(crate) rows: usize,
    /// Where the text begins, counted from the first block.
    start: u64,
    pub(crate) text_bytes: usize,
    table_bytes: u32,
    /// Where the signature begins among all signatures.
    signature: usize,
    text_sum: u32,
    table_sum: u32,
}

impl Block {
    /// Index behind the last Message.
    pub(crate) fn after(&self) -> usize {
        self.first + self.rows
    }

    fn text_end(&self) -> u64 {
        self.start + self.text_bytes as u64
    }

    fn end(&self) -> u64 {
        self.text_end() + u64::from(self.table_bytes)
    }
}

/// Immutable once built, so a search needs no lock while it reads one.
#[derive(Debug)]
pub struct Segment {
    blocks: Box<[Block]>,
    signatures: Box<[u8]>,
    body: Body,
}

impl Segment {
    /// The Messages of `draft`; equal drafts are equal segments.
    pub(crate) fn of(draft: &Draft) -> Self {
        let mut laid = Laid::default();
        laid.append(draft);
        laid.finish()
    }

    /// Redacts and folds `entries`, in their order.
    pub fn build<S: AsRef<str>>(entries: &[Entry<S>], redactor: &Redactor) -> Self {
        Self::of(&Draft::of(entries, redactor))
    }

    /// The segment that lies at `offset` of a file, `length` bytes of it.
    ///
    /// # Errors
    /// [`AttachError`]: it cannot be read, or is no whole segment of this format.
    pub(crate) fn attach(
        packs: &Packs,
        path: &Path,
        offset: u64,
        length: u64,
    ) -> Result<Self, AttachError> {
        let pack = packs.open(path)?;
        let end = offset.checked_add(length).ok_or(AttachError::NotWhole)?;
        if end > pack.length()? || length < FIXED as u64 {
            return Err(AttachError::NotWhole);
        }
        let mut fixed = [0; FIXED];
        pack.read(&mut fixed, offset)?;
        let opening = Opening::read(&fixed, length)?;
        let at = offset + FIXED as u64;
        let mut directory = vec![0; opening.directory_bytes()];
        pack.read(&mut directory, at)?;
        let (blocks, signed) = opening.blocks(&directory)?;
        let at = at + directory.len() as u64;
        let mut signatures = vec![0; signed].into_boxed_slice();
        pack.read(&mut signatures, at)?;
        if !opening.checks(&directory, &signatures) {
            return Err(AttachError::NotWhole);
        }
        let start = at + signed as u64;
        let parts = 2 * blocks.len();
        Ok(Self {
            body: Body::File(Stretch::new(pack, start, end - start, parts)),
            blocks,
            signatures,
        })
    }

    /// The segment as one piece of bytes; what `attach` reads.
    pub(crate) fn dump(&self) -> Result<Vec<u8>, Malformed> {
        let mut bytes = layout::write(&self.blocks, &self.signatures);
        bytes.reserve_exact(self.body.bytes() as usize);
        let mut space = Vec::new();
        for at in 0..self.blocks.len() {
            bytes.extend_from_slice(self.text(at, &mut space)?);
            bytes.extend_from_slice(self.table(at, &mut space)?);
        }
        Ok(bytes)
    }

    /// This segment without the Messages of the ids `retracted`, then those of `added`: equal to one
    /// made of them all at once. Blocks in front of all that changes stay as they are.
    pub(crate) fn revised(
        &self,
        retracted: &HashSet<&str>,
        added: &Draft,
    ) -> Result<Self, Malformed> {
        let gone: HashSet<Vec<u8>> = retracted.iter().map(|id| Name::of(id).0).collect();
        let changed = self.first_with(&gone)?;
        let (mut laid, mut draft) = (Laid::default(), Draft::default());
        let (mut text_space, mut table_space) = (Vec::new(), Vec::new());
        for at in 0..self.blocks.len() {
            let text = self.text(at, &mut text_space)?;
            if at < changed {
                let table = self.table(at, &mut table_space)?;
                laid.copy(&self.blocks[at], text, table, self.signature(at));
            }
            let table = self.read_table(at, &mut table_space)?;
            if at < changed {
                for turn in table.turn_names() {
                    draft.know_turn(&turn?);
                }
                continue;
            }
            let mut start = 0;
            for (row, kept) in table.rows(0..table.ends.len())?.iter().enumerate() {
                let end = table.ends[row];
                if !retracted.contains(kept.id.as_str()) {
                    let own = &text[start..end];
                    draft.copy(kept, own, table.digest(row), table.lengths[row]);
                }
                start = end;
            }
        }
        draft.join(added);
        laid.append(&draft);
        Ok(laid.finish())
    }

    /// The first block that changes when the Messages of these ids go and others are appended: the
    /// last one may take more, and so may the one in front of a block that loses its first.
    fn first_with(&self, gone: &HashSet<Vec<u8>>) -> Result<usize, Malformed> {
        let last = self.blocks.len().saturating_sub(1);
        let mut space = Vec::new();
        for at in 0..self.blocks.len() {
            if gone.is_empty() {
                break;
            }
            let table = self.read_table(at, &mut space)?;
            if table.ids.iter().any(|id| gone.contains(id.0)) {
                return Ok(at.saturating_sub(1));
            }
        }
        Ok(last)
    }

    /// Messages.
    pub fn count(&self) -> usize {
        self.blocks.last().map_or(0, Block::after)
    }

    /// Bytes that the segment occupies in memory.
    pub fn size(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&*self.blocks)
            + size_of_val(&*self.signatures)
            + self.body.size()
    }

    /// What is kept of Messages `start` up to `stop` beside their text, cut to what there is.
    pub(crate) fn rows(&self, start: usize, stop: usize) -> Result<Vec<Row>, Malformed> {
        let first = self.blocks.partition_point(|block| block.after() <= start);
        let mut rows = Vec::new();
        let mut space = Vec::new();
        for at in first..self.blocks.len() {
            let block = &self.blocks[at];
            if block.first >= stop {
                break;
            }
            let wanted = start.saturating_sub(block.first)..block.rows.min(stop - block.first);
            rows.append(&mut self.read_table(at, &mut space)?.rows(wanted)?);
        }
        Ok(rows)
    }

    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// What a block's text may hold.
    pub(crate) fn signature(&self, at: usize) -> &[u8] {
        let block = &self.blocks[at];
        &self.signatures[block.signature..][..signature::size(block.text_bytes)]
    }

    /// The folded surviving text of a block, barriers included.
    pub(crate) fn text<'a>(
        &'a self,
        at: usize,
        space: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], Malformed> {
        let block = &self.blocks[at];
        let bytes = block.start..block.text_end();
        self.body.part(bytes, 2 * at, block.text_sum, space)
    }

    fn table<'a>(&'a self, at: usize, space: &'a mut Vec<u8>) -> Result<&'a [u8], Malformed> {
        let block = &self.blocks[at];
        let bytes = block.text_end()..block.end();
        self.body.part(bytes, 2 * at + 1, block.table_sum, space)
    }

    /// What is kept of the Messages of a block.
    pub(crate) fn read_table<'a>(
        &'a self,
        at: usize,
        space: &'a mut Vec<u8>,
    ) -> Result<Table<'a>, Malformed> {
        let block = &self.blocks[at];
        Table::read(self.table(at, space)?, block.rows, block.text_bytes)
    }
}
