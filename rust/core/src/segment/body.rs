//! Where the blocks of a segment lie: in memory, or in a file that stays where it is.
//!
//! A part of a file is read in one step into a buffer that its thread keeps, and held against its
//! checksum the first time. One open file serves all segments of it. No mapping: a file that is cut
//! short under one would end the process. Proof: `tests/unit/test_segments.py`.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::segment::varint::Malformed;

/// The bytes of all blocks of a segment.
#[derive(Debug)]
pub(crate) enum Body {
    /// Built here, so nothing can have happened to it.
    Memory(Box<[u8]>),
    /// In a file.
    File(Stretch),
}

/// The blocks of an attached segment.
#[derive(Debug)]
pub(crate) struct Stretch {
    pack: Arc<Pack>,
    /// Where the first block begins in the file.
    start: u64,
    bytes: u64,
    /// Of each text and each table: whether it was held against its checksum.
    checked: Box<[AtomicBool]>,
}

impl Body {
    /// The `bytes` of the `part`th part, whose checksum is `sum`.
    pub(crate) fn part<'a>(
        &'a self,
        bytes: Range<u64>,
        part: usize,
        sum: u32,
        space: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], Malformed> {
        match self {
            Self::Memory(all) => Ok(&all[bytes.start as usize..bytes.end as usize]),
            Self::File(stretch) => {
                let length = (bytes.end - bytes.start) as usize;
                if space.len() < length {
                    space.resize(length, 0);
                }
                let read = &mut space[..length];
                stretch
                    .pack
                    .read(read, stretch.start + bytes.start)
                    .map_err(|_| Malformed)?;
                let checked = &stretch.checked[part];
                // Two threads may both check: no more is lost than time.
                if !checked.load(Ordering::Relaxed) {
                    if crc32fast::hash(read) != sum {
                        return Err(Malformed);
                    }
                    checked.store(true, Ordering::Relaxed);
                }
                Ok(read)
            }
        }
    }

    /// Bytes that are in memory.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Memory(all) => all.len(),
            Self::File(stretch) => stretch.checked.len(),
        }
    }

    /// Bytes of all blocks.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Memory(all) => all.len() as u64,
            Self::File(stretch) => stretch.bytes,
        }
    }
}

impl Stretch {
    pub(crate) fn new(pack: Arc<Pack>, start: u64, bytes: u64, parts: usize) -> Self {
        let checked = (0..parts).map(|_| AtomicBool::new(false)).collect();
        Self {
            pack,
            start,
            bytes,
            checked,
        }
    }
}

/// An open file that segments lie in.
#[derive(Debug)]
pub(crate) struct Pack {
    file: File,
    identity: Identity,
}

/// What tells a file from another one of the same name.
type Identity = (u64, u64);

impl Pack {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let identity = identity(&file.metadata()?);
        Ok(Self { file, identity })
    }

    /// Bytes of the file by now.
    pub(crate) fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Fills `bytes` from `offset` on; no other thread's place in the file is moved.
    #[cfg(unix)]
    pub(crate) fn read(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, offset)
    }

    /// Fills `bytes` from `offset` on.
    #[cfg(windows)]
    pub(crate) fn read(&self, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
        use std::os::windows::fs::FileExt;
        while !bytes.is_empty() {
            match self.file.seek_read(bytes, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    bytes = &mut bytes[read..];
                    offset += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn identity(of: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (of.dev(), of.ino())
}

#[cfg(windows)]
fn identity(of: &Metadata) -> Identity {
    use std::os::windows::fs::MetadataExt;
    (of.creation_time(), 0)
}

/// The packs that are open, each as long as a segment lies in it.
#[derive(Debug, Default)]
pub(crate) struct Packs(Mutex<HashMap<PathBuf, Weak<Pack>>>);

impl Packs {
    /// The file that lies at `path` now, opened once.
    pub(crate) fn open(&self, path: &Path) -> io::Result<Arc<Pack>> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pack) = open.get(path).and_then(Weak::upgrade)
            && identity(&std::fs::metadata(path)?) == pack.identity
        {
            return Ok(pack);
        }
        open.retain(|_, pack| pack.strong_count() > 0);
        let pack = Arc::new(Pack::open(path)?);
        open.insert(path.to_owned(), Arc::downgrade(&pack));
        Ok(pack)
    }
}
