//! `docent explore`: shows the content of files and directories, or the best answers to a query.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use docent_host::Session;
use docent_host::render::Renderer;
use docent_host::tools;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::args::OutputArgs;
use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::{ResultPresence, exit_code};
use crate::terminal::page::Page;
use crate::terminal::passage::Fold;
use crate::terminal::place::{GrantedRoot, PartPolicy, SearchPlace};
use crate::terminal::skipped::{Skipped, not_examined};
use crate::terminal::style::{DIM, Layout, Paint};
use crate::terminal::wording;
use crate::terminal::words::MarkedWords;

mod text_output;

use text_output::Looks;

/// Name of the component's function and of its tool.
const NAME: &str = "explore";

/// Reasons for a partial answer that a cursor can continue.
const REASONS_OF_CURSORS: [&str; 2] = ["timeout", "max-files"];

/// The arguments of `docent explore`.
#[derive(Debug, Args)]
#[command(after_help = "\
The WORDS are the query; they end at the first word that names a file or directory, or looks like \
a path. With --query or --section all words are PATHs.

A PATH may name a part of a file: lines (`a.py:10-40`), a definition (`a.py#Flask.run`) or a \
section (`guide.md#setup`, `guide.md#Guide > Setup`). A file whose own name looks like that takes \
precedence.

With a query, each PATH is searched: the best results are shown with their text, then further ones \
are listed. Without a query, a file that fits is shown whole; a longer document shows its table of \
contents and its beginning, code its outline, a directory its entries and newest files.

On a terminal the words are highlighted, and a text longer than the screen is folded; a pipe gets \
Markdown. With --json the answer is one object. Exit status: 0 when something is shown, 1 when \
there is nothing or it is withheld, 2 on an error.")]
pub struct ExploreArgs {
    /// Words to search for, then paths [default: the configured roots]
    // As with `GLOB`: the usage shows `[WORDS]... [PATH]...`.
    #[arg(value_name = "WORDS]... [PATH")]
    words: Vec<PathBuf>,
    /// Words to search for; all words are then paths
    #[arg(short = 'q', long, value_name = "TEXT")]
    query: Option<String>,
    /// Read the section with this heading, in one document
    #[arg(short = 's', long, value_name = "HEADING", conflicts_with = "query")]
    section: Option<String>,
    /// Show whole files, without folding
    #[arg(long)]
    full: bool,
    /// Items of each group (documents, code, data), 1 to 200 [default: 20; for searches, 10 in
    /// total]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<u32>,
    /// Maximum characters shown, 1 to 200000 [default: 8000; for searches, 4000 bytes]
    #[arg(short = 'c', long, value_name = "N")]
    max_chars: Option<u32>,
    /// Continue to the end, in pages of --max-chars characters
    #[arg(short = 'a', long)]
    all: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Explores the places on the command line.
///
/// # Errors
/// Returns an error if a place cannot be granted, if the component refuses or fails, or if the
/// output cannot be written.
pub fn run(app: &App, args: &ExploreArgs) -> Result<ExitCode, CommandError> {
    let (query, paths) = query_and_paths(args, |path| app.exists(path));
    let mut run = ExploreRun::new(args, query.as_deref(), app.page(&args.output));
    let reach = app.in_each_place(
        args.output.config.as_deref(),
        (&paths, PartPolicy::Taken),
        if query.is_some() {
            "docent explore WORDS ."
        } else {
            "docent explore ."
        },
        |session, root, place| run.look(session, root, place),
    )?;
    Ok(exit_code(reach, run.finish()?))
}

/// A running `docent explore`.
struct ExploreRun<'a, W> {
    args: &'a ExploreArgs,
    /// Query, if any.
    query: Option<&'a str>,
    words: MarkedWords,
    page: Page<W>,
    answers: u64,
    skipped: Skipped,
    outcome: ResultPresence,
}

/// Returns the query and the paths among the words of the command line. `exists` returns true for a
/// path that exists.
fn query_and_paths(
    args: &ExploreArgs,
    exists: impl Fn(&Path) -> bool,
) -> (Option<String>, Vec<PathBuf>) {
    let words = &args.words;
    if args.query.is_some() || args.section.is_some() {
        return (args.query.clone(), words.clone());
    }
    let is_of_query = |word: &&PathBuf| {
        let text = word.to_str();
        text.is_some_and(|text| !looks_like_path(text)) && !exists(word)
    };
    let (query, paths) = words.split_at(words.iter().take_while(is_of_query).count());
    let query: Vec<&str> = query.iter().filter_map(|word| word.to_str()).collect();
    let query = (!query.is_empty()).then(|| query.join(" "));
    (query, paths.to_vec())
}

/// Returns true if a word that names no entry is more likely a mistyped path than a query.
fn looks_like_path(word: &str) -> bool {
    let is_text = word.contains(char::is_whitespace);
    word.contains(['/', '\\', '#']) || (!is_text && word.contains(['.', ':']))
}

impl<'a, W: Write> ExploreRun<'a, W> {
    /// Creates a run that searches for `query`.
    fn new(args: &'a ExploreArgs, query: Option<&'a str>, page: Page<W>) -> Self {
        Self {
            args,
            query,
            words: MarkedWords::new(query.unwrap_or_default()),
            page,
            answers: 0,
            skipped: Skipped::default(),
            outcome: ResultPresence::Nothing,
        }
    }

    /// Explores a place.
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
        loop {
            let answer: Value = call(session, NAME, request.clone())?;
            let next = next(&answer);
            // Repeating an unchanged request would add nothing.
            let continues = next.is_some() && request.get("cursor") != next.as_ref();
            self.show(&request, answer, (root, place), continues && !self.args.all)?;
            match next {
                Some(next) if self.args.all && continues => {
                    request.insert("cursor".to_owned(), next)
                }
                _ => return Ok(()),
            };
        }
    }

    /// Shows an answer, and a note if there is more.
    fn show(
        &mut self,
        request: &Map<String, Value>,
        mut answer: Value,
        (root, place): (&GrantedRoot, &SearchPlace),
        is_cut: bool,
    ) -> Result<(), CommandError> {
        // Items listed by name alone appear with their text on the next page.
        if self.args.all && next(&answer).is_some() {
            for group in ["docs", "code", "data"] {
                if let Some(items) = answer["data"][group].as_array_mut() {
                    items.retain(|item| item["onlyNamed"] != true);
                }
            }
        }
        if answer["status"] == "ok" {
            self.outcome = ResultPresence::Found;
        }
        for path in answer["blocked"].as_array_mut().into_iter().flatten() {
            rename(path, |path| place.show_requested(path));
        }
        if self.page.layout == Layout::Json {
            rename_items(&mut answer, place);
            self.page.object("answer", &answer)?;
            return Ok(());
        }
        if self.answers > 0 {
            writeln!(self.page.output)?;
        }
        self.answers += 1;
        for_a_person(&mut answer);
        if self.page.layout == Layout::Headings || self.page.paint != Paint::Plain {
            self.show_a_person(answer, root, place)?;
        } else {
            rename_items(&mut answer, place);
            let tool = tools::table().find(NAME);
            let text = tool.map(|tool| Renderer::new().answer(tool.names(), request, &answer));
            self.page.text(text.unwrap_or_default().trim_end())?;
        }
        if is_cut {
            let more = self.page.paint.style(DIM, "There is more: --all shows it.");
            writeln!(self.page.output, "\n{more}")?;
        }
        Ok(())
    }

    fn show_a_person(
        &mut self,
        answer: Value,
        root: &GrantedRoot,
        place: &SearchPlace,
    ) -> Result<(), CommandError> {
        let answer = serde_json::from_value(answer).map_err(CommandError::Answer)?;
        let looks = Looks {
            words: &self.words,
            fold: if self.args.full {
                Fold::Nothing
            } else {
                Fold::Long
            },
            at: (root, place),
        };
        let skipped = text_output::show(&mut self.page, answer, &looks)?;
        self.skipped.count += skipped.count;
        for mut entry in skipped.entries {
            entry.path = place.show(&entry.path);
            self.skipped.entries.push(entry);
        }
        Ok(())
    }

    fn request(&self, root: &GrantedRoot, place: &SearchPlace) -> Map<String, Value> {
        let mut request = Map::new();
        request.insert("root".to_owned(), json!(root.name));
        if let Some(query) = self.query {
            request.insert("query".to_owned(), json!(query));
        }
        // A directory is a root of its own here, so a query without a path covers all of it; the
        // tool refuses a request with neither.
        if place.file.is_some() || self.query.is_none() {
            let path = place.requested_path().unwrap_or_else(|| ".".to_owned());
            request.insert("paths".to_owned(), json!([path]));
        }
        if let Some(section) = &self.args.section {
            request.insert("section".to_owned(), json!({"headingPath": [section]}));
        }
        // A section is always complete, so with one the option has nothing to unfold.
        if self.args.full && self.args.section.is_none() {
            request.insert("view".to_owned(), json!("full"));
        }
        let limits = [
            ("maxResults", self.args.limit),
            ("maxChars", self.args.max_chars),
        ];
        let limits = limits.into_iter();
        let limits: Map<String, Value> = limits
            .filter_map(|(name, limit)| Some((name.to_owned(), json!(limit?))))
            .collect();
        if !limits.is_empty() {
            request.insert("limits".to_owned(), Value::Object(limits));
        }
        request
    }

    /// Ends the output. Returns an outcome that says if anything was found.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    fn finish(mut self) -> Result<ResultPresence, CommandError> {
        // Flushed first, so that on a terminal the notes on stderr appear below the items.
        self.page.output.flush()?;
        if self.skipped.count > 0 {
            note(not_examined(&self.skipped, "searched"));
        }
        Ok(self.outcome)
    }
}

/// Removes content for models, and rephrases hints in the terms of the command line.
fn for_a_person(answer: &mut Value) {
    // Cursors and packs are for models; people are pointed to `--all` instead.
    answer["next"] = json!({});
    if let Some(fields) = answer.as_object_mut() {
        fields.remove("pack");
        fields.remove("root");
    }
    if let Some(reasons) = answer["reasons"].as_array_mut() {
        reasons.retain(|reason| !REASONS_OF_CURSORS.iter().any(|name| reason == name));
    }
    for group in ["/data/docs", "/data/code", "/data/data"] {
        let items = answer.pointer_mut(group).and_then(Value::as_array_mut);
        for item in items.into_iter().flatten() {
            // This field serves programs that edit files.
            if let Some(metadata) = item["metadata"].as_object_mut() {
                metadata.remove("hash");
            }
        }
    }
    reword(&mut answer["hint"], wording::hint);
    for item in answer["blocked"].as_array_mut().into_iter().flatten() {
        reword(&mut item["message"], wording::text);
        reword(&mut item["hint"], wording::hint);
    }
}

fn reword(said: &mut Value, told: fn(&str, &str) -> String) {
    if let Some(text) = said.as_str() {
        *said = json!(told(NAME, text));
    }
}

/// Returns the cursors of an answer; none if nothing remains.
fn next(answer: &Value) -> Option<Value> {
    let next = answer["next"].as_object()?;
    let of = |name: &str| next.get(name).filter(|cursor| cursor.is_string());
    let (items, content) = (of("itemsCursor"), of("contentCursor"));
    (items.is_some() || content.is_some()).then(|| json!({"items": items, "content": content}))
}

/// Renames the files of all items to paths as the person wrote them: templates print paths from the
/// answer.
fn rename_items(answer: &mut Value, place: &SearchPlace) {
    for group in ["docs", "code", "data"] {
        for item in answer["data"][group].as_array_mut().into_iter().flatten() {
            rename(item, |path| place.show(path));
        }
    }
}

fn rename(item: &mut Value, shown: impl Fn(&str) -> String) {
    if let Some(path) = item["filePath"].as_str() {
        item["filePath"] = json!(shown(path));
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::Cli;
    use crate::commands::Command;

    #[test]
    fn a_person_is_told_of_options() {
        let mut answer = json!({
            "root": "r",
            "pack": {"packId": "x"},
            "next": {"itemsCursor": "y"},
            "reasons": ["timeout", "truncated"],
            "hint": "The next item does not fit; raise limits.maxChars.",
            "blocked": [{"message": "m", "hint": "Set allowBinary to true to get it as base64."}],
        });
        for_a_person(&mut answer);
        let expected = json!({
            "next": {},
            "reasons": ["truncated"],
            "hint": "The next item does not fit; raise --max-chars.",
            "blocked": [{"message": "m", "hint": ""}],
        });
        assert_eq!(answer, expected);
    }

    #[test]
    fn words_that_lead_nowhere_are_the_query() {
        let read = |line: &[&str]| {
            let line = ["docent", "explore"].iter().chain(line);
            let Command::Explore(args) = Cli::parse_from(line).command else {
                panic!("not explore")
            };
            let (query, paths) = query_and_paths(&args, |path| path == Path::new("docs"));
            let paths: Vec<_> = paths.into_iter().map(PathBuf::into_os_string).collect();
            (query, paths)
        };
        for (line, query, paths) in [
            (&[][..], None, &[][..]),
            (&["docs"], None, &["docs"]),
            (&["cache", "size", "docs"], Some("cache size"), &["docs"]),
            (&["cache size"], Some("cache size"), &[]),
            (&["docs", "cache"], None, &["docs", "cache"]),
            // A mistyped path remains a path and is reported as one.
            (&["guide.md"], None, &["guide.md"]),
            (&["dcos/a"], None, &["dcos/a"]),
            (&["gone.md#A > B"], None, &["gone.md#A > B"]),
            (&["what is 1.5?", "docs"], Some("what is 1.5?"), &["docs"]),
            (&["-q", "x", "cache"], Some("x"), &["cache"]),
            (&["-s", "x", "cache"], None, &["cache"]),
        ] {
            let paths: Vec<_> = paths.iter().map(std::ffi::OsString::from).collect();
            assert_eq!(read(line), (query.map(str::to_owned), paths), "{line:?}");
        }
    }
}
