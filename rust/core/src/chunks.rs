//! chunks.
