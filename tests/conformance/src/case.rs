//! The format of cases: a tree, calls, and their expected answers.
//!
//! A case uses the callers' form: names in camelCase, enumerations in kebab-case, and absent fields
//! omitted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::outcome::{Extent, Outcome, camel_case, matches, tidy};

/// Default change time of files: 2026-01-02T03:04:05Z, in seconds since 1970.
pub const MODIFIED: i64 = 1_767_323_045;

/// A tree, and calls on it that are made in order on one instance.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Description of the behaviour, unique in its file.
    pub name: String,
    /// Entries of the roots.
    #[serde(default)]
    pub tree: Vec<Entry>,
    /// Names of the roots; the first one holds the entries that name no root. A suffix `:rw` makes
    /// a root writable.
    #[serde(default = "docs")]
    pub roots: Vec<String>,
    /// True if each root has a state directory.
    #[serde(default)]
    pub state: bool,
    /// Environment variables that configure docent.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Names in `get-config` of the limits that the case reaches.
    #[serde(default)]
    pub reaches: Vec<String>,
    /// Calls, in order.
    pub calls: Vec<Call>,
}

fn docs() -> Vec<String> {
    vec!["docs".to_owned()]
}

/// An entry of the tree; a file by default.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Path below the root; parent directories are created.
    pub path: String,
    /// Name of the root that holds it.
    pub root: Option<String>,
    /// Content of the file as text.
    pub text: Option<String>,
    /// Content of the file in base64.
    pub bytes: Option<String>,
    /// Name of a fixture that is generated in code, for a document other than text.
    pub made: Option<String>,
    /// Number of repetitions of the content; 1 by default.
    pub repeat: Option<usize>,
    /// True for a directory.
    #[serde(default)]
    pub dir: bool,
    /// Target of a symbolic link.
    pub symlink: Option<String>,
    /// True for a FIFO.
    #[serde(default)]
    pub fifo: bool,
    /// Change time in seconds since 1970, negative before.
    pub mtime: Option<i64>,
    /// Nanoseconds added to the change time.
    #[serde(default)]
    pub nanos: u32,
    /// Access time in seconds since 1970; not for directories, which the run itself reads.
    pub atime: Option<i64>,
    /// Number of files in this directory whose names are not UTF-8.
    #[serde(default)]
    pub unnamed: u32,
}

impl Entry {
    /// Returns the change time in nanoseconds since 1970.
    pub fn modified(&self) -> i128 {
        i128::from(self.mtime.unwrap_or(MODIFIED)) * 1_000_000_000 + i128::from(self.nanos)
    }

    /// Returns the access time in nanoseconds since 1970.
    pub fn accessed(&self) -> i128 {
        i128::from(self.atime.unwrap_or(MODIFIED)) * 1_000_000_000
    }

    /// Returns the content of a file.
    ///
    /// # Panics
    /// If `bytes` is not base64.
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

/// A call and its expected outcome.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Name of the tool, as in WIT: `search-documents`.
    pub tool: String,
    /// Arguments in one flat object. `"cursor": "$next"` is the last answer's `nextCursor`. For
    /// `explore`, `$items` and `$content` are the last answer's cursors, and `$pack` is its pack;
    /// for `change`, `$plan` is the last answer's plan.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// Whole answer, except for `elapsedMs`, `pack` and `writtenAt`, which depend on the time.
    /// `"*"` matches any value.
    pub answer: Option<Value>,
    /// Part of the answer: fields that are not listed may have any value.
    pub part: Option<Value>,
    /// Error: its `code`, and `message` and `hint` if these are given.
    pub error: Option<Value>,
    /// Name of the file in `answers/` with the Markdown of the outcome.
    pub markdown: Option<String>,
}

/// A file of cases.
#[derive(Debug)]
pub struct CaseFile {
    /// Name without `.json`.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
    /// Cases, in order.
    pub cases: Vec<Case>,
}

/// Returns the files in `cases/`, sorted by name.
///
/// # Panics
/// If one cannot be read or does not hold cases.
pub fn case_files() -> Vec<CaseFile> {
    let entries = fs::read_dir(directory()).expect("there are cases");
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = paths
        .map(|path| {
            path.file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names.iter().map(|name| case_file(name)).collect()
}

/// Returns the file of cases with this name.
///
/// # Panics
/// If it cannot be read or does not hold cases.
pub fn case_file(name: &str) -> CaseFile {
    let path = directory().join(format!("{name}.json"));
    let shown = path.display();
    let _guard = files();
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{shown}: {error}"));
    let cases = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{shown}: {error}"));
    CaseFile {
        name: name.to_owned(),
        path,
        cases,
    }
}

/// Locks the files of cases, because one test may read a file while another writes it.
pub(crate) fn files() -> MutexGuard<'static, ()> {
    static FILES: Mutex<()> = Mutex::new(());
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

impl Case {
    /// Makes the calls through `call`, which takes a tool and its flat arguments in camelCase and
    /// returns the answer or the error, and returns the outcome of each.
    pub fn outcomes(
        &self,
        mut call: impl FnMut(&str, Map<String, Value>) -> Outcome,
    ) -> Vec<Outcome> {
        let mut last = Value::Null;
        let outcomes = self.calls.iter().map(|expected| {
            let args = expected.args.iter();
            let args = args.map(|(key, value)| (key.clone(), filled(value, &last)));
            let outcome = call(&expected.tool, args.collect());
            if let Ok(answer) = &outcome {
                last = renamed(answer.clone());
            }
            outcome.map(tidy).map_err(tidy)
        });
        outcomes.collect()
    }

    /// Returns the differences between these outcomes and the expected ones.
    pub fn complaints(&self, outcomes: &[Outcome]) -> Vec<String> {
        let calls = self.calls.iter().zip(outcomes).enumerate();
        calls
            .filter_map(|(index, (call, outcome))| {
                let complaint = call.complaint(outcome)?;
                Some(format!("call {}: {complaint}", index + 1))
            })
            .collect()
    }
}

/// Returns an argument with its `$` references to the last answer replaced.
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
            "$plan" => last["planId"].clone(),
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
    /// Returns the difference between an outcome and the expected one; none if it matches.
    fn complaint(&self, outcome: &Outcome) -> Option<String> {
        let (expected, actual, extent) = match (&self.answer, &self.part, &self.error, outcome) {
            (Some(expected), None, None, Ok(actual)) => (expected, actual, Extent::Whole),
            (None, Some(expected), None, Ok(actual)) => (expected, actual, Extent::Part),
            (None, None, Some(expected), Err(actual)) => (expected, actual, Extent::Part),
            // Its Markdown is compared with a file of its own.
            (None, None, None, _) if self.markdown.is_some() => return None,
            (.., Ok(actual)) => return Some(format!("unexpected answer {actual:#}")),
            (.., Err(actual)) => return Some(format!("unexpected error {actual:#}")),
        };
        (!matches(expected, actual, extent))
            .then(|| format!("expected {expected:#}\n got {actual:#}"))
    }
}
