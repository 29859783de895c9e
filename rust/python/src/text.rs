//! Text functions: fold.

use pyo3::prelude::*;

/// The fold of the product.
#[pyfunction]
pub(crate) fn fold(py: Python<'_>, text: &str) -> String {
    py.detach(|| harkback_core::fold::fold(text))
}
