//! The documentation of tools as it is shown to callers that are offered only some of them.
//!
//! The documentation of a tool refers callers to other tools: "Use `search_documents` to look for
//! text, `list_full_tree` to see what exists." A tool that is not on offer cannot be called, so
//! text about it is removed, by sentence, by clause, or by item of a clause that lists several:
//!
//! * "Use `a` to do this; use `b` to do that." has two clauses;
//! * "use `a` to do this, `b` to do that" has two items, which share the first word.

use serde_json::{Map, Value};

use super::tool_table::{Tool, ToolTable};

/// Separators that introduce the name of a tool within a clause.
const SEPARATORS: [&str; 3] = [", ", ", as ", ": "];

/// An item of a clause, with the separator before it.
struct ClauseItem<'t> {
    separator: &'static str,
    text: &'t str,
}

/// A selection of tools on offer from the table of all tools.
pub struct ToolSelection<'a> {
    table: &'a ToolTable,
    tools: &'a [&'a Tool],
}

impl<'a> ToolSelection<'a> {
    /// Returns the selection of `tools` from `table`.
    pub fn new(table: &'a ToolTable, tools: &'a [&'a Tool]) -> Self {
        Self { table, tools }
    }

    /// Returns `text` without references to tools that are not on offer.
    pub fn prose(&self, text: &str) -> String {
        // The text is returned byte for byte if it names no missing tool, which is the usual
        // case. Splitting and joining it could change white space.
        if !self.names_missing(text) {
            return text.to_owned();
        }
        let paragraphs = text.split("\n\n").filter_map(|text| self.paragraph(text));
        paragraphs.collect::<Vec<_>>().join("\n\n")
    }

    /// Returns a schema whose descriptions do not refer to tools that are not on offer.
    pub fn schema(&self, schema: &Map<String, Value>) -> Map<String, Value> {
        let fields = schema.iter().map(|(name, value)| {
            let value = match value {
                Value::String(text) if name == "description" => self.prose(text).into(),
                value => self.schema_value(value),
            };
            (name.clone(), value)
        });
        fields.collect()
    }

    fn schema_value(&self, value: &Value) -> Value {
        match value {
            Value::Object(fields) => self.schema(fields).into(),
            Value::Array(items) => items.iter().map(|item| self.schema_value(item)).collect(),
            other => other.clone(),
        }
    }

    fn paragraph(&self, text: &str) -> Option<String> {
        let sentences = sentences(text).filter_map(|sentence| {
            if !self.names_missing(sentence) {
                return Some(sentence.to_owned());
            }
            let clauses: Vec<String> = sentence
                // The full stop is removed before the clauses are split, and added again after
                // the last one that remains.
                .trim_end_matches('.')
                .split("; ")
                .filter_map(|clause| self.clause(clause))
                .collect();
            // If the first clause was removed, the sentence begins with one from its middle, so
            // its first letter becomes a capital: "Use `a` to read; use `b` to write." becomes
            // "Use `b` to write."
            (!clauses.is_empty()).then(|| capitalize(&clauses.join("; ")) + ".")
        });
        let sentences: Vec<String> = sentences.collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    fn clause(&self, clause: &str) -> Option<String> {
        if !self.names_missing(clause) {
            return Some(clause.to_owned());
        }
        let mut kept = String::new();
        for item in self.items(clause) {
            if self.names_missing(item.text) {
                continue;
            }
            if !kept.is_empty() {
                kept.push_str(item.separator);
            } else if !item.separator.is_empty() {
                // Items after the first share its verb. From "Use `a` to do this, `b` to do
                // that", without `a`, "`b` to do that" would remain; the first word of the
                // clause is put in front, which gives "Use `b` to do that".
                kept.push_str(clause.split_inclusive(' ').next().unwrap_or_default());
            }
            kept.push_str(item.text);
        }
        (!kept.is_empty()).then_some(kept)
    }

    /// Splits a clause before each tool that a separator introduces.
    fn items<'t>(&self, clause: &'t str) -> Vec<ClauseItem<'t>> {
        let mut items = Vec::new();
        let mut separator = "";
        let mut rest = clause;
        let mut position = 0;
        while let Some(found) = rest[position..].find('`') {
            position += found;
            let introduced = SEPARATORS
                .iter()
                .find(|text| rest[..position].ends_with(**text));
            if let Some(next) = introduced
                && self.starts_with_tool(&rest[position..])
            {
                // A separator may contain a word, as ", as " does. That word belongs to the
                // item and not to the separator: it has to go if the item goes.
                let mark = next.find(' ').map_or(next.len(), |space| space + 1);
                let end = position - next.len();
                items.push(ClauseItem {
                    separator,
                    text: &rest[..end],
                });
                separator = &next[..mark];
                rest = &rest[end + mark..];
                position = next.len() - mark;
            }
            position += 1;
        }
        items.push(ClauseItem {
            separator,
            text: rest,
        });
        items
    }

    fn starts_with_tool(&self, text: &str) -> bool {
        let tools = &self.table.tools;
        tools.iter().any(|tool| starts_with_name(text, &tool.name))
    }

    /// Returns true if `text` names, in backticks, a tool that is not on offer.
    fn names_missing(&self, text: &str) -> bool {
        let is_offered = |tool: &Tool| self.tools.iter().any(|other| other.name == tool.name);
        self.table
            .tools
            .iter()
            .filter(|tool| !is_offered(tool))
            .any(|tool| {
                text.match_indices('`')
                    .any(|(start, _)| starts_with_name(&text[start..], &tool.name))
            })
    }
}

/// Returns true if `text` starts with `name` in backticks.
fn starts_with_name(text: &str, name: &str) -> bool {
    text.strip_prefix('`')
        .and_then(|text| text.strip_prefix(name))
        .is_some_and(|text| text.starts_with('`'))
}

/// Splits a paragraph into its sentences, each with its full stop. A full stop within a sentence,
/// such as in `.gitignore` or `e.g. this`, is not followed by a capital letter or a name.
fn sentences(paragraph: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(paragraph);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.match_indices(". ").find(|(stop, _)| {
            let next = text[stop + ". ".len()..].chars().next();
            next.is_some_and(|c| c.is_uppercase() || c == '`')
        });
        let Some((stop, _)) = end else {
            rest = None;
            return Some(text);
        };
        rest = Some(&text[stop + ". ".len()..]);
        Some(&text[..=stop])
    })
}

fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool_table::table;

    #[track_caller]
    fn check(offered: &[&str], text: &str, expected: &str) {
        let offered: Vec<&Tool> = offered
            .iter()
            .map(|name| table().find(name).expect("there is such a tool"))
            .collect();
        assert_eq!(ToolSelection::new(table(), &offered).prose(text), expected);
    }

    const BOTH: &str = "Finds files (`.gitignore` counts). Use `search_documents` to look for \
        text, `list_full_tree` to see what exists.\n\nOne page.";

    #[test]
    fn what_names_a_missing_tool_is_left_out() {
        check(&["search_documents", "list_full_tree"], BOTH, BOTH);
        check(
            &["search_documents"],
            BOTH,
            "Finds files (`.gitignore` counts). Use `search_documents` to look for text.\n\n\
             One page.",
        );
        check(
            &["list_full_tree"],
            BOTH,
            "Finds files (`.gitignore` counts). Use `list_full_tree` to see what exists.\n\n\
             One page.",
        );
        check(
            &["explore"],
            BOTH,
            "Finds files (`.gitignore` counts).\n\nOne page.",
        );
        let clauses = "Use `read_document` first; a document over 1 MiB is read in parts.";
        check(&[], clauses, "A document over 1 MiB is read in parts.");
        let middle =
            "Use it to find out where; use `read_document` to read on, `list_full_tree` to see.";
        check(&[], middle, "Use it to find out where.");
        check(
            &["list_full_tree"],
            middle,
            "Use it to find out where; use `list_full_tree` to see.",
        );
    }

    #[test]
    fn a_name_in_passing_takes_no_more_along_than_itself() {
        check(
            &[],
            "The line, or that of the text, as `read_document` shows it; else the first.",
            "The line, or that of the text; else the first.",
        );
        check(
            &[],
            "Its slug: `read_document` takes it as `section`.",
            "Its slug.",
        );
        check(
            &[],
            "Its name, as `search_documents` gives it.",
            "Its name.",
        );
    }

    #[test]
    fn a_schema_is_left_as_it_is_but_for_what_it_says() {
        let schema = json!({"properties": {"description": {"type": "string",
            "description": "A slug. `read_document` takes it."}}, "required": ["description"]});
        let expected = json!({"properties": {"description": {"type": "string",
            "description": "A slug."}}, "required": ["description"]});
        let selection = ToolSelection::new(table(), &[]);
        assert_eq!(selection.schema_value(&schema), expected);
    }
}
