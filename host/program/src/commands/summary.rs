//! `docent summary`: summarizes a document.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use docent_host::Session;
use docent_host::render::Renderer;
use docent_host::tools;
use serde_json::{Value, json};

use crate::app::App;
use crate::terminal::call::{arguments, call};
use crate::terminal::error::CommandError;
use crate::terminal::outcome::{ResultPresence, exit_code};
use crate::terminal::page::Page;
use crate::terminal::place::{GrantedRoot, PartPolicy, SearchPlace};
use crate::terminal::style::{Layout, Paint};

/// The function of the component that summarizes, and its tool.
const FUNCTION: &str = "summarize-document";
const TOOL: &str = "summarize_document";

/// The arguments of `docent summary`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each document is shown with its title, its table of contents with lines and tokens, its key \
sentences, and its links. With --json, each line is an object. Exit status: 0, or 2 on an error.")]
pub struct SummaryArgs {
    /// Documents to summarize
    #[arg(required = true, value_name = "DOCUMENT")]
    paths: Vec<PathBuf>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    /// Configuration file [default: docent/config.toml in $XDG_CONFIG_HOME]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Summarizes the documents on the command line.
///
/// # Errors
/// Returns an error if a place cannot be granted, if the component refuses or fails, or if the
/// output cannot be written.
pub fn run(app: &App, args: &SummaryArgs) -> Result<ExitCode, CommandError> {
    let mut page = app.page_with(if args.json {
        (Layout::Json, Paint::Plain)
    } else {
        (Layout::Lines, Paint::Plain)
    });
    let mut is_first = true;
    let reach = app.in_each_place(
        args.config.as_deref(),
        (&args.paths, PartPolicy::Refused),
        "docent summary NOTE.md",
        |session, root, place| {
            let is_first = std::mem::take(&mut is_first);
            print(&mut page, is_first, session, root, place)
        },
    )?;
    // Flushed here to report an error, which dropping the buffer would discard.
    page.output.flush()?;
    Ok(exit_code(reach, ResultPresence::Found))
}

/// Prints the summary of a document.
///
/// # Errors
/// Returns an error if `place` is a directory, if the component refuses or fails, or if the output
/// cannot be written.
fn print<W: Write>(
    page: &mut Page<W>,
    is_first: bool,
    session: &mut Session,
    root: &GrantedRoot,
    place: &SearchPlace,
) -> Result<(), CommandError> {
    let request = arguments(root, place);
    if place.file.is_none() {
        let shown = place.show(".");
        return Err(CommandError::Usage(format!(
            "`{shown}` is a directory; expected documents: `docent summary NOTE.md`"
        )));
    }
    let mut answer: Value = call(session, FUNCTION, request.clone())?;
    let path = answer["path"].as_str().map(|path| place.show(path));
    answer["path"] = json!(path);
    if page.layout == Layout::Json {
        page.object("document", &answer)?;
        return Ok(());
    }
    if !is_first {
        writeln!(page.output)?;
    }
    let tool = tools::table().find(TOOL);
    let text = tool.map(|tool| Renderer::new().answer(tool.names(), &request, &answer));
    page.text(text.unwrap_or_default().trim_end())?;
    Ok(())
}
