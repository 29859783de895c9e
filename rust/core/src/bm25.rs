//! BM25: the score of a Hit, and what each term adds to it.
//!
//! `f64`, one fixed order of operations, no fused multiply-add: the scores equal those of
//! `reference/bm25.py` bit for bit. Proof: `tests/differential/test_bm25.py`,
//! `tests/differential/test_tally.py`.

/// How soon a term's frequency saturates; `config.BM25_K1`.
const K1: f64 = 1.2;
/// How much the length of a Message counts; `config.BM25_B`.
const B: f64 = 0.75;

/// What a term adds to the score of a Hit, before its weight.
fn term_score(frequency: u64, length: u64, idf: f64, mean_length: f64) -> f64 {
    let frequency = frequency as f64;
    let norm = K1 * ((1.0 - B) + B * length as f64 / mean_length);
    idf * frequency * (K1 + 1.0) / (frequency + norm)
}

/// The score of a Hit, given what it holds of each term.
pub(crate) fn score(
    frequency: impl Iterator<Item = u64>,
    length: u64,
    weight: f64,
    idf: &[f64],
    mean_length: f64,
) -> f64 {
    let mut sum = 0.0;
    for (frequency, &idf) in frequency.zip(idf) {
        sum += term_score(frequency, length, idf, mean_length);
    }
    weight * sum
}

/// What each term adds to the score of one Hit, before its weight.
pub fn terms(frequency: &[u64], length: u64, idf: &[f64], mean_length: f64) -> Vec<f64> {
    frequency
        .iter()
        .zip(idf)
        .map(|(&frequency, &idf)| term_score(frequency, length, idf, mean_length))
        .collect()
}
