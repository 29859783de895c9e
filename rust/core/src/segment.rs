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
pub(crate) mod layout;
pub(crate) mod table;
pub(crate) mod varint;

use crate::error::AttachError;
use crate::redact::Redactor;
use crate::signature;
use crate::threads;
use body::{Body, Packs, Stretch};
use draft::Draft;
pub use layout::FORMAT;
use layout::{FIXED, MOST_ROWS, Opening};
pub use table::Name;
use table::Table;
use varint::Malformed;

/// Follows every surviving span; in no UTF-8 string, so in no term.
pub(crate) const BARRIER: u8 = 0xFF;
/// Bytes of text of a block: signatures tell most absent words from its text, and it stays in the
/// cache of a core while all terms look at it. A longer Message is a block by itself.
const BLOCK_BYTES: usize = 128 << 10;
/// Text from which on a second thread is worth it to make signatures.
const PARALLEL_BYTES: usize = 4 << 20;

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
    /// Lays `draft` out in blocks: as many Messages to each as fit, so that equal drafts are equal
    /// segments.
    pub(crate) fn pack(draft: &Draft) -> Self {
        let mut blocks: Vec<Block> = Vec::new();
        let mut body = Vec::with_capacity(draft.arena().len() + 64 * draft.count());
        let mut first = 0;
        let mut signature = 0;
        while first < draft.count() {
            let start = draft.text_of(first).start;
            let fits = |row: &usize| draft.text_of(*row).end <= start + BLOCK_BYTES;
            let rows = (first..draft.count())
                .take(MOST_ROWS)
                .take_while(fits)
                .count()
                .max(1);
            let text = &draft.arena()[start..draft.text_of(first + rows - 1).end];
            let at = body.len();
            body.extend_from_slice(text);
            table::write(draft, first, first + rows, &mut body);
            let table = &body[at + text.len()..];
            blocks.push(Block {
                first,
                rows,
                start: at as u64,
                text_bytes: text.len(),
                table_bytes: table.len() as u32,
                signature,
                text_sum: crc32fast::hash(text),
                table_sum: crc32fast::hash(table),
            });
            signature += signature::size(text.len());
            first += rows;
        }
        let signed = threads::map(
            threads::count(body.len() > PARALLEL_BYTES),
            blocks.len(),
            |at| {
                let text = &body[blocks[at].start as usize..blocks[at].text_end() as usize];
                let mut bits = vec![0; signature::size(text.len())];
                signature::sign(text, &mut bits);
                Some(bits)
            },
        );
        Self {
            blocks: blocks.into_boxed_slice(),
            signatures: signed.concat().into_boxed_slice(),
            body: Body::Memory(body.into_boxed_slice()),
        }
    }

    /// Redacts and folds `entries`, in their order.
    pub fn build<S: AsRef<str>>(entries: &[Entry<S>], redactor: &Redactor) -> Self {
        Self::pack(&Draft::of(entries, redactor))
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

    /// The Messages that are left without those of the ids `retracted`.
    pub(crate) fn draft(&self, retracted: &HashSet<&str>) -> Result<Draft, Malformed> {
        let mut draft = Draft::default();
        draft.reserve(self.count(), self.body.bytes() as usize);
        let (mut text_space, mut table_space) = (Vec::new(), Vec::new());
        for at in 0..self.blocks.len() {
            let text = self.text(at, &mut text_space)?;
            let table = self.read_table(at, &mut table_space)?;
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
        Ok(draft)
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
