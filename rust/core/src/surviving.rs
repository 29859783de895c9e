//! Surviving text: a leaf minus its redacted spans, each span folded on its own; how spans grow.
//!
//! A term matches inside one surviving span and nowhere else; the corpus and [`locate`] both take
//! their spans from here, so they cannot disagree. Proof: `tests/properties/test_locate.py`
//! (occurrences located = frequency counted) and `tests/differential/test_locate.py`.

use std::ops::Range;

use memchr::memmem;

use crate::fold::is_border;
use crate::origin::Origins;

/// The non-empty stretches of `0..length` that `cuts` leave, in order.
///
/// Offsets have one unit, whichever it is. `cuts` are in order of their starts; they may touch,
/// overlap, be empty or reach past the end; one that runs backwards cuts nothing.
pub fn surviving(
    length: usize,
    cuts: impl IntoIterator<Item = Range<usize>>,
) -> impl Iterator<Item = Range<usize>> {
    let end_of_text = length..length;
    let mut at = 0;
    cuts.into_iter()
        .chain(std::iter::once(end_of_text))
        .map(move |cut| {
            let span = at..cut.start.min(length);
            at = at.max(cut.start).max(cut.end);
            span
        })
        .filter(|span| span.start < span.end)
}

/// `spans` grown outward to composition borders, those that overlap or touch as one.
///
/// Offsets are code points. `None` if a span is empty or reaches outside `text`.
pub fn grow(text: &str, mut spans: Vec<(usize, usize)>) -> Option<Vec<(usize, usize)>> {
    spans.sort_unstable();
    let mut grown: Vec<(usize, usize)> = Vec::with_capacity(spans.len());
    let (mut byte, mut point) = (0, 0); // the end of the last grown span, in both units
    for (start, end) in spans {
        if start >= end {
            return None;
        }
        let (mut first, mut first_byte) = (start.max(point), byte);
        if start > point {
            first_byte += bytes_within(&text[byte..], start - point)?;
            let joins = |at: usize| text[at..].chars().next().is_some_and(|c| !is_border(c));
            while first > point && joins(first_byte) {
                first_byte -= text[byte..first_byte].chars().next_back()?.len_utf8();
                first -= 1;
            }
        }
        if end > point {
            let from = start.max(point);
            let mut last_byte = byte + bytes_within(&text[byte..], from - point)?;
            last_byte += bytes_within(&text[last_byte..], end - from)?;
            let joining = text[last_byte..].chars().take_while(|&c| !is_border(c));
            let (more, bytes) = joining.fold((0, 0), |(n, b), c| (n + 1, b + c.len_utf8()));
            (byte, point) = (last_byte + bytes, end + more);
        }
        match grown.last_mut() {
            Some(known) if first <= known.1 => known.1 = point,
            _ => grown.push((first, point)),
        }
    }
    Some(grown)
}

/// Bytes that the first `points` code points of `text` take; `None` if it has fewer.
fn bytes_within(text: &str, points: usize) -> Option<usize> {
    text.char_indices()
        .map(|(at, _)| at)
        .chain(std::iter::once(text.len()))
        .nth(points)
}

/// Occurrences `(start, end, term index)` of folded, non-empty `terms` in the surviving text.
///
/// `cuts` and the answer are in code points of `text`. Per term non-overlapping, left to right;
/// ordered by start, then term index. A match that begins or ends inside a composition segment
/// covers the whole segment. `reach`: only those that begin less than so many surviving code points
/// behind the start of the first.
pub fn locate(
    text: &str,
    cuts: &[(usize, usize)],
    terms: &[&str],
    reach: Option<usize>,
) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    let mut byte = 0;
    let mut point = 0;
    let mut left = reach.map(Reach::Of);
    let length = text.chars().count();
    for span in surviving(length, cuts.iter().map(|&(start, end)| start..end)) {
        if left == Some(Reach::Until(0)) {
            break;
        }
        let start = byte + bytes_of(&text[byte..], span.start - point);
        let end = start + bytes_of(&text[start..], span.len());
        (byte, point) = (end, span.end);
        let until = locate_in_span(&text[start..end], span.start, terms, left, &mut found);
        left = until.map(|until| until.behind(span.len()));
    }
    found.sort_by_key(|&(start, _, term)| (start, term));
    found
}

/// How far matches are of interest, in code points.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    /// From the first one on, which was not met yet.
    Of(usize),
    /// From here on.
    Until(usize),
}

impl Reach {
    fn behind(self, points: usize) -> Self {
        match self {
            Self::Of(_) => self,
            Self::Until(until) => Self::Until(until.saturating_sub(points)),
        }
    }
}

/// Bytes that the first `points` code points of `text` take.
fn bytes_of(text: &str, points: usize) -> usize {
    text.char_indices()
        .nth(points)
        .map_or(text.len(), |(at, _)| at)
}

/// Adds what lies in one span, and gives the reach as it is from the start of the span on.
fn locate_in_span(
    span: &str,
    offset: usize,
    terms: &[&str],
    mut reach: Option<Reach>,
    found: &mut Vec<(usize, usize, usize)>,
) -> Option<Reach> {
    let origins = Origins::of(span);
    let finders: Vec<_> = terms.iter().map(memmem::Finder::new).collect();
    if let Some(Reach::Of(points)) = reach {
        let firsts = finders
            .iter()
            .filter_map(|finder| finder.find(origins.folded.as_bytes()));
        let Some(first) = firsts.min() else {
            return reach;
        };
        let before = &span[..origins.range(first..first + 1).start];
        reach = Some(Reach::Until(before.chars().count() + points));
    }
    for (index, (finder, term)) in finders.iter().zip(terms).enumerate() {
        // Matches come in order, so code points are counted once, of a segment of many matches too.
        let (mut byte, mut point) = (0, 0);
        let (mut last, mut points) = (0..0, 0);
        for at in finder.find_iter(origins.folded.as_bytes()) {
            let range = origins.range(at..at + term.len());
            point += span[byte..range.start].chars().count();
            byte = range.start;
            if matches!(reach, Some(Reach::Until(until)) if point >= until) {
                break;
            }
            if range != last {
                points = span[range.clone()].chars().count();
                last = range;
            }
            found.push((offset + point, offset + point + points, index));
        }
    }
    reach
}

#[cfg(test)]
mod tests {
    use super::{locate, surviving};

    #[test]
    fn spans_are_what_cuts_leave() {
        let spans = |cuts: &[(usize, usize)]| -> Vec<(usize, usize)> {
            surviving(10, cuts.iter().map(|&(start, end)| start..end))
                .map(|span| (span.start, span.end))
                .collect()
        };
        assert_eq!(spans(&[]), [(0, 10)]);
        assert_eq!(spans(&[(0, 10)]), []);
        assert_eq!(spans(&[(2, 4), (4, 6)]), [(0, 2), (6, 10)]);
        assert_eq!(spans(&[(2, 6), (3, 4), (8, 99)]), [(0, 2), (6, 8)]);
        assert_eq!(spans(&[(20, 30)]), [(0, 10)]);
    }

    #[test]
    fn offsets_are_code_points_of_the_original() {
        assert_eq!(
            locate("你好 AB 你 ab", &[], &["ab", "你"], None),
            [(0, 1, 1), (3, 5, 0), (6, 7, 1), (8, 10, 0)]
        );
        assert_eq!(locate("aaaa", &[(1, 2)], &["aa"], None), [(2, 4, 0)]);
    }
}
