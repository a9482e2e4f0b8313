//! What a model reads of some answers: Markdown in `answers/NAME.md`, beside the cases, for people
//! to read when it changes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::bless;
use crate::case::{Call, CaseFile};

/// What stands for values that change with the form of cursors, with the time, and with the
/// version, and tell a reader nothing.
const OPAQUE: [(&str, &str); 5] = [
    ("/nextCursor", "CURSOR"),
    ("/next/itemsCursor", "ITEMS-CURSOR"),
    ("/next/contentCursor", "CONTENT-CURSOR"),
    ("/pack/packId", "PACK"),
    ("/version", "VERSION"),
];

/// Returns the text of a file for what a model reads of a call's outcome: `markdown` behind the
/// call's case and request. `answer` is what the Markdown was made of; null for an error.
#[must_use]
pub fn text(case: &str, call: &Call, markdown: &str, answer: &Value) -> String {
    let tool = call.tool.replace('-', "_");
    let args = Value::Object(call.args.clone());
    let mut markdown = markdown.to_owned();
    for (place, name) in OPAQUE {
        if let Some(Value::String(value)) = answer.pointer(place) {
            markdown = markdown.replace(value, name);
        }
    }
    format!("> {case}\n>\n> `{tool}` with `{args}`\n\n{markdown}\n")
}

/// Holds the file of a name against `text`, or writes it where expectations are rewritten.
///
/// # Errors
/// Both texts, where they differ.
///
/// # Panics
/// When the file cannot be written.
pub fn check(name: &str, text: &str) -> Result<(), String> {
    let path = path(name);
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if expected == text {
        return Ok(());
    }
    let shown = path.display();
    if bless::is_asked_for() {
        fs::write(&path, text).unwrap_or_else(|error| panic!("{shown}: {error}"));
        return Ok(());
    }
    Err(format!("{shown}: expected\n{expected}\n got\n{text}"))
}

/// Returns what is wrong with the names in `answers/`: each belongs to exactly one call.
///
/// # Panics
/// When the directory cannot be read.
#[must_use]
pub fn wrong_names(files: &[CaseFile]) -> Vec<String> {
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    let cases = files.iter().flat_map(|file| &file.cases);
    for call in cases.flat_map(|case| &case.calls) {
        if let Some(name) = &call.markdown {
            *calls.entry(format!("{name}.md")).or_default() += 1;
        }
    }
    let mut wrong: Vec<String> = calls
        .iter()
        .filter(|(_, count)| **count > 1)
        .map(|(name, count)| format!("`{name}` is named by {count} calls"))
        .collect();
    for entry in fs::read_dir(directory()).expect("the answers lie beside the cases") {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if !calls.contains_key(&name) {
            wrong.push(format!("`{name}` is named by no call"));
        }
    }
    wrong
}

fn path(name: &str) -> PathBuf {
    directory().join(format!("{name}.md"))
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("answers")
}
