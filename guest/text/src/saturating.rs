//! Counts as answers have them: in 32 bits.

/// Returns `number`, or the largest `u32` where it is larger. Counts come from documents of at most
/// 64 MiB and from listings with limits of their own: they fit, and if one did not, an answer with
/// too small a number would be better than none.
#[inline]
pub fn saturating_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_kept() {
        assert_eq!(saturating_u32(0), 0);
        assert_eq!(saturating_u32(u32::MAX as usize), u32::MAX);
        assert_eq!(saturating_u32(usize::MAX), u32::MAX);
    }
}
