//! Answers as Markdown for a model: one template per tool, and a readable form of any other.
//!
//! It depends only on the JSON of an answer, and not on the component, files or protocol.
//!
//! A template sees the fields of the answer, `request` (the arguments as the tool took them),
//! `tool` (its name) and the filters and functions defined here. Text that comes from documents
//! passes through [`line()`], [`quote`] or [`fence`], so that it can neither start a line of its
//! own nor leave its fence.
#![deny(missing_docs)]

use minijinja::value::{Kwargs, Rest};
use minijinja::{AutoEscape, Environment, State, UndefinedBehavior, Value as Template, context};
use serde_json::{Map, Value};

mod items;
mod plain;
mod text;

pub use text::{fence, line, quote, size};

/// The names of the tool that gave an answer.
#[derive(Clone, Copy, Debug)]
pub struct ToolName<'a> {
    /// Name for callers, which is also the name of its template: `search_documents`.
    pub name: &'a str,
    /// Title for people.
    pub title: &'a str,
}

/// The template that [`Renderer::instructions`] fills; not a tool's.
const INSTRUCTIONS: &str = "instructions";

/// A renderer of answers as Markdown.
pub struct Renderer {
    environment: Environment<'static>,
}

impl Default for Renderer {
    fn default() -> Self {
        Self::new()
    }
}

impl Renderer {
    /// Returns a renderer with the embedded templates.
    ///
    /// # Panics
    /// Never with templates that the tests cover: a malformed template panics here.
    pub fn new() -> Self {
        let mut environment = Environment::new();
        // The output is Markdown and not HTML, so escaping by the template engine would put
        // `&lt;` into code. Untrusted text passes through a filter instead: `line`, `quoted` or
        // `fenced`.
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        // Templates refer to fields that an answer omits if they are empty. A missing field is
        // false and empty instead of an error.
        environment.set_undefined_behavior(UndefinedBehavior::Lenient);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.add_filter("line", |text: &str| text::in_markdown(text));
        environment.add_filter("quoted", |text: &str| quote(text));
        environment.add_filter("fenced", |text: &str| fence(text));
        environment.add_filter("body", |section: &Template| items::body(section));
        environment.add_filter("size", |bytes: u64| text::size(bytes));
        environment.add_filter("line_ends", |text: &str| text.matches('\n').count());
        environment.add_filter("minute", |time: &str| text::minute(time));
        environment.add_filter("offset", |time: &str| text::offset(time));
        environment.add_filter("count", text::count);
        environment.add_filter("numbered", |item: &Template| items::number_fields(item));
        environment.add_filter("with_numbers", |text: &str, first: usize| {
            items::with_numbers(text, first)
        });
        environment.add_filter("by_rank", |data: &Template| items::by_rank(data));
        environment.add_filter("matching_lines", |files: &Template| {
            items::matching_lines(files)
        });
        environment.add_filter("counted_values", |values: &Template| {
            items::list_counted_values(values)
        });
        environment.add_filter("headings_above", |item: &Template| {
            items::headings_above(item)
        });
        environment.add_function("next_call", next_call);
        environment.add_function("next_page", next_page);
        environment.add_function("next_read", next_read);
        for (name, source) in TEMPLATES {
            environment
                .add_template(name, source)
                .expect("the templates are tested");
        }
        Self { environment }
    }

    /// Returns the answer of a tool to `request` as Markdown, ending without a line break.
    pub fn answer(
        &self,
        tool: ToolName<'_>,
        request: &Map<String, Value>,
        answer: &Value,
    ) -> String {
        let Ok(template) = self.environment.get_template(tool.name) else {
            return plain::answer(tool.title, answer);
        };
        let context = context! {
            tool => tool.name,
            request => request,
            ..Template::from_serialize(answer)
        };
        match template.render(context) {
            Ok(markdown) => markdown.trim_end().trim_start_matches('\n').to_owned(),
            // A template that fails must not hide the answer: the plain form shows all of it.
            Err(_) => plain::answer(tool.title, answer),
        }
    }

    /// Returns the instructions for a model that is offered `tools` over the roots in `roots`,
    /// each given by `name` and `right`, of which `more` are not listed.
    pub fn instructions(&self, tools: &[&str], roots: &[Value], more: usize) -> String {
        self.environment
            .get_template(INSTRUCTIONS)
            .and_then(|template| template.render(context! { tools, roots, more }))
            .map(|text| text.trim_end().to_owned())
            .unwrap_or_default()
    }
}

/// The templates, by tool name.
const TEMPLATES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/templates.rs"));

/// Returns the sentence that states the next call: the request with `changes` applied; arguments
/// that are changed to none are removed.
fn next_call(
    state: &State<'_, '_>,
    changes: Kwargs,
    rest: Rest<Template>,
) -> Result<String, minijinja::Error> {
    if !rest.is_empty() {
        return Err(minijinja::ErrorKind::TooManyArguments.into());
    }
    let mut arguments = request(state);
    for name in changes.args() {
        let value: Template = changes.get(name)?;
        match serde_json::to_value(&value).map(without_nulls) {
            // `shift_remove` keeps the order of the other arguments, which `swap_remove` would
            // change: the model reads its own request again with one change.
            Ok(Value::Null) | Err(_) => arguments.shift_remove(name),
            Ok(value) => arguments.insert(name.to_owned(), value),
        };
    }
    changes.assert_all_used()?;
    let tool = state.lookup("tool").unwrap_or_default();
    Ok(sentence(&tool.to_string(), arguments))
}

/// Maximum bytes of the line that states the next page; a longer one is reduced to the changed
/// arguments.
const NEXT_PAGE_BYTES: u32 = 300;

/// Returns the sentence that states the call for the next page of an answer with a budget of
/// `max_tokens`: the request with `cursor`, or the cursor alone if the request takes more bytes
/// than the answer may have tokens. The core counts it by the same rule.
fn next_page(state: &State<'_, '_>, cursor: String, max_tokens: u32) -> String {
    let mut arguments = request(state);
    let cursor = Value::from(cursor);
    arguments.insert("cursor".to_owned(), cursor.clone());
    let tool = state.lookup("tool").unwrap_or_default().to_string();
    let whole = sentence(&tool, arguments);
    if whole.len() <= NEXT_PAGE_BYTES.min(max_tokens) as usize {
        return whole;
    }
    format!("Next: {tool} with the same arguments and {{\"cursor\":{cursor}}}")
}

/// Returns the sentence that states the call that reads lines of a document, in the root of the
/// request.
fn next_read(state: &State<'_, '_>, path: &str, first: u32, last: u32) -> String {
    let mut arguments = Map::new();
    arguments.insert("path".to_owned(), path.into());
    arguments.insert("lines".to_owned(), format!("{first}-{last}").into());
    if let Some(root) = request(state).remove("root") {
        arguments.insert("root".to_owned(), root);
    }
    sentence("read_document", arguments)
}

fn sentence(tool: &str, arguments: Map<String, Value>) -> String {
    format!("Next: {tool} {}", Value::Object(arguments))
}

/// Returns the arguments of the request.
fn request(state: &State<'_, '_>) -> Map<String, Value> {
    let request = state.lookup("request");
    match request.and_then(|request| serde_json::to_value(request).ok()) {
        Some(Value::Object(request)) => request,
        _ => Map::new(),
    }
}

/// Returns a value without the fields of objects that are null.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(fields.collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
