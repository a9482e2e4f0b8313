//! The table of the tools that the component offers, derived from its WIT.
//!
//! This module knows no tool by name: the table is generated from `wit/` at build time.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use docent_markdown::ToolName;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::nearest::{nearest, nearest_whole};
use super::object_schema::ObjectSchema;

/// All tools of the component, in the order of its world.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolTable {
    /// The WIT package, with its version.
    pub package: String,
    /// The tools, in the order of the world's exports.
    pub tools: Vec<Tool>,
    /// The error codes that are shown with a number, such as `invalid-path` with `ERR_MCP_101`.
    pub error_codes: BTreeMap<String, String>,
}

/// One exported function, described as a tool.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Name for callers, in `snake_case`.
    pub name: String,
    /// Name of the exported function, in `kebab-case`.
    pub function: String,
    /// Title for people.
    pub title: String,
    /// Purpose of the tool and alternatives to it, in Markdown.
    pub description: String,
    /// True if it changes nothing.
    pub read_only: bool,
    /// True if it may replace or delete something.
    pub destructive: bool,
    /// True if a repeated call has no further effect.
    pub idempotent: bool,
    /// True if it is one of the few tools that are offered by default.
    pub pillar: bool,
    /// Locations of paths in its arguments: `path`, `paths[]`, `edits[].path`.
    pub path_arguments: Vec<String>,
    /// JSON schema of its arguments: one flat object with names in `camelCase`.
    pub input_schema: Map<String, Value>,
    /// JSON schema of its answer.
    pub output_schema: Map<String, Value>,
}

impl Tool {
    /// Returns the names of the tool that its answers use.
    pub fn names(&self) -> ToolName<'_> {
        ToolName {
            name: &self.name,
            title: &self.title,
        }
    }
}

/// Returns the table of the embedded component; it is parsed at the first call.
///
/// # Panics
/// Never with a table that the build has written.
pub fn table() -> &'static ToolTable {
    static TABLE: LazyLock<ToolTable> = LazyLock::new(|| {
        serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/tools.json")))
            .expect("the build checks that the table can be read back")
    });
    &TABLE
}

impl ToolTable {
    /// Returns the tool with this name, exactly as it is listed.
    pub fn find(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Returns the name of the tool that was probably meant by `name`.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let names = || self.tools.iter().map(|tool| tool.name.as_str());
        nearest(&to_snake(name), names()).or_else(|| nearest_whole(name, names()))
    }

    /// Formats an error code: `[ERR_MCP_101] invalid-path:` if the contract numbers it, otherwise
    /// `[invalid-request]`.
    pub fn label(&self, code: &str) -> String {
        match self.error_codes.get(code) {
            Some(number) => format!("[{number}] {code}:"),
            None => format!("[{code}]"),
        }
    }
}

impl Tool {
    /// Returns the names of the required arguments, in order.
    pub fn required_arguments(&self) -> impl Iterator<Item = &str> {
        self.schema().required_members()
    }

    /// Returns the names of all arguments: the required ones first, then the others, each in the
    /// order of the contract.
    pub fn argument_names(&self) -> impl Iterator<Item = &str> {
        self.schema().names()
    }

    /// Returns the schema of the argument with this name.
    pub fn argument(&self, name: &str) -> Option<&Value> {
        self.schema().member(name).map(|(_, schema)| schema)
    }

    /// Returns a sentence that lists the arguments.
    pub fn usage(&self) -> String {
        let mut names = Vec::new();
        for name in self.argument_names() {
            let required = self.required_arguments().any(|required| required == name);
            names.push(format!(
                "`{name}`{}",
                if required { " (required)" } else { "" }
            ));
        }
        if names.is_empty() {
            return format!("`{}` takes no arguments.", self.name);
        }
        format!("`{}` takes {}.", self.name, names.join(", "))
    }

    /// Returns the schema of all arguments.
    pub(super) fn schema(&self) -> ObjectSchema<'_> {
        ObjectSchema::new(&self.input_schema)
    }
}

fn to_snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(if c == '-' {
            '_'
        } else {
            c.to_ascii_lowercase()
        });
    }
    snake
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    /// A tool with an argument of every type.
    pub(crate) fn tool() -> Tool {
        serde_json::from_value(json!({
            "name": "find_words", "function": "find-words", "title": "Find words",
            "description": "", "readOnly": true, "destructive": false, "idempotent": true,
            "pillar": false, "pathArguments": [],
            "inputSchema": {"type": "object", "required": ["query"], "properties": {
                "query": {"type": "string"},
                "maxResults": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
                "caseSensitive": {"type": "boolean"},
                "mode": {"type": "string", "enum": ["titles-only", "snippets"]},
                "extensions": {"type": "array", "items": {"type": "string"}},
                "limits": {"type": "object", "required": [], "properties": {
                    "maxChars": {"type": "integer", "minimum": 1, "maximum": 200_000,
                        "description": "Characters, 1 to 200000. Default: `8000`."},
                    "timeField": {"type": "string", "enum": ["time-desc", "time-asc"]},
                }},
            }},
            "outputSchema": {},
        }))
        .unwrap()
    }

    #[test]
    fn labels_and_near_names() {
        let table = ToolTable {
            package: String::new(),
            tools: vec![tool()],
            error_codes: [("invalid-path".to_owned(), "ERR_MCP_101".to_owned())].into(),
        };
        assert_eq!(table.label("invalid-path"), "[ERR_MCP_101] invalid-path:");
        assert_eq!(table.label("invalid-request"), "[invalid-request]");
        assert_eq!(table.nearest("findWord"), Some("find_words"));
        assert_eq!(table.nearest("find-words"), Some("find_words"));
        assert_eq!(table.nearest("find"), Some("find_words"));
        assert_eq!(table.nearest("Words"), Some("find_words"));
        assert_eq!(table.nearest("delete"), None);
        assert_eq!(table.nearest(&"find_words".repeat(1_000_000)), None);
    }

    #[test]
    fn a_part_of_a_name_is_near() {
        let names = ["tags", "dateRange", "maxResults", "maxItemChars", "max-age"];
        for (part, whole) in [
            ("date", Some("dateRange")),
            ("Range", Some("dateRange")),
            ("date_r", Some("dateRange")),
            ("item-chars", Some("maxItemChars")),
            ("d", Some("dateRange")),
            // A short part is ambiguous; from three letters on the shortest name is taken.
            ("ma", None),
            ("max", Some("max-age")),
            ("ange", None),
            ("dateRanges", None),
            ("", None),
            ("_", None),
        ] {
            assert_eq!(nearest_whole(part, names.into_iter()), whole, "{part}");
        }
    }
}
