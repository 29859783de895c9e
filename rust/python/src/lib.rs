//! `harkback._native`: converts, detaches from the interpreter, calls `harkback-core`.

use pyo3::prelude::*;

mod bm25;
mod corpus;
mod lines;
mod redact;
mod surviving;
mod tally;
mod text;

/// The compiled engine; `harkback.engine.Engine` is its contract.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const name: &str = "native";
    #[pymodule_export]
    const FORMAT: u32 = harkback_core::segment::FORMAT;
    #[pymodule_export]
    use crate::bm25::terms;
    #[pymodule_export]
    use crate::corpus::{Corpus, corpus};
    #[pymodule_export]
    use crate::lines::{Lines, lines};
    #[pymodule_export]
    use crate::redact::{Redactor, redactor};
    #[pymodule_export]
    use crate::surviving::{grow, locate};
    #[pymodule_export]
    use crate::tally::{Tally, tally};
    #[pymodule_export]
    use crate::text::{Scanner, fold, reassemble, scanner};
}
