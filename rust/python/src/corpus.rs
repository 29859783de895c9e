//! The corpus as a Python object: strings in without a copy, columns out.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use harkback_core::corpus::Corpus as Segments;
use harkback_core::error::{AttachError, CoreError};
use harkback_core::search::{Hits, Scope as Within};
use harkback_core::segment::{self, Name};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};

use crate::redact::Redactor;
use crate::surviving::require_terms;

/// Verified segments by key; `harkback.engine.Corpus` is its contract.
#[pyclass(frozen, module = "harkback._native")]
pub(crate) struct Corpus {
    inner: Segments,
}

/// An empty corpus behind this redactor.
#[pyfunction]
pub(crate) fn corpus(redactor: &Bound<'_, Redactor>) -> Corpus {
    Corpus {
        inner: Segments::new(Arc::clone(&redactor.get().inner)),
    }
}

/// The fields of `harkback.model.Entry`, in order.
#[derive(FromPyObject)]
struct Entry(
    PyBackedStr,
    Option<PyBackedStr>,
    i64,
    u8,
    PyBackedStr,
    Vec<(PyBackedStr, bool)>,
    Option<Vec<Vec<(usize, usize)>>>,
);

/// Raises `ValueError` when cuts are given, but not for each leaf.
fn entries_of(entries: Vec<Entry>) -> PyResult<Vec<segment::Entry<PyBackedStr>>> {
    entries
        .into_iter()
        .map(|Entry(id, turn, timestamp, kind, locator, leaves, cuts)| {
            if cuts.as_ref().is_some_and(|cuts| cuts.len() != leaves.len()) {
                return Err(PyValueError::new_err("cuts are not given for each leaf"));
            }
            Ok(segment::Entry {
                id,
                turn,
                timestamp,
                kind,
                locator,
                leaves,
                cuts,
            })
        })
        .collect()
}

/// The fields of `harkback.model.Scope`, in order.
#[derive(FromPyObject)]
pub(crate) struct Scope(
    Vec<u8>,
    Option<i64>,
    Option<i64>,
    bool,
    Option<(Vec<usize>, PyBackedStr)>,
);

impl Scope {
    fn within(self) -> Within {
        let Self(kinds, since, until, abandoned, active) = self;
        Within {
            kinds: kinds
                .into_iter()
                .fold(0, |all, kind| all | 1 << (kind % 16)),
            since: since.unwrap_or(i64::MIN),
            until: until.unwrap_or(i64::MAX),
            abandoned,
            active: active.map(|(keys, turn)| (keys, Name::of(&turn))),
        }
    }
}

impl Corpus {
    /// A search without the interpreter, and what `then` makes of it.
    pub(crate) fn find<T: Send>(
        &self,
        py: Python<'_>,
        terms: &[PyBackedStr],
        keys: &[PyBackedStr],
        scope: Option<Scope>,
        then: impl FnOnce(Hits) -> T + Send,
    ) -> PyResult<T> {
        let terms = require_terms(terms)?;
        let scope = scope.map(Scope::within).unwrap_or_default();
        py.detach(|| self.inner.search(&terms, keys, &scope).map(then))
            .map_err(|error| error_of(py, error))
    }
}

fn error_of(py: Python<'_>, error: CoreError) -> PyErr {
    static DAMAGED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match error {
        CoreError::Damaged { key } => DAMAGED
            .import(py, "harkback.errors", "SegmentDamaged")
            .and_then(|class| class.call1((key,)))
            .map_or_else(|failure| failure, PyErr::from_value),
        other => PyKeyError::new_err(other.to_string()),
    }
}

fn attach_error(error: AttachError) -> PyErr {
    match error {
        AttachError::Unreadable(error) => error.into(),
        AttachError::NotWhole => PyValueError::new_err(error.to_string()),
    }
}

#[pymethods]
impl Corpus {
    fn put(&self, py: Python<'_>, key: &str, entries: Vec<Entry>) -> PyResult<()> {
        let entries = entries_of(entries)?;
        py.detach(|| self.inner.put(key, &entries));
        Ok(())
    }

    #[allow(clippy::needless_pass_by_value)] // extracted from Python, so owned
    fn extend(
        &self,
        py: Python<'_>,
        key: &str,
        entries: Vec<Entry>,
        retracted: Vec<PyBackedStr>,
    ) -> PyResult<()> {
        let entries = entries_of(entries)?;
        let retracted: HashSet<&str> = retracted.iter().map(|id| &**id).collect();
        py.detach(|| self.inner.extend(key, &entries, &retracted))
            .map_err(|error| error_of(py, error))
    }

    fn dump<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py
            .detach(|| self.inner.dump(key))
            .map_err(|error| error_of(py, error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[allow(clippy::needless_pass_by_value)] // extracted from Python, so owned
    fn attach(
        &self,
        py: Python<'_>,
        key: &str,
        path: PathBuf,
        offset: u64,
        length: u64,
    ) -> PyResult<()> {
        py.detach(|| self.inner.attach(key, &path, offset, length))
            .map_err(attach_error)
    }

    fn drop(&self, py: Python<'_>, key: &str) {
        py.detach(|| self.inner.drop(key));
    }

    fn size(&self, py: Python<'_>, key: &str) -> PyResult<usize> {
        Ok(self
            .inner
            .segment(key)
            .map_err(|error| error_of(py, error))?
            .size())
    }

    #[allow(clippy::needless_pass_by_value)] // extracted from Python, so owned
    #[pyo3(signature = (terms, keys, scope = None))]
    fn search<'py>(
        &self,
        py: Python<'py>,
        terms: Vec<PyBackedStr>,
        keys: Vec<PyBackedStr>,
        scope: Option<Scope>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static HITS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let (hits, ident) = self.find(py, &terms, &keys, scope, |hits| {
            let ident = hits.ident();
            (hits, ident)
        })?;
        HITS.import(py, "harkback.model", "Hits")?.call1((
            hits.key,
            hits.row,
            hits.turn,
            hits.timestamp,
            // A vector of bytes would become `bytes`, and the column is a list.
            hits.kind.into_iter().map(u32::from).collect::<Vec<_>>(),
            hits.length,
            ident,
            hits.digest,
            hits.frequency,
            hits.holding,
            hits.outside_time,
            hits.abandoned,
        ))
    }

    fn rows<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        start: usize,
        stop: usize,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        static ROW: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = ROW.import(py, "harkback.model", "Row")?;
        py.detach(|| self.inner.rows(key, start, stop))
            .map_err(|error| error_of(py, error))?
            .into_iter()
            .map(|row| {
                class.call1((
                    row.id,
                    row.turn,
                    row.timestamp,
                    row.kind,
                    row.locator,
                    row.spans,
                ))
            })
            .collect()
    }
}
