//! Benign values: what stands behind a sensitive name and is no secret.
//!
//! Placeholders, nothing, and source code (`password = data.get(...)`, `token: str`). Invariant:
//! each check looks at no more than `LIMIT` characters, all of them ASCII, so that a value is
//! judged in constant time and bytes and code points are the same.
//! Proof: `tests/unit/redaction/test_key.py`.

use super::name::{is_word, segments};

pub(super) const LIMIT: usize = 64;
pub(super) const MARK: &str = "[redacted]";
/// Letters of one part of a name or a path; longer ones are random more often than not.
const WORD_LETTERS: usize = 32;

const NOTHING: &[&[u8]] = &[
    b"null",
    b"none",
    b"nil",
    b"undefined",
    b"true",
    b"false",
    b"yes",
    b"no",
    b"on",
    b"off",
    b"new",
    b"await",
    b"async",
    b"lambda",
    b"function",
    b"typeof",
    b"not",
    b"if",
    b"required",
    b"optional",
    b"redacted",
    b"hidden",
    b"masked",
];
/// What a path to a value begins with: `process.env.KEY2` is code, digits or not.
const ROOTS: &[&[u8]] = &[
    b"process",
    b"env",
    b"os",
    b"self",
    b"this",
    b"settings",
    b"config",
    b"module",
    b"var",
    b"data",
    b"local",
    b"secrets",
    b"vars",
    b"inputs",
    b"ctx",
    b"args",
    b"opts",
    b"options",
    b"req",
    b"request",
    b"response",
    b"props",
    b"state",
    b"import",
];
const NUMBERS: &[&[u8]] = &[
    b"u8", b"u16", b"u32", b"u64", b"i8", b"i16", b"i32", b"i64", b"f32", b"f64", b"int32",
    b"int64", b"uint8", b"uint32", b"uint64", b"float64",
];
/// Digits of `0x...`: short of a key.
const CONSTANT: usize = 8;
const TYPES: &[&[u8]] = &[
    b"str",
    b"string",
    b"bytes",
    b"int",
    b"integer",
    b"number",
    b"bool",
    b"boolean",
    b"any",
    b"object",
    b"text",
    b"float",
    b"char",
    b"varchar",
    b"uuid",
    b"unknown",
    b"void",
    b"never",
    b"password",
    b"token",
    b"secret",
];
const PROSE: &[&[u8]] = &[
    b"a",
    b"an",
    b"and",
    b"are",
    b"as",
    b"at",
    b"by",
    b"can",
    b"does",
    b"flag",
    b"for",
    b"from",
    b"has",
    b"if",
    b"in",
    b"instead",
    b"is",
    b"it",
    b"may",
    b"must",
    b"of",
    b"on",
    b"option",
    b"options",
    b"or",
    b"parameter",
    b"so",
    b"that",
    b"the",
    b"then",
    b"this",
    b"to",
    b"value",
    b"was",
    b"when",
    b"which",
    b"will",
    b"with",
    b"you",
];
const YOURS: [&[u8]; 4] = [b"your_", b"your-", b"your ", b"<your"];
const OPENINGS: [&[u8]; 3] = [b"${", b"$(", b"%("];
const CLOSED: [(&[u8], &[u8]); 6] = [
    (b"${", b"}"),
    (b"{{", b"}}"),
    (b"{", b"}"),
    (b"#{", b"}"),
    (b"<", b">"),
    (b"$(", b")"),
];

fn among(value: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|word| value.eq_ignore_ascii_case(word))
}

fn expression(mut value: &[u8]) -> &[u8] {
    while let [b'(' | b'[' | b'{' | b'&' | b'*' | b'!', rest @ ..] = value {
        value = rest;
    }
    value
}

fn speaks(value: &[u8]) -> bool {
    value
        .iter()
        .any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

fn contains(value: &[u8], part: &[u8]) -> bool {
    value.windows(part.len()).any(|window| window == part)
}

/// Whether `value` can be no secret, whatever form it stands in.
pub(super) fn unquoted(value: &[u8]) -> bool {
    let value = expression(value);
    if value.len() > LIMIT {
        let value = &value[..LIMIT];
        return OPENINGS.iter().any(|opening| value.starts_with(opening)) || call(value);
    }
    among(value, NOTHING)
        || !speaks(value)
        || few_digits(value)
        || variable(value)
        || call(value)
        || NUMBERS.contains(&value)
        || constant(value)
        || rooted(value)
}

/// Whether `value` is made of words: an identifier, a path, a word of prose.
pub(super) fn plain(value: &[u8]) -> bool {
    let value = expression(value);
    value.len() <= LIMIT
        && value
            .split(|byte| !byte.is_ascii_alphanumeric())
            .all(|part| part.is_empty() || wordlike(part))
        && !value
            .iter()
            .any(|byte| byte.is_ascii_digit() || !byte.is_ascii() || b"([{=%^".contains(byte))
}

/// Whether a plain value is an attribute or a path: code, not a word somebody chose.
pub(super) fn dotted(value: &[u8]) -> bool {
    b"./~&*!".contains(&value[0]) || value.contains(&b'.') || value.contains(&b'/')
}

/// Whether a plain value is one lower-case word that names no type.
pub(super) fn one_word(value: &[u8]) -> bool {
    value.iter().all(u8::is_ascii_lowercase) && !TYPES.contains(&value)
}

/// Whether the value goes on with a sentence: `use --token to sign in`.
pub(super) fn prose(value: &[u8]) -> bool {
    among(value, PROSE)
}

/// Whether the content of a quoted value is empty, a null word or a placeholder.
pub(super) fn quoted(mut value: &[u8]) -> bool {
    while let Some(rest) = value.strip_prefix(MARK.as_bytes()) {
        value = rest;
    }
    if value.len() > LIMIT {
        return false;
    }
    let value = trim(value);
    if !speaks(value) {
        return true;
    }
    if !value.is_ascii() {
        return false;
    }
    let yours = |word: &&[u8]| {
        value
            .get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    among(value, NOTHING)
        || constant(value)
        || YOURS.iter().any(yours)
        || CLOSED.iter().any(|(opening, closing)| {
            value
                .strip_prefix(*opening)
                .and_then(|rest| rest.strip_suffix(*closing))
                .is_some_and(|inner| {
                    !inner.is_empty() && !contains(inner, opening) && !contains(inner, closing)
                })
        })
        || matches!(value, [b'[', inner @ .., b']'] if inner.iter().all(u8::is_ascii_alphabetic))
        || variable(value)
}

fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

fn wordlike(part: &[u8]) -> bool {
    let count = segments(part).count();
    part.len() <= WORD_LETTERS && (count == 1 || part.len() >= 3 * count)
}

fn few_digits(value: &[u8]) -> bool {
    value.iter().filter(|byte| byte.is_ascii_digit()).count() < 4
        && value
            .iter()
            .all(|byte| byte.is_ascii_digit() || b".-+".contains(byte))
}

/// `$NAME`, `$1`, `${NAME`, `$(command`, `%s`, `%(name`, `%NAME%`.
fn variable(value: &[u8]) -> bool {
    OPENINGS.iter().any(|opening| value.starts_with(opening))
        || match value {
            [b'$', rest @ ..] if !rest.is_empty() => {
                rest.iter().all(|&byte| is_word(byte) || byte == b':')
            }
            [b'%', rest @ ..] if !rest.is_empty() => rest
                .iter()
                .all(|&byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'%'),
            _ => false,
        }
}

/// `#d09b9e`, `0x1f`: a colour or a short number.
fn constant(value: &[u8]) -> bool {
    let hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match value {
        [b'#', digits @ ..] => matches!(digits.len(), 3 | 4 | 6 | 8) && hex(digits),
        [b'0', b'x', digits @ ..] => !digits.is_empty() && digits.len() <= CONSTANT && hex(digits),
        _ => false,
    }
}

/// `process.env.KEY2`: a path from a root that code has, of names and nothing else.
fn rooted(value: &[u8]) -> bool {
    let Some(dot) = memchr::memchr(b'.', value) else {
        return false;
    };
    let (root, rest) = (&value[..dot], &value[dot + 1..]);
    let name = |byte: &u8| is_word(*byte) || matches!(byte, b'.' | b'?' | b'!');
    ROOTS.contains(&root) && !rest.is_empty() && rest.iter().all(name)
}

/// `os.environ[`, `data.get(`, `Some(`: an identifier that is called or indexed.
fn call(value: &[u8]) -> bool {
    let name = value
        .iter()
        .take_while(|&&byte| is_word(byte) || b".$:?!&*".contains(&byte))
        .count();
    name > 0 && matches!(value.get(name), Some(b'(' | b'[')) && !value[0].is_ascii_digit()
}
