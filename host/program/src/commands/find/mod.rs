//! `docent find`: finds files by time and prints them for a person.

use std::cmp::Ordering;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeZone};
use clap::ValueEnum;
use docent_host::Session;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::args::{Find, Sort};
use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::Outcome;
use crate::terminal::place::{Place, Root};
use crate::terminal::skipped::{Skipped, not_examined};
use crate::terminal::style::{DIM, Layout, PATH, Paint, counted, visible};
use crate::terminal::time::local;

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

/// Width of the size column.
const SIZE_WIDTH: usize = 9;

/// A request of `docent find`.
#[derive(Debug)]
pub struct FindRequest {
    /// Places to search; empty if none is given.
    pub paths: Vec<PathBuf>,
    sort: Sort,
    /// Maximum matches to show; none shows all.
    limit: Option<usize>,
    /// Terminator of a path when only paths are shown.
    path_end: PathEnd,
    /// Arguments shared by all calls.
    arguments: Map<String, Value>,
}

/// A terminator of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathEnd {
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
pub struct FoundFiles {
    matches: Vec<FoundFile>,
    has_more: bool,
    files: u64,
    directories: u64,
    elapsed_ms: u64,
    skipped: Skipped,
}

impl FindRequest {
    /// Parses `args` at the time `now`; `exists` returns true for a path that exists.
    ///
    /// # Errors
    /// Returns an error if a time or a glob is invalid.
    pub fn understand<Z: TimeZone>(
        args: &Find,
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
                PathEnd::Nul
            } else {
                PathEnd::Line
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
    args: &Find,
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
        // The component matches a glob with the whole path; people expect a bare name to match at
        // any depth.
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
    pub fn look(
        &mut self,
        request: &FindRequest,
        session: &mut Session,
        root: &Root,
        place: &Place,
    ) -> Result<(), CommandError> {
        let mut arguments = request.arguments.clone();
        arguments.insert("root".to_owned(), json!(root.name));
        if let Some(file) = &place.file {
            arguments.insert("path".to_owned(), json!(file));
        }
        // Early enough for the answer to arrive before the host ends the call.
        let timeout = session.limits().timeout.as_millis() * 4 / 5;
        let timeout = u64::try_from(timeout.clamp(1, TIMEOUT_MS)).unwrap_or_default();
        arguments.insert("timeoutMs".to_owned(), json!(timeout));
        // One page holds the best matches of all, if they fit and the scan completes.
        if let Some(limit) = request.limit.and_then(|limit| u32::try_from(limit).ok())
            && limit <= PAGE
        {
            arguments.insert("sort".to_owned(), json!(name(request.sort)));
            arguments.insert("limit".to_owned(), json!(limit));
            let page: FindPage = call(session, FUNCTION, arguments.clone())?;
            let is_full = page.stats.stopped_by.as_deref() == Some("limit");
            // By time, a page that stopped early may lack the newest entries; by path, the first
            // entries are final.
            if page.stats.complete || (request.sort == Sort::PathAsc && is_full) {
                self.has_more |= page.next_cursor.is_some();
                self.take(request, &root.directory, place, page);
                return Ok(());
            }
        }
        // By path, each page continues at the end of the previous one, so that all pages together
        // list each file once.
        arguments.insert("sort".to_owned(), json!(name(Sort::PathAsc)));
        arguments.insert("limit".to_owned(), json!(PAGE));
        // Counted for this place alone: its first entries may come last among all places.
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

    fn take(&mut self, request: &FindRequest, root: &Path, place: &Place, page: FindPage) {
        for mut found in page.matches {
            found.target = root.join(&found.path);
            found.path = place.shown(&found.path);
            found.milliseconds = milliseconds(&found.time);
            self.matches.push(found);
        }
        self.files += page.stats.files_scanned;
        self.directories += page.stats.directories_scanned;
        self.elapsed_ms += page.stats.elapsed_ms;
        self.skipped.count += page.stats.skipped.count;
        for mut entry in page.stats.skipped.entries {
            entry.path = place.shown(&entry.path);
            self.skipped.entries.push(entry);
        }
        // Surplus matches are dropped from time to time, so that `limit` bounds the memory.
        if let Some(limit) = request.limit
            && self.matches.len() >= limit.saturating_mul(2).max(PAGE as usize)
        {
            self.cut(request);
        }
    }

    /// Sorts the matches and drops the surplus.
    fn cut(&mut self, request: &FindRequest) {
        self.matches.sort_by(|a, b| request.compare(a, b));
        if let Some(limit) = request.limit {
            self.has_more |= self.matches.len() > limit;
            self.matches.truncate(limit);
        }
    }

    /// Prints all matches, with times in `zone`. Returns an outcome that says if there were any.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn print<Z: TimeZone>(
        mut self,
        request: &FindRequest,
        layout: Layout,
        paint: Paint,
        zone: &Z,
        output: &mut impl Write,
    ) -> Result<Outcome, CommandError>
    where
        Z::Offset: std::fmt::Display,
    {
        self.cut(request);
        for found in &self.matches {
            match (layout, request.path_end) {
                (Layout::Lines, PathEnd::Nul) => write!(output, "{}\0", found.path)?,
                _ => found.print(layout, paint, zone, output)?,
            }
        }
        match layout {
            Layout::Json => writeln!(
                output,
                "{}",
                json!({
                    "type": "summary",
                    "matches": self.matches.len(),
                    "hasMore": self.has_more,
                    "filesScanned": self.files,
                    "directoriesScanned": self.directories,
                    "skipped": self.skipped,
                    "elapsedMs": self.elapsed_ms,
                })
            )?,
            Layout::Headings if self.matches.is_empty() => {
                let seen = format!("nothing found among {}", counted(self.files, "file"));
                writeln!(output, "{}", paint.styled(DIM, seen))?;
            }
            Layout::Headings | Layout::Lines => {}
        }
        // Flushed first, so that on a terminal the notes on stderr appear below the matches.
        output.flush()?;
        if layout != Layout::Json {
            if self.has_more {
                let shown = self.matches.len();
                note(format_args!(
                    "only the first {shown} are shown, see --limit"
                ));
            }
            if self.skipped.count > 0 {
                note(not_examined(&self.skipped, "examined"));
            }
        }
        Ok(Outcome::from_count(self.matches.len() as u64))
    }
}

impl FoundFile {
    fn print<Z: TimeZone>(
        &self,
        layout: Layout,
        paint: Paint,
        zone: &Z,
        output: &mut impl Write,
    ) -> io::Result<()>
    where
        Z::Offset: std::fmt::Display,
    {
        let slash = if self.kind == "directory" { "/" } else { "" };
        match layout {
            Layout::Json => {
                let mut object = json!({ "type": "match" });
                if let (Some(object), Ok(Value::Object(fields))) =
                    (object.as_object_mut(), serde_json::to_value(self))
                {
                    object.extend(fields);
                }
                writeln!(output, "{object}")
            }
            Layout::Lines => {
                // Escaped: programs that open files by piped paths use `-0`.
                let path = paint.styled(PATH, visible(&self.path));
                writeln!(output, "{}", paint.link(&self.target, &path))
            }
            Layout::Headings => {
                let time = local(&self.time, zone);
                let size = self.size_bytes.map_or("-".to_owned(), size);
                let beside = paint.styled(DIM, format!("{time}  {size:>SIZE_WIDTH$}"));
                let path = paint.styled(PATH, format!("{}{slash}", visible(&self.path)));
                writeln!(output, "{beside}  {}", paint.link(&self.target, &path))
            }
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

/// Formats a number of bytes in units of 1000: `512 B`, `12.3 KB`.
fn size(bytes: u64) -> String {
    docent_host::render::size(bytes)
}

#[cfg(test)]
mod tests {
    use chrono::{FixedOffset, Utc};
    use clap::Parser as _;

    use super::*;
    use crate::args::{Cli, Command};

    fn request(words: &[&str]) -> FindRequest {
        let arguments = ["docent", "find"].iter().chain(words);
        let Command::Find(args) = Cli::parse_from(arguments).command else {
            panic!("not a search for files")
        };
        let now = DateTime::parse_from_rfc3339("2026-03-01T12:00:00Z").unwrap();
        FindRequest::understand(&args, &now, |path| {
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

    fn found() -> FoundFiles {
        let matches: Vec<FoundFile> = serde_json::from_value(json!([
            {"path": "a b.md", "kind": "file", "time": "2026-02-28T23:30:59.999Z",
             "sizeBytes": 12_345},
            {"path": "d\u{1b}", "kind": "directory", "time": "+292278994-08-17T07:12:55.807Z"},
        ]))
        .unwrap();
        let mut found = FoundFiles::default();
        for mut one in matches {
            one.milliseconds = milliseconds(&one.time);
            one.target = Path::new("/w").join(&one.path);
            found.matches.push(one);
        }
        found
    }

    fn printed(flags: &[&str], layout: Layout, paint: Paint) -> String {
        let mut output = Vec::new();
        let zone = FixedOffset::east_opt(9 * 3600).unwrap();
        found()
            .print(&request(flags), layout, paint, &zone, &mut output)
            .unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn a_terminal_gets_local_time_and_size() {
        assert_eq!(
            printed(&["--sort", "time-asc"], Layout::Headings, Paint::Plain),
            "2026-03-01 08:30    12.3 KB  a b.md\n\
             +292278994-08-17T07:12:55.807Z          -  d\\u{1b}/\n",
        );
        let painted = printed(
            &["-n", "1", "--sort", "path-asc"],
            Layout::Headings,
            Paint::Full,
        );
        assert!(
            painted.contains("\x1b]8;;file:///w/a%20b.md\x1b\\\x1b[35ma b.md"),
            "{painted:?}"
        );
    }

    #[test]
    fn a_pipe_gets_paths() {
        assert_eq!(
            printed(&[], Layout::Lines, Paint::Plain),
            "d\\u{1b}\na b.md\n"
        );
        assert_eq!(
            printed(&["-n", "1"], Layout::Lines, Paint::Plain),
            "d\\u{1b}\n"
        );
        assert_eq!(
            printed(&["-0"], Layout::Lines, Paint::Plain),
            "d\u{1b}\0a b.md\0"
        );
    }

    #[test]
    fn json_is_one_object_a_line() {
        let printed = printed(
            &["-n", "1", "--sort", "time-asc"],
            Layout::Json,
            Paint::Plain,
        );
        let lines: Vec<Value> = printed
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["type"], "match");
        assert_eq!(lines[0]["path"], "a b.md");
        assert_eq!(lines[0]["sizeBytes"], 12_345);
        assert_eq!(lines[1]["type"], "summary");
        assert_eq!(lines[1]["hasMore"], true);
    }

    #[test]
    fn nothing_is_told() {
        let mut output = Vec::new();
        let outcome = FoundFiles::default()
            .print(
                &request(&[]),
                Layout::Headings,
                Paint::Plain,
                &Utc,
                &mut output,
            )
            .unwrap();
        assert_eq!(outcome, Outcome::Nothing);
        assert_eq!(
            String::from_utf8(output).unwrap(),
            "nothing found among 0 files\n"
        );
    }
}
