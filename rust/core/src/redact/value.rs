//! Values: where the value behind a separator lies, and whether it is a secret.
//!
//! A quoted value goes to its closing quote (the same quote behind as many backslashes), else to
//! the end of the line; one in three quotes over lines to the next three; one of a YAML block to
//! the end of its indentation; an unquoted one to where its form ends. Invariant: values are bounded
//! in sum, because two quoted ones of one kind never overlap and all others share their ends.
//! Proof: `tests/unit/redaction/test_key.py`, `tests/unit/redaction/test_forms.py`; cost:
//! `benches/redact.py`.

use std::ops::Range;

use super::benign;
use super::ends::{Runs, indent_at};
use super::separator::{
    BACKSLASHES, Form, SPACES, Value, is_line_end, is_quote, is_space, quote_at, skip_spaces,
};

const SCHEME: usize = 20;
const SCHEMES: [&[u8]; 5] = [b"bearer", b"basic", b"token", b"apikey", b"negotiate"];
const LINE_SCHEMES: [&[u8]; 2] = [b"digest", b"signature"];
const OPENERS: [&str; 3] = ["“", "「", "『"];
/// First byte of U+3000: from here on scripts are written without spaces between words.
const EAST_ASIAN: u8 = 0xe3;
/// What follows a quote that closes: in `getpass("Password: ", stream)` it opens no value.
const CLOSERS: &[u8] = b" ,)]};+.\r\n";
/// How far above a lone word the header of its section is looked for, in characters, all ASCII.
const SECTION: usize = 512;

pub(super) enum Found {
    Secret(Range<usize>),
    /// A lone word: a secret only if its line holds nothing else.
    Word(Range<usize>),
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
    if found.form == Form::Element {
        return element(text, start, runs);
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
        Some(level) => quoted(text, start + level, level, runs),
        None if found.form == Form::Listed => None,
        None => block(text, start, found.form, runs)
            .map(Found::Secret)
            .or_else(|| unquoted(text, start, found.form, runs)),
    }
}

fn quoted(text: &[u8], quote: usize, level: usize, runs: &mut Runs) -> Option<Found> {
    let mark = text[quote];
    let mut start = quote + 1;
    let mut end = text.len();
    if level == 0 && text[start..].starts_with(&[mark, mark]) {
        start += 2;
        end = runs.triple_end(text, start, mark);
    }
    if end == text.len() {
        end = closing_quote(text, start, mark, level);
    }
    let (start, _) = scheme(text, start, end);
    (!benign::quoted(&text[start..end])).then_some(Found::Secret(start..end))
}

/// Index of the end of the content: its closing quote's first backslash, or the line's end.
/// A doubled quote, behind no backslash, stands for itself.
fn closing_quote(text: &[u8], start: usize, mark: u8, level: usize) -> usize {
    let mut at = start;
    let mut slashes = 0;
    while at < text.len() {
        let byte = text[at];
        if byte == mark && (slashes < level || (slashes - level).is_multiple_of(2 * (level + 1))) {
            let doubled = text.get(at + 1) == Some(&mark) && mark != b'`';
            if level > 0 || at == start || !doubled {
                return at - slashes.min(level);
            }
            at += 1;
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
    if !matches!(form, Form::Tight | Form::Clause | Form::Encoded) {
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
    let (mut end, form) = unquoted_end(text, start, form, runs);
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

/// End of an unquoted value, and its form: a clause that nothing closes is none.
fn unquoted_end(text: &[u8], start: usize, form: Form, runs: &mut Runs) -> (usize, Form) {
    match form {
        Form::Encoded => (runs.encoded_end(text, start), form),
        Form::Clause => {
            let end = runs.clause_end(text, start);
            if text
                .get(end)
                .is_some_and(|&byte| byte == b';' || is_quote(byte))
            {
                (end, form)
            } else {
                (runs.value_end(text, start), Form::Tight)
            }
        }
        _ => (runs.value_end(text, start), form),
    }
}

/// A value made of words: a secret or code, by the form it stands in.
fn words(value: &[u8], start: usize, form: Form, following: u8) -> Option<Found> {
    let span = start..start + value.len();
    let secret = match form {
        Form::Flag => !benign::prose(value),
        Form::Tight => !matches!(following, b',' | b')') && !benign::dotted(value),
        Form::Clause | Form::Encoded => !benign::dotted(value),
        Form::Paired => !b"([{".contains(&value[0]) && !benign::dotted(value),
        Form::Colon | Form::Loose if benign::one_word(value) => return Some(Found::Word(span)),
        _ => false,
    };
    secret.then_some(Found::Secret(span))
}

/// The text of an XML element: `<password>x</password>`.
fn element(text: &[u8], start: usize, runs: &mut Runs) -> Option<Found> {
    let end = runs.element_end(text, start);
    let closed = text[end..].starts_with(b"</") || text[end..].starts_with(b"<\\/");
    (closed && !benign::quoted(&text[start..end])).then_some(Found::Secret(start..end))
}

/// A YAML block: `password: |` and the lines that are indented under it.
fn block(text: &[u8], start: usize, form: Form, runs: &mut Runs) -> Option<Range<usize>> {
    if form != Form::Colon || !matches!(text.get(start), Some(b'|' | b'>')) {
        return None;
    }
    let mut at = start + 1;
    for _ in 0..2 {
        let sign = matches!(text.get(at), Some(b'+' | b'-' | b'0'..=b'9'));
        at += usize::from(sign);
    }
    at = skip_spaces(text, at);
    at += usize::from(text[at..].starts_with(b"\r\n"));
    if text.get(at) != Some(&b'\n') {
        return None;
    }
    at += 1;
    let indent = indent_at(text, at);
    if indent == 0 {
        return None;
    }
    let end = runs.block_end(text, at, indent);
    (end > at + indent).then_some(at + indent..end)
}

/// A lone word is a secret where its line says nothing else, prose or code where it does.
///
/// `password: swordfish`; `password = swordfish` only under the header of a section.
pub(super) fn alone(text: &[u8], name: usize, word: &Range<usize>, form: Form) -> bool {
    let mut before = name;
    while before > 0 && name - before < SPACES && b" \t-*>\"'".contains(&text[before - 1]) {
        before -= 1;
    }
    let after = skip_spaces(text, word.end);
    (before == 0 || is_line_end(text[before - 1]))
        && text.get(after).is_none_or(|&byte| is_line_end(byte))
        && (form == Form::Colon || in_section(&text[..before]))
}

/// Whether the nearest line above that starts with a bracket is a header: `[database]`.
fn in_section(above: &[u8]) -> bool {
    let near = above.iter().rev().take(SECTION);
    for (back, byte) in near.enumerate() {
        let place = above.len() - 1 - back;
        if !byte.is_ascii() {
            return false;
        }
        if *byte == b'[' && (place == 0 || above[place - 1] == b'\n') {
            let line = memchr::memchr(b'\n', &above[place..]).map(|end| &above[place..place + end]);
            return line.is_some_and(|line| matches!(line, [.., b']'] | [.., b']', b'\r']));
        }
    }
    false
}
