//! Which code points of a record keep its bytes from saying no, given the terms.
//!
//! They are those of condition 3 in the argument of `scan.rs`, whose words are used here. Proof:
//! `tests.rs` beside this file.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use super::{Rules, STEP};
use crate::fold::{Class, class, fold, mapped};

/// The code points of condition 3, by their UTF-8 form.
pub(super) struct Dangers {
    /// 1 for a byte that a dangerous code point, or an escape, starts with.
    suspect: [u8; 256],
    /// One bit for each code point.
    bits: Vec<u64>,
}

impl Dangers {
    pub(super) fn new(terms: &[&str], rules: Rules) -> Self {
        let mut found = Self {
            suspect: [0; 256],
            bits: vec![0; 0x11_0000 / 64],
        };
        found.suspect[usize::from(b'\\')] = 1;
        let joining = |term: &&str| {
            term.chars()
                .next()
                .is_some_and(|c| class(c) == Class::Joining)
        };
        let every = rules.joining_term && terms.iter().any(joining);
        let (ascii, other): (Vec<&str>, Vec<&str>) = terms.iter().partition(|term| term.is_ascii());
        let wanted: Vec<char> = other.iter().flat_map(|term| term.nfd()).collect();
        let plainly = |c: char| ascii.iter().any(|term| term.contains(c));
        let dotted_i = rules.dotted_i && (plainly('i') || wanted.contains(&'i'));
        for (c, atoms, exposed) in &*ATOMS {
            let shared =
                atoms.iter().any(|atom| wanted.contains(atom)) || exposed.chars().any(plainly);
            if every || rules.atoms && shared || dotted_i && *c == '\u{307}' {
                found.add(*c);
            }
        }
        found
    }

    fn add(&mut self, c: char) {
        self.suspect[usize::from(c.encode_utf8(&mut [0; 4]).as_bytes()[0])] = 1;
        self.bits[c as usize / 64] |= 1 << (c as usize % 64);
    }

    /// One bit for each suspect byte of a block.
    pub(super) fn suspects(&self, block: &[u8; STEP]) -> u32 {
        let suspect = |byte: u8| u32::from(self.suspect[usize::from(byte)]);
        (0..STEP).fold(0, |bits, at| bits | suspect(block[at]) << at)
    }

    /// Whether `bytes` starts with a dangerous code point.
    pub(super) fn start(&self, bytes: &[u8]) -> bool {
        let tail = |byte: u8| usize::from(byte & 0x3F);
        let code = match *bytes {
            [a @ 0xC2..=0xDF, b, ..] => usize::from(a & 0x1F) << 6 | tail(b),
            [a @ 0xE0..=0xEF, b, c, ..] => usize::from(a & 0x0F) << 12 | tail(b) << 6 | tail(c),
            [a @ 0xF0..=0xF4, b, c, d, ..] => {
                usize::from(a & 0x07) << 18 | tail(b) << 12 | tail(c) << 6 | tail(d)
            }
            _ => return false,
        };
        self.bits
            .get(code / 64)
            .is_some_and(|bits| bits >> (code % 64) & 1 == 1)
    }
}

/// Every code point that is not plain, with its atoms and the ASCII of its fold.
pub(super) static ATOMS: LazyLock<Vec<(char, Vec<char>, String)>> = LazyLock::new(|| {
    let plain = |c: &char| matches!(class(*c), Class::Inert | Class::Unassigned);
    let every = ('\0'..=char::MAX).filter(|c| !plain(c));
    every
        .map(|c| {
            let atoms = atoms(c);
            let exposed = if atoms.iter().any(char::is_ascii) {
                exposed(&c.to_string())
            } else {
                String::new()
            };
            (c, atoms, exposed)
        })
        .collect()
});

pub(super) fn exposed(text: &str) -> String {
    fold(text).chars().filter(char::is_ascii).collect()
}

pub(super) fn atoms(c: char) -> Vec<char> {
    let mut found = Vec::new();
    for part in std::iter::once(c).nfd() {
        match mapped(part) {
            Some(to) => found.extend(to.nfd()),
            None => found.push(part),
        }
    }
    found
}
