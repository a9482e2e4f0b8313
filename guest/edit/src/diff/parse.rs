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
        is_over: false,
        has_header,
    };
    while parser.at < parser.lines.len() {
        parser.line()?;
    }
    parser.close();
    let is_empty =
        |file: &FilePatch| file.hunks.is_empty() && file.old.is_none() && file.new.is_none();
    parser.files.retain(|file| !is_empty(file));
    if parser.files.is_empty() {
        Err(DiffError::Empty)
    } else {
        Ok(parser.files)
    }
}

struct Parser<'d> {
    lines: Vec<&'d str>,
    at: usize,
    files: Vec<FilePatch>,
    body: Option<Body>,
    /// Whether the end of the patch has been read, behind which nothing counts.
    is_over: bool,
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
    /// The sign of the last line.
    last: u8,
}

impl Parser<'_> {
    fn line(&mut self) -> Result<(), DiffError> {
        let raw = self.lines[self.at];
        let line = raw.trim_end_matches(['\n', '\r']);
        let number = self.at + 1;
        self.at += 1;
        if self.is_over {
            return Ok(());
        }
        if let Some(command) = line.strip_prefix("*** ") {
            return self.command(command, number);
        }
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.close();
            self.files.push(git_names(names));
            return Ok(());
        }
        if line.starts_with("@@") {
            self.open(line, raw.ends_with("\r\n"));
            return Ok(());
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
        self.close();
        let name = |at: usize, side: &str| {
            let line = self.lines[at].trim_end_matches(['\n', '\r']);
            let (name, time) = unquoted(&line[4..]).ok_or(DiffError::Name { line: number })?;
            let is_none = name == "/dev/null" || is_beginning_of_time(time);
            Ok((!is_none).then(|| plain(&name, side)))
        };
        let (old, new) = (name(self.at - 1, "a/")?, name(self.at, "b/")?);
        self.at += 1;
        // Behind `diff --git` the names are said again.
        if self.files.last().is_none_or(|file| !file.hunks.is_empty()) {
            self.files.push(FilePatch::default());
        }
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
        if let Some(old) = line.strip_prefix("rename from ") {
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
            self.close();
            self.files.push(FilePatch {
                old,
                new,
                fate,
                ..FilePatch::default()
            });
        };
        if let Some(name) = named("Update File:") {
            begin(Some(name.clone()), Some(name), Fate::Stays);
        } else if let Some(name) = named("Add File:") {
            begin(None, Some(name), Fate::Created);
            self.body = Some(Body {
                is_begun: true,
                ..Body::default()
            });
        } else if let Some(name) = named("Delete File:") {
            begin(Some(name), None, Fate::Dropped);
        } else if let Some(name) = named("Move to:") {
            if let Some(file) = self.files.last_mut() {
                (file.fate, file.new) = (Fate::Renamed, Some(name));
            }
        } else if command.trim() == "End of File" {
            if let Some(body) = &mut self.body {
                body.hunk.is_last = true;
            }
        } else if command.trim() == "End Patch" {
            self.close();
            self.is_over = true;
        } else if command.trim() != "Begin Patch" && self.body.is_some() {
            let begins = format!("*** {command}").chars().take(20).collect();
            return Err(DiffError::Line {
                line: number,
                begins,
            });
        }
        Ok(())
    }

    /// Begins a hunk, or adds a line that stands above it.
    fn open(&mut self, line: &str, has_returns: bool) {
        if self.body.as_ref().is_none_or(|body| body.is_begun) {
            self.close();
            self.body = Some(Body::default());
        }
        let Some(body) = &mut self.body else { return };
        match numbers(line) {
            Some((first, counts)) => {
                body.hunk.line = Some(first);
                body.left = Some(counts);
                body.has_returns = has_returns;
            }
            None => {
                let anchor = line
                    .trim_start_matches('@')
                    .trim()
                    .trim_end_matches("@@")
                    .trim();
                if !anchor.is_empty() {
                    body.hunk.anchors.push(anchor.to_owned());
                }
            }
        }
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
                self.close();
                self.is_over = true;
            }
            b' ' | b'+' | b'-' => body.add(sign, text),
            b'\\' => body.end_without_feed(),
            // Behind the lines that were promised anything may stand.
            _ if is_full => self.close(),
            _ => return Err(line_error(line, number)),
        }
        Ok(())
    }

    fn close(&mut self) {
        let Some(mut body) = self.body.take().filter(|body| body.is_begun) else {
            return;
        };
        // Empty lines that were promised are context whose blank was lost.
        let promised = body.left.map_or(0, |(old, new)| old.min(new));
        for _ in 0..body.empty.min(promised) {
            body.push(b' ', "");
        }
        if self.files.is_empty() {
            self.files.push(FilePatch::default());
        }
        if let Some(file) = self.files.last_mut()
            && (!body.hunk.old.is_empty() || !body.hunk.new.is_empty())
        {
            file.hunks.push(body.hunk);
        }
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
        self.is_begun = true;
        let (takes, gives) = (sign != b'+', sign != b'-');
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

fn line_error(line: &str, number: usize) -> DiffError {
    DiffError::Line {
        line: number,
        begins: line.chars().take(20).collect(),
    }
}
