//! Cases as they are written: a tree, calls, and what they must answer.
//!
//! A case is written as callers see it: names in camelCase, enumerations in kebab-case, absent
//! fields left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::outcome::{Extent, Outcome, camel_case, matches, tidy};

/// When files last changed where a case does not say: 2026-01-02T03:04:05Z in seconds since 1970.
pub const MODIFIED: i64 = 1_767_323_045;

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
    /// Whether each root has a state directory.
    #[serde(default)]
    pub state: bool,
    /// The variables that docent is configured by.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The limits that it goes beyond, by their names in `get-config`.
    #[serde(default)]
    pub reaches: Vec<String>,
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
    /// `explore` `$items` and `$content` are the last answer's cursors, and `$pack` its pack; of
    /// `change` `$plan` is the last answer's plan.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// The whole answer, `elapsedMs`, `pack` and `writtenAt` excepted, which tell of the time. `"*"` stands for
    /// any value.
    pub answer: Option<Value>,
    /// A part of the answer: fields that are not named may be anything.
    pub part: Option<Value>,
    /// The error: its `code`, and `message` and `hint` where these are named.
    pub error: Option<Value>,
    /// What a model reads of the outcome stands in `answers/` under this name.
    pub markdown: Option<String>,
}

/// A file of cases.
#[derive(Debug)]
pub struct CaseFile {
    /// Its name without `.json`.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Its cases, in order.
    pub cases: Vec<Case>,
}

/// Returns the files in `cases/`, in the order of their names.
///
/// # Panics
/// When one cannot be read or holds something else.
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
/// When it cannot be read or holds something else.
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

/// Returns a guard over the files of cases, of which a test may read one while another writes it.
pub(crate) fn files() -> MutexGuard<'static, ()> {
    static FILES: Mutex<()> = Mutex::new(());
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

impl Case {
    /// Makes the calls through `call`, which takes a tool and its flat arguments in camelCase and
    /// gives the answer or the error, and returns how each ended.
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

    /// Returns what of these outcomes is not as expected.
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
    /// Returns what of an outcome is not as expected.
    fn complaint(&self, outcome: &Outcome) -> Option<String> {
        let (expected, actual, extent) = match (&self.answer, &self.part, &self.error, outcome) {
            (Some(expected), None, None, Ok(actual)) => (expected, actual, Extent::Whole),
            (None, Some(expected), None, Ok(actual)) => (expected, actual, Extent::Part),
            (None, None, Some(expected), Err(actual)) => (expected, actual, Extent::Part),
            // What a model reads of it stands in a file of its own.
            (None, None, None, _) if self.markdown.is_some() => return None,
            (.., Ok(actual)) => return Some(format!("unexpected answer {actual:#}")),
            (.., Err(actual)) => return Some(format!("unexpected error {actual:#}")),
        };
        (!matches(expected, actual, extent))
            .then(|| format!("expected {expected:#}\n got {actual:#}"))
    }
}
