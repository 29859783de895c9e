//! Occurrences in surviving text, and the spans that it survives.

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
#[pyo3(signature = (text, cuts, terms, reach = None))]
pub(crate) fn locate(
    py: Python<'_>,
    text: &str,
    cuts: Vec<(usize, usize)>,
    terms: Vec<PyBackedStr>,
    reach: Option<usize>,
) -> PyResult<Vec<(usize, usize, usize)>> {
    let terms = require_terms(&terms)?;
    Ok(py.detach(|| surviving::locate(text, &cuts, &terms, reach)))
}

/// Spans grown outward to composition borders, those that overlap or touch as one.
#[pyfunction]
pub(crate) fn grow(
    py: Python<'_>,
    text: &str,
    spans: Vec<(usize, usize)>,
) -> PyResult<Vec<(usize, usize)>> {
    py.detach(|| surviving::grow(text, spans))
        .ok_or_else(|| PyValueError::new_err("a span is not inside its text"))
}
