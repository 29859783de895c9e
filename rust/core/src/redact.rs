//! Redaction: the union of all rules over one whole leaf.
//!
//! A rule does nothing but at its keywords, which one automaton finds. Spans that overlap or touch
//! are one; each is grown to the nearest composition borders; what the marks of one pass lay open
//! (a secret glued to another) is looked for again, `PASSES` times. Invariant: linear in the text,
//! whatever it holds. Proof: `tests/unit/redaction`, `tests/differential/test_redact.py`.

mod benign;
mod charset;
mod edge;
mod ends;
mod key;
mod keywords;
mod lead;
mod name;
mod pattern;
mod separator;
mod shape;
mod validate;
mod value;

use std::collections::{BTreeSet, HashMap};

use self::keywords::Keywords;
use crate::error::CoreError;
use crate::fold::is_border;
use crate::threads;

const PASSES: usize = 4;
/// To read the shape of a rule takes some 20 µs, a thread to start a few times that.
const FEW_RULES: usize = 32;

/// What a rule looks for at its keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleKind {
    /// A bounded shape.
    Pattern,
    /// A shape that goes on through a class of characters.
    Run,
    /// A block that goes on to a literal.
    Between,
    /// The value under or after a sensitive name.
    Key,
    /// A whole run of a class of characters; needs no keyword.
    Word,
}

/// One class of secret; `harkback.model.Rule` says what the fields mean.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Rule {
    pub id: String,
    pub kind: RuleKind,
    pub keywords: Vec<String>,
    pub shape: String,
    pub before: usize,
    pub boundary: bool,
    pub run: String,
    pub end: String,
    pub names: Vec<String>,
    pub qualifiers: Vec<String>,
    pub validator: String,
    pub back: String,
}

/// A stretch that is taken out, in bytes, and the ids of the rules that ask for it, sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactedSpan {
    /// First byte.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// Sorted ids.
    pub rules: Vec<String>,
}

#[derive(Debug)]
enum Matcher {
    Shape(shape::Shape),
    Names(name::Names),
    Words(shape::Shape),
}

impl Matcher {
    fn new(rule: &Rule) -> Result<Self, CoreError> {
        Ok(match rule.kind {
            RuleKind::Key => Self::Names(name::Names::new(&rule.names, &rule.qualifiers)),
            RuleKind::Word => Self::Words(shape::Shape::new(rule)?),
            _ => Self::Shape(shape::Shape::new(rule)?),
        })
    }
}

/// A span while rules are still places in the list of rules.
#[derive(Debug, Clone)]
struct Cut {
    start: usize,
    end: usize,
    /// In no order, and some of them more than once.
    rules: Vec<usize>,
}

/// Rules, prepared once. Safe to use from several threads.
#[derive(Debug)]
pub struct Redactor {
    ids: Vec<String>,
    matchers: Vec<Matcher>,
    keywords: Keywords,
    /// Per keyword, the rules it belongs to.
    owners: Vec<Vec<usize>>,
}

impl Redactor {
    /// Prepares `rules`.
    ///
    /// # Errors
    /// [`CoreError::Rule`] names the rule whose shape is no pattern.
    pub fn new(rules: &[Rule]) -> Result<Self, CoreError> {
        let mut literals: Vec<String> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut owners: Vec<Vec<usize>> = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            for keyword in &rule.keywords {
                let literal = keyword.to_ascii_lowercase();
                let place = *places.entry(literal.clone()).or_insert(literals.len());
                if place == literals.len() {
                    literals.push(literal);
                    owners.push(Vec::new());
                }
                owners[place].push(index);
            }
        }
        let threads = threads::count(rules.len() > FEW_RULES);
        let matchers = threads::map(threads, rules.len(), |rule| {
            Some(Matcher::new(&rules[rule]))
        });
        let matchers = matchers.into_iter().collect::<Result<Vec<_>, _>>()?;
        let keywords = Keywords::new(literals).map_err(|_| CoreError::Rule {
            id: "*".to_owned(),
            detail: "too many keywords".to_owned(),
        })?;
        Ok(Self {
            ids: rules.iter().map(|rule| rule.id.clone()).collect(),
            matchers,
            keywords,
            owners,
        })
    }

    /// What is taken out of `text`; all of it if it stands under a `sensitive` name.
    ///
    /// Spans are disjoint, in order, and begin and end at composition borders.
    pub fn spans(&self, text: &str, sensitive: bool) -> Vec<RedactedSpan> {
        if sensitive {
            let keys = |index: &usize| matches!(self.matchers[*index], Matcher::Names(_));
            let rules = (0..self.matchers.len()).filter(keys).collect();
            let all = Cut {
                start: 0,
                end: text.len(),
                rules,
            };
            return Vec::from_iter((!text.is_empty()).then(|| self.named(&all)));
        }
        let mut cuts = self.pass(text);
        for pass in 1..PASSES {
            if cuts.is_empty() {
                break;
            }
            let marked = Marked::new(text, &cuts);
            let mut new: Vec<Cut> = self.pass(&marked.text);
            for cut in &mut new {
                (cut.start, cut.end) = marked.origin(cut.start, cut.end);
            }
            let inside = |cut: &Cut| {
                let after = cuts.partition_point(|old| old.start <= cut.start);
                after > 0 && cut.end <= cuts[after - 1].end
            };
            new.retain(|cut| !inside(cut));
            if new.is_empty() {
                break;
            }
            if pass + 1 == PASSES {
                settle(text.as_bytes(), &mut new);
            }
            cuts.append(&mut new);
            cuts = merge(cuts);
        }
        cuts.iter().map(|cut| self.named(cut)).collect()
    }

    /// Whether a value under this key name is a secret, whatever it looks like.
    pub fn sensitive(&self, name: &str) -> bool {
        self.matchers.iter().any(|matcher| match matcher {
            Matcher::Names(names) => names.sensitive(name.as_bytes()),
            Matcher::Shape(_) | Matcher::Words(_) => false,
        })
    }

    fn named(&self, cut: &Cut) -> RedactedSpan {
        let rules: BTreeSet<&String> = cut.rules.iter().map(|&index| &self.ids[index]).collect();
        RedactedSpan {
            start: cut.start,
            end: cut.end,
            rules: rules.into_iter().cloned().collect(),
        }
    }

    fn pass(&self, text: &str) -> Vec<Cut> {
        let mut cuts = Vec::new();
        let mut last: Vec<Option<Box<shape::Last>>> = Vec::new();
        let mut runs = ends::Runs::default();
        for found in self.keywords.find(text) {
            for &rule in &self.owners[found.pattern().as_usize()] {
                let span = match &self.matchers[rule] {
                    Matcher::Names(names) => {
                        key::find(text.as_bytes(), found.end(), names, &mut runs)
                    }
                    Matcher::Words(_) => None,
                    Matcher::Shape(shape) => {
                        last.resize(self.matchers.len(), None);
                        shape.find(text, found.start(), last[rule].get_or_insert_default())
                    }
                };
                if let Some(span) = span.filter(|span| !is_marks(&text[span.clone()])) {
                    cuts.push(Cut {
                        start: span.start,
                        end: span.end,
                        rules: vec![rule],
                    });
                }
            }
        }
        for (rule, matcher) in self.matchers.iter().enumerate() {
            if let Matcher::Words(shape) = matcher {
                let words = shape
                    .words(text)
                    .filter(|word| !is_marks(&text[word.clone()]));
                cuts.extend(words.map(|word| Cut {
                    start: word.start,
                    end: word.end,
                    rules: vec![rule],
                }));
            }
        }
        let mut cuts = merge(cuts);
        for cut in &mut cuts {
            grow(text, cut);
        }
        merge(cuts)
    }
}

/// Whether nothing stands here but marks, if anything.
fn is_marks(mut text: &str) -> bool {
    while let Some(rest) = text.strip_prefix(benign::MARK) {
        text = rest;
    }
    text.is_empty()
}

/// Cuts that overlap or touch are one.
fn merge(mut cuts: Vec<Cut>) -> Vec<Cut> {
    cuts.sort_by_key(|cut| (cut.start, cut.end));
    let mut merged: Vec<Cut> = Vec::with_capacity(cuts.len());
    for mut cut in cuts {
        match merged.last_mut() {
            Some(known) if cut.start <= known.end => {
                known.end = known.end.max(cut.end);
                if known.rules.last() != cut.rules.last() || cut.rules.len() > 1 {
                    known.rules.append(&mut cut.rules);
                }
            }
            _ => merged.push(cut),
        }
    }
    merged
}

/// A chain of secrets that is longer than the passes goes whole, to white space.
fn settle(text: &[u8], cuts: &mut [Cut]) {
    let space = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let mut reached = 0;
    for cut in cuts {
        if cut.start > reached {
            let left = text[reached..cut.start].iter().rposition(space);
            cut.start = left.map_or(reached, |space| reached + space + 1);
        }
        if cut.end > reached {
            let right = text[cut.end..].iter().position(space);
            reached = right.map_or(text.len(), |length| cut.end + length);
        }
        cut.end = reached;
    }
}

fn grow(text: &str, cut: &mut Cut) {
    let inside = |at: usize| text[at..].chars().next().filter(|&char| !is_border(char));
    while inside(cut.start).is_some() {
        match text[..cut.start].chars().next_back() {
            Some(before) => cut.start -= before.len_utf8(),
            None => break,
        }
    }
    while let Some(char) = inside(cut.end) {
        cut.end += char.len_utf8();
    }
}

/// A text with a mark in place of each cut, and where its bytes come from.
struct Marked {
    text: String,
    /// Per mark: its place in the marked text, and the cut it stands for.
    marks: Vec<(usize, usize, usize)>,
}

impl Marked {
    fn new(text: &str, cuts: &[Cut]) -> Self {
        let mut marked = Self {
            text: String::with_capacity(text.len() + cuts.len() * benign::MARK.len()),
            marks: Vec::with_capacity(cuts.len()),
        };
        let mut at = 0;
        for cut in cuts {
            marked.text.push_str(&text[at..cut.start]);
            marked.marks.push((marked.text.len(), cut.start, cut.end));
            marked.text.push_str(benign::MARK);
            at = cut.end;
        }
        marked.text.push_str(&text[at..]);
        marked
    }

    /// A stretch of the marked text as a stretch of the text; a mark stands for all of its cut.
    fn origin(&self, start: usize, end: usize) -> (usize, usize) {
        (self.place(start).0, self.place(end - 1).1)
    }

    fn place(&self, at: usize) -> (usize, usize) {
        let after = self.marks.partition_point(|mark| mark.0 <= at);
        match after.checked_sub(1).map(|index| self.marks[index]) {
            None => (at, at + 1),
            Some((mark, start, end)) if at < mark + benign::MARK.len() => (start, end),
            Some((mark, _, end)) => {
                let origin = end + (at - mark - benign::MARK.len());
                (origin, origin + 1)
            }
        }
    }
}
