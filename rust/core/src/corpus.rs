//! The corpus: segments by key, each verified once and fast ever after.
//!
//! The one implementation of the predicate: a term lies inside one span of surviving text. A
//! segment never changes; a writer swaps in a new one, and a search holds the segments it began
//! with, never the lock. Proof: `tests/unit/test_corpus.py`, `tests/differential/test_corpus.py`,
//! `tests/unit/test_corpus_threads.py`.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::error::CoreError;
use crate::redact::Redactor;
use crate::search::{Hits, search};
use crate::segment::{Entry, Segment};
use crate::threads;

/// Text that one thread redacts at a time: 1 MB takes it some 7 ms, a thread to start far less.
const SHARE_BYTES: usize = 1 << 20;

/// Segments by key, behind one redactor.
#[derive(Debug)]
pub struct Corpus {
    redactor: Arc<Redactor>,
    segments: RwLock<HashMap<String, Arc<Segment>>>,
}

impl Corpus {
    /// An empty corpus.
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redactor,
            segments: RwLock::default(),
        }
    }

    /// Redacts, folds and keeps `entries` in their order; replaces what the key held.
    pub fn put<S: AsRef<str> + Sync>(&self, key: &str, entries: &[Entry<S>]) {
        let segment = Arc::new(build(entries, &self.redactor));
        // Bound to a name: the old segment is freed after the lock is.
        let _old = self.write().insert(key.to_owned(), segment);
    }

    /// Takes out the Messages with these ids, then appends `entries`.
    ///
    /// # Errors
    /// [`CoreError::UnknownKey`].
    pub fn extend<S: AsRef<str> + Sync>(
        &self,
        key: &str,
        entries: &[Entry<S>],
        retracted: &HashSet<&str>,
    ) -> Result<(), CoreError> {
        let mut old = self.segment(key)?;
        let added = build(entries, &self.redactor);
        loop {
            let revised = Arc::new(old.revised(retracted, &added));
            // Another writer may have swapped the segment meanwhile: then revise that one.
            match self.write().get_mut(key) {
                None => return Err(CoreError::UnknownKey),
                Some(current) if Arc::ptr_eq(current, &old) => {
                    *current = revised;
                    return Ok(());
                }
                Some(current) => old = Arc::clone(current),
            }
        }
    }

    /// Forgets a key; one that is not held is no error.
    pub fn drop(&self, key: &str) {
        let _old = self.write().remove(key);
    }

    /// The segment of a key.
    ///
    /// # Errors
    /// [`CoreError::UnknownKey`].
    pub fn segment(&self, key: &str) -> Result<Arc<Segment>, CoreError> {
        self.read().get(key).cloned().ok_or(CoreError::UnknownKey)
    }

    /// Every Message of `keys` that holds at least one of the folded, non-empty `terms`.
    ///
    /// # Errors
    /// [`CoreError::UnknownKey`].
    pub fn search<S: AsRef<str>>(&self, terms: &[&str], keys: &[S]) -> Result<Hits, CoreError> {
        let segments: Option<Vec<_>> = {
            let held = self.read();
            keys.iter()
                .map(|key| held.get(key.as_ref()).cloned())
                .collect()
        };
        Ok(search(&segments.ok_or(CoreError::UnknownKey)?, terms))
    }

    // A panic cannot leave the map half changed, so a poisoned lock is as good as any.
    fn read(&self) -> RwLockReadGuard<'_, HashMap<String, Arc<Segment>>> {
        self.segments.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<String, Arc<Segment>>> {
        self.segments
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Builds a segment, on all cores when there is more than one share of text to redact.
fn build<S: AsRef<str> + Sync>(entries: &[Entry<S>], redactor: &Redactor) -> Segment {
    let shares = shares(entries);
    if let [all] = shares[..] {
        return Segment::build(all, redactor);
    }
    Segment::join(threads::map(threads::count(true), shares.len(), |share| {
        Some(Segment::build(shares[share], redactor))
    }))
}

/// Cuts `entries` into runs of at least [`SHARE_BYTES`] of text, the last one aside.
fn shares<S: AsRef<str>>(entries: &[Entry<S>]) -> Vec<&[Entry<S>]> {
    let mut shares = Vec::new();
    let (mut first, mut bytes) = (0, 0);
    for (index, entry) in entries.iter().enumerate() {
        bytes += entry.text_bytes();
        if bytes >= SHARE_BYTES {
            shares.push(&entries[first..=index]);
            (first, bytes) = (index + 1, 0);
        }
    }
    shares.push(&entries[first..]);
    shares
}
