//! The access log on the page: its latest entries, and their verification.

use chrono::{DateTime, Utc};
use docent_access_log::StoredLine;
use docent_access_log::entry::{CallFiles, EndedCall, LogEntry};
use docent_access_log::verify::Verdict;
use http::StatusCode;
use serde_json::{Value, json};

use super::export::{self, Format};
use super::response::{aside_as_it_is, refusal};
use crate::serve::http::auth::access::RootRights;
use crate::serve::http::query;
use crate::serve::http::recent_calls::CallVisibility;
use crate::serve::http::reply::{self, Reply};
use crate::serve::http::routes::request::AuthenticatedRequest;

/// Entries on one page.
const PAGE: usize = 50;

/// Maximum files of an entry that are named: more than a person reads.
const MOST_NAMES: usize = 200;

/// The criteria of a query.
#[derive(Default)]
struct LogCriteria {
    path: Option<String>,
    who: Option<String>,
    call: Option<u64>,
    tool: Option<String>,
    outcome: Option<OutcomeCriterion>,
    /// Earliest time.
    from: Option<DateTime<Utc>>,
    /// Latest time, exclusive.
    to: Option<DateTime<Utc>>,
    /// Cursor: only entries with smaller numbers.
    before: Option<u64>,
    /// Format of a requested file; none if the entries are shown.
    format: Option<Format>,
}

/// The outcome of a call, as a criterion.
enum OutcomeCriterion {
    /// No answer, for any reason.
    NotAnswered,
    /// The outcome in the log: `answered`, or the code of a refusal or of a fault.
    Is(String),
}

/// Value of the page's query for calls without an answer.
const NOT_ANSWERED: &str = "not-answered";
const ANSWERED: &str = "answered";

impl LogCriteria {
    /// Parses a query string; none if it is malformed.
    fn parse(text: &str) -> Option<Self> {
        let mut criteria = Self::default();
        let mut root = None;
        for (name, value) in query::pairs(text)? {
            let value = value.trim();
            if value.is_empty() {
                continue;
            }
            let number = || value.parse().ok();
            let time = || DateTime::parse_from_rfc3339(value).ok();
            match name.as_str() {
                "path" => criteria.path = Some(value.trim_start_matches('/').to_owned()),
                "who" => criteria.who = Some(value.to_owned()),
                "call" => criteria.call = Some(number()?),
                "tool" => criteria.tool = Some(value.to_owned()),
                "outcome" if value == NOT_ANSWERED => {
                    criteria.outcome = Some(OutcomeCriterion::NotAnswered)
                }
                "outcome" => criteria.outcome = Some(OutcomeCriterion::Is(value.to_owned())),
                "from" => criteria.from = Some(time()?.to_utc()),
                "to" => criteria.to = Some(time()?.to_utc()),
                "before" => criteria.before = Some(number()?),
                "format" => criteria.format = Some(Format::from_name(value)?),
                "root" => root = Some(value.to_owned()),
                _ => {}
            }
        }
        if let (Some(root), Some(path)) = (root, &mut criteria.path) {
            *path = format!("{root}/{path}");
        }
        Some(criteria)
    }

    fn meets(&self, line: &StoredLine) -> bool {
        let Some(LogEntry::Call(call)) = &line.entry else {
            return false;
        };
        let is_path = |path: &String| call.files.has(path);
        let is_outcome = |outcome: &OutcomeCriterion| match outcome {
            OutcomeCriterion::NotAnswered => call.outcome != ANSWERED,
            OutcomeCriterion::Is(it) => *it == call.outcome,
        };
        self.before.is_none_or(|before| line.seq < before)
            && self.call.is_none_or(|seq| line.seq == seq)
            && self.who.as_ref().is_none_or(|who| *who == call.who)
            && self.tool.as_ref().is_none_or(|tool| *tool == call.tool)
            && self.outcome.as_ref().is_none_or(is_outcome)
            && self.is_time(line)
            && self.path.as_ref().is_none_or(is_path)
    }

    fn is_time(&self, line: &StoredLine) -> bool {
        if self.from.is_none() && self.to.is_none() {
            return true;
        }
        let time = line.time.as_deref().map(DateTime::parse_from_rfc3339);
        let Some(Ok(time)) = time else { return false };
        self.from.is_none_or(|from| time >= from) && self.to.is_none_or(|to| time < to)
    }
}

/// Replies with the latest entries that meet the criteria of the query, and the state of the log. A
/// principal who may not see the calls of others sees its own, by token and rights.
pub async fn list(asked: &AuthenticatedRequest<'_>) -> Reply {
    let Some(recorder) = asked.state.services.recorder().cloned() else {
        return reply::json(StatusCode::OK, &json!({"enabled": false}));
    };
    let query = asked.parts.uri.query().unwrap_or_default();
    let Some(criteria) = LogCriteria::parse(query) else {
        let problem = "the query cannot be understood; expected path, who, call, tool, outcome, \
                       from, to (RFC 3339), before or format (csv, jsonl)";
        return refusal(StatusCode::BAD_REQUEST, "invalid-request", problem, "");
    };
    let visibility = asked.visibility();
    let roots = asked.principal.roots.clone();
    aside_as_it_is(move || {
        let is_meant = |line: &StoredLine| sees(visibility, &roots, line) && criteria.meets(line);
        if criteria.format.is_some() {
            return answer(&criteria, &recorder.lines(is_meant), Value::Null);
        }
        let seal = recorder.report().map_or(Value::Null, |report| {
            let broken = match report.verdict {
                Verdict::Tampered { entry, .. } => Some(entry),
                Verdict::Intact | Verdict::Unknown(_) => None,
            };
            json!({
                "intact": report.entries.saturating_sub(1),
                "broken": broken,
                "signed": recorder.last_signed_at(),
                "anchored": report.anchored.checked_sub(1),
            })
        });
        answer(&criteria, &recorder.lines(is_meant), seal)
    })
    .await
}

fn answer(criteria: &LogCriteria, lines: &[StoredLine], seal: Value) -> Reply {
    match criteria.format {
        Some(format) => export::file(format, lines),
        None => reply::json(StatusCode::OK, &describe_entries(lines, seal)),
    }
}

/// Returns true if a line is visible to a principal who opens these roots. A line may be from a
/// start with other grants: files in roots that are no longer granted are visible to nobody.
fn sees(visibility: CallVisibility, roots: &RootRights, line: &StoredLine) -> bool {
    let Some(LogEntry::Call(call)) = &line.entry else {
        return false;
    };
    let CallFiles {
        read,
        written,
        removed,
        refused,
        ..
    } = &call.files;
    let used = [read, written, removed]
        .into_iter()
        .flat_map(|it| it.keys());
    let mut named = used.chain(refused.keys());
    visibility.shows(call.principal) && named.all(|root| roots.right(root).is_some())
}

/// Describes the last of these lines.
fn describe_entries(lines: &[StoredLine], seal: Value) -> Value {
    let shown = &lines[lines.len().saturating_sub(PAGE)..];
    let before = (shown.len() < lines.len()).then(|| shown.first().map(|line| line.seq));
    let entries: Vec<Value> = shown.iter().rev().filter_map(entry).collect();
    json!({"enabled": true, "seal": seal, "entries": entries, "before": before.flatten()})
}

fn entry(line: &StoredLine) -> Option<Value> {
    let Some(LogEntry::Call(call)) = &line.entry else {
        return None;
    };
    let EndedCall {
        who,
        client,
        tool,
        outcome,
        ms,
        calls_before,
        files,
        ..
    } = &**call;
    Some(json!({
        "seq": line.seq,
        "time": line.time,
        "who": who,
        "client": client,
        "tool": tool,
        "outcome": outcome,
        "ms": ms,
        "opened": files.count(),
        "files": opened_files(files),
        "refused": not_opened(files),
        "memory": calls_before,
    }))
}

fn opened_files(files: &CallFiles) -> Vec<Value> {
    let all = [&files.read, &files.written, &files.removed];
    let all = all.into_iter().flatten();
    let all = all.flat_map(|(root, paths)| paths.iter().map(move |path| (root, path)));
    let named = all.map(|(root, path)| json!({"root": root, "path": path}));
    named.take(MOST_NAMES).collect()
}

fn not_opened(files: &CallFiles) -> Vec<Value> {
    let all = files.refused.iter();
    let all = all.flat_map(|(root, paths)| paths.iter().map(move |one| (root, one)));
    let named = all.map(|(root, (path, why))| json!({"root": root, "path": path, "why": why}));
    named.take(MOST_NAMES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seq: u64, time: &str, tool: &str, outcome: &str) -> StoredLine {
        let call = EndedCall {
            begun: None,
            principal: None,
            who: "ann".to_owned(),
            client: None,
            tool: tool.to_owned(),
            arguments: json!({}),
            outcome: outcome.to_owned(),
            ms: 3,
            answer: None,
            instance: None,
            calls_before: 0,
            files: CallFiles::default(),
        };
        StoredLine {
            seq,
            time: Some(time.to_owned()),
            entry: Some(LogEntry::Call(Box::new(call))),
            text: String::new(),
        }
    }

    /// Returns the numbers of the entries that meet a query.
    fn met(query: &str) -> Option<Vec<u64>> {
        let lines = [
            line(1, "2026-03-01T10:00:00.000Z", "explore", "answered"),
            line(2, "2026-03-01T12:00:00.000Z", "explore", "sensitive"),
            line(3, "2026-03-02T00:00:00.000Z", "find_files", "answered"),
        ];
        let criteria = LogCriteria::parse(query)?;
        let met = lines.iter().filter(|line| criteria.meets(line));
        Some(met.map(|line| line.seq).collect())
    }

    #[test]
    fn entries_are_told_by_time_tool_and_outcome() {
        for (query, expected) in [
            ("", vec![1, 2, 3]),
            ("tool=explore", vec![1, 2]),
            ("outcome=answered", vec![1, 3]),
            ("outcome=not-answered", vec![2]),
            ("outcome=sensitive&tool=explore", vec![2]),
            ("outcome=timeout", vec![]),
            // The end is exclusive, whatever time zone it is given in.
            ("from=2026-03-01T12:00:00Z&to=2026-03-02T00:00:00Z", vec![2]),
            ("to=2026-03-01T21:00:00%2B09:00", vec![1]),
            ("before=3&from=2026-03-01T11:00:00Z", vec![2]),
        ] {
            assert_eq!(met(query), Some(expected), "{query}");
        }
        for wrong in ["from=yesterday", "to=2026-03-01", "format=xml", "call=x"] {
            assert_eq!(met(wrong), None, "{wrong}");
        }
    }
}
