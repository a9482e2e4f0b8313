//! Unified diffs of two texts, for people and `patch`.

use std::fmt::Write as _;
use std::ops::Range;

use crate::secrets::mask_secrets;

/// Unchanged lines of context around a change.
const CONTEXT: usize = 3;

/// Maximum bytes of a line that are shown. Some clients keep their whole state on one line.
const LINE_BYTES: usize = 400;

/// Bytes of context before the first differing byte of a long line.
const LEAD_BYTES: usize = 60;

/// Returns the unified diff, with one hunk from the first to the last differing line; empty if the
/// texts are equal. Without an old text, the file is new. Long lines are cut to the part around the
/// change, between ellipses, and secrets are masked.
pub fn unified_diff(name: &str, old: Option<&str>, new: &str) -> String {
    let before: Vec<_> = old.unwrap_or_default().split_inclusive('\n').collect();
    let after: Vec<_> = new.split_inclusive('\n').collect();
    let Some((removed, added)) = find_change(&before, &after) else {
        return String::new();
    };
    let lead = removed.start.saturating_sub(CONTEXT)..removed.start;
    let trail = removed.end..before.len().min(removed.end + CONTEXT);
    let from = if old.is_some() { name } else { "/dev/null" };
    let mut diff = format!("--- {from}\n+++ {name}\n");
    let context = lead.len() + trail.len();
    let hunk = |start: usize, length: usize| {
        // In a unified diff, a range with lines begins at its first line, counted from 1, and
        // an empty range is given by the line before it: `@@ -0,0 +1,5 @@` for a new file.
        // Other numbers make `patch` apply the hunk at the wrong line.
        let start = if length == 0 { start } else { start + 1 };
        format!("{start},{length}")
    };
    // Here and below, writing to a string cannot fail.
    let _ = writeln!(
        diff,
        "@@ -{} +{} @@",
        hunk(lead.start, removed.len() + context),
        hunk(lead.start, added.len() + context)
    );
    let mask = |lines: &[&str]| lines.iter().map(|line| mask_line(line)).collect::<Vec<_>>();
    // Secrets are masked before long lines are cut. A cut may fall between a key and its value;
    // the value alone, `"sk-…"`, would no longer be recognized as a secret and would be shown.
    let (old_lines, new_lines) = (mask(&before[removed.clone()]), mask(&after[added]));
    let focus = find_focus(&old_lines, &new_lines);
    let rows = [
        (' ', mask(&before[lead])),
        ('-', old_lines),
        ('+', new_lines),
        (' ', mask(&before[trail])),
    ];
    for (sign, lines) in rows {
        for line in lines {
            let text = line.strip_suffix('\n').unwrap_or(&line);
            let _ = writeln!(diff, "{sign}{}", shorten(text, focus));
            if !line.ends_with('\n') {
                diff.push_str("\\ No newline at end of file\n");
            }
        }
    }
    diff
}

/// Returns the ranges of differing lines in both texts; none if they are equal.
fn find_change(before: &[&str], after: &[&str]) -> Option<(Range<usize>, Range<usize>)> {
    if before == after {
        return None;
    }
    let pairs = before.iter().zip(after);
    let head = pairs.take_while(|(one, other)| one == other).count();
    let pairs = before[head..].iter().rev().zip(after[head..].iter().rev());
    let tail = pairs.take_while(|(one, other)| one == other).count();
    Some((head..before.len() - tail, head..after.len() - tail))
}

/// Masks the secrets of a line, keeping its line break.
fn mask_line(line: &str) -> String {
    let text = line.trim_end_matches('\n');
    format!("{}{}", mask_secrets(text), &line[text.len()..])
}

/// Returns the offset of the first differing byte if a single line replaces a single line.
fn find_focus(removed: &[String], added: &[String]) -> usize {
    let ([removed], [added]) = (removed, added) else {
        return 0;
    };
    let pairs = removed.bytes().zip(added.bytes());
    pairs.take_while(|(one, other)| one == other).count()
}

fn shorten(line: &str, focus: usize) -> String {
    if line.len() <= LINE_BYTES {
        return line.to_owned();
    }
    let start = line.floor_char_boundary(focus.min(line.len()).saturating_sub(LEAD_BYTES));
    let end = line.floor_char_boundary(start.saturating_add(LINE_BYTES));
    let before = if start > 0 { "…" } else { "" };
    let after = if end < line.len() { "…" } else { "" };
    format!("{before}{}{after}", &line[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(unified_diff("f", Some("a\n"), "a\n"), "");
    }

    #[test]
    fn a_new_file_comes_from_nothing() {
        let expected = "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n";
        assert_eq!(unified_diff("f", None, "a\nb\n"), expected);
    }

    #[test]
    fn three_lines_stand_around_a_change() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9";
        let expected = "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(unified_diff("f", Some(old), new), expected);
    }

    #[test]
    fn a_missing_last_break_is_named() {
        let expected = "--- f\n+++ f\n@@ -1,1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n";
        assert_eq!(unified_diff("f", Some("a"), "a\nb\n"), expected);
    }

    #[test]
    fn secrets_are_not_shown() {
        let old = "{\n  \"API_KEY\": \"abc\"\n}\n";
        let new = "{\n  \"API_KEY\": \"abc\",\n  \"b\": 1\n}\n";
        let diff = unified_diff("f", Some(old), new);
        assert!(
            !diff.contains("abc") && diff.contains("+  \"b\": 1\n"),
            "{diff}"
        );
        let line = format!("{{\"token\":\"abc\",\"x\":\"{}\"}}", "y".repeat(1000));
        let diff = unified_diff("f", Some(&line), &line.replace("yyy\"", "z\""));
        assert!(!diff.contains("abc"), "{diff}");
    }

    #[test]
    fn the_changed_part_of_a_long_line_is_shown() {
        let old = format!("{}old{}", "가".repeat(1000), "b".repeat(1000));
        let new = format!("{}new{}", "가".repeat(1000), "b".repeat(1000));
        let diff = unified_diff("f", Some(&old), &new);
        assert!(diff.len() < 1200, "{diff}");
        assert!(diff.contains("가oldb") && diff.contains("가newb"), "{diff}");
    }
}
