//! Entries that are looked at although names or rules leave them out.

/// Entries that a walk visits, or that a path may name, although names or rules leave them out;
/// never what may hold secrets, and never what version control keeps for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Included {
    /// Entries whose names begin with a dot.
    pub hidden: bool,
    /// Entries that ignore files leave out; not so what the configuration does.
    pub ignored: bool,
}

impl Included {
    /// Returns them as a number below 4, for cursors and packs: its bits keep their places.
    #[must_use]
    pub fn bits(self) -> u8 {
        u8::from(self.hidden) | u8::from(self.ignored) << 1
    }

    /// Returns those of [`Included::bits`]; none for any other number.
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
        let all = (0..=u8::MAX).filter_map(Included::from_bits);
        assert_eq!(all.map(Included::bits).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }
}
