//! Fold: NFC, width, full case folding per code point, dotted i, NFC; frozen at Unicode 14.0.
//!
//! Width is U+FF01..=U+FF5E to ASCII, U+3000 to a space, and the half-width katakana block
//! U+FF61..=U+FF9F (punctuation and voicing marks with it) to its full-width twins; nothing else.
//! Case folding is `CaseFolding` C + F. Every U+0307 directly after an `i` is dropped. A code point
//! that 14.0 does not assign is copied, and splits the text for normalisation.
//!
//! Invariant: idempotent; and `fold(a + b) == fold(a) + fold(b)` wherever `b` starts at a border,
//! so a text folds one segment (a border and what joins it) at a time, and nearly every segment is
//! one code point that a table answers. A newer Unicode in the normaliser changes nothing: the
//! normal form of code points assigned in 14.0 is stable.
//! Proof: `tests/unit/reference/test_fold.py`, `tests/differential/test_fold.py`.

use unicode_normalization::UnicodeNormalization;

pub use crate::fold_table::FOLD_VERSION;
use crate::fold_table::{CLASSES, MAP, PAGES};

/// What a code point is to the fold. The digits are those of the generated table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A border that folds to itself; of ASCII, to its lower case.
    Inert,
    /// A border that alone folds to its entry in the map.
    Replace,
    /// A border that alone already needs the whole definition.
    Complex,
    /// No border: may join what precedes it.
    Joining,
    /// A border that 14.0 does not assign; folds to itself.
    Unassigned,
}

pub(crate) fn class(c: char) -> Class {
    let code = c as usize;
    match CLASSES[usize::from(PAGES[code >> 8])][code & 0xFF] {
        b'1' if !c.is_ascii() => Class::Replace,
        b'2' => Class::Complex,
        b'3' => Class::Joining,
        b'4' => Class::Unassigned,
        _ => Class::Inert,
    }
}

/// Width and case folding of one code point; `None` if they leave it as it is.
pub(crate) fn mapped(c: char) -> Option<&'static str> {
    if let '\u{FF01}'..='\u{FF5E}' = c {
        return Some(MAP[FULL_WIDTH + (c as usize - 0xFF01)].1);
    }
    let found = MAP.binary_search_by_key(&c, |&(from, _)| from);
    found.ok().map(|at| MAP[at].1)
}

/// Where the map holds U+FF01; the whole of full-width ASCII follows. Every Chinese comma asks.
const FULL_WIDTH: usize = {
    let mut at = 0;
    while MAP[at].0 != '\u{FF01}' {
        at += 1;
    }
    at
};

/// Whether `fold(a + b) == fold(a) + fold(b)` for every `a`, where `b` starts with `c`.
pub fn is_border(c: char) -> bool {
    class(c) != Class::Joining
}

/// Folds.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

/// Appends the fold of `text` to `out`.
pub(crate) fn fold_into(text: &str, out: &mut String) {
    let mut done = 0;
    while let Some((at, class)) = next_special(text, done) {
        let start = match text[done..at].chars().next_back() {
            Some(before) if class == Class::Joining => at - before.len_utf8(),
            _ => at,
        };
        push_inert(&text[done..start], out);
        done = segment_end(text, at);
        fold_segment(&text[start..done], out);
    }
    push_inert(&text[done..], out);
}

/// Whether folding changes nothing of `text` but ASCII letters, each in its place.
pub(crate) fn is_inert(text: &str) -> bool {
    next_special(text, 0).is_none()
}

/// Folds, and tells for every folded char the byte range of the segment of `text` it comes from.
///
/// # Panics
///
/// If `text` is 4 GiB or longer.
pub fn fold_mapped(text: &str) -> (String, Vec<(u32, u32)>) {
    let mut out = String::with_capacity(text.len());
    let mut origin = Vec::with_capacity(text.len());
    let mut start = 0;
    while start < text.len() {
        let end = segment_end(text, start);
        let before = out.len();
        fold_segment(&text[start..end], &mut out);
        let range = (offset(start), offset(end));
        origin.extend(out[before..].chars().map(|_| range));
        start = end;
    }
    (out, origin)
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).expect("a text is shorter than 4 GiB")
}

/// The first char from `from` on that is not inert, and its class.
fn next_special(text: &str, from: usize) -> Option<(usize, Class)> {
    let mut at = from;
    loop {
        at += ascii_prefix(&text.as_bytes()[at..]);
        for c in text[at..].chars() {
            match class(c) {
                _ if c.is_ascii() => break,
                Class::Inert | Class::Unassigned => at += c.len_utf8(),
                special => return Some((at, special)),
            }
        }
        if at == text.len() {
            return None;
        }
    }
}

/// Length of the ASCII bytes that `bytes` starts with.
fn ascii_prefix(bytes: &[u8]) -> usize {
    const BLOCK: usize = 32;
    let mut at = 0;
    for block in bytes.chunks_exact(BLOCK) {
        if block.iter().fold(0, |all, byte| all | byte) >= 0x80 {
            break;
        }
        at += BLOCK;
    }
    let rest = bytes[at..].iter();
    at + rest.take_while(|byte| byte.is_ascii()).count()
}

/// Where the segment that starts at `start` ends: at the next border.
pub(crate) fn segment_end(text: &str, start: usize) -> usize {
    let mut chars = text[start..].char_indices().skip(1);
    chars
        .find(|&(_, c)| is_border(c))
        .map_or(text.len(), |(at, _)| start + at)
}

/// Copies inert chars, ASCII in lower case.
fn push_inert(text: &str, out: &mut String) {
    let start = out.len();
    out.push_str(text);
    out[start..].make_ascii_lowercase();
}

fn fold_segment(segment: &str, out: &mut String) {
    let mut chars = segment.chars();
    let Some(first) = chars.next() else { return };
    let rest = chars.as_str();
    match class(first) {
        Class::Inert if rest.is_empty() => out.push(first.to_ascii_lowercase()),
        Class::Replace if rest.is_empty() => out.push_str(mapped(first).unwrap_or_default()),
        Class::Unassigned => {
            out.push(first);
            fold_assigned(rest, out);
        }
        _ => fold_assigned(segment, out),
    }
}

/// The definition, word for word.
fn fold_assigned(text: &str, out: &mut String) {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfc() {
        match mapped(c) {
            Some(to) => to.chars().for_each(|c| push_dotted(c, &mut folded)),
            None => push_dotted(c, &mut folded),
        }
    }
    out.extend(folded.nfc());
}

/// Pushes `c` unless it is the dot that case folding leaves on an `i`.
fn push_dotted(c: char, folded: &mut String) {
    if c != '\u{307}' || !folded.ends_with('i') {
        folded.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_what_the_definition_says() {
        for (text, folded) in [
            ("", ""),
            ("Hello, WORLD\0\u{7F}", "hello, world\0\u{7F}"),
            ("J\u{30C}", "\u{1F0}"),
            ("ΟΔΟΣ'Α ς", "οδοσ'α σ"),
            ("İI\u{307}i\u{307}\u{307}ı", "iiiı"),
            ("ßẞ \u{212A}\u{2126}\u{212B}", "ssss kωå"),
            ("模型Ａｂ，\u{3000}ﾊﾟｶﾞ｡", "模型ab, パガ。"),
            ("\u{1100}\u{1161}\u{11A8}", "각"),
            ("\u{301}E\u{323}\u{301}", "\u{301}ẹ\u{301}"),
            ("\u{378}\u{327}\u{301}", "\u{378}\u{327}\u{301}"),
        ] {
            assert_eq!(fold(text), folded, "{text:?}");
            assert_eq!(fold(folded), folded, "{text:?}");
            assert_eq!(fold_mapped(text).0, folded, "{text:?}");
        }
    }

    #[test]
    fn maps_every_folded_char_to_its_segment() {
        let (folded, origin) = fold_mapped("aßE\u{301}模");
        assert_eq!(folded, "assé模");
        assert_eq!(origin, [(0, 1), (1, 3), (1, 3), (3, 6), (6, 9)]);
    }

    #[test]
    fn every_scalar_is_idempotent_and_classed_by_the_definition() {
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            let folded = fold(&text);
            assert_eq!(fold(&folded), folded, "{c:?}");
            let mut defined = String::new();
            if class(c) == Class::Unassigned {
                defined.push(c);
            } else {
                fold_assigned(&text, &mut defined);
            }
            assert_eq!(folded, defined, "{c:?}");
            let origin = vec![(0, offset(text.len())); folded.chars().count()];
            assert_eq!(fold_mapped(&text), (folded, origin), "{c:?}");
        }
    }
}
