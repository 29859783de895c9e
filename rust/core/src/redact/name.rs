//! Names: when a key name says that its value is a secret.
//!
//! A name is split where its spelling changes (camelCase, acronyms, digits, anything that is not an
//! ASCII letter or digit) and judged by its last segment, so `tokenCount`, `primary_key` and
//! `tokens` are harmless. Invariant: only ASCII letters and digits part a name, on both engines.
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

/// Words of ASCII, which are whole segments or, joined by `-`, several of them; and words of other
/// scripts, which only end a name.
#[derive(Debug)]
struct Words {
    segments: HashSet<Vec<u8>>,
    chains: Vec<Vec<Vec<u8>>>,
    endings: Vec<Vec<u8>>,
}

impl Words {
    fn new(words: &[String]) -> Self {
        let (segments, endings): (Vec<_>, Vec<_>) = words
            .iter()
            .map(|word| word.as_bytes().to_vec())
            .partition(|word| word.is_ascii());
        let (chains, segments): (Vec<_>, Vec<_>) =
            segments.into_iter().partition(|word| word.contains(&b'-'));
        let split = |word: Vec<u8>| word.split(|&b| b == b'-').map(<[u8]>::to_vec).collect();
        Self {
            segments: segments.into_iter().collect(),
            chains: chains.into_iter().map(split).collect(),
            endings,
        }
    }

    fn holds(&self, segment: &[u8]) -> bool {
        self.segments.contains(&segment.to_ascii_lowercase())
    }

    fn chained(&self, name: &[u8]) -> bool {
        if self.chains.is_empty() {
            return false;
        }
        let parts: Vec<&[u8]> = segments(name)
            .filter(|segment| !segment[0].is_ascii_digit())
            .collect();
        self.chains.iter().any(|chain| {
            parts.len() >= chain.len()
                && parts[parts.len() - chain.len()..]
                    .iter()
                    .zip(chain)
                    .all(|(part, word)| part.eq_ignore_ascii_case(word))
        })
    }

    fn ends(&self, text: &[u8]) -> bool {
        self.endings.iter().any(|ending| text.ends_with(ending))
    }
}

/// The names that a key rule holds for sensitive.
#[derive(Debug)]
pub(super) struct Names {
    names: Words,
    qualifiers: Words,
}

impl Names {
    pub(super) fn new(names: &[String], qualifiers: &[String]) -> Self {
        Self {
            names: Words::new(names),
            qualifiers: Words::new(qualifiers),
        }
    }

    /// Whether the last segment is one of the names, or `key` behind one of the qualifiers.
    /// Numbers do not count: `password2` is a password. A name that is not ASCII, or a qualifier,
    /// is what the text ends with, since its script may not part words: `数据库密码`. One of several
    /// words, `session-pin`, is all the last segments: `userSessionPin`.
    pub(super) fn sensitive(&self, name: &[u8]) -> bool {
        let name_end = trimmed(name, b"0123456789_-. ");
        if self.names.ends(name_end) {
            return true;
        }
        let (mut before, mut last): (&[u8], &[u8]) = (&[], &[]);
        for segment in segments(name) {
            if !segment[0].is_ascii_digit() {
                (before, last) = (last, segment);
            }
        }
        if self.names.holds(last) || self.names.chained(name) {
            return true;
        }
        if !last.eq_ignore_ascii_case(b"key") {
            return false;
        }
        self.qualifiers.holds(before)
            || name_end
                .split_last_chunk::<3>()
                .is_some_and(|(before, end)| {
                    end.eq_ignore_ascii_case(b"key")
                        && self.qualifiers.ends(trimmed(before, b"_-. "))
                })
    }
}

fn trimmed<'a>(mut name: &'a [u8], these: &[u8]) -> &'a [u8] {
    while let [rest @ .., last] = name
        && these.contains(last)
    {
        name = rest;
    }
    name
}
