//! The arguments of a tool, from those of a function: some are typed, the others come as JSON.

use docent_tool_catalog::{camel_case, quote};
use docent_wrapper::WrapperRefusal;
use serde_json::{Map, Value};

/// Example of the JSON text with the arguments that are not typed, for errors.
const EXAMPLE: &str = r#"{"root":"notes"}"#;

/// The arguments of a tool, or the fields of an object among them, under their names in JSON.
#[derive(Debug, Default)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// Returns arguments without any.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an argument unless it is absent or empty. Hosts demand a value for each argument, and
    /// models write an empty one for none.
    #[must_use]
    pub fn with(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        let value = value.map(Into::into);
        let is_empty = |value: &Value| match value {
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => false,
        };
        self.with_any(name, value.filter(|value| !is_empty(value)))
    }

    /// Adds an argument whose empty value has a meaning, unless it is absent.
    #[must_use]
    pub fn with_any(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Adds the members of the JSON object in `more`, which errors call `name`, and returns all.
    /// A member may repeat an argument that is there.
    ///
    /// # Errors
    /// If `more` is not the text of an object, or a member differs from an argument that is there.
    pub fn with_more(
        mut self,
        name: &str,
        more: Option<&str>,
    ) -> Result<Map<String, Value>, WrapperRefusal> {
        for (member, value) in parse(name, more.unwrap_or_default())? {
            match self.0.get(&camel_case(&member)) {
                None => {
                    self.0.insert(member, value);
                }
                Some(given) if value.is_null() || *given == value => {}
                Some(_) => return Err(twice(name, &member)),
            }
        }
        Ok(self.0)
    }
}

/// Returns the object that `more` is the text of; an empty one for no text and for `null`.
fn parse(name: &str, more: &str) -> Result<Map<String, Value>, WrapperRefusal> {
    if more.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(more) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(other) => Err(malformation(name, &quote(&other.to_string()))),
        Err(error) => Err(malformation(name, &format!("no JSON ({error})"))),
    }
}

fn malformation(name: &str, found: &str) -> WrapperRefusal {
    WrapperRefusal {
        code: "invalid-request".to_owned(),
        message: format!("`{name}` is {found}; expected the text of a JSON object, or null"),
        hint: format!("Send it as in `{EXAMPLE}`, with quotes round names and texts."),
    }
}

fn twice(name: &str, member: &str) -> WrapperRefusal {
    let member = quote(member);
    WrapperRefusal {
        code: "invalid-request".to_owned(),
        message: format!("`{name}` has a different `{member}` from the one given separately"),
        hint: format!("Send `{member}` in only one of the two places."),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn taken(given: Arguments, more: Option<&str>) -> Result<Value, String> {
        let taken = given.with_more("more", more).map(Value::Object);
        taken.map_err(|refused| refused.text())
    }

    fn query() -> Arguments {
        Arguments::new().with("query", Some("a"))
    }

    #[test]
    fn nothing_more_is_written_in_several_ways() {
        for more in [None, Some(""), Some(" "), Some("null"), Some("{}")] {
            assert_eq!(taken(query(), more), Ok(json!({"query": "a"})), "{more:?}");
        }
    }

    #[test]
    fn empty_arguments_are_none_unless_that_means_something() {
        let given = Arguments::new()
            .with("query", Some(""))
            .with("paths", Some(Vec::<String>::new()))
            .with("glob", None::<String>)
            .with_any("content", Some(""));
        assert_eq!(taken(given, None), Ok(json!({"content": ""})));
    }

    #[test]
    fn further_arguments_are_added() {
        let expected = json!({"query": "a", "limits": {"maxResults": 5}});
        for more in [
            r#"{"limits":{"maxResults":5}}"#,
            // A line that names the next call repeats what was asked.
            r#"{"query":"a","limits":{"maxResults":5}}"#,
            r#"{"query":null,"limits":{"maxResults":5}}"#,
        ] {
            assert_eq!(taken(query(), Some(more)), Ok(expected.clone()), "{more}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for (more, found) in [
            ("[1]", "[1]"),
            ("5", "5"),
            ("\"view\"", "\"view\""),
            ("view=full", "no JSON (expected value at line 1 column 1)"),
        ] {
            let told = format!(
                "[invalid-request] `more` is {found}; expected the text of a JSON object, or \
                 null\nSend it as in `{EXAMPLE}`, with quotes round names and texts."
            );
            assert_eq!(taken(query(), Some(more)), Err(told));
        }
        assert!(parse("more", EXAMPLE).is_ok());
    }

    #[test]
    fn an_argument_that_differs_is_refused() {
        let given = Arguments::new().with("planId", Some("1"));
        for more in [
            r#"{"planId":"2"}"#,
            r#"{"plan-id":"2"}"#,
            r#"{"plan_id":"2"}"#,
        ] {
            let given = Arguments(given.0.clone());
            let refused = taken(given, Some(more)).unwrap_err();
            assert!(
                refused.starts_with("[invalid-request] `more` has a different `plan"),
                "{refused}"
            );
        }
    }
}
