//! Validators: what a secret that was found has to hold, beyond its shape.
//!
//! They keep words, names and sequences that only look like a key. Invariant: integers only, and no
//! more than `PREFIX` code points of the secret, so that one costs the same however long the secret
//! is. Proof: `tests/unit/redaction/test_validate.py`.

const PREFIX: usize = 256;
const DISTINCT: usize = 8;

/// What a secret has to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Validator {
    None,
    Mixed,
    Random,
    Luhn,
}

impl Validator {
    pub(super) fn new(name: &str) -> Option<Self> {
        match name {
            "" => Some(Self::None),
            "mixed" => Some(Self::Mixed),
            "random" => Some(Self::Random),
            "luhn" => Some(Self::Luhn),
            _ => None,
        }
    }

    pub(super) fn accepts(self, secret: &str) -> bool {
        let end = secret.char_indices().nth(PREFIX);
        let secret = end.map_or(secret, |(end, _)| &secret[..end]);
        match self {
            Self::None => true,
            Self::Mixed => mixed(secret),
            Self::Random => random(secret),
            Self::Luhn => luhn(secret),
        }
    }
}

/// At least one ASCII digit and one ASCII letter.
fn mixed(secret: &str) -> bool {
    let holds = |class: fn(&u8) -> bool| secret.as_bytes().iter().any(class);
    holds(u8::is_ascii_digit) && holds(u8::is_ascii_alphabetic)
}

/// Mixed, of enough distinct characters, neither one character's run nor a sequence.
///
/// No character follows itself through more than a quarter of the secret, and less than half of its
/// steps lead to the next code point (`abcdefgh12345678`).
fn random(secret: &str) -> bool {
    if !mixed(secret) {
        return false;
    }
    let mut distinct: Vec<char> = Vec::with_capacity(DISTINCT);
    let (mut length, mut longest, mut run, mut ascents) = (0, 1, 1, 0);
    let mut before = None;
    for char in secret.chars() {
        length += 1;
        if distinct.len() < DISTINCT && !distinct.contains(&char) {
            distinct.push(char);
        }
        run = if before == Some(char) { run + 1 } else { 1 };
        longest = longest.max(run);
        ascents += usize::from(before.is_some_and(|before| char as u32 == before as u32 + 1));
        before = Some(char);
    }
    distinct.len() == DISTINCT && longest * 4 <= length && ascents * 2 < length - 1
}

/// 13 to 19 digits with the checksum of payment cards; spaces and dashes do not count.
fn luhn(secret: &str) -> bool {
    let mut digits = 0;
    let mut total = 0;
    for byte in secret.bytes().rev() {
        match byte {
            b' ' | b'-' => {}
            b'0'..=b'9' => {
                let value = u32::from(byte - b'0') * (1 + digits % 2);
                total += if value > 9 { value - 9 } else { value };
                digits += 1;
            }
            _ => return false,
        }
    }
    (13..20).contains(&digits) && total % 10 == 0
}
