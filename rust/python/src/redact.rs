//! redact.

use std::sync::Arc;

use pyo3::prelude::*;

/// Redactor.
#[pyclass(frozen, module = "harkback._native")]
pub(crate) struct Redactor {
    pub(crate) inner: Arc<harkback_core::redact::Redactor>,
}

/// Redactor of these rules.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub(crate) fn redactor(rules: Vec<Bound<'_, PyAny>>) -> PyResult<Redactor> {
    let shapes: Vec<String> = rules
        .iter()
        .map(|rule| rule.getattr("shape")?.extract())
        .collect::<PyResult<_>>()?;
    let inner = harkback_core::redact::Redactor::of_shapes(&shapes)
        .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
    Ok(Redactor {
        inner: Arc::new(inner),
    })
}
