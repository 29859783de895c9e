//! The table of a block: what is kept of its Messages beside their text, in columns.
//!
//! Read when a Message of the block is asked for and not before. Column after column: bytes of
//! text, code points, times, kinds, digests, Turns, ids; a Hit needs no more. Then locators and the
//! spans of what was redacted. Any bytes are read without a panic and without an allocation beyond
//! their own size. Format: `docs/segments.md`; proof: `tests/differential/test_segments.py`.

use std::ops::Range;

use crate::segment::Row;
use crate::segment::draft::{Draft, NO_TURN};
use crate::segment::varint::{Malformed, Reader, put, put_signed};

const DIGEST: usize = 8;
/// What stands for the 36 characters of a UUID, whose 16 bytes follow; lengths are even.
const UUID: u64 = 1;
/// Bytes that a locator may have in common with the one before: no few bytes stand for very many.
const MOST_SHARED: usize = 255;

/// Appends the table of Messages `first..last` of a draft.
pub(crate) fn write(draft: &Draft, first: usize, last: usize, out: &mut Vec<u8>) {
    let notes = &draft.notes[first..last];
    for row in first..last {
        put(out, draft.text_of(row).len() as u64);
    }
    for (row, note) in (first..last).zip(notes) {
        put_signed(
            out,
            (draft.text_of(row).len() as u64)
                .wrapping_sub(note.length)
                .cast_signed(),
        );
    }
    let mut before = 0_i64;
    for note in notes {
        put_signed(out, note.timestamp.wrapping_sub(before));
        before = note.timestamp;
    }
    out.extend(notes.iter().map(|note| note.kind));
    for note in notes {
        out.extend_from_slice(&note.digest.to_le_bytes());
    }
    let mut turns: Vec<u32> = Vec::new();
    let places: Vec<usize> = notes
        .iter()
        .map(|note| match note.turn {
            NO_TURN => 0,
            turn => {
                let known = turns.iter().rposition(|&known| known == turn);
                1 + known.unwrap_or_else(|| {
                    turns.push(turn);
                    turns.len() - 1
                })
            }
        })
        .collect();
    put(out, turns.len() as u64);
    for &turn in &turns {
        put(out, u64::from(turn));
        put_name(out, draft.turns.get(turn as usize));
    }
    for place in places {
        put(out, place as u64);
    }
    for row in first..last {
        put_name(out, draft.ids.get(row));
    }
    let mut before: &[u8] = b"";
    for row in first..last {
        let locator = draft.locators.get(row).as_bytes();
        let alike = before.iter().zip(locator).take_while(|(a, b)| a == b);
        let shared = alike.take(MOST_SHARED).count();
        put(out, shared as u64);
        put(out, (locator.len() - shared) as u64);
        out.extend_from_slice(&locator[shared..]);
        before = locator;
    }
    for row in first..last {
        put_spans(out, draft, row);
    }
}

/// Redacted spans: leaves, then per leaf how many, then each as a step from the end of the one
/// before, and a length.
fn put_spans(out: &mut Vec<u8>, draft: &Draft, row: usize) {
    put(out, u64::from(draft.notes[row].leaves));
    let mut cuts = draft.cuts_of(row);
    for leaf in 0..draft.notes[row].leaves {
        let own = cuts.iter().take_while(|cut| cut.leaf == leaf).count();
        let (these, rest) = cuts.split_at(own);
        put(out, own as u64);
        let mut at = 0;
        for cut in these {
            put(out, (cut.start - at) as u64);
            put(out, (cut.end - cut.start) as u64);
            at = cut.end;
        }
        cuts = rest;
    }
}

/// An id as it is stored: equal ones are equal bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<Bytes>(pub(crate) Bytes);

impl Name<Vec<u8>> {
    /// The id as it would be stored.
    pub fn of(id: &str) -> Self {
        let mut stored = Vec::new();
        put_name(&mut stored, id);
        Self(stored)
    }
}

impl<'a> Name<&'a [u8]> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let from = reader.0;
        let head = reader.number()?;
        match head {
            UUID => reader.bytes(16)?,
            _ if head % 2 == 0 && head / 2 <= reader.0.len() as u64 => {
                reader.bytes((head / 2) as usize)?
            }
            _ => return Err(Malformed),
        };
        Ok(Self(&from[..from.len() - reader.0.len()]))
    }

    /// The id as text.
    fn text(self) -> Result<String, Malformed> {
        text(self.bytes())
    }

    /// The bytes of the id's text; a stored one may hold any.
    pub(crate) fn bytes(self) -> Vec<u8> {
        let mut reader = Reader(self.0);
        if reader.number() != Ok(UUID) {
            return reader.0.to_vec();
        }
        let mut id = Vec::with_capacity(36);
        for (at, &byte) in reader.0.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                id.push(b'-');
            }
            for half in [byte >> 4, byte & 0xF] {
                id.push(b"0123456789abcdef"[usize::from(half)]);
            }
        }
        id
    }
}

fn text(bytes: Vec<u8>) -> Result<String, Malformed> {
    String::from_utf8(bytes).map_err(|_| Malformed)
}

fn put_name(out: &mut Vec<u8>, name: &str) {
    if let Some(bytes) = uuid(name.as_bytes()) {
        put(out, UUID);
        out.extend_from_slice(&bytes);
    } else {
        put(out, 2 * name.len() as u64);
        out.extend_from_slice(name.as_bytes());
    }
}

/// The bytes of a UUID in its one canonical spelling, lower case with four hyphens.
fn uuid(name: &[u8]) -> Option<[u8; 16]> {
    if name.len() != 36 || [8, 13, 18, 23].iter().any(|&at| name[at] != b'-') {
        return None;
    }
    let mut bytes = [0; 16];
    let mut halves = 0;
    for (at, &digit) in name.iter().enumerate() {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            b'-' if matches!(at, 8 | 13 | 18 | 23) => continue,
            _ => return None,
        };
        bytes[halves / 2] |= value << (4 * (1 - halves % 2));
        halves += 1;
    }
    Some(bytes)
}

/// The columns that a Hit is made of.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    /// Where each Message ends in the text of the block.
    pub(crate) ends: Vec<usize>,
    /// Code points of surviving text.
    pub(crate) lengths: Vec<u64>,
    pub(crate) timestamps: Vec<i64>,
    pub(crate) kinds: &'a [u8],
    digests: &'a [u8],
    turns: Vec<(u32, Name<&'a [u8]>)>,
    places: Vec<usize>,
    pub(crate) ids: Vec<Name<&'a [u8]>>,
    rest: Reader<'a>,
}

impl<'a> Table<'a> {
    /// Reads the table of `rows` Messages with `text` bytes of text.
    pub(crate) fn read(bytes: &'a [u8], rows: usize, text: usize) -> Result<Self, Malformed> {
        let mut reader = Reader(bytes);
        if rows > bytes.len() {
            return Err(Malformed);
        }
        let mut ends = Vec::with_capacity(rows);
        let mut end = 0_usize;
        for _ in 0..rows {
            let own = usize::try_from(reader.number()?).map_err(|_| Malformed)?;
            end = end.checked_add(own).ok_or(Malformed)?;
            ends.push(end);
        }
        if end != text {
            return Err(Malformed);
        }
        let mut lengths = Vec::with_capacity(rows);
        let mut start = 0;
        for &end in &ends {
            let more = reader.signed()?.cast_unsigned();
            lengths.push(((end - start) as u64).wrapping_sub(more));
            start = end;
        }
        let mut timestamps = Vec::with_capacity(rows);
        let mut time = 0_i64;
        for _ in 0..rows {
            time = time.wrapping_add(reader.signed()?);
            timestamps.push(time);
        }
        let kinds = reader.bytes(rows)?;
        let digests = reader.bytes(rows * DIGEST)?;
        let mut turns = Vec::new();
        for _ in 0..reader.count()? {
            let ordinal = u32::try_from(reader.number()?).map_err(|_| Malformed)?;
            turns.push((ordinal, Name::read(&mut reader)?));
        }
        let mut places = Vec::with_capacity(rows);
        for _ in 0..rows {
            let place = reader.number()? as usize;
            if place > turns.len() {
                return Err(Malformed);
            }
            places.push(place);
        }
        let ids = (0..rows)
            .map(|_| Name::read(&mut reader))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            ends,
            lengths,
            timestamps,
            kinds,
            digests,
            turns,
            places,
            ids,
            rest: reader,
        })
    }

    /// First 8 bytes, big-endian, of SHA-256 of the folded surviving spans.
    pub(crate) fn digest(&self, row: usize) -> u64 {
        let digest = &self.digests[row * DIGEST..][..DIGEST];
        digest
            .iter()
            .rev()
            .fold(0, |digest, &byte| digest << 8 | u64::from(byte))
    }

    /// Ordinal of the Turn in its segment, -1 without one.
    pub(crate) fn turn(&self, row: usize) -> i64 {
        match self.places[row] {
            0 => -1,
            place => i64::from(self.turns[place - 1].0),
        }
    }

    /// Ids of the Turns of this block, in the order of their first Messages.
    pub(crate) fn turn_names(&self) -> impl Iterator<Item = Result<String, Malformed>> {
        self.turns.iter().map(|(_, name)| name.text())
    }

    /// Id of its Turn.
    pub(crate) fn turn_name(&self, row: usize) -> Option<Name<&'a [u8]>> {
        let place = self.places[row].checked_sub(1)?;
        Some(self.turns[place].1)
    }

    /// Everything that is kept of the Messages `wanted`, of which there are as many.
    pub(crate) fn rows(&self, wanted: Range<usize>) -> Result<Vec<Row>, Malformed> {
        let mut reader = self.rest;
        let mut locators = Vec::with_capacity(wanted.len());
        let mut locator = Vec::new();
        for row in 0..self.ids.len() {
            let shared = reader.number()?;
            if shared > locator.len().min(MOST_SHARED) as u64 {
                return Err(Malformed);
            }
            locator.truncate(shared as usize);
            let own = reader.count()?;
            locator.extend_from_slice(reader.bytes(own)?);
            if wanted.contains(&row) {
                locators.push(text(locator.clone())?);
            }
        }
        for _ in 0..wanted.start {
            spans(&mut reader)?;
        }
        wanted
            .zip(locators)
            .map(|(row, locator)| {
                Ok(Row {
                    id: self.ids[row].text()?,
                    turn: self.turn_name(row).map(Name::text).transpose()?,
                    timestamp: self.timestamps[row],
                    kind: self.kinds[row],
                    locator,
                    spans: spans(&mut reader)?,
                })
            })
            .collect()
    }
}

fn spans(reader: &mut Reader<'_>) -> Result<Vec<Vec<(usize, usize)>>, Malformed> {
    let step = |at: usize, by: u64| {
        let by = usize::try_from(by).map_err(|_| Malformed)?;
        at.checked_add(by).ok_or(Malformed)
    };
    let leaves = reader.count()?;
    let mut spans = Vec::new();
    for _ in 0..leaves {
        let count = reader.count()?;
        let mut own = Vec::new();
        let mut at = 0;
        for _ in 0..count {
            let start = step(at, reader.number()?)?;
            at = step(start, reader.number()?)?;
            own.push((start, at));
        }
        spans.push(own);
    }
    Ok(spans)
}
