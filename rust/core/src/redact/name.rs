//! Names: when a key name says that its value is a secret.
//!
//! A name is split where its spelling changes (camelCase, acronyms, digits, anything that is not an
//! ASCII letter or digit) and judged by its last segment, so `tokenCount`, `primary_key` and
//! `tokens` are harmless. Invariant: only ASCII letters and digits count, on both engines.
//! Proof: `tests/unit/redaction/test_key.py`.

use std::collections::HashSet;

/// Whether a byte continues an identifier.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a byte may stand in a key name.
pub(super) fn is_name(byte: u8) -> bool {
    is_word(byte) || byte == b'-' || byte == b'.'
}

/// `serviceAPIKey2` -> `service`, `API`, `Key`, `2`.
pub(super) fn segments(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < name.len() && !name[at].is_ascii_alphanumeric() {
            at += 1;
        }
        let start = at;
        while at < name.len()
            && name[at].is_ascii_alphanumeric()
            && (at == start || !turns(name, at))
        {
            at += 1;
        }
        (start < at).then(|| &name[start..at])
    })
}

fn turns(name: &[u8], at: usize) -> bool {
    let (before, byte) = (name[at - 1], name[at]);
    if before.is_ascii_digit() != byte.is_ascii_digit() {
        return true;
    }
    byte.is_ascii_uppercase()
        && (before.is_ascii_lowercase()
            || (before.is_ascii_uppercase()
                && name.get(at + 1).is_some_and(u8::is_ascii_lowercase)))
}

/// The names that a key rule holds for sensitive.
#[derive(Debug)]
pub(super) struct Names {
    names: HashSet<Vec<u8>>,
    qualifiers: HashSet<Vec<u8>>,
}

impl Names {
    pub(super) fn new(names: &[String], qualifiers: &[String]) -> Self {
        let set = |words: &[String]| words.iter().map(|word| word.as_bytes().to_vec()).collect();
        Self {
            names: set(names),
            qualifiers: set(qualifiers),
        }
    }

    /// Whether the last segment is one of the names, or `key` behind one of the qualifiers.
    /// Numbers do not count: `password2` is a password.
    pub(super) fn sensitive(&self, name: &[u8]) -> bool {
        let (mut before, mut last): (&[u8], &[u8]) = (&[], &[]);
        for segment in segments(name) {
            if segment[0].is_ascii_digit() {
                continue;
            }
            (before, last) = (last, segment);
        }
        let last = last.to_ascii_lowercase();
        self.names.contains(&last)
            || (last == b"key" && self.qualifiers.contains(&before.to_ascii_lowercase()))
    }
}
