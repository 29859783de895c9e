//! Where folded text comes from: folded whole, mapped back only where somebody asks.
//!
//! A text is folded in pieces that end at borders, so the pieces together are its fold. Most hold
//! nothing that folding moves: there offsets differ by a constant. The others are mapped char by
//! char, when a match lies in them. Proof: `tests/differential/test_locate.py`.

use std::cell::OnceCell;
use std::ops::Range;

use crate::fold::{fold_into, fold_mapped, is_inert, segment_end};

/// Bytes of a piece, up to the border behind them: what one match costs at most to map.
const PIECE: usize = 1024;

/// A text, its fold, and the way back.
pub(crate) struct Origins<'t> {
    text: &'t str,
    /// The fold of the text.
    pub(crate) folded: String,
    pieces: Vec<Piece>,
}

struct Piece {
    folded: usize,
    text: Range<usize>,
    /// Per folded byte, the bytes of the piece that its char comes from; none where nothing moves.
    map: Option<OnceCell<Vec<(u32, u32)>>>,
}

impl<'t> Origins<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let mut folded = String::with_capacity(text.len());
        let mut pieces = Vec::with_capacity(text.len() / PIECE + 1);
        let mut start = 0;
        while start < text.len() {
            let end = piece_end(text, start);
            let piece = &text[start..end];
            pieces.push(Piece {
                folded: folded.len(),
                text: start..end,
                map: (!is_inert(piece)).then(OnceCell::new),
            });
            fold_into(piece, &mut folded);
            start = end;
        }
        Self {
            text,
            folded,
            pieces,
        }
    }

    /// The bytes of the text that the folded ones come from, whole composition segments.
    pub(crate) fn range(&self, folded: Range<usize>) -> Range<usize> {
        self.origin(folded.start).start..self.origin(folded.end - 1).end
    }

    /// The segment that the folded char comes from which this byte is of.
    fn origin(&self, at: usize) -> Range<usize> {
        let piece = &self.pieces[self.pieces.partition_point(|piece| piece.folded <= at) - 1];
        let start = piece.text.start;
        let Some(map) = &piece.map else {
            let byte = start + (at - piece.folded);
            return byte..byte + 1;
        };
        let map = map.get_or_init(|| bytes_mapped(&self.text[piece.text.clone()]));
        let (from, to) = map[at - piece.folded];
        start + from as usize..start + to as usize
    }
}

fn bytes_mapped(text: &str) -> Vec<(u32, u32)> {
    let (folded, origin) = fold_mapped(text);
    let chars = folded.chars().zip(origin);
    chars
        .flat_map(|(c, range)| std::iter::repeat_n(range, c.len_utf8()))
        .collect()
}

fn piece_end(text: &str, start: usize) -> usize {
    let mut end = (start + PIECE).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // The char at `end` may join what is in front of it.
    let last = text[start..end].chars().next_back();
    last.map_or(end, |c| segment_end(text, end - c.len_utf8()))
}
