//! Text before it is verified: fold, the raw scan, chunked bodies.

use std::path::PathBuf;

use harkback_core::chunks::{self, Chunk};
use harkback_core::files::{self, Form, Task};
use harkback_core::{fold as core_fold, scan};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;

/// The fold of the product.
#[pyfunction]
pub(crate) fn fold(py: Python<'_>, text: &str) -> String {
    py.detach(|| core_fold::fold(text))
}

/// Folded terms, prepared once, asked of many raw records.
#[pyclass(frozen, module = "harkback._native")]
pub(crate) struct Scanner(scan::Scanner);

#[pymethods]
impl Scanner {
    /// Index of the first record that may hold any term in one of its JSON strings.
    #[allow(clippy::needless_pass_by_value)] // dropped here, attached again
    fn first(&self, py: Python<'_>, records: Vec<PyBackedBytes>) -> Option<usize> {
        py.detach(|| self.0.first(records.iter().map(AsRef::as_ref)))
    }

    /// Of each (path, form, how many of its bytes): whether it may match, and its lines.
    #[allow(clippy::needless_pass_by_value)] // dropped here, attached again
    fn files(
        &self,
        py: Python<'_>,
        files: Vec<(PathBuf, PyBackedStr, u64)>,
        nested: bool,
    ) -> PyResult<Vec<(bool, u64)>> {
        let tasks = files
            .iter()
            .map(|(path, form, stop)| {
                let (path, form, stop) = (path.as_path(), form_of(form)?, *stop);
                Ok(Task { path, form, stop })
            })
            .collect::<PyResult<Vec<_>>>()?;
        let found = py.detach(|| files::scan(&self.0, &tasks, nested));
        Ok(found.iter().map(|f| (f.may_match, f.lines)).collect())
    }
}

fn form_of(form: &str) -> PyResult<Form> {
    match form {
        "lines" => Ok(Form::Lines),
        "json" => Ok(Form::Json),
        "text" => Ok(Form::Text),
        _ => Err(PyValueError::new_err("a form is lines, json or text")),
    }
}

/// A Scanner for `terms`, which are folded.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // dropped here, attached again
pub(crate) fn scanner(py: Python<'_>, terms: Vec<PyBackedStr>) -> Scanner {
    Scanner(py.detach(|| scan::Scanner::new(&terms)))
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
