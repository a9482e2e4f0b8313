//! `docent grep`: prints every line that matches a pattern, in the format of grep.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use docent_host::Session;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::args::OutputArgs;
use crate::terminal::call::{call, target};
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::{ResultPresence, exit_code};
use crate::terminal::page::Page;
use crate::terminal::place::{GrantedRoot, PartPolicy, SearchPlace};
use crate::terminal::skipped::{Skipped, not_examined};
use crate::terminal::style::{DIM, LINE, Layout, PATH, count_noun, visible};

/// Name of the component's function.
const FUNCTION: &str = "grep";

/// Maximum bytes of a page, and of a line. All of it is printed.
const PAGE_BYTES: u32 = 200_000;

/// Maximum timeout of a page, in milliseconds.
const PAGE_MS: u32 = 60_000;

/// The arguments of `docent grep`.
#[derive(Debug, Args)]
#[command(after_help = "\
PATTERN is a regular expression in the syntax of Rust's regex crate, or plain text with -F. All \
text files are searched, and the text of documents such as docx and pdf. Hidden files, ignored \
files, and files that may contain secrets are skipped.

On a terminal the lines are listed below their file; in a pipe each line is `PATH:LINE:TEXT`, or \
`LINE:TEXT` for a single file. With --json, each line is an object: `type` is `file` (path, count, \
lines) or, on the last line, `summary`. Exit status: 0 when a line matches, 1 when none does, 2 on \
an error.")]
pub struct GrepArgs {
    /// Regular expression to search for
    pattern: String,
    /// Directories or files to look in [default: the configured roots]
    paths: Vec<PathBuf>,
    /// Ignore case [default: unless PATTERN has a capital]
    #[arg(short = 'i', long)]
    ignore_case: bool,
    /// Match case
    #[arg(short = 's', long, conflicts_with = "ignore_case")]
    case_sensitive: bool,
    /// Treat PATTERN as plain text
    #[arg(short = 'F', long)]
    fixed_strings: bool,
    /// Match whole words only
    #[arg(short = 'w', long)]
    word_regexp: bool,
    /// Let matches span lines
    #[arg(short = 'U', long)]
    multiline: bool,
    /// Print line numbers; always on
    #[arg(short = 'n', long)]
    line_number: bool,
    /// Print only the paths of files with matching lines
    #[arg(short = 'l', long, group = "shape")]
    files_with_matches: bool,
    /// Print only the number of matching lines of each file
    #[arg(short = 'c', long, group = "shape")]
    count: bool,
    /// Print only the matched text, one match a line
    #[arg(short = 'o', long, group = "shape")]
    only_matching: bool,
    /// Print N lines after each match, up to 20
    #[arg(short = 'A', long, value_name = "N", conflicts_with = "shape")]
    after_context: Option<u32>,
    /// Print N lines before each match, up to 20
    #[arg(short = 'B', long, value_name = "N", conflicts_with = "shape")]
    before_context: Option<u32>,
    /// Print N lines before and after each match, up to 20
    #[arg(short = 'C', long, value_name = "N", conflicts_with = "shape")]
    context: Option<u32>,
    /// Only files whose name or path matches GLOB
    #[arg(short, long)]
    glob: Option<String>,
    /// Also search files whose names begin with a dot
    #[arg(long)]
    hidden: bool,
    /// Also search files that ignore files exclude
    #[arg(long)]
    no_ignore: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Prints the matching lines of the places on the command line.
///
/// # Errors
/// Returns an error if a place cannot be granted, if the component refuses or fails, or if the
/// output cannot be written.
pub fn run(app: &App, args: &GrepArgs) -> Result<ExitCode, CommandError> {
    let mut run = GrepRun::new(args, app.page(&args.output));
    let reach = app.in_each_place(
        args.output.config.as_deref(),
        (&args.paths, PartPolicy::Refused),
        "docent grep PATTERN .",
        |session, root, place| run.look(session, root, place),
    )?;
    Ok(exit_code(reach, run.finish()?))
}

/// The form in which matching lines are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineFormat {
    Lines,
    /// Paths of the files alone.
    Paths,
    /// Number of matching lines of each file.
    Counts,
    /// Matched texts alone, one a line.
    Matches,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GrepAnswer {
    matches: Matches,
    #[serde(default)]
    blocked: Vec<BlockedFile>,
    #[serde(default)]
    next_cursor: Option<String>,
    skipped: Skipped,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Matches {
    lines: u64,
    files: u64,
    found: Vec<GrepFile>,
    #[serde(default)]
    left_out: Option<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct GrepFile {
    #[serde(rename(deserialize = "filePath", serialize = "path"))]
    path: String,
    count: u64,
    lines: Vec<GrepLine>,
}

#[derive(Deserialize, Serialize)]
struct GrepLine {
    number: u64,
    text: String,
    matches: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockedFile {
    file_path: String,
    message: String,
}

/// A running `docent grep`.
struct GrepRun<'a, W> {
    args: &'a GrepArgs,
    page: Page<W>,
    lines: u64,
    files: u64,
    printed_files: u64,
    left_out: Vec<String>,
    skipped: Skipped,
}

impl<'a, W: Write> GrepRun<'a, W> {
    /// Creates a search for `args` that prints to `page`.
    fn new(args: &'a GrepArgs, page: Page<W>) -> Self {
        Self {
            args,
            page,
            lines: 0,
            files: 0,
            printed_files: 0,
            left_out: Vec::new(),
            skipped: Skipped::default(),
        }
    }

    /// Searches a place, and prints its matches.
    ///
    /// # Errors
    /// Returns an error if the component refuses or fails, or if the output cannot be written.
    fn look(
        &mut self,
        session: &mut Session,
        root: &GrantedRoot,
        place: &SearchPlace,
    ) -> Result<(), CommandError> {
        let mut request = self.request(root, place);
        let mut last_file = String::new();
        let mut is_first = true;
        loop {
            let answer: GrepAnswer = call(session, FUNCTION, request.clone())?;
            for blocked in answer.blocked {
                let path = place.show(&blocked.file_path);
                note(format_args!("`{}`: {}", visible(&path), blocked.message));
            }
            // Each page of one search repeats the totals, so only those of the first are added.
            if std::mem::take(&mut is_first) {
                self.lines += answer.matches.lines;
                self.files += answer.matches.files;
                self.left_out.extend(answer.matches.left_out);
                self.skipped.count += answer.skipped.count;
                for mut entry in answer.skipped.entries {
                    entry.path = place.show(&entry.path);
                    self.skipped.entries.push(entry);
                }
            }
            for file in answer.matches.found {
                self.file(root, place, file, &mut last_file)?;
            }
            match answer.next_cursor {
                Some(cursor) => {
                    request.insert("cursor".to_owned(), json!(cursor));
                }
                None => return Ok(()),
            }
        }
    }

    /// Prints the final notes. Returns an outcome that says if a line matched.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    fn finish(mut self) -> Result<ResultPresence, CommandError> {
        let outcome = ResultPresence::from_count(self.lines);
        let left_out = self.left_out.join(" ");
        if self.page.layout == Layout::Json {
            let summary = json!({
                "lines": self.lines,
                "files": self.files,
                "leftOut": left_out,
                "skipped": self.skipped,
            });
            self.page.object("summary", &summary)?;
        } else if self.page.layout == Layout::Headings {
            let found = match outcome {
                ResultPresence::Nothing => "no line matches".to_owned(),
                ResultPresence::Found => format!(
                    "{} in {}",
                    count_noun(self.lines, "line"),
                    count_noun(self.files, "file")
                ),
            };
            let gap = if self.printed_files == 0 { "" } else { "\n" };
            let found = self.page.paint.style(DIM, found);
            writeln!(self.page.output, "{gap}{found}")?;
        }
        self.page.output.flush()?;
        if self.page.layout != Layout::Json {
            // The note on files that are left out by default is shown only if nothing was
            // found, when a reader might conclude that nothing matches.
            if outcome == ResultPresence::Nothing && !left_out.is_empty() {
                note(&left_out);
            }
            if self.skipped.count > 0 {
                note(not_examined(&self.skipped, "searched"));
            }
        }
        Ok(outcome)
    }

    fn shape(&self) -> LineFormat {
        let args = self.args;
        match (args.files_with_matches, args.count, args.only_matching) {
            (true, ..) => LineFormat::Paths,
            (_, true, _) => LineFormat::Counts,
            (.., true) => LineFormat::Matches,
            _ => LineFormat::Lines,
        }
    }

    fn request(&self, root: &GrantedRoot, place: &SearchPlace) -> Map<String, Value> {
        let args = self.args;
        let mut request = Map::new();
        let mut add = |name: &str, value: Value| {
            request.insert(name.to_owned(), value);
        };
        add("root", json!(root.name));
        if let Some(path) = place.requested_path() {
            add("paths", json!([path]));
        }
        // As grep does: the match must be a whole word.
        let pattern = match (args.word_regexp, args.fixed_strings) {
            (false, _) => args.pattern.clone(),
            (true, false) => format!(r"\b(?:{})\b", args.pattern),
            (true, true) => format!(r"\b{}\b", escape_pattern(&args.pattern)),
        };
        // The component prints the first group of a pattern if it has one. A group around the
        // whole pattern makes it print the whole match, as `grep -o` does.
        let pattern = match self.shape() {
            LineFormat::Matches if !args.fixed_strings => format!("({pattern})"),
            _ => pattern,
        };
        add("pattern", json!(pattern));
        add("literal", json!(args.fixed_strings && !args.word_regexp));
        if args.ignore_case || args.case_sensitive {
            add("ignoreCase", json!(args.ignore_case));
        }
        add("multiline", json!(args.multiline));
        let output = match self.shape() {
            LineFormat::Lines => "lines",
            LineFormat::Paths | LineFormat::Counts => "files",
            LineFormat::Matches => "matches",
        };
        add("output", json!(output));
        if self.shape() == LineFormat::Lines {
            let (before, after) = self.context();
            add("context", json!(before.max(after)));
        }
        if let Some(glob) = &args.glob {
            add("glob", json!(glob));
        }
        add("includeHidden", json!(args.hidden));
        add("includeIgnored", json!(args.no_ignore));
        add("maxChars", json!(PAGE_BYTES));
        add("maxLineChars", json!(PAGE_BYTES));
        add("timeoutMs", json!(PAGE_MS));
        request
    }

    /// Returns the numbers of lines of context before and after a match.
    fn context(&self) -> (u32, u32) {
        let both = self.args.context.unwrap_or(0);
        (
            self.args.before_context.unwrap_or(both),
            self.args.after_context.unwrap_or(both),
        )
    }

    fn file(
        &mut self,
        root: &GrantedRoot,
        place: &SearchPlace,
        mut file: GrepFile,
        last_file: &mut String,
    ) -> io::Result<()> {
        let link = target(root, &file.path);
        file.path = place.show(&file.path);
        self.trim(&mut file.lines);
        let paint = self.page.paint;
        if self.page.layout == Layout::Json {
            return self.page.object("file", &file);
        }
        let path = paint.link(&link, &paint.style(PATH, visible(&file.path)));
        match self.shape() {
            LineFormat::Paths => return writeln!(self.page.output, "{path}"),
            LineFormat::Counts => return writeln!(self.page.output, "{path}:{}", file.count),
            LineFormat::Lines | LineFormat::Matches => {}
        }
        let is_headed = self.page.layout == Layout::Headings;
        // The file may be continued from the previous page, whose heading is above already.
        if is_headed && *last_file != file.path {
            let gap = if self.printed_files == 0 { "" } else { "\n" };
            writeln!(self.page.output, "{gap}{path}")?;
        }
        self.printed_files += 1;
        last_file.clone_from(&file.path);
        let is_alone = place.is_file() && self.args.paths.len() == 1;
        let has_context = self.context() != (0, 0);
        let mut last: Option<u64> = None;
        for line in &file.lines {
            if has_context && last.is_some_and(|last| last + 1 < line.number) {
                writeln!(self.page.output, "--")?;
            }
            last = Some(line.number);
            let sign = if line.matches { ':' } else { '-' };
            let number = paint.style(LINE, line.number);
            let text = visible(&line.text);
            if is_headed || is_alone {
                writeln!(self.page.output, "{number}{sign}{text}")?;
            } else {
                writeln!(self.page.output, "{path}{sign}{number}{sign}{text}")?;
            }
        }
        Ok(())
    }

    /// Removes context lines that are requested on the other side alone.
    fn trim(&self, lines: &mut Vec<GrepLine>) {
        let (before, after) = self.context();
        if before == after {
            return;
        }
        let matching: Vec<u64> = lines
            .iter()
            .filter(|line| line.matches)
            .map(|line| line.number)
            .collect();
        lines.retain(|line| {
            matching.iter().any(|&number| {
                let first = number.saturating_sub(before.into());
                (first..=number + u64::from(after)).contains(&line.number)
            })
        });
    }
}

/// Escapes plain text for a regular expression.
fn escape_pattern(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
