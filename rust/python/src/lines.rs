//! The records of a file as a Python object: each batch is read without the interpreter.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use harkback_core::lines::Lines as Records;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The records of one file; `harkback.engine.Lines` is its contract.
#[pyclass(frozen, module = "harkback._native")]
pub(crate) struct Lines(Mutex<Records>);

type Record<'py> = (u64, Bound<'py, PyBytes>);

impl Lines {
    fn with<T>(&self, work: impl FnOnce(&mut Records) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Lines {
    /// The next records with their offsets; none at the end.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Vec<Record<'py>>> {
        let records = py.detach(|| self.with(Records::take))?;
        Ok(records
            .into_iter()
            .map(|(offset, record)| (offset, PyBytes::new(py, &record)))
            .collect())
    }

    /// What follows the last 0x0A.
    fn tail<'py>(&self, py: Python<'py>) -> Option<Record<'py>> {
        let tail = py.detach(|| self.with(|records| records.tail()));
        tail.map(|(offset, record)| (offset, PyBytes::new(py, &record)))
    }

    /// Lets go of the file; nothing more is read.
    fn close(&self) {
        self.with(Records::close);
    }

    /// What was met so far that is no record: reason, offset, bytes.
    fn damage(&self, py: Python<'_>) -> Vec<(&'static str, u64, u64)> {
        let damage = py.detach(|| self.with(|records| records.damage().to_vec()));
        damage
            .into_iter()
            .map(|(damage, offset, size)| (damage.slug(), offset, size))
            .collect()
    }
}

/// The records in the first `stop` bytes of a file.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // what Python's path converts to
pub(crate) fn lines(py: Python<'_>, path: PathBuf, stop: u64) -> PyResult<Lines> {
    Ok(Lines(Mutex::new(py.detach(|| Records::open(&path, stop))?)))
}
