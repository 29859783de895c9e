//! Leads: shapes that begin with a literal and a bounded run of a class which their rest cannot
//! start in, such as `eyJ[A-Za-z0-9_-]{10,400}\.eyJ`.
//!
//! Every start inside one run needs the rest at the same place, the end of the run. So the run and
//! the rest are measured once, where matching each start anew would walk the run each time.
//! Invariant: a lead finds what its pattern finds. Proof: `tests/differential/test_redact.py`;
//! cost: `benches/redact.py`.

use std::sync::OnceLock;

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{Hir, HirKind};

use super::charset::CharSet;
use super::pattern::compiled;

/// A shape, taken apart.
#[derive(Debug)]
pub(super) struct Lead {
    literal: Vec<u8>,
    class: CharSet,
    least: usize,
    most: usize,
    rest: Hir,
    regex: OnceLock<Regex>,
}

/// What a lead measured last: a run of its class, and where the rest ends that starts behind it.
#[derive(Debug, Clone, Default)]
pub(super) struct Measured {
    run: Option<(usize, usize)>,
    rest: Option<(usize, Option<usize>)>,
}

impl Lead {
    /// `None` if the pattern is of another make.
    pub(super) fn new(pattern: &Hir) -> Option<Self> {
        let HirKind::Concat(parts) = pattern.kind() else {
            return None;
        };
        let [literal, run, rest @ ..] = parts.as_slice() else {
            return None;
        };
        let (HirKind::Literal(literal), HirKind::Repetition(run)) = (literal.kind(), run.kind())
        else {
            return None;
        };
        let HirKind::Literal(next) = rest.first()?.kind() else {
            return None;
        };
        let next = std::str::from_utf8(&next.0).ok()?.chars().next()?;
        let class = CharSet::of(&run.sub).filter(CharSet::is_ascii)?;
        if class.holds(next) || pattern.properties().explicit_captures_len() > 0 {
            return None;
        }
        Some(Self {
            literal: literal.0.to_vec(),
            class,
            least: run.min as usize,
            most: run.max? as usize,
            rest: Hir::concat(rest.to_vec()),
            regex: OnceLock::new(),
        })
    }

    /// End of the match that starts at `start`.
    pub(super) fn find(&self, text: &str, start: usize, last: &mut Measured) -> Option<usize> {
        if !text.as_bytes()[start..].starts_with(&self.literal) {
            return None;
        }
        let at = start + self.literal.len();
        let end = match last.run {
            Some((from, end)) if from <= at && at <= end => end,
            _ => {
                let end = self.class.run_end(text, at);
                last.run = Some((at, end));
                end
            }
        };
        if !(self.least..=self.most).contains(&(end - at)) {
            return None;
        }
        match last.rest {
            Some((from, found)) if from == end => found,
            _ => {
                let input = Input::new(text).range(end..).anchored(Anchored::Yes);
                let regex = self.regex.get_or_init(|| compiled(&self.rest));
                let found = regex.search_half(&input).map(|found| found.offset());
                last.rest = Some((end, found));
                found
            }
        }
    }
}
