//! Weights of 8 bits, a scale a row, and their products with activations of 13 bits.
//!
//! The products are sums of whole numbers, so that they do not depend on the order in which a
//! processor adds them: in the sandbox and outside a text has the same vector.

use std::borrow::Cow;

/// Numbers that are multiplied at once.
const LANES: usize = 8;

/// The largest activation. With it and a row of [`MOST_COLUMNS`] weights a sum fits 32 bits:
/// 4095 × 128 × 4096 < 2³¹.
const ACTIVATION: f32 = 4095.0;

/// The longest row.
pub(crate) const MOST_COLUMNS: usize = 4096;

/// Rows of weights that are widened together, and activations that each of them meets at once.
/// Their sums, and what is multiplied, fit the 16 registers of a vector unit.
const ROWS: usize = 4;
const TOKENS: usize = 2;

#[cfg(target_arch = "wasm32")]
mod lanes {
    use core::arch::wasm32::{
        i16x8, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane, i32x4_splat, v128,
    };

    pub(super) type Lane = v128;
    pub(super) type Sum = v128;

    pub(super) fn lane(n: [i16; 8]) -> Lane {
        i16x8(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7])
    }

    pub(super) fn zero() -> Sum {
        i32x4_splat(0)
    }

    #[inline(always)]
    pub(super) fn add_product(sum: Sum, a: Lane, b: Lane) -> Sum {
        i32x4_add(sum, i32x4_dot_i16x8(a, b))
    }

    pub(super) fn total(sum: Sum) -> i32 {
        i32x4_extract_lane::<0>(sum)
            + i32x4_extract_lane::<1>(sum)
            + i32x4_extract_lane::<2>(sum)
            + i32x4_extract_lane::<3>(sum)
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod lanes {
    pub(super) type Lane = [i16; 8];
    pub(super) type Sum = [i32; 4];

    pub(super) fn lane(numbers: [i16; 8]) -> Lane {
        numbers
    }

    pub(super) fn zero() -> Sum {
        [0; 4]
    }

    #[inline(always)]
    pub(super) fn add_product(sum: Sum, a: Lane, b: Lane) -> Sum {
        let product = |i: usize| i32::from(a[i]) * i32::from(b[i]);
        [0, 1, 2, 3].map(|i| sum[i] + product(2 * i) + product(2 * i + 1))
    }

    pub(super) fn total(sum: Sum) -> i32 {
        sum.iter().sum()
    }
}

use lanes::{Lane, Sum, add_product, lane, total, zero};

/// Rows of 8-bit weights, each with its scale.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    columns: usize,
    /// Each as the byte that a file has for it, so that those of a file which is there for good can
    /// stay in it.
    weights: Cow<'static, [u8]>,
    scales: Vec<f32>,
}

impl Matrix {
    /// Returns a matrix of no rows yet.
    pub(crate) fn new(columns: usize, rows: usize) -> Self {
        Self {
            columns,
            weights: Cow::Owned(Vec::with_capacity(columns * rows)),
            scales: Vec::with_capacity(rows),
        }
    }

    /// Returns a matrix of rows that are rounded already, one after another, each with its scale.
    pub(crate) fn of(weights: Cow<'static, [u8]>, scales: Vec<f32>) -> Self {
        Self {
            columns: weights.len() / scales.len().max(1),
            weights,
            scales,
        }
    }

    /// Adds a row, rounded to 8 bits.
    pub(crate) fn push(&mut self, row: &[f32]) {
        let largest = largest(row);
        let scale = largest / 127.0;
        // Of less than that the inverse would be no number any more; it is nothing beside what a
        // model says.
        let inverse = if largest > 1e-30 {
            127.0 / largest
        } else {
            0.0
        };
        let rounded = row.iter().map(|weight| nearest(weight * inverse) as u8);
        self.weights.to_mut().extend(rounded);
        self.scales.push(scale);
    }

    /// Returns how many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.scales.len()
    }

    /// Returns all rows, one after another, each weight a byte.
    pub(crate) fn weights(&self) -> &[u8] {
        &self.weights
    }

    /// Returns the scales of the rows.
    pub(crate) fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// Adds row `index` to `sum`.
    pub(crate) fn add_row(&self, index: usize, sum: &mut [f32]) {
        let row = &self.weights[index * self.columns..][..self.columns];
        let scale = self.scales[index];
        for (sum, &weight) in sum.iter_mut().zip(row) {
            *sum += f32::from(weight as i8) * scale;
        }
    }

    /// Sets `out` to the products of all tokens with all rows and `bias`: a token after another.
    pub(crate) fn multiply(&self, tokens: &Activations, bias: &[f32], out: &mut Vec<f32>) {
        let rows = self.rows();
        let lanes = tokens.lanes;
        out.clear();
        out.resize(tokens.scales.len() * rows, 0.0);
        let mut wide = vec![lane([0; LANES]); lanes * ROWS];
        for first in (0..rows).step_by(ROWS) {
            let count = ROWS.min(rows - first);
            // Rows that are not there stay as they were; their sums are dropped.
            for (row, wide) in wide.chunks_exact_mut(lanes).take(count).enumerate() {
                let row = &self.weights[(first + row) * self.columns..][..self.columns];
                widen(row, wide);
            }
            let mut token = 0;
            while token < tokens.scales.len() {
                let pair = TOKENS.min(tokens.scales.len() - token);
                let a = tokens.row(token);
                let b = tokens.row(token + pair - 1);
                let sums = block(&wide, a, b, lanes);
                for (beside, sums) in sums.iter().enumerate().take(pair) {
                    let scale = tokens.scales[token + beside];
                    let at = (token + beside) * rows + first;
                    for (row, &sum) in sums.iter().enumerate().take(count) {
                        let weight = self.scales[first + row];
                        out[at + row] = sum as f32 * (scale * weight) + bias[first + row];
                    }
                }
                token += pair;
            }
        }
    }
}

/// Returns the sums of two tokens with [`ROWS`] rows.
fn block(wide: &[Lane], a: &[Lane], b: &[Lane], lanes: usize) -> [[i32; ROWS]; TOKENS] {
    let (r0, rest) = wide.split_at(lanes);
    let (r1, rest) = rest.split_at(lanes);
    let (r2, r3) = rest.split_at(lanes);
    let mut sums = [[zero(); ROWS]; TOKENS];
    let ((r0, last0), (r1, last1)) = (rounds(r0), rounds(r1));
    let ((r2, last2), (r3, last3)) = (rounds(r2), rounds(r3));
    let ((a, last_a), (b, last_b)) = (rounds(a), rounds(b));
    let rows = r0.iter().zip(r1).zip(r2.iter().zip(r3));
    for (((r0, r1), (r2, r3)), (a, b)) in rows.zip(a.iter().zip(b)) {
        for i in 0..ROUND {
            add_products(&mut sums, [r0[i], r1[i], r2[i], r3[i]], [a[i], b[i]]);
        }
    }
    for i in 0..last_a.len() {
        let rows = [last0[i], last1[i], last2[i], last3[i]];
        add_products(&mut sums, rows, [last_a[i], last_b[i]]);
    }
    sums.map(|sums| sums.map(total))
}

/// Lanes that are multiplied in a round. At the end of each the sandbox asks whether the work is to
/// stop, and for that the compiler puts the sums aside, which takes as long as one lane.
const ROUND: usize = 4;

fn rounds(lanes: &[Lane]) -> (&[[Lane; ROUND]], &[Lane]) {
    lanes.as_chunks()
}

#[inline(always)]
fn add_products(sums: &mut [[Sum; ROWS]; TOKENS], rows: [Lane; ROWS], tokens: [Lane; TOKENS]) {
    for (sums, token) in sums.iter_mut().zip(tokens) {
        for (sum, row) in sums.iter_mut().zip(rows) {
            *sum = add_product(*sum, row, token);
        }
    }
}

/// Writes weights of 8 bits as numbers of 16, zeros behind them.
fn widen(row: &[u8], wide: &mut [Lane]) {
    let (whole, rest) = row.as_chunks::<LANES>();
    for (wide, eight) in wide.iter_mut().zip(whole) {
        *wide = lane(eight.map(|weight| i16::from(weight as i8)));
    }
    if let Some(wide) = wide.get_mut(whole.len()) {
        let mut last = [0; LANES];
        for (last, &weight) in last.iter_mut().zip(rest) {
            *last = i16::from(weight as i8);
        }
        *wide = lane(last);
    }
}

/// Activations of tokens, rounded, each token with its scale.
#[derive(Debug)]
pub(crate) struct Activations {
    lanes: usize,
    numbers: Vec<Lane>,
    scales: Vec<f32>,
}

impl Activations {
    /// Rounds rows of `columns` numbers.
    pub(crate) fn of(rows: &[f32], columns: usize) -> Self {
        let lanes = columns.div_ceil(LANES);
        let mut numbers = Vec::with_capacity(rows.len() / columns.max(1) * lanes);
        let mut scales = Vec::with_capacity(rows.len() / columns.max(1));
        for row in rows.chunks_exact(columns) {
            let largest = largest(row);
            let inverse = if largest > 0.0 {
                ACTIVATION / largest
            } else {
                0.0
            };
            scales.push(largest / ACTIVATION);
            for some in row.chunks(LANES) {
                let mut eight = [0; LANES];
                for (whole, number) in eight.iter_mut().zip(some) {
                    *whole = nearest(number * inverse);
                }
                numbers.push(lane(eight));
            }
        }
        Self {
            lanes,
            numbers,
            scales,
        }
    }

    fn row(&self, token: usize) -> &[Lane] {
        &self.numbers[token * self.lanes..][..self.lanes]
    }
}

/// Returns the whole number next to one of at most ±4095: adding 1.5 × 2²³ leaves it in the lowest
/// bits, which is done for many at once where `round` is a call for each.
fn nearest(number: f32) -> i16 {
    const SHIFT: f32 = 12_582_912.0;
    (number + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()) as i16
}

/// Returns the largest absolute number of a row.
fn largest(row: &[f32]) -> f32 {
    row.iter().fold(0.0, |most: f32, number| {
        let size = number.abs();
        if size > most { size } else { most }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn products_are_those_of_a_plain_loop(
            columns in 1_usize..70,
            rows in 1_usize..10,
            tokens in 1_usize..6,
            numbers in prop::collection::vec(-3.0_f32..3.0, 70 * 16),
        ) {
            let mut matrix = Matrix::new(columns, rows);
            for row in numbers.chunks_exact(columns).take(rows) {
                matrix.push(row);
            }
            let given = &numbers[numbers.len() - tokens * columns..];
            let bias: Vec<f32> = numbers[..rows].to_vec();
            let mut out = Vec::new();
            matrix.multiply(&Activations::of(given, columns), &bias, &mut out);
            for token in 0..tokens {
                let given = &given[token * columns..][..columns];
                let most = given.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
                for row in 0..rows {
                    let weights = &matrix.weights[row * columns..][..columns];
                    let sum: i64 = given
                        .iter()
                        .zip(weights)
                        .map(|(number, &weight)| {
                            let whole = (number * (4095.0 / most)).round_ties_even();
                            whole as i64 * i64::from(weight as i8)
                        })
                        .sum();
                    let expected = sum as f32 * (most / 4095.0 * matrix.scales[row]) + bias[row];
                    prop_assert_eq!(out[token * rows + row], expected);
                }
            }
        }
    }

    #[test]
    fn the_largest_sum_fits() {
        let mut pushed = Matrix::new(MOST_COLUMNS, 1);
        pushed.push(&[1.0; MOST_COLUMNS]);
        // The smallest weight that a file can have.
        let least = i8::MIN as u8;
        let scales = vec![1.0 / f32::from(i8::MIN)];
        let given = Matrix::of(vec![least; MOST_COLUMNS].into(), scales);
        for matrix in [pushed, given] {
            let mut out = Vec::new();
            matrix.multiply(
                &Activations::of(&[-1.0; MOST_COLUMNS], MOST_COLUMNS),
                &[0.0],
                &mut out,
            );
            assert!((out[0] + MOST_COLUMNS as f32).abs() < 0.01, "{}", out[0]);
        }
    }
}
