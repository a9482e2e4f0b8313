//! `docent log`: shows the log of calls, and verifies it.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;

use chrono::{DateTime, Duration, NaiveDate, SecondsFormat, Utc};
use docent_access_log::entry::{Begin, Call, Entry, Refused, Unrecorded};
use docent_access_log::key::Verifier;
use docent_access_log::proof::Proof;
use docent_access_log::verify::{Report, Verdict, Witnesses, verify_ambient};
use docent_access_log::{Line, StoreError, lines_ambient};

use crate::args::ShowLog;
use crate::terminal::error::CommandError;
use crate::terminal::style::visible;

/// The result of a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The log is unchanged.
    Intact,
    /// The log was changed.
    Tampered,
    /// The result is undecidable.
    Unknown,
}

/// Verifies a log. Returns a report and the result.
///
/// # Errors
/// Returns an error if the log cannot be read. A missing log is an error, not an intact log.
pub fn verify(directory: &Path, witnesses: &Witnesses) -> Result<(String, Checked), CommandError> {
    match verify_ambient(directory, witnesses) {
        Ok(report) => Ok((told(&report), checked(&report.verdict))),
        Err(error @ StoreError::Missing(_)) => {
            Ok((format!("cannot tell: {error}\n"), Checked::Unknown))
        }
        Err(error) => Err(error.into()),
    }
}

/// Checks a proof with the key of its log. Returns a report and the result.
pub fn check_proof(proof: &Proof, key: &Verifier) -> (String, Checked) {
    let seq = proof.seq;
    match proof.verify(key) {
        Ok(()) => {
            let proved = format!("entry {seq} stands in the log `{}`\n", key.name());
            (proved, Checked::Intact)
        }
        Err(error) => (
            format!("entry {seq} is not proved: {error}\n"),
            Checked::Tampered,
        ),
    }
}

fn checked(verdict: &Verdict) -> Checked {
    match verdict {
        Verdict::Intact => Checked::Intact,
        Verdict::Tampered { .. } => Checked::Tampered,
        Verdict::Unknown(_) => Checked::Unknown,
    }
}

fn told(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |name: &str, said: String| {
        let _ = writeln!(text, "{name:<10}{said}");
    };
    let entries = report.entries;
    if let Some(origin) = &report.origin {
        line("log", origin.clone());
    }
    line(
        "entries",
        match entries {
            0 => "none".to_owned(),
            _ => format!("0 to {}", entries - 1),
        },
    );
    if report.dropped > 0 {
        line("dropped", format!("the first {}", report.dropped));
    }
    if report.withheld > 0 {
        line(
            "erased",
            format!("{}, of which the hash stands there", report.withheld),
        );
    }
    let up_to = |size: u64| match size {
        0 => "nothing".to_owned(),
        _ => format!("to entry {}", size - 1),
    };
    let checkpoints = report.checkpoints;
    line(
        "signed",
        format!("{} (checkpoints: {checkpoints})", up_to(report.signed)),
    );
    let anchored = match entries.saturating_sub(report.anchored) {
        0 => up_to(report.anchored),
        rest => format!(
            "{}; the other {rest} rest on the key of the machine that wrote them alone",
            up_to(report.anchored)
        ),
    };
    line("anchored", anchored);
    if report.unsigned > 0 {
        let unsigned = match report.unsigned {
            1 => "1 entry".to_owned(),
            number => format!("{number} entries"),
        };
        line(
            "unsigned",
            format!("{unsigned}: nothing shows who wrote them"),
        );
    }
    if !report.unfinished.is_empty() {
        let named = report.unfinished.iter().take(MOST_NAMED);
        let named: Vec<_> = named.map(ToString::to_string).collect();
        let more = match report.unfinished.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        line(
            "begun",
            format!(
                "outcome unknown: entries {}{more}; they run, or were cut off",
                named.join(", ")
            ),
        );
    }
    if report.cut_off > 0 {
        line(
            "cut off",
            format!("{} ×: the program ended without a word", report.cut_off),
        );
    }
    if report.clock_steps > 0 {
        line("clock", format!("set back {} ×", report.clock_steps));
    }
    let verdict = match &report.verdict {
        Verdict::Intact => "intact".to_owned(),
        Verdict::Tampered { entry, why } => format!("TAMPERED WITH at entry {entry}: {why}"),
        Verdict::Unknown(why) => format!("cannot tell: {why}"),
    };
    line("verdict", verdict);
    text
}

/// Maximum entries named among those with an unknown outcome.
const MOST_NAMED: usize = 10;

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
pub fn show(args: &ShowLog, directory: &Path) -> Result<String, CommandError> {
    let mut text = String::new();
    // Instances that have opened the requested file since the last start.
    let mut knows = HashMap::<u64, bool>::new();
    let lines = lines_ambient(directory, |_| true)?;
    // The outcome of a call is in its last entry; nearly all calls have one.
    let ended: HashSet<u64> = lines
        .iter()
        .filter_map(|line| match &line.entry {
            Some(Entry::Call(call)) => call.begun,
            _ => None,
        })
        .collect();
    for line in lines {
        let is_asked = args.json || args.call == Some(line.seq);
        if ended.contains(&line.seq) && !is_asked {
            continue;
        }
        if matches!(line.entry, Some(Entry::Start(_))) {
            knows.clear();
        }
        let touch = match (&args.path, &line.entry) {
            (None, _) => Some(Touch::Now),
            (Some(path), Some(Entry::Call(call))) => touch(path, call, &mut knows),
            (Some(path), Some(Entry::Begin(begin))) => begin.names(path).then_some(Touch::Now),
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

fn touch(path: &str, call: &Call, knows: &mut HashMap<u64, bool>) -> Option<Touch> {
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

/// Returns true if an entry matches the caller or the number that is asked for.
pub fn is_meant(line: &Line, who: Option<&str>, seq: Option<u64>) -> bool {
    let own = match &line.entry {
        Some(Entry::Call(call)) => Some(call.who.as_str()),
        Some(Entry::Begin(begin)) => Some(begin.who.as_str()),
        _ => None,
    };
    who.is_none_or(|who| own == Some(who)) && seq.is_none_or(|seq| line.seq == seq)
}

/// Formats an entry as one line.
fn brief(line: &Line, touch: Touch) -> String {
    let time = line.time.as_deref().unwrap_or("-");
    let said = match &line.entry {
        None => "erased".to_owned(),
        Some(Entry::Start(start)) => {
            let roots = start.roots.iter();
            let roots: Vec<_> = roots
                .map(|(name, right)| format!("{name} {right}"))
                .collect();
            format!("start     docent {}: {}", start.version, roots.join(", "))
        }
        Some(Entry::Stop {}) => "stop".to_owned(),
        Some(Entry::Repaired(repaired)) => {
            format!(
                "repaired  {} bytes of an entry that was cut off",
                repaired.bytes
            )
        }
        Some(Entry::Refused(refused)) => {
            let from: Vec<_> = refused.from.keys().map(String::as_str).collect();
            let from = match &from[..] {
                [] => String::new(),
                addresses => format!(", from {}", addresses.join(", ")),
            };
            let Refused { missing, wrong, .. } = refused;
            format!("refused   {missing} without a token, {wrong} with a wrong one{from}")
        }
        Some(Entry::Unrecorded(Unrecorded { calls })) => {
            format!("unrecorded  {calls} calls, which were refused or not answered")
        }
        Some(Entry::Begin(begin)) => {
            let Begin { who, tool, .. } = &**begin;
            format!("{who}  {tool}  begun, outcome unknown")
        }
        Some(Entry::Call(call)) => {
            let files = match (touch, call.files.count()) {
                (Touch::Before, _) => "memory".to_owned(),
                (Touch::Now, 1) => "1 file".to_owned(),
                (Touch::Now, count) => format!("{count} files"),
            };
            let bytes = call.answer.as_ref().map_or(0, |answer| answer.bytes);
            let Call {
                who, tool, outcome, ..
            } = &**call;
            format!("{who}  {tool}  {outcome}  {files}  {bytes} bytes")
        }
    };
    format!("{:>6}  {time}  {}\n", line.seq, visible(&said))
}

/// Formats an entry in full.
fn whole(line: &Line) -> String {
    let value: Option<serde_json::Value> = serde_json::from_str(&line.text).ok();
    let pretty = value.and_then(|value| serde_json::to_string_pretty(&value).ok());
    format!("{}\n", pretty.unwrap_or_else(|| line.text.clone()))
}

/// Parses the time before which entries are dropped, and returns it in the format of the log.
///
/// # Errors
/// Returns an error if `text` is not a time.
pub fn time(text: &str, now: DateTime<Utc>) -> Result<String, CommandError> {
    let wrong = || {
        usage(format!(
            "`{text}` is no time; expected a date (2026-11-23) or a number of days (90d)"
        ))
    };
    let meant = match text.strip_suffix('d').map(str::parse::<u32>) {
        Some(Ok(days)) => now.checked_sub_signed(Duration::days(days.into())),
        _ => {
            let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| wrong())?;
            date.and_hms_opt(0, 0, 0).map(|time| time.and_utc())
        }
    };
    let meant = meant.ok_or_else(wrong)?;
    Ok(meant.to_rfc3339_opts(SecondsFormat::Millis, true))
}

fn usage(problem: String) -> CommandError {
    CommandError::Usage(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_or_days_ago() {
        let now = "2026-11-23T10:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("90d", Some("2026-08-25T10:00:00.000Z")),
            ("2026-11-01", Some("2026-11-01T00:00:00.000Z")),
            ("d", None),
            ("-1d", None),
            ("2026-13-01", None),
            ("yesterday", None),
        ] {
            assert_eq!(time(text, now).ok().as_deref(), expected, "{text}");
        }
    }
}
