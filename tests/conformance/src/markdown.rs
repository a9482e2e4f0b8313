//! The Markdown of some answers, as models read it, in `answers/NAME.md` beside the cases, for
//! review when it changes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::bless;
use crate::case::{Call, CaseFile};

/// Placeholders for values that change with the format of cursors, the time, or the version, and do
/// not matter to a reader.
const OPAQUE: [(&str, &str); 5] = [
    ("/nextCursor", "CURSOR"),
    ("/next/itemsCursor", "ITEMS-CURSOR"),
    ("/next/contentCursor", "CONTENT-CURSOR"),
    ("/pack/packId", "PACK"),
    ("/version", "VERSION"),
];

/// Returns the content of an answer's file: the call's case and request, followed by `markdown`.
/// `answer` is the value from which the Markdown was rendered; null for an error.
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

/// Compares the file of a name with `text`, or writes it if expectations are blessed.
///
/// # Errors
/// Both texts, if they differ.
///
/// # Panics
/// If the file cannot be written.
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

/// Returns the wrong names in `answers/`: each file must belong to exactly one call.
///
/// # Panics
/// If the directory cannot be read.
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
