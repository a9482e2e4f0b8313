//! Matrices of 8-bit weights with a scale per row, and their products with 13-bit activations.

use std::borrow::Cow;

use crate::product::{
    PANEL, ROWS, Rounded, Step, largest, pad_to_panels, padded_steps, products, rescale,
    round_to_integer, widen,
};

/// Maximum columns: the sums of a row fit 32 bits, 4095 × 128 × 4096 < 2³¹.
pub(crate) const MOST_COLUMNS: usize = 4096;

/// Rows of 8-bit weights, each with its scale.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    columns: usize,
    /// Bytes as in the file, so that the weights of a static file can be borrowed.
    weights: Cow<'static, [u8]>,
    scales: Vec<f32>,
}

impl Matrix {
    /// Creates an empty matrix.
    pub(crate) fn new(columns: usize, rows: usize) -> Self {
        Self {
            columns,
            weights: Cow::Owned(Vec::with_capacity(columns * rows)),
            scales: Vec::with_capacity(rows),
        }
    }

    /// Creates a matrix of rounded rows, concatenated, each with its scale.
    pub(crate) fn from_rounded(weights: Cow<'static, [u8]>, scales: Vec<f32>) -> Self {
        Self {
            columns: weights.len() / scales.len().max(1),
            weights,
            scales,
        }
    }

    /// Appends a row, rounded to 8 bits.
    pub(crate) fn push(&mut self, row: &[f32]) {
        let largest = largest(row);
        let scale = largest / 127.0;
        // For a smaller number the inverse would be infinite, and its product with a zero of the
        // row NaN. Such a row is negligible in a model, and becomes zeros.
        let inverse = if largest > 1e-30 {
            127.0 / largest
        } else {
            0.0
        };
        let rounded = row
            .iter()
            .map(|weight| round_to_integer(weight * inverse) as u8);
        self.weights.to_mut().extend(rounded);
        self.scales.push(scale);
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.scales.len()
    }

    /// Returns the rows, concatenated, one byte per weight.
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
}

/// A linear layer: rows of 8-bit weights packed in panels for multiplication, and a bias.
#[derive(Debug)]
pub(crate) struct Linear {
    rows: usize,
    /// Pairs of numbers per row.
    steps: usize,
    /// Pairs of numbers per row, padded to whole rounds.
    stride: usize,
    weights: Vec<[[u8; 8]; PANEL / 4]>,
    scales: Vec<[f32; PANEL]>,
    /// Bias of each row.
    bias: Vec<[f32; PANEL]>,
}

impl Linear {
    /// Packs the rows of a matrix.
    pub(crate) fn new(matrix: &Matrix, bias: &[f32]) -> Self {
        let (rows, steps) = (matrix.rows(), matrix.columns.div_ceil(2));
        let (panels, stride) = (rows.div_ceil(PANEL), padded_steps(steps));
        let mut weights = vec![[[0; 8]; PANEL / 4]; panels * stride];
        for (index, row) in matrix.weights.chunks_exact(matrix.columns).enumerate() {
            let panel = &mut weights[index / PANEL * stride..][..stride];
            let place = index % PANEL * 2;
            for (step, pair) in panel.iter_mut().zip(row.chunks(2)) {
                step.as_flattened_mut()[place..][..pair.len()].copy_from_slice(pair);
            }
        }
        Self {
            rows,
            steps,
            stride,
            weights,
            scales: pad_to_panels(&matrix.scales),
            bias: pad_to_panels(bias),
        }
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Sets `out` to the products of all tokens with all rows plus the bias, token by token.
    pub(crate) fn multiply(&self, tokens: &Rounded, out: &mut Vec<f32>) {
        out.clear();
        out.resize(tokens.len() * self.rows, 0.0);
        let mut wide: Vec<Step> = Vec::with_capacity(self.stride);
        let own = self.scales.iter().zip(&self.bias);
        let panels = self.weights.chunks_exact(self.stride).zip(own);
        for (panel, (weights, (scales, bias))) in panels.enumerate() {
            // Weights are stored in 8 bits and multiplied in 16. A panel is widened once and
            // then multiplied with all tokens, instead of once for each pair of them.
            wide.clear();
            wide.extend(weights.iter().map(|step| step.map(widen)));
            let first = panel * PANEL;
            let count = PANEL.min(self.rows - first);
            for token in (0..tokens.len()).step_by(ROWS) {
                let sums = products(tokens.rows(token), &wide, self.steps);
                let own = sums.into_iter().zip(tokens.scales(token));
                // At the end a single token may be left. Its row is repeated in the sums, and
                // `zip` ends with the outputs, of which there is only one.
                let outs = out[token * self.rows..].chunks_exact_mut(self.rows);
                for (out, (sums, scale)) in outs.zip(own) {
                    let numbers = rescale(sums, scale, scales);
                    let numbers: [f32; PANEL] = std::array::from_fn(|i| numbers[i] + bias[i]);
                    let out = &mut out[first..][..count];
                    // A full panel, by far the most frequent case, is written without a call.
                    if let Ok(out) = <&mut [f32; PANEL]>::try_from(&mut *out) {
                        *out = numbers;
                    } else {
                        out.copy_from_slice(&numbers[..count]);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::product::MOST;

    proptest! {
        #[test]
        fn products_are_those_of_a_plain_loop(
            columns in 1_usize..70,
            rows in 1_usize..40,
            tokens in 1_usize..6,
            numbers in prop::collection::vec(-3.0_f32..3.0, 70 * 46),
        ) {
            let mut matrix = Matrix::new(columns, rows);
            for row in numbers.chunks_exact(columns).take(rows) {
                matrix.push(row);
            }
            let given = &numbers[numbers.len() - tokens * columns..];
            let bias: Vec<f32> = numbers[..rows].to_vec();
            let mut out = Vec::new();
            let rounded = Rounded::new(given.chunks_exact(columns), columns, MOST);
            Linear::new(&matrix, &bias).multiply(&rounded, &mut out);
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
        // The smallest weight that a file can contain.
        let least = i8::MIN as u8;
        let scales = vec![1.0 / f32::from(i8::MIN)];
        let given = Matrix::from_rounded(vec![least; MOST_COLUMNS].into(), scales);
        for matrix in [pushed, given] {
            let mut out = Vec::new();
            let token: &[f32] = &[-1.0; MOST_COLUMNS];
            let tokens = Rounded::new([token].into_iter(), MOST_COLUMNS, MOST);
            Linear::new(&matrix, &[0.0]).multiply(&tokens, &mut out);
            assert!((out[0] + MOST_COLUMNS as f32).abs() < 0.01, "{}", out[0]);
        }
    }
}
