//! Redaction: rules in, spans out, in code points.

use std::sync::Arc;

use harkback_core::redact::{self as core, RuleKind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Leaves shorter than this are redacted without letting go of the interpreter, in bytes.
const DETACH: usize = 4096;

/// What Python's `harkback.model.Rule` carries.
#[derive(FromPyObject)]
pub(crate) struct Rule {
    id: String,
    kind: String,
    keywords: Vec<String>,
    shape: String,
    before: usize,
    boundary: bool,
    run: String,
    end: String,
    names: Vec<String>,
    qualifiers: Vec<String>,
    validator: String,
    back: String,
}

impl Rule {
    fn into_core(self) -> PyResult<core::Rule> {
        let kind = match self.kind.as_str() {
            "pattern" => RuleKind::Pattern,
            "run" => RuleKind::Run,
            "between" => RuleKind::Between,
            "key" => RuleKind::Key,
            "word" => RuleKind::Word,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "rule {}: unknown kind",
                    self.id
                )));
            }
        };
        Ok(core::Rule {
            id: self.id,
            kind,
            keywords: self.keywords,
            shape: self.shape,
            before: self.before,
            boundary: self.boundary,
            run: self.run,
            end: self.end,
            names: self.names,
            qualifiers: self.qualifiers,
            validator: self.validator,
            back: self.back,
        })
    }
}

/// Rules, prepared once.
#[pyclass(frozen, module = "harkback._native")]
pub(crate) struct Redactor {
    pub(crate) inner: Arc<core::Redactor>,
    span: Py<PyAny>,
}

#[pymethods]
impl Redactor {
    /// What is taken out of `text`: disjoint, in order, grown to composition borders.
    #[pyo3(signature = (text, sensitive = false))]
    fn spans(&self, py: Python<'_>, text: &str, sensitive: bool) -> PyResult<Vec<Py<PyAny>>> {
        let find = || self.inner.spans(text, sensitive);
        let found = if text.len() < DETACH {
            find()
        } else {
            py.detach(find)
        };
        let mut count = CodePoints {
            text,
            at: 0,
            count: 0,
        };
        found
            .into_iter()
            .map(|span| {
                let (start, end) = (count.to(span.start), count.to(span.end));
                let rules = PyTuple::new(py, span.rules)?;
                self.span.call1(py, (start, end, rules))
            })
            .collect()
    }

    /// Whether a value under this key name is a secret, whatever it looks like.
    fn sensitive(&self, name: &str) -> bool {
        self.inner.sensitive(name)
    }
}

/// Prepares rules; `ValueError` names the one whose shape is no pattern.
#[pyfunction]
pub(crate) fn redactor(py: Python<'_>, rules: Vec<Rule>) -> PyResult<Redactor> {
    let rules = rules
        .into_iter()
        .map(Rule::into_core)
        .collect::<PyResult<Vec<_>>>()?;
    let inner = py
        .detach(|| core::Redactor::new(&rules))
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(Redactor {
        inner: Arc::new(inner),
        span: py
            .import("harkback.model")?
            .getattr("RedactedSpan")?
            .unbind(),
    })
}

/// Counts code points up to places asked for in ascending order.
struct CodePoints<'a> {
    text: &'a str,
    at: usize,
    count: usize,
}

impl CodePoints<'_> {
    fn to(&mut self, byte: usize) -> usize {
        self.count += self.text[self.at..byte].chars().count();
        self.at = byte;
        self.count
    }
}
