//! Fold.

use unicode_normalization::UnicodeNormalization;

/// Folds.
pub fn fold(text: &str) -> String {
    fold_mapped(text).0
}

/// Folds, with the original byte range of every folded char.
pub fn fold_mapped(text: &str) -> (String, Vec<(u32, u32)>) {
    let mut folded = String::new();
    let mut map = Vec::new();
    let mut starts: Vec<usize> = text
        .char_indices()
        .filter(|&(at, c)| at == 0 || is_border(c))
        .map(|(at, _)| at)
        .collect();
    starts.push(text.len());
    for pair in starts.windows(2) {
        for c in text[pair[0]..pair[1]].to_ascii_lowercase().nfc() {
            folded.push(c);
            map.push((pair[0] as u32, pair[1] as u32));
        }
    }
    (folded, map)
}

/// Whether `fold(a + b) == fold(a) + fold(b)` for every `a`, where `b` starts with `c`.
pub fn is_border(c: char) -> bool {
    !('\u{300}'..='\u{36f}').contains(&c)
}
