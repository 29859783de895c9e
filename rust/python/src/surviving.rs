//! Occurrences in surviving text.

use harkback_core::surviving;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

/// Raises `ValueError` when a term is empty: it would occur everywhere.
pub(crate) fn require_terms(terms: &[PyBackedStr]) -> PyResult<Vec<&str>> {
    if terms.iter().any(|term| term.is_empty()) {
        return Err(PyValueError::new_err("a term is empty"));
    }
    Ok(terms.iter().map(|term| &**term).collect())
}

/// Occurrences (start, end, term index) in the surviving text, in original offsets.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // extracted from Python, so owned
pub(crate) fn locate(
    py: Python<'_>,
    text: &str,
    cuts: Vec<(usize, usize)>,
    terms: Vec<PyBackedStr>,
) -> PyResult<Vec<(usize, usize, usize)>> {
    let terms = require_terms(&terms)?;
    Ok(py.detach(|| surviving::locate(text, &cuts, &terms)))
}
