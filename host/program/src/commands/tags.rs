//! `docent tags`: finds documents by their metadata.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use docent_host::Session;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::args::OutputArgs;
use crate::choice::choice;
use crate::terminal::call::{arguments, call, target};
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::{ResultPresence, exit_code};
use crate::terminal::page::Page;
use crate::terminal::place::{GrantedRoot, PartPolicy, SearchPlace};
use crate::terminal::skipped::{Skipped, not_examined};
use crate::terminal::style::{DIM, Layout, PATH, count_noun, visible};

/// Maximum documents on one page.
const PAGE: usize = 200;

/// The arguments of `docent tags`.
#[derive(Debug, Args)]
#[command(after_help = "\
TAGS are separated by commas; `a` also matches `a/b`. Without another criterion the first word is \
TAGS. With one, a first word that names a file or directory is a PATH.

DATE is a day, in UTC, or a date and time with an offset: 2025-12-15, 2025-12-15T09:00:00+09:00.

On a terminal each document is shown with its title, score and tags; in a pipe each line is the \
path alone. With --json, each line is an object: `type` is `document` or, on the last line, \
`summary`. Exit status: 0 when something was found, 1 when nothing was, 2 on an error.")]
pub struct TagsArgs {
    /// Required tags, then paths [default: the configured roots]
    // As with `GLOB`: the usage shows `[TAGS] [PATH]...`.
    #[arg(value_name = "TAGS] [PATH")]
    words: Vec<PathBuf>,
    /// Text that the document contains
    #[arg(long, value_name = "TEXT")]
    content: Option<String>,
    /// Text that its title contains
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Its category
    #[arg(long, value_enum, value_parser = choice::<ParaCategory>(), value_name = "CATEGORY")]
    category: Option<ParaCategory>,
    /// The first day
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// The last day
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Date that --from and --to compare
    #[arg(
        long,
        value_enum,
        value_parser = choice::<Dated>(),
        value_name = "FIELD",
        default_value_t = Dated::Modified
    )]
    date: Dated,
    /// Find documents that meet any criterion instead of all
    #[arg(long)]
    any: bool,
    /// Maximum documents shown
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    limit: u32,
    #[command(flatten)]
    output: OutputArgs,
}

/// A kind of document in the PARA method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ParaCategory {
    Projects,
    Areas,
    Resources,
    Archives,
}

/// A date of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Dated {
    Created,
    Modified,
}

/// Finds the documents in the places on the command line.
///
/// # Errors
/// Returns an error if there is no criterion, if a place cannot be granted, if the component
/// refuses or fails, or if the output cannot be written.
pub fn run(app: &App, args: &TagsArgs) -> Result<ExitCode, CommandError> {
    let request = TagsRequest::understand(args, |path| app.exists(path))?;
    let paths = request.paths.clone();
    let mut run = TagsRun::new(request, app.page(&args.output));
    let reach = app.in_each_place(
        args.output.config.as_deref(),
        (&paths, PartPolicy::Refused),
        "docent tags TAG .",
        |session, root, place| run.look(session, root, place),
    )?;
    Ok(exit_code(reach, run.finish()?))
}

/// A request of `docent tags`.
#[derive(Debug)]
struct TagsRequest {
    /// Places to search; empty if none is given.
    paths: Vec<PathBuf>,
    limit: usize,
    criteria: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TagsAnswer {
    results: Vec<TaggedDocument>,
    total_count: u64,
    next_cursor: Option<String>,
    skipped: Skipped,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct TaggedDocument {
    path: String,
    title: String,
    relevance_score: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    why: Vec<String>,
}

impl TagsRequest {
    /// Parses `args`; `exists` returns true for a path that exists.
    ///
    /// # Errors
    /// Returns an error if there is no criterion.
    fn understand(args: &TagsArgs, exists: impl Fn(&Path) -> bool) -> Result<Self, CommandError> {
        let mut criteria = Map::new();
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                criteria.insert(name.to_owned(), value);
            }
        };
        add("content", args.content.as_ref().map(|text| json!(text)));
        add("title", args.title.as_ref().map(|text| json!(text)));
        add("category", args.category.and_then(name));
        let mut range = Map::new();
        for (bound, date) in [("start", &args.from), ("end", &args.to)] {
            if let Some(date) = date {
                range.insert(bound.to_owned(), json!(date));
            }
        }
        add("dateRange", (!range.is_empty()).then(|| json!(range)));
        // Checked before `operator` and `dateField` are added, which are not criteria.
        let has_other = !criteria.is_empty();
        let (tags, paths) = match args.words.as_slice() {
            [] => (None, &[][..]),
            // `docent tags --title plan docs` names a place; alone, `docs` would be a tag.
            [word, ..] if has_other && exists(word) => (None, args.words.as_slice()),
            [tags, paths @ ..] => (Some(tags), paths),
        };
        if let Some(tags) = tags {
            let tags = tags.to_str().ok_or_else(|| {
                CommandError::Usage("the tags are not UTF-8; expected TAG,TAG".to_owned())
            })?;
            let tags: Vec<&str> = tags
                .split(',')
                .map(str::trim)
                .filter(|tag| !tag.is_empty())
                .collect();
            criteria.insert("tags".to_owned(), json!(tags));
        } else if !has_other {
            return Err(CommandError::Usage(
                "nothing to look for; name tags or another criterion: `docent tags rust,wasm .`"
                    .to_owned(),
            ));
        }
        criteria.insert(
            "operator".to_owned(),
            json!(if args.any { "or" } else { "and" }),
        );
        if let Some(date) = name(args.date) {
            criteria.insert("dateField".to_owned(), date);
        }
        Ok(Self {
            paths: paths.to_vec(),
            limit: args.limit as usize,
            criteria,
        })
    }
}

fn name(value: impl ValueEnum) -> Option<Value> {
    Some(json!(value.to_possible_value()?.get_name()))
}

/// A running `docent tags`.
struct TagsRun<W> {
    request: TagsRequest,
    page: Page<W>,
    shown: usize,
    total: u64,
    skipped: Skipped,
}

impl<W: Write> TagsRun<W> {
    /// Creates the run for a request.
    fn new(request: TagsRequest, page: Page<W>) -> Self {
        Self {
            request,
            page,
            shown: 0,
            total: 0,
            skipped: Skipped::default(),
        }
    }

    /// Searches a place, and shows its documents, best first.
    ///
    /// # Errors
    /// Returns an error if the component refuses or fails, or if the output cannot be written.
    fn look(
        &mut self,
        session: &mut Session,
        root: &GrantedRoot,
        place: &SearchPlace,
    ) -> Result<(), CommandError> {
        let mut request = arguments(root, place);
        request.extend(self.request.criteria.clone());
        let mut is_first = true;
        loop {
            let room = self.request.limit.saturating_sub(self.shown);
            // If no more may be shown, one is requested for the total: the tool does not accept 0.
            request.insert("limit".to_owned(), json!(room.clamp(1, PAGE)));
            let answer: TagsAnswer = call(session, "context-search", request.clone())?;
            // Every page repeats the total and what was skipped.
            if std::mem::take(&mut is_first) {
                self.total += answer.total_count;
                self.skipped.count += answer.skipped.count;
                for mut entry in answer.skipped.entries {
                    entry.path = place.show(&entry.path);
                    self.skipped.entries.push(entry);
                }
            }
            for document in answer.results.into_iter().take(room) {
                self.show(root, place, document)?;
                self.shown += 1;
            }
            match answer.next_cursor {
                Some(next) if self.shown < self.request.limit => {
                    request.insert("cursor".to_owned(), json!(next))
                }
                _ => return Ok(()),
            };
        }
    }

    fn show(
        &mut self,
        root: &GrantedRoot,
        place: &SearchPlace,
        mut document: TaggedDocument,
    ) -> io::Result<()> {
        let target = target(root, &document.path);
        document.path = place.show(&document.path);
        let paint = self.page.paint;
        if self.page.layout == Layout::Json {
            return self.page.object("document", &document);
        }
        let path = paint.link(&target, &paint.style(PATH, visible(&document.path)));
        if self.page.layout == Layout::Lines {
            return writeln!(self.page.output, "{path}");
        }
        let tags: String = document
            .tags
            .iter()
            .map(|tag| format!("  #{}", visible(tag)))
            .collect();
        let beside = paint.style(DIM, format!("{}{tags}", document.relevance_score));
        writeln!(
            self.page.output,
            "{path}  {}  {beside}",
            visible(&document.title)
        )?;
        if let Some(snippet) = &document.snippet {
            writeln!(self.page.output, "    {}", visible(snippet.trim()))?;
        }
        Ok(())
    }

    /// Ends the output. Returns an outcome that says if anything was found.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    fn finish(mut self) -> Result<ResultPresence, CommandError> {
        let outcome = ResultPresence::from_count(self.shown as u64);
        match self.page.layout {
            Layout::Json => {
                let summary = json!({
                    "documents": self.shown,
                    "totalCount": self.total,
                    "skipped": self.skipped,
                });
                self.page.object("summary", &summary)?;
            }
            Layout::Headings if outcome == ResultPresence::Nothing => {
                writeln!(
                    self.page.output,
                    "{}",
                    self.page.paint.style(DIM, "nothing found")
                )?;
            }
            Layout::Headings | Layout::Lines => {}
        }
        self.page.output.flush()?;
        if self.page.layout != Layout::Json {
            if self.total > self.shown as u64 {
                let total = count_noun(self.total, "document");
                let shown = self.shown;
                note(format_args!(
                    "only the first {shown} of {total} are shown, see --limit"
                ));
            }
            if self.skipped.count > 0 {
                note(not_examined(&self.skipped, "examined in full"));
            }
        }
        Ok(outcome)
    }
}
