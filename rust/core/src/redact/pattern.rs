//! Patterns of the common subset, matched where they are asked and nowhere else.
//!
//! Invariant: a match starts at the place given, ends where leftmost-first search ends it, and
//! costs no more than its own length allows. Proof: `tests/unit/redaction/test_kinds.py`.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};
use regex_syntax::ast::parse::Parser;
use regex_syntax::hir::{Hir, HirKind};

use super::lead::{Lead, Measured};

/// A pattern that is read, and compiles, on its first use: most rules never see their keyword.
#[derive(Debug)]
pub(super) struct Pattern {
    source: String,
    meaning: OnceLock<Meaning>,
    regex: OnceLock<Regex>,
}

/// What a pattern turns out to be once it is read.
#[derive(Debug)]
struct Meaning {
    hir: Hir,
    captures: bool,
    group_within: Option<usize>,
    lead: Option<Lead>,
}

impl Pattern {
    /// `None` if this is no pattern.
    pub(super) fn new(shape: &str) -> Option<Self> {
        Self::of(ascii(shape))
    }

    /// The same, of a pattern that has to end where the text ends.
    pub(super) fn whole(shape: &str) -> Option<Self> {
        Self::of(format!("(?:{})\\z", ascii(shape)))
    }

    /// Only its syntax is looked at; nothing of the common subset fails beyond that.
    fn of(pattern: String) -> Option<Self> {
        Parser::new().parse(&pattern).ok()?;
        Some(Self {
            source: pattern,
            meaning: OnceLock::new(),
            regex: OnceLock::new(),
        })
    }

    fn meaning(&self) -> &Meaning {
        self.meaning.get_or_init(|| {
            let hir = regex_syntax::parse(&self.source).expect("its syntax was looked at");
            Meaning {
                lead: Lead::new(&hir),
                group_within: group_within(&hir),
                captures: hir.properties().explicit_captures_len() > 0,
                hir,
            }
        })
    }

    /// What the pattern asks for at `start`, its one group or else all of it, and where it ends.
    pub(super) fn find(
        &self,
        text: &str,
        start: usize,
        last: &mut Measured,
    ) -> Option<(Range<usize>, usize)> {
        let meaning = self.meaning();
        if let Some(lead) = &meaning.lead {
            let end = lead.find(text, start, last)?;
            return Some((start..end, end));
        }
        let end = self.end(text, start)?;
        if !meaning.captures {
            return Some((start..end, end));
        }
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        let mut slots = [None; 4];
        self.regex().search_slots(&input, &mut slots)?;
        Some((slots[2]?.get()..slots[3]?.get(), end))
    }

    /// Where a match that starts at `start` ends; cheaper than its group.
    pub(super) fn end(&self, text: &str, start: usize) -> Option<usize> {
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        Some(self.regex().search_half(&input)?.offset())
    }

    /// If the pattern ends with its group: how many bytes of a match may stand before the group.
    pub(super) fn group_within(&self) -> Option<usize> {
        self.meaning().group_within
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| compiled(&self.meaning().hir))
    }
}

fn group_within(pattern: &Hir) -> Option<usize> {
    let HirKind::Concat(parts) = pattern.kind() else {
        return None;
    };
    let (group, before) = parts.split_last()?;
    let lengths = before.iter().map(|part| part.properties().maximum_len());
    matches!(group.kind(), HirKind::Capture(_)).then(|| lengths.sum())?
}

pub(super) fn compiled(pattern: &Hir) -> Regex {
    Regex::builder()
        .configure(Regex::config().nfa_size_limit(None).auto_prefilter(false))
        .build_from_hir(pattern)
        .expect("a pattern that parses compiles when its size is not limited")
}

/// The shape as both engines mean it; `None` if it is no pattern.
pub(super) fn parse(shape: &str) -> Option<Hir> {
    regex_syntax::parse(&ascii(shape)).ok()
}

/// The shape with `\b \d \s \w` spelled out: they mean ASCII, as in Python's `re.ASCII`.
fn ascii(shape: &str) -> String {
    let mut spelled = String::with_capacity(shape.len());
    let mut in_class = false;
    let mut chars = shape.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            in_class = char == '[' || (in_class && char != ']');
            spelled.push(char);
            continue;
        }
        let members = match chars.next() {
            Some('d') => "0-9",
            Some('s') => " \\t\\n\\r\\x0b\\x0c",
            Some('w') => "A-Za-z0-9_",
            Some('b') => {
                spelled.push_str("(?-u:\\b)");
                continue;
            }
            escaped => {
                spelled.push('\\');
                spelled.extend(escaped);
                continue;
            }
        };
        if in_class {
            spelled.push_str(members);
        } else {
            spelled.push('[');
            spelled.push_str(members);
            spelled.push(']');
        }
    }
    spelled
}
