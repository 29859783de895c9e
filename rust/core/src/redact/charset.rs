//! Classes of characters: how far a run of one goes, and which runs of one a text holds.
//!
//! A class is written as the inside of `[...]`. Invariant: membership of one code point at a time,
//! so that a run is the same wherever it is entered. Proof: `tests/unit/redaction/test_kinds.py`.

use std::ops::Range;

use regex_syntax::hir::{Class, Hir, HirKind};

use super::pattern;

/// One class, as a table of ASCII and the ranges beyond it.
#[derive(Debug)]
pub(super) struct CharSet {
    ascii: [bool; 128],
    beyond: Vec<(char, char)>,
}

impl CharSet {
    /// `None` if `members` is the inside of no class.
    pub(super) fn new(members: &str) -> Option<Self> {
        Self::of(&pattern::parse(&format!("[{members}]"))?)
    }

    /// `None` if the pattern is no class and no single character.
    pub(super) fn of(hir: &Hir) -> Option<Self> {
        let ranges = match hir.kind() {
            HirKind::Class(Class::Unicode(class)) => {
                let bounds = class.iter().map(|range| (range.start(), range.end()));
                bounds.collect::<Vec<_>>()
            }
            HirKind::Literal(literal) => {
                let mut chars = std::str::from_utf8(&literal.0).ok()?.chars();
                let only = chars.next().filter(|_| chars.next().is_none())?;
                vec![(only, only)]
            }
            _ => return None,
        };
        let mut ascii = [false; 128];
        for (code, member) in (0u8..).zip(ascii.iter_mut()) {
            *member = among(&ranges, char::from(code));
        }
        let beyond = ranges.into_iter().filter(|range| !range.1.is_ascii());
        Some(Self {
            ascii,
            beyond: beyond.collect(),
        })
    }

    /// Whether it has members in ASCII only.
    pub(super) fn is_ascii(&self) -> bool {
        self.beyond.is_empty()
    }

    pub(super) fn holds(&self, char: char) -> bool {
        self.ascii
            .get(char as usize)
            .copied()
            .unwrap_or_else(|| among(&self.beyond, char))
    }

    /// End of the run that starts at `at`; `at` itself without one.
    pub(super) fn run_end(&self, text: &str, mut at: usize) -> usize {
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(at) {
            if let Some(&member) = self.ascii.get(usize::from(byte)) {
                if !member {
                    break;
                }
                at += 1;
            } else {
                match text[at..].chars().next() {
                    Some(char) if among(&self.beyond, char) => at += char.len_utf8(),
                    _ => break,
                }
            }
        }
        at
    }

    /// Start of the run that ends at `at`, no more than `limit` code points before it.
    pub(super) fn run_start(&self, text: &str, at: usize, limit: usize) -> usize {
        let run = text[..at].chars().rev().take(limit);
        at - run
            .take_while(|&char| self.holds(char))
            .map(char::len_utf8)
            .sum::<usize>()
    }

    /// Every maximal run, in order.
    pub(super) fn runs<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < text.len() {
                let end = self.run_end(text, at);
                if end > at {
                    let run = at..end;
                    at = end;
                    return Some(run);
                }
                at += text[at..].chars().next().map_or(1, char::len_utf8);
            }
            None
        })
    }
}

fn among(ranges: &[(char, char)], char: char) -> bool {
    ranges
        .iter()
        .any(|&(low, high)| low <= char && char <= high)
}
