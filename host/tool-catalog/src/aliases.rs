//! Aliases: names and forms of arguments that models know from other tools. They are accepted
//! beside those of the contract, and do not appear in any schema.

use docent_spelling::camel_case;
use serde_json::Value;

use super::object_schema::ObjectSchema;

/// Pairs of an alias and the members that it may denote here. It denotes the one of them that an
/// object has; in an object that has none, or several, the alias is refused.
const NAMES: [(&str, &[&str]); 27] = [
    ("oldString", &["oldText"]),
    ("oldStr", &["oldText"]),
    ("search", &["oldText", "query"]),
    ("newString", &["newText"]),
    ("newStr", &["newText"]),
    ("replace", &["newText"]),
    ("insertText", &["insert"]),
    (ALL, &[OCCURRENCE]),
    ("text", &["content", "newText", "insert"]),
    ("fileText", &["content"]),
    ("contents", &["content"]),
    ("body", &["content"]),
    ("path", FILES),
    ("paths", FILES),
    ("filePath", FILES),
    ("filePaths", FILES),
    ("file", FILES),
    ("files", FILES),
    ("filename", FILES),
    ("fileName", FILES),
    ("directory", FILES),
    ("dir", FILES),
    ("folder", FILES),
    ("pattern", &["glob"]),
    ("q", &["query"]),
    ("question", &["query"]),
    ("topK", &["limit"]),
];

/// The names of arguments that hold files and directories.
const FILES: &[&str] = &["path", "paths"];

/// The alias of a boolean that asks to replace every occurrence of a text.
const ALL: &str = "replaceAll";

/// The argument that selects occurrences: the number of one, or all.
const OCCURRENCE: &str = "occurrence";

/// Returns the member of `object` for which `name` is an alias; none if the object has a member
/// called `name`, or not exactly one member of that meaning.
pub(super) fn find_alias<'a>(object: ObjectSchema<'a>, name: &str) -> Option<(&'a str, &'a Value)> {
    let name = camel_case(name);
    // A name of the object's own is never an alias. Where a tool has both `path` and `paths`,
    // `path` means itself; an alias such as `file` would be ambiguous there and is refused
    // below.
    if object.member(&name).is_some() {
        return None;
    }
    let (_, own) = NAMES.iter().find(|(other, _)| *other == name)?;
    let mut members = own.iter().filter_map(|own| object.member(own));
    let member = members.next()?;
    members.next().is_none().then_some(member)
}

/// Converts a value given as `name` to the form that `member` has: the boolean of `replaceAll`
/// becomes an occurrence, where `false` counts as absent, and the number of an occurrence becomes
/// text.
pub(super) fn in_form(name: &str, member: &str, value: Value) -> Value {
    if member != OCCURRENCE {
        return value;
    }
    if camel_case(name) == ALL {
        let is = |text: &str| match &value {
            Value::Bool(truth) => truth.to_string() == text,
            Value::String(given) => given.eq_ignore_ascii_case(text),
            _ => false,
        };
        return match (is("true"), is("false")) {
            (true, _) => Value::from("all"),
            (_, true) => Value::Null,
            _ => value,
        };
    }
    match value {
        Value::Number(number) => Value::from(number.to_string()),
        value => value,
    }
}

/// Converts an object to a list of names and values if `schema` requires such a list: most callers
/// write `{"title": "T"}` for `[{"name": "title", "value": "T"}]`. Numbers and booleans in it
/// become text.
pub(super) fn in_list(schema: &Value, value: Value) -> Value {
    let is_of_pairs = ObjectSchema::from_value(&schema["items"])
        .is_some_and(|item| item.names().eq(["name", "value"]));
    match value {
        Value::Object(fields) if is_of_pairs => fields
            .into_iter()
            .map(|(name, value)| {
                let value = match value {
                    Value::Number(_) | Value::Bool(_) => Value::from(value.to_string()),
                    value => value,
                };
                Value::Object(
                    [
                        ("name".to_owned(), name.into()),
                        ("value".to_owned(), value),
                    ]
                    .into_iter()
                    .collect(),
                )
            })
            .collect(),
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::argument_error::ArgumentError;
    use crate::argument_value::accept;
    use crate::argument_value::members;

    fn taken(given: Value) -> Result<Value, String> {
        let text = json!({"type": "string"});
        let schema = json!({"type": "object", "required": [], "properties": {
            "oldText": text, "newText": text, "insert": text, "occurrence": text,
        }});
        let Value::Object(given) = given else {
            return Err("not an object".to_owned());
        };
        let object = ObjectSchema::from_value(&schema).ok_or("no schema of an object")?;
        let taken = members(object, "edits[0].", given).map(Value::Object);
        taken.map_err(|error: ArgumentError| error.to_string())
    }

    #[track_caller]
    fn takes(given: Value, expected: Value) {
        assert_eq!(taken(given), Ok(expected));
    }

    #[track_caller]
    fn refuses(given: Value, message: &str) {
        assert_eq!(taken(given), Err(message.to_owned()));
    }

    #[test]
    fn names_of_other_tools_are_taken() {
        let expected = json!({"oldText": "a", "newText": "b"});
        for (old, new) in [
            ("old_string", "new_string"),
            ("old_str", "new_str"),
            ("oldText", "newText"),
            ("oldString", "newString"),
            ("search", "replace"),
        ] {
            takes(json!({old: "a", new: "b"}), expected.clone());
        }
        takes(json!({"insert_text": "a"}), json!({"insert": "a"}));
    }

    #[test]
    fn a_name_that_may_mean_several_members_is_not_taken() {
        // In an edit it may be the inserted text or the replacement.
        refuses(
            json!({"oldText": "a", "text": "b"}),
            "unknown argument `edits[0].text`; expected `edits[0].oldText`, which is the nearest",
        );
        let schema = |names: &[&str]| {
            let text = || json!({"type": "string"});
            let list = || json!({"type": "array", "items": text()});
            let schema = |name: &&str| if name.ends_with('s') { list() } else { text() };
            let properties: Map<_, _> = names
                .iter()
                .map(|name| ((*name).to_owned(), schema(name)))
                .collect();
            json!({"type": "object", "required": [], "properties": properties})
        };
        for (names, given, expected) in [
            (
                &["paths"][..],
                json!({"path": "a"}),
                json!({"paths": ["a"]}),
            ),
            (&["path"], json!({"paths": ["a"]}), json!({"path": "a"})),
            (&["path"], json!({"file_path": "a"}), json!({"path": "a"})),
            (
                &["paths"],
                json!({"files": ["a", "b"]}),
                json!({"paths": ["a", "b"]}),
            ),
            (
                &["path", "content"],
                json!({"filename": "a", "text": "b"}),
                json!({"path": "a", "content": "b"}),
            ),
            (
                &["glob"],
                json!({"pattern": "*.md"}),
                json!({"glob": "*.md"}),
            ),
            (
                &["glob", "pattern"],
                json!({"pattern": "a"}),
                json!({"pattern": "a"}),
            ),
        ] {
            let schema = schema(names);
            let (Some(object), Value::Object(given)) = (ObjectSchema::from_value(&schema), given)
            else {
                panic!("no object")
            };
            assert_eq!(members(object, "", given).map(Value::Object), Ok(expected));
        }
    }

    #[test]
    fn all_places_and_one_of_them() {
        for all in [json!(true), json!("true"), json!("True")] {
            takes(json!({"replace_all": all}), json!({"occurrence": "all"}));
        }
        takes(
            json!({"replaceAll": false, "occurrence": 2}),
            json!({"occurrence": "2"}),
        );
        takes(json!({"occurrence": "all"}), json!({"occurrence": "all"}));
        refuses(
            json!({"replace_all": 5}),
            "`edits[0].occurrence` is 5; expected a string",
        );
    }

    #[test]
    fn two_names_say_the_same_or_are_refused() {
        takes(
            json!({"old_string": "a", "oldText": "a"}),
            json!({"oldText": "a"}),
        );
        refuses(
            json!({"oldText": "a", "old_string": "b"}),
            "`edits[0].oldText` and `edits[0].old_string` differ; expected one of them",
        );
        refuses(
            json!({"search": "a", "old_str": "b"}),
            "`edits[0].search` and `edits[0].old_str` differ; expected one of them",
        );
        refuses(
            json!({"replace_all": true, "occurrence": "2"}),
            "`edits[0].replace_all` and `edits[0].occurrence` differ; expected one of them",
        );
        // Two spellings of one name are not two names.
        refuses(
            json!({"oldText": "a", "old_text": "a"}),
            "`edits[0].oldText` is given twice; expected one spelling of it",
        );
    }

    #[test]
    fn names_and_values_may_be_an_object() {
        let text = json!({"type": "string"});
        let pair = json!({"type": "object", "required": ["name", "value"],
            "properties": {"name": text, "value": text}});
        let schema = json!({"type": "array", "items": pair});
        let list = json!([{"name": "title", "value": "T"}, {"name": "count", "value": "2"}]);
        for given in [json!({"title": "T", "count": 2}), list.clone()] {
            assert_eq!(accept("variables", &schema, given), Ok(list.clone()));
        }
        let error = accept("variables", &schema, json!({"title": ["T", "U"]}));
        assert_eq!(
            error.map_err(|error| error.to_string()),
            Err("`variables[0].value` is [\"T\",\"U\"]; expected a string".to_owned()),
        );
        let other = json!({"type": "array", "items": text});
        assert!(accept("paths", &other, json!({"a": "b"})).is_err());
    }

    #[test]
    fn an_object_without_such_a_member_takes_no_such_name() {
        let schema = json!({"type": "object", "properties": {"search": {"type": "string"}}});
        let object = ObjectSchema::from_value(&schema).unwrap();
        assert_eq!(find_alias(object, "search"), None);
        assert_eq!(find_alias(object, "old_string"), None);
        let given = Map::from_iter([("search".to_owned(), json!("a"))]);
        assert_eq!(members(object, "", given.clone()), Ok(given));
    }
}
