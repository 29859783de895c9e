//! redact.

use regex::Regex;

/// A stretch taken out, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactedSpan {
    /// First byte.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// Rules.
    pub rules: Vec<String>,
}

/// Redactor.
#[derive(Debug)]
pub struct Redactor {
    /// Shapes.
    pub rules: Vec<Regex>,
}

impl Redactor {
    /// Redactor of these shapes.
    ///
    /// # Errors
    /// A shape does not compile.
    pub fn of_shapes(shapes: &[String]) -> Result<Self, regex::Error> {
        let rules = shapes
            .iter()
            .map(|shape| Regex::new(shape))
            .collect::<Result<_, _>>()?;
        Ok(Self { rules })
    }

    /// Spans.
    pub fn spans(&self, text: &str, sensitive: bool) -> Vec<RedactedSpan> {
        if sensitive {
            return Vec::from_iter((!text.is_empty()).then(|| RedactedSpan {
                start: 0,
                end: text.len(),
                rules: Vec::new(),
            }));
        }
        let mut spans: Vec<RedactedSpan> = Vec::new();
        for found in self.rules.iter().flat_map(|rule| rule.find_iter(text)) {
            spans.push(RedactedSpan {
                start: found.start(),
                end: found.end(),
                rules: Vec::new(),
            });
        }
        spans
    }
}
