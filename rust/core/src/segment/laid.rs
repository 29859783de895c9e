//! Messages laid out in blocks: a segment in memory, while it is made.
//!
//! A block takes as many Messages as fit, so the same Messages make the same blocks, and the blocks in
//! front of a change are those of before. Proof: `tests/differential/test_segments.py`,
//! `tests/unit/test_segments.py`.

use crate::segment::body::Body;
use crate::segment::draft::Draft;
use crate::segment::layout::MOST_ROWS;
use crate::segment::{Block, Segment, table};
use crate::signature;
use crate::threads;

/// Bytes of text of a block: signatures tell most absent words from its text, and it stays in the
/// cache of a core while all terms look at it. A longer Message is a block by itself.
const BLOCK_BYTES: usize = 128 << 10;
/// Text from which on a second thread is worth it to make signatures.
const PARALLEL_BYTES: usize = 4 << 20;
/// What a table takes of a Message, about.
const TABLE_BYTES: usize = 64;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Laid {
    blocks: Vec<Block>,
    signatures: Vec<u8>,
    body: Vec<u8>,
}

impl Laid {
    /// Appends a block of another segment as it is.
    pub(crate) fn copy(&mut self, block: &Block, text: &[u8], table: &[u8], signature: &[u8]) {
        self.blocks.push(block.clone());
        self.body.extend_from_slice(text);
        self.body.extend_from_slice(table);
        self.signatures.extend_from_slice(signature);
    }

    /// Appends the Messages of `draft`, which knows the Turns of those that are there.
    pub(crate) fn append(&mut self, draft: &Draft) {
        let known = self.blocks.len();
        let before = self.blocks.last().map_or(0, Block::after);
        let mut signature = self.signatures.len();
        self.body
            .reserve_exact(draft.arena().len() + TABLE_BYTES * draft.count());
        let mut first = 0;
        while first < draft.count() {
            let start = draft.text_of(first).start;
            let fits = |row: &usize| draft.text_of(*row).end <= start + BLOCK_BYTES;
            let rows = (first..draft.count())
                .take(MOST_ROWS)
                .take_while(fits)
                .count()
                .max(1);
            let text = &draft.arena()[start..draft.text_of(first + rows - 1).end];
            let at = self.body.len();
            self.body.extend_from_slice(text);
            table::write(draft, first, first + rows, &mut self.body);
            let table = &self.body[at + text.len()..];
            self.blocks.push(Block {
                first: before + first,
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
        let (blocks, body) = (&self.blocks[known..], &self.body);
        let many = threads::count(draft.arena().len() > PARALLEL_BYTES);
        let signed = threads::map(many, blocks.len(), |at| {
            let text = blocks[at].start as usize..blocks[at].text_end() as usize;
            Some(signature::sign(&body[text]))
        });
        self.signatures.extend(signed.into_iter().flatten());
    }

    pub(crate) fn finish(self) -> Segment {
        Segment {
            blocks: self.blocks.into_boxed_slice(),
            signatures: self.signatures.into_boxed_slice(),
            body: Body::Memory(self.body.into_boxed_slice()),
        }
    }
}
