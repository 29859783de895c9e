//! Chunked bodies: joined only if every chunk is there and every digest is right.
//!
//! Invariant: what comes back is the body that was recorded, or the reason why it cannot be.
//! Proof: `tests/unit/reference/test_chunks.py`.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// Why a chunked body cannot be trusted. Looked for in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkDamage {
    /// An index is missing or doubled.
    Gap,
    /// The joined length is not the recorded one.
    Length,
    /// The digest of a chunk, or of the whole, is not the recorded one.
    Digest,
}

impl ChunkDamage {
    /// Stable name of the damage.
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Gap => "chunk_gap",
            Self::Length => "chunk_length",
            Self::Digest => "chunk_digest",
        }
    }
}

/// One stored part of a body.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// Place in the body, from 0.
    pub index: i64,
    /// The part itself.
    pub data: &'a [u8],
    /// Recorded hex SHA-256 of `data`, in either case.
    pub sha256: &'a str,
}

/// Joins `chunks`, given in any order, into the body they are: `length` bytes, digest `sha256`.
///
/// # Errors
///
/// The first damage found, in the order of [`ChunkDamage`].
pub fn reassemble(
    mut chunks: Vec<Chunk<'_>>,
    length: i64,
    sha256: &str,
) -> Result<Vec<u8>, ChunkDamage> {
    chunks.sort_by_key(|chunk| chunk.index);
    if !chunks
        .iter()
        .map(|chunk| chunk.index)
        .eq((0..).take(chunks.len()))
    {
        return Err(ChunkDamage::Gap);
    }
    let total: usize = chunks.iter().map(|chunk| chunk.data.len()).sum();
    if usize::try_from(length) != Ok(total) {
        return Err(ChunkDamage::Length);
    }
    let mut body = Vec::with_capacity(total);
    for chunk in &chunks {
        if !is_digest(chunk.sha256, chunk.data) {
            return Err(ChunkDamage::Digest);
        }
        body.extend_from_slice(chunk.data);
    }
    if is_digest(sha256, &body) {
        Ok(body)
    } else {
        Err(ChunkDamage::Digest)
    }
}

fn is_digest(digest: &str, data: &[u8]) -> bool {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(data) {
        write!(hex, "{byte:02x}").expect("a String takes what is written");
    }
    digest.eq_ignore_ascii_case(&hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855";
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn joins_or_names_the_damage() {
        let whole = Chunk {
            index: 0,
            data: b"abc",
            sha256: ABC,
        };
        let after = Chunk {
            index: 1,
            data: b"",
            sha256: EMPTY,
        };
        assert_eq!(reassemble(vec![after, whole], 3, ABC), Ok(b"abc".to_vec()));
        assert_eq!(reassemble(vec![], 0, EMPTY), Ok(vec![]));
        assert_eq!(reassemble(vec![after], 0, EMPTY), Err(ChunkDamage::Gap));
        assert_eq!(
            reassemble(vec![whole, whole], 6, ABC),
            Err(ChunkDamage::Gap)
        );
        assert_eq!(reassemble(vec![whole], -3, ABC), Err(ChunkDamage::Length));
        assert_eq!(reassemble(vec![whole], 3, EMPTY), Err(ChunkDamage::Digest));
        let torn = Chunk {
            data: b"abd",
            ..whole
        };
        assert_eq!(reassemble(vec![torn], 3, ABC), Err(ChunkDamage::Digest));
    }
}
