//! Key rules: the value under or after a sensitive name, in every textual form known.
//!
//! `key = value`, `key: value`, `key := value`, `"key" => "value"`, `\"key\": \"value\"`,
//! `--flag value`, `Authorization: Bearer value`. A quoted value goes to its closing quote (the
//! same quote behind as many backslashes), else to the end of the line; an unquoted one to white
//! space, a quote or one of `& < > , ; ) ] }`, over backslash-newline. Invariant: one occurrence of
//! a keyword costs a bounded number of steps, plus its value; values are bounded in sum, because
//! two quoted ones of one kind never overlap and unquoted ones share one end. Proof:
//! `tests/unit/redaction/test_key.py`; cost: `benches/redact.py`.

use std::ops::Range;

use super::benign;
use super::name::{Names, is_name, is_word};

const NAME_LOOK_BACK: usize = 64;
/// Digits and underscores behind the last segment: `password_2`.
const NAME_TAIL: usize = 4;
const SPACES: usize = 32;
/// Three levels of JSON inside JSON.
const BACKSLASHES: usize = 7;
const SCHEME: usize = 20;

const SCHEMES: [&[u8]; 5] = [b"bearer", b"basic", b"token", b"apikey", b"negotiate"];
const LINE_SCHEMES: [&[u8]; 2] = [b"digest", b"signature"];

/// How a value hangs on its name: `k=v`, `k = v`, `k: v`, `--k v`, `"--k", "v"`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Tight,
    Loose,
    Colon,
    Flag,
    Listed,
}

#[derive(Clone, Copy)]
struct Value {
    start: usize,
    form: Form,
    /// A colon behind a name without quotes.
    bare: bool,
}

/// What follows a quote that closes: in `getpass("Password: ", stream)` it opens no value.
const CLOSERS: &[u8] = b" ,)]};+.\r\n";

enum Found {
    Secret(Range<usize>),
    /// A lone word behind a colon: a secret only if its line holds nothing else.
    Word(Range<usize>),
}

/// The unquoted run and the line measured last: every start inside one has the same end.
#[derive(Default)]
pub(super) struct Runs {
    run: Option<(usize, usize)>,
    line: Option<(usize, usize)>,
}

impl Runs {
    /// End of the unquoted value that `at` lies in.
    fn value_end(&mut self, text: &[u8], at: usize) -> usize {
        match self.run {
            Some((start, end)) if start <= at && at <= end => end,
            _ => {
                let mut end = at;
                while end < text.len() {
                    let step = continuation(text, end);
                    if step == 0 && stops(text[end]) {
                        break;
                    }
                    end += step.max(1);
                }
                self.run = Some((at, end));
                end
            }
        }
    }

    /// End of the line that `at` lies in.
    fn line_end(&mut self, text: &[u8], at: usize) -> usize {
        match self.line {
            Some((start, end)) if start <= at && at <= end => end,
            _ => {
                let end = memchr::memchr2(b'\r', b'\n', &text[at..])
                    .map_or(text.len(), |found| at + found);
                self.line = Some((at, end));
                end
            }
        }
    }
}

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
    let found = separator(text, end, text[start..].starts_with(b"--"))?;
    if !names.sensitive(&text[start..end]) {
        return None;
    }
    let mut span = value(text, found, runs);
    if span.is_none() && found.form == Form::Colon {
        span = annotated(text, found.start).and_then(|found| value(text, found, runs));
    }
    match span? {
        Found::Secret(span) => Some(span),
        Found::Word(word) => alone(text, start, &word).then_some(word),
    }
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\r' || byte == b'\n'
}

fn stops(byte: u8) -> bool {
    is_quote(byte)
        || matches!(
            byte,
            b' ' | b'\t'..=b'\r' | b'&' | b'<' | b'>' | b',' | b';' | b')' | b']' | b'}'
        )
}

/// Length of a backslash-newline at `at`, else 0.
fn continuation(text: &[u8], at: usize) -> usize {
    match &text[at..] {
        [b'\\', b'\n', ..] => 2,
        [b'\\', b'\r', b'\n', ..] => 3,
        _ => 0,
    }
}

fn skip_spaces(text: &[u8], mut at: usize) -> usize {
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
fn quote_at(text: &[u8], at: usize) -> Option<usize> {
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
fn separator(text: &[u8], mut at: usize, flag: bool) -> Option<Value> {
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
        [b'=', ..] => {
            let start = skip_spaces(text, operator + 1);
            let form = if start - at == 1 {
                Form::Tight
            } else {
                Form::Loose
            };
            Some(Value {
                start,
                form,
                bare: false,
            })
        }
        [b':', ..] => value(stars(text, operator + 1), Form::Colon),
        [b'?', b':', ..] => value(stars(text, operator + 2), Form::Colon),
        [b',', ..] if flag && level.is_some() => value(operator + 1, Form::Listed),
        _ if flag && level.is_none() && operator > at => Some(Value {
            start: operator,
            form: Form::Flag,
            bare: false,
        }),
        _ => None,
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

fn value(text: &[u8], found: Value, runs: &mut Runs) -> Option<Found> {
    let mut start = found.start;
    let prefix = text[start..]
        .iter()
        .take(2)
        .take_while(|byte| b"bBfFrRuU".contains(byte))
        .count();
    if prefix > 0 && text.get(start + prefix).is_some_and(|&byte| is_quote(byte)) {
        start += prefix;
    }
    match quote_at(text, start) {
        Some(level)
            if found.bare
                && text
                    .get(start + level + 1)
                    .is_none_or(|byte| CLOSERS.contains(byte)) =>
        {
            None
        }
        Some(level) => quoted(text, start + level, level),
        None if found.form == Form::Listed => None,
        None => unquoted(text, start, found.form, runs),
    }
}

fn quoted(text: &[u8], quote: usize, level: usize) -> Option<Found> {
    let mark = text[quote];
    let mut start = quote + 1;
    if level == 0 && text[start..].starts_with(&[mark, mark]) {
        start += 2;
    }
    let end = closing_quote(text, start, mark, level);
    let (start, _) = scheme(text, start, end);
    (!benign::quoted(&text[start..end])).then_some(Found::Secret(start..end))
}

/// Index of the end of the content: its closing quote's first backslash, or the line's end.
fn closing_quote(text: &[u8], mut at: usize, mark: u8, level: usize) -> usize {
    let mut slashes = 0;
    while at < text.len() {
        let byte = text[at];
        if byte == mark && (slashes < level || (slashes - level).is_multiple_of(2 * (level + 1))) {
            return at - slashes.min(level);
        }
        if is_line_end(byte)
            && slashes % 2 == 0
            && !(at >= 2 && text[at - 2..].starts_with(b"\\\r\n"))
        {
            return at;
        }
        slashes = if byte == b'\\' { slashes + 1 } else { 0 };
        at += 1;
    }
    at
}

/// Past an authentication scheme and its space, and whether the rest of the line belongs to it.
fn scheme(text: &[u8], start: usize, end: usize) -> (usize, bool) {
    let name = text[start..end]
        .iter()
        .take(SCHEME)
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let spaces = text[start + name..end]
        .iter()
        .take_while(|&&byte| is_space(byte))
        .count();
    let among = |schemes: &[&[u8]]| {
        schemes
            .iter()
            .any(|scheme| text[start..start + name].eq_ignore_ascii_case(scheme))
    };
    let line = among(&LINE_SCHEMES);
    if spaces > 0 && (line || among(&SCHEMES)) {
        (start + name + spaces, line)
    } else {
        (start, false)
    }
}

fn unquoted(text: &[u8], start: usize, form: Form, runs: &mut Runs) -> Option<Found> {
    let (mut start, line) = scheme(text, start, text.len().min(start + SCHEME + SPACES));
    if line {
        let end = runs.line_end(text, start);
        return (!benign::quoted(&text[start..end])).then_some(Found::Secret(start..end));
    }
    while text[start..].starts_with(benign::MARK.as_bytes()) {
        start += benign::MARK.len();
    }
    let mut end = runs.value_end(text, start);
    let following = text.get(end).copied().unwrap_or(b' ');
    if is_quote(following) {
        let escapes = start.max(end.saturating_sub(BACKSLASHES));
        while end > escapes && text[end - 1] == b'\\' {
            end -= 1;
        }
    }
    let head = &text[start..end.min(start + benign::LIMIT)];
    let open = benign::MARK.trim_end_matches(']');
    let judged = memchr::memmem::find(head, open.as_bytes()).map_or(end, |hidden| start + hidden);
    let judged = &text[start..judged];
    if benign::unquoted(judged) {
        return None;
    }
    if !benign::plain(judged) {
        return Some(Found::Secret(start..end));
    }
    words(&text[start..end], start, form, following)
}

/// A value made of words: a secret or code, by the form it stands in.
fn words(value: &[u8], start: usize, form: Form, following: u8) -> Option<Found> {
    let span = start..start + value.len();
    match form {
        Form::Flag => (!benign::prose(value)).then_some(Found::Secret(span)),
        Form::Tight => {
            let code = matches!(following, b',' | b')') || benign::dotted(value);
            (!code).then_some(Found::Secret(span))
        }
        Form::Colon => benign::one_word(value).then_some(Found::Word(span)),
        Form::Loose | Form::Listed => None,
    }
}

/// `password: swordfish` is a secret where its line says nothing else, prose where it does.
fn alone(text: &[u8], name: usize, word: &Range<usize>) -> bool {
    let mut before = name;
    while before > 0 && name - before < SPACES && b" \t-*>\"'".contains(&text[before - 1]) {
        before -= 1;
    }
    let after = skip_spaces(text, word.end);
    (before == 0 || is_line_end(text[before - 1]))
        && text.get(after).is_none_or(|&byte| is_line_end(byte))
}

/// The default behind a type: `password: str = "x"`.
fn annotated(text: &[u8], start: usize) -> Option<Value> {
    let length = text[start..]
        .iter()
        .take(benign::LIMIT)
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
