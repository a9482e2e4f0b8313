//! `docent log show`: lists recorded calls.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use docent_access_log::entry::{Begin, EndedCall, LogEntry, Refused, Unrecorded};
use docent_access_log::{StoredLine, lines_ambient};

use super::is_meant;
use crate::app::App;
use crate::args::LogPlace;
use crate::terminal::error::CommandError;
use crate::terminal::outcome::NOTHING;
use crate::terminal::style::visible;

/// The arguments of `docent log show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent log show --path notes/plan.md

With --path, the list includes calls whose instance had opened the file for an earlier call, and \
which may have answered from memory: they show `memory` in place of the number of files. The log \
is not verified: see `docent log verify`.

Exit status: 0 when there is an entry, 1 when there is none, 2 on an error.")]
pub struct LogShowArgs {
    #[command(flatten)]
    place: LogPlace,
    /// Calls that opened this file, PATH or ROOT/PATH
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Calls of this token, or `local`
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// One entry, in full
    #[arg(long, value_name = "N")]
    call: Option<u64>,
    /// Print the lines of the log unchanged
    #[arg(long)]
    json: bool,
}

/// Lists entries.
///
/// # Errors
/// Returns an error if the log cannot be read, or the output not be written.
pub fn run(app: &App, args: &LogShowArgs) -> Result<ExitCode, CommandError> {
    let text = list_ambient(args, &args.place.directory(app)?)?;
    if text.is_empty() {
        return Ok(ExitCode::from(NOTHING));
    }
    app.print(&text)
}

/// The way in which an instance learned the content of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    /// Used by this call.
    Now,
    /// Opened by an earlier call of the same instance.
    Before,
}

/// Lists entries. Returns an empty text if there is none.
///
/// # Errors
/// Returns an error if the log cannot be read.
fn list_ambient(args: &LogShowArgs, directory: &Path) -> Result<String, CommandError> {
    let mut text = String::new();
    // Instances that have opened the requested file since the last start.
    let mut knows = HashMap::<u64, bool>::new();
    let lines = lines_ambient(directory, |_| true)?;
    // The outcome of a call is in its last entry; nearly all calls have one.
    let ended: HashSet<u64> = lines
        .iter()
        .filter_map(|line| match &line.entry {
            Some(LogEntry::Call(call)) => call.begun,
            _ => None,
        })
        .collect();
    for line in lines {
        let is_asked = args.json || args.call == Some(line.seq);
        if ended.contains(&line.seq) && !is_asked {
            continue;
        }
        if matches!(line.entry, Some(LogEntry::Start(_))) {
            knows.clear();
        }
        let touch = match (&args.path, &line.entry) {
            (None, _) => Some(Touch::Now),
            (Some(path), Some(LogEntry::Call(call))) => touch(path, call, &mut knows),
            (Some(path), Some(LogEntry::Begin(begin))) => begin.names(path).then_some(Touch::Now),
            (Some(_), _) => None,
        };
        let Some(touch) = touch.filter(|_| is_meant(&line, args.who.as_deref(), args.call)) else {
            continue;
        };
        if args.json {
            text.push_str(&line.text);
            text.push('\n');
        } else if args.call.is_some() {
            text.push_str(&whole(&line));
        } else {
            text.push_str(&brief(&line, touch));
        }
    }
    Ok(text)
}

fn touch(path: &str, call: &EndedCall, knows: &mut HashMap<u64, bool>) -> Option<Touch> {
    let is_there = call.files.has(path);
    if let Some(instance) = call.instance {
        let before = knows.entry(instance).or_default();
        let knew = std::mem::replace(before, *before || is_there);
        if !is_there && knew && call.outcome == "answered" {
            return Some(Touch::Before);
        }
    }
    is_there.then_some(Touch::Now)
}

/// Formats an entry as one line.
fn brief(line: &StoredLine, touch: Touch) -> String {
    let time = line.time.as_deref().unwrap_or("-");
    let said = match &line.entry {
        None => "erased".to_owned(),
        Some(LogEntry::Start(start)) => {
            let roots = start.roots.iter();
            let roots: Vec<_> = roots
                .map(|(name, right)| format!("{name} {right}"))
                .collect();
            format!("start     docent {}: {}", start.version, roots.join(", "))
        }
        Some(LogEntry::Stop {}) => "stop".to_owned(),
        Some(LogEntry::Repaired(repaired)) => {
            format!(
                "repaired  {} bytes of an entry that was cut off",
                repaired.bytes
            )
        }
        Some(LogEntry::Refused(refused)) => {
            let from: Vec<_> = refused.from.keys().map(String::as_str).collect();
            let from = match &from[..] {
                [] => String::new(),
                addresses => format!(", from {}", addresses.join(", ")),
            };
            let Refused { missing, wrong, .. } = refused;
            format!("refused   {missing} without a token, {wrong} with a wrong one{from}")
        }
        Some(LogEntry::Unrecorded(Unrecorded { calls })) => {
            format!("unrecorded  {calls} calls, which were refused or not answered")
        }
        Some(LogEntry::Begin(begin)) => {
            let Begin { who, tool, .. } = &**begin;
            format!("{who}  {tool}  begun, outcome unknown")
        }
        Some(LogEntry::Call(call)) => {
            let files = match (touch, call.files.count()) {
                (Touch::Before, _) => "memory".to_owned(),
                (Touch::Now, 1) => "1 file".to_owned(),
                (Touch::Now, count) => format!("{count} files"),
            };
            let bytes = call.answer.as_ref().map_or(0, |answer| answer.bytes);
            let EndedCall {
                who, tool, outcome, ..
            } = &**call;
            format!("{who}  {tool}  {outcome}  {files}  {bytes} bytes")
        }
    };
    format!("{:>6}  {time}  {}\n", line.seq, visible(&said))
}

/// Formats an entry in full.
fn whole(line: &StoredLine) -> String {
    let value: Option<serde_json::Value> = serde_json::from_str(&line.text).ok();
    let pretty = value.and_then(|value| serde_json::to_string_pretty(&value).ok());
    format!("{}\n", pretty.unwrap_or_else(|| line.text.clone()))
}
