//! The bytes of one file, up to where its listing saw it end, decompressed if its name says so.
//!
//! A path that has become a link, a pipe or a folder is refused. Why a stream ended early is told
//! beside it; what was read until then is good. Proof: the tests below and
//! `tests/differential/test_lines.py`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::path::Path;

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Why a stream or a record is not what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// A record is longer than the limit.
    LineTooLong,
    /// Nothing but NUL bytes: what a crash leaves.
    NulRun,
    /// Bytes that are no text, for which U+FFFD stands.
    InvalidUtf8,
    /// The compressed stream breaks off, or is not one.
    CompressionDamaged,
    /// The file became shorter.
    Shrunk,
}

impl Damage {
    /// The stable name of the reason.
    pub fn slug(self) -> &'static str {
        match self {
            Self::LineTooLong => "line_too_long",
            Self::NulRun => "nul_run",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::CompressionDamaged => "compression_damaged",
            Self::Shrunk => "shrunk",
        }
    }
}

/// A regular file, opened to read.
///
/// # Errors
///
/// It cannot be opened, is a link, or is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NOFOLLOW | libc::O_NONBLOCK, // a link, or a pipe, that took the file's place
    );
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::from(io::ErrorKind::InvalidInput))
    }
}

/// Whether the name of a file says that it is compressed.
pub(crate) fn is_compressed(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b".zst")
}

/// The uncompressed bytes of a file.
pub struct Stream {
    source: Source,
    /// Why it ended early.
    pub damage: Option<Damage>,
}

enum Source {
    Plain(Take<File>),
    Compressed(Box<Frames>),
}

impl Stream {
    /// The bytes `start..stop` of the file; of a compressed one, what they decompress to.
    ///
    /// # Errors
    ///
    /// See [`open`].
    pub fn open(path: &Path, start: u64, stop: u64) -> io::Result<Self> {
        let mut file = open(path)?;
        if start > 0 {
            file.seek(SeekFrom::Start(start))?;
        }
        let file = file.take(stop.saturating_sub(start));
        Ok(Self {
            source: if is_compressed(path) {
                Source::Compressed(Box::new(Frames {
                    input: BufReader::new(file),
                    decoder: FrameDecoder::new(),
                    inside: false,
                    awaited: true,
                }))
            } else {
                Source::Plain(file)
            },
            damage: None,
        })
    }

    /// Appends the next bytes, at most so many; how many they are, 0 at the end.
    ///
    /// # Errors
    ///
    /// The file cannot be read; `bytes` is then as it was.
    pub fn append(&mut self, bytes: &mut Vec<u8>, at_most: usize) -> io::Result<usize> {
        let known = bytes.len();
        bytes.resize(known + at_most, 0);
        let read = self.read(&mut bytes[known..]);
        bytes.truncate(known + *read.as_ref().unwrap_or(&0));
        read
    }

    /// Fills the start of `buffer`, which is not empty, as far as one read does; 0 at the end.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.damage.is_some() {
            return Ok(0);
        }
        match &mut self.source {
            Source::Plain(file) => {
                let read = file.read(buffer)?;
                if read == 0 && file.limit() > 0 {
                    self.damage = Some(Damage::Shrunk);
                }
                Ok(read)
            }
            Source::Compressed(frames) => {
                let read = frames.read(buffer).ok();
                if read.is_none() {
                    self.damage = Some(frames.damage());
                }
                Ok(read.unwrap_or(0))
            }
        }
    }
}

/// A sequence of compressed frames, some of which may be there only to be skipped.
struct Frames {
    input: BufReader<Take<File>>,
    decoder: FrameDecoder,
    inside: bool,
    awaited: bool, // an empty file is no compressed one
}

/// What is compressed breaks off, or is not what its checksum says.
struct Broken;

impl Frames {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Broken> {
        loop {
            if !self.inside {
                if self.input.fill_buf().map_err(|_| Broken)?.is_empty() {
                    let whole = !self.awaited && self.input.get_ref().limit() == 0;
                    return if whole { Ok(0) } else { Err(Broken) };
                }
                self.begin()?;
            } else if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer).map_err(|_| Broken);
            } else if !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder
                    .decode_blocks(&mut self.input, one)
                    .map_err(|_| Broken)?;
            } else {
                let recorded = self.decoder.get_checksum_from_data();
                if recorded.is_some() && recorded != self.decoder.get_calculated_checksum() {
                    return Err(Broken);
                }
                self.inside = false;
            }
        }
    }

    fn begin(&mut self) -> Result<(), Broken> {
        self.awaited = false;
        match self.decoder.init(&mut self.input) {
            Ok(()) => self.inside = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let length = u64::from(length);
                let skipped = io::copy(&mut (&mut self.input).take(length), &mut io::sink());
                if skipped.ok() != Some(length) {
                    return Err(Broken);
                }
            }
            Err(_) => return Err(Broken),
        }
        Ok(())
    }

    /// Why it broke: the file ended before it was to, or is damaged.
    fn damage(&mut self) -> Damage {
        let ended = matches!(self.input.fill_buf(), Ok([]));
        if ended && self.input.get_ref().limit() > 0 {
            Damage::Shrunk
        } else {
            Damage::CompressionDamaged
        }
    }
}
