//! Saturating conversion of counts to the 32 bits of answers.

/// Converts `number` to `u32`, saturating at the maximum. Counts come from documents of at most 64
/// MiB and from limited listings, so they fit; if one did not, an answer with too small a number
/// would be better than none.
#[inline]
pub fn saturating_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitting_numbers_are_kept() {
        assert_eq!(saturating_u32(0), 0);
        assert_eq!(saturating_u32(u32::MAX as usize), u32::MAX);
        assert_eq!(saturating_u32(usize::MAX), u32::MAX);
    }
}
