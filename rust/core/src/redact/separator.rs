//! Separators: how a value hangs on its name, and where it starts.
//!
//! `key = value`, `key: value`, `key := value`, `"key" => "value"`, `--flag value`, `密码：value`,
//! `密码是 value`. Invariant: a bounded number of steps from the end of the name.
//! Proof: `tests/unit/redaction/test_key.py`.

use super::name::is_word;

pub(super) const SPACES: usize = 32;
/// Three levels of JSON inside JSON.
pub(super) const BACKSLASHES: usize = 7;
const TYPE_LIMIT: usize = 64;

/// How a value hangs on its name: `k=v`, `k = v`, `k: v`, `--k v`, `"--k", "v"`, `密码是 v`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Tight,
    Loose,
    Colon,
    Flag,
    Listed,
    Stated,
}

#[derive(Clone, Copy)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) form: Form,
    /// A colon behind a name without quotes.
    pub(super) bare: bool,
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

pub(super) fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

pub(super) fn is_line_end(byte: u8) -> bool {
    byte == b'\r' || byte == b'\n'
}

/// Length of a backslash-newline at `at`, else 0.
pub(super) fn continuation(text: &[u8], at: usize) -> usize {
    match &text[at..] {
        [b'\\', b'\n', ..] => 2,
        [b'\\', b'\r', b'\n', ..] => 3,
        _ => 0,
    }
}

pub(super) fn skip_spaces(text: &[u8], mut at: usize) -> usize {
    let limit = at + SPACES;
    while at < text.len() && at < limit {
        let step = continuation(text, at).max(usize::from(is_space(text[at])));
        if step == 0 {
            break;
        }
        at += step;
    }
    at
}

/// Number of backslashes before the quote that stands at `at`, `None` without one.
pub(super) fn quote_at(text: &[u8], at: usize) -> Option<usize> {
    let level = text[at..]
        .iter()
        .take(BACKSLASHES)
        .take_while(|&&byte| byte == b'\\')
        .count();
    text.get(at + level)
        .is_some_and(|&byte| is_quote(byte))
        .then_some(level)
}

/// Where the value starts, if what follows the name at `at` ties a value to it.
///
/// `flag`: the name starts with two dashes. `foreign`: it ends in another script, whose verbs may
/// tie: `密码是 x`.
pub(super) fn separator(text: &[u8], mut at: usize, flag: bool, foreign: bool) -> Option<Value> {
    let level = quote_at(text, at);
    if let Some(level) = level {
        at += level + 1;
        at += usize::from(text.get(at) == Some(&b']'));
    }
    at = stars(text, at);
    let operator = skip_spaces(text, at);
    let value = |at, form| {
        Some(Value {
            start: skip_spaces(text, at),
            form,
            bare: level.is_none() && form == Form::Colon,
        })
    };
    match &text[operator..] {
        [b'=', b'=' | b'~', ..] | [b':', b':', ..] => None,
        [b'=', b'>', ..] | [b':' | b'?', b'=', ..] => value(operator + 2, Form::Loose),
        [b'=', ..] => Some(equals(text, at, operator, 1)),
        [0xef, 0xbc, 0x9d, ..] => Some(equals(text, at, operator, 3)),
        [b':', ..] => value(stars(text, operator + 1), Form::Colon),
        [0xef, 0xbc, 0x9a, ..] => value(stars(text, operator + 3), Form::Colon),
        [b'?', b':', ..] => value(stars(text, operator + 2), Form::Colon),
        [0xe6, 0x98, 0xaf, ..] | [0xe4, 0xb8, 0xba, ..] if foreign => {
            let start = skip_spaces(text, operator + 3);
            match colon_at(text, start) {
                0 => value(operator + 3, Form::Stated),
                colon => value(start + colon, Form::Stated),
            }
        }
        [b',', ..] if flag && level.is_some() => value(operator + 1, Form::Listed),
        _ if flag && level.is_none() && operator > at => Some(Value {
            start: operator,
            form: Form::Flag,
            bare: false,
        }),
        _ => None,
    }
}

/// The value behind an equals sign of `width` bytes at `operator`; the name ends at `name_end`.
fn equals(text: &[u8], name_end: usize, operator: usize, width: usize) -> Value {
    let start = skip_spaces(text, operator + width);
    let form = if start - name_end == width {
        Form::Tight
    } else {
        Form::Loose
    };
    Value {
        start,
        form,
        bare: false,
    }
}

/// Bytes of the colon at `at`, of either width; 0 without one.
fn colon_at(text: &[u8], at: usize) -> usize {
    match &text[at..] {
        [b':', ..] => 1,
        [0xef, 0xbc, 0x9a, ..] => 3,
        _ => 0,
    }
}

/// Past the marks of a bold name: `**Password:** x`, `**Password**: x`.
fn stars(text: &[u8], at: usize) -> usize {
    if text[at..].starts_with(b"**") {
        at + 2
    } else {
        at
    }
}

/// The default behind a type: `password: str = "x"`.
pub(super) fn annotated(text: &[u8], start: usize) -> Option<Value> {
    let length = text[start..]
        .iter()
        .take(TYPE_LIMIT)
        .take_while(|&&byte| is_word(byte) || b".<>|&?[],".contains(&byte))
        .count();
    let at = skip_spaces(text, start + length);
    match &text[at..] {
        [b'=', b'=' | b'>' | b'~', ..] => None,
        [b'=', ..] if at > start => Some(Value {
            start: skip_spaces(text, at + 1),
            form: Form::Loose,
            bare: false,
        }),
        _ => None,
    }
}
