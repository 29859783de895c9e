//! The explanation of BM25 scores.

use harkback_core::bm25;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What each term adds to the score of one Hit, before its weight.
#[pyfunction]
#[pyo3(name = "bm25_terms")]
#[allow(clippy::needless_pass_by_value)] // extracted from Python, so owned
pub(crate) fn terms(
    frequency: Vec<u64>,
    length: u64,
    idf: Vec<f64>,
    mean_length: f64,
) -> PyResult<Vec<f64>> {
    if mean_length.is_nan() || mean_length <= 0.0 {
        return Err(PyValueError::new_err("the mean length is not positive"));
    }
    if frequency.len() != idf.len() {
        return Err(PyValueError::new_err("columns differ in length"));
    }
    Ok(bm25::terms(&frequency, length, &idf, mean_length))
}
