//! fold_table.
