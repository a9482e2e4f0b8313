//! Multi-head self-attention.

use crate::math;
use crate::product::{
    MOST, PANEL, Pair, Panels, ROWS, Rounded, padded_steps, rescale, round_to_integer,
};

/// Returns the attention output of each token: for each head softmax(query · key / √width) · value.
/// Queries, keys, values and attention weights are rounded to integers for the products.
pub(crate) fn attend(
    query: &[f32],
    key: &[f32],
    value: &[f32],
    heads: usize,
    size: usize,
) -> Vec<f32> {
    let tokens = query.len() / size;
    let width = size / heads;
    let factor = 1.0 / (width as f32).sqrt();
    let mut out = vec![0.0; query.len()];
    // Products multiply rows number by number. The weighted sum of values is over tokens, so
    // that each dimension of a value must be a row with one number for each token: values are
    // transposed.
    let mut turned = vec![0.0; width * tokens];
    let mut shares = Shares::new(tokens);
    for head in 0..heads {
        let part = head * width..(head + 1) * width;
        let own = |states| rows(states, size).map(|state: &[f32]| &state[part.clone()]);
        let queries = Rounded::new(own(query), width, MOST);
        // Queries are rounded to at most `MOST`. With keys as large as that, a sum over a wide
        // head could exceed 32 bits, so keys are rounded to fewer digits, the more columns there
        // are. The same holds for values below, whose sums are over tokens.
        let keys = Rounded::new(own(key), width, most_beside(width));
        let keys = Panels::new(&keys);
        for (token, value) in own(value).enumerate() {
            for (number, &value) in value.iter().enumerate() {
                turned[number * tokens + token] = value;
            }
        }
        let values = Rounded::new(rows(&turned, tokens), tokens, most_beside(tokens));
        let values = Panels::new(&values);
        for first in (0..tokens).step_by(ROWS) {
            let scales = queries.scales(first).map(|scale| scale * factor);
            shares.score(queries.rows(first), scales, &keys);
            let out = &mut out[first * size..];
            for (panel, given) in shares.weigh(&values) {
                let at = panel * PANEL;
                let numbers = PANEL.min(width - at);
                for (out, given) in out.chunks_exact_mut(size).zip(given) {
                    out[part.start + at..][..numbers].copy_from_slice(&given[..numbers]);
                }
            }
        }
    }
    out
}

/// Returns the largest rounded number in products with rounded rows of this many columns such that
/// the sums fit 32 bits.
fn most_beside(columns: usize) -> i32 {
    let most = i32::MAX / MOST / i32::try_from(columns).unwrap_or(i32::MAX);
    most.min(MOST)
}

fn rows(states: &[f32], size: usize) -> std::slice::ChunksExact<'_, f32> {
    states.chunks_exact(size)
}

/// The attention weights of some query tokens.
struct Shares {
    tokens: usize,
    /// Scores of the keys, in panels.
    scores: [Vec<[f32; PANEL]>; ROWS],
    /// Rounded attention weights.
    pairs: [Vec<Pair>; ROWS],
}

impl Shares {
    fn new(tokens: usize) -> Self {
        Self {
            tokens,
            scores: [0; ROWS].map(|_| vec![[0.0; PANEL]; tokens.div_ceil(PANEL)]),
            pairs: [const { Vec::new() }; ROWS],
        }
    }

    /// Sets the scores of all keys for some queries.
    fn score(&mut self, queries: [&[Pair]; ROWS], scales: [f32; ROWS], keys: &Panels) {
        for (panel, (sums, own)) in keys.products(queries).enumerate() {
            for ((scores, sums), scale) in self.scores.iter_mut().zip(sums).zip(scales) {
                scores[panel] = rescale(sums, scale, own);
            }
        }
    }

    /// Turns the scores into attention weights, and returns the weighted sums of values, panel by
    /// panel.
    fn weigh<'a>(
        &'a mut self,
        values: &'a Panels,
    ) -> impl Iterator<Item = (usize, [[f32; PANEL]; ROWS])> + 'a {
        let mut scales = [0.0; ROWS];
        let rows = self.scores.iter_mut().zip(&mut self.pairs);
        for ((scores, pairs), scale) in rows.zip(&mut scales) {
            let scores = &mut scores.as_flattened_mut()[..self.tokens];
            // The largest weight is e to the power of 0, which is 1, so that `MOST` times each
            // weight fits its integer without a search for the largest. The weights are not
            // divided by their sum: that division is part of the scale of the row.
            *scale = 1.0 / (math::powers(scores) * MOST as f32);
            pairs.clear();
            let (whole, last) = scores.as_chunks::<2>();
            let rounded = |n: f32| round_to_integer(n * MOST as f32);
            pairs.extend(whole.iter().map(|pair| pair.map(rounded)));
            pairs.extend(last.iter().map(|n| [rounded(*n), 0]));
            pairs.resize(padded_steps(pairs.len()), [0; 2]);
        }
        let rows = std::array::from_fn(|i| self.pairs[i].as_slice());
        let panels = values.products(rows).enumerate();
        panels.map(move |(panel, (sums, own))| {
            (
                panel,
                std::array::from_fn(|i| rescale(sums[i], scales[i], own)),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reference implementation without rounding.
    fn reference_attention(
        query: &[f32],
        key: &[f32],
        value: &[f32],
        heads: usize,
        size: usize,
    ) -> Vec<f32> {
        let (tokens, width) = (query.len() / size, size / heads);
        let mut out = vec![0.0; query.len()];
        for (token, head) in (0..tokens).flat_map(|token| (0..heads).map(move |head| (token, head)))
        {
            let of = |states: &[f32], token: usize| {
                states[token * size + head * width..][..width].to_vec()
            };
            let query = of(query, token);
            let scores = (0..tokens).map(|other| {
                let products = query.iter().zip(of(key, other)).map(|(a, b)| a * b);
                (products.sum::<f32>() / (width as f32).sqrt()).exp()
            });
            let scores: Vec<f32> = scores.collect();
            let sum: f32 = scores.iter().sum();
            for (other, score) in scores.iter().enumerate() {
                for (number, value) in of(value, other).into_iter().enumerate() {
                    out[token * size + head * width + number] += score / sum * value;
                }
            }
        }
        out
    }

    proptest! {
        #[test]
        fn attention_is_nearly_what_it_is_without_rounding(
            tokens in 1_usize..40,
            heads in 1_usize..4,
            width in 1_usize..20,
            numbers in prop::collection::vec(-2.0_f32..2.0, 3 * 40 * 60),
        ) {
            let size = heads * width;
            let states = |from: usize| &numbers[from * 40 * 60..][..tokens * size];
            let (query, key, value) = (states(0), states(1), states(2));
            let own = attend(query, key, value, heads, size);
            let expected = reference_attention(query, key, value, heads, size);
            for (own, expected) in own.iter().zip(&expected) {
                prop_assert!((own - expected).abs() < 0.01, "{own} {expected}");
            }
        }
    }

    #[test]
    fn the_largest_sums_fit() {
        for columns in [1, 32, 128, 512, 4096] {
            let most = i64::from(most_beside(columns)) * i64::from(MOST) * columns as i64;
            assert!(most <= i64::from(i32::MAX), "{columns}");
        }
        // The maximum number of tokens of a model, all with the same extreme state.
        let states = vec![2.0; 512 * 32];
        let out = attend(&states, &states, &states, 1, 32);
        assert!(out.iter().all(|number| (number - 2.0).abs() < 0.01));
    }
}
