//! JSON strings of a raw record: bytes in, decoded text out, to the depth of one string.
//!
//! Decoded as a reader does: escapes resolved, surrogate pairs joined; a lone surrogate, U+0000
//! and each maximal ill-formed part of UTF-8 become U+FFFD. A string that itself holds JSON text is
//! just a string. Of what stands between strings only this is checked: there is no backslash. With
//! one, what looks like a string may be what lies between two, as after a record that was cut and
//! begun again.
//! Proof: the tests below, and through the scan `tests/properties/test_scan.py`.

use memchr::{memchr, memchr2};
use thiserror::Error;

/// No JSON: a string that does not end, an escape that JSON does not have, or one outside a string.
#[derive(Debug, Error, Clone, Copy, PartialEq, Eq)]
#[error("undecodable")]
pub struct Undecodable;

/// The bytes between the quotes of every string of `record` in order, keys included.
///
/// An error is the last item: a string that does not end, or a backslash outside of one.
pub fn contents(record: &[u8]) -> Contents<'_> {
    Contents { rest: record }
}

/// Iterator of [`contents`].
pub struct Contents<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Contents<'a> {
    type Item = Result<&'a [u8], Undecodable>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = memchr2(b'"', b'\\', self.rest)?;
        if self.rest[start] == b'\\' {
            self.rest = &[];
            return Some(Err(Undecodable));
        }
        let string = &self.rest[start + 1..];
        let mut at = 0;
        while let Some(found) = string.get(at..).and_then(|tail| memchr2(b'"', b'\\', tail)) {
            at += found;
            if string[at] == b'"' {
                self.rest = &string[at + 1..];
                return Some(Ok(&string[..at]));
            }
            at += 2;
        }
        self.rest = &[];
        Some(Err(Undecodable))
    }
}

/// The text of one string, given the bytes between its quotes.
///
/// # Errors
///
/// A bad escape.
pub fn decode(content: &[u8]) -> Result<String, Undecodable> {
    let mut text = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(backslash) = memchr(b'\\', rest) {
        push_raw(&rest[..backslash], &mut text);
        let (c, length) = escape(&rest[backslash + 1..]).ok_or(Undecodable)?;
        text.push(c);
        rest = &rest[backslash + 1 + length..];
    }
    push_raw(rest, &mut text);
    Ok(text)
}

fn push_raw(bytes: &[u8], text: &mut String) {
    let decoded = String::from_utf8_lossy(bytes);
    if memchr(0, bytes).is_none() {
        text.push_str(&decoded);
    } else {
        text.push_str(&decoded.replace('\0', "\u{FFFD}"));
    }
}

/// The char that an escape denotes, and its length, given what follows the backslash.
fn escape(bytes: &[u8]) -> Option<(char, usize)> {
    let simple = match bytes.first()? {
        b'u' => return unicode_escape(bytes),
        b'b' => '\u{8}',
        b'f' => '\u{C}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        &c @ (b'"' | b'\\' | b'/') => char::from(c),
        _ => return None,
    };
    Some((simple, 1))
}

fn unicode_escape(bytes: &[u8]) -> Option<(char, usize)> {
    const LENGTH: usize = 5;
    let high = code_unit(bytes, 1)?;
    if (0xD800..0xDC00).contains(&high) && bytes[LENGTH..].starts_with(b"\\u") {
        let low = code_unit(bytes, LENGTH + 2).filter(|low| (0xDC00..0xE000).contains(low));
        if let Some(low) = low {
            let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            return Some((char::from_u32(code)?, 2 * LENGTH + 1));
        }
    }
    let c = char::from_u32(high).filter(|&c| c != '\0');
    Some((c.unwrap_or(char::REPLACEMENT_CHARACTER), LENGTH))
}

fn code_unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |unit, &digit| {
        Some(unit << 4 | char::from(digit).to_digit(16)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(record: &[u8]) -> Result<Vec<String>, Undecodable> {
        contents(record).map(|content| decode(content?)).collect()
    }

    #[test]
    fn decodes_as_a_reader_does() {
        let record =
            br#"{"a\/b":["\ud83d\ude00\uD83D\n\u0000",1,"\\\"\u00e9","{\"x\":\"\\u0041\"}"]}"#;
        assert_eq!(
            strings(record).unwrap(),
            ["a/b", "😀\u{FFFD}\n\u{FFFD}", "\\\"é", r#"{"x":"\u0041"}"#]
        );
        let record = b"\"a\xE4\xBDb\xFF\xED\xA0\x80\"";
        assert_eq!(
            strings(record).unwrap(),
            ["a\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"]
        );
        assert_eq!(
            strings(b"\"\\ud83d\\ud83d\\ude00\"").unwrap(),
            ["\u{FFFD}😀"]
        );
    }

    #[test]
    fn what_json_does_not_have_is_undecodable() {
        for record in [
            &b"\"open"[..],
            b"\"\\",
            b"\"\\\"",
            b"\"\\x41\"",
            b"\"\\u12\"",
            b"\"\\u+123\"",
            b"\"ok\" \"\\u00g0\"",
            b"null \\ 12",
            b"\"cut{\"x\":\"\\\"\"}",
        ] {
            assert_eq!(strings(record), Err(Undecodable), "{record:?}");
        }
    }
}
