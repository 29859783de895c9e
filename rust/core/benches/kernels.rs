//! Benches of the kernels: fold, scan, redact, and search over segments in memory and in a file.
//!
//! `cargo bench -p harkback-core`. Each states its throughput over the same made-up text; answers
//! are asserted before anything is timed. Whole stages: `benches/` in Python. Proof of what they
//! compute: `tests/differential`.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use harkback_core::corpus::Corpus;
use harkback_core::fold::fold;
use harkback_core::redact::{Redactor, Rule, RuleKind};
use harkback_core::scan::Scanner;
use harkback_core::search::Scope;
use harkback_core::segment::Entry;

const MESSAGES: usize = 20_000;
const WORDS: [&str; 16] = [
    "Context",
    "window",
    "retry",
    "error:",
    "timeout",
    "return",
    "branch",
    "merge",
    "模型",
    "上下文",
    "token",
    "budget",
    "Index",
    "café",
    "search",
    "the",
];

/// Sentences of 5 to 100 words, the same on every run.
fn messages() -> Vec<String> {
    let mut state = 7_u64;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize
    };
    (0..MESSAGES)
        .map(|_| {
            let count = 5 + next() % 96;
            let words: Vec<&str> = (0..count).map(|_| WORDS[next() % WORDS.len()]).collect();
            words.join(" ")
        })
        .collect()
}

fn redactor() -> Redactor {
    let rule = Rule {
        id: "made-up".into(),
        kind: RuleKind::Pattern,
        keywords: vec!["zq-".into()],
        shape: "zq-[a-z0-9]{8}".into(),
        before: 0,
        boundary: false,
        run: String::new(),
        end: String::new(),
        names: Vec::new(),
        qualifiers: Vec::new(),
        validator: String::new(),
        back: String::new(),
    };
    Redactor::new(&[rule]).expect("the rule is one")
}

fn entries(messages: &[String]) -> Vec<Entry<&str>> {
    messages
        .iter()
        .map(|text| Entry {
            id: "message",
            turn: None,
            timestamp: 0,
            kind: 0,
            locator: "",
            leaves: vec![(text.as_str(), false)],
            cuts: None,
        })
        .collect()
}

fn text(criterion: &mut Criterion) {
    let messages = messages();
    let bytes: usize = messages.iter().map(String::len).sum();
    let records: Vec<String> = messages.iter().map(|text| format!("\"{text}\"")).collect();
    let redactor = redactor();
    assert_eq!(fold("Café Context"), "café context");
    assert_eq!(redactor.spans("a zq-12345678 b", false).len(), 1);
    let scanner = Scanner::new(&["absentee"]);
    assert_eq!(scanner.first(records.iter().map(String::as_bytes)), None);
    let mut group = criterion.benchmark_group("text");
    group
        .throughput(Throughput::Bytes(bytes as u64))
        .sample_size(20);
    group.bench_function("fold", |bench| {
        bench.iter(|| messages.iter().map(|text| fold(text).len()).sum::<usize>());
    });
    group.bench_function("scan, absent word", |bench| {
        bench.iter(|| scanner.first(black_box(&records).iter().map(String::as_bytes)));
    });
    group.bench_function("redact, no keyword", |bench| {
        let spans = |text: &String| redactor.spans(text, false).len();
        bench.iter(|| messages.iter().map(spans).sum::<usize>());
    });
    group.finish();
}

fn segments(criterion: &mut Criterion) {
    let messages = messages();
    let bytes: usize = messages.iter().map(String::len).sum();
    let corpus = Corpus::new(Arc::new(redactor()));
    corpus.put("memory", &entries(&messages));
    let path = std::env::temp_dir().join(format!("harkback-bench-{}", std::process::id()));
    let dumped = corpus.dump("memory").expect("it is whole");
    std::fs::write(&path, &dumped).expect("the temporary folder takes a file");
    corpus
        .attach("file", &path, 0, dumped.len() as u64)
        .expect("it was just written");
    std::fs::remove_file(&path).expect("a file that is open may go");
    let search = |key: &str, terms: &[&str]| {
        let hits = corpus.search(terms, &[key], &Scope::default());
        hits.expect("it is whole").row
    };
    let mut group = criterion.benchmark_group("segments");
    group
        .throughput(Throughput::Bytes(bytes as u64))
        .sample_size(20);
    group.bench_function("put", |bench| {
        bench.iter(|| corpus.put("again", &entries(&messages)));
    });
    group.bench_function("dump", |bench| bench.iter(|| corpus.dump("memory")));
    for (label, terms) in [
        ("signatures only", &["absentee"][..]),
        ("no signature helps", &["xt"]),
        ("common word", &["context"]),
        ("one letter", &["e"]),
    ] {
        let expected = search("memory", terms);
        assert_eq!(expected.is_empty(), label == "signatures only");
        assert_eq!(search("file", terms), expected);
        for key in ["memory", "file"] {
            group.bench_function(format!("{label}, {key}"), |bench| {
                bench.iter(|| search(key, black_box(terms)));
            });
        }
    }
    group.finish();
}

criterion_group!(kernels, text, segments);
criterion_main!(kernels);
