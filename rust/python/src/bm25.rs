//! BM25 scores and their explanation.

use harkback_core::bm25;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

fn require(mean_length: f64, columns: bool) -> PyResult<()> {
    if mean_length.is_nan() || mean_length <= 0.0 {
        return Err(PyValueError::new_err("the mean length is not positive"));
    }
    if !columns {
        return Err(PyValueError::new_err("columns differ in length"));
    }
    Ok(())
}

/// Scores of Hits given as columns.
#[pyfunction]
#[pyo3(name = "bm25")]
#[allow(clippy::needless_pass_by_value)] // extracted from Python, so owned
pub(crate) fn score(
    py: Python<'_>,
    frequency: Vec<Vec<u64>>,
    length: Vec<u64>,
    weight: Vec<f64>,
    idf: Vec<f64>,
    mean_length: f64,
) -> PyResult<Vec<f64>> {
    let hits = length.len();
    let columns = frequency.len() == idf.len()
        && weight.len() == hits
        && frequency.iter().all(|column| column.len() == hits);
    require(mean_length, columns)?;
    Ok(py.detach(|| bm25::score(&frequency, &length, &weight, &idf, mean_length)))
}

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
    require(mean_length, frequency.len() == idf.len())?;
    Ok(bm25::terms(&frequency, length, &idf, mean_length))
}
