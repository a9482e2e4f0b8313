//! Products of rows of integers, which take most of the time of an encoder.
//!
//! Two rows are multiplied with the sixteen of a panel at once, two numbers of each per step, like
//! `pmaddwd` and similar instructions. A panel is packed in advance: the next two numbers of its
//! rows are adjacent, so that each sum has a lane of its own. Integer sums do not depend on the
//! order of addition: a text has the same vector inside and outside of the sandbox.

/// Rows multiplied with a panel at once.
pub(crate) const ROWS: usize = 2;

/// Rows of a panel, four per register. [`ROWS`] times as many sums, the next numbers of the panel
/// and those of a row fit the 16 registers of a vector unit; of the sizes that fit, this was the
/// fastest.
pub(crate) const PANEL: usize = 4 * LANES;
const LANES: usize = 4;

/// Two numbers of a row.
pub(crate) type Pair = [i16; 2];

/// The next two numbers of each row of a panel.
pub(crate) type Step = [Lane; LANES];

/// The largest number of a rounded row: 12 bits and a sign.
pub(crate) const MOST: i32 = 4095;

/// Steps per round. At the end of each round the sandbox checks for interruption, for which the
/// compiler spills the sums, at the cost of a step. Rows are padded with zeros to whole rounds.
const ROUND: usize = 8;

#[cfg(target_arch = "wasm32")]
mod lanes {
    use core::arch::wasm32::{
        i16x8, i16x8_extend_low_i8x16, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane, i32x4_splat,
        i64x2_splat, v128,
    };

    use super::Pair;

    pub(crate) type Lane = v128;
    pub(crate) type Sum = v128;

    #[inline(always)]
    pub(crate) fn lane(n: [i16; 8]) -> Lane {
        i16x8(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7])
    }

    #[inline(always)]
    pub(crate) fn widen(weights: [u8; 8]) -> Lane {
        i16x8_extend_low_i8x16(i64x2_splat(i64::from_le_bytes(weights)))
    }

    #[inline(always)]
    pub(super) fn zero() -> Sum {
        i32x4_splat(0)
    }

    #[inline(always)]
    pub(super) fn add_products(sum: Sum, pair: Pair, lane: Lane) -> Sum {
        // The lower number is converted without its sign. With it, the bits of a negative one
        // would be set in the upper half as well, and the upper number would be lost: -1 and 2
        // must become 0x0002ffff.
        let [low, high] = pair;
        let pair = i32::from(low as u16) | (i32::from(high) << 16);
        i32x4_add(sum, i32x4_dot_i16x8(i32x4_splat(pair), lane))
    }

    #[inline(always)]
    pub(super) fn numbers(sum: Sum) -> [i32; 4] {
        [
            i32x4_extract_lane::<0>(sum),
            i32x4_extract_lane::<1>(sum),
            i32x4_extract_lane::<2>(sum),
            i32x4_extract_lane::<3>(sum),
        ]
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod lanes {
    use super::Pair;

    pub(crate) type Lane = [i16; 8];
    pub(crate) type Sum = [i32; 4];

    pub(crate) fn lane(numbers: [i16; 8]) -> Lane {
        numbers
    }

    pub(crate) fn widen(weights: [u8; 8]) -> Lane {
        weights.map(|weight| i16::from(weight as i8))
    }

    pub(super) fn zero() -> Sum {
        [0; 4]
    }

    #[inline(always)]
    pub(super) fn add_products(sum: Sum, pair: Pair, lane: Lane) -> Sum {
        let product = |i: usize| i32::from(pair[i % 2]) * i32::from(lane[i]);
        [0, 1, 2, 3].map(|i| sum[i] + product(2 * i) + product(2 * i + 1))
    }

    pub(super) fn numbers(sum: Sum) -> [i32; 4] {
        sum
    }
}

pub(crate) use lanes::{Lane, lane, widen};
use lanes::{Sum, add_products, numbers, zero};

/// Returns the products of some rows with those of a panel. They have the length of the panel, and
/// `steps` steps before padding, at least one.
#[inline(always)]
pub(crate) fn products(
    rows: [&[Pair]; ROWS],
    panel: &[Step],
    steps: usize,
) -> [[i32; PANEL]; ROWS] {
    let mut sums = [[zero(); LANES]; ROWS];
    let rows = rows.map(|row| row.as_chunks::<ROUND>().0);
    let (panel, _) = panel.as_chunks::<ROUND>();
    let mut left = steps;
    for (round, panel) in panel.iter().enumerate() {
        let row = rows.map(|row| &row[round]);
        // The possible end after each step prevents the compiler from adding the products of all
        // steps to each other before it adds them to the sums: they would not fit the registers.
        // The rows are padded to whole rounds, so that a round needs no checks of its bounds,
        // and the steps of the padding are not computed.
        macro_rules! step {
            ($i:literal) => {
                add_step(&mut sums, row.map(|row| row[$i]), panel[$i]);
                if left == $i + 1 {
                    break;
                }
            };
        }
        step!(0);
        step!(1);
        step!(2);
        step!(3);
        step!(4);
        step!(5);
        step!(6);
        step!(7);
        left -= ROUND;
    }
    sums.map(|sums| {
        let mut all = [0; PANEL];
        for (four, sum) in all.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
            *four = numbers(sum);
        }
        all
    })
}

#[inline(always)]
fn add_step(sums: &mut [[Sum; LANES]; ROWS], row: [Pair; ROWS], panel: Step) {
    for (sums, pair) in sums.iter_mut().zip(row) {
        for (sum, lane) in sums.iter_mut().zip(panel) {
            *sum = add_products(*sum, pair, lane);
        }
    }
}

/// Rows of rounded numbers, each with its scale.
#[derive(Debug)]
pub(crate) struct Rounded {
    /// Pairs of numbers per row.
    steps: usize,
    /// Pairs of numbers per row, padded to whole rounds.
    stride: usize,
    pairs: Vec<Pair>,
    scales: Vec<f32>,
}

impl Rounded {
    /// Rounds rows of `columns` numbers to integers, scaled so that the largest of each row is
    /// `most`, at most [`MOST`].
    pub(crate) fn new<'a>(
        rows: impl ExactSizeIterator<Item = &'a [f32]>,
        columns: usize,
        most: i32,
    ) -> Self {
        let steps = columns.div_ceil(2);
        let stride = padded_steps(steps);
        let mut pairs = Vec::with_capacity(rows.len() * stride);
        let mut scales = Vec::with_capacity(rows.len());
        for row in rows {
            scales.push(round(row, most as f32, &mut pairs));
            pairs.resize(scales.len() * stride, [0; 2]);
        }
        Self {
            steps,
            stride,
            pairs,
            scales,
        }
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Returns the scales of the products of each of [`rows`](Self::rows).
    pub(crate) fn scales(&self, first: usize) -> [f32; ROWS] {
        let last = self.len() - 1;
        std::array::from_fn(|i| self.scales[(first + i).min(last)])
    }

    /// Returns the rows from `first` on, which must exist; the last one is repeated for missing
    /// ones.
    pub(crate) fn rows(&self, first: usize) -> [&[Pair]; ROWS] {
        let last = self.len() - 1;
        std::array::from_fn(|i| &self.pairs[(first + i).min(last) * self.stride..][..self.stride])
    }
}

/// Returns the number of steps padded to whole rounds.
pub(crate) fn padded_steps(steps: usize) -> usize {
    steps.next_multiple_of(ROUND)
}

/// Appends a row to `pairs`, rounded to at most `most`, and returns its scale.
fn round(row: &[f32], most: f32, pairs: &mut Vec<Pair>) -> f32 {
    let largest = largest(row);
    // For a smaller number the inverse would be infinite, and its product with a zero of the row
    // NaN.
    let inverse = if largest > 1e-30 { most / largest } else { 0.0 };
    let (whole, last) = row.as_chunks::<2>();
    pairs.extend(
        whole
            .iter()
            .map(|pair| pair.map(|n| round_to_integer(n * inverse))),
    );
    pairs.extend(last.iter().map(|n| [round_to_integer(n * inverse), 0]));
    largest / most
}

/// Rounds a number of at most ±4095 to the nearest integer: adding 1.5 × 2²³ leaves it in the
/// lowest bits, which vectorizes, whereas `round` is a call for each.
pub(crate) fn round_to_integer(number: f32) -> i16 {
    const SHIFT: f32 = 12_582_912.0;
    (number + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()) as i16
}

/// Returns the largest absolute number of a row.
pub(crate) fn largest(row: &[f32]) -> f32 {
    let more = |a: f32, b: f32| if a > b { a } else { b };
    let mut lanes = [0.0; 8];
    let (rounds, last) = row.as_chunks::<8>();
    for round in rounds {
        for (most, number) in lanes.iter_mut().zip(round) {
            *most = more(number.abs(), *most);
        }
    }
    let most = lanes.into_iter().fold(0.0, more);
    last.iter().fold(most, |most, n| more(n.abs(), most))
}

/// Returns a number for each row of all panels; missing rows are zero.
pub(crate) fn pad_to_panels(numbers: &[f32]) -> Vec<[f32; PANEL]> {
    let mut padded = vec![[0.0; PANEL]; numbers.len().div_ceil(PANEL)];
    padded.as_flattened_mut()[..numbers.len()].copy_from_slice(numbers);
    padded
}

/// Converts integer products back to the scale of the original numbers: a row of this scale times
/// the rows of a panel.
pub(crate) fn rescale(products: [i32; PANEL], scale: f32, panel: &[f32; PANEL]) -> [f32; PANEL] {
    std::array::from_fn(|i| products[i] as f32 * (scale * panel[i]))
}

/// Rows packed in panels; missing rows are zero.
#[derive(Debug)]
pub(crate) struct Panels {
    steps: usize,
    stride: usize,
    packed: Vec<Step>,
    /// Scales of all rows of all panels.
    scales: Vec<[f32; PANEL]>,
}

impl Panels {
    /// Packs rows.
    pub(crate) fn new(rows: &Rounded) -> Self {
        let stride = rows.stride;
        let count = rows.len().div_ceil(PANEL);
        let mut packed = Vec::with_capacity(count * stride);
        let nothing = vec![[0; 2]; stride];
        for panel in 0..count {
            let row = |i: usize| {
                let at = (panel * PANEL + i) * stride;
                rows.pairs.get(at..at + stride).unwrap_or(&nothing)
            };
            let rows: [&[Pair]; PANEL] = std::array::from_fn(row);
            packed.extend((0..stride).map(|step| {
                std::array::from_fn(|four| {
                    let [a, b] = rows[4 * four][step];
                    let [c, d] = rows[4 * four + 1][step];
                    let [e, f] = rows[4 * four + 2][step];
                    let [g, h] = rows[4 * four + 3][step];
                    lane([a, b, c, d, e, f, g, h])
                })
            }));
        }
        Self {
            steps: rows.steps,
            stride,
            packed,
            scales: pad_to_panels(&rows.scales),
        }
    }

    /// Returns the products of some rows with those of each panel, with the scales of the panel.
    pub(crate) fn products<'a>(
        &'a self,
        rows: [&'a [Pair]; ROWS],
    ) -> impl Iterator<Item = ([[i32; PANEL]; ROWS], &'a [f32; PANEL])> {
        let panels = self.packed.chunks_exact(self.stride).zip(&self.scales);
        panels.map(move |(panel, scales)| (products(rows, panel, self.steps), scales))
    }
}
