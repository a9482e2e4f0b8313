use proptest::prelude::*;

use crate::{ConfigFormat, Launch, ServerEntry};

const STRICT: ConfigFormat = ConfigFormat::json("mcpServers", None);
const COMMENTS: ConfigFormat = ConfigFormat::jsonc("servers", Some(("type", "stdio")));

fn read_launch(root: &str) -> Launch {
    Launch::new("/bin/docent", &[root.to_owned()])
}

#[track_caller]
fn check_insert(format: ConfigFormat, text: &str, expected: &str) {
    let new = format.insert(text, &read_launch("/d")).unwrap();
    assert_eq!(new, expected);
    let found = format.find(&new).unwrap();
    assert_eq!(found, ServerEntry::Docent(read_launch("/d")));
}

#[track_caller]
fn check_insert_and_remove(format: ConfigFormat, text: &str, expected: &str) {
    check_insert(format, text, expected);
    assert_eq!(format.remove(expected).unwrap(), text);
}

#[test]
fn an_empty_file_becomes_a_whole_one() {
    let whole = "{\n  \"mcpServers\": {\n    \"docent\": {\n      \"command\": \"/bin/docent\",\n      \
                 \"args\": [\"mcp\", \"--root\", \"/d\"]\n    }\n  }\n}\n";
    check_insert(STRICT, "", whole);
    check_insert(STRICT, " \n", whole);
    assert_eq!(STRICT.remove(whole).unwrap(), "{}\n");
    let below = format!("// Mine\n{}", whole.replace("mcpServers", "servers"));
    let below = below.replace(
        "      \"command",
        "      \"type\": \"stdio\",\n      \"command",
    );
    check_insert(COMMENTS, "// Mine", &below);
}

#[test]
fn a_missing_table_comes_last() {
    check_insert_and_remove(
        STRICT,
        "{\n\t\"a\": 1\n}\n",
        "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"docent\": {\n\t\t\t\"command\": \"/bin/docent\",\n\
         \t\t\t\"args\": [\"mcp\", \"--root\", \"/d\"]\n\t\t}\n\t}\n}\n",
    );
}

#[test]
fn an_entry_comes_below_the_others() {
    check_insert_and_remove(
        STRICT,
        "{\r\n    \"mcpServers\": {\r\n        \"a\": {}\r\n    },\r\n    \"b\": 2\r\n}",
        "{\r\n    \"mcpServers\": {\r\n        \"a\": {},\r\n        \"docent\": {\r\n            \
         \"command\": \"/bin/docent\",\r\n            \"args\": [\"mcp\", \"--root\", \"/d\"]\r\n        \
         }\r\n    },\r\n    \"b\": 2\r\n}",
    );
}

#[test]
fn a_line_stays_a_line() {
    check_insert_and_remove(
        STRICT,
        "{\"mcpServers\":{\"a\":{}},\"b\":2}",
        "{\"mcpServers\":{\"a\":{},\"docent\":{\"command\":\"/bin/docent\",\
         \"args\":[\"mcp\",\"--root\",\"/d\"]}},\"b\":2}",
    );
    check_insert_and_remove(
        STRICT,
        "{ \"b\": 2 }",
        "{ \"b\": 2, \"mcpServers\": {\"docent\": {\"command\": \"/bin/docent\", \
         \"args\": [\"mcp\", \"--root\", \"/d\"]}} }",
    );
}

#[test]
fn comments_and_trailing_commas_stay_where_they_are() {
    check_insert_and_remove(
        COMMENTS,
        "{\n  // Servers\n  \"servers\": {\n    \"a\": {}, // the first\n    /* none below */\n  },\n}\n",
        "{\n  // Servers\n  \"servers\": {\n    \"a\": {}, // the first\n    \"docent\": {\n      \
         \"type\": \"stdio\",\n      \"command\": \"/bin/docent\",\n      \
         \"args\": [\"mcp\", \"--root\", \"/d\"]\n    },\n    /* none below */\n  },\n}\n",
    );
    check_insert_and_remove(
        COMMENTS,
        "{\n  \"servers\": {\n    \"a\": {} /* one */ // line\n  }\n}",
        "{\n  \"servers\": {\n    \"a\": {}, /* one */ // line\n    \"docent\": {\n      \
         \"type\": \"stdio\",\n      \"command\": \"/bin/docent\",\n      \
         \"args\": [\"mcp\", \"--root\", \"/d\"]\n    }\n  }\n}",
    );
    check_insert_and_remove(
        COMMENTS,
        "{\n  \"servers\": {\n    // Add servers here.\n  }\n}",
        "{\n  \"servers\": {\n    // Add servers here.\n    \"docent\": {\n      \
         \"type\": \"stdio\",\n      \"command\": \"/bin/docent\",\n      \
         \"args\": [\"mcp\", \"--root\", \"/d\"]\n    }\n  }\n}",
    );
}

#[test]
fn a_changed_entry_keeps_its_other_keys() {
    let old = "{\"mcpServers\": {\"docent\": {\n  \"command\": \"docent\", // found on PATH\n  \
               \"env\": {\"A\": \"b\"},\n  \"args\": [\n    \"mcp\",\n    \"--tools\", \"all\"\n  ],\n  \
               \"disabled\": false\n}}}";
    let format = ConfigFormat::jsonc("mcpServers", None);
    let ServerEntry::Docent(there) = format.find(old).unwrap() else {
        panic!("not docent's");
    };
    assert_eq!(there.env.get("A").map(String::as_str), Some("b"));
    let new = format
        .replace(
            old,
            &there.with_program_and_roots("/bin/docent", &["/d".to_owned()]),
        )
        .unwrap();
    assert_eq!(
        new,
        "{\"mcpServers\": {\"docent\": {\n  \"command\": \"/bin/docent\", // found on PATH\n  \
         \"env\": {\"A\": \"b\"},\n  \
         \"args\": [\"mcp\", \"--tools\", \"all\", \"--root\", \"/d\"],\n  \"disabled\": false\n}}}"
    );
    assert_eq!(
        format
            .replace(
                &new,
                &there.with_program_and_roots("/bin/docent", &["/d".to_owned()])
            )
            .unwrap(),
        new
    );
}

#[test]
fn a_foreign_entry_is_replaced_whole() {
    let old = "{\n  \"mcpServers\": {\n    \"docent\": {\n      \"url\": \"https://example.org/mcp\"\n    \
               },\n    \"a\": {}\n  }\n}";
    let ServerEntry::Foreign(text) = STRICT.find(old).unwrap() else {
        panic!("not foreign");
    };
    assert_eq!(text, "{\n      \"url\": \"https://example.org/mcp\"\n    }");
    assert_eq!(
        STRICT.replace(old, &read_launch("/d")).unwrap(),
        "{\n  \"mcpServers\": {\n    \"docent\": {\n      \"command\": \"/bin/docent\",\n      \
         \"args\": [\"mcp\", \"--root\", \"/d\"]\n    },\n    \"a\": {}\n  }\n}"
    );
    assert_eq!(
        STRICT.remove(old).unwrap(),
        "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}"
    );
}

#[track_caller]
fn check_refused(format: ConfigFormat, text: &str, expected: &str) {
    assert_eq!(format.find(text).unwrap_err().to_string(), expected);
    assert!(format.insert(text, &read_launch("/d")).is_err());
    assert!(format.remove(text).is_err());
}

#[test]
fn a_broken_text_is_refused_with_its_line() {
    for (text, expected) in [
        (
            "{\n\"a\": 1\n\"b\": 2}",
            "line 3: `\"`; expected `,` or `}`",
        ),
        ("{\"a\": 1,}", "line 1: `}`; expected a key in quotes"),
        (
            "{\n\n// no\n}",
            "line 3: `/`; expected a key in quotes or `}`",
        ),
        ("{\n\"a\": tru\n}", "line 2: `tru`; expected a value"),
        (
            "{\"a\": \"b\n\"}",
            "line 1: an unterminated string; expected `\"`",
        ),
        (
            r#"{"a": "\q"}"#,
            "line 1: a string with an unescaped or wrongly escaped character",
        ),
        (
            "{",
            "line 1: the end of the file; expected a key in quotes or `}`",
        ),
        ("{}\n}", "line 2: `}`; expected the end of the file"),
        ("[]", "line 1: not an object; expected `{`"),
        (
            "{\n\"mcpServers\": []}",
            "line 2: `mcpServers` is not an object; expected `{`",
        ),
        (
            "{\"mcpServers\": {},\n\"mcpServers\": {}}",
            "line 2: `mcpServers` occurs twice; expected it once",
        ),
        (
            "{\"mcpServers\": {\"docent\": {},\n\"docent\": {}}}",
            "line 2: `docent` occurs twice; expected it once",
        ),
    ] {
        check_refused(STRICT, text, expected);
    }
    check_refused(
        COMMENTS,
        "{\n/* }",
        "line 2: an unterminated comment; expected `*/`",
    );
    let deep = "[".repeat(1_000_000);
    let problem = "line 1: values nested too deep; expected 128 levels at most";
    check_refused(STRICT, &deep, problem);
}

#[test]
fn a_byte_order_mark_stays() {
    let text = "\u{feff}{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}";
    let new = STRICT.insert(text, &read_launch("/d")).unwrap();
    assert!(new.starts_with('\u{feff}'));
    assert_eq!(STRICT.remove(&new).unwrap(), text);
}

/// The layout of an object or array.
#[derive(Clone, Copy, Debug)]
struct SampleForm {
    is_inline: bool,
    is_spaced: bool,
    ends_with_comma: bool,
    remark: u8,
}

/// A value and its formatting.
#[derive(Clone, Debug)]
enum SampleValue {
    Scalar(&'static str),
    Array(Vec<SampleValue>, SampleForm),
    Object(Vec<(String, SampleValue)>, SampleForm),
}

impl SampleValue {
    fn write(&self, dialect: ConfigFormat, indent: &str, newline: &str, text: &mut String) {
        match self {
            Self::Scalar(scalar) => text.push_str(scalar),
            Self::Array(items, form) => {
                let items = items.iter().map(|item| (None, item));
                write_list(dialect, "[]", items, *form, (indent, newline), text);
            }
            Self::Object(members, form) => {
                let members = members
                    .iter()
                    .map(|(key, value)| (Some(key.as_str()), value));
                write_list(dialect, "{}", members, *form, (indent, newline), text);
            }
        }
    }
}

fn write_list<'w>(
    dialect: ConfigFormat,
    brackets: &str,
    items: impl ExactSizeIterator<Item = (Option<&'w str>, &'w SampleValue)>,
    form: SampleForm,
    (indent, newline): (&str, &str),
    text: &mut String,
) {
    let has_comments = dialect == COMMENTS;
    let inner = format!("{indent}  ");
    let count = items.len();
    text.push_str(&brackets[..1]);
    for (index, (key, value)) in items.enumerate() {
        if !form.is_inline {
            text.push_str(newline);
            if has_comments && form.remark % 4 == 1 {
                text.push_str(&format!("{inner}// above, {{\"{newline}"));
            }
            text.push_str(&inner);
        } else if index > 0 && form.is_spaced {
            text.push(' ');
        }
        if let Some(key) = key {
            let colon = if form.is_spaced { ": " } else { ":" };
            text.push_str(&format!("\"{key}\"{colon}"));
        }
        value.write(dialect, &inner, newline, text);
        let is_last = index + 1 == count;
        if !is_last || has_comments && form.ends_with_comma {
            text.push(',');
        }
        if has_comments && form.remark % 4 == 2 {
            text.push_str(" /* } */");
        }
        if has_comments && !form.is_inline && form.remark % 4 == 3 {
            text.push_str(" // behind, ]");
        }
    }
    if !form.is_inline && count > 0 {
        text.push_str(newline);
        text.push_str(indent);
    }
    text.push_str(&brackets[1..]);
}

fn form() -> impl Strategy<Value = SampleForm> {
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<u8>()).prop_map(
        |(is_inline, is_spaced, ends_with_comma, remark)| SampleForm {
            is_inline,
            is_spaced,
            ends_with_comma,
            remark,
        },
    )
}

fn object(value: impl Strategy<Value = SampleValue>) -> impl Strategy<Value = SampleValue> {
    let members = prop::collection::btree_map("[a-c가]{1,3}", value, 0..4);
    (members, form())
        .prop_map(|(members, form)| SampleValue::Object(members.into_iter().collect(), form))
}

fn value() -> impl Strategy<Value = SampleValue> {
    let scalar =
        prop::sample::select(&["1", "-2.5e3", "true", "null", r#""\"}""#, r#""a // b""#][..]);
    let leaf = scalar.prop_map(SampleValue::Scalar);
    leaf.prop_recursive(3, 24, 4, |inner| {
        let array = (prop::collection::vec(inner.clone(), 0..4), form());
        prop_oneof![
            array.prop_map(|(items, form)| SampleValue::Array(items, form)),
            object(inner),
        ]
    })
}

/// Generates a configuration without docent, and without an empty table of servers.
fn configuration(format: ConfigFormat, table: &'static str) -> impl Strategy<Value = String> {
    let servers = prop::option::of(object(value()));
    let outer = object(value());
    (outer, servers, any::<bool>()).prop_map(move |(mut outer, servers, is_windows)| {
        if let (SampleValue::Object(members, _), Some(servers)) = (&mut outer, servers)
            && !matches!(&servers, SampleValue::Object(members, _) if members.is_empty())
        {
            members.insert(members.len() / 2, (table.to_owned(), servers));
        }
        let mut text = String::new();
        outer.write(
            format,
            "",
            if is_windows { "\r\n" } else { "\n" },
            &mut text,
        );
        text
    })
}

#[track_caller]
fn check_law(format: ConfigFormat, text: &str) {
    let one = format.insert(text, &read_launch("/one")).unwrap();
    assert_eq!(format.remove(&one).unwrap(), text, "{one}");
    let two = format.replace(&one, &read_launch("/two")).unwrap();
    assert_eq!(
        format.find(&two).unwrap(),
        ServerEntry::Docent(read_launch("/two"))
    );
    assert_eq!(format.remove(&two).unwrap(), text, "{two}");
    assert_eq!(format.replace(&two, &read_launch("/two")).unwrap(), two);
}

proptest! {
    #[test]
    fn removing_gives_back_what_inserting_found(text in configuration(STRICT, "mcpServers")) {
        check_law(STRICT, &text);
    }

    #[test]
    fn so_it_does_between_comments(text in configuration(COMMENTS, "servers")) {
        check_law(COMMENTS, &text);
    }

    #[test]
    fn any_text_is_read_or_refused(
        text in configuration(COMMENTS, "servers"),
        cut in any::<prop::sample::Index>(),
        sign in any::<char>(),
    ) {
        let at = text.floor_char_boundary(cut.index(text.len() + 1));
        for text in [
            text[..at].to_owned(),
            format!("{}{sign}{}", &text[..at], &text[at..]),
        ] {
            let found = COMMENTS.find(&text);
            let inserted = COMMENTS.insert(&text, &read_launch("/d"));
            prop_assert_eq!(found.is_ok(), inserted.is_ok());
        }
    }
}
