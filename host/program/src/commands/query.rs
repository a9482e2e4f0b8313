//! `docent query`: shows the sections that answer a question.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use docent_host::Session;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::args::OutputArgs;
use crate::choice::choice;
use crate::terminal::call::{arguments, call, target};
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::{ResultPresence, exit_code};
use crate::terminal::page::Page;
use crate::terminal::passage::{Fold, Markup, PassageSource};
use crate::terminal::place::{GrantedRoot, PartPolicy, SearchPlace};
use crate::terminal::skipped::{Skipped, not_examined};
use crate::terminal::style::{DIM, Layout, count_noun};
use crate::terminal::words::MarkedWords;

/// The arguments of `docent query`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each directory is answered separately, from its best documents; a document is answered from its \
best sections. A PATH may name a part of a file: `guide.md:10-40`, `guide.md#setup`, \
`guide.md#Guide > Setup`.

Each section is shown below `PATH:LINE  HEADINGS`. On a terminal the words of the question are \
highlighted, and a section longer than the screen is folded. With --json, each line is an object: \
`type` is `section` (path, headingPath, firstLine, lastLine, tokens, score, content) or, on the \
last line, `summary`. Exit status: 0 when something was found, 1 when nothing was, 2 on an error.")]
pub struct QueryArgs {
    /// Question or words to answer
    question: String,
    /// Directories or documents to look in [default: the configured roots]
    paths: Vec<PathBuf>,
    /// Maximum tokens shown, 100 to 100000, estimated
    #[arg(short = 't', long, value_name = "N", default_value_t = 2000)]
    max_tokens: u32,
    /// Maximum documents to answer from, 1 to 50
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5)]
    limit: u32,
    /// Measure of the relevance of sections
    #[arg(
        long,
        value_enum,
        value_parser = choice::<SectionRelevance>(),
        value_name = "MEASURE",
        default_value_t = SectionRelevance::Bm25
    )]
    relevance: SectionRelevance,
    /// Show long sections in full on a terminal
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// A measure of the relevance of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SectionRelevance {
    Bm25,
    Density,
}

/// Answers the question from the places on the command line.
///
/// # Errors
/// Returns an error if a place cannot be granted, if the component refuses or fails, or if the
/// output cannot be written.
pub fn run(app: &App, args: &QueryArgs) -> Result<ExitCode, CommandError> {
    let mut run = QueryRun::new(args, app.page(&args.output));
    let reach = app.in_each_place(
        args.output.config.as_deref(),
        (&args.paths, PartPolicy::Taken),
        "docent query QUESTION .",
        |session, root, place| run.ask(session, root, place),
    )?;
    Ok(exit_code(reach, run.finish()?))
}

/// The answer about a directory.
#[derive(Deserialize)]
struct QueryAnswer {
    documents: Vec<QueryDocument>,
    skipped: Skipped,
}

/// The answer about one document, or one document of an answer about a directory.
#[derive(Deserialize)]
struct QueryDocument {
    path: String,
    sections: Vec<QuerySection>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct QuerySection {
    heading_path: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    id: String,
    first_line: u64,
    last_line: u64,
    tokens: u64,
    score: f64,
    content: String,
}

/// A section as a line of JSON.
#[derive(Serialize)]
struct SectionLine<'a> {
    path: &'a str,
    #[serde(flatten)]
    section: &'a QuerySection,
}

/// The totals of all places.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct QuerySummary {
    documents: u64,
    sections: u64,
    tokens_used: u64,
    skipped: Skipped,
}

/// A running `docent query`.
struct QueryRun<'a, W> {
    args: &'a QueryArgs,
    words: MarkedWords,
    page: Page<W>,
    summary: QuerySummary,
}

impl<'a, W: Write> QueryRun<'a, W> {
    /// Creates the run for a question.
    fn new(args: &'a QueryArgs, page: Page<W>) -> Self {
        let summary = QuerySummary::default();
        Self {
            args,
            words: MarkedWords::new(&args.question),
            page,
            summary,
        }
    }

    /// Answers the question from a place.
    ///
    /// # Errors
    /// Returns an error if the component refuses or fails, or if the output cannot be written.
    fn ask(
        &mut self,
        session: &mut Session,
        root: &GrantedRoot,
        place: &SearchPlace,
    ) -> Result<(), CommandError> {
        let mut request = arguments(root, place);
        request.insert("query".to_owned(), json!(self.args.question));
        request.insert("maxTokens".to_owned(), json!(self.args.max_tokens));
        if let Some(relevance) = self.args.relevance.to_possible_value() {
            request.insert("relevance".to_owned(), json!(relevance.get_name()));
        }
        // A named document is used even if others answer better.
        let documents = if place.file.is_some() {
            vec![call::<QueryDocument>(session, "query-document", request)?]
        } else {
            request.insert("limit".to_owned(), json!(self.args.limit));
            let answer: QueryAnswer = call(session, "smart-search", request)?;
            self.summary.skipped.count += answer.skipped.count;
            for mut entry in answer.skipped.entries {
                entry.path = place.show(&entry.path);
                self.summary.skipped.entries.push(entry);
            }
            answer.documents
        };
        for document in documents
            .iter()
            .filter(|document| !document.sections.is_empty())
        {
            self.summary.documents += 1;
            for section in &document.sections {
                self.show(root, place, &document.path, section)?;
                self.summary.sections += 1;
                self.summary.tokens_used += section.tokens;
            }
        }
        Ok(())
    }

    fn show(
        &mut self,
        root: &GrantedRoot,
        place: &SearchPlace,
        path: &str,
        section: &QuerySection,
    ) -> io::Result<()> {
        let shown = place.show(path);
        if self.page.layout == Layout::Json {
            return self.page.object(
                "section",
                &SectionLine {
                    path: &shown,
                    section,
                },
            );
        }
        if self.summary.sections > 0 {
            writeln!(self.page.output)?;
        }
        let (first, last) = (section.first_line, section.last_line);
        let source = PassageSource {
            path: &shown,
            lines: Some(match self.page.layout {
                Layout::Headings => (first, last),
                // Programs that open files expect one line and no range.
                Layout::Lines | Layout::Json => (first, first),
            }),
            target: &target(root, path),
        };
        self.page
            .source(source, &section.heading_path.join(" > "))?;
        let fold = if self.args.full {
            Fold::Nothing
        } else {
            Fold::Long
        };
        let content = &section.content;
        self.page
            .passage(content, Markup::Document, &self.words, fold)
    }

    /// Ends the output. Returns an outcome that says if anything was found.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    fn finish(mut self) -> Result<ResultPresence, CommandError> {
        let outcome = ResultPresence::from_count(self.summary.sections);
        match self.page.layout {
            Layout::Json => self.page.object("summary", &self.summary)?,
            Layout::Headings if outcome == ResultPresence::Nothing => {
                let nothing = self.page.paint.style(DIM, "nothing found");
                writeln!(self.page.output, "{nothing}")?;
            }
            Layout::Headings => {
                let sections = count_noun(self.summary.sections, "section");
                let documents = count_noun(self.summary.documents, "document");
                let tokens = self.summary.tokens_used;
                let sum = format!("{sections} of {documents}, about {tokens} tokens");
                writeln!(self.page.output, "\n{}", self.page.paint.style(DIM, sum))?;
            }
            Layout::Lines => {}
        }
        // Flushed first, so that on a terminal the notes on stderr appear below the answers.
        self.page.output.flush()?;
        if self.page.layout != Layout::Json && self.summary.skipped.count > 0 {
            note(not_examined(&self.summary.skipped, "searched"));
        }
        Ok(outcome)
    }
}
