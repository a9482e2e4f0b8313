//! `docent find`: finds files by time and prints them for a person.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chrono::{DateTime, TimeZone};
use clap::{Args, ValueEnum};
use docent_host::Session;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::args::OutputArgs;
use crate::choice::choice;
use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::outcome::exit_code;
use crate::terminal::place::{GrantedRoot, PartPolicy, SearchPlace};
use crate::terminal::skipped::Skipped;
use crate::terminal::style::BARE;

mod print;
mod when;

/// Name of the component's function.
const FUNCTION: &str = "find-files";

/// Maximum matches on one page.
const PAGE: u32 = 1000;

/// Maximum timeout of one call, in milliseconds.
const TIMEOUT_MS: u128 = 60_000;

/// Maximum budget of one call: nobody waits for partial results here.
const BUDGET: [(&str, u32); 2] = [
    ("maxFilesScanned", 1_000_000),
    ("maxDirectoriesScanned", 100_000),
];

/// The arguments of `docent find`.
#[derive(Debug, Args)]
#[command(after_help = "\
A GLOB without `/` is a name at any depth; one with `/` is a path from the searched directory. `*` \
stays within a segment, `**` spans any number of them. If all words name files or directories and \
contain no special character, they are PATHs; otherwise the first word is the GLOB.

WHEN is `2d` (also s, min, h, w) before now, `today`, `yesterday`, a date (its start in local \
time), or a date and time, local or with an offset: 2025-12-15, 2025-12-15T09:00, \
2025-12-15T09:00:00+09:00.

On a terminal each line shows local time, size and path; in a pipe it is the path alone. With \
--json, each line is an object: `type` is `match` (path, kind, time, sizeBytes) or, on the last \
line, `summary`. Exit status: 0 when something was found, 1 when nothing was, 2 on an error.")]
pub struct FindArgs {
    /// Name or glob to find [default: everything], then paths [default: the configured roots]
    // clap adds brackets around the value name: the usage shows `[GLOB] [PATH]...`.
    #[arg(value_name = "GLOB] [PATH")]
    words: Vec<PathBuf>,
    /// Name or glob to find; all words are then paths
    #[arg(short, long)]
    glob: Option<String>,
    /// Only entries at or after this time
    #[arg(long, value_name = "WHEN")]
    from: Option<String>,
    /// Only entries before this time
    #[arg(long, value_name = "WHEN")]
    to: Option<String>,
    /// Timestamp to compare
    #[arg(
        long = "time",
        value_enum,
        value_parser = choice::<Time>(),
        value_name = "FIELD",
        default_value_t = Time::Modified
    )]
    field: Time,
    /// Sort order
    #[arg(
        long,
        value_enum,
        value_parser = choice::<Sort>(),
        value_name = "ORDER",
        default_value_t = Sort::TimeDesc
    )]
    pub sort: Sort,
    /// Maximum entries shown; 0 shows all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100)]
    limit: u32,
    /// Maximum depth of directories; 1 is each PATH's own entries
    #[arg(short = 'd', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_depth: Option<u32>,
    /// Also find directories
    #[arg(long)]
    dirs: bool,
    /// Also find entries whose names start with a dot
    #[arg(short = 'H', long)]
    hidden: bool,
    /// End each path with a NUL byte and print it unescaped, for `xargs -0`
    #[arg(short = '0', long, conflicts_with = "json")]
    null: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// A timestamp of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Time {
    Modified,
    Created,
    Accessed,
}

/// A sort order of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    TimeDesc,
    TimeAsc,
    PathAsc,
}

/// Finds the files in the places on the command line.
///
/// # Errors
/// Returns an error if a time or a glob is invalid, if a place cannot be granted, if the component
/// refuses or fails, or if the output cannot be written.
pub fn run(app: &App, args: &FindArgs) -> Result<ExitCode, CommandError> {
    // The clock is read once, so that `--from` and `--to` are relative to the same instant.
    let request = FindCall::understand(args, &app.now(), |path| app.exists(path))?;
    let mut found = FoundFiles::default();
    let reach = app.in_each_place(
        args.output.config.as_deref(),
        (&request.paths, PartPolicy::Refused),
        "docent find GLOB .",
        |session, root, place| found.look(&request, session, root, place),
    )?;
    let (layout, paint) = if args.null {
        BARE
    } else {
        app.style(&args.output)
    };
    let mut output = app.stdout_in_blocks();
    let outcome = found.print(&request, layout, paint, &app.zone(), &mut output)?;
    Ok(exit_code(reach, outcome))
}

/// A request of `docent find`.
#[derive(Debug)]
struct FindCall {
    /// Places to search; empty if none is given.
    paths: Vec<PathBuf>,
    sort: Sort,
    /// Maximum matches to show; none shows all.
    limit: Option<usize>,
    /// Terminator of a path when only paths are shown.
    path_end: PathTerminator,
    /// Arguments shared by all calls.
    arguments: Map<String, Value>,
}

/// A terminator of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathTerminator {
    /// A line break; one in the path itself is shown escaped.
    Line,
    /// A NUL byte, which no path contains.
    Nul,
}

/// A file or directory that was found.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct FoundFile {
    path: String,
    kind: String,
    time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// Milliseconds since 1970.
    #[serde(skip)]
    milliseconds: i64,
    /// Location of the entry.
    #[serde(skip)]
    target: PathBuf,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FindPage {
    matches: Vec<FoundFile>,
    next_cursor: Option<String>,
    stats: FindStats,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FindStats {
    files_scanned: u64,
    directories_scanned: u64,
    elapsed_ms: u64,
    complete: bool,
    stopped_by: Option<String>,
    skipped: Skipped,
}

/// The results of all places.
#[derive(Default)]
struct FoundFiles {
    matches: Vec<FoundFile>,
    has_more: bool,
    files: u64,
    directories: u64,
    elapsed_ms: u64,
    skipped: Skipped,
}

impl FindCall {
    /// Parses `args` at the time `now`; `exists` returns true for a path that exists.
    ///
    /// # Errors
    /// Returns an error if a time or a glob is invalid.
    fn understand<Z: TimeZone>(
        args: &FindArgs,
        now: &DateTime<Z>,
        exists: impl Fn(&Path) -> bool,
    ) -> Result<Self, CommandError> {
        let (glob, paths) = glob_and_paths(args, exists)?;
        let mut arguments = Map::new();
        let mut add = |name: &str, value: Value| arguments.insert(name.to_owned(), value);
        if let Some(glob) = glob {
            add("glob", json!(glob));
        }
        for (name, text) in [("from", &args.from), ("to", &args.to)] {
            if let Some(text) = text {
                add(name, json!(when::understand(text, now)?));
            }
        }
        add("timeField", json!(name(args.field)));
        if let Some(depth) = args.max_depth {
            add("maxDepth", json!(depth));
        }
        add("includeDirectories", json!(args.dirs));
        add("includeHidden", json!(args.hidden));
        for (name, most) in BUDGET {
            add(name, json!(most));
        }
        Ok(Self {
            paths,
            sort: args.sort,
            limit: (args.limit > 0).then_some(args.limit as usize),
            path_end: if args.null {
                PathTerminator::Nul
            } else {
                PathTerminator::Line
            },
            arguments,
        })
    }

    /// Returns the order of two matches.
    fn compare(&self, a: &FoundFile, b: &FoundFile) -> Ordering {
        let by_time = a.milliseconds.cmp(&b.milliseconds);
        let order = match self.sort {
            Sort::TimeDesc => by_time.reverse(),
            Sort::TimeAsc => by_time,
            Sort::PathAsc => Ordering::Equal,
        };
        order.then_with(|| a.path.cmp(&b.path))
    }
}

/// Returns the glob and the paths among the words of the command line.
fn glob_and_paths(
    args: &FindArgs,
    exists: impl Fn(&Path) -> bool,
) -> Result<(Option<String>, Vec<PathBuf>), CommandError> {
    let (glob, paths) = match (&args.glob, args.words.as_slice()) {
        (Some(glob), paths) => (Some(glob.clone()), paths),
        (None, []) => (None, &[][..]),
        // `docent find docs notes` names two directories; `docent find -g docs notes` has a glob.
        (None, words) if words.iter().all(|word| is_path(word) && exists(word)) => (None, words),
        (None, [glob, paths @ ..]) => {
            let text = glob.to_str().map(str::to_owned);
            let refusal = || {
                let shown = glob.display();
                CommandError::Usage(format!("`{shown}` is not UTF-8; expected a glob"))
            };
            (Some(text.ok_or_else(refusal)?), paths)
        }
    };
    let anywhere = |glob: String| {
        // The component matches a glob with the whole path, so `*.md` would only match at the
        // top. People expect a bare name to match at any depth, as with `find -name`, so `**/`
        // is put in front.
        if glob.is_empty() || glob.contains('/') || glob == "**" {
            glob
        } else {
            format!("**/{glob}")
        }
    };
    Ok((glob.map(anywhere), paths.to_vec()))
}

/// Returns true if a word contains no special character of globs.
fn is_path(word: &Path) -> bool {
    !word
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .any(|byte| b"*?[{".contains(byte))
}

fn name(value: impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default()
}

impl FoundFiles {
    /// Searches a place, whose root has the given name and path.
    ///
    /// # Errors
    /// Returns an error if the component refuses or fails.
    fn look(
        &mut self,
        request: &FindCall,
        session: &mut Session,
        root: &GrantedRoot,
        place: &SearchPlace,
    ) -> Result<(), CommandError> {
        let mut arguments = request.arguments.clone();
        arguments.insert("root".to_owned(), json!(root.name));
        if let Some(file) = &place.file {
            arguments.insert("path".to_owned(), json!(file));
        }
        // The component is to stop by itself, early enough for its answer to arrive before the
        // host ends the call without one.
        let timeout = session.limits().timeout.as_millis() * 4 / 5;
        let timeout = u64::try_from(timeout.clamp(1, TIMEOUT_MS)).unwrap_or_default();
        arguments.insert("timeoutMs".to_owned(), json!(timeout));
        // One request suffices if the wanted number fits on a page and the scan completes: the
        // component keeps the best matches of all that it has scanned.
        if let Some(limit) = request.limit.and_then(|limit| u32::try_from(limit).ok())
            && limit <= PAGE
        {
            arguments.insert("sort".to_owned(), json!(name(request.sort)));
            arguments.insert("limit".to_owned(), json!(limit));
            let page: FindPage = call(session, FUNCTION, arguments.clone())?;
            let is_full = page.stats.stopped_by.as_deref() == Some("limit");
            // A page sorted by time that stopped early may lack the newest entries, since they
            // may be among those that were not scanned. A page sorted by path is final as far
            // as it goes: the scan is in that order.
            if page.stats.complete || (request.sort == Sort::PathAsc && is_full) {
                self.has_more |= page.next_cursor.is_some();
                self.take(request, &root.directory, place, page);
                return Ok(());
            }
        }
        // All pages are requested by path. Each then continues where the previous one ended, so
        // that together they list each file once. The results of all pages are sorted here.
        arguments.insert("sort".to_owned(), json!(name(Sort::PathAsc)));
        arguments.insert("limit".to_owned(), json!(PAGE));
        // The number is counted for this place alone: its first entries may come last among
        // those of all places.
        let mut found_here = 0;
        loop {
            let page: FindPage = call(session, FUNCTION, arguments.clone())?;
            let next = page.next_cursor.clone();
            found_here += page.matches.len();
            self.take(request, &root.directory, place, page);
            let is_enough = request.limit.is_some_and(|limit| found_here > limit);
            match next {
                Some(_) if request.sort == Sort::PathAsc && is_enough => return Ok(()),
                Some(next) => arguments.insert("cursor".to_owned(), json!(next)),
                None => return Ok(()),
            };
        }
    }

    fn take(&mut self, request: &FindCall, root: &Path, place: &SearchPlace, page: FindPage) {
        for mut found in page.matches {
            found.target = root.join(&found.path);
            found.path = place.show(&found.path);
            found.milliseconds = milliseconds(&found.time);
            self.matches.push(found);
        }
        self.files += page.stats.files_scanned;
        self.directories += page.stats.directories_scanned;
        self.elapsed_ms += page.stats.elapsed_ms;
        self.skipped.count += page.stats.skipped.count;
        for mut entry in page.stats.skipped.entries {
            entry.path = place.show(&entry.path);
            self.skipped.entries.push(entry);
        }
        // Surplus matches are dropped whenever twice as many as wanted are collected, so that
        // `limit` bounds the memory and sorting stays cheap.
        if let Some(limit) = request.limit
            && self.matches.len() >= limit.saturating_mul(2).max(PAGE as usize)
        {
            self.cut(request);
        }
    }

    /// Sorts the matches and drops the surplus.
    fn cut(&mut self, request: &FindCall) {
        self.matches.sort_by(|a, b| request.compare(a, b));
        if let Some(limit) = request.limit {
            self.has_more |= self.matches.len() > limit;
            self.matches.truncate(limit);
        }
    }
}

/// Returns the milliseconds since 1970 of a time in an answer; the nearest valid time if it is
/// outside the calendar.
fn milliseconds(time: &str) -> i64 {
    match DateTime::parse_from_rfc3339(time) {
        Ok(time) => time.timestamp_millis(),
        Err(_) if time.starts_with('-') => i64::MIN,
        Err(_) => i64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::Cli;
    use crate::commands::Command;

    pub(super) fn request(words: &[&str]) -> FindCall {
        let arguments = ["docent", "find"].iter().chain(words);
        let Command::Find(args) = Cli::parse_from(arguments).command else {
            panic!("not a search for files")
        };
        let now = DateTime::parse_from_rfc3339("2026-03-01T12:00:00Z").unwrap();
        FindCall::understand(&args, &now, |path| {
            path == Path::new("docs") || path == Path::new(".")
        })
        .unwrap()
    }

    #[test]
    fn words_are_a_glob_and_paths() {
        for (words, glob, paths) in [
            (&[][..], None, &[][..]),
            (&["*.md"], Some("**/*.md"), &[]),
            (&["a/*.md"], Some("a/*.md"), &[]),
            (&["**"], Some("**"), &[]),
            (&["docs"], None, &["docs"]),
            (&["."], None, &["."]),
            (&["nodocs"], Some("**/nodocs"), &[]),
            (&["docs", "."], None, &["docs", "."]),
            (&["nodocs", "."], Some("**/nodocs"), &["."]),
            (&["docs", "nodocs"], Some("**/docs"), &["nodocs"]),
            (&["-g", "docs", "."], Some("**/docs"), &["."]),
            (
                &["-g", "*.md", "docs", "x"],
                Some("**/*.md"),
                &["docs", "x"],
            ),
        ] {
            let request = request(words);
            assert_eq!(
                request.arguments.get("glob").and_then(Value::as_str),
                glob,
                "{words:?}"
            );
            let expected: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            assert_eq!(request.paths, expected, "{words:?}");
        }
    }

    #[test]
    fn flags_become_arguments() {
        let request = request(&[
            "--from", "1d", "--to", "today", "--time", "accessed", "-d", "2", "--dirs", "-H",
        ]);
        let arguments = Value::Object(request.arguments);
        assert_eq!(arguments["from"], "2026-02-28T12:00:00.000Z");
        assert_eq!(arguments["to"], "2026-03-01T00:00:00.000Z");
        assert_eq!(arguments["timeField"], "accessed");
        assert_eq!(arguments["maxDepth"], 2);
        assert_eq!(arguments["includeDirectories"], true);
        assert_eq!(arguments["includeHidden"], true);
    }
}
