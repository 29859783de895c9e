//! Shapes: rules that look for a pattern at their keyword, or that try whole runs of a class.
//!
//! A shape is matched where its keyword stands and nowhere else, so one occurrence costs what a
//! bounded pattern costs. A `run` goes on through a class of characters and a `between` to a
//! literal, however far; both remember the last end they found, because every start before it
//! shares it. Invariant: the spans are those of every occurrence on its own; memory only saves
//! time. Proof: `tests/unit/redaction/test_kinds.py`.

use std::ops::Range;

use super::charset::CharSet;
use super::edge::is_edge;
use super::lead::Measured;
use super::pattern::Pattern;
use super::validate::Validator;
use super::{Rule, RuleKind};
use crate::error::CoreError;

const LOOK_BACK: usize = 64;
/// Longer runs are no word: a shape has to match one whole, and shapes are bounded.
const WORD_LIMIT: usize = 1000;

/// What a rule measured last.
#[derive(Debug, Clone, Default)]
pub(super) struct Last {
    /// A run or a block: from where it was measured, to where.
    stretch: Option<(usize, usize)>,
    lead: Measured,
    /// The span found last, if what comes next may lengthen it.
    span: Option<(usize, usize)>,
}

/// One rule of kind `pattern`, `run`, `between` or `word`.
#[derive(Debug)]
pub(super) struct Shape {
    start: Pattern,
    run: Option<CharSet>,
    end: Option<String>,
    before: usize,
    back: Option<CharSet>,
    boundary: bool,
    validator: Validator,
}

impl Shape {
    pub(super) fn new(rule: &Rule) -> Result<Self, CoreError> {
        let problem = |detail: &str| CoreError::Rule {
            id: rule.id.clone(),
            detail: detail.to_owned(),
        };
        let class = |members: &str| {
            CharSet::new(members).ok_or_else(|| problem("the shape is not a pattern"))
        };
        let runs = matches!(rule.kind, RuleKind::Run | RuleKind::Word);
        let start = match rule.kind {
            RuleKind::Word => Pattern::whole(&rule.shape),
            _ => Pattern::new(&rule.shape),
        };
        Ok(Self {
            start: start.ok_or_else(|| problem("the shape is not a pattern"))?,
            run: runs.then(|| class(&rule.run)).transpose()?,
            end: (rule.kind == RuleKind::Between).then(|| rule.end.clone()),
            before: rule.before,
            back: (!rule.back.is_empty())
                .then(|| class(&rule.back))
                .transpose()?,
            boundary: rule.boundary,
            validator: Validator::new(&rule.validator)
                .ok_or_else(|| problem("unknown validator"))?,
        })
    }

    /// The span of the keyword that starts at `keyword`; `last` is this rule's memory.
    pub(super) fn find(&self, text: &str, keyword: usize, last: &mut Last) -> Option<Range<usize>> {
        let start = back(text, keyword, self.before)?;
        let first = self.back.as_ref().map_or(start, |class| {
            start.min(class.run_start(text, keyword, LOOK_BACK))
        });
        if self.boundary && !is_edge(&text.as_bytes()[..first]) {
            return None;
        }
        if let Some(found) = self.lengthened(text, start, last) {
            return Some(found);
        }
        let (mut secret, end) = self.start.find(text, start, &mut last.lead)?;
        if self.back.is_some() {
            secret.start = first;
        }
        if let Some(run) = &self.run {
            secret.end = run_end(run, text, end, &mut last.stretch);
        } else if let Some(literal) = &self.end {
            secret.end = block_end(literal, text, end, &mut last.stretch);
        }
        if !self.validator.accepts(&text[secret.clone()]) {
            return None;
        }
        last.span = Some((secret.start, secret.end)).filter(|_| !ends_mark(text, secret.end));
        Some(secret)
    }

    /// A span that does as well where both a match and its secret start inside the span found last:
    /// the union with that depends on where the match ends alone.
    fn lengthened(&self, text: &str, start: usize, last: &mut Last) -> Option<Range<usize>> {
        let (from, to) = last.span?;
        let bounded = self.run.is_none() && self.end.is_none() && self.back.is_none();
        let within = self.start.group_within()?;
        if !bounded || self.validator != Validator::None || start < from || start + within > to {
            return None;
        }
        let end = self.start.end(text, start)?;
        if ends_mark(text, end) {
            return None;
        }
        last.span = Some((from, end.max(to)));
        Some(start..end)
    }

    /// The runs of kind `word` that the shape matches whole.
    pub(super) fn words<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let runs = self.run.iter().flat_map(move |class| class.runs(text));
        runs.filter(move |run| {
            let word = &text[run.clone()];
            word.char_indices().nth(WORD_LIMIT).is_none()
                && self.start.find(word, 0, &mut Measured::default()).is_some()
                && self.validator.accepts(word)
        })
    }
}

/// Whether what ends at `end` could be a mark: spans of nothing but marks do not count.
fn ends_mark(text: &str, end: usize) -> bool {
    text[..end].ends_with(']')
}

fn run_end(run: &CharSet, text: &str, at: usize, last: &mut Option<(usize, usize)>) -> usize {
    match *last {
        Some((start, end)) if start <= at && at <= end => end,
        _ => {
            let end = run.run_end(text, at);
            *last = Some((at, end));
            end
        }
    }
}

/// `last` holds where the block was looked for from, and where its closing literal starts.
fn block_end(literal: &str, text: &str, at: usize, last: &mut Option<(usize, usize)>) -> usize {
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
