//! Text before it is verified: fold, chunked bodies.

use harkback_core::chunks::{self, Chunk};
use harkback_core::fold as core_fold;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;

/// The fold of the product.
#[pyfunction]
pub(crate) fn fold(py: Python<'_>, text: &str) -> String {
    py.detach(|| core_fold::fold(text))
}

/// A chunk as Python holds it: index, data, hex SHA-256.
type StoredChunk = (i64, PyBackedBytes, PyBackedStr);

/// The body that the chunks are, or why it cannot be trusted.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // dropped here, attached again
pub(crate) fn reassemble<'py>(
    py: Python<'py>,
    chunks: Vec<StoredChunk>,
    length: i64,
    sha256: &str,
) -> (Option<Bound<'py, PyBytes>>, Option<&'static str>) {
    let joined = py.detach(|| {
        let borrowed = chunks.iter().map(|(index, data, sha256)| Chunk {
            index: *index,
            data,
            sha256,
        });
        chunks::reassemble(borrowed.collect(), length, sha256)
    });
    match joined {
        Ok(body) => (Some(PyBytes::new(py, &body)), None),
        Err(damage) => (None, Some(damage.slug())),
    }
}
