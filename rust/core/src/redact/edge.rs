//! Edges: whether a token may start at a place of a text.
//!
//! It may where no letter, digit or underscore stands before it, behind the marks of emphasis
//! (`__`), and behind an escape that ends in a letter or digit: `\n`, `\u003d`, `%3D`, a terminal's
//! colour, written out or not. Invariant: a bounded look to the left.
//! Proof: `tests/unit/redaction/test_rules.py`.

use super::name::is_word;

const LOOK: usize = 20;
const MARKS: usize = 3; // underscores of emphasis
const COLOUR: usize = 12; // digits and semicolons

/// Whether the text behind `before` may begin with a token.
pub(super) fn is_edge(before: &[u8]) -> bool {
    match before.last() {
        Some(&byte) if is_word(byte) => {
            is_emphasis(before) || is_escape(&before[before.len().saturating_sub(LOOK)..])
        }
        _ => true,
    }
}

/// Whether `before` ends with a few underscores that nothing of a word stands before.
fn is_emphasis(before: &[u8]) -> bool {
    let marks = before
        .iter()
        .rev()
        .take(MARKS)
        .take_while(|byte| **byte == b'_');
    let rest = &before[..before.len() - marks.count()];
    rest.len() < before.len() && !rest.last().is_some_and(|byte| is_word(*byte))
}

/// Whether `tail` ends with an escape.
fn is_escape(tail: &[u8]) -> bool {
    match tail {
        [.., b'\\', b'n' | b'r' | b't' | b'f' | b'b' | b'v' | b'0'] => true,
        [.., b'%', high, low] | [.., b'\\', b'x', high, low] if is_hex(&[*high, *low]) => true,
        [.., b'\\', b'u', a, b, c, d] if is_hex(&[*a, *b, *c, *d]) => true,
        [.., b'm'] => is_colour(tail),
        _ => false,
    }
}

/// Whether `tail` ends with `ESC [ 1 ; 31 m`, its first character written out or not.
fn is_colour(tail: &[u8]) -> bool {
    let digits = tail[..tail.len() - 1].iter().rev();
    let count = digits
        .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
        .count();
    let start = &tail[..tail.len() - 1 - count];
    count <= COLOUR
        && [
            b"\x1b[".as_slice(),
            b"x1b[",
            b"x1B[",
            b"033[",
            b"u001b[",
            b"u001B[",
            b"\\e[",
        ]
        .iter()
        .any(|escape| start.ends_with(escape))
}

fn is_hex(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}
