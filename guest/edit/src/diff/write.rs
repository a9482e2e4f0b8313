//! A unified diff that `git apply` takes, byte for byte.

use std::fmt::Write as _;
use std::ops::Range;

use docent_text::equal::{are_equal, common_prefix, common_suffix};

use crate::diff::path_name::quoted;
use crate::diff::script::{Change, script};
use crate::limits::CONTEXT_LINES;

/// What becomes of a file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names<'a> {
    /// It stays.
    Same(&'a str),
    /// The file is new.
    Created(&'a str),
    /// The file is gone.
    Deleted(&'a str),
    /// The file is moved from the first to the second name.
    Moved(&'a str, &'a str),
}

/// The difference of two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// As git takes it, with three lines of context; empty where there is none.
    pub diff: String,
    /// Lines that come.
    pub added: usize,
    /// Lines that go.
    pub removed: usize,
}

/// Returns the difference of two texts as git takes it; see [`difference`].
pub fn unified(names: Names<'_>, old: &str, new: &str) -> String {
    difference(names, old, new).diff
}

/// Returns the difference of two texts.
///
/// The texts are those of the files' bytes, a byte order mark included. Only LF ends a line here:
/// all others are part of it, and a last line without an end is marked as git does.
pub fn difference(names: Names<'_>, old: &str, new: &str) -> Difference {
    let is_same = are_equal(old.as_bytes(), new.as_bytes());
    if is_same && matches!(names, Names::Same(_)) {
        return Difference::default();
    }
    let mut out = header(names, is_same);
    let window = Window::of(old, new);
    let changes = script(&window.old, &window.new);
    let (added, removed) = counts(&changes);
    let mut rest = changes.as_slice();
    while !rest.is_empty() {
        // Changes that are no further apart than their context are one hunk.
        let near = |pair: &[Change]| pair[1].old.start - pair[0].old.end <= 2 * CONTEXT_LINES;
        let count = 1 + rest.windows(2).take_while(|pair| near(pair)).count();
        let (hunk, behind) = rest.split_at(count);
        write_hunk(&mut out, hunk, &window);
        rest = behind;
    }
    Difference {
        diff: out,
        added,
        removed,
    }
}

/// How many lines a unified diff adds and removes.
pub fn line_counts(old: &str, new: &str) -> (usize, usize) {
    let window = Window::of(old, new);
    counts(&script(&window.old, &window.new))
}

fn counts(changes: &[Change]) -> (usize, usize) {
    let added = changes.iter().map(|change| change.new.len()).sum();
    (added, changes.iter().map(|change| change.old.len()).sum())
}

/// The lines of two texts but for those that are equal, at the beginning and the end, and that no
/// hunk shows: of a long text that is edited at one place few are left.
struct Window<'t> {
    /// How many lines are left out at the beginning.
    skipped: usize,
    old: Vec<&'t str>,
    new: Vec<&'t str>,
}

impl<'t> Window<'t> {
    fn of(old: &'t str, new: &'t str) -> Self {
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

/// Returns where the context of what follows `text` begins: the line that it ends in may differ.
fn start_of_context(text: &str) -> usize {
    let mut ends = memchr::memrchr_iter(b'\n', text.as_bytes());
    ends.nth(CONTEXT_LINES).map_or(0, |end| end + 1)
}

/// Returns how many bytes of `text` stand behind the context of what it follows: the line that it
/// begins in may differ.
fn rest_behind_context(text: &[u8]) -> usize {
    let mut ends = memchr::memchr_iter(b'\n', text);
    ends.nth(CONTEXT_LINES)
        .map_or(0, |end| text.len() - end - 1)
}

fn header(names: Names<'_>, is_same_text: bool) -> String {
    let (old, new) = match names {
        Names::Same(name) | Names::Created(name) | Names::Deleted(name) => (name, name),
        Names::Moved(old, new) => (old, new),
    };
    let (from, to) = (quoted(&format!("a/{old}")), quoted(&format!("b/{new}")));
    let mut out = format!("diff --git {from} {to}\n");
    match names {
        Names::Same(_) => {}
        Names::Created(_) => out.push_str("new file mode 100644\n"),
        Names::Deleted(_) => out.push_str("deleted file mode 100644\n"),
        Names::Moved(old, new) => {
            let (old, new) = (quoted(old), quoted(new));
            // Writing into a string cannot fail.
            let _ = write!(out, "rename from {old}\nrename to {new}\n");
        }
    }
    if is_same_text {
        return out;
    }
    // A blank in a name would end it for `patch`, unless a tab does.
    let end = |name: &str| if name.contains(' ') { "\t" } else { "" };
    let no_name = "/dev/null".to_owned();
    let from = if matches!(names, Names::Created(_)) {
        &no_name
    } else {
        &from
    };
    let to = if matches!(names, Names::Deleted(_)) {
        &no_name
    } else {
        &to
    };
    let _ = write!(out, "--- {from}{}\n+++ {to}{}\n", end(from), end(to));
    out
}

fn write_hunk(out: &mut String, hunk: &[Change], window: &Window<'_>) {
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

/// Returns where lines stand as a hunk says it: the first one and how many, which is left out where
/// it is one. Of no lines the one before them is named. So many lines `skipped` stand before all.
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
        assert_eq!(unified(Names::Same("a b.md"), old, new), expected);
        assert_eq!(unified(Names::Same("a"), old, old), "");
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
                let window = Window::of(&old, &new);
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
            let diff = unified(Names::Same("a"), old, new);
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
        assert_eq!(unified(Names::Created("n"), "", "x\n"), created);
        let deleted = "diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n\
            @@ -1 +0,0 @@\n-x\n";
        assert_eq!(unified(Names::Deleted("n"), "x\n", ""), deleted);
        let moved = "diff --git a/n b/m\nrename from n\nrename to m\n";
        assert_eq!(unified(Names::Moved("n", "m"), "x\n", "x\n"), moved);
    }
}
