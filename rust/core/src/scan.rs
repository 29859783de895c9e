//! The raw scan: may this record hold one of the terms?
//!
//! The law: never no to a record of which one decoded JSON string holds, folded, one of the folded
//! terms, whatever the bytes. Yes to others is free but slow, and yes to what the slow path cannot
//! decode. Proof: `scan/tests.rs`, where each part of the argument left out breaks the law, and
//! `tests/properties/test_scan.py`.
//!
//! # When bytes alone may say no
//!
//! The fast path lowers ASCII and looks for each term as bytes; a hit is a yes. Without a hit, a
//! string says no undecoded under three conditions, argued here for a term `t`.
//!
//! 1. `t` holds no quote, backslash, control character or U+FFFD.
//! 2. Every escape denotes a quote, a backslash or a control character (U+0000 becomes U+FFFD).
//!    Each of these, and the U+FFFD of ill-formed UTF-8, folds to itself and composes with nothing,
//!    so the folded string falls apart at them; by 1 an occurrence of `t` lies in the fold of one
//!    piece between them, and a piece stands in the record byte for byte.
//! 3. The piece holds no dangerous code point. Call a code point plain if its class is inert (ASCII
//!    is) or unassigned: alone it folds to itself, or its lower case. The *atoms* of another one
//!    are the canonical decomposition of everything its own decomposition maps to; U+0307 also has
//!    the atom `i`, which may swallow it. One that is not plain is dangerous if it shares an atom
//!    with the decomposition of `t`, or if `t` starts with a joining code point.
//!
//! Claim: an occurrence of `t` in the fold of such a piece stands literally in the lowered piece.
//! A piece folds segment by segment: a border `b`, then joining marks `m`. Every atom of a folded
//! segment comes from one of its code points, and an atom of `t` only from a plain one, so from `b`
//! if it is plain: call a folded char that the occurrence covers *pure*, for it is all of `b`.
//! A segment of one plain code point is literal. Take any other that the occurrence touches; then
//! `b` is plain, and no `m` is. The decomposition of `b` is a starter and marks that are joining
//! themselves; so a pure char that is not the first of the folded segment is joining. If the
//! occurrence begins there, `t` starts with it: excluded by 3. So it covers the first char, which
//! is pure: no mark composed into it. Canonical order puts a mark before an atom of `b` only if its
//! combining class is lower, and after one of equal class, and so blocks no composition of
//! `b`: the first char is the whole of `b`, literally (lowered). What follows in the segment is not
//! pure, so the occurrence ends there; nothing followed `b` only if U+0307 was swallowed by an `i`,
//! which made it dangerous. Hence every char covered is literal and they stand side by side.
//!
//! A code point that the piece holds stands in the record in its UTF-8 form, so dangerous ones are
//! looked for byte by byte and no validation is needed: ill-formed bytes can only add alarms.
//! Nothing above asks where strings begin or end, so it also covers a record that is torn: a no
//! then means that no reading of its bytes holds a term.
//!
//! # Text in strings, strings in text
//!
//! Of text that is visible as it stands, 2 is void and 1 asks for no U+FFFD alone. Where a string may
//! be JSON text whose own strings are visible too, a piece of one of those is a part of a piece of
//! the outer string, unless the inner escape is `\/` or denotes a code point that is no control
//! character; in the record a backslash stands before the `/` or `u` of either, and alarms. Inner
//! text that cannot be decoded is no JSON, and so not visible by itself.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use unicode_normalization::UnicodeNormalization;

use crate::fold::{Class, class, fold, mapped};
use crate::json::{contents, decode};

#[cfg(test)]
mod tests;

/// Bytes lowered at a time, so that what is searched is still in the first cache.
const BLOCK: usize = 16 << 10;

/// Between records that come as one. UTF-8 never has it; in a record that does, it stands for
/// U+FFFD, so by 2 no occurrence lies across, and a string cut by it is one that does not end.
const JOINT: u8 = 0xFF;

/// Bytes that the fast path asks about at once: one for each bit of a word.
const STEP: usize = 32;

/// What a reader shows of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The strings of JSON.
    Strings,
    /// These, and the strings of those that are JSON text themselves.
    Nested,
    /// The record itself, which is no JSON.
    Text,
}

/// The parts of the argument above, each of which a test leaves out to see the law break.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools)]
struct Rules {
    lower: bool,
    overlap: bool,
    special_terms: bool,
    escapes: bool,
    control_only: bool,
    atoms: bool,
    dotted_i: bool,
    joining_term: bool,
    inner_escapes: bool,
}

const LAW: Rules = Rules {
    lower: true,
    overlap: true,
    special_terms: true,
    escapes: true,
    control_only: true,
    atoms: true,
    dotted_i: true,
    joining_term: true,
    inner_escapes: true,
};

/// Folded terms, prepared once, asked of many raw records.
pub struct Scanner {
    finders: Vec<Finder<'static>>,
    /// Bytes of a block that the next one repeats: an occurrence may lie across.
    overlap: usize,
    /// Condition 1 holds for every term.
    plain_terms: bool,
    /// The same of text that is visible as it stands.
    plain_in_text: bool,
    dangers: Dangers,
    rules: Rules,
}

impl Scanner {
    /// A Scanner for `terms`, which are folded.
    pub fn new<T: AsRef<str>>(terms: &[T]) -> Self {
        Self::with_rules(terms, LAW)
    }

    fn with_rules<T: AsRef<str>>(terms: &[T], rules: Rules) -> Self {
        let terms: Vec<&str> = terms.iter().map(AsRef::as_ref).collect();
        let longest = terms.iter().map(|term| term.len()).max().unwrap_or(0);
        let special = |c| matches!(c, '\0'..='\x1F' | '"' | '\\' | char::REPLACEMENT_CHARACTER);
        Self {
            finders: terms
                .iter()
                .map(|term| Finder::new(term).into_owned())
                .collect(),
            overlap: if rules.overlap {
                longest.saturating_sub(1)
            } else {
                0
            },
            plain_terms: !rules.special_terms || !terms.iter().any(|term| term.contains(special)),
            plain_in_text: !terms
                .iter()
                .any(|term| term.contains(['\0', char::REPLACEMENT_CHARACTER])),
            dangers: Dangers::new(&terms, rules),
            rules,
        }
    }

    /// Index of the first record that may hold any term in one of its JSON strings.
    ///
    /// A record may be several, joined by the byte 0xFF.
    pub fn first<'a>(&self, records: impl IntoIterator<Item = &'a [u8]>) -> Option<usize> {
        let mut lowered = Vec::with_capacity(BLOCK);
        let mut records = records.into_iter();
        records.position(|record| self.may_match(record, Shown::Strings, JOINT, &mut lowered))
    }

    /// Whether `record` may match: several records, if `joint` stands in it. `lowered` is scratch
    /// space, kept between calls.
    ///
    /// Both passes over a block are done while it is in the cache.
    pub(crate) fn may_match(
        &self,
        record: &[u8],
        shown: Shown,
        joint: u8,
        lowered: &mut Vec<u8>,
    ) -> bool {
        if self.finders.is_empty() {
            return false;
        }
        let size = BLOCK.max(2 * self.overlap);
        let mut suffice = match shown {
            Shown::Text => self.plain_in_text,
            Shown::Strings | Shown::Nested => self.plain_terms,
        };
        let mut start = 0;
        loop {
            let end = record.len().min(start + size);
            self.lower(&record[start..end], lowered);
            if self.finds(lowered) {
                return true;
            }
            suffice = suffice && self.is_plain(record, start, end, shown);
            if end == record.len() {
                return !suffice && self.may_match_decoded(record, shown, joint);
            }
            start = end - self.overlap;
        }
    }

    /// The slow path: of each string, what its bytes cannot answer is decoded and folded.
    fn may_match_decoded(&self, record: &[u8], shown: Shown, joint: u8) -> bool {
        if shown == Shown::Text {
            let text = String::from_utf8_lossy(record).replace('\0', "\u{FFFD}");
            return self.finds(fold(&text).as_bytes());
        }
        let parts = record.split(|&byte| byte == joint);
        parts.flat_map(contents).any(|content| match content {
            Ok(content) if self.plain_terms && self.is_plain(content, 0, content.len(), shown) => {
                false
            }
            Ok(content) => decode(content).map_or(true, |text| {
                self.finds(fold(&text).as_bytes()) || shown == Shown::Nested && self.inside(&text)
            }),
            Err(_) => true,
        })
    }

    /// Whether a string of the JSON that `text` may be holds a term.
    fn inside(&self, text: &str) -> bool {
        contents(text.as_bytes())
            .map_while(|content| decode(content.ok()?).ok())
            .any(|inner| self.finds(fold(&inner).as_bytes()))
    }

    fn finds(&self, folded: &[u8]) -> bool {
        self.finders
            .iter()
            .any(|finder| finder.find(folded).is_some())
    }

    fn lower(&self, bytes: &[u8], lowered: &mut Vec<u8>) {
        lowered.clear();
        if self.rules.lower {
            lowered.extend(bytes.iter().map(u8::to_ascii_lowercase));
        } else {
            lowered.extend_from_slice(bytes);
        }
    }

    /// Conditions 2 and 3, of what starts in `bytes[from..to]`.
    fn is_plain(&self, bytes: &[u8], from: usize, to: usize, shown: Shown) -> bool {
        let mut at = from;
        while let (true, Some(here)) = (at < to, bytes[at..].first_chunk::<STEP>()) {
            let next = bytes[at + 1..].first_chunk::<STEP>();
            if !next.is_some_and(|next| is_quiet(here, next)) {
                let mut suspects = self.dangers.suspects(here);
                while suspects != 0 {
                    if self.alarms(bytes, at + suspects.trailing_zeros() as usize, shown) {
                        return false;
                    }
                    suspects &= suspects - 1;
                }
            }
            at += STEP;
        }
        !(at..to).any(|at| self.alarms(bytes, at, shown))
    }

    /// Whether a dangerous code point, or an escape that matters, starts at `at`.
    fn alarms(&self, bytes: &[u8], at: usize, shown: Shown) -> bool {
        match bytes[at] {
            b'\\' if shown == Shown::Text => false,
            b'\\' => self.rules.escapes && !self.is_plain_escape(bytes, at, shown),
            _ => self.dangers.start(&bytes[at..]),
        }
    }

    /// Condition 2 of the backslash at `at`.
    ///
    /// Escapes are pairs from the left, so a backslash starts one if an even number of them stands
    /// directly before it. Between strings that is no different: a decoder takes no notice there,
    /// and a pair that ends with the opening quote leaves the string to be paired from its start.
    fn is_plain_escape(&self, bytes: &[u8], at: usize, shown: Shown) -> bool {
        match &bytes[at + 1..] {
            [b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', ..] => true,
            [b'u', b'0', b'0', b'0' | b'1', last, ..] if last.is_ascii_hexdigit() => true,
            [b'u', ..] if !self.rules.control_only => true,
            [b'u' | b'/', ..] if shown == Shown::Nested && self.rules.inner_escapes => false,
            _ => {
                bytes[..at]
                    .iter()
                    .rev()
                    .take_while(|&&byte| byte == b'\\')
                    .count()
                    % 2
                    == 1
            }
        }
    }
}

/// Whether no byte of `here` is beyond ASCII, or a backslash that none of the five usual letters
/// follows in `next`, which is `here` moved on by one. No branches: becomes vector instructions.
fn is_quiet(here: &[u8; STEP], next: &[u8; STEP]) -> bool {
    let noise = here.iter().zip(next).fold(0, |noise, (&byte, &next)| {
        let usual = u8::from(next == b'n')
            | u8::from(next == b'"')
            | u8::from(next == b'\\')
            | u8::from(next == b't')
            | u8::from(next == b'r');
        noise | (byte & 0x80) | (u8::from(byte == b'\\') & !usual)
    });
    noise == 0
}

/// The code points of condition 3, by their UTF-8 form.
struct Dangers {
    /// 1 for a byte that a dangerous code point, or an escape, starts with.
    suspect: [u8; 256],
    /// One bit for each code point.
    bits: Vec<u64>,
}

impl Dangers {
    fn new(terms: &[&str], rules: Rules) -> Self {
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
        let wanted: Vec<char> = terms.iter().flat_map(|term| term.nfd()).collect();
        for (c, atoms) in &*ATOMS {
            let dotted = *c == '\u{307}' && rules.dotted_i && wanted.contains(&'i');
            let shared = rules.atoms && atoms.iter().any(|atom| wanted.contains(atom));
            if every || dotted || shared {
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
    fn suspects(&self, block: &[u8; STEP]) -> u32 {
        let suspect = |byte: u8| u32::from(self.suspect[usize::from(byte)]);
        (0..STEP).fold(0, |bits, at| bits | suspect(block[at]) << at)
    }

    /// Whether `bytes` starts with a dangerous code point.
    fn start(&self, bytes: &[u8]) -> bool {
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

/// Every code point that is not plain, with its atoms.
static ATOMS: LazyLock<Vec<(char, Vec<char>)>> = LazyLock::new(|| {
    let plain = |c: &char| matches!(class(*c), Class::Inert | Class::Unassigned);
    let every = ('\0'..=char::MAX).filter(|c| !plain(c));
    every.map(|c| (c, atoms(c))).collect()
});

fn atoms(c: char) -> Vec<char> {
    let mut found = Vec::new();
    for part in std::iter::once(c).nfd() {
        match mapped(part) {
            Some(to) => found.extend(to.nfd()),
            None => found.push(part),
        }
    }
    found
}
