//! Fold.

/// Folds.
pub fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// Folds, with the original byte range of every folded char.
pub fn fold_mapped(_text: &str) -> (String, Vec<(u32, u32)>) {
    todo!()
}

/// Whether `fold(a + b) == fold(a) + fold(b)` for every `a`, where `b` starts with `c`.
pub fn is_border(c: char) -> bool {
    !('\u{300}'..='\u{36f}').contains(&c)
}
