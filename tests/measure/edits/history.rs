//! Real edits from the history of a repository: the changes of one commit at one place of a file.

use std::error::Error;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Maximum number of commits.
const COMMITS: &str = "--max-count=5000";

/// Maximum edits from one commit: the many edits of a renaming are all alike.
const OF_A_COMMIT: usize = 2;

/// Maximum changed lines of an edit, on either side.
const LINES: usize = 12;

/// Maximum context lines sent on either side, to make the text unique in the file.
const CONTEXT: usize = 4;

/// Size range of a file in bytes.
const BYTES: std::ops::Range<usize> = 200..400_000;

/// The byte order mark.
const MARK: char = '\u{FEFF}';

/// A commit's change to a file with a single changed place.
#[derive(Debug)]
pub struct Edit {
    /// Name with the extension of the file.
    pub name: String,
    /// Content before the commit.
    pub before: String,
    /// Content after the commit.
    pub after: String,
    /// Changed lines with some context, which occur in the file exactly once.
    pub old: String,
    /// Replacement of those lines.
    pub new: String,
    /// Line at which they begin, from 1, before and after the commit.
    pub first: usize,
}

/// A commit's change to one file, at any number of places.
#[derive(Debug)]
pub struct Change {
    /// Extension of the file name.
    pub ending: String,
    /// Content before the commit.
    pub before: String,
    /// Content after the commit.
    pub after: String,
}

/// The edits of a repository, newest first.
pub struct History {
    git: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Blobs before and after, and the extension of the name, the next one last.
    changes: Vec<[String; 3]>,
}

impl History {
    /// Reads the list of changed files of a repository.
    ///
    /// # Errors
    /// If git cannot be run, or the directory is not a repository.
    pub fn open(repository: &Path) -> Result<Self, Box<dyn Error>> {
        let git = || {
            let mut command = Command::new("git");
            command.arg("-C").arg(repository);
            command
        };
        let log = git()
            .args(["log", "--no-merges", "--no-renames", "--diff-filter=M"])
            .args(["--raw", "--no-abbrev", "--format=tformat:commit", COMMITS])
            .output()?;
        if !log.status.success() {
            return Err(String::from_utf8_lossy(&log.stderr).into());
        }
        let mut changes = changes(&String::from_utf8_lossy(&log.stdout));
        changes.reverse();
        let mut git = git()
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        Ok(Self {
            input: git.stdin.take().ok_or("no input")?,
            output: BufReader::new(git.stdout.take().ok_or("no output")?),
            git,
            changes,
        })
    }

    /// Returns the next edit; none if there are no more.
    ///
    /// # Errors
    /// If git does not answer.
    pub fn next(&mut self) -> Result<Option<Edit>, Box<dyn Error>> {
        while let Some(change) = self.next_change()? {
            let edit = edit(change.before, change.after, &change.ending);
            if edit.is_some() {
                return Ok(edit);
            }
        }
        Ok(None)
    }

    /// Returns the next change of any form; none if there are no more.
    ///
    /// # Errors
    /// If git does not answer.
    pub fn next_change(&mut self) -> Result<Option<Change>, Box<dyn Error>> {
        while let Some([before, after, ending]) = self.changes.pop() {
            let (before, after) = (self.text(&before)?, self.text(&after)?);
            if let Some((before, after)) = before.zip(after) {
                return Ok(Some(Change {
                    ending,
                    before,
                    after,
                }));
            }
        }
        Ok(None)
    }

    /// Returns the text of a blob; none if it is not text, or not available.
    fn text(&mut self, blob: &str) -> Result<Option<String>, Box<dyn Error>> {
        writeln!(self.input, "{blob}")?;
        self.input.flush()?;
        let mut head = String::new();
        self.output.read_line(&mut head)?;
        let Some(length) = head.trim_end().strip_prefix(&format!("{blob} blob ")) else {
            return Ok(None);
        };
        let mut bytes = vec![0; length.parse::<usize>()? + 1];
        self.output.read_exact(&mut bytes)?;
        bytes.pop();
        let text = String::from_utf8(bytes).ok();
        Ok(text.filter(|text| BYTES.contains(&text.len()) && !text.contains(['\0', '\r'])))
    }
}

impl Drop for History {
    fn drop(&mut self) {
        // It waits for input, and is no longer needed.
        let _ = self.git.kill();
        let _ = self.git.wait();
    }
}

/// Parses the changes in the output of `git log --raw`.
fn changes(log: &str) -> Vec<[String; 3]> {
    let mut changes = Vec::new();
    let mut of_commit = 0;
    for line in log.lines() {
        if line == "commit" {
            of_commit = 0;
        }
        let Some((words, path)) = line.split_once('\t') else {
            continue;
        };
        let words: Vec<&str> = words.split(' ').collect();
        if let ([":100644", "100644", before, after, "M"], true) =
            (&words[..], of_commit < OF_A_COMMIT)
        {
            of_commit += 1;
            // Git quotes names that are not ASCII.
            let name = path.rsplit('/').next().unwrap_or(path).trim_matches('"');
            let ending = name.rsplit_once('.').map_or("txt", |(_, ending)| ending);
            changes.push([(*before).into(), (*after).into(), ending.to_owned()]);
        }
    }
    changes
}

/// Returns the edit from one text to the other; none if that is not a small edit at one place.
fn edit(before: String, after: String, ending: &str) -> Option<Edit> {
    let (old, new) = (lines(&before), lines(&after));
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same;
    let back = old.iter().rev().zip(new.iter().rev());
    let same_behind = back.take(rest).take_while(|(a, b)| a == b).count();
    let changed = |lines: &[&str]| lines.len() - same - same_behind;
    if changed(&old) > LINES || changed(&new) > LINES {
        return None;
    }
    // The byte order mark is not part of a text: no program is asked to remove it.
    if before.starts_with(MARK) != after.starts_with(MARK) {
        return None;
    }
    for context in 1..=CONTEXT {
        let first = same.saturating_sub(context);
        let behind = same_behind.saturating_sub(context);
        let sent = old[first..old.len() - behind].concat();
        let put = new[first..new.len() - behind].concat();
        // A quotation of lines omits the end of the last one.
        let ends = sent.strip_suffix('\n').zip(put.strip_suffix('\n'));
        let (sent, put) = ends.unwrap_or((&sent, &put));
        if !sent.trim().is_empty() && occurs_once(&before, sent) {
            let is_whole = before.replacen(sent, put, 1) == after;
            let (old, new) = (sent.to_owned(), put.to_owned());
            return is_whole.then(|| Edit {
                name: format!("edited.{ending}"),
                before,
                after,
                old,
                new,
                first: first + 1,
            });
        }
    }
    None
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Returns true if a text occurs in another exactly once, counting overlapping occurrences.
fn occurs_once(text: &str, part: &str) -> bool {
    text.find(part) == text.rfind(part) && text.contains(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_changed_lines_and_enough_around_them() {
        let text =
            |middle: &str| format!("{}\na\n{middle}b\n{}\n", "x\n".repeat(90), "y\n".repeat(90));
        let found = edit(text("a\nold\n"), text("a\nnew\n"), "md").unwrap();
        assert_eq!(
            (found.old.as_str(), found.new.as_str()),
            ("a\nold\nb", "a\nnew\nb")
        );
        assert_eq!((found.first, found.name.as_str()), (93, "edited.md"));
        // An added line has no place without the lines around it.
        let found = edit(text(""), text("new\n"), "md").unwrap();
        assert_eq!(
            (found.old.as_str(), found.new.as_str()),
            ("a\nb", "a\nnew\nb")
        );
        // Two changes far apart are two edits.
        let far = text("").replacen("x\n", "X\n", 1).replace("b\n", "B\n");
        assert!(edit(text(""), far, "md").is_none());
    }

    #[test]
    fn what_git_tells_of_commits() {
        let raw = |path: &str| format!(":100644 100644 aa bb M\t{path}\n");
        let log = format!(
            "commit\n\n{}{}{}commit\n\n{}:100755 100755 cc dd M\trun\n",
            raw("docs/a.md"),
            raw("b.rs"),
            raw("c.rs"),
            raw("LICENSE"),
        );
        let endings: Vec<String> = changes(&log)
            .into_iter()
            .map(|[.., ending]| ending)
            .collect();
        assert_eq!(endings, ["md", "rs", "txt"]);
    }
}
