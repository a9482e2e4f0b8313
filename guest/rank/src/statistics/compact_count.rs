//! A number in one byte.

/// A number in one byte, exact below 32, else within 6 %: four bits of exponent and four of
/// mantissa. A score hardly distinguishes numbers above 32, because the sum saturates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CompactCount(u8);

impl CompactCount {
    /// Zero.
    pub(super) const NONE: Self = Self(0);

    pub(super) fn new(number: u32) -> Self {
        if number < 32 {
            return Self(number.to_le_bytes()[0]);
        }
        let shift = (27 - number.leading_zeros()).min(14);
        let mantissa = (number >> shift).min(31);
        Self(((shift + 1) * 16 + mantissa - 16).min(255).to_le_bytes()[0])
    }

    pub(crate) fn number(self) -> u32 {
        let code = u32::from(self.0);
        if code < 32 {
            return code;
        }
        (16 + code % 16) << (code / 16 - 1)
    }
}
