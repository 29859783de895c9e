//! Keywords: all places where a rule may begin, by one automaton.
//!
//! The fast automaton takes some 10 ms to build, which is more than a process that shows one
//! answer has to redact; so a small one, a third as fast, serves until much text has come.
//! Invariant: both find the same, in the same order. Proof: the test below;
//! `tests/differential/test_redact.py`, which redacts little and much.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, Match, MatchKind};

/// So much text that searching it would take as long as building the fast automaton.
const MUCH_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Keywords {
    literals: Vec<String>,
    small: AhoCorasick,
    fast: OnceLock<Option<AhoCorasick>>,
    /// Bytes that were searched so far, about.
    searched: AtomicUsize,
}

impl Keywords {
    pub(super) fn new(literals: Vec<String>) -> Result<Self, BuildError> {
        Ok(Self {
            small: built(&literals, AhoCorasickKind::ContiguousNFA)?,
            literals,
            fast: OnceLock::new(),
            searched: AtomicUsize::new(0),
        })
    }

    /// Every occurrence of every keyword, with its place in the list, those that overlap too.
    pub(super) fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Match> + 'a {
        self.automaton(text.len()).find_overlapping_iter(text)
    }

    fn automaton(&self, bytes: usize) -> &AhoCorasick {
        let searched = self.searched.load(Ordering::Relaxed);
        if searched < MUCH_BYTES {
            // Threads that come at once may lose a count: the change comes a little later then.
            self.searched
                .store(searched.saturating_add(bytes), Ordering::Relaxed);
            if searched.saturating_add(bytes) < MUCH_BYTES {
                return &self.small;
            }
        }
        self.fast
            .get_or_init(|| built(&self.literals, AhoCorasickKind::DFA).ok())
            .as_ref()
            .unwrap_or(&self.small)
    }
}

fn built(literals: &[String], kind: AhoCorasickKind) -> Result<AhoCorasick, BuildError> {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(kind))
        .build(literals)
}

#[cfg(test)]
mod tests {
    use super::{Keywords, MUCH_BYTES};

    #[test]
    fn what_is_found_stays_the_same_once_much_was_searched() {
        let literals = ["key", "api_key", "ey", "secret", "re", "密钥"].map(str::to_owned);
        let keywords = Keywords::new(literals.to_vec()).expect("they are few");
        let text = "API_KEYS of secrets, 密钥 and keys; are they here?";
        let found = || keywords.find(text).collect::<Vec<_>>();
        let first = found();
        assert!(keywords.fast.get().is_none() && first.len() > 8);
        assert_eq!(keywords.find(&" ".repeat(MUCH_BYTES)).count(), 0);
        assert_eq!(found(), first);
        assert!(keywords.fast.get().is_some());
    }
}
