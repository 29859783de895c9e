//! Bytes that may be anything, with checksums that agree: an answer or a typed error, never a panic.
//!
//! The same is held against the reference in `tests/differential/test_segments.py`; here it runs
//! with overflow checks and on many more of them.

use std::collections::HashSet;
use std::sync::Arc;

use harkback_core::corpus::Corpus;
use harkback_core::redact::Redactor;
use harkback_core::search::Scope;
use harkback_core::segment::Entry;

const HEAD: usize = 32;
const ENTRY: usize = 24;

fn entries() -> Vec<Entry<&'static str>> {
    let ids = ["0f8fad5b-d9cb-469f-a165-70867728950e", "toolu_1", "m"];
    (0..6_usize)
        .map(|at| Entry {
            id: ids[at % 3],
            turn: (at > 1).then_some(ids[at % 2]),
            timestamp: [-3, 0, i64::MAX, i64::MIN, 7, 7][at],
            kind: at as u8,
            locator: ["e10", "e11", ""][at % 3],
            leaves: vec![("alpha beta", at == 4), ("", false), ("gamma", false)],
            cuts: (at == 5).then(|| vec![vec![(0, 2), (3, 4)], vec![], vec![]]),
        })
        .collect()
}

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
}

/// Checksums over what there is, as far as the lengths of the one block lead anywhere.
fn resum(bytes: &mut [u8]) {
    let (table, text) = (number(bytes, HEAD + 4), number(bytes, HEAD + 8));
    let start = HEAD + ENTRY + text.div_ceil(32);
    if let Some(end) = bytes.len().checked_sub(table).filter(|end| *end >= start) {
        let sums = [
            crc32fast::hash(&bytes[start..end]),
            crc32fast::hash(&bytes[end..]),
        ];
        for (at, sum) in sums.iter().enumerate() {
            bytes[HEAD + 16 + 4 * at..][..4].copy_from_slice(&sum.to_le_bytes());
        }
    }
    let head = start.min(bytes.len());
    let sum = crc32fast::hash(&bytes[16..head]);
    bytes[12..16].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn hostile_bytes_give_an_answer_or_a_typed_error() {
    let redactor = Redactor::new(&[]).expect("no rules are rules");
    let corpus = Corpus::new(Arc::new(redactor));
    corpus.put("k", &entries());
    let whole = corpus.dump("k").expect("it is in memory");
    let mut same = whole.clone();
    resum(&mut same);
    assert_eq!(same, whole, "checksums are where this test puts them");
    let path = std::env::temp_dir().join(format!("harkback-hostile-{}", std::process::id()));
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let (mut refused, mut damaged, mut read) = (0, 0, 0);
    for _ in 0..4000 {
        let mut bytes = whole.clone();
        for _ in 0..=next(3) {
            let at = 16 + next(bytes.len() - 16);
            bytes[at] = [0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF][next(7)];
        }
        resum(&mut bytes);
        std::fs::write(&path, &bytes).expect("the temporary folder takes a file");
        if corpus.attach("k", &path, 0, bytes.len() as u64).is_err() {
            refused += 1;
            continue;
        }
        let answers = [
            corpus
                .search(&["alpha", "a"], &["k"], &Scope::default())
                .is_ok(),
            corpus.rows("k", 0, 99).is_ok(),
            corpus.dump("k").is_ok(),
            corpus
                .extend("k", &entries()[..1], &HashSet::from(["m"]))
                .is_ok(),
        ];
        if answers.contains(&false) {
            damaged += 1;
        } else {
            read += 1;
        }
    }
    std::fs::remove_file(&path).expect("it was written");
    assert!(
        refused > 100 && damaged > 100 && read > 100,
        "{refused} {damaged} {read}"
    );
}
