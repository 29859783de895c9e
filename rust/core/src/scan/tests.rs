//! The superset law on vectors and on seeded random strings; each part of the argument left out
//! must be seen to break it.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use super::{LAW, Rules, Scanner, Shown, atoms};
use crate::fold::{Class, class, fold, mapped};
use crate::json::{contents, decode};

/// Whether one decoded string holds, folded, the term.
fn holds(record: &[u8], term: &str) -> bool {
    let texts = contents(record).map_while(|content| decode(content.ok()?).ok());
    texts.into_iter().any(|text| fold(&text).contains(term))
}

fn says_yes(record: &[u8], term: &str, rules: Rules) -> bool {
    Scanner::with_rules(&[term], rules)
        .first([record])
        .is_some()
}

fn breaks_law(record: &[u8], term: &str, rules: Rules) -> bool {
    holds(record, term) && !says_yes(record, term, rules)
}

/// Raw records and a term that each of them holds.
fn vectors() -> Vec<(Vec<u8>, &'static str)> {
    let mut across = vec![b'-'; super::BLOCK - 3];
    across.insert(0, b'"');
    across.extend_from_slice(b"needle\"");
    let quoted = |text: &str| format!("[\"{text}\"]").into_bytes();
    vec![
        (quoted("Context WINDOW"), "context window"),
        (across, "needle"),
        (quoted(r"say \u0022hi\u0022"), "say \"hi\""),
        (quoted(r#"say \"hi\""#), "say \"hi\""),
        (quoted(r"C:\\Temp"), r"c:\temp"),
        (quoted(r"a\nb"), "a\nb"),
        (quoted(r"tail\ud83d"), "tail\u{FFFD}"),
        (quoted(r"a\/b"), "a/b"),
        (quoted(r"mod\u0065l"), "model"),
        (quoted("\\u6a21\u{578B}"), "模型"),
        (quoted("ＭＯＤＥＬ"), "model"),
        (quoted("e\u{301}te"), "éte"),
        (quoted("É"), "é"),
        (quoted("é\u{323}"), "ẹ"),
        (quoted("é\u{323}!"), "\u{301}!"),
        (quoted("i\u{307}x"), "ix"),
        (quoted("İx"), "ix"),
        (quoted("i\u{307}\u{301}"), "í"),
        (quoted("\u{AC00}\u{11A8}"), "각"),
        (quoted("\u{1100}\u{1161}"), "가"),
        (quoted("ｶﾞ"), "ガ"),
        (quoted("か\u{3099}"), "が"),
        (quoted("Straße"), "strasse"),
        (quoted("\u{212A}"), "k"),
        (quoted("\u{345}x"), "ιx"),
        (b"{\"\xFFmodel\xE4\": 1}".to_vec(), "model"),
        (b"\"a\xE4\" \"torn mod\\u0065l".to_vec(), "a\u{FFFD}"),
    ]
}

/// xorshift64: small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    fn text(&mut self, longest: usize) -> String {
        const ALPHABET: &[char] = &[
            'i', 'I', 'İ', 'ı', 'e', 'E', 'é', 'É', 'ẹ', 'ệ', 'o', 'ǭ', 'h', 'ẖ', 's', 'ß', 'ẞ',
            'ſ', 'α', 'ᾳ', 'ᾴ', 'ΐ', 'ι', 'Ω', '\u{2126}', '\u{212A}', '\u{301}', '\u{302}',
            '\u{303}', '\u{304}', '\u{307}', '\u{308}', '\u{30C}', '\u{316}', '\u{323}', '\u{328}',
            '\u{331}', '\u{335}', '\u{340}', '\u{344}', '\u{345}', '\u{35C}', '\u{3099}',
            '\u{309A}', 'か', 'が', 'カ', 'ｶ', 'ﾊ', 'ﾞ', 'ﾟ', '가', '각', '\u{1100}', '\u{1161}',
            '\u{11A8}', '\u{9C7}', '\u{9BE}', '\u{9CB}', '\u{F71}', '\u{F73}', '\u{F72}',
            '\u{378}', '模', '，', ',', 'Ａ', 'a', '"', '\\', '\n', '\0', '\u{FFFD}', '/',
        ];
        // Few distinct chars in one text, so that terms and marks meet.
        let few: Vec<char> = (0..6)
            .map(|_| ALPHABET[self.below(ALPHABET.len())])
            .collect();
        (0..=self.below(longest))
            .map(|_| few[self.below(few.len())])
            .collect()
    }

    /// A record of one string, each char raw or escaped, now and then a stray byte in it.
    fn record(&mut self, text: &str) -> Vec<u8> {
        let escaping = self.below(4) == 0;
        let mut record = vec![b'"'];
        for c in text.chars() {
            if c < ' ' || matches!(c, '"' | '\\') || escaping && self.below(3) == 0 {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    record.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            } else {
                record.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            if self.below(40) == 0 {
                record.push(0xE4);
            }
        }
        record.push(b'"');
        record
    }
}

/// Random records, each with a piece of the fold of its text.
fn random(count: usize) -> Vec<(Vec<u8>, String)> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut cases = Vec::new();
    while cases.len() < count {
        let text = random.text(7);
        let folded: Vec<char> = fold(&text).chars().collect();
        let start = random.below(folded.len());
        let end = start + 1 + random.below((folded.len() - start).min(4));
        cases.push((random.record(&text), folded[start..end].iter().collect()));
    }
    cases
}

#[test]
fn law_holds() {
    for (record, term) in vectors() {
        assert!(
            holds(&record, term),
            "{term:?} in {}",
            record.escape_ascii()
        );
        assert!(
            says_yes(&record, term, LAW),
            "{term:?} in {}",
            record.escape_ascii()
        );
    }
    for (record, term) in random(60_000) {
        assert!(
            !breaks_law(&record, &term, LAW),
            "{term:?} in {}",
            record.escape_ascii()
        );
    }
}

#[test]
fn every_part_of_the_argument_is_needed() {
    let mutations = [
        (
            "lower",
            Rules {
                lower: false,
                ..LAW
            },
        ),
        (
            "overlap",
            Rules {
                overlap: false,
                ..LAW
            },
        ),
        (
            "special_terms",
            Rules {
                special_terms: false,
                ..LAW
            },
        ),
        (
            "escapes",
            Rules {
                escapes: false,
                ..LAW
            },
        ),
        (
            "control_only",
            Rules {
                control_only: false,
                ..LAW
            },
        ),
        (
            "atoms",
            Rules {
                atoms: false,
                ..LAW
            },
        ),
        (
            "dotted_i",
            Rules {
                dotted_i: false,
                ..LAW
            },
        ),
        (
            "joining_term",
            Rules {
                joining_term: false,
                ..LAW
            },
        ),
    ];
    for (part, rules) in mutations {
        let caught = vectors()
            .iter()
            .any(|(record, term)| breaks_law(record, term, rules));
        assert!(caught, "the law survives without {part}");
    }
}

#[test]
fn an_inner_escape_is_needed_where_strings_hold_json() {
    for (record, term) in [
        (r#"{"k":"[\"mod\\u0065l\"]"}"#, "model"),
        (r#"{"k":"[\"a\\/b\"]"}"#, "a/b"),
    ] {
        let yes = |rules| {
            let scanner = Scanner::with_rules(&[term], rules);
            scanner.may_match(record.as_bytes(), Shown::Nested, b'\n', &mut Vec::new())
        };
        assert!(yes(LAW));
        assert!(
            !yes(Rules {
                inner_escapes: false,
                ..LAW
            }),
            "the law survives without the inner escapes of {term}"
        );
    }
}

#[test]
fn atoms_of_a_code_point_are_those_of_its_parts() {
    for c in ('\0'..=char::MAX).filter(|&c| class(c) != Class::Unassigned) {
        let whole: BTreeSet<char> = match mapped(c) {
            Some(to) => to.nfd().collect(),
            None => std::iter::once(c).nfd().collect(),
        };
        assert_eq!(whole, atoms(c).into_iter().collect(), "{c:?}");
    }
}

#[test]
fn a_plain_border_decomposes_into_a_starter_and_joining_marks() {
    for c in ('\0'..=char::MAX).filter(|&c| class(c) == Class::Inert) {
        let mut parts = std::iter::once(c).nfd();
        assert!(
            parts
                .next()
                .is_some_and(|part| class(part) != Class::Joining),
            "{c:?}"
        );
        assert!(parts.all(|part| class(part) == Class::Joining), "{c:?}");
    }
}

#[test]
fn what_cannot_matter_is_answered_from_bytes() {
    let scanner = Scanner::new(&["context window", "模型"]);
    let record = "{\"text\":\"日志，“引号”。\\n\\u001b[0m café \u{AC00} 😀\"}".as_bytes();
    assert!(scanner.is_plain(record, 0, record.len(), Shown::Strings));
    assert_eq!(scanner.first([record]), None);
    assert!(!Scanner::new(&["a,b"]).is_plain(record, 0, record.len(), Shown::Strings));
}

#[test]
fn first_is_the_index_of_the_first() {
    let records: [&[u8]; 3] = [b"\"no\"", b"\"Yes\"", b"\"yes\""];
    assert_eq!(Scanner::new(&["yes"]).first(records), Some(1));
    assert_eq!(Scanner::new(&["yes", "no"]).first(records), Some(0));
    assert_eq!(Scanner::new(&["other"]).first(records), None);
    assert_eq!(Scanner::new::<&str>(&[]).first(records), None);
}
