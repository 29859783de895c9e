//! Separators: how a value hangs on its name, and where it starts.
//!
//! `key = value`, `key: value`, `key := value`, `"key" => "value"`, `--flag value`,
//! `<key>value</key>`, `key%3Dvalue`, `密码：value`, `密码是 value`, and pairs whose first half is
//! the name: `name="key" value="x"`. Colours of a terminal and characters without width do not part
//! a name from its value. Invariant: a bounded number of steps from the end of the name.
//! Proof: `tests/unit/redaction/test_key.py`, `tests/unit/redaction/test_forms.py`.

use super::name::is_word;

pub(super) const SPACES: usize = 32;
/// Three levels of JSON inside JSON.
pub(super) const BACKSLASHES: usize = 7;
const TYPE_LIMIT: usize = 64;
/// Characters of an escape sequence of a terminal.
pub(super) const COLOUR: usize = 16;
/// U+00A0, U+200B to U+200D, U+2060, U+3000, U+FEFF.
const INVISIBLE: [&[u8]; 7] = [
    b"\xc2\xa0",
    b"\xe2\x80\x8b",
    b"\xe2\x80\x8c",
    b"\xe2\x80\x8d",
    b"\xe2\x81\xa0",
    b"\xe3\x80\x80",
    b"\xef\xbb\xbf",
];

/// How a value hangs on its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `k=v`
    Tight,
    /// `k = v`
    Loose,
    /// `k: v`
    Colon,
    /// `--k v`
    Flag,
    /// `"--k", "v"`
    Listed,
    /// `密码是 v`
    Stated,
    /// `a=b;k=v;`
    Clause,
    /// `k%3Dv`
    Encoded,
    /// `<k>v</k>`
    Element,
    /// `name=k value=v`
    Paired,
    /// `k: type = v`
    Default,
}

#[derive(Clone, Copy)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) form: Form,
    /// A colon behind a name without quotes.
    pub(super) bare: bool,
}

impl Value {
    fn new(start: usize, form: Form) -> Self {
        Self {
            start,
            form,
            bare: false,
        }
    }
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

/// Past `SPACES` steps over white space of one line.
pub(super) fn skip_spaces(text: &[u8], at: usize) -> usize {
    skip(text, at, b"")
}

/// The same, and over each of `more`.
fn skip(text: &[u8], mut at: usize, more: &[u8]) -> usize {
    for _ in 0..SPACES {
        let step = match text.get(at) {
            Some(b' ' | b'\t') => 1,
            Some(byte) if more.contains(byte) => 1,
            Some(b'\\') => continuation(text, at),
            Some(0x1b) => colour(text, at),
            Some(0x80..) => {
                let mut invisible = INVISIBLE.iter();
                let found = invisible.find(|char| text[at..].starts_with(char));
                found.map_or(0, |char| char.len())
            }
            None | Some(_) => 0,
        };
        if step == 0 {
            break;
        }
        at += step;
    }
    at
}

/// Length of the escape sequence that sets a colour at `at`, else 0.
fn colour(text: &[u8], at: usize) -> usize {
    if !text[at..].starts_with(b"\x1b[") {
        return 0;
    }
    let numbers = text[at + 2..].iter().take(COLOUR - 2);
    let length = 2 + numbers
        .take_while(|&&byte| byte.is_ascii_digit() || byte == b';')
        .count();
    match text.get(at + length) {
        Some(b'm') => length + 1,
        _ => 0,
    }
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

/// Where the value starts, if what follows the name `text[name..at]` ties a value to it.
///
/// `foreign`: the name ends in another script, whose verbs may tie: `密码是 x`.
pub(super) fn separator(text: &[u8], name: usize, mut at: usize, foreign: bool) -> Option<Value> {
    if text.get(at) == Some(&b'%') {
        return encoded(text, at).map(|start| Value::new(start, Form::Encoded));
    }
    let level = quote_at(text, at);
    if let Some(level) = level {
        at += level + 1;
        at += usize::from(text.get(at) == Some(&b']'));
    }
    at = stars(text, at);
    let operator = skip_spaces(text, at);
    let loose = |at| Some(Value::new(skip_spaces(text, at), Form::Loose));
    let colon = |at| {
        Some(Value {
            start: skip_spaces(text, stars(text, at)),
            form: Form::Colon,
            bare: level.is_none(),
        })
    };
    let equals = |width| {
        let start = skip_spaces(text, operator + width);
        let form = match text[at..start].iter().any(|&byte| is_space(byte)) {
            true => Form::Loose,
            false if level.is_none() && in_clause(text, name) => Form::Clause,
            false => Form::Tight,
        };
        Some(Value::new(start, form))
    };
    match &text[operator..] {
        [b'=', b'=' | b'~', ..] | [b':', b':', ..] => None,
        [b'=' | b'-', b'>', ..] | [b':' | b'?', b'=', ..] => loose(operator + 2),
        [b'=', ..] => equals(1),
        [0xef, 0xbc, 0x9d, ..] => equals(3),
        [b':', ..] => colon(operator + 1),
        [0xef, 0xbc, 0x9a, ..] => colon(operator + 3),
        [b'?', b':', ..] => colon(operator + 2),
        [0xe6, 0x98, 0xaf, ..] | [0xe4, 0xb8, 0xba, ..] if foreign => {
            let mut start = skip_spaces(text, operator + 3);
            let colon = colon_at(text, start);
            if colon > 0 {
                start = skip_spaces(text, start + colon);
            }
            Some(Value::new(start, Form::Stated))
        }
        [b'>', ..] if operator == at && level.is_none() && name > 0 && text[name - 1] == b'<' => {
            Some(Value::new(at + 1, Form::Element))
        }
        _ if is_name(text, name) => paired(text, at),
        _ => flag(text, name, at, operator, level.is_some()),
    }
}

/// `--key value`, `-Key value`, `"--key", "value"`.
fn flag(text: &[u8], name: usize, at: usize, operator: usize, quoted: bool) -> Option<Value> {
    match &text[name..] {
        [b'-', b'-' | b'A'..=b'Z', ..] => {}
        _ => return None,
    }
    if !quoted {
        return (operator > at).then(|| Value::new(operator, Form::Flag));
    }
    let listed = text.get(operator) == Some(&b',');
    listed.then(|| Value::new(skip_spaces(text, operator + 1), Form::Listed))
}

/// Whether the name follows a semicolon: `Server=a;Password=b c;`.
fn in_clause(text: &[u8], name: usize) -> bool {
    matches!(&text[..name], [.., b';'] | [.., b';', b' '])
}

/// Past the percent-encoded `=` or `:`, and the quotes and spaces around it.
fn encoded(text: &[u8], at: usize) -> Option<usize> {
    let at = percent(text, at, &[b"22", b"27"]);
    let tied = percent(text, at, &[b"3d", b"3a"]);
    let value = percent(text, tied, &[b"20"]);
    (tied > at).then(|| percent(text, value, &[b"22", b"27"]))
}

/// Past one of `codes` behind a percent sign that may itself be encoded; `at` without.
pub(super) fn percent(text: &[u8], at: usize, codes: &[&[u8; 2]]) -> usize {
    if text.get(at) != Some(&b'%') {
        return at;
    }
    let mut code = at + 1;
    for _ in 0..2 {
        code += 2 * usize::from(text[code..].starts_with(b"25"));
    }
    match text.get(code..code + 2) {
        Some(found)
            if codes
                .iter()
                .any(|code| found.eq_ignore_ascii_case(&code[..])) =>
        {
            code + 2
        }
        _ => at,
    }
}

/// Whether the name is a value itself: `name="token"`, `"key": "token"`.
fn is_name(text: &[u8], name: usize) -> bool {
    let at = back_over(text, name);
    if at == 0 || !matches!(text[at - 1], b'=' | b':') {
        return false;
    }
    let before = &text[..back_over(text, at - 1)];
    [&b"name"[..], b"key"].iter().any(|word| {
        let start = before.len().checked_sub(word.len());
        start.is_some_and(|start| {
            before[start..].eq_ignore_ascii_case(word)
                && (start == 0 || !is_word(before[start - 1]))
        })
    })
}

fn back_over(text: &[u8], at: usize) -> usize {
    let before = text[..at].iter().rev().take(BACKSLASHES + 3);
    at - before
        .take_while(|&&byte| is_quote(byte) || is_space(byte) || byte == b'\\')
        .count()
}

/// The value of the pair whose name ends at `at`: `value="x"`, `>x<`.
fn paired(text: &[u8], at: usize) -> Option<Value> {
    if text.get(at) == Some(&b'>') {
        return Some(Value::new(at + 1, Form::Element));
    }
    let mut at = skip(text, at, b",\r\n");
    at += quote_at(text, at).map_or(0, |level| level + 1);
    let word = text.get(at..at + 5)?;
    at += 5;
    if !word.eq_ignore_ascii_case(b"value") || text.get(at).is_some_and(|&byte| is_word(byte)) {
        return None;
    }
    at += quote_at(text, at).map_or(0, |level| level + 1);
    at = skip_spaces(text, at);
    let tied = matches!(text.get(at), Some(b'=' | b':'));
    tied.then(|| Value::new(skip_spaces(text, at + 1), Form::Paired))
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
            form: Form::Default,
            bare: false,
        }),
        _ => None,
    }
}
