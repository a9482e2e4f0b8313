//! The arguments of a tool in the forms that callers may write.

use docent_spelling::camel_case;
use serde_json::{Map, Value};

use super::argument_error::ArgumentError;
use super::argument_value::{kind, members, unknown, zero_lifts};
use super::tool_table::Tool;

/// The argument that bounds the tokens of an answer.
const BUDGET: &str = "maxTokens";

impl Tool {
    /// Returns the arguments under their own names and in the order of the contract, checked by
    /// type; so are the members of objects among them.
    ///
    /// `max_results` and `max-results` are accepted for `maxResults`. `null` counts as absent, and
    /// so does an empty text for an optional argument, unless its documentation describes an empty
    /// text. A number without a fraction is an integer, however it is written. Numbers, booleans,
    /// lists and objects may be written as text, a list of one value as that value, and names of
    /// choices in any style. Names that other tools use for an argument are accepted as aliases.
    ///
    /// # Errors
    /// [`ArgumentError`] for the first argument that is unknown, given twice, of another type, or
    /// missing.
    pub fn arguments(
        &self,
        arguments: Map<String, Value>,
    ) -> Result<Map<String, Value>, ArgumentError> {
        members(self.schema(), "", arguments)
    }

    /// Lifts the token budget of a call that sets none, if the tool accepts `0` for no budget: the
    /// budget is meant for models, and a program that takes the answer as JSON wants all of it.
    pub fn lift_budget(&self, arguments: &mut Map<String, Value>) {
        let schema = self.argument(BUDGET);
        if !arguments.contains_key(BUDGET) && schema.is_some_and(zero_lifts) {
            arguments.insert(BUDGET.to_owned(), 0.into());
        }
    }

    /// Parses one `name=value` of a command line into an argument; lists are separated by commas.
    ///
    /// # Errors
    /// [`ArgumentError::Unknown`] if there is no such argument. A value of another type is returned
    /// as text, for [`Tool::arguments`] to refuse.
    pub fn assignment(&self, name: &str, text: &str) -> Result<(String, Value), ArgumentError> {
        let (argument, schema) = self
            .schema()
            .member(&camel_case(name))
            .ok_or_else(|| unknown(self.schema(), "", name))?;
        let as_text = || Value::String(text.to_owned());
        let value = match kind(schema) {
            "string" => as_text(),
            // A list is written as `extensions=md,txt` by people. The form `extensions=["a,b"]`
            // is for values that contain commas, and for objects.
            "array" if !text.starts_with(['[', '{']) => text
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(Value::from)
                .collect(),
            // `limit=x` stays text. The check of all arguments then reports the expected type,
            // as for any other caller.
            _ => serde_json::from_str(text).unwrap_or_else(|_| as_text()),
        };
        Ok((argument.to_owned(), value))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::object_schema::ObjectSchema;
    use crate::tool_table::tests::tool;

    #[track_caller]
    fn accepts(arguments: Value, expected: Value) {
        let Value::Object(arguments) = arguments else {
            panic!("not an object")
        };
        assert_eq!(tool().arguments(arguments).map(Value::Object), Ok(expected));
    }

    #[track_caller]
    fn refuses(arguments: Value, message: &str) {
        let Value::Object(arguments) = arguments else {
            panic!("not an object")
        };
        assert_eq!(
            tool().arguments(arguments).unwrap_err().to_string(),
            message
        );
    }

    #[test]
    fn every_spelling_of_an_argument_is_the_same() {
        for name in ["maxResults", "max_results", "max-results"] {
            accepts(
                json!({"query": "a", name: 5}),
                json!({"query": "a", "maxResults": 5}),
            );
        }
    }

    #[test]
    fn a_budget_is_lifted_where_that_can_be_asked_for() {
        let lifted = |name: &str, given: Value| {
            let Value::Object(mut arguments) = given else {
                panic!("not an object")
            };
            let tool = crate::table().find(name).unwrap();
            tool.lift_budget(&mut arguments);
            Value::Object(arguments)
        };
        assert_eq!(
            lifted("search_documents", json!({"query": "a"})),
            json!({"query": "a", "maxTokens": 0})
        );
        for (name, given) in [
            ("search_documents", json!({"maxTokens": 500})),
            ("smart_search", json!({"query": "a"})),
            ("list_documents", json!({})),
        ] {
            assert_eq!(lifted(name, given.clone()), given);
        }
    }

    #[test]
    fn null_is_left_out_and_whole_floats_are_whole() {
        accepts(
            json!({"query": "a", "mode": null, "maxResults": 5.0}),
            json!({"query": "a", "maxResults": 5}),
        );
        accepts(
            json!({"query": "a", "extensions": ["md"], "caseSensitive": true, "mode": "snippets"}),
            json!({"query": "a", "caseSensitive": true, "extensions": ["md"], "mode": "snippets"}),
        );
    }

    #[test]
    fn an_empty_text_is_left_out_where_nothing_else_is_said() {
        accepts(
            json!({"query": "", "mode": "", "maxResults": "", "caseSensitive": "", "extensions": "",
                "limits": ""}),
            json!({"query": ""}),
        );
        accepts(
            json!({"query": "a", "limits": "{\"maxChars\": \"\", \"timeField\": \"time_asc\"}"}),
            json!({"query": "a", "limits": {"timeField": "time-asc"}}),
        );
        let schema = json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"},
            "note": {"type": "string", "description": "Why it was emptied."},
            "text": {"type": "string", "description": "The new text; empty to remove."},
        }});
        let object = ObjectSchema::from_value(&schema).unwrap();
        let Value::Object(given) = json!({"path": "", "note": "", "text": ""}) else {
            unreachable!()
        };
        let taken = members(object, "", given).map(Value::Object);
        assert_eq!(taken, Ok(json!({"path": "", "text": ""})));
    }

    #[test]
    fn an_unknown_argument_names_the_nearest() {
        refuses(
            json!({"query": "a", "max_result": 5}),
            "unknown argument `max_result`; expected `maxResults`, which is the nearest",
        );
        refuses(
            json!({"query": "a", "Query": "b"}),
            "unknown argument `Query`; expected `query`, which is the nearest",
        );
        refuses(
            json!({"query": "a", "results": 5}),
            "unknown argument `results`; expected `maxResults`, which is the nearest",
        );
        refuses(
            json!({"query": "a", "chars": 5}),
            "unknown argument `chars`; expected `limits.maxChars`, which is the nearest",
        );
        refuses(
            json!({"query": "a", "zzz": 5}),
            "unknown argument `zzz`; expected one of `query`, `maxResults`, `caseSensitive`, \
             `mode`, `extensions`, `limits`",
        );
    }

    #[test]
    fn what_stands_within_an_object_is_an_argument_as_well() {
        for name in ["maxChars", "max_chars", "max-chars"] {
            accepts(
                json!({"query": "a", "limits": {"timeField": "TIME_DESC", name: "5.0"}}),
                json!({"query": "a", "limits": {"maxChars": 5, "timeField": "time-desc"}}),
            );
        }
        accepts(
            json!({"query": "a", "limits": {"maxChars": null}}),
            json!({"query": "a", "limits": {}}),
        );
        refuses(
            json!({"query": "a", "limits": {"maxChar": 5}}),
            "unknown argument `limits.maxChar`; expected `limits.maxChars`, which is the nearest",
        );
        refuses(
            json!({"query": "a", "limits": {"zzz": 5}}),
            "unknown argument `limits.zzz`; expected one of `limits.maxChars`, `limits.timeField`",
        );
        refuses(
            json!({"query": "a", "limits": {"maxChars": 1, "max_chars": 2}}),
            "`limits.maxChars` is given twice; expected one spelling of it",
        );
        refuses(
            json!({"query": "a", "limits": {"maxChars": "x"}}),
            "`limits.maxChars` is \"x\"; expected a whole number from 1 to 200000",
        );
        refuses(
            json!({"query": "a", "limits": 5}),
            "`limits` is 5; expected an object of `maxChars`, `timeField`",
        );
    }

    #[test]
    fn an_argument_that_belongs_into_an_object_is_told_where() {
        refuses(
            json!({"query": "a", "max_chars": 5}),
            "unknown argument `max_chars`; expected `limits.maxChars`, which is the nearest",
        );
    }

    #[test]
    fn a_wrong_type_says_what_was_expected() {
        let whole = "a whole number from 0 to 4294967295";
        refuses(
            json!({"query": "a", "maxResults": "x"}),
            &format!("`maxResults` is \"x\"; expected {whole}"),
        );
        refuses(
            json!({"query": "a", "maxResults": -1}),
            &format!("`maxResults` is -1; expected {whole}"),
        );
        refuses(
            json!({"query": "a", "maxResults": 1.5}),
            &format!("`maxResults` is 1.5; expected {whole}"),
        );
        refuses(
            json!({"query": "a", "maxResults": 1e300}),
            &format!("`maxResults` is 1e+300; expected {whole}"),
        );
        refuses(
            json!({"query": "a", "maxResults": 4_294_967_296_u64}),
            &format!("`maxResults` is 4294967296; expected {whole}"),
        );
        refuses(json!({"query": 5}), "`query` is 5; expected a string");
        refuses(
            json!({"query": "a", "caseSensitive": "yes"}),
            "`caseSensitive` is \"yes\"; expected true or false",
        );
        refuses(
            json!({"query": "a", "mode": "all"}),
            "`mode` is \"all\"; expected one of `titles-only`, `snippets`",
        );
        refuses(
            json!({"query": "a", "extensions": 5}),
            "`extensions` is 5; expected a list of strings",
        );
        refuses(
            json!({"query": "a", "extensions": ["md", 1]}),
            "`extensions[1]` is 1; expected a string",
        );
    }

    #[test]
    fn missing_and_doubled_arguments_are_refused() {
        refuses(json!({}), "`query` is missing; expected a string");
        refuses(
            json!({"query": null}),
            "`query` is missing; expected a string",
        );
        refuses(
            json!({"query": "a", "max_results": 1, "maxResults": 2}),
            "`maxResults` is given twice; expected one spelling of it",
        );
    }

    #[test]
    fn a_long_wrong_value_is_cut_and_has_no_control_characters() {
        let value = format!("\u{1b}[31m{}", "x".repeat(1000));
        let Value::Object(arguments) = json!({ value: 1 }) else {
            unreachable!()
        };
        let message = tool().arguments(arguments).unwrap_err().to_string();
        assert!(
            message.len() < 200 && !message.contains('\u{1b}'),
            "{message}"
        );
    }

    #[test]
    fn assignments_follow_the_schema() {
        let tool = tool();
        let check = |name, text, key: &str, value: Value| {
            assert_eq!(tool.assignment(name, text), Ok((key.to_owned(), value)));
        };
        check("query", "5", "query", json!("5"));
        check("max-results", "5", "maxResults", json!(5));
        check("max_results", "x", "maxResults", json!("x"));
        check("caseSensitive", "true", "caseSensitive", json!(true));
        check("extensions", "md, txt", "extensions", json!(["md", "txt"]));
        check("extensions", "[\"md\"]", "extensions", json!(["md"]));
        assert!(tool.assignment("nope", "1").is_err());
    }
}
