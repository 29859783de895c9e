//! Errors of the core: stable slugs, never text of a record.

use std::io;

use thiserror::Error;

use crate::segment::varint::Malformed;

/// Why a call could not be answered. No variant depends on the content of a record.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum CoreError {
    /// A rule's shape does not compile in the common subset of patterns.
    #[error("rule {id}: {detail}")]
    Rule {
        /// Id of the rule.
        id: String,
        /// What the pattern compiler says of it.
        detail: String,
    },
    /// A key that no segment is held for.
    #[error("no segment is held for this key")]
    UnknownKey,
    /// A block of an attached segment cannot be read, or is not what was written.
    #[error("a segment is damaged")]
    Damaged {
        /// Key of the segment.
        key: String,
    },
}

/// Why a segment could not be attached.
#[derive(Debug, Error)]
pub enum AttachError {
    /// The file cannot be opened or read.
    #[error(transparent)]
    Unreadable(io::Error),
    /// These bytes are not one whole segment of this format.
    #[error("not a whole segment of this format")]
    NotWhole,
}

impl From<io::Error> for AttachError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::NotWhole,
            _ => Self::Unreadable(error),
        }
    }
}

impl From<Malformed> for AttachError {
    fn from(_: Malformed) -> Self {
        Self::NotWhole
    }
}
