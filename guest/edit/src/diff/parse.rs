//! A parser of diffs: unified diffs of git and other programs, and the patches that models are
//! trained to write.
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/main.rs
//! @@ fn main() {
//!  let a = 1;
//! -let b = 2;
//! +let b = 3;
//! *** End Patch
//! ```
//!
//! A diff that may have been cut off is refused: one that names a second file and ends before its
//! hunk, a hunk with fewer lines than its header counts, or a last line that may continue. Half of
//! a change must not pass for all of it. Counts that are merely wrong are accepted where something
//! marks the end of the hunk, except in a diff of git, which counts correctly.

use crate::diff::file_patch::{FileOp, FilePatch, Hunk, UnsupportedChange};
use crate::diff::header::{git_names, is_beginning_of_time, kind_of_mode, plain};
use crate::diff::path_name::unquote;

/// The error of a diff that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    /// It has no hunk and no file.
    #[error("the diff has no hunk; expected lines that begin with `@@`, or `*** Update File:`")]
    Empty,
    /// A line does not belong in a diff.
    #[error(
        "line {line} of the diff begins with `{begins}`; expected a blank, `+`, `-`, `\\` or `@@`"
    )]
    Line {
        /// Number of the line in the diff, from 1.
        line: usize,
        /// Beginning of the line.
        begins: String,
    },
    /// The quotes of a name are not closed, or it is not UTF-8.
    #[error("the file name in line {line} of the diff cannot be read")]
    Name {
        /// Number of the line in the diff, from 1.
        line: usize,
    },
    /// A hunk has fewer lines than its header counts, and either nothing marks its end or git has
    /// counted them.
    #[error(
        "{missing} of the lines that the header of the hunk in line {line} of the diff counts are \
         missing, so it may be cut off"
    )]
    Cut {
        /// Line of the hunk's header in the diff, from 1.
        line: usize,
        /// Minimum number of lines that are missing.
        missing: usize,
    },
    /// A hunk has a header but no lines.
    #[error("the hunk of line {line} of the diff has no lines, so the diff may be cut off")]
    NoLines {
        /// Line of the hunk's header in the diff, from 1.
        line: usize,
    },
    /// The last line adds text and has no end, so the rest of it may be missing.
    #[error("line {line}, the last one of the diff, has no line end, so it may be cut off")]
    OpenLine {
        /// Number of the line in the diff, from 1.
        line: usize,
    },
    /// A patch has a line `*** Begin Patch` but no `*** End Patch`.
    #[error("the patch has no line `*** End Patch`, so it may be cut off")]
    NoEnd,
    /// A file is named but not changed.
    #[error("the diff names `{name}` and has no hunk for it, so it may be cut off")]
    NoHunk {
        /// Name of the file.
        name: String,
    },
    /// A file has another name than the lines before said.
    #[error("line {line} of the diff names another file than the lines above it")]
    OtherName {
        /// Number of the line in the diff, from 1.
        line: usize,
    },
}

/// Parses a diff into the changes of each file. A diff without names changes a single file, known
/// from elsewhere.
///
/// # Errors
/// [`DiffError`] if it is not a diff, or may be cut off.
pub fn parse(diff: &str) -> Result<Vec<FilePatch>, DiffError> {
    let lines: Vec<&str> = diff.split_inclusive('\n').collect();
    let begins = |line: &&str| line.starts_with("@@") || line.starts_with("--- ");
    let has_header = lines.iter().any(begins);
    let mut parser = Parser {
        lines,
        at: 0,
        files: Vec::new(),
        body: None,
        end: Terminator::Input,
        named: Vec::new(),
        takes_bare: true,
        is_made_by_git: false,
        has_header,
    };
    while parser.at < parser.lines.len() {
        parser.line()?;
    }
    parser.finish()?;
    let Parser {
        mut files, named, ..
    } = parser;
    // Lines `---` and `+++` are always followed by a hunk. A diff that ends after them was cut off,
    // also where an empty file is created: git writes neither line for it.
    let lacks_hunk = |(index, file): (usize, &FilePatch)| {
        let says_nothing = file.op == FileOp::Stays && file.unsupported.is_empty();
        file.hunks.is_empty() && (says_nothing || named.contains(&index))
    };
    if let Some(index) = files.iter().enumerate().position(lacks_hunk) {
        let FilePatch { old, new, .. } = files.swap_remove(index);
        let name = new.or(old).unwrap_or_else(|| "a file".to_owned());
        return Err(DiffError::NoHunk { name });
    }
    if files.is_empty() {
        Err(DiffError::Empty)
    } else {
        Ok(files)
    }
}

/// The terminator of a diff. Nothing after it counts: a model may explain its patch below the
/// closing fence, in lines that begin with `-` as the items of a list do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Terminator {
    /// The end of the input.
    Input,
    /// `*** End Patch`, since a line `*** Begin Patch` was seen.
    Patch,
    /// The closing fence of a code block: this character, at least so many times.
    Fence(char, usize),
    /// The terminator was read.
    Read,
}

struct Parser<'d> {
    lines: Vec<&'d str>,
    at: usize,
    files: Vec<FilePatch>,
    body: Option<OpenHunk>,
    end: Terminator,
    /// Indexes of the files that were named by lines `---` and `+++`.
    named: Vec<usize>,
    /// True if lines may follow the last name without a line `@@` before them.
    takes_bare: bool,
    /// True if a line `index` shows that git wrote the diff of the last file, and counted its
    /// lines.
    is_made_by_git: bool,
    /// True if any line begins a hunk or names a file; otherwise the whole input is one hunk. With
    /// a header somewhere, lines before it that begin with `-` or a blank are remarks, such as the
    /// summary of `git format-patch`.
    has_header: bool,
}

/// A hunk that is being parsed.
#[derive(Default)]
struct OpenHunk {
    hunk: Hunk,
    /// Numbers of old and new lines that the header counts and that are still to come. While both
    /// are above zero, `--- a` and `+++ b` are a removed and an added line and not the names of the
    /// next file.
    left: Option<(usize, usize)>,
    /// True if the lines end in CRLF because the whole diff does.
    has_returns: bool,
    /// Number of pending empty lines, without even a blank: editors and models drop the blank that
    /// an empty context line begins with. They are context if another line of the hunk follows, or
    /// its header counts them; otherwise they separate the hunk from the text after it.
    empty: usize,
    is_begun: bool,
    /// True once an added or removed line was read.
    is_changed: bool,
    /// Line of the header in the diff, from 1; `None` without a header.
    header: Option<usize>,
    /// True once the hunk reached the end of the file, after which there are no lines.
    is_ended: bool,
    /// Sign of the last line.
    last: u8,
}

/// The event that ends a hunk, which decides if a header with too high a count is wrong or the hunk
/// was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HunkEnd {
    /// A line that can only follow a complete hunk. Whatever the header counts, no lines are
    /// missing.
    BySign,
    /// The end of the input.
    ByInput,
}

impl Parser<'_> {
    fn line(&mut self) -> Result<(), DiffError> {
        let raw = self.lines[self.at];
        let line = raw.trim_end_matches(['\n', '\r']);
        let number = self.at + 1;
        self.at += 1;
        match self.end {
            Terminator::Read => return Ok(()),
            Terminator::Fence(mark, count) if is_fence(line, mark, count) => {
                self.end = Terminator::Read;
                return self.close(HunkEnd::BySign);
            }
            _ => {}
        }
        if let Some(command) = line.strip_prefix("*** ") {
            return self.command(command, number);
        }
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.close(HunkEnd::BySign)?;
            self.files.push(git_names(names));
            (self.takes_bare, self.is_made_by_git) = (false, false);
            return Ok(());
        }
        if line.starts_with("@@") {
            return self.open(line, raw.ends_with("\r\n"), number);
        }
        if line.starts_with("--- ") && self.is_header() {
            return self.names(number);
        }
        if self.body.is_some() {
            return self.body_line(raw, number);
        }
        self.header_line(line, number)
    }

    /// Returns true if the line before `at` begins the names of a file: `--- a`, `+++ b`, `@@`. The
    /// first line alone decides nothing: `--- a` also removes the line `-- a`, a comment in SQL or
    /// Lua.
    fn is_header(&self) -> bool {
        let next = |at: usize, sign| {
            self.lines
                .get(at)
                .is_some_and(|line| line.starts_with(sign))
        };
        let is_promised = |body: &OpenHunk| body.left.is_some_and(|(old, new)| old > 0 && new > 0);
        let is_body = self.body.as_ref().is_some_and(is_promised);
        let is_end = self.lines.get(self.at + 1).is_none();
        next(self.at, "+++ ") && (is_end || next(self.at + 1, "@@")) && !is_body
    }

    fn names(&mut self, number: usize) -> Result<(), DiffError> {
        self.close(HunkEnd::BySign)?;
        let name = |at: usize, side: &str| {
            let line = self.lines[at].trim_end_matches(['\n', '\r']);
            let (name, time) = unquote(&line[4..]).ok_or(DiffError::Name { line: number })?;
            let is_none = name == "/dev/null" || is_beginning_of_time(time);
            Ok((!is_none).then(|| plain(&name, side)))
        };
        let (old, new) = (name(self.at - 1, "a/")?, name(self.at, "b/")?);
        self.at += 1;
        self.takes_bare = false;
        // `diff --git` may have named the file already. A file that has hunks is complete, and
        // these names are those of another one, whose diff need not be by git.
        if self.files.last().is_none_or(|file| !file.hunks.is_empty()) {
            self.is_made_by_git = false;
            self.files.push(FilePatch::default());
        }
        self.named.push(self.files.len() - 1);
        let Some(file) = self.files.last_mut() else {
            return Ok(());
        };
        let op = match (&old, &new) {
            (None, Some(_)) => FileOp::Created,
            (Some(_), None) => FileOp::Deleted,
            _ => FileOp::Stays,
        };
        if file.op == FileOp::Stays {
            (file.op, file.old, file.new) = (op, old, new);
            return Ok(());
        }
        // The operation on the file was given before, by `rename to` or `new file mode`, and must
        // be the same. Otherwise two lines name different files, and a choice between them might
        // change or delete the wrong one.
        let is_same_op = file.op == op || file.op == FileOp::Renamed && op == FileOp::Stays;
        if is_same_op && file.old == old && file.new == new {
            Ok(())
        } else {
            Err(DiffError::OtherName { line: number })
        }
    }

    /// Parses a line between the names of a file and its first hunk, or before the first file.
    fn header_line(&mut self, line: &str, number: usize) -> Result<(), DiffError> {
        let Some(file) = self.files.last_mut().filter(|file| file.hunks.is_empty()) else {
            // Lines before the diff are remarks, such as those of `git show`, unless the whole
            // input is a hunk without a header.
            let is_body = line.starts_with([' ', '+', '-']) && self.files.is_empty();
            if is_body && !self.has_header {
                self.body = Some(OpenHunk::default());
                self.at -= 1;
                return self.line();
            }
            if self.files.is_empty() && self.end == Terminator::Input {
                let mark = ['`', '~'].into_iter().find(|mark| is_fence(line, *mark, 3));
                self.end = mark.map_or(Terminator::Input, |mark| {
                    Terminator::Fence(mark, line.chars().take_while(|c| *c == mark).count())
                });
            }
            // A line after a hunk whose lines were counted wrong: below `@@ -1 +1 @@` are `-a`,
            // `+b`, `c`, which ends the hunk, and `-d`. Ignoring the last line would lose a part of
            // the change.
            let is_rest = line.starts_with(['+', '-']) && !line.starts_with("---");
            if is_rest && !self.files.is_empty() {
                return Err(line_error(line, number));
            }
            return Ok(());
        };
        let name = |name| match unquote(name) {
            Some((name, _)) => Ok(Some(name)),
            None => Err(DiffError::Name { line: number }),
        };
        if line.starts_with("index ") {
            self.is_made_by_git = true;
        } else if let Some(old) = line.strip_prefix("rename from ") {
            (file.op, file.old) = (FileOp::Renamed, name(old)?);
        } else if let Some(new) = line.strip_prefix("rename to ") {
            (file.op, file.new) = (FileOp::Renamed, name(new)?);
        } else if let Some(mode) = line.strip_prefix("new file mode ") {
            (file.op, file.old) = (FileOp::Created, None);
            file.unsupported.extend(kind_of_mode(mode));
        } else if let Some(mode) = line.strip_prefix("deleted file mode ") {
            (file.op, file.new) = (FileOp::Deleted, None);
            // A deleted file has no new mode, so `deleted file mode 100755` does not change a mode.
            let kind = kind_of_mode(mode).filter(|kind| *kind != UnsupportedChange::Mode);
            file.unsupported.extend(kind);
        } else if let Some(mode) = line.strip_prefix("new mode ") {
            file.unsupported
                .push(kind_of_mode(mode).unwrap_or(UnsupportedChange::Mode));
        } else if line.starts_with("copy from ") || line.starts_with("copy to ") {
            file.unsupported.push(UnsupportedChange::Copy);
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            file.unsupported.push(UnsupportedChange::Binary);
        } else if line.starts_with([' ', '+', '-']) {
            if !self.takes_bare {
                // In a diff with names as git writes them a hunk has a header. Without it the
                // number of its lines is unknown, and a part of them may be missing.
                return Err(line_error(line, number));
            }
            self.body = Some(OpenHunk::default());
            self.at -= 1;
            return self.line();
        }
        Ok(())
    }

    /// Parses `*** Update File: name` and the other lines of the patch format that models are
    /// taught:
    ///
    /// ```text
    /// *** Begin Patch            *** Update File: a.py     *** Move to: b.py
    /// *** Add File: new.txt      *** Delete File: old.txt  *** End of File
    /// *** End Patch
    /// ```
    ///
    /// Within a hunk any other line that begins so is an error: its sign is missing.
    fn command(&mut self, command: &str, number: usize) -> Result<(), DiffError> {
        let named = |prefix: &str| {
            command
                .strip_prefix(prefix)
                .map(|name| name.trim().to_owned())
        };
        let mut begin = |old: Option<String>, new: Option<String>, op| {
            self.close(HunkEnd::BySign)?;
            (self.takes_bare, self.is_made_by_git) = (true, false);
            self.files.push(FilePatch {
                old,
                new,
                op,
                ..FilePatch::default()
            });
            Ok(())
        };
        if let Some(name) = named("Update File:") {
            begin(Some(name.clone()), Some(name), FileOp::Stays)?;
        } else if let Some(name) = named("Add File:") {
            begin(None, Some(name), FileOp::Created)?;
            self.body = Some(OpenHunk {
                is_begun: true,
                ..OpenHunk::default()
            });
        } else if let Some(name) = named("Delete File:") {
            begin(Some(name), None, FileOp::Dropped)?;
        } else if let Some(name) = named("Move to:") {
            if let Some(file) = self.files.last_mut() {
                (file.op, file.new) = (FileOp::Renamed, Some(name));
            }
        } else if command.trim() == "End of File" {
            if let Some(body) = &mut self.body {
                body.hunk.is_last = true;
                body.is_ended = true;
            }
        } else if command.trim() == "End Patch" {
            self.end = Terminator::Read;
            self.close(HunkEnd::BySign)?;
        } else if command.trim() == "Begin Patch" && self.body.is_none() {
            self.end = Terminator::Patch;
        } else if self.body.is_some() {
            let begins = format!("*** {command}").chars().take(20).collect();
            return Err(DiffError::Line {
                line: number,
                begins,
            });
        }
        Ok(())
    }

    /// Begins a hunk, or adds an anchor to the one that has just begun.
    fn open(&mut self, line: &str, has_returns: bool, number: usize) -> Result<(), DiffError> {
        let is_counted = |body: &OpenHunk| body.is_begun || body.left.is_some();
        if self.body.as_ref().is_none_or(is_counted) {
            self.close(HunkEnd::BySign)?;
            self.body = Some(OpenHunk::default());
        }
        let Some(body) = &mut self.body else {
            return Ok(());
        };
        body.header = Some(number);
        if let Some((first, counts)) = numbers(line) {
            body.hunk.line = Some(first);
            body.left = Some(counts);
            body.has_returns = has_returns;
        } else if let Some(anchor) = anchor(line) {
            body.hunk.anchors.push(anchor.to_owned());
        }
        Ok(())
    }

    fn body_line(&mut self, raw: &str, number: usize) -> Result<(), DiffError> {
        let Some(body) = &mut self.body else {
            return Ok(());
        };
        let end = if body.has_returns {
            raw.strip_suffix("\r\n")
        } else {
            None
        };
        let line = end.or_else(|| raw.strip_suffix('\n')).unwrap_or(raw);
        let is_full = body.left == Some((0, 0));
        if line.trim_end_matches('\r').is_empty() {
            body.empty += 1;
            return Ok(());
        }
        let (sign, text) = (raw.as_bytes()[0], line.get(1..).unwrap_or_default());
        match sign {
            // The signature that `git format-patch` puts after a patch, `-- ` and a version, is not
            // part of the hunk. Only after all counted lines and at the end of the input is it one:
            // elsewhere `-- ` removes the line `- `.
            b'-' if is_full && line == "-- " && self.lines.len() <= number + 2 => {
                self.end = Terminator::Read;
                self.close(HunkEnd::BySign)?;
            }
            b' ' | b'+' | b'-' => body.add(sign, text),
            b'\\' => body.end_without_feed(),
            // Any text may follow the counted lines, and it ends the hunk.
            _ if is_full => self.close(HunkEnd::BySign)?,
            _ => return Err(line_error(line, number)),
        }
        Ok(())
    }

    /// Ends the last hunk and the diff.
    fn finish(&mut self) -> Result<(), DiffError> {
        if self.end == Terminator::Patch {
            return Err(DiffError::NoEnd);
        }
        let is_counted = |body: &OpenHunk| body.left.is_some() && body.is_begun;
        let last = self
            .lines
            .last()
            .filter(|_| self.body.as_ref().is_some_and(is_counted));
        if last.is_some_and(|last| last.starts_with('+') && !last.ends_with('\n')) {
            return Err(DiffError::OpenLine {
                line: self.lines.len(),
            });
        }
        self.close(HunkEnd::ByInput)
    }

    fn close(&mut self, closed: HunkEnd) -> Result<(), DiffError> {
        let Some(mut body) = self.body.take() else {
            return Ok(());
        };
        if !body.is_begun {
            return body
                .header
                .map_or(Ok(()), |line| Err(DiffError::NoLines { line }));
        }
        // Empty lines at the end of a hunk are context whose leading blank was lost, as many as the
        // header still counts. Any more only separate the hunk from the next one.
        let promised = body.left.map_or(0, |(old, new)| old.min(new));
        for _ in 0..body.empty.min(promised) {
            body.push(b' ', "");
        }
        let missing = body.left.map_or(0, |(old, new)| old.max(new));
        let is_whole = closed == HunkEnd::BySign || body.is_ended;
        if missing > 0 && (self.is_made_by_git || !is_whole) {
            let line = body.header.unwrap_or(1);
            return Err(DiffError::Cut { line, missing });
        }
        if self.files.is_empty() {
            self.files.push(FilePatch::default());
        }
        if let Some(file) = self.files.last_mut()
            && (!body.hunk.old.is_empty() || !body.hunk.new.is_empty())
        {
            file.hunks.push(body.hunk);
        }
        Ok(())
    }
}

impl OpenHunk {
    fn add(&mut self, sign: u8, text: &str) {
        for _ in 0..std::mem::take(&mut self.empty) {
            self.push(b' ', "");
        }
        self.push(sign, text);
    }

    fn push(&mut self, sign: u8, text: &str) {
        let (takes, gives) = (sign != b'+', sign != b'-');
        let context = &mut self.hunk.context;
        match sign {
            b' ' if self.is_changed => context.1 += 1,
            b' ' => context.0 += 1,
            _ => (self.is_changed, context.1) = (true, 0),
        }
        (self.is_begun, self.is_ended) = (true, false);
        if takes {
            self.hunk.old.push_str(text);
            self.hunk.old.push('\n');
        }
        if gives {
            self.hunk.new.push_str(text);
            self.hunk.new.push('\n');
        }
        if let Some((old, new)) = &mut self.left {
            *old = old.saturating_sub(usize::from(takes));
            *new = new.saturating_sub(usize::from(gives));
        }
        self.last = sign;
    }

    /// Applies `\ No newline at end of file` to the line before it. After a removed line it
    /// concerns the old text alone, after an added line the new one, and after context both.
    /// Nothing can follow the last line of the new text, so a hunk that ends with it is complete,
    /// whatever its header counts, unless the header is by git.
    fn end_without_feed(&mut self) {
        if self.last != b'+' {
            self.hunk.old.pop();
        }
        if self.last != b'-' {
            self.hunk.new.pop();
        }
        self.is_ended = self.last != b'-';
    }
}

/// Parses `@@ -1,2 +3,4 @@` into the first old line and the numbers of old and new lines. A missing
/// count is one. The first new line is not used, since it follows from the hunks before. Any text
/// may follow the signs: git shows the function that contains the hunk.
fn numbers(line: &str) -> Option<(u32, (usize, usize))> {
    let inside = line.strip_prefix("@@ -")?;
    let (old, rest) = inside.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| {
        let (first, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((first.parse::<u32>().ok()?, count.parse::<usize>().ok()?))
    };
    let ((first, old), (_, new)) = (range(old)?, range(new)?);
    Some((first, (old, new)))
}

/// Returns the anchor of `@@ a line above`, or `None` if the header has none: between its signs is
/// nothing, an ellipsis, or a placeholder for numbers (`@@ ... @@`, `@@ -?,? +?,? @@`). Taken for
/// an anchor, a placeholder would be searched for in the file and never be found.
fn anchor(line: &str) -> Option<&str> {
    let inside = line.trim_start_matches('@').trim();
    let (between, _) = inside.split_once("@@").unwrap_or((inside, ""));
    let is_filler = |c: char| matches!(c, '.' | '…' | '?' | ',' | ' ' | '-' | '+' | '_');
    let is_number = |c: char| is_filler(c) || c.is_ascii_digit() || matches!(c, 'X' | 'Y' | 'N');
    let is_range = between.starts_with('-') && between.contains('+');
    if between.chars().all(is_filler) || is_range && between.chars().all(is_number) {
        return None;
    }
    Some(inside.trim_end_matches("@@").trim())
}

/// Returns true if a line begins with at least `count` marks. An opening fence may name a language,
/// and a closing fence has at least as many marks as the opening one, so that a diff of a Markdown
/// file can contain shorter fences (CommonMark 0.31, section 4.5).
fn is_fence(line: &str, mark: char, count: usize) -> bool {
    line.chars().take_while(|c| *c == mark).count() >= count
}

fn line_error(line: &str, number: usize) -> DiffError {
    DiffError::Line {
        line: number,
        begins: line.chars().take(20).collect(),
    }
}
