//! `docent explore`: what is in files and directories, or the best of what answers a query.

use std::io::Write;

use docent_host::Session;
use docent_host::render::Renderer;
use docent_host::tools;
use serde_json::{Map, Value, json};

use super::{call, wording};
use crate::args::Explore;
use crate::terminal::error::CommandError;
use crate::terminal::outcome::Outcome;
use crate::terminal::page::Page;
use crate::terminal::place::{Place, Root};
use crate::terminal::style::Layout;

/// The function of the component, and its tool.
const NAME: &str = "explore";

/// Why an answer is less than was asked for, where a cursor goes on.
const REASONS_OF_CURSORS: [&str; 2] = ["timeout", "max-files"];

/// A command that is being carried out.
pub struct ExploreRun<'a, W> {
    args: &'a Explore,
    page: Page<W>,
    answers: u64,
    outcome: Outcome,
}

impl<'a, W: Write> ExploreRun<'a, W> {
    /// Returns the run of a command.
    pub fn new(args: &'a Explore, page: Page<W>) -> Self {
        Self {
            args,
            page,
            answers: 0,
            outcome: Outcome::Nothing,
        }
    }

    /// Looks into a place.
    ///
    /// # Errors
    /// When the component refuses or fails, or the output cannot be written.
    pub fn look(
        &mut self,
        session: &mut Session,
        root: &Root,
        place: &Place,
    ) -> Result<(), CommandError> {
        let mut request = self.request(root, place);
        loop {
            let answer: Value = call(session, NAME, request.clone())?;
            let next = next(&answer);
            // Nothing that is asked again unchanged would say more.
            let goes_on = next.is_some() && request.get("cursor") != next.as_ref();
            self.show(&request, answer, place, goes_on && !self.args.all)?;
            match next {
                Some(next) if self.args.all && goes_on => request.insert("cursor".to_owned(), next),
                _ => return Ok(()),
            };
        }
    }

    /// Shows an answer, and whether there is more.
    fn show(
        &mut self,
        request: &Map<String, Value>,
        mut answer: Value,
        place: &Place,
        is_cut: bool,
    ) -> Result<(), CommandError> {
        // Templates show paths as the answer has them.
        for group in ["docs", "code", "data"] {
            for item in answer["data"][group].as_array_mut().into_iter().flatten() {
                rename(item, place);
            }
        }
        for item in answer["blocked"].as_array_mut().into_iter().flatten() {
            rename(item, place);
        }
        // What is only named comes with its text when the next page is shown as well.
        if self.args.all && next(&answer).is_some() {
            for group in ["docs", "code", "data"] {
                if let Some(items) = answer["data"][group].as_array_mut() {
                    items.retain(|item| item["onlyNamed"] != true);
                }
            }
        }
        if answer["status"] == "ok" {
            self.outcome = Outcome::Found;
        }
        if self.page.layout == Layout::Json {
            self.page.object("answer", &answer)?;
            return Ok(());
        }
        if self.answers > 0 {
            writeln!(self.page.output)?;
        }
        self.answers += 1;
        for_a_person(&mut answer);
        let tool = tools::table().find(NAME);
        let text = tool.map(|tool| Renderer::new().answer(tool.names(), request, &answer));
        self.page.text(text.unwrap_or_default().trim_end())?;
        if is_cut {
            writeln!(self.page.output, "\nThere is more: --all shows it.")?;
        }
        Ok(())
    }

    fn request(&self, root: &Root, place: &Place) -> Map<String, Value> {
        let mut request = Map::new();
        request.insert("root".to_owned(), json!(root.name));
        if let Some(query) = &self.args.query {
            request.insert("query".to_owned(), json!(query));
        }
        // A directory is a root of its own here, so a query alone is about all of it; the tool
        // takes no request without either.
        if place.file.is_some() || self.args.query.is_none() {
            let path = place.file.as_deref().unwrap_or(".");
            request.insert("paths".to_owned(), json!([path]));
        }
        if let Some(section) = &self.args.section {
            request.insert("section".to_owned(), json!({"headingPath": [section]}));
        }
        if self.args.full {
            request.insert("view".to_owned(), json!("full"));
        }
        let limits = [
            ("maxResults", self.args.limit),
            ("maxChars", self.args.max_chars),
        ];
        let limits = limits.into_iter();
        let limits: Map<String, Value> = limits
            .filter_map(|(name, limit)| Some((name.to_owned(), json!(limit?))))
            .collect();
        if !limits.is_empty() {
            request.insert("limits".to_owned(), Value::Object(limits));
        }
        request
    }

    /// Ends the output. Returns whether anything was found.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn finish(mut self) -> Result<Outcome, CommandError> {
        self.page.output.flush()?;
        Ok(self.outcome)
    }
}

/// Leaves out what only a model can use, and gives hints in the words of the command line.
fn for_a_person(answer: &mut Value) {
    // Cursors and packs are for models; a person is told of `--all` instead.
    answer["next"] = json!({});
    if let Some(fields) = answer.as_object_mut() {
        fields.remove("pack");
        fields.remove("root");
    }
    if let Some(reasons) = answer["reasons"].as_array_mut() {
        reasons.retain(|reason| !REASONS_OF_CURSORS.iter().any(|name| reason == name));
    }
    for group in ["/data/docs", "/data/code", "/data/data"] {
        let items = answer.pointer_mut(group).and_then(Value::as_array_mut);
        for item in items.into_iter().flatten() {
            // It is there for edits that a program makes.
            if let Some(metadata) = item["metadata"].as_object_mut() {
                metadata.remove("hash");
            }
        }
    }
    reword(&mut answer["hint"], wording::hint);
    for item in answer["blocked"].as_array_mut().into_iter().flatten() {
        reword(&mut item["message"], wording::text);
        reword(&mut item["hint"], wording::hint);
    }
}

fn reword(said: &mut Value, told: fn(&str, &str) -> String) {
    if let Some(text) = said.as_str() {
        *said = json!(told(NAME, text));
    }
}

/// Returns the cursors of an answer; none where nothing is left.
fn next(answer: &Value) -> Option<Value> {
    let next = answer["next"].as_object()?;
    let of = |name: &str| next.get(name).filter(|cursor| cursor.is_string());
    let (items, content) = (of("itemsCursor"), of("contentCursor"));
    (items.is_some() || content.is_some()).then(|| json!({"items": items, "content": content}))
}

/// Names the file of an item as the person would.
fn rename(item: &mut Value, place: &Place) {
    if let Some(path) = item["filePath"].as_str() {
        item["filePath"] = json!(place.shown(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_told_of_options() {
        let mut answer = json!({
            "root": "r",
            "pack": {"packId": "x"},
            "next": {"itemsCursor": "y"},
            "reasons": ["timeout", "truncated"],
            "hint": "The next item has no room; raise limits.maxChars.",
            "blocked": [{"message": "m", "hint": "Set allowBinary to true to get it as base64."}],
        });
        for_a_person(&mut answer);
        let expected = json!({
            "next": {},
            "reasons": ["truncated"],
            "hint": "The next item has no room; raise --max-chars.",
            "blocked": [{"message": "m", "hint": ""}],
        });
        assert_eq!(answer, expected);
    }
}
