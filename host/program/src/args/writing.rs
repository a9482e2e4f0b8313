//! The arguments of the commands that write.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Output;
use crate::choice::choice;
use crate::config::State;

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent edit notes/a.md --old 'draft' --new 'final' --apply

A text is taken as it is written: letter by letter, `\\n` as two characters. For several lines \
give it from a file, or from stdin as `-`. Whatever could mean two places is refused, and the \
places are shown.

Without --apply nothing is written: the difference goes to stdout, into a pipe as `git apply` \
takes it. Exit status: 0 when something changes, 1 when nothing does, 2 on an error.")]
pub struct Edit {
    /// File to edit
    pub file: PathBuf,
    #[command(flatten)]
    pub replace: Replace,
    #[command(flatten)]
    pub section: Section,
    #[command(flatten)]
    pub lines: Lines,
    #[command(flatten)]
    pub insert: Insert,
    #[command(flatten)]
    pub writing: Writing,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Replace a text")]
pub struct Replace {
    /// Text to replace; it must occur once
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub old: Option<String>,
    /// Text to replace, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "old")]
    pub old_file: Option<PathBuf>,
    /// Replacement of --old or --lines; empty to remove it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub new: Option<String>,
    /// Replacement, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "new")]
    pub new_file: Option<PathBuf>,
    /// If the text occurs several times, the occurrence nearest to this line; with --at, the line
    /// itself
    #[arg(long, value_name = "N")]
    pub line: Option<u32>,
    /// If the text occurs several times, the Nth occurrence, or `all`
    #[arg(long, value_name = "N")]
    pub occurrence: Option<String>,
    /// Only in the section with this heading or id
    #[arg(long, value_name = "HEADING", allow_hyphen_values = true)]
    pub within: Option<String>,
    /// Treat runs of blanks and tabs as equal
    #[arg(long)]
    pub ignore_blanks: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Edit a section")]
pub struct Section {
    /// Section: its heading, its id, or the path of its headings (`Guide > Setup`)
    #[arg(long, value_name = "HEADING", allow_hyphen_values = true)]
    pub section: Option<String>,
    /// Operation on the section; `replace` keeps the heading
    #[arg(long, value_enum, value_parser = choice::<Op>(), value_name = "WHAT")]
    pub op: Option<Op>,
    /// Text for the operation, or the new heading
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub content: Option<String>,
    /// Text for the operation, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "content")]
    pub content_file: Option<PathBuf>,
    /// Include its subsections
    #[arg(long)]
    pub subsections: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Replace lines")]
pub struct Lines {
    /// Lines to replace with --new
    #[arg(long, value_name = "FIRST-LAST", value_parser = range)]
    pub lines: Option<(u32, u32)>,
    /// Hash of the file, which proves that the line numbers are current: the first 12 digits of its
    /// SHA-256, or more
    #[arg(long, value_name = "HASH")]
    pub hash: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Add a text")]
pub struct Insert {
    /// Text to add
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub insert: Option<String>,
    /// Text to add, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "insert")]
    pub insert_file: Option<PathBuf>,
    /// Position: beside a line, with --line and --hash, or beside a text, with --anchor
    #[arg(long, value_enum, value_parser = choice::<At>(), value_name = "WHERE")]
    pub at: Option<At>,
    /// Text beside which the new text is inserted
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub anchor: Option<String>,
}

/// An operation on a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Op {
    Replace,
    Append,
    Prepend,
    InsertBefore,
    InsertAfter,
    Delete,
    Rename,
}

/// A position at which a text is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum At {
    Start,
    End,
    BeforeLine,
    AfterLine,
    BeforeText,
    AfterText,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: git diff | docent apply - --root ../copy --apply

The patch is a unified diff, as `git diff` and `diff -u` write it; its line numbers are hints. All \
of its files change or none. Their names, without `a/` and `b/`, are paths from the top of the git \
repository that one stands in, else from the current directory, or from --root. It makes and \
renames files, and removes those that hold what the patch says; copies, binaries and what changes \
a mode alone are refused.

Without --apply nothing is written. Exit status: 0 when something changes, 1 when nothing does, 2 \
on an error.")]
pub struct Apply {
    /// Patch file; `-` for stdin
    pub patch: PathBuf,
    #[command(flatten)]
    pub writing: Writing,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: date | docent write log/today.md --apply

The content comes from stdin unless --content, --from or --template gives it, and is written as it \
is, in UTF-8. Directories that are missing are made. A template is a file in `.docent/templates`, \
or `note`, `adr`, `daily` or `readme`; each `{{ name }}` in it needs --set name=TEXT.

Without --apply nothing is written. Exit status: 0 when something changes, 1 when nothing does, 2 \
on an error.")]
pub struct Write {
    /// File to create
    pub file: PathBuf,
    /// Its content
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub content: Option<String>,
    /// Its content, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "content")]
    pub from: Option<PathBuf>,
    /// Its content, from this template
    #[arg(long, value_name = "NAME", conflicts_with_all = ["content", "from"])]
    pub template: Option<String>,
    /// Value of a variable in the template; repeatable
    #[arg(long, value_name = "NAME=TEXT", requires = "template", value_parser = variable)]
    pub set: Vec<(String, String)>,
    /// Replace the file if it exists
    #[arg(long)]
    pub overwrite: bool,
    /// Expected hash of the file to replace
    #[arg(long, value_name = "HASH", requires = "overwrite")]
    pub hash: Option<String>,
    #[command(flatten)]
    pub writing: Writing,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent mv notes/draft.md notes/done/ --apply

Where something is already nothing is moved. Links to the file, in all documents of its root, and \
those in it are written anew.

Without --apply nothing is moved. Exit status: 0, or 2 on an error.")]
pub struct Mv {
    /// File or directory to move
    pub old: PathBuf,
    /// New path, or an existing directory to move into
    pub new: PathBuf,
    #[command(flatten)]
    pub writing: Writing,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent history notes/a.md -n 5

Each change stands with its number, time and files; `docent undo NUMBER` takes it back. What \
agents write to the same directory through `docent mcp` stands there as well.

With --json, each line is an object: `type` is `change` or, on the last line, `summary`. Exit \
status: 0 when there is a change, 1 when there is none, 2 on an error.")]
pub struct History {
    /// Only changes of this file, which may no longer exist
    pub file: Option<PathBuf>,
    /// Maximum changes shown
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub limit: u32,
    #[command(flatten)]
    pub kept: Kept,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent undo 12

It is done at once, and all of it or nothing: where a file has changed since, nothing is. An undo \
is a change with a number of its own; `docent redo` takes it back. Exit status: 0, or 2 on an \
error.")]
pub struct Undo {
    /// Number of a change, or a file for its latest change [default: the latest change]
    #[arg(value_name = "NUMBER|FILE")]
    pub target: Option<PathBuf>,
    #[command(flatten)]
    pub kept: Kept,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent redo

It is done at once, and all of it or nothing. Exit status: 0, or 2 on an error.")]
pub struct Redo {
    /// Number of an undo, or a file for its latest undo [default: the latest undo]
    #[arg(value_name = "NUMBER|FILE")]
    pub target: Option<PathBuf>,
    #[command(flatten)]
    pub kept: Kept,
    #[command(flatten)]
    pub output: Output,
}

/// The options shared by the commands that show a diff and apply it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Writing")]
pub struct Writing {
    /// Write the change; without this, only the diff is shown
    #[arg(long)]
    pub apply: bool,
    /// Reason for the change, in a sentence, for the history
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub note: Option<String>,
    #[command(flatten)]
    pub kept: Kept,
    #[command(flatten)]
    pub output: Output,
}

/// The directory written to, and the place of the data that undo needs.
#[derive(Debug, Args)]
pub struct Kept {
    /// Directory to grant for writing, which has one history [default: the configured root for
    /// writing that contains the file, else its git repository, else the current directory, else
    /// the file's own]
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Directory for the data that undo needs [default: docent in $XDG_STATE_HOME]
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Keep no copies of overwritten content, so that no write can be undone
    #[arg(long, conflicts_with = "state")]
    pub no_state: bool,
}

impl Kept {
    /// Returns the place for the data that undo needs; none if no option sets it.
    pub fn state(&self) -> Option<State> {
        match (self.no_state, &self.state) {
            (true, _) => Some(State::None),
            (false, directory) => directory.clone().map(State::Directory),
        }
    }
}

fn variable(text: &str) -> Result<(String, String), String> {
    let variable = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = variable.ok_or("expected NAME=TEXT")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Parses a line range: `3-7`, or `3` for `3-3`.
fn range(text: &str) -> Result<(u32, u32), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse().ok().filter(|line| *line > 0);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok((first, last)),
        _ => Err("expected lines such as 3-7".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn lines_are_a_range() {
        assert_eq!(range("3-7"), Ok((3, 7)));
        assert_eq!(range("3"), Ok((3, 3)));
        for text in ["", "-", "7-3", "0-2", "3-", "a", "1-2-3"] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
