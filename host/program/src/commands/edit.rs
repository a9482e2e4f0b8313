//! `docent edit`: one edit of a file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::args::Writing;
use crate::choice::choice;
use crate::terminal::error::CommandError;
use crate::writing::{ReadText, WriteCall, carry_out, text};

/// The arguments of `docent edit`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent edit notes/a.md --old 'draft' --new 'final' --apply

Texts are literal: `\\n` is two characters. Text of several lines is read from a file, or from \
stdin with `-` as the file. An ambiguous edit is refused, and the candidates are shown.

Without --apply nothing is written: the difference goes to stdout, into a pipe in the form that \
`git apply` accepts. Exit status: 0 when something changes, 1 when nothing does, 2 on an error.")]
pub struct EditArgs {
    /// File to edit
    file: PathBuf,
    #[command(flatten)]
    replace: Replace,
    #[command(flatten)]
    section: SectionArgument,
    #[command(flatten)]
    lines: LinesArgument,
    #[command(flatten)]
    insert: Insert,
    #[command(flatten)]
    writing: Writing,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Replace a text")]
struct Replace {
    /// Text to replace; it must occur once
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    old: Option<String>,
    /// Text to replace, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "old")]
    old_file: Option<PathBuf>,
    /// Replacement of --old or --lines; empty to remove it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    new: Option<String>,
    /// Replacement, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "new")]
    new_file: Option<PathBuf>,
    /// If the text occurs several times, the occurrence nearest to this line; with --at, the line
    /// itself
    #[arg(long, value_name = "N")]
    line: Option<u32>,
    /// If the text occurs several times, the Nth occurrence, or `all`
    #[arg(long, value_name = "N")]
    occurrence: Option<String>,
    /// Only in the section with this heading or id
    #[arg(long, value_name = "HEADING", allow_hyphen_values = true)]
    within: Option<String>,
    /// Treat runs of blanks and tabs as equal
    #[arg(long)]
    ignore_blanks: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Edit a section")]
struct SectionArgument {
    /// Section: its heading, its id, or the path of its headings (`Guide > Setup`)
    #[arg(long, value_name = "HEADING", allow_hyphen_values = true)]
    section: Option<String>,
    /// Operation on the section; `replace` keeps the heading
    #[arg(long, value_enum, value_parser = choice::<Op>(), value_name = "WHAT")]
    op: Option<Op>,
    /// Text for the operation, or the new heading
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    content: Option<String>,
    /// Text for the operation, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "content")]
    content_file: Option<PathBuf>,
    /// Include its subsections
    #[arg(long)]
    subsections: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Replace lines")]
struct LinesArgument {
    /// Lines to replace with --new
    #[arg(long, value_name = "FIRST-LAST", value_parser = range)]
    lines: Option<(u32, u32)>,
    /// Hash of the file, which proves that the line numbers are current: the first 12 digits of its
    /// SHA-256, or more
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Add a text")]
struct Insert {
    /// Text to add
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    insert: Option<String>,
    /// Text to add, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "insert")]
    insert_file: Option<PathBuf>,
    /// Position: beside a line, with --line and --hash, or beside a text, with --anchor
    #[arg(long, value_enum, value_parser = choice::<At>(), value_name = "WHERE")]
    at: Option<At>,
    /// Text beside which the new text is inserted
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    anchor: Option<String>,
}

/// An operation on a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Op {
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
enum At {
    Start,
    End,
    BeforeLine,
    AfterLine,
    BeforeText,
    AfterText,
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

/// Edits a file.
///
/// # Errors
/// Returns an error if a text cannot be read, if the directory cannot be granted, if the component
/// refuses or fails, or if the output cannot be written.
pub fn run(app: &App, args: &EditArgs) -> Result<ExitCode, CommandError> {
    let file = app.resolve_existing(&args.file)?;
    let mut fields = fields(args, &|path| app.read_text(path))?;
    carry_out(app, &args.writing, &[file], |names| {
        fields.insert("path".to_owned(), json!(names[0]));
        WriteCall::for_edit(fields)
    })
}

/// Returns the fields of the edit that are given; the component checks their combination.
///
/// # Errors
/// Returns an error if a text cannot be read.
fn fields(args: &EditArgs, read: ReadText<'_>) -> Result<Map<String, Value>, CommandError> {
    let EditArgs {
        replace,
        section,
        lines,
        insert,
        ..
    } = args;
    let files = [
        &replace.old_file,
        &replace.new_file,
        &section.content_file,
        &insert.insert_file,
    ];
    let is_stdin = |file: &&PathBuf| file.as_path() == Path::new("-");
    if files.into_iter().flatten().filter(is_stdin).count() > 1 {
        let message = "`-` is given twice; expected one text from stdin";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let text = |given: &Option<String>, file: &Option<PathBuf>| {
        text(given.as_deref(), file.as_deref(), read)
    };
    let range = lines.lines;
    let fields = [
        (
            "oldText",
            text(&replace.old, &replace.old_file)?.map(Value::from),
        ),
        (
            "newText",
            text(&replace.new, &replace.new_file)?.map(Value::from),
        ),
        ("line", replace.line.map(Value::from)),
        ("occurrence", replace.occurrence.clone().map(Value::from)),
        ("within", replace.within.clone().map(Value::from)),
        ("match", replace.ignore_blanks.then(|| json!("whitespace"))),
        ("section", section.section.clone().map(Value::from)),
        ("op", section.op.and_then(name)),
        (
            "content",
            text(&section.content, &section.content_file)?.map(Value::from),
        ),
        (
            "includeSubsections",
            section.subsections.then(|| json!(true)),
        ),
        (
            "lines",
            range.map(|(first, last)| json!({"first": first, "last": last})),
        ),
        ("hash", lines.hash.clone().map(Value::from)),
        (
            "insert",
            text(&insert.insert, &insert.insert_file)?.map(Value::from),
        ),
        ("at", insert.at.and_then(name)),
        ("anchor", insert.anchor.clone().map(Value::from)),
    ];
    let given = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Ok(given.collect())
}

/// Returns the name of a choice in the contract.
fn name(choice: impl ValueEnum) -> Option<Value> {
    Some(json!(choice.to_possible_value()?.get_name()))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::Cli;
    use crate::commands::Command;

    fn read(words: &[&str]) -> Result<Value, String> {
        let line = [&["docent", "edit", "a.md"], words].concat();
        let cli = Cli::try_parse_from(line).map_err(|error| error.to_string())?;
        let Command::Edit(args) = cli.command else {
            return Err("not an edit".to_owned());
        };
        let content = |path: &Path| Ok(format!("what stands in {}\n", path.display()));
        let fields = fields(&args, &content);
        fields.map(Value::Object).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn means(words: &[&str], expected: Value) {
        assert_eq!(read(words), Ok(expected), "{words:?}");
    }

    #[test]
    fn each_form() {
        means(
            &["--old", "- [ ] a", "--new", "--x", "--occurrence", "all"],
            json!({"oldText": "- [ ] a", "newText": "--x", "occurrence": "all"}),
        );
        means(
            &[
                "--old-file",
                "-",
                "--new",
                "",
                "--within",
                "B",
                "--ignore-blanks",
            ],
            json!({"oldText": "what stands in -\n", "newText": "", "within": "B",
                "match": "whitespace"}),
        );
        means(
            &[
                "--section",
                "A > B",
                "--op",
                "insert_after",
                "--content-file",
                "c",
                "--subsections",
            ],
            json!({"section": "A > B", "op": "insert-after", "content": "what stands in c\n",
                "includeSubsections": true}),
        );
        means(
            &["--lines", "3-7", "--hash", "0123456789ab", "--new", "x"],
            json!({"newText": "x", "lines": {"first": 3, "last": 7}, "hash": "0123456789ab"}),
        );
        means(
            &[
                "--insert",
                "-",
                "--at",
                "before-line",
                "--line",
                "3",
                "--hash",
                "0",
            ],
            json!({"line": 3, "hash": "0", "insert": "-", "at": "before-line"}),
        );
        means(&[], json!({}));
    }

    #[test]
    fn stdin_is_one_text() {
        let twice = read(&["--old-file", "-", "--new-file", "-"]);
        let message = "`-` is given twice; expected one text from stdin";
        assert_eq!(twice, Err(message.to_owned()));
        let both = read(&["--old", "a", "--old-file", "b"]).unwrap_err();
        assert!(both.contains("cannot be used with"), "{both}");
    }

    #[test]
    fn lines_are_a_range() {
        assert_eq!(range("3-7"), Ok((3, 7)));
        assert_eq!(range("3"), Ok((3, 3)));
        for text in ["", "-", "7-3", "0-2", "3-", "a", "1-2-3"] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
