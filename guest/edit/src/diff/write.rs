//! A writer of unified diffs that `git apply` accepts, byte for byte.

use std::fmt::Write as _;
use std::ops::Range;

use docent_text::equal::{are_equal, common_prefix, common_suffix};

use crate::diff::path_name::quote;
use crate::diff::script::{LineChange, script};
use crate::limits::CONTEXT_LINES;

/// The names of a file before and after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffNames<'a> {
    /// The name is unchanged.
    Same(&'a str),
    /// The file is created.
    Created(&'a str),
    /// The file is deleted.
    Deleted(&'a str),
    /// The file is moved from the first to the second name.
    Moved(&'a str, &'a str),
}

/// The difference between two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextDiff {
    /// Unified diff in git's format, with three lines of context; empty if the texts are equal.
    pub diff: String,
    /// Number of lines added.
    pub added: usize,
    /// Number of lines removed.
    pub removed: usize,
}

/// Returns the diff of two texts in git's format; see [`difference`].
pub fn unified_diff(names: DiffNames<'_>, old: &str, new: &str) -> String {
    difference(names, old, new).diff
}

/// Returns the difference between two texts.
///
/// The texts must be those of the files' bytes, including a byte order mark. Only LF ends a line
/// here: any other line ending is part of the line, and a last line without an end is marked as git
/// does.
pub fn difference(names: DiffNames<'_>, old: &str, new: &str) -> TextDiff {
    let is_same = are_equal(old.as_bytes(), new.as_bytes());
    if is_same && matches!(names, DiffNames::Same(_)) {
        return TextDiff::default();
    }
    let mut out = header(names, is_same);
    let window = Window::new(old, new);
    let changes = script(&window.old, &window.new);
    let (added, removed) = counts(&changes);
    let mut rest = changes.as_slice();
    while !rest.is_empty() {
        // Changes that are no further apart than their context share a hunk, as in git. In hunks of
        // their own, the lines between two close changes would be context of both, and the ranges
        // of the hunks would overlap.
        let near = |pair: &[LineChange]| pair[1].old.start - pair[0].old.end <= 2 * CONTEXT_LINES;
        let count = 1 + rest.windows(2).take_while(|pair| near(pair)).count();
        let (hunk, behind) = rest.split_at(count);
        write_hunk(&mut out, hunk, &window);
        rest = behind;
    }
    TextDiff {
        diff: out,
        added,
        removed,
    }
}

/// Returns the numbers of lines that a unified diff adds and removes.
pub fn line_counts(old: &str, new: &str) -> (usize, usize) {
    let window = Window::new(old, new);
    counts(&script(&window.old, &window.new))
}

fn counts(changes: &[LineChange]) -> (usize, usize) {
    let added = changes.iter().map(|change| change.new.len()).sum();
    (added, changes.iter().map(|change| change.old.len()).sum())
}

/// The lines of two texts, without the equal ones at the beginning and the end that no hunk shows.
/// For a long text that is edited at one place only a few lines remain to be split and numbered. A
/// line that is left out is equal on both sides and further from a change than the context of a
/// hunk, so the hunks are those of the whole texts.
struct Window<'t> {
    /// Number of lines left out at the beginning.
    skipped: usize,
    old: Vec<&'t str>,
    new: Vec<&'t str>,
}

impl<'t> Window<'t> {
    fn new(old: &'t str, new: &'t str) -> Self {
        let before = common_prefix(old.as_bytes(), new.as_bytes());
        let start = start_of_context(&old[..old.floor_char_boundary(before)]);
        let rest = old.len().min(new.len()) - before;
        let (old_bytes, new_bytes) = (old.as_bytes(), new.as_bytes());
        let behind = common_suffix(
            &old_bytes[old.len() - rest..],
            &new_bytes[new.len() - rest..],
        );
        let left_out = rest_behind_context(&old_bytes[old.len() - behind..]);
        let lines = |text: &'t str| {
            text[start..text.len() - left_out]
                .split_inclusive('\n')
                .collect()
        };
        Self {
            skipped: memchr::memchr_iter(b'\n', &old_bytes[..start]).count(),
            old: lines(old),
            new: lines(new),
        }
    }
}

/// Returns the start of the context before the text that follows `text`. The line in which `text`
/// ends may differ.
fn start_of_context(text: &str) -> usize {
    let mut ends = memchr::memrchr_iter(b'\n', text.as_bytes());
    ends.nth(CONTEXT_LINES).map_or(0, |end| end + 1)
}

/// Returns the number of bytes of `text` after the context of what precedes it. The line in which
/// `text` begins may differ.
fn rest_behind_context(text: &[u8]) -> usize {
    let mut ends = memchr::memchr_iter(b'\n', text);
    ends.nth(CONTEXT_LINES)
        .map_or(0, |end| text.len() - end - 1)
}

fn header(names: DiffNames<'_>, is_same_text: bool) -> String {
    let (old, new) = match names {
        DiffNames::Same(name) | DiffNames::Created(name) | DiffNames::Deleted(name) => (name, name),
        DiffNames::Moved(old, new) => (old, new),
    };
    let (from, to) = (quote(&format!("a/{old}")), quote(&format!("b/{new}")));
    let mut out = format!("diff --git {from} {to}\n");
    match names {
        DiffNames::Same(_) => {}
        DiffNames::Created(_) => out.push_str("new file mode 100644\n"),
        DiffNames::Deleted(_) => out.push_str("deleted file mode 100644\n"),
        DiffNames::Moved(old, new) => {
            let (old, new) = (quote(old), quote(new));
            // Writing to a string cannot fail.
            let _ = write!(out, "rename from {old}\nrename to {new}\n");
        }
    }
    if is_same_text {
        return out;
    }
    // For `patch` a name ends at the first blank, unless a tab follows the name. Git writes the tab
    // too.
    let end = |name: &str| if name.contains(' ') { "\t" } else { "" };
    let no_name = "/dev/null".to_owned();
    let from = if matches!(names, DiffNames::Created(_)) {
        &no_name
    } else {
        &from
    };
    let to = if matches!(names, DiffNames::Deleted(_)) {
        &no_name
    } else {
        &to
    };
    let _ = write!(out, "--- {from}{}\n+++ {to}{}\n", end(from), end(to));
    out
}

fn write_hunk(out: &mut String, hunk: &[LineChange], window: &Window<'_>) {
    let (old, new) = (&window.old, &window.new);
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
        return;
    };
    let before = first.old.start.min(CONTEXT_LINES);
    let behind = (old.len() - last.old.end).min(CONTEXT_LINES);
    let old_lines = first.old.start - before..last.old.end + behind;
    let new_lines = first.new.start - before..last.new.end + behind;
    let position = |lines| position(lines, window.skipped);
    let (from, to) = (position(&old_lines), position(&new_lines));
    let _ = writeln!(out, "@@ -{from} +{to} @@");
    let mut at = old_lines.start;
    for change in hunk {
        write_lines(out, ' ', &old[at..change.old.start]);
        write_lines(out, '-', &old[change.old.clone()]);
        write_lines(out, '+', &new[change.new.clone()]);
        at = change.old.end;
    }
    write_lines(out, ' ', &old[at..old_lines.end]);
}

/// Returns a range of lines in a hunk header's format: the first line and the count, which is
/// omitted if it is one. An empty range names the line before it, which is 0 at the start of a file
/// (POSIX, `diff -u`): `patch` would otherwise insert the lines one line too late. `skipped` is
/// added to every line number.
fn position(lines: &Range<usize>, skipped: usize) -> String {
    let start = lines.start + skipped;
    match lines.len() {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

fn write_lines(out: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_git_writes_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        let expected = "diff --git a/a b.md b/a b.md\n--- a/a b.md\t\n+++ b/a b.md\t\n\
            @@ -2,8 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n-9\n\
            \\ No newline at end of file\n+9\n";
        assert_eq!(unified_diff(DiffNames::Same("a b.md"), old, new), expected);
        assert_eq!(unified_diff(DiffNames::Same("a"), old, old), "");
        assert_eq!(line_counts(old, new), (2, 2));
    }

    #[test]
    fn what_is_left_out_changes_nothing_of_the_difference() {
        let lines = |count: usize| (0..count).map(|line| format!("{}\n", line % 7));
        let whole: Vec<String> = lines(400).collect();
        for at in [0, 1, 3, 4, 199, 396, 399] {
            for count in 0..3 {
                let mut changed = whole.clone();
                let end = (at + count).min(changed.len());
                changed.splice(at..end, ["3\n".to_owned(), "한\n".to_owned()]);
                let (old, new) = (whole.concat(), changed.concat());
                let window = Window::new(&old, &new);
                assert!(window.old.len() < 24, "{at} {count}: {}", window.old.len());
                let all = Window {
                    skipped: 0,
                    old: old.split_inclusive('\n').collect(),
                    new: new.split_inclusive('\n').collect(),
                };
                let hunks = |window: &Window<'_>| {
                    let mut out = String::new();
                    let changes = script(&window.old, &window.new);
                    write_hunk(&mut out, &changes, window);
                    out
                };
                assert_eq!(hunks(&window), hunks(&all), "{at} {count}");
            }
        }
    }

    #[test]
    fn what_is_left_out_ends_within_no_letter() {
        for (old, new) in [
            ("a\né", "a\nè"),
            ("é\na", "í\na"),
            ("한\n", "핝\n"),
            ("", "é"),
        ] {
            let diff = unified_diff(DiffNames::Same("a"), old, new);
            assert!(diff.contains(&format!(
                "+{}",
                new.lines().find(|line| *line != "a").unwrap()
            )));
        }
    }

    #[test]
    fn files_that_come_go_and_move() {
        let created =
            "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n";
        assert_eq!(unified_diff(DiffNames::Created("n"), "", "x\n"), created);
        let deleted = "diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n\
            @@ -1 +0,0 @@\n-x\n";
        assert_eq!(unified_diff(DiffNames::Deleted("n"), "x\n", ""), deleted);
        let moved = "diff --git a/n b/m\nrename from n\nrename to m\n";
        assert_eq!(
            unified_diff(DiffNames::Moved("n", "m"), "x\n", "x\n"),
            moved
        );
    }
}
