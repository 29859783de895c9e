//! The head of a segment: how many blocks it has, where they lie, their checksums and signatures.
//!
//! It is all that an attached segment keeps in memory. Read in three steps, each of a length that
//! the one before has bounded by the bytes that are there, and held against its checksum. Format:
//! `docs/segments.md`; proof: `tests/unit/test_segments.py`, `tests/differential/test_segments.py`.

use crate::segment::Block;
use crate::segment::varint::Malformed;
use crate::signature;

/// Version of the format; another one is a foreign one.
pub const FORMAT: u32 = 1;

const MAGIC: [u8; 8] = *b"HARKSEG\0";
/// Magic, version, checksum of what follows, bytes of all, blocks, Messages.
pub(crate) const FIXED: usize = 32;
/// What the checksum covers begins here.
const CHECKED: usize = 16;
/// Messages, bytes of the table, bytes of the text, checksum of the text, of the table.
const ENTRY: usize = 24;
/// Messages of a block at most, so that one is read without reading many.
pub(crate) const MOST_ROWS: usize = 256;

/// The head in front of these blocks.
pub(crate) fn write(blocks: &[Block], signatures: &[u8]) -> Vec<u8> {
    let bytes = FIXED + blocks.len() * ENTRY + signatures.len();
    let body = blocks.last().map_or(0, Block::end);
    let messages = blocks.last().map_or(0, Block::after);
    let mut head = Vec::with_capacity(bytes);
    head.extend_from_slice(&MAGIC);
    head.extend_from_slice(&FORMAT.to_le_bytes());
    head.extend_from_slice(&[0; 4]);
    head.extend_from_slice(&(bytes as u64 + body).to_le_bytes());
    head.extend_from_slice(&(blocks.len() as u32).to_le_bytes());
    head.extend_from_slice(&(messages as u32).to_le_bytes());
    for block in blocks {
        head.extend_from_slice(&(block.rows as u32).to_le_bytes());
        head.extend_from_slice(&block.table_bytes.to_le_bytes());
        head.extend_from_slice(&(block.text_bytes as u64).to_le_bytes());
        head.extend_from_slice(&block.text_sum.to_le_bytes());
        head.extend_from_slice(&block.table_sum.to_le_bytes());
    }
    head.extend_from_slice(signatures);
    let sum = crc32fast::hash(&head[CHECKED..]);
    head[CHECKED - 4..CHECKED].copy_from_slice(&sum.to_le_bytes());
    head
}

/// The first [`FIXED`] bytes of a segment, held against the bytes that it is said to have.
#[derive(Debug)]
pub(crate) struct Opening<'a> {
    fixed: &'a [u8; FIXED],
    blocks: usize,
}

impl<'a> Opening<'a> {
    /// `length`: bytes of the whole segment.
    pub(crate) fn read(fixed: &'a [u8; FIXED], length: u64) -> Result<Self, Malformed> {
        let blocks = number(fixed, 24);
        let room = length.checked_sub(FIXED as u64).ok_or(Malformed)?;
        let whole = fixed[..8] == MAGIC
            && number(fixed, 8) == FORMAT
            && long(fixed, 16) == length
            && u64::from(blocks) <= room / ENTRY as u64;
        let blocks = blocks as usize;
        whole.then_some(Self { fixed, blocks }).ok_or(Malformed)
    }

    /// Bytes of the directory, which follows.
    pub(crate) fn directory_bytes(&self) -> usize {
        self.blocks * ENTRY
    }

    /// The blocks, and the bytes of their signatures, which follow.
    pub(crate) fn blocks(&self, directory: &[u8]) -> Result<(Box<[Block]>, usize), Malformed> {
        let mut blocks: Vec<Block> = Vec::with_capacity(self.blocks);
        let (mut first, mut start, mut signature) = (0_usize, 0_u64, 0_usize);
        for entry in directory.chunks_exact(ENTRY) {
            let text_bytes = usize::try_from(long(entry, 8)).map_err(|_| Malformed)?;
            let block = Block {
                first,
                rows: number(entry, 0) as usize,
                start,
                text_bytes,
                table_bytes: number(entry, 4),
                signature,
                text_sum: number(entry, 16),
                table_sum: number(entry, 20),
            };
            if !(1..=MOST_ROWS).contains(&block.rows) {
                return Err(Malformed);
            }
            first = block.after();
            start = start
                .checked_add(text_bytes as u64)
                .and_then(|end| end.checked_add(u64::from(block.table_bytes)))
                .ok_or(Malformed)?;
            signature = signature
                .checked_add(signature::size(text_bytes))
                .ok_or(Malformed)?;
            blocks.push(block);
        }
        let length = (FIXED + self.directory_bytes()) as u64;
        let length = length
            .checked_add(signature as u64)
            .and_then(|head| head.checked_add(start));
        let whole =
            length == Some(long(self.fixed, 16)) && first == number(self.fixed, 28) as usize;
        whole
            .then(|| (blocks.into_boxed_slice(), signature))
            .ok_or(Malformed)
    }

    /// Whether these bytes are the ones that were written.
    pub(crate) fn checks(&self, directory: &[u8], signatures: &[u8]) -> bool {
        let mut sum = crc32fast::Hasher::new();
        sum.update(&self.fixed[CHECKED..]);
        sum.update(directory);
        sum.update(signatures);
        sum.finalize() == number(self.fixed, 12)
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}
