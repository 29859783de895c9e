//! Errors of the core: stable slugs, never text of a record.

use thiserror::Error;

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
}
