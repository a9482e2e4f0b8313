//! Functions of many numbers at once, without a branch in them, so that a compiler can take several
//! numbers together; and of additions and products alone, so that they are the same everywhere.

/// Returns e to the power of `x`, which is taken for -87 to 88 beyond these, to a part in a million.
fn exp(x: f32) -> f32 {
    /// Leaves a number that is added to it rounded in its lowest bits.
    const SHIFT: f32 = 12_582_912.0;
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let whole = shifted - SHIFT;
    // In two parts, of which the first has few digits and so an exact product.
    let rest = (x - whole * 0.693_359_4) + whole * 2.121_944_4e-4;
    let mut sum = 1.0 / 720.0;
    for part in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = sum * rest + part;
    }
    let exponent = shifted.to_bits().wrapping_sub(SHIFT.to_bits());
    f32::from_bits(sum.to_bits().wrapping_add(exponent << 23))
}

/// Sets each number to x · Φ(x), Φ being the normal distribution (Abramowitz and Stegun 7.1.26,
/// right to 1.5 × 10⁻⁷).
pub(crate) fn gelu(numbers: &mut [f32]) {
    for number in numbers {
        let x = *number;
        let y = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
        let t = 1.0 / (1.0 + 0.327_591_1 * y);
        let mut sum = 1.061_405_4;
        for part in [-1.453_152_1, 1.421_413_8, -0.284_496_72, 0.254_829_6] {
            sum = sum * t + part;
        }
        // Half of what the distribution has beyond |x|.
        let beyond = 0.5 * sum * t * exp(-y * y);
        let below = if x < 0.0 { beyond } else { 1.0 - beyond };
        *number = x * below;
    }
}

/// Sets numbers to their share of the sum of their powers of e.
pub(crate) fn softmax(numbers: &mut [f32]) {
    let most = numbers
        .iter()
        .fold(f32::MIN, |most, &n| if n > most { n } else { most });
    for number in &mut *numbers {
        *number = exp(*number - most);
    }
    let inverse = 1.0 / numbers.iter().sum::<f32>();
    for number in numbers {
        *number *= inverse;
    }
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
    fn shares_sum_to_one() {
        let mut numbers = [1.0, 2.0, 3.0, -50.0];
        softmax(&mut numbers);
        assert!((numbers.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((numbers[2] - 0.665_240_9).abs() < 1e-6);
    }
}
