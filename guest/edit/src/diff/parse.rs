//! Diffs as they come: unified ones, of git and of others, and the patches that models are taught
//! (`*** Update File: …`, `@@ a line above`).

use crate::diff::header::{git_names, is_beginning_of_time, kind_of_mode, plain};
use crate::diff::path_name::unquoted;

/// What a diff does to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePatch {
    /// The file's name before; none where it is new or not said.
    pub old: Option<String>,
    /// The file's name afterwards; none where it is gone or not said.
    pub new: Option<String>,
    /// Whether the file is made, removed or renamed.
    pub fate: Fate,
    /// What changes in it.
    pub hunks: Vec<Hunk>,
    /// What it says of the file beside its names and lines.
    pub beside: Vec<Beside>,
}

/// What a diff says of a file that is neither a name nor a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// It is a copy of another one.
    Copy,
    /// It is binary, and its bytes are left out or encoded.
    Binary,
    /// It is a link or a submodule.
    Irregular,
    /// It gets another mode, or is new and may be run.
    Mode,
}

/// What becomes of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It stays where it is.
    #[default]
    Stays,
    /// It is new.
    Created,
    /// It goes, with the lines that the hunks say.
    Deleted,
    /// It goes, whatever it holds: a patch of a model says no more.
    Dropped,
    /// It gets another name, perhaps with other lines.
    Renamed,
}

/// One stretch of a file and what takes its place: whole lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Lines that stand somewhere above it, in order.
    pub anchors: Vec<String>,
    /// The line that it begins at, from 1 on, as far as that is to be believed.
    pub line: Option<u32>,
    /// The lines before: context, and what is removed. The last one has no LF where it is said to
    /// end the file without one.
    pub old: String,
    /// The lines afterwards.
    pub new: String,
    /// Whether it is said to end the file.
    pub is_last: bool,
    /// Lines that stay, before the first change and behind the last one.
    pub context: (usize, usize),
}

/// Why a diff cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    /// It has no hunk and no file.
    #[error("the diff has no hunk; expected lines that begin with `@@`, or `*** Update File:`")]
    Empty,
    /// A line is none of a diff.
    #[error(
        "line {line} of the diff begins with `{begins}`; expected a blank, `+`, `-`, `\\` or `@@`"
    )]
    Line {
        /// Its number in the diff, from 1 on.
        line: usize,
        /// How it begins.
        begins: String,
    },
    /// A name's quotes are not closed, or it is not UTF-8.
    #[error("the file name in line {line} of the diff cannot be read")]
    Name {
        /// Its number in the diff, from 1 on.
        line: usize,
    },
    /// A hunk is over before the lines came that its header counts, and nothing says that it was
    /// to be, or git has counted them.
    #[error(
        "{missing} of the lines that the header of the hunk in line {line} of the diff counts are \
         missing, so it may be cut off"
    )]
    Cut {
        /// The line of its header in the diff, from 1 on.
        line: usize,
        /// How many more were to come, at least.
        missing: usize,
    },
    /// A hunk has a header and no lines.
    #[error("the hunk of line {line} of the diff has no lines, so the diff may be cut off")]
    NoLines {
        /// The line of its header in the diff, from 1 on.
        line: usize,
    },
    /// The last line adds text and has no end, so that the rest of it may be missing.
    #[error("line {line}, the last one of the diff, has no line end, so it may be cut off")]
    OpenLine {
        /// Its number in the diff, from 1 on.
        line: usize,
    },
    /// A patch begins with `*** Begin Patch` and does not end.
    #[error("the patch has no line `*** End Patch`, so it may be cut off")]
    NoEnd,
    /// A file is named, and nothing is said of it.
    #[error("the diff names `{name}` and has no hunk for it, so it may be cut off")]
    NoHunk {
        /// The file.
        name: String,
    },
    /// A file is called otherwise than the lines before said.
    #[error("line {line} of the diff names another file than the lines above it")]
    OtherName {
        /// Its number in the diff, from 1 on.
        line: usize,
    },
}

/// Returns what a diff does, file by file. Without names it is that of one file, which is known.
///
/// # Errors
/// It is none.
pub fn parse(diff: &str) -> Result<Vec<FilePatch>, DiffError> {
    let lines: Vec<&str> = diff.split_inclusive('\n').collect();
    let begins = |line: &&str| line.starts_with("@@") || line.starts_with("--- ");
    let has_header = lines.iter().any(begins);
    let mut parser = Parser {
        lines,
        at: 0,
        files: Vec::new(),
        body: None,
        end: End::Input,
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
    // Lines `---` and `+++` are there for what follows them.
    let lacks_hunk = |(index, file): (usize, &FilePatch)| {
        let says_nothing = file.fate == Fate::Stays && file.beside.is_empty();
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

/// What a diff ends with, and whether that has been read: nothing counts behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The text is all of it.
    Input,
    /// `*** End Patch`, for there was a line that begins the patch.
    Patch,
    /// The end of the fence that it stands in: this character, so often at least.
    Fence(char, usize),
    /// It has been read.
    Read,
}

struct Parser<'d> {
    lines: Vec<&'d str>,
    at: usize,
    files: Vec<FilePatch>,
    body: Option<Body>,
    end: End,
    /// The files, by their index, that lines `---` and `+++` name.
    named: Vec<usize>,
    /// Whether lines may stand below the last name without a line `@@` above them.
    takes_bare: bool,
    /// Whether a line `index` tells that git made the diff of the last file, and counted its lines.
    is_made_by_git: bool,
    /// Whether a line begins a hunk or names a file; without one the hunk is all there is.
    has_header: bool,
}

/// A hunk that is being read.
#[derive(Default)]
struct Body {
    hunk: Hunk,
    /// Lines that the hunk's header promises and that have not come.
    left: Option<(usize, usize)>,
    /// Whether the lines end in CRLF because the whole diff does.
    has_returns: bool,
    /// Empty lines, without even a blank: context, unless nothing follows.
    empty: usize,
    is_begun: bool,
    /// Whether a line has come that is added or removed.
    is_changed: bool,
    /// The line of its header in the diff, from 1 on; none where it has none.
    header: Option<usize>,
    /// Whether it has come to the end of the file, behind which there are no lines.
    is_ended: bool,
    /// The sign of the last line.
    last: u8,
}

/// What ends a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closed {
    /// A line that can only stand behind a whole one: whatever its header counts, it is no less
    /// than was meant.
    BySign,
    /// The end of the text.
    ByInput,
}

impl Parser<'_> {
    fn line(&mut self) -> Result<(), DiffError> {
        let raw = self.lines[self.at];
        let line = raw.trim_end_matches(['\n', '\r']);
        let number = self.at + 1;
        self.at += 1;
        match self.end {
            End::Read => return Ok(()),
            End::Fence(mark, count) if is_fence(line, mark, count) => {
                self.end = End::Read;
                return self.close(Closed::BySign);
            }
            _ => {}
        }
        if let Some(command) = line.strip_prefix("*** ") {
            return self.command(command, number);
        }
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.close(Closed::BySign)?;
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
        self.extended(line, number)
    }

    /// Whether the line before `at` begins the names of a file: `--- a`, `+++ b`, `@@`.
    fn is_header(&self) -> bool {
        let next = |at: usize, sign| {
            self.lines
                .get(at)
                .is_some_and(|line| line.starts_with(sign))
        };
        let is_promised = |body: &Body| body.left.is_some_and(|(old, new)| old > 0 && new > 0);
        let is_body = self.body.as_ref().is_some_and(is_promised);
        let is_end = self.lines.get(self.at + 1).is_none();
        next(self.at, "+++ ") && (is_end || next(self.at + 1, "@@")) && !is_body
    }

    fn names(&mut self, number: usize) -> Result<(), DiffError> {
        self.close(Closed::BySign)?;
        let name = |at: usize, side: &str| {
            let line = self.lines[at].trim_end_matches(['\n', '\r']);
            let (name, time) = unquoted(&line[4..]).ok_or(DiffError::Name { line: number })?;
            let is_none = name == "/dev/null" || is_beginning_of_time(time);
            Ok((!is_none).then(|| plain(&name, side)))
        };
        let (old, new) = (name(self.at - 1, "a/")?, name(self.at, "b/")?);
        self.at += 1;
        self.takes_bare = false;
        // Behind `diff --git` the names are said again.
        if self.files.last().is_none_or(|file| !file.hunks.is_empty()) {
            self.is_made_by_git = false;
            self.files.push(FilePatch::default());
        }
        self.named.push(self.files.len() - 1);
        let Some(file) = self.files.last_mut() else {
            return Ok(());
        };
        let fate = match (&old, &new) {
            (None, Some(_)) => Fate::Created,
            (Some(_), None) => Fate::Deleted,
            _ => Fate::Stays,
        };
        if file.fate == Fate::Stays {
            (file.fate, file.old, file.new) = (fate, old, new);
            return Ok(());
        }
        // What became of the file was said before, and is said again.
        let is_same_fate = file.fate == fate || file.fate == Fate::Renamed && fate == Fate::Stays;
        if is_same_fate && file.old == old && file.new == new {
            Ok(())
        } else {
            Err(DiffError::OtherName { line: number })
        }
    }

    /// Reads a line between the names of a file and its first hunk, or before all of that.
    fn extended(&mut self, line: &str, number: usize) -> Result<(), DiffError> {
        let Some(file) = self.files.last_mut().filter(|file| file.hunks.is_empty()) else {
            // Remarks before the diff, as `git show` has them, or a body without a header.
            let is_body = line.starts_with([' ', '+', '-']) && self.files.is_empty();
            if is_body && !self.has_header {
                self.body = Some(Body::default());
                self.at -= 1;
                return self.line();
            }
            if self.files.is_empty() && self.end == End::Input {
                let mark = ['`', '~'].into_iter().find(|mark| is_fence(line, *mark, 3));
                self.end = mark.map_or(End::Input, |mark| {
                    End::Fence(mark, line.chars().take_while(|c| *c == mark).count())
                });
            }
            // Behind a hunk whose lines were counted wrong its rest would be lost.
            let is_rest = line.starts_with(['+', '-']) && !line.starts_with("---");
            if is_rest && !self.files.is_empty() {
                return Err(line_error(line, number));
            }
            return Ok(());
        };
        let name = |name| match unquoted(name) {
            Some((name, _)) => Ok(Some(name)),
            None => Err(DiffError::Name { line: number }),
        };
        if line.starts_with("index ") {
            self.is_made_by_git = true;
        } else if let Some(old) = line.strip_prefix("rename from ") {
            (file.fate, file.old) = (Fate::Renamed, name(old)?);
        } else if let Some(new) = line.strip_prefix("rename to ") {
            (file.fate, file.new) = (Fate::Renamed, name(new)?);
        } else if let Some(mode) = line.strip_prefix("new file mode ") {
            (file.fate, file.old) = (Fate::Created, None);
            file.beside.extend(kind_of_mode(mode));
        } else if let Some(mode) = line.strip_prefix("deleted file mode ") {
            (file.fate, file.new) = (Fate::Deleted, None);
            // A mode that goes with its file is none that changes.
            let kind = kind_of_mode(mode).filter(|kind| *kind != Beside::Mode);
            file.beside.extend(kind);
        } else if let Some(mode) = line.strip_prefix("new mode ") {
            file.beside.push(kind_of_mode(mode).unwrap_or(Beside::Mode));
        } else if line.starts_with("copy from ") || line.starts_with("copy to ") {
            file.beside.push(Beside::Copy);
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            file.beside.push(Beside::Binary);
        } else if line.starts_with([' ', '+', '-']) {
            if !self.takes_bare {
                // A name that was cut off, or lines of which nobody knows how many there are.
                return Err(line_error(line, number));
            }
            self.body = Some(Body::default());
            self.at -= 1;
            return self.line();
        }
        Ok(())
    }

    /// Reads `*** Update File: name` and its like.
    fn command(&mut self, command: &str, number: usize) -> Result<(), DiffError> {
        let named = |prefix: &str| {
            command
                .strip_prefix(prefix)
                .map(|name| name.trim().to_owned())
        };
        let mut begin = |old: Option<String>, new: Option<String>, fate| {
            self.close(Closed::BySign)?;
            (self.takes_bare, self.is_made_by_git) = (true, false);
            self.files.push(FilePatch {
                old,
                new,
                fate,
                ..FilePatch::default()
            });
            Ok(())
        };
        if let Some(name) = named("Update File:") {
            begin(Some(name.clone()), Some(name), Fate::Stays)?;
        } else if let Some(name) = named("Add File:") {
            begin(None, Some(name), Fate::Created)?;
            self.body = Some(Body {
                is_begun: true,
                ..Body::default()
            });
        } else if let Some(name) = named("Delete File:") {
            begin(Some(name), None, Fate::Dropped)?;
        } else if let Some(name) = named("Move to:") {
            if let Some(file) = self.files.last_mut() {
                (file.fate, file.new) = (Fate::Renamed, Some(name));
            }
        } else if command.trim() == "End of File" {
            if let Some(body) = &mut self.body {
                body.hunk.is_last = true;
                body.is_ended = true;
            }
        } else if command.trim() == "End Patch" {
            self.end = End::Read;
            self.close(Closed::BySign)?;
        } else if command.trim() == "Begin Patch" && self.body.is_none() {
            self.end = End::Patch;
        } else if self.body.is_some() {
            let begins = format!("*** {command}").chars().take(20).collect();
            return Err(DiffError::Line {
                line: number,
                begins,
            });
        }
        Ok(())
    }

    /// Begins a hunk, or adds a line that stands above it.
    fn open(&mut self, line: &str, has_returns: bool, number: usize) -> Result<(), DiffError> {
        let is_counted = |body: &Body| body.is_begun || body.left.is_some();
        if self.body.as_ref().is_none_or(is_counted) {
            self.close(Closed::BySign)?;
            self.body = Some(Body::default());
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
            // The signature that git puts behind a patch: two lines, and none of a hunk.
            b'-' if is_full && line == "-- " && self.lines.len() <= number + 2 => {
                self.end = End::Read;
                self.close(Closed::BySign)?;
            }
            b' ' | b'+' | b'-' => body.add(sign, text),
            b'\\' => body.end_without_feed(),
            // Behind the lines that were promised anything may stand.
            _ if is_full => self.close(Closed::BySign)?,
            _ => return Err(line_error(line, number)),
        }
        Ok(())
    }

    /// Ends the last hunk, and the diff.
    fn finish(&mut self) -> Result<(), DiffError> {
        if self.end == End::Patch {
            return Err(DiffError::NoEnd);
        }
        let is_counted = |body: &Body| body.left.is_some() && body.is_begun;
        let last = self
            .lines
            .last()
            .filter(|_| self.body.as_ref().is_some_and(is_counted));
        if last.is_some_and(|last| last.starts_with('+') && !last.ends_with('\n')) {
            return Err(DiffError::OpenLine {
                line: self.lines.len(),
            });
        }
        self.close(Closed::ByInput)
    }

    fn close(&mut self, closed: Closed) -> Result<(), DiffError> {
        let Some(mut body) = self.body.take() else {
            return Ok(());
        };
        if !body.is_begun {
            return body
                .header
                .map_or(Ok(()), |line| Err(DiffError::NoLines { line }));
        }
        // Empty lines that were promised are context whose blank was lost.
        let promised = body.left.map_or(0, |(old, new)| old.min(new));
        for _ in 0..body.empty.min(promised) {
            body.push(b' ', "");
        }
        let missing = body.left.map_or(0, |(old, new)| old.max(new));
        let is_whole = closed == Closed::BySign || body.is_ended;
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

impl Body {
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

    /// `\ No newline at end of file`: of the line before it.
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

/// Returns what `@@ -1,2 +3,4 @@` says: the first line, and how many there are before and
/// afterwards.
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

/// Returns the line that `@@ a line above` names; none where it names none: between its signs there
/// is nothing, an ellipsis, or what was to be numbers (`@@ ... @@`, `@@ -?,? +?,? @@`).
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

/// Whether a line is a fence of so many marks at least; one that opens may name a language.
fn is_fence(line: &str, mark: char, count: usize) -> bool {
    line.chars().take_while(|c| *c == mark).count() >= count
}

fn line_error(line: &str, number: usize) -> DiffError {
    DiffError::Line {
        line: number,
        begins: line.chars().take(20).collect(),
    }
}
