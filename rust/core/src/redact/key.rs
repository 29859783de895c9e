//! Key rules: the value under or after a sensitive name, in every textual form known.
//!
//! `separator` says how a value hangs on its name, `value` where it ends and whether it is a secret.
//! Invariant: one occurrence of a keyword costs a bounded number of steps, plus its value.
//! Proof: `tests/unit/redaction/test_key.py`; cost: `benches/redact.py`.

use std::ops::Range;

use super::ends::Runs;
use super::name::{Names, is_name, is_word};
use super::separator::{COLOUR, Form, annotated, separator};
use super::value::{Found, alone, value};

const NAME_LOOK_BACK: usize = 64;
/// Code points that are not ASCII, left of the name: `数据库password`.
const FOREIGN_LOOK_BACK: usize = 8;
/// `checksum/secret` of a Helm chart is the digest of a file.
const CHECKSUM: &[u8] = b"checksum/";
/// Digits and underscores behind the last segment: `password_2`.
const NAME_TAIL: usize = 4;

/// The span of the value whose name ends with the keyword that ends at `keyword_end`.
pub(super) fn find(
    text: &[u8],
    keyword_end: usize,
    names: &Names,
    runs: &mut Runs,
) -> Option<Range<usize>> {
    let mut end = keyword_end;
    while end - keyword_end < NAME_TAIL
        && text
            .get(end)
            .is_some_and(|byte| byte.is_ascii_digit() || *byte == b'_')
    {
        end += 1;
    }
    if text.get(end).is_none_or(|&byte| is_word(byte)) {
        return None;
    }
    let mut start = keyword_end;
    while start > 0 && keyword_end - start < NAME_LOOK_BACK && is_name(text[start - 1]) {
        start -= 1;
    }
    start = unescaped(text, start, keyword_end);
    let found = separator(text, start, end, !text[keyword_end - 1].is_ascii())?;
    let start = foreign(text, start);
    if text[..start].ends_with(CHECKSUM) || !names.sensitive(&text[start..end]) {
        return None;
    }
    let mut span = value(text, found, runs);
    if span.is_none() && found.form == Form::Colon {
        span = annotated(text, found.start).and_then(|found| value(text, found, runs));
    }
    match span? {
        Found::Secret(span) => Some(span),
        Found::Word(word) => alone(text, start, &word, found.form).then_some(word),
    }
}

/// Past the code points that are not ASCII and end at `at`.
fn foreign(text: &[u8], mut at: usize) -> usize {
    for _ in 0..FOREIGN_LOOK_BACK {
        if at == 0 || text[at - 1].is_ascii() {
            break;
        }
        at -= 1;
        while text[at] & 0xc0 == 0x80 {
            at -= 1;
        }
    }
    at
}

/// Where a name starts that follows an escape: `\\npassword`, `%3Ftoken`, a colour.
fn unescaped(text: &[u8], start: usize, end: usize) -> usize {
    match text[..start].last() {
        Some(b'\\') if matches!(text[start], b'n' | b'r' | b't') => start + 1,
        Some(b'%') => {
            let code = start + 2 * usize::from(text[start..].starts_with(b"25"));
            end.min(code + 2)
        }
        Some(b'[' | b';') => {
            let numbers = text[..start].iter().rev().take(COLOUR);
            let numbers = numbers.take_while(|&&byte| byte.is_ascii_digit() || byte == b';');
            let escape = &text[..start - numbers.count()];
            let digits = text[start..end].iter();
            let letter = start + digits.take_while(|byte| byte.is_ascii_digit()).count();
            if escape.ends_with(b"\x1b[") && text.get(letter) == Some(&b'm') {
                end.min(letter + 1)
            } else {
                start
            }
        }
        _ => start,
    }
}
