//! Blessing: the expectations in the files of cases are replaced with the actual answers.
//!
//! A file keeps its formatting: only values that differ are rewritten, in the style of the file, so
//! that a file whose expectations hold is unchanged byte for byte.

mod source;
mod style;

use std::fs;
use std::ops::Range;
use std::path::Path;

use serde_json::{Map, Value};

use crate::case::{self, Call};
use crate::outcome::{Extent, Outcome, merged};
use source::{Node, Shape};
use style::Style;

/// Returns true if expectations are to be rewritten: `BLESS=1`.
#[must_use]
pub fn is_asked_for() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

/// Writes the outcomes of the case at `index` into the file at `path`.
///
/// # Panics
/// If the file cannot be read or written.
pub fn write(path: &Path, index: usize, outcomes: &[Outcome]) {
    let _guard = case::files();
    let shown = path.display();
    let before = fs::read_to_string(path).unwrap_or_else(|error| panic!("{shown}: {error}"));
    let after = rewritten(&before, index, outcomes);
    if after != before {
        fs::write(path, after).unwrap_or_else(|error| panic!("{shown}: {error}"));
    }
}

/// Returns the text of a file of cases in which the case at `index` expects these outcomes.
///
/// # Panics
/// If the text is not a list of cases, or has no such case.
#[must_use]
pub fn rewritten(text: &str, index: usize, outcomes: &[Outcome]) -> String {
    let before: Value = serde_json::from_str(text).expect("the file was read as cases");
    let mut after = before.clone();
    let calls = after[index]["calls"].as_array_mut();
    for (call, outcome) in calls.expect("cases have calls").iter_mut().zip(outcomes) {
        *call = blessed(call, outcome);
    }
    let mut edits = Vec::new();
    let rewriter = Rewriter {
        text,
        style: Style::detect(text),
    };
    rewriter.collect(&Node::parse(text), &before, &after, &mut edits);
    let mut blessed = text.to_owned();
    for (range, replacement) in edits.into_iter().rev() {
        blessed.replace_range(range, &replacement);
    }
    blessed
}

/// Returns a call with an expectation that `outcome` meets, of the same extent if possible.
fn blessed(call: &Value, outcome: &Outcome) -> Value {
    let expected: Call = serde_json::from_value(call.clone()).expect("the file was read as cases");
    let (name, value) = match (expected.answer, expected.part, expected.error, outcome) {
        (None, None, None, _) if expected.markdown.is_some() => return call.clone(),
        (Some(old), _, _, Ok(new)) => ("answer", merged(&old, new, Extent::Whole)),
        (_, Some(old), _, Ok(new)) => ("part", merged(&old, new, Extent::Part)),
        (_, _, Some(old), Err(new)) => ("error", merged(&old, new, Extent::Part)),
        (_, _, _, Ok(new)) => ("answer", new.clone()),
        (_, _, _, Err(new)) => ("error", new.clone()),
    };
    let fields = call.as_object().into_iter().flatten();
    let is_kept = |key: &str| key == name || !["answer", "part", "error"].contains(&key);
    let mut fields: Map<String, Value> = fields
        .filter(|(key, _)| is_kept(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    fields.insert(name.to_owned(), value);
    Value::Object(fields)
}

/// A rewriter of one file.
struct Rewriter<'a> {
    text: &'a str,
    style: Style,
}

impl Rewriter<'_> {
    /// Collects the replacements, from the start to the end of the file, that change `node` from
    /// `before` to `after`.
    fn collect(
        &self,
        node: &Node,
        before: &Value,
        after: &Value,
        edits: &mut Vec<(Range<usize>, String)>,
    ) {
        if before == after {
            return;
        }
        // A value on one line is rewritten as a whole, because it may no longer fit.
        let is_on_one_line = !self.text[node.range.clone()].contains('\n');
        match (&node.shape, before, after) {
            (Shape::Array(items), Value::Array(old), Value::Array(new))
                if old.len() == new.len() && !is_on_one_line =>
            {
                for ((item, old), new) in items.iter().zip(old).zip(new) {
                    self.collect(item, old, new, edits);
                }
            }
            (Shape::Object(items), Value::Object(old), Value::Object(new))
                if old.keys().eq(new.keys()) && !is_on_one_line =>
            {
                for ((item, old), new) in items.iter().zip(old.values()).zip(new.values()) {
                    self.collect(item, old, new, edits);
                }
            }
            _ => {
                let start = self.text[..node.range.start]
                    .rfind('\n')
                    .map_or(0, |end| end + 1);
                let before = &self.text[start..node.range.start];
                let indent = before.len() - before.trim_start().len();
                let is_followed = self.text[node.range.end..].starts_with(',');
                let rest = before.chars().count() + usize::from(is_followed);
                let written = self.style.written(after, indent, rest);
                edits.push((node.range.clone(), written));
            }
        }
    }
}

#[cfg(test)]
mod tests;
