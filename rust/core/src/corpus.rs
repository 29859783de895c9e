//! The corpus: segments by key, each verified once and fast ever after.
//!
//! The one implementation of the predicate: a term lies inside one span of surviving text. A
//! segment never changes; a writer swaps in a new one, and a search holds the segments it began
//! with, never the lock. Proof: `tests/unit/test_corpus.py`, `tests/differential/test_corpus.py`,
//! `tests/unit/test_corpus_threads.py`.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::error::{AttachError, CoreError};
use crate::redact::Redactor;
use crate::search::{Hits, Scope, search};
use crate::segment::body::Packs;
use crate::segment::draft::Draft;
use crate::segment::varint::Malformed;
use crate::segment::{Entry, Row, Segment};
use crate::threads;

/// Text that one thread redacts at a time: 1 MB takes it some 7 ms, a thread to start far less.
const SHARE_BYTES: usize = 1 << 20;

/// Segments by key, behind one redactor.
#[derive(Debug)]
pub struct Corpus {
    redactor: Arc<Redactor>,
    segments: RwLock<HashMap<String, Arc<Segment>>>,
    packs: Packs,
}

impl Corpus {
    /// An empty corpus.
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redactor,
            segments: RwLock::default(),
            packs: Packs::default(),
        }
    }

    /// Redacts, folds and keeps `entries` in their order; replaces what the key held.
    pub fn put<S: AsRef<str> + Sync>(&self, key: &str, entries: &[Entry<S>]) {
        self.keep(key, Segment::of(&verified(entries, &self.redactor)));
    }

    /// Keeps the segment that lies at `offset` of a file, `length` bytes of it, where it lies.
    ///
    /// # Errors
    /// [`AttachError`]; the key holds what it held.
    pub fn attach(
        &self,
        key: &str,
        path: &Path,
        offset: u64,
        length: u64,
    ) -> Result<(), AttachError> {
        self.keep(key, Segment::attach(&self.packs, path, offset, length)?);
        Ok(())
    }

    fn keep(&self, key: &str, segment: Segment) {
        // Bound to a name: the old segment is freed after the lock is.
        let _old = self.write().insert(key.to_owned(), Arc::new(segment));
    }

    /// The segment of a key as one piece of bytes, fit to be attached.
    ///
    /// # Errors
    /// [`CoreError::UnknownKey`], [`CoreError::Damaged`].
    pub fn dump(&self, key: &str) -> Result<Vec<u8>, CoreError> {
        self.segment(key)?.dump().map_err(damaged(key))
    }

    /// Takes out the Messages with these ids, then appends `entries`; the segment is in memory.
    ///
    /// # Errors
    /// [`CoreError::UnknownKey`], [`CoreError::Damaged`].
    pub fn extend<S: AsRef<str> + Sync>(
        &self,
        key: &str,
        entries: &[Entry<S>],
        retracted: &HashSet<&str>,
    ) -> Result<(), CoreError> {
        let mut old = self.segment(key)?;
        let added = verified(entries, &self.redactor);
        loop {
            let revised = Arc::new(old.revised(retracted, &added).map_err(damaged(key))?);
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

    /// What is kept of Messages `start` up to `stop` of a key, cut to what there is.
    ///
    /// # Errors
    /// [`CoreError::UnknownKey`], [`CoreError::Damaged`].
    pub fn rows(&self, key: &str, start: usize, stop: usize) -> Result<Vec<Row>, CoreError> {
        self.segment(key)?.rows(start, stop).map_err(damaged(key))
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

    /// Every Message of `keys` in scope that holds at least one of the folded, non-empty `terms`.
    ///
    /// # Errors
    /// [`CoreError::UnknownKey`], [`CoreError::Damaged`].
    pub fn search<S: AsRef<str>>(
        &self,
        terms: &[&str],
        keys: &[S],
        scope: &Scope,
    ) -> Result<Hits, CoreError> {
        let segments: Option<Vec<_>> = {
            let held = self.read();
            keys.iter()
                .map(|key| held.get(key.as_ref()).cloned())
                .collect()
        };
        search(&segments.ok_or(CoreError::UnknownKey)?, terms, scope).map_err(|damaged| {
            CoreError::Damaged {
                key: keys[damaged.segment].as_ref().to_owned(),
            }
        })
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

fn damaged(key: &str) -> impl FnOnce(Malformed) -> CoreError {
    move |_| CoreError::Damaged {
        key: key.to_owned(),
    }
}

/// Redacts and folds, on all cores when there is more than one share of text.
fn verified<S: AsRef<str> + Sync>(entries: &[Entry<S>], redactor: &Redactor) -> Draft {
    let shares = shares(entries);
    let mut drafts = threads::map(threads::count(shares.len() > 1), shares.len(), |share| {
        Some(Draft::of(shares[share], redactor))
    })
    .into_iter();
    let mut all = drafts.next().unwrap_or_default();
    for draft in drafts {
        all.join(&draft);
    }
    all
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
