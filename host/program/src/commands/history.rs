//! `docent history`: lists changes, newest first.

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use chrono::TimeZone;
use clap::Args;
use docent_host::Session;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::args::{OutputArgs, StateArgs};
use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::{PathPresence, ResultPresence, exit_code};
use crate::terminal::page::Page;
use crate::terminal::style::{DIM, Layout, visible};
use crate::terminal::wording;
use crate::writing::command_root::CommandRoot;
use crate::writing::open_command_root;
use crate::writing::operation::Operations;

/// Maximum changes that one call returns.
const PAGE: u32 = 100;

/// The arguments of `docent history`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent history notes/a.md -n 5

Each change is listed with its number, time and files; `docent undo NUMBER` undoes it. Changes \
that agents made to the same directory through `docent mcp` are listed too.

With --json, each line is an object: `type` is `change` or, on the last line, `summary`. Exit \
status: 0 when there is a change, 1 when there is none, 2 on an error.")]
pub struct HistoryArgs {
    /// Only changes of this file, which may no longer exist
    file: Option<PathBuf>,
    /// Maximum changes shown
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    limit: u32,
    #[command(flatten)]
    kept: StateArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Lists the changes of a directory, or of a file.
///
/// # Errors
/// Returns an error if the directory cannot be granted, if the component refuses or fails, or if
/// the output cannot be written.
pub fn run(app: &App, args: &HistoryArgs) -> Result<ExitCode, CommandError> {
    let file = args.file.as_deref();
    let file = file.map(|file| app.resolve_recorded(file)).transpose()?;
    let files: Vec<PathBuf> = file.into_iter().collect();
    let (command_root, mut session) = open_command_root(app, &args.kept, &args.output, &files)?;
    let names = command_root.names(&files)?;
    let page = app.page(&args.output);
    let what = (names.first().map(String::as_str), args.limit);
    let outcome = print(page, &mut session, &command_root, what, &app.zone())?;
    Ok(exit_code(PathPresence::All, outcome))
}

/// Prints the newest `limit` changes of the root, or of a file in it, with times in `zone`.
///
/// # Errors
/// Returns an error if the component refuses or fails, or if the output cannot be written.
fn print<W: Write, Z: TimeZone>(
    mut page: Page<W>,
    session: &mut Session,
    command_root: &CommandRoot,
    (file, limit): (Option<&str>, u32),
    zone: &Z,
) -> Result<ResultPresence, CommandError>
where
    Z::Offset: Display,
{
    let mut left = limit;
    let mut cursor: Option<String> = None;
    let mut message = None;
    while left > 0 {
        let request = request(file, left.min(PAGE), cursor.as_deref());
        let answer: Operations = call(session, "manage", request)?;
        for operation in &answer.operations {
            operation.print(&mut page, command_root, zone)?;
        }
        let shown = u32::try_from(answer.operations.len()).unwrap_or(u32::MAX);
        left = left.saturating_sub(shown);
        message = answer.message;
        cursor = answer.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    let outcome = ResultPresence::from_count((limit - left).into());
    match page.layout {
        Layout::Json => {
            let changes = limit - left;
            let summary = json!({"changes": changes, "hasMore": cursor.is_some()});
            page.object("summary", &summary)?;
        }
        Layout::Headings if outcome == ResultPresence::Nothing && message.is_none() => {
            let root = command_root.root.display().to_string();
            let nothing = format!("nothing was written to {} yet", visible(&root));
            writeln!(page.output, "{}", page.paint.style(DIM, nothing))?;
        }
        Layout::Headings | Layout::Lines => {}
    }
    page.output.flush()?;
    if let Some(message) = message {
        note(visible(&wording::text("manage", &message)));
    }
    if cursor.is_some() && page.layout != Layout::Json {
        note(format_args!(
            "only the newest {limit} are shown, see --limit"
        ));
    }
    Ok(outcome)
}

fn request(file: Option<&str>, limit: u32, cursor: Option<&str>) -> Map<String, Value> {
    let fields = [
        ("command", Some(json!("history"))),
        ("target", file.map(Value::from)),
        ("limit", Some(json!(limit))),
        ("cursor", cursor.map(Value::from)),
    ];
    let given = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    given.collect()
}
