//! A unified diff that `git apply` takes, byte for byte.

use std::fmt::Write as _;
use std::ops::Range;

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

/// Returns the difference of two texts, with three lines of context; empty where there is none.
///
/// The texts are those of the files' bytes, a byte order mark included. Only LF ends a line here:
/// all others are part of it, and a last line without an end is marked as git does.
pub fn unified(names: Names<'_>, old: &str, new: &str) -> String {
    if old == new && matches!(names, Names::Same(_)) {
        return String::new();
    }
    let mut out = header(names, old == new);
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let changes = script(&old, &new);
    let mut rest = changes.as_slice();
    while !rest.is_empty() {
        // Changes that are no further apart than their context are one hunk.
        let near = |pair: &[Change]| pair[1].old.start - pair[0].old.end <= 2 * CONTEXT_LINES;
        let count = 1 + rest.windows(2).take_while(|pair| near(pair)).count();
        let (hunk, behind) = rest.split_at(count);
        write_hunk(&mut out, hunk, &old, &new);
        rest = behind;
    }
    out
}

/// How many lines a unified diff adds and removes.
pub fn line_counts(old: &str, new: &str) -> (usize, usize) {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let changes = script(&old, &new);
    let added = changes.iter().map(|change| change.new.len()).sum();
    (added, changes.iter().map(|change| change.old.len()).sum())
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

fn write_hunk(out: &mut String, hunk: &[Change], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
        return;
    };
    let before = first.old.start.min(CONTEXT_LINES);
    let behind = (old.len() - last.old.end).min(CONTEXT_LINES);
    let old_lines = first.old.start - before..last.old.end + behind;
    let new_lines = first.new.start - before..last.new.end + behind;
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
/// it is one. Of no lines the one before them is named.
fn position(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
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
