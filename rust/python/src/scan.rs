//! The raw scan: records are handed over as they are fetched and scanned by a thread beside.
//!
//! The thread never attaches to the interpreter: a thread that fetches rows lets go of the lock
//! for every one of them, and two that wait for it cost more than the scan. It lives as long as
//! one `Scan`. Proof: `tests/unit/test_scan_beside.py`.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use harkback_core::scan;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

/// Batches that may wait: enough that neither side does, few enough to bound memory.
const WAITING: usize = 4;

type Records = Vec<PyBackedBytes>;

/// Folded terms, prepared once, asked of many raw records.
#[pyclass(frozen, module = "harkback._native")]
pub(crate) struct Scanner(Arc<scan::Scanner>);

#[pymethods]
impl Scanner {
    /// Index of the first record that may hold any term in one of its JSON strings.
    #[allow(clippy::needless_pass_by_value)] // dropped here, attached again
    fn first(&self, py: Python<'_>, records: Records) -> Option<usize> {
        py.detach(|| first(&self.0, &records))
    }

    /// A scan of many batches, each under the tag of what it belongs to.
    fn start(&self) -> Scan {
        Scan::new(Arc::clone(&self.0))
    }
}

/// A Scanner for `terms`, which are folded.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // dropped here, attached again
pub(crate) fn scanner(py: Python<'_>, terms: Vec<PyBackedStr>) -> Scanner {
    Scanner(Arc::new(py.detach(|| scan::Scanner::new(&terms))))
}

fn first(scanner: &scan::Scanner, records: &Records) -> Option<usize> {
    scanner.first(records.iter().map(AsRef::as_ref))
}

/// What both sides see: the tags of which a record may match.
#[derive(Default)]
struct Found(Mutex<BTreeSet<usize>>);

impl Found {
    fn tags(&self) -> MutexGuard<'_, BTreeSet<usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, scanner: &scan::Scanner, tag: usize, records: &Records) {
        let known = self.tags().contains(&tag);
        if !known && first(scanner, records).is_some() {
            self.tags().insert(tag);
        }
    }
}

struct Worker {
    waiting: SyncSender<(usize, Records)>,
    thread: JoinHandle<()>,
}

/// A scan under way.
#[pyclass(frozen, module = "harkback._native")]
pub(crate) struct Scan {
    scanner: Arc<scan::Scanner>,
    found: Arc<Found>,
    /// None where the system gave no thread: batches are then scanned as they are fed.
    worker: Mutex<Option<Worker>>,
    /// What was scanned comes back to be dropped by a thread that is attached.
    scanned: Mutex<Receiver<Records>>,
}

impl Scan {
    fn new(scanner: Arc<scan::Scanner>) -> Self {
        let found = Arc::new(Found::default());
        let (waiting, batches) = sync_channel::<(usize, Records)>(WAITING);
        let (back, returned) = channel();
        let theirs = (Arc::clone(&scanner), Arc::clone(&found));
        let thread = Builder::new().name("harkback-scan".into()).spawn(move || {
            for (tag, records) in batches {
                theirs.1.look(&theirs.0, tag, &records);
                // Refused only when the Scan is gone: then nobody asks for the answer either.
                drop(back.send(records));
            }
        });
        let worker = thread.ok().map(|thread| Worker { waiting, thread });
        Self {
            scanner,
            found,
            worker: Mutex::new(worker),
            scanned: Mutex::new(returned),
        }
    }

    fn drop_scanned(&self) {
        let scanned = self.scanned.lock().unwrap_or_else(PoisonError::into_inner);
        while let Ok(records) = scanned.try_recv() {
            drop(records);
        }
    }
}

#[pymethods]
impl Scan {
    /// Hands over records of `tag`; waits while a few batches are waiting already.
    fn feed(&self, py: Python<'_>, tag: usize, records: Records) {
        self.drop_scanned();
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = worker.as_ref().map(|worker| worker.waiting.clone());
        drop(worker);
        let left = py.detach(|| match waiting {
            Some(waiting) => waiting.send((tag, records)).err().map(|error| error.0.1),
            None => Some(records),
        });
        if let Some(records) = left {
            py.detach(|| self.found.look(&self.scanner, tag, &records));
        }
    }

    /// Whether a record of `tag` is known to match by now.
    fn found(&self, tag: usize) -> bool {
        self.found.tags().contains(&tag)
    }

    /// The tags of which a record may match, in order, once everything is scanned.
    fn finish(&self, py: Python<'_>) -> Vec<usize> {
        let worker = self
            .worker
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(Worker { waiting, thread }) = worker {
            drop(waiting);
            if let Err(panic) = py.detach(|| thread.join()) {
                resume_unwind(panic);
            }
        }
        self.drop_scanned();
        self.found.tags().iter().copied().collect()
    }
}
