//! Ends: how far a value goes, by the form it stands in.
//!
//! A run of one form has the same end wherever it is entered, so what was measured last is
//! remembered. Invariant: memory only saves time; measuring costs a text its length once per form,
//! and a block of YAML once per indentation. Proof: `tests/unit/redaction/test_forms.py`; cost:
//! `benches/redact.py`.

use super::separator::{continuation, is_line_end, is_quote, percent};

/// Punctuation of East Asian text that ends an unquoted value; three bytes each.
const WIDE_STOPS: &str = "　、。，；！？（）［］｛｝＜＞＆〈〉《》「」『』【】“”";
/// What ends a percent-encoded value: `&`, a space, quotes, line ends, `, ; ] }`.
const ENCODED_STOPS: [&[u8; 2]; 10] = [
    b"26", b"20", b"22", b"27", b"0a", b"0d", b"2c", b"3b", b"5d", b"7d",
];
const INDENTS: usize = 64;

/// A stretch that was measured: from where, to where.
type Measured = Option<(usize, usize)>;

/// The runs measured last.
#[derive(Default)]
pub(super) struct Runs {
    value: Measured,
    line: Measured,
    clause: Measured,
    element: Measured,
    encoded: Measured,
    triples: [Measured; 3],
    blocks: Vec<Measured>,
}

impl Runs {
    /// End of the unquoted value at `at`; a backslash keeps a space or a line end in it.
    pub(super) fn value_end(&mut self, text: &[u8], at: usize) -> usize {
        known(&mut self.value, at, || {
            let mut end = at;
            while end < text.len() {
                if text[end] == b'\\' {
                    let joined = continuation(text, end);
                    let space = text.get(end + 1) == Some(&b' ');
                    end += joined.max(1 + usize::from(space));
                } else if stops(text, end) {
                    break;
                } else {
                    end += 1;
                }
            }
            end
        })
    }

    /// End of the line that `at` lies in.
    pub(super) fn line_end(&mut self, text: &[u8], at: usize) -> usize {
        known(&mut self.line, at, || {
            memchr::memchr2(b'\r', b'\n', &text[at..]).map_or(text.len(), |found| at + found)
        })
    }

    /// End of a value between semicolons.
    pub(super) fn clause_end(&mut self, text: &[u8], at: usize) -> usize {
        let stop = |byte: u8| is_quote(byte) || matches!(byte, b'\r' | b'\n' | b';' | b'<' | b'>');
        known(&mut self.clause, at, || first(text, at, stop))
    }

    /// End of the text of an XML element that stands on one line.
    pub(super) fn element_end(&mut self, text: &[u8], at: usize) -> usize {
        let stop = |byte| matches!(byte, b'<' | b'\r' | b'\n');
        known(&mut self.element, at, || first(text, at, stop))
    }

    /// End of a percent-encoded value.
    pub(super) fn encoded_end(&mut self, text: &[u8], at: usize) -> usize {
        known(&mut self.encoded, at, || {
            let mut end = at;
            while end < text.len()
                && !stops(text, end)
                && (text[end] != b'%' || percent(text, end, &ENCODED_STOPS) == end)
            {
                end += 1;
            }
            end
        })
    }

    /// Start of the next three `mark`, a quote; the length of the text without any.
    pub(super) fn triple_end(&mut self, text: &[u8], at: usize, mark: u8) -> usize {
        let memory = match mark {
            b'"' => &mut self.triples[0],
            b'\'' => &mut self.triples[1],
            _ => &mut self.triples[2],
        };
        known(memory, at, || {
            memchr::memmem::find(&text[at..], &[mark; 3]).map_or(text.len(), |found| at + found)
        })
    }

    /// End of the last line of the block of this indentation in which the line `at` lies.
    pub(super) fn block_end(&mut self, text: &[u8], at: usize, indent: usize) -> usize {
        self.blocks.resize(INDENTS, None);
        known(&mut self.blocks[indent], at, || block_end(text, at, indent))
    }
}

fn known(memory: &mut Measured, at: usize, measure: impl FnOnce() -> usize) -> usize {
    match *memory {
        Some((start, end)) if start <= at && at <= end => end,
        _ => {
            let end = measure();
            *memory = Some((at, end));
            end
        }
    }
}

fn first(text: &[u8], at: usize, stop: impl Fn(u8) -> bool) -> usize {
    let length = text[at..].iter().position(|&byte| stop(byte));
    length.map_or(text.len(), |length| at + length)
}

fn stops(text: &[u8], at: usize) -> bool {
    match text[at] {
        b' ' | b'\t'..=b'\r' | b'&' | b'<' | b'>' | b',' | b';' | b')' | b']' | b'}' => true,
        0xe2 | 0xe3 | 0xef => {
            let mut wide = WIDE_STOPS.as_bytes().chunks(3);
            wide.any(|stop| text[at..].starts_with(stop))
        }
        byte => is_quote(byte),
    }
}

/// Spaces at the start of the line at `at`, as far as they count.
pub(super) fn indent_at(text: &[u8], at: usize) -> usize {
    let spaces = text[at..].iter().take(INDENTS - 1);
    spaces.take_while(|&&byte| byte == b' ').count()
}

fn block_end(text: &[u8], at: usize, indent: usize) -> usize {
    let (mut end, mut line) = (at, at);
    while line < text.len() {
        let stop = memchr::memchr(b'\n', &text[line..]).map_or(text.len(), |found| line + found);
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        if !text[line..stop].iter().all(blank) {
            if indent_at(text, line) < indent {
                break;
            }
            end = stop - usize::from(is_line_end(text[stop - 1]));
        }
        line = stop + 1;
    }
    end
}
