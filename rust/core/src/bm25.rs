//! BM25 over Hits given as columns.
//!
//! `f64`, one fixed order of operations, no fused multiply-add: the scores equal those of
//! `reference/bm25.py` bit for bit. Proof: `tests/differential/test_bm25.py`.

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

/// Scores of Hits: `frequency` has one column per term, `length` and `weight` one value per Hit.
///
/// # Panics
/// If a column of `frequency` or `weight` is shorter than `length`.
pub fn score(
    frequency: &[Vec<u64>],
    length: &[u64],
    weight: &[f64],
    idf: &[f64],
    mean_length: f64,
) -> Vec<f64> {
    (0..length.len())
        .map(|hit| {
            let mut sum = 0.0;
            for (column, &idf) in frequency.iter().zip(idf) {
                sum += term_score(column[hit], length[hit], idf, mean_length);
            }
            weight[hit] * sum
        })
        .collect()
}

/// What each term adds to the score of one Hit, before its weight.
pub fn terms(frequency: &[u64], length: u64, idf: &[f64], mean_length: f64) -> Vec<f64> {
    frequency
        .iter()
        .zip(idf)
        .map(|(&frequency, &idf)| term_score(frequency, length, idf, mean_length))
        .collect()
}
