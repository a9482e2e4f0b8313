//! Products of rows of whole numbers: most of the time of an encoder goes into them.
//!
//! Two rows are multiplied with the sixteen of a panel at once, two numbers of each in a step, as
//! `pmaddwd` and its kin do. A panel is packed before: the next two numbers of its rows stand side by
//! side, so that each sum has a lane of its own. They are whole numbers, whose sums do not depend on
//! the order in which a processor adds them: in the sandbox and outside a text has the same vector.

/// Rows that are multiplied with a panel at once.
pub(crate) const ROWS: usize = 2;

/// Rows of a panel, four in a register. [`ROWS`] times as many sums, the panel's next numbers and
/// those of a row fit the 16 registers of a vector unit; of what fits, this was the fastest.
pub(crate) const PANEL: usize = 4 * LANES;
const LANES: usize = 4;

/// Two numbers of a row.
pub(crate) type Pair = [i16; 2];

/// The next two numbers of each row of a panel.
pub(crate) type Step = [Lane; LANES];

/// The largest number of a rounded row: 12 bits and a sign.
pub(crate) const MOST: i32 = 4095;

/// Steps of a round. At the end of each the sandbox asks whether the work is to stop, and for that the
/// compiler puts the sums aside, which takes as long as a step. Rows are filled up with zeros to whole
/// rounds.
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
    pub(crate) fn widened(weights: [u8; 8]) -> Lane {
        i16x8_extend_low_i8x16(i64x2_splat(i64::from_le_bytes(weights)))
    }

    #[inline(always)]
    pub(super) fn zero() -> Sum {
        i32x4_splat(0)
    }

    #[inline(always)]
    pub(super) fn add_products(sum: Sum, pair: Pair, lane: Lane) -> Sum {
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

    pub(crate) fn widened(weights: [u8; 8]) -> Lane {
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

pub(crate) use lanes::{Lane, lane, widened};
use lanes::{Sum, add_products, numbers, zero};

/// Returns the products of some rows with those of a panel. They are as long as the panel, and have
/// `steps` steps that are not filled up, one at least.
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
        // That the end may come after each step keeps the compiler from adding the products of all
        // steps to each other before it adds them to the sums: they would not fit the registers.
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

/// Rows of numbers, rounded, each with its scale.
#[derive(Debug)]
pub(crate) struct Rounded {
    /// Pairs of numbers of each row.
    steps: usize,
    /// The same, filled up to whole rounds.
    stride: usize,
    pairs: Vec<Pair>,
    scales: Vec<f32>,
}

impl Rounded {
    /// Rounds rows of `columns` numbers to whole ones, of which the largest of each row is `most`, at
    /// most [`MOST`].
    pub(crate) fn of<'a>(
        rows: impl ExactSizeIterator<Item = &'a [f32]>,
        columns: usize,
        most: i32,
    ) -> Self {
        let steps = columns.div_ceil(2);
        let stride = filled(steps);
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

    /// Returns how many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Returns what the products of each of [`rows`](Self::rows) are to be multiplied with.
    pub(crate) fn scales(&self, first: usize) -> [f32; ROWS] {
        let last = self.len() - 1;
        std::array::from_fn(|i| self.scales[(first + i).min(last)])
    }

    /// Returns the rows from `first` on, which is one, and the last one again for those that are not
    /// there.
    pub(crate) fn rows(&self, first: usize) -> [&[Pair]; ROWS] {
        let last = self.len() - 1;
        std::array::from_fn(|i| &self.pairs[(first + i).min(last) * self.stride..][..self.stride])
    }
}

/// Returns how many steps whole rounds of so many have.
pub(crate) fn filled(steps: usize) -> usize {
    steps.next_multiple_of(ROUND)
}

/// Adds a row to `pairs`, rounded to at most `most`, and returns its scale.
fn round(row: &[f32], most: f32, pairs: &mut Vec<Pair>) -> f32 {
    let largest = largest(row);
    // Of less than that the inverse would be no number any more; it is nothing beside what a model
    // says.
    let inverse = if largest > 1e-30 { most / largest } else { 0.0 };
    let (whole, last) = row.as_chunks::<2>();
    pairs.extend(whole.iter().map(|pair| pair.map(|n| nearest(n * inverse))));
    pairs.extend(last.iter().map(|n| [nearest(n * inverse), 0]));
    largest / most
}

/// Returns the whole number next to one of at most ±4095: adding 1.5 × 2²³ leaves it in the lowest
/// bits, which is done for many at once where `round` is a call for each.
pub(crate) fn nearest(number: f32) -> i16 {
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

/// Returns a number for each row of all panels; those of rows that are not there are zero.
pub(crate) fn padded(numbers: &[f32]) -> Vec<[f32; PANEL]> {
    let mut padded = vec![[0.0; PANEL]; numbers.len().div_ceil(PANEL)];
    padded.as_flattened_mut()[..numbers.len()].copy_from_slice(numbers);
    padded
}

/// Returns products of whole numbers as those of what was rounded: of a row of this scale with those
/// of a panel.
pub(crate) fn scaled(products: [i32; PANEL], scale: f32, panel: &[f32; PANEL]) -> [f32; PANEL] {
    std::array::from_fn(|i| products[i] as f32 * (scale * panel[i]))
}

/// Rows packed in panels; those that are not there are zero.
#[derive(Debug)]
pub(crate) struct Panels {
    steps: usize,
    stride: usize,
    packed: Vec<Step>,
    /// Of all rows of all panels.
    scales: Vec<[f32; PANEL]>,
}

impl Panels {
    /// Packs rows.
    pub(crate) fn of(rows: &Rounded) -> Self {
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
            scales: padded(&rows.scales),
        }
    }

    /// Returns the products of some rows with those of each panel, and the scales of the panel's.
    pub(crate) fn products<'a>(
        &'a self,
        rows: [&'a [Pair]; ROWS],
    ) -> impl Iterator<Item = ([[i32; PANEL]; ROWS], &'a [f32; PANEL])> {
        let panels = self.packed.chunks_exact(self.stride).zip(&self.scales);
        panels.map(move |(panel, scales)| (products(rows, panel, self.steps), scales))
    }
}
