//! Edges: whether a token may start at a place of a text.
//!
//! It may where no letter, digit or underscore stands before it, and behind an escape that ends in
//! one: `\n`, `\u003d`, `%3D`, a terminal's colour. Invariant: a bounded look to the left.
//! Proof: `tests/unit/redaction/test_rules.py`.

use super::name::is_word;

const LOOK: usize = 12;

/// Whether the text behind `before` may begin with a token.
pub(super) fn is_edge(before: &[u8]) -> bool {
    match before.last() {
        Some(&byte) if is_word(byte) => is_escape(&before[before.len().saturating_sub(LOOK)..]),
        _ => true,
    }
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

/// Whether `tail` ends with `ESC [ 1 ; 31 m`.
fn is_colour(tail: &[u8]) -> bool {
    let digits = tail[..tail.len() - 1].iter().rev();
    let count = digits
        .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
        .count();
    tail[..tail.len() - 1 - count].ends_with(b"\x1b[")
}

fn is_hex(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}
