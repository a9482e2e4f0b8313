//! What a search has not looked at, by reason: said where it found nothing, for then it matters.

use docent_api::types::SkipReason;
use docent_tree::skips::LeftOut;

/// Entries that were not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsearched {
    /// What was passed by because of names and rules.
    pub left_out: LeftOut,
    /// Files of kinds that the request leaves out.
    pub not_included: u32,
    /// Files that are no text.
    pub binary: u32,
    /// Files over the cap of one.
    pub too_large: u32,
    /// Files that could not be read, or decoded for certain.
    pub unreadable: u32,
}

impl Unsearched {
    /// Counts a file that could not be read.
    pub fn add(&mut self, reason: SkipReason) {
        let count = match reason {
            SkipReason::Binary => &mut self.binary,
            SkipReason::TooLarge => &mut self.too_large,
            _ => &mut self.unreadable,
        };
        *count = count.saturating_add(1);
    }

    /// Returns it as a sentence with a blank before it; empty where all was looked at.
    pub fn sentence(&self) -> String {
        let counts = [
            (self.left_out.hidden, "hidden"),
            (self.left_out.ignored, "ignored"),
            (self.left_out.sensitive, "that may hold secrets"),
            (self.not_included, "of kinds that `include` leaves out"),
            (self.binary, "binary"),
            (self.too_large, "too large"),
            (self.unreadable, "that cannot be read"),
        ];
        let told: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if told.is_empty() {
            return String::new();
        }
        format!(" Not looked at: {}.", told.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_looked_at_by_reason() {
        let mut unsearched = Unsearched::default();
        assert_eq!(unsearched.sentence(), "");
        unsearched.left_out.hidden = 2;
        unsearched.add(SkipReason::Binary);
        unsearched.add(SkipReason::NotText);
        assert_eq!(
            unsearched.sentence(),
            " Not looked at: 2 hidden, 1 binary, 1 that cannot be read."
        );
    }
}
