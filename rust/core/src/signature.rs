//! Signatures: which runs of four bytes a block of text has, hashed into a bitset.
//!
//! Invariant: a block that holds a term passes it; one that does not may pass too, so a signature
//! only ever saves reading. A term shorter than a run passes every block. Runs that hold a barrier
//! are left out: no term has one. Proof: `tests/properties/test_signature.py`,
//! `tests/differential/test_segments.py`; gain: `benches/segments.py`.

use memchr::memchr_iter;

use crate::segment::BARRIER;

/// Bytes of a run.
const RUN: usize = 4;
/// Bytes of text per byte of signature: 3 % of the text, of which code and prose set a half.
const TEXT_PER_BYTE: usize = 32;

/// Bytes of the signature of `text` bytes.
pub(crate) fn size(text: usize) -> usize {
    text.div_ceil(TEXT_PER_BYTE)
}

/// The signature of `text`.
pub(crate) fn sign(text: &[u8]) -> Vec<u8> {
    let bytes = size(text.len());
    // A byte for each bit first: a store is half the cost of setting a bit among others.
    let mut bits = vec![0_u8; bytes * 8];
    let mut start = 0;
    for end in memchr_iter(BARRIER, text).chain([text.len()]) {
        for hash in hashes(&text[start..end]) {
            bits[place(hash, bytes)] = 1;
        }
        start = end + 1;
    }
    let packed = bits.chunks_exact(8).map(|bits| {
        let bits = bits.iter().enumerate();
        bits.fold(0, |byte, (at, bit)| byte | bit << at)
    });
    packed.collect()
}

/// A term made ready: the hashes of its runs.
#[derive(Debug)]
pub(crate) struct Probe(Vec<u32>);

impl Probe {
    pub(crate) fn new(term: &str) -> Self {
        Self(hashes(term.as_bytes()).collect())
    }

    /// Whether a text of this signature may hold the term.
    pub(crate) fn passes(&self, bits: &[u8]) -> bool {
        self.0.iter().all(|&hash| {
            let at = place(hash, bits.len());
            bits.get(at / 8)
                .is_some_and(|byte| byte & (1 << (at % 8)) != 0)
        })
    }
}

fn hashes(span: &[u8]) -> impl Iterator<Item = u32> {
    span.windows(RUN).map(|run| {
        let run = [run[0], run[1], run[2], run[3]];
        u32::from_le_bytes(run).wrapping_mul(0x9E37_79B1)
    })
}

/// The bit of a hash among `bytes` bytes: the product's high half spreads any number of bits alike.
fn place(hash: u32, bytes: usize) -> usize {
    ((u64::from(hash) * (bytes as u64 * 8)) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::{BARRIER, Probe, sign};

    #[test]
    fn runs_across_a_barrier_are_left_out() {
        let mut text = b"abcd\xFFefgh\xFF".to_vec();
        text.resize(2000, BARRIER);
        let bits = sign(&text);
        assert_eq!(bits.iter().map(|byte| byte.count_ones()).sum::<u32>(), 2);
        for term in ["abcd", "efgh", "abc", ""] {
            assert!(Probe::new(term).passes(&bits));
        }
        assert!(!Probe::new("abcd").passes(&[]));
        assert!(Probe::new("abc").passes(&[]));
    }
}
