//! Description of the files that a search did not cover, by reason: given if it found nothing,
//! since it matters then.

use docent_tree::skips::LeftOut;

/// Description of the kinds that document searches leave to other tools.
pub const CODE_AND_DATA: &str = "of code and data";

/// Returns it as a sentence after a space; empty if all files were searched. `kinds` describes the
/// kinds that were not requested.
pub fn describe_unsearched(left_out: &LeftOut, kinds: &str) -> String {
    let counts = [
        (left_out.hidden, "hidden"),
        (left_out.ignored, "ignored"),
        (left_out.sensitive, "that may hold secrets"),
        (left_out.other_kinds, kinds),
        (left_out.binary, "binary"),
        (left_out.too_large, "too large"),
        (left_out.unreadable, "that cannot be read"),
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

#[cfg(test)]
mod tests {
    use docent_api::types::SkipReason;

    use super::*;

    #[test]
    fn what_was_not_looked_at_by_reason() {
        let mut left_out = LeftOut::default();
        assert_eq!(describe_unsearched(&left_out, ""), "");
        left_out.hidden = 2;
        left_out.other_kinds = 3;
        left_out.add(SkipReason::Binary);
        left_out.add(SkipReason::NotText);
        assert_eq!(
            describe_unsearched(&left_out, CODE_AND_DATA),
            " Not looked at: 2 hidden, 3 of code and data, 1 binary, 1 that cannot be read."
        );
    }
}
