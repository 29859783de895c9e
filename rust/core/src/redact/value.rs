//! Values: where the value behind a separator ends, and whether it is a secret.
//!
//! A quoted value goes to its closing quote (the same quote behind as many backslashes), else to
//! the end of the line; an unquoted one to white space, a quote or one of `& < > , ; ) ] }` and
//! their full-width twins, over backslash-newline. Invariant: values are bounded in sum, because
//! two quoted ones of one kind never overlap and unquoted ones share one end. Proof:
//! `tests/unit/redaction/test_key.py`; cost: `benches/redact.py`.

use std::ops::Range;

use super::benign;
use super::separator::{
    BACKSLASHES, Form, SPACES, Value, continuation, is_line_end, is_quote, is_space, quote_at,
    skip_spaces,
};

const SCHEME: usize = 20;
const SCHEMES: [&[u8]; 5] = [b"bearer", b"basic", b"token", b"apikey", b"negotiate"];
const LINE_SCHEMES: [&[u8]; 2] = [b"digest", b"signature"];
/// Punctuation of East Asian text that ends an unquoted value; three bytes each.
const WIDE_STOPS: &str = "　、。，；！？（）［］｛｝＜＞＆〈〉《》「」『』【】“”";
const OPENERS: [&str; 3] = ["“", "「", "『"];
/// First byte of U+3000: from here on scripts are written without spaces between words.
const EAST_ASIAN: u8 = 0xe3;

/// What follows a quote that closes: in `getpass("Password: ", stream)` it opens no value.
const CLOSERS: &[u8] = b" ,)]};+.\r\n";

pub(super) enum Found {
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
                    if step == 0 && (stops(text[end]) || wide_stop(text, end)) {
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

fn stops(byte: u8) -> bool {
    is_quote(byte)
        || matches!(
            byte,
            b' ' | b'\t'..=b'\r' | b'&' | b'<' | b'>' | b',' | b';' | b')' | b']' | b'}'
        )
}

/// Whether a stop of three bytes stands at `at`, a lead byte that is not ASCII.
fn wide_stop(text: &[u8], at: usize) -> bool {
    let stop = |stop: &[u8]| text[at..].starts_with(stop);
    matches!(text[at], 0xe2 | 0xe3 | 0xef) && WIDE_STOPS.as_bytes().chunks(3).any(stop)
}

pub(super) fn value(text: &[u8], found: Value, runs: &mut Runs) -> Option<Found> {
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
    if form != Form::Tight {
        if OPENERS
            .iter()
            .any(|opener| text[start..].starts_with(opener.as_bytes()))
        {
            start += 3;
        }
        if text.get(start).is_some_and(|&lead| lead >= EAST_ASIAN) {
            return None;
        }
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
        Form::Loose | Form::Listed | Form::Stated => None,
    }
}

/// `password: swordfish` is a secret where its line says nothing else, prose where it does.
pub(super) fn alone(text: &[u8], name: usize, word: &Range<usize>) -> bool {
    let mut before = name;
    while before > 0 && name - before < SPACES && b" \t-*>\"'".contains(&text[before - 1]) {
        before -= 1;
    }
    let after = skip_spaces(text, word.end);
    (before == 0 || is_line_end(text[before - 1]))
        && text.get(after).is_none_or(|&byte| is_line_end(byte))
}
