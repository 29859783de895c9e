//! The Hits of one question: gathered over several searches, counted, scored and put in order.
//!
//! Of very many Hits a few are shown, and only those become values of a caller. Every statistic is
//! exact and every order total, so the answer depends neither on threads nor on the way the Hits
//! came in. Proof: `tests/unit/test_ranking.py`, `tests/differential/test_tally.py`.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::bm25;
use crate::search::{ABANDONED, Hits};

/// Hits that are put in order at a time.
const STEP: usize = 256;

/// See the module.
#[derive(Debug, Default)]
pub struct Tally {
    hits: Hits,
    keys: usize,
    /// Hits of equal text and id in several Sessions.
    repeated: Vec<Vec<usize>>,
    /// Indexes of Hits that stand for themselves; the first `ordered` are in order.
    kept: Vec<usize>,
    ordered: usize,
    /// Of a Hit, the same Message in other Sessions.
    replays: HashMap<usize, Vec<usize>>,
    /// Per key, its place in the order of Sessions.
    places: Vec<u64>,
    scores: Vec<f64>,
    newest: bool,
}

/// What the scores are made of.
#[derive(Debug, PartialEq, Eq)]
pub struct Counts {
    /// Hits.
    pub total: usize,
    /// Sum of their lengths, each at most the bound.
    pub length: u64,
    /// Per term, Hits that hold it.
    pub holding: Vec<u64>,
    /// Per key, Hits.
    pub per_key: Vec<u64>,
}

/// A Hit in its place.
#[derive(Debug, PartialEq)]
pub struct Ranked {
    /// Index of the key, over all searches.
    pub key: usize,
    /// Index of the Message in its segment.
    pub row: usize,
    /// Ordinal of its Turn in the segment, -1 without one.
    pub turn: i64,
    /// Milliseconds since the epoch.
    pub timestamp: i64,
    /// Index into the kinds of Messages.
    pub kind: u8,
    /// Code points of surviving text.
    pub length: u64,
    /// The score.
    pub score: f64,
    /// Occurrences, per term.
    pub frequency: Vec<u64>,
    /// Keys of the Sessions that replay the Message.
    pub also_in: Vec<usize>,
}

impl Tally {
    /// Adds what a search over `keys` keys found.
    pub fn take(&mut self, mut hits: Hits, keys: usize) {
        for key in hits.key.iter_mut().chain(&mut hits.holding) {
            *key += self.keys;
        }
        self.keys += keys;
        if self.hits.key.is_empty() {
            self.hits = hits;
        } else {
            self.hits.append(hits);
        }
    }

    /// Keys of the Sessions that share a Message with another one, in order.
    pub fn repeats(&mut self) -> Vec<usize> {
        let hits = &self.hits;
        let mut order = perhaps_alike(&hits.digest);
        order.sort_unstable();
        self.repeated.clear();
        let alike = order.chunk_by(|a, b| a.0 == b.0);
        for alike in alike.filter(|alike| alike.len() > 1) {
            let mut alike: Vec<usize> = alike.iter().map(|&(_, hit)| hit).collect();
            alike.sort_by_key(|&hit| (hits.id(hit), hits.key[hit]));
            let same = alike.chunk_by(|&a, &b| hits.id(a) == hits.id(b));
            let several = same.filter(|same| hits.key[same[0]] != hits.key[same[same.len() - 1]]);
            self.repeated.extend(several.map(<[usize]>::to_vec));
        }
        let mut keys: Vec<usize> = self
            .repeated
            .iter()
            .flatten()
            .map(|&hit| hits.key[hit])
            .collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// One Hit for a Message that several Sessions replay: an original first, else the earliest.
    ///
    /// `origins`, `places`: per key, how original its Session is (least first; asked only of
    /// [`Tally::repeats`]), and its place in the order of Sessions. `most`: code points that count
    /// of a length. `None`: they are not as many as there are keys.
    pub fn settle(&mut self, origins: &[u64], places: Vec<u64>, most: u64) -> Option<Counts> {
        if origins.len() != self.keys || places.len() != self.keys {
            return None;
        }
        self.places = places;
        self.scores = vec![0.0; self.hits.key.len()];
        self.ordered = 0;
        let mut gone = vec![false; self.hits.key.len()];
        for group in std::mem::take(&mut self.repeated) {
            self.settle_one(group, origins, &mut gone);
        }
        self.kept = (0..gone.len()).filter(|&hit| !gone[hit]).collect();
        let mut counts = Counts {
            total: self.kept.len(),
            length: 0,
            holding: vec![0; self.hits.frequency.len()],
            per_key: vec![0; self.keys],
        };
        for &hit in &self.kept {
            self.hits.length[hit] = self.hits.length[hit].min(most);
            counts.length += self.hits.length[hit];
            counts.per_key[self.hits.key[hit]] += 1;
        }
        for (holding, column) in counts.holding.iter_mut().zip(&self.hits.frequency) {
            *holding = self.kept.iter().filter(|&&hit| column[hit] > 0).count() as u64;
        }
        Some(counts)
    }

    fn settle_one(&mut self, mut group: Vec<usize>, origins: &[u64], gone: &mut [bool]) {
        let hits = &self.hits;
        group.sort_by_key(|&hit| {
            let key = hits.key[hit];
            (
                origins[key],
                hits.timestamp[hit],
                self.places[key],
                hits.row[hit],
            )
        });
        let home = hits.key[group[0]];
        let first = group[0];
        group.retain(|&hit| hits.key[hit] != home);
        for &hit in &group {
            gone[hit] = true;
        }
        if !group.is_empty() {
            self.replays.insert(first, group);
        }
    }

    /// Scores every Hit. `weights`: per kind. The order: best first, or newest first.
    pub fn score(&mut self, idf: &[f64], mean_length: f64, weights: &[f64], newest: bool) {
        let hits = &self.hits;
        for &hit in &self.kept {
            let frequency = hits.frequency.iter().map(|column| column[hit]);
            let weight = weights
                .get(usize::from(hits.kind[hit] % ABANDONED))
                .copied();
            let weight = weight.unwrap_or_default();
            self.scores[hit] = bm25::score(frequency, hits.length[hit], weight, idf, mean_length);
        }
        self.newest = newest;
        self.ordered = 0;
    }

    /// The Hits in places `start` up to `stop`, cut to what there is.
    pub fn ranked(&mut self, start: usize, stop: usize) -> Vec<Ranked> {
        let stop = stop.min(self.kept.len());
        while self.ordered < stop {
            self.order_more();
        }
        (start..stop).map(|at| self.value(self.kept[at])).collect()
    }

    fn order_more(&mut self) {
        let (hits, scores, places, newest) = (&self.hits, &self.scores, &self.places, self.newest);
        let order = |&a: &usize, &b: &usize| -> Ordering {
            let score = scores[b].total_cmp(&scores[a]);
            let time = hits.timestamp[b].cmp(&hits.timestamp[a]);
            let first = if newest {
                time.then(score)
            } else {
                score.then(time)
            };
            first
                .then_with(|| places[hits.key[a]].cmp(&places[hits.key[b]]))
                .then_with(|| hits.row[a].cmp(&hits.row[b]))
        };
        let rest = &mut self.kept[self.ordered..];
        let step = STEP.max(self.ordered).min(rest.len());
        if step < rest.len() {
            rest.select_nth_unstable_by(step, order);
        }
        rest[..step].sort_unstable_by(order);
        self.ordered += step;
    }

    fn value(&self, hit: usize) -> Ranked {
        let hits = &self.hits;
        let replays = self.replays.get(&hit).map_or(&[][..], Vec::as_slice);
        Ranked {
            key: hits.key[hit],
            row: hits.row[hit],
            turn: hits.turn[hit],
            timestamp: hits.timestamp[hit],
            kind: hits.kind[hit],
            length: hits.length[hit],
            score: self.scores[hit],
            frequency: hits.frequency.iter().map(|column| column[hit]).collect(),
            also_in: replays.iter().map(|&hit| hits.key[hit]).collect(),
        }
    }
}

/// Digests, with their places, without most of those that occur once: two passes over a few bits of
/// each cost a tenth of sorting them all.
fn perhaps_alike(digests: &[u64]) -> Vec<(u64, usize)> {
    let bits = (digests.len() * 8).next_power_of_two().max(64);
    let place = |digest: u64| {
        let bit = digest as usize & (bits - 1);
        (bit / 64, 1_u64 << (bit % 64))
    };
    let (mut once, mut twice) = (vec![0; bits / 64], vec![0; bits / 64]);
    for &digest in digests {
        let (word, bit) = place(digest);
        twice[word] |= once[word] & bit;
        once[word] |= bit;
    }
    let places = digests.iter().copied().zip(0..);
    places
        .filter(|&(digest, _)| {
            let (word, bit) = place(digest);
            twice[word] & bit != 0
        })
        .collect()
}
