//! Conformance cases: a tree, calls, and what they must answer, as data in `cases/*.json`.
//!
//! The same files are run on the tree in memory, on native files, and on the component; this part
//! is what those runners share. A case is written as callers see it: names in camelCase,
//! enumerations in kebab-case, absent fields left out.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use serde::Deserialize;
use serde_json::{Map, Value};

/// When files last changed where a case does not say: 2026-01-02T03:04:05Z in seconds since 1970.
pub const MODIFIED: i64 = 1_767_323_045;

/// Fields whose values are enumerations.
const ENUMERATIONS: [&str; 12] = [
    "mode",
    "kind",
    "reason",
    "right",
    "code",
    "stoppedBy",
    "relevance",
    "category",
    "dateField",
    "operator",
    "status",
    "reasons",
];

/// A tree, and calls on it that are made in order on one instance.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What the case shows, unique in its file.
    pub name: String,
    /// What the roots hold.
    #[serde(default)]
    pub tree: Vec<Entry>,
    /// Names of the roots, the first being that of entries that name none; `:rw` at the end grants
    /// it for writing.
    #[serde(default = "docs")]
    pub roots: Vec<String>,
    /// The variables that docent is configured by.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The calls.
    pub calls: Vec<Call>,
}

fn docs() -> Vec<String> {
    vec!["docs".to_owned()]
}

/// An entry of the tree, a file unless it says otherwise.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its path below the root; directories above it are made.
    pub path: String,
    /// The root that holds it.
    pub root: Option<String>,
    /// The file's content as text.
    pub text: Option<String>,
    /// The file's content in base64.
    pub bytes: Option<String>,
    /// The name of a document that is not text, which is made in code.
    pub made: Option<String>,
    /// How often the content is repeated; once by default.
    pub repeat: Option<usize>,
    /// It is a directory.
    #[serde(default)]
    pub dir: bool,
    /// It is a symbolic link with this target.
    pub symlink: Option<String>,
    /// It is a FIFO.
    #[serde(default)]
    pub fifo: bool,
    /// When it last changed, in seconds since 1970, negative before.
    pub mtime: Option<i64>,
    /// Nanoseconds that are added to that.
    #[serde(default)]
    pub nanos: u32,
    /// When it was last read, in seconds since 1970; not for directories, which the run reads.
    pub atime: Option<i64>,
    /// So many files in this directory have a name that is not UTF-8.
    #[serde(default)]
    pub unnamed: u32,
}

impl Entry {
    /// Returns when it last changed, in nanoseconds since 1970.
    pub fn modified(&self) -> i128 {
        i128::from(self.mtime.unwrap_or(MODIFIED)) * 1_000_000_000 + i128::from(self.nanos)
    }

    /// Returns when it was last read, in nanoseconds since 1970.
    pub fn accessed(&self) -> i128 {
        i128::from(self.atime.unwrap_or(MODIFIED)) * 1_000_000_000
    }

    /// Returns the content of a file.
    ///
    /// # Panics
    /// When `bytes` is not base64.
    pub fn content(&self) -> Vec<u8> {
        let once = match (&self.made, &self.text, &self.bytes) {
            (Some(name), ..) => docent_extract::fixtures::named(name),
            (None, Some(text), _) => text.clone().into_bytes(),
            (None, None, Some(bytes)) => {
                match base64::engine::general_purpose::STANDARD.decode(bytes) {
                    Ok(bytes) => bytes,
                    Err(error) => panic!("`bytes` of `{}`: {error}", self.path),
                }
            }
            (None, None, None) => Vec::new(),
        };
        once.repeat(self.repeat.unwrap_or(1))
    }
}

/// A call and its outcome.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The tool, as in WIT: `search-documents`.
    pub tool: String,
    /// Its arguments in one flat object. `"cursor": "$next"` is the last answer's `nextCursor`; of
    /// `explore` `$items` and `$content` are the last answer's cursors, and `$pack` its pack.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// The whole answer, `elapsedMs` and `pack` excepted, which tell of the time. `"*"` stands for any value.
    pub answer: Option<Value>,
    /// A part of the answer: fields that are not named may be anything.
    pub part: Option<Value>,
    /// The error: its `code`, and `message` and `hint` where these are named.
    pub error: Option<Value>,
}

/// Returns the cases of all files in `directory`, each with the name of its file, in order.
///
/// # Panics
/// When a file cannot be read or holds something else.
pub fn load(directory: &Path) -> Vec<(String, Case)> {
    let files = match std::fs::read_dir(directory) {
        Ok(files) => files,
        Err(error) => panic!("{}: {error}", directory.display()),
    };
    let mut paths: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let read = std::fs::read_to_string(&path).map_err(|error| error.to_string());
        match read.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string())) {
            Ok::<Vec<Case>, _>(cases) => {
                all.extend(cases.into_iter().map(|case| (name.clone(), case)));
            }
            Err(error) => panic!("{}: {error}", path.display()),
        }
    }
    all
}

impl Case {
    /// Makes the calls through `call`, which takes a tool and its flat arguments in camelCase and
    /// gives the answer or the error, and returns what was not as expected.
    pub fn run(
        &self,
        mut call: impl FnMut(&str, Map<String, Value>) -> Result<Value, Value>,
    ) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut last = Value::Null;
        for (i, expected) in self.calls.iter().enumerate() {
            let args = expected.args.iter();
            let args = args.map(|(key, value)| (key.clone(), filled(value, &last)));
            let outcome = call(&expected.tool, args.collect());
            if let Ok(answer) = &outcome {
                last = renamed(answer.clone());
            }
            let outcome = outcome.map(tidy).map_err(tidy);
            if let Some(complaint) = expected.complaint(&outcome) {
                complaints.push(format!("call {}: {complaint}", i + 1));
            }
        }
        complaints
    }
}

/// Returns an argument with what it takes from the last answer.
fn filled(value: &Value, last: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter();
            Value::Object(
                fields
                    .map(|(key, value)| (key.clone(), filled(value, last)))
                    .collect(),
            )
        }
        Value::String(text) => match text.as_str() {
            "$next" => last["nextCursor"].clone(),
            "$items" => last["next"]["itemsCursor"].clone(),
            "$content" => last["next"]["contentCursor"].clone(),
            "$pack" => last["pack"]["packId"].clone(),
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

/// Returns a value with all names in camelCase.
fn renamed(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter();
            fields
                .map(|(key, value)| (camel_case(&key), renamed(value)))
                .collect()
        }
        other => other,
    }
}

impl Call {
    fn complaint(&self, outcome: &Result<Value, Value>) -> Option<String> {
        let (expected, actual, is_exact) = match (&self.answer, &self.part, &self.error, outcome) {
            (Some(expected), None, None, Ok(actual)) => (expected, actual, true),
            (None, Some(expected), None, Ok(actual)) => (expected, actual, false),
            (None, None, Some(expected), Err(actual)) => (expected, actual, false),
            _ => return Some(format!("unexpected outcome: {outcome:#?}")),
        };
        (!matches(expected, actual, is_exact))
            .then(|| format!("expected {}\n got {}", pretty(expected), pretty(actual)))
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn matches(expected: &Value, actual: &Value, is_exact: bool) -> bool {
    match (expected, actual) {
        (Value::String(any), _) if any == "*" => true,
        (Value::Object(expected), Value::Object(actual)) => {
            expected.iter().all(|(key, value)| match actual.get(key) {
                Some(actual) => matches(value, actual, is_exact),
                None => value.is_null(),
            }) && (!is_exact || actual.keys().all(|key| expected.contains_key(key)))
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len()
                && expected
                    .iter()
                    .zip(actual)
                    .all(|(e, a)| matches(e, a, is_exact))
        }
        _ => expected == actual,
    }
}

/// Returns an answer as cases write it: camelCase and kebab-case, without absent fields and
/// without what tells of the time.
pub fn tidy(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (camel_case(&key), value))
            .filter(|(key, value)| !value.is_null() && key != "elapsedMs" && key != "pack")
            .map(|(key, value)| {
                let value = match value {
                    Value::String(text) if ENUMERATIONS.contains(&key.as_str()) => {
                        Value::String(kebab_case(&text))
                    }
                    Value::Array(texts) if ENUMERATIONS.contains(&key.as_str()) => texts
                        .into_iter()
                        .map(|text| match text {
                            Value::String(text) => Value::String(kebab_case(&text)),
                            other => tidy(other),
                        })
                        .collect(),
                    other => tidy(other),
                };
                (key, value)
            })
            .collect(),
        Value::Array(values) => values.into_iter().map(tidy).collect(),
        other => other,
    }
}

/// Returns `max_results` or `max-results` as `maxResults`.
pub fn camel_case(name: &str) -> String {
    let mut out = String::new();
    let mut is_start = false;
    for c in name.chars() {
        match c {
            '_' | '-' => is_start = true,
            c if std::mem::take(&mut is_start) => out.push(c.to_ascii_uppercase()),
            c => out.push(c),
        }
    }
    out
}

/// Returns `NotText`, `not_text` or `not-text` as `not-text`.
pub fn kebab_case(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(if c == '_' {
            '-'
        } else {
            c.to_ascii_lowercase()
        });
    }
    out
}
