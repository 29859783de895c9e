//! The hot path of Harkback: fold, scan, reassemble, redact, verify, score.
//!
//! Pure functions over bytes and `str`, and over files that are named to it, which are only read.
//! Nothing here knows Python, opens a database or keeps a thread. `python/harkback/reference/` is the twin of this crate, file for file.

pub mod bm25;
pub mod chunks;
pub mod corpus;
pub mod error;
pub mod files;
pub mod fold;
mod fold_table;
pub mod json;
pub mod lines;
mod origin;
pub mod redact;
pub mod scan;
pub mod search;
pub mod segment;
mod signature;
pub mod stream;
pub mod surviving;
pub mod tally;
mod threads;
