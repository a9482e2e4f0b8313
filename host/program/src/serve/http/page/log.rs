//! The access log as the page shows it: its latest entries, and whether it is what was written.

use docent_record::Line;
use docent_record::entry::{Call, Entry, Files};
use docent_record::verify::Verdict;
use http::StatusCode;
use serde_json::{Value, json};

use super::super::query;
use super::super::reply::{self, Reply};
use super::super::routes::Asked;
use super::{aside, calls, refused};

/// Entries on one page.
const PAGE: usize = 50;

/// Files of an entry that are named: more than a person looks through.
const MOST_NAMES: usize = 200;

/// What is asked for.
#[derive(Default)]
struct Criteria {
    path: Option<String>,
    who: Option<String>,
    call: Option<u64>,
    /// Only entries before this one.
    before: Option<u64>,
}

impl Criteria {
    /// Reads what stands behind `?`; none where it cannot be understood.
    fn parse(text: &str) -> Option<Self> {
        let mut criteria = Self::default();
        let mut root = None;
        for (name, value) in query::pairs(text)? {
            let value = value.trim();
            if value.is_empty() {
                continue;
            }
            let number = || value.parse().ok();
            match name.as_str() {
                "path" => criteria.path = Some(value.trim_start_matches('/').to_owned()),
                "who" => criteria.who = Some(value.to_owned()),
                "call" => criteria.call = Some(number()?),
                "before" => criteria.before = Some(number()?),
                "root" => root = Some(value.to_owned()),
                _ => {}
            }
        }
        if let (Some(root), Some(path)) = (root, &mut criteria.path) {
            *path = format!("{root}/{path}");
        }
        Some(criteria)
    }

    fn meets(&self, line: &Line) -> bool {
        let Some(Entry::Call(call)) = &line.entry else {
            return false;
        };
        let is_path = |path: &String| call.files.has(path);
        self.before.is_none_or(|before| line.seq < before)
            && self.call.is_none_or(|seq| line.seq == seq)
            && self.who.as_ref().is_none_or(|who| *who == call.who)
            && self.path.as_ref().is_none_or(is_path)
    }
}

/// Answers with the latest entries that meet the criteria of the query, and what is known of the
/// log. Whoever may not see the calls of others sees their own.
pub async fn list(asked: &Asked<'_>) -> Reply {
    let Some(recorder) = asked.site.desks.recorder().cloned() else {
        return reply::json(StatusCode::OK, &json!({"enabled": false}));
    };
    let query = asked.parts.uri.query().unwrap_or_default();
    let Some(mut criteria) = Criteria::parse(query) else {
        let problem = "the query cannot be understood; expected path, who, call or before";
        return refused(StatusCode::BAD_REQUEST, "invalid-request", problem, "");
    };
    if let Some(own) = calls::visible(asked) {
        if criteria.who.as_ref().is_some_and(|who| **who != *own) {
            return reply::json(StatusCode::OK, &told(&[], Value::Null));
        }
        criteria.who = Some(own.to_string());
    }
    aside(move || {
        let seal = recorder.report().map_or(Value::Null, |report| {
            let broken = match report.verdict {
                Verdict::Tampered { entry, .. } => Some(entry),
                Verdict::Intact | Verdict::Unknown(_) => None,
            };
            json!({
                "intact": report.entries.saturating_sub(1),
                "broken": broken,
                "signed": recorder.signed_at(),
                "anchored": report.anchored.checked_sub(1),
            })
        });
        let lines = recorder.lines(|line| criteria.meets(line));
        told(&lines, seal)
    })
    .await
}

/// Tells of the last of these lines.
fn told(lines: &[Line], seal: Value) -> Value {
    let shown = &lines[lines.len().saturating_sub(PAGE)..];
    let before = (shown.len() < lines.len()).then(|| shown.first().map(|line| line.seq));
    let entries: Vec<Value> = shown.iter().rev().filter_map(entry).collect();
    json!({"enabled": true, "seal": seal, "entries": entries, "before": before.flatten()})
}

fn entry(line: &Line) -> Option<Value> {
    let Some(Entry::Call(call)) = &line.entry else {
        return None;
    };
    let Call {
        who,
        client,
        tool,
        outcome,
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
        "files": opened(files),
        "refused": not_opened(files),
        "memory": calls_before,
    }))
}

fn opened(files: &Files) -> Vec<Value> {
    let all = [&files.read, &files.written, &files.removed];
    let all = all.into_iter().flatten();
    let all = all.flat_map(|(root, paths)| paths.iter().map(move |path| (root, path)));
    let named = all.map(|(root, path)| json!({"root": root, "path": path}));
    named.take(MOST_NAMES).collect()
}

fn not_opened(files: &Files) -> Vec<Value> {
    let all = files.refused.iter();
    let all = all.flat_map(|(root, paths)| paths.iter().map(move |one| (root, one)));
    let named = all.map(|(root, (path, why))| json!({"root": root, "path": path, "why": why}));
    named.take(MOST_NAMES).collect()
}
