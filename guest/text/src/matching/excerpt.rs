//! Excerpts: a hit with its surrounding text, on one line.

use std::ops::Range;

use unicode_segmentation::GraphemeCursor;

use crate::limits::CLUSTER_BYTES;

/// Quotes the hit in `**`, with up to `context` characters of `text` before and after it, line
/// breaks as single spaces, and `...` at a truncated end. Text before `from` is never shown.
///
/// ```text
/// ...to start the **server** with a...
/// ```
pub fn excerpt(text: &str, from: usize, hit: &Range<usize>, context: u32) -> String {
    let start = start_of_context(text, from, hit.start, context);
    let end = end_of_context(text, hit.end, context);
    // Room for the markers around the hit and at both ends.
    let mut out = String::with_capacity(end - start + 10);
    if start > from {
        out.push_str("...");
    }
    push_line(&mut out, &text[start..hit.start]);
    out.push_str("**");
    push_line(&mut out, &text[hit.clone()]);
    out.push_str("**");
    push_line(&mut out, &text[hit.end..end]);
    if end < text.len() {
        out.push_str("...");
    }
    out
}

/// Appends `text`, with each line break as one space.
fn push_line(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(end) = rest.find(['\r', '\n']) {
        let (line, behind) = rest.split_at(end);
        out.push_str(line);
        out.push(' ');
        let length = if behind.starts_with("\r\n") { 2 } else { 1 };
        rest = &behind[length..];
    }
    out.push_str(rest);
}

/// Returns the start of the context before a hit: up to `context` characters, fewer if the first
/// one would split a grapheme cluster.
fn start_of_context(text: &str, from: usize, hit: usize, context: u32) -> usize {
    let mut start = hit;
    let mut before = text[from..hit].chars();
    for _ in 0..context {
        match before.next_back() {
            // A CRLF shows as one character.
            Some('\n') if before.as_str().ends_with('\r') => {
                before.next_back();
            }
            Some(_) => {}
            None => break,
        }
        start = from + before.as_str().len();
    }
    // The start is moved towards the hit, because `context` is a maximum. It never splits a
    // grapheme cluster: an excerpt that began with U+0301 would put the accent on the dots before
    // it.
    while start > from && start < hit && !is_boundary(text, start) {
        start += text[start..].chars().next().map_or(1, char::len_utf8);
    }
    start
}

/// Returns the end of the context after a hit, like [`start_of_context`].
fn end_of_context(text: &str, hit: usize, context: u32) -> usize {
    let mut after = text[hit..].chars();
    for _ in 0..context {
        match after.next() {
            Some('\r') if after.as_str().starts_with('\n') => {
                after.next();
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut end = text.len() - after.as_str().len();
    while end > hit && end < text.len() && !is_boundary(text, end) {
        end -= text[..end].chars().next_back().map_or(1, char::len_utf8);
    }
    end
}

/// Returns true if no grapheme cluster spans `position`, a character boundary. Only a window is
/// examined: the length of a cluster is unbounded, so the exact answer may depend on the whole
/// text.
fn is_boundary(text: &str, position: usize) -> bool {
    let start = text.floor_char_boundary(position.saturating_sub(CLUSTER_BYTES));
    let end = text.ceil_char_boundary((position + CLUSTER_BYTES).min(text.len()));
    let window = &text[start..end];
    let mut cursor = GraphemeCursor::new(position - start, window.len(), true);
    // An error means that the answer depends on text outside the window. The window is then taken
    // for the whole text, which is wrong only for a cluster of more than 256 bytes, such as a
    // hostile row of marks.
    cursor.is_boundary(window, 0).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation as _;

    use super::*;

    fn round(text: &str, hit: &str, context: u32) -> String {
        let Some(start) = text.find(hit) else {
            panic!("`{hit}` is in the text")
        };
        excerpt(text, 0, &(start..start + hit.len()), context)
    }

    #[test]
    fn shows_the_hit_and_what_stands_round_it() {
        assert_eq!(round("one hit two", "hit", 50), "one **hit** two");
        assert_eq!(
            round("0123456789 hit 9876543210", "hit", 5),
            "...6789 **hit** 9876..."
        );
        assert_eq!(round("hit", "hit", 10), "**hit**");
        assert_eq!(round("12345hit67890", "hit", 5), "12345**hit**67890");
    }

    #[test]
    fn line_breaks_are_one_space() {
        assert_eq!(round("a\r\nb\nhit\rc\n\nd", "hit", 50), "a b **hit** c  d");
        assert_eq!(round("ab\r\nhit\r\ncd", "hit", 2), "...b **hit** c...");
    }

    #[test]
    fn no_cluster_is_cut() {
        assert_eq!(
            round("xe\u{301}123456789hit", "hit", 10),
            "...123456789**hit**"
        );
        assert_eq!(
            round("hit123456789👨\u{200D}👩\u{200D}👧x", "hit", 12),
            "**hit**123456789..."
        );
        assert_eq!(
            round("a\u{301}hit\u{FE0F}b", "hit", 10),
            "a\u{301}**hit**\u{FE0F}b"
        );
    }

    #[test]
    fn nothing_before_the_body() {
        assert_eq!(excerpt("---\nhit", 4, &(4..7), 50), "**hit**");
    }

    const PIECES: [&str; 8] = [
        "a",
        "é",
        "e\u{301}",
        "한",
        "\r\n",
        "\n",
        "👨\u{200D}👩",
        "🇰🇷",
    ];

    proptest! {
        #[test]
        fn context_is_exact(
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..60),
            split in 0usize..60,
            context in 1u32..30,
        ) {
            let (before, after) = pieces.split_at(split.min(pieces.len()));
            let (before, after) = (before.concat(), after.concat());
            let text = format!("{before}#{after}");
            let shown = excerpt(&text, 0, &(before.len()..before.len() + 1), context);
            let Some((left, right)) = shown.split_once("**#**") else {
                return Err(TestCaseError::fail("the hit is shown"));
            };
            let flat = |text: &str| text.replace("\r\n", " ").replace('\n', " ");
            let left = match left.strip_prefix("...") {
                Some(left) => {
                    prop_assert!(flat(&before).ends_with(left));
                    let cut = &before[..before.len().min(text.len())];
                    let clusters: Vec<&str> = cut.graphemes(true).collect();
                    let kept = flat(&clusters.concat()).chars().count();
                    prop_assert!(kept > context as usize, "something was cut");
                    left
                }
                None => {
                    prop_assert_eq!(flat(&before), left);
                    left
                }
            };
            prop_assert!(left.chars().count() <= context as usize);
            prop_assert!(flat(&after).starts_with(right.strip_suffix("...").unwrap_or(right)));
            prop_assert!(right.trim_end_matches("...").chars().count() <= context as usize);
        }
    }
}
