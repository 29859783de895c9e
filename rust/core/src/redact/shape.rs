//! Shapes: rules that look for a pattern at their keyword.
//!
//! A shape is matched where its keyword stands and nowhere else, so one occurrence costs what a
//! bounded pattern costs. A `run` goes on through a class of characters and a `between` to a
//! literal, however far; both remember the last end they found, because every start before it
//! shares it. Invariant: the spans are those of every occurrence on its own; memory only saves
//! time. Proof: `tests/unit/redaction/test_kinds.py`.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

use super::name::is_word;
use super::{Rule, RuleKind};
use crate::error::CoreError;

/// The stretch that a rule measured last: from where it was measured, to where.
pub(super) type Last = Option<(usize, usize)>;

/// One rule of kind `pattern`, `run` or `between`; its patterns compile on their first use.
#[derive(Debug)]
pub(super) struct Shape {
    start: Lazy,
    run: Option<Lazy>,
    end: Option<String>,
    before: usize,
    boundary: bool,
}

impl Shape {
    pub(super) fn new(rule: &Rule) -> Result<Self, CoreError> {
        let lazy = |pattern: &str| {
            Lazy::new(pattern).ok_or_else(|| CoreError::Rule {
                id: rule.id.clone(),
                detail: "the shape is not a pattern".to_owned(),
            })
        };
        let run = match rule.kind {
            RuleKind::Run => Some(lazy(&format!("[{}]*", rule.run))?),
            _ => None,
        };
        Ok(Self {
            start: lazy(&rule.shape)?,
            run,
            end: (rule.kind == RuleKind::Between).then(|| rule.end.clone()),
            before: rule.before,
            boundary: rule.boundary,
        })
    }

    /// The span of the keyword that starts at `keyword`; `last` is this rule's memory.
    pub(super) fn find(&self, text: &str, keyword: usize, last: &mut Last) -> Option<Range<usize>> {
        let start = back(text, keyword, self.before)?;
        if self.boundary && start > 0 && is_word(text.as_bytes()[start - 1]) {
            return None;
        }
        let regex = self.start.get();
        let (secret, end) = if regex.captures_len() > 1 {
            let captures = regex.captures(&text[start..])?;
            (captures.get(1)?.range(), captures.get_match().end())
        } else {
            let found = regex.find(&text[start..])?;
            (found.range(), found.end())
        };
        let secret = start + secret.start..start + secret.end;
        let end = start + end;
        if let Some(run) = &self.run {
            return Some(secret.start..run_end(run, text, end, last));
        }
        if let Some(literal) = &self.end {
            return Some(secret.start..block_end(literal, text, end, last));
        }
        Some(secret)
    }
}

fn run_end(run: &Lazy, text: &str, at: usize, last: &mut Last) -> usize {
    match *last {
        Some((start, end)) if start <= at && at <= end => end,
        _ => {
            let length = run.get().find(&text[at..]).map_or(0, |found| found.end());
            *last = Some((at, at + length));
            at + length
        }
    }
}

/// `last` holds where the block was looked for from, and where its closing literal starts.
fn block_end(literal: &str, text: &str, at: usize, last: &mut Last) -> usize {
    let close = match *last {
        Some((start, close)) if start <= at && at <= close => close,
        _ => {
            let close = memchr::memmem::find(&text.as_bytes()[at..], literal.as_bytes())
                .map_or(text.len(), |found| at + found);
            *last = Some((at, close));
            close
        }
    };
    text.len().min(close + literal.len())
}

/// The byte `before` code points left of `at`.
fn back(text: &str, mut at: usize, before: usize) -> Option<usize> {
    for _ in 0..before {
        at -= text[..at].chars().next_back()?.len_utf8();
    }
    Some(at)
}

/// A pattern of the common subset, anchored where it is asked.
#[derive(Debug)]
struct Lazy {
    pattern: String,
    regex: OnceLock<Regex>,
}

impl Lazy {
    /// `None` if this is no pattern; parsing is cheap, compiling waits.
    fn new(shape: &str) -> Option<Self> {
        let pattern = format!("^(?:{})", ascii(shape));
        regex_syntax::parse(&pattern).ok()?;
        Some(Self {
            pattern,
            regex: OnceLock::new(),
        })
    }

    fn get(&self) -> &Regex {
        self.regex.get_or_init(|| {
            RegexBuilder::new(&self.pattern)
                .size_limit(usize::MAX)
                .build()
                .expect("a pattern that parses compiles when its size is not limited")
        })
    }
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
