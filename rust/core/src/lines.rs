//! The records of a growing file of lines, in bounded memory, repaired for a strict JSON parser.
//!
//! A record ends at the byte 0x0A and nowhere else; an empty one, or one of NUL bytes, is none. What
//! follows the last 0x0A is the tail: whether it is a record yet is for the caller to say. Offsets
//! are those of the uncompressed stream. Repaired: a mark of byte order at the start is left out,
//! and so are NUL, space, tab and CR around a record; an ill-formed part of UTF-8 and any other NUL,
//! a lone surrogate escape and `\u0000` each denote U+FFFD.
//!
//! Invariant: the same records and the same damage however the file is cut into reads. Proof:
//! `tests/differential/test_lines.py`.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use memchr::{memchr, memchr_iter, memmem};

use crate::stream::{Damage, Stream};

/// Bytes of a record; a longer one is skipped and counted.
pub const LINE_LIMIT: usize = 64 << 20;

/// Of the first read, which has to serve a caller that wants the first records alone.
const FIRST_READ: usize = 64 << 10;
const READ: usize = 1 << 20;
const MARK: &[u8] = b"\xEF\xBB\xBF";
const REPLACEMENT: &[u8] = b"\\ufffd";

/// A record, by the offset of its line.
pub type Record = (u64, Vec<u8>);

/// The records of one file, read as they are asked for.
pub struct Lines {
    stream: Option<Stream>,
    /// What was read of the line that is not at its end yet.
    rest: Vec<u8>,
    /// Offset of that line.
    offset: u64,
    /// Bytes of it that are gone because it is too long.
    skipped: u64,
    next_read: usize,
    limit: usize,
    damage: Vec<(Damage, u64, u64)>,
}

impl Lines {
    /// The records in the first `stop` bytes of a file.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    pub fn open(path: &Path, stop: u64) -> io::Result<Self> {
        Ok(Self {
            stream: Some(Stream::open(path, 0, stop)?),
            rest: Vec::new(),
            offset: 0,
            skipped: 0,
            next_read: FIRST_READ,
            limit: LINE_LIMIT,
            damage: Vec::new(),
        })
    }

    /// The next records, in order; none at the end.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn take(&mut self) -> io::Result<Vec<Record>> {
        while let Some(stream) = &mut self.stream {
            let known = self.rest.len();
            let at_most = std::mem::replace(&mut self.next_read, READ);
            if stream.append(&mut self.rest, at_most)? == 0 {
                if let Some(damage) = stream.damage {
                    self.damage.push((damage, self.offset, 0));
                }
                self.stream = None;
                break;
            }
            let records = self.cut(known);
            if !records.is_empty() {
                return Ok(records);
            }
        }
        Ok(Vec::new())
    }

    /// The records that end in `rest`, of which the first `known` bytes hold no 0x0A.
    fn cut(&mut self, known: usize) -> Vec<Record> {
        let bytes = std::mem::take(&mut self.rest);
        let mut records = Vec::new();
        let mut start = 0;
        for end in memchr_iter(b'\n', &bytes[known..]).map(|at| known + at) {
            let line = &bytes[start..end];
            records.extend(self.record(line));
            self.offset += self.skipped + line.len() as u64 + 1;
            self.skipped = 0;
            start = end + 1;
        }
        if self.skipped > 0 || bytes.len() - start > self.limit {
            self.skipped += (bytes.len() - start) as u64;
        } else if start == 0 {
            self.rest = bytes;
        } else {
            self.rest.extend_from_slice(&bytes[start..]);
        }
        records
    }

    fn record(&mut self, line: &[u8]) -> Option<Record> {
        let size = self.skipped + line.len() as u64;
        if size > self.limit as u64 {
            self.damage.push((Damage::LineTooLong, self.offset, size));
            return None;
        }
        let record = self.strip(line);
        if record.is_empty() {
            if memchr(0, line).is_some() {
                self.damage.push((Damage::NulRun, self.offset, size));
            }
            return None;
        }
        let (record, whole) = repair(record);
        if !whole {
            self.damage.push((Damage::InvalidUtf8, self.offset, size));
        }
        Some((self.offset, record.into_owned()))
    }

    fn strip<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let around = |byte: &u8| !matches!(byte, 0 | b' ' | b'\t' | b'\r');
        let line = match line.strip_prefix(MARK) {
            Some(line) if self.offset == 0 => line,
            _ => line,
        };
        let Some(start) = line.iter().position(around) else {
            return &[];
        };
        let end = line.iter().rposition(around).unwrap_or(start);
        &line[start..=end]
    }

    /// What follows the last 0x0A, once `take` gave nothing.
    pub fn tail(&self) -> Option<Record> {
        if self.stream.is_some() || self.skipped > 0 {
            return None;
        }
        let record = self.strip(&self.rest);
        (!record.is_empty()).then(|| (self.offset, repair(record).0.into_owned()))
    }

    /// Lets go of the file; nothing more is read.
    pub fn close(&mut self) {
        self.stream = None;
    }

    /// What was met so far: reason, offset, bytes.
    pub fn damage(&self) -> &[(Damage, u64, u64)] {
        &self.damage
    }
}

/// The record with U+FFFD for what no text can hold, and whether it was well-formed UTF-8.
fn repair(record: &[u8]) -> (Cow<'_, [u8]>, bool) {
    let whole = std::str::from_utf8(record).is_ok();
    let mut text = Cow::Borrowed(record);
    if !whole {
        text = Cow::Owned(String::from_utf8_lossy(record).into_owned().into_bytes());
    }
    if memchr(0, &text).is_some() {
        let parts: Vec<&[u8]> = text.split(|&byte| byte == 0).collect();
        text = Cow::Owned(parts.join("\u{FFFD}".as_bytes()));
    }
    let suspect = |at: usize| matches!(text.get(at + 2), Some(b'd' | b'D' | b'0'));
    if memmem::find_iter(&text, b"\\u").any(suspect) {
        let mut text = text.into_owned();
        repair_escapes(&mut text);
        return (Cow::Owned(text), whole);
    }
    (text, whole)
}

/// Six bytes for six, escape by escape: a backslash may itself be escaped.
fn repair_escapes(text: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = memchr(b'\\', &text[at..]) {
        at += found;
        let unit = code_unit(&text[at..]);
        let next = match unit {
            Some(0xD800..0xDC00) => code_unit(&text[at + 6..]),
            _ => None,
        };
        at += match (unit, next) {
            (Some(_), Some(0xDC00..0xE000)) => 12,
            (Some(0 | 0xD800..0xE000), _) => {
                text[at..at + 6].copy_from_slice(REPLACEMENT);
                6
            }
            (Some(_), _) => 6,
            (None, _) => 2,
        };
        at = at.min(text.len());
    }
}

/// The UTF-16 unit of the escape that `text` starts with.
fn code_unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, &digit| {
        Some(unit << 4 | char::from(digit).to_digit(16)?)
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{Lines, Record, repair};
    use crate::stream::Damage;

    fn opened(content: &[u8], next_read: usize, limit: usize) -> Lines {
        let name = format!("harkback-lines-{}-{next_read}-{limit}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut file = std::fs::File::create(&path).unwrap();
        file.write_all(content).unwrap();
        let mut lines = Lines::open(&path, content.len() as u64).unwrap();
        std::fs::remove_file(path).unwrap();
        lines.next_read = next_read;
        lines.limit = limit;
        lines
    }

    fn all(lines: &mut Lines) -> Vec<Record> {
        let mut records = Vec::new();
        loop {
            let more = lines.take().unwrap();
            if more.is_empty() {
                return records;
            }
            records.extend(more);
        }
    }

    #[test]
    fn what_is_too_long_costs_itself() {
        let content = b"first\n0123456789\nlast\n0123456789";
        for size in [1, 3, 8, 64] {
            let mut lines = opened(content, size, 9);
            assert_eq!(
                all(&mut lines),
                [(0, b"first".to_vec()), (17, b"last".to_vec())]
            );
            assert_eq!(lines.damage(), [(Damage::LineTooLong, 6, 10)]);
        }
    }

    #[test]
    fn repairs_escape_by_escape() {
        for (raw, repaired) in [
            (r"\ud83d\ude00 \uD83D", r"\ud83d\ude00 \ufffd"),
            (r"\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00"),
            (
                r"\ude00\u0000\\ud83d\\\u0000",
                r"\ufffd\ufffd\\ud83d\\\ufffd",
            ),
            (r"\ud83", r"\ud83"),
            (r"\", r"\"),
            (r"\ud83d\", r"\ufffd\"),
        ] {
            assert_eq!(repair(raw.as_bytes()).0, repaired.as_bytes(), "{raw}");
        }
    }
}
