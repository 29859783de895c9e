//! Many Hits as one Python object, of which those that are shown become values.

use std::sync::{Mutex, MutexGuard, PoisonError};

use harkback_core::tally::Tally as Gathered;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

use crate::corpus::{Corpus, Scope};

/// The Hits of one question; `harkback.engine.Tally` is its contract.
#[pyclass(frozen, module = "harkback._native")]
pub(crate) struct Tally(Mutex<Gathered>);

/// An empty tally.
#[pyfunction]
pub(crate) fn tally() -> Tally {
    Tally(Mutex::default())
}

impl Tally {
    // A panic cannot leave what is gathered half changed in a way that matters: it is not used on.
    fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Tally {
    #[allow(clippy::needless_pass_by_value)] // extracted from Python, so owned
    fn take(
        &self,
        py: Python<'_>,
        corpus: &Bound<'_, Corpus>,
        terms: Vec<PyBackedStr>,
        keys: Vec<PyBackedStr>,
        scope: Scope,
    ) -> PyResult<(Vec<usize>, u64, u64)> {
        let count = keys.len();
        corpus
            .get()
            .find(py, &terms, &keys, Some(scope), |mut hits| {
                let holding = std::mem::take(&mut hits.holding);
                let left_out = (holding, hits.outside_time, hits.abandoned);
                self.gathered().take(hits, count);
                left_out
            })
    }

    fn repeats(&self, py: Python<'_>) -> Vec<usize> {
        py.detach(|| self.gathered().repeats())
    }

    #[allow(clippy::needless_pass_by_value)] // extracted from Python, so owned
    fn settle<'py>(
        &self,
        py: Python<'py>,
        origins: Vec<u64>,
        places: Vec<u64>,
        most: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        static COUNTS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let counts = py
            .detach(|| self.gathered().settle(&origins, places, most))
            .ok_or_else(|| PyValueError::new_err("not as many as there are keys"))?;
        COUNTS.import(py, "harkback.model", "Counts")?.call1((
            counts.total,
            counts.length,
            counts.holding,
            counts.per_key,
        ))
    }

    #[allow(clippy::needless_pass_by_value)] // extracted from Python, so owned
    fn score(
        &self,
        py: Python<'_>,
        idf: Vec<f64>,
        mean_length: f64,
        weights: Vec<f64>,
        newest: bool,
    ) -> PyResult<()> {
        if mean_length.is_nan() || mean_length <= 0.0 {
            return Err(PyValueError::new_err("the mean length is not positive"));
        }
        py.detach(|| self.gathered().score(&idf, mean_length, &weights, newest));
        Ok(())
    }

    fn ranked<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        stop: usize,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        static RANKED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = RANKED.import(py, "harkback.model", "Ranked")?;
        py.detach(|| self.gathered().ranked(start, stop))
            .into_iter()
            .map(|hit| {
                class.call1((
                    hit.key,
                    hit.row,
                    hit.turn,
                    hit.timestamp,
                    hit.kind,
                    hit.length,
                    hit.score,
                    PyTuple::new(py, hit.frequency)?,
                    hit.also_in,
                ))
            })
            .collect()
    }
}
