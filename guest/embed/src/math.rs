//! Vectorizable functions of many numbers: free of branches, so that a compiler can process several
//! numbers together, and made of additions and products alone, so that results are equal on every
//! machine.

/// Numbers per round: processed together by the vector units; at the end of each round the sandbox
/// checks for interruption.
const ROUND: usize = 16;

/// Returns e to the power of `x`, clamped to -87 to 88, with a relative error of a millionth.
fn exp(x: f32) -> f32 {
    /// Adding it leaves the rounded number in the lowest bits.
    const SHIFT: f32 = 12_582_912.0;
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let whole = shifted - SHIFT;
    // ln 2 is subtracted in two parts, 0.6933594 and -0.00021219444. The first has so few digits
    // that its product with `whole` is exact. With one rounded constant the difference of two
    // nearly equal numbers would lose most of its digits, and the result its precision.
    let rest = (x - whole * 0.693_359_4) + whole * 2.121_944_4e-4;
    let mut sum = 1.0 / 720.0;
    for part in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = sum * rest + part;
    }
    // The lowest bits of `shifted` are the rounded number. Added to the exponent of the sum, it
    // multiplies the sum by that power of 2. The argument was clamped so that the exponent stays
    // within its eight bits.
    let exponent = shifted.to_bits().wrapping_sub(SHIFT.to_bits());
    f32::from_bits(sum.to_bits().wrapping_add(exponent << 23))
}

/// Sets each number to x · Φ(x), where Φ is the normal distribution (Abramowitz and Stegun 7.1.26,
/// accurate to 1.5 × 10⁻⁷).
pub(crate) fn gelu(numbers: &mut [f32]) {
    let (rounds, last) = numbers.as_chunks_mut::<ROUND>();
    for round in rounds {
        *round = round.map(gelu_of);
    }
    for number in last {
        *number = gelu_of(*number);
    }
}

fn gelu_of(x: f32) -> f32 {
    let y = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * y);
    let mut sum = 1.061_405_4;
    for part in [-1.453_152_1, 1.421_413_8, -0.284_496_72, 0.254_829_6] {
        sum = sum * t + part;
    }
    // Half of the tail of the distribution beyond |x|.
    let beyond = 0.5 * sum * t * exp(-y * y);
    let below = if x < 0.0 { beyond } else { 1.0 - beyond };
    x * below
}

/// Replaces each number by e to the power of its difference from the largest, and returns their
/// sum.
pub(crate) fn powers(numbers: &mut [f32]) -> f32 {
    let most = most(numbers);
    let mut sums = [0.0; ROUND];
    let (rounds, last) = numbers.as_chunks_mut::<ROUND>();
    for round in rounds {
        *round = round.map(|number| exp(number - most));
        for (sum, number) in sums.iter_mut().zip(*round) {
            *sum += number;
        }
    }
    for (sum, number) in sums.iter_mut().zip(last) {
        *number = exp(*number - most);
        *sum += *number;
    }
    sums.iter().sum()
}

fn most(numbers: &[f32]) -> f32 {
    let more = |a: f32, b: f32| if a > b { a } else { b };
    let mut lanes = [f32::MIN; ROUND];
    let (rounds, last) = numbers.as_chunks::<ROUND>();
    for round in rounds {
        for (most, number) in lanes.iter_mut().zip(round) {
            *most = more(*number, *most);
        }
    }
    let last = last.iter().copied();
    lanes.into_iter().chain(last).fold(f32::MIN, more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_library() {
        for step in -8_600..8_700 {
            let x = step as f32 / 100.0;
            let expected = f64::from(x).exp();
            let off = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(off < 2e-6, "{x}: {off}");
        }
        assert!(exp(-1e30) < 1e-37);
        assert!(exp(1e30).is_finite());
    }

    #[test]
    fn gelu_has_its_known_values() {
        let mut numbers = [-3.0, -1.0, 0.0, 0.5, 1.0, 3.0];
        gelu(&mut numbers);
        let expected = [
            -0.004_049_7,
            -0.158_655_3,
            0.0,
            0.345_731_2,
            0.841_344_7,
            2.995_950_3,
        ];
        for (number, expected) in numbers.iter().zip(expected) {
            assert!((number - expected).abs() < 1e-6, "{number} {expected}");
        }
    }

    #[test]
    fn powers_are_shares_of_their_sum() {
        for before in [0, 3, 8, 21] {
            let mut numbers = vec![-60.0; before];
            numbers.extend([1.0, 2.0, 3.0, -50.0]);
            let sum = powers(&mut numbers);
            assert!((numbers.iter().sum::<f32>() - sum).abs() < 1e-6);
            assert!((numbers[before + 2] / sum - 0.665_240_9).abs() < 1e-6);
        }
    }
}
