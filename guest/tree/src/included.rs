//! Inclusion of entries that names or rules exclude.

/// The classes of excluded entries that a walk visits, or that a path may name, all the same; never
/// files that may contain secrets, nor the internals of version control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inclusions {
    /// True for entries whose names begin with a dot.
    pub hidden: bool,
    /// True for entries excluded by ignore files; those excluded by the configuration stay so.
    pub ignored: bool,
}

impl Inclusions {
    /// Returns the set as a number below 4, for cursors and packs: its bits are stable.
    #[must_use]
    pub fn bits(self) -> u8 {
        u8::from(self.hidden) | u8::from(self.ignored) << 1
    }

    /// Parses the number of [`Inclusions::bits`]; returns `None` for any other.
    #[must_use]
    pub fn from_bits(bits: u8) -> Option<Self> {
        (bits < 4).then_some(Self {
            hidden: bits & 1 != 0,
            ignored: bits & 2 != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back() {
        let all = (0..=u8::MAX).filter_map(Inclusions::from_bits);
        assert_eq!(all.map(Inclusions::bits).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }
}
