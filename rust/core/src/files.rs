//! The raw scan of files: may one hold a term, and how many bytes 0x0A has it?
//!
//! One call over all files on all cores. Files of lines are streamed through a buffer that each
//! thread keeps, and large ones are shared out: a part answers for the lines that start in it.
//! Invariant: never no to a file of which a reader shows, folded, one of the terms; a file that
//! cannot be read whole may hold anything. Proof: `tests/differential/test_files.py`,
//! `tests/sources/test_superset_files.py`.

use std::io;
use std::path::Path;

use memchr::{memchr, memchr_iter, memrchr};

use crate::lines::LINE_LIMIT;
use crate::scan::{Scanner, Shown};
use crate::stream::{Stream, is_compressed};
use crate::threads;

/// Bytes of one read: a fraction of a core's second-level cache.
const READ: usize = 256 << 10;
/// Bytes of a file of lines that one thread takes at a time.
const PART: u64 = 8 << 20;
const MOST_PARTS: u64 = 1 << 10;
/// Below this a second thread costs more than it brings.
const PARALLEL_BYTES: u64 = 1 << 20;

/// How a file is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// JSON records, each on a line.
    Lines,
    /// One JSON document.
    Json,
    /// Text that is visible as it stands.
    Text,
}

/// A file to scan.
pub struct Task<'a> {
    /// Where it lies.
    pub path: &'a Path,
    /// How it is read.
    pub form: Form,
    /// How many of its bytes are read.
    pub stop: u64,
}

/// Whether a file may hold a term, and its bytes 0x0A.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// A term may be there.
    pub may_match: bool,
    /// Of the uncompressed stream, as far as it could be read.
    pub lines: u64,
}

/// Scans `files`. `nested`: a string that is itself JSON text also shows its own strings.
pub fn scan(scanner: &Scanner, files: &[Task<'_>], nested: bool) -> Vec<Found> {
    let parts: Vec<Part<'_>> = files
        .iter()
        .enumerate()
        .flat_map(|(file, task)| Part::of(file, task))
        .collect();
    let bytes = files
        .iter()
        .fold(0_u64, |sum, task| sum.saturating_add(task.stop));
    let found = threads::map_with(
        threads::count(bytes > PARALLEL_BYTES),
        parts.len(),
        Space::default,
        |space, part| {
            let found = parts[part].scan(scanner, nested, space);
            Some((parts[part].file, found.unwrap_or(UNREADABLE)))
        },
    );
    let mut all = vec![Found::default(); files.len()];
    for (file, part) in found {
        all[file].may_match |= part.may_match;
        all[file].lines += part.lines;
    }
    all
}

const UNREADABLE: Found = Found {
    may_match: true,
    lines: 0,
};

/// What a thread keeps between parts.
#[derive(Default)]
struct Space {
    /// Bytes read and not yet looked at.
    bytes: Vec<u8>,
    lowered: Vec<u8>,
}

/// The lines of a file that start in `start..end`, or all of a file that is not of lines.
struct Part<'a> {
    file: usize,
    task: &'a Task<'a>,
    start: u64,
    end: u64,
}

impl<'a> Part<'a> {
    fn of(file: usize, task: &'a Task<'a>) -> impl Iterator<Item = Self> {
        let size = PART.max(task.stop / MOST_PARTS);
        let whole = task.form != Form::Lines || is_compressed(task.path);
        let count = if whole {
            1
        } else {
            task.stop.div_ceil(size).max(1)
        };
        (0..count).map(move |at| Self {
            file,
            task,
            start: at * size,
            end: if at + 1 == count {
                u64::MAX
            } else {
                (at + 1) * size
            },
        })
    }

    fn scan(&self, scanner: &Scanner, nested: bool, space: &mut Space) -> io::Result<Found> {
        match self.task.form {
            Form::Lines => self.scan_lines(scanner, nested, space),
            Form::Json if nested => self.scan_whole(scanner, Shown::Nested, space),
            Form::Json => self.scan_whole(scanner, Shown::Strings, space),
            Form::Text => self.scan_whole(scanner, Shown::Text, space),
        }
    }

    /// A document is not cut: its strings may be as long as itself.
    fn scan_whole(&self, scanner: &Scanner, shown: Shown, space: &mut Space) -> io::Result<Found> {
        let mut stream =
            Stream::open(self.task.path, 0, self.task.stop.min(LINE_LIMIT as u64 + 1))?;
        let Space { bytes, lowered } = space;
        bytes.clear();
        loop {
            if stream.append(bytes, READ)? == 0 {
                break;
            }
        }
        let too_long = bytes.len() > LINE_LIMIT; // its reader says so
        Ok(Found {
            may_match: too_long || scanner.may_match(bytes, shown, b'\n', lowered),
            lines: memchr_iter(b'\n', bytes).count() as u64,
        })
    }

    fn scan_lines(&self, scanner: &Scanner, nested: bool, space: &mut Space) -> io::Result<Found> {
        // From the byte before, which says whether a line starts at the first.
        let from = self.start.saturating_sub(1);
        let mut stream = Stream::open(self.task.path, from, self.task.stop)?;
        let shown = if nested {
            Shown::Nested
        } else {
            Shown::Strings
        };
        let Space { bytes, lowered } = space;
        bytes.clear();
        let mut found = Found::default();
        let mut at = from; // offset of what is read next
        let mut ahead = self.start > 0; // of the first line that starts here
        let mut skipping = false; // a line that is too long to be read
        loop {
            let known = bytes.len();
            let read = stream.append(bytes, READ)?;
            if read == 0 {
                break;
            }
            let new = &bytes[known..];
            let own = usize::try_from(self.end.saturating_sub(at)).unwrap_or(usize::MAX);
            let counted = usize::from(at < self.start); // the byte before is another part's
            if counted < own.min(read) {
                found.lines += memchr_iter(b'\n', &new[counted..own.min(read)]).count() as u64;
            }
            // Behind the end of the part only the line is read on that started before it.
            let close = (own < usize::MAX)
                .then(|| own.saturating_sub(1))
                .filter(|&own| own < read)
                .and_then(|own| memchr(b'\n', &new[own..]).map(|end| own + end));
            let until = match close {
                Some(end) => Some(known + end),
                None => memrchr(b'\n', new).map(|end| known + end),
            };
            at += read as u64;
            if let Some(until) = until {
                let mut start = 0;
                if ahead || skipping {
                    let first = memchr(b'\n', &bytes[known..=until]);
                    start = first.map_or(until + 1, |first| known + first + 1);
                    (ahead, skipping) = (false, false);
                }
                found.may_match = found.may_match
                    || start <= until
                        && scanner.may_match(&bytes[start..until], shown, b'\n', lowered);
                bytes.drain(..=until);
            }
            if close.is_some() || ahead && at >= self.end {
                return Ok(found);
            }
            if ahead || skipping || found.may_match || bytes.len() > LINE_LIMIT {
                skipping |= !ahead && bytes.len() > LINE_LIMIT;
                bytes.clear();
            }
        }
        let tail = !ahead && !skipping && !found.may_match;
        found.may_match = found.may_match
            || tail && scanner.may_match(bytes, shown, b'\n', lowered)
            || stream.damage.is_some();
        Ok(found)
    }
}
