//! Forms of an edit: each edit has exactly one, with the fields that belong to it.

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{Edit, InsertPlace};
use docent_tree::error::refuse;

/// The forms of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditForm {
    /// A text is replaced.
    Text,
    /// A text is added.
    Insert,
    /// A section is edited.
    Section,
    /// Lines are replaced.
    Lines,
    /// A diff is applied.
    Diff,
    /// The file gets another path.
    Move,
}

/// A form: the field that identifies it, its required fields, and those it allows in addition to
/// these and the path.
struct FormFields {
    form: EditForm,
    leader: &'static str,
    needs: &'static [&'static str],
    takes: &'static [&'static str],
}

/// Fields that select one of several places of a text.
const CHOICE: [&str; 6] = ["line", "occurrence", "within", "before", "after", "match"];

const SHAPES: [FormFields; 6] = [
    FormFields {
        form: EditForm::Text,
        leader: "oldText",
        needs: &["newText"],
        takes: &[
            "line",
            "occurrence",
            "expectCount",
            "within",
            "before",
            "after",
            "match",
        ],
    },
    FormFields {
        form: EditForm::Insert,
        leader: "insert",
        needs: &["at"],
        takes: &[],
    },
    FormFields {
        form: EditForm::Section,
        leader: "section",
        needs: &["op"],
        takes: &["content", "includeSubsections"],
    },
    FormFields {
        form: EditForm::Lines,
        leader: "lines",
        needs: &["hash", "newText"],
        takes: &[],
    },
    FormFields {
        form: EditForm::Diff,
        leader: "diff",
        needs: &[],
        takes: &[],
    },
    FormFields {
        form: EditForm::Move,
        leader: "move",
        needs: &[],
        takes: &["updateLinks"],
    },
];

/// Returns the form of an edit.
///
/// # Errors
/// `invalid-request` that names the fields which clash, or those that lack.
pub fn form(edit: &Edit) -> Result<EditForm, Error> {
    let given = given_fields(edit);
    let leaders: Vec<&FormFields> = SHAPES
        .iter()
        .filter(|shape| given.contains(&shape.leader))
        .collect();
    let shape = match leaders[..] {
        [shape] => shape,
        [] => return Err(no_form(&given)),
        _ => {
            let names = join_names(leaders.iter().map(|shape| shape.leader));
            let is_within = leaders
                .iter()
                .all(|shape| matches!(shape.form, EditForm::Text | EditForm::Section));
            let hint = if is_within {
                "To look for the text in one section, send its name as `within` instead of \
                 `section`; else make an edit of each."
            } else {
                "Make an edit of each."
            };
            return Err(refuse(
                ErrorCode::InvalidRequest,
                format!("{names} clash; expected exactly one of them"),
                hint,
            ));
        }
    };
    let (needs, takes) = match edit.at {
        Some(at) if shape.form == EditForm::Insert => insert_fields(at),
        _ => (shape.needs, shape.takes),
    };
    let goes_with = |name: &str| {
        name == shape.leader
            || name == "path"
            || name == "at" && shape.form == EditForm::Insert
            || needs.contains(&name)
            || takes.contains(&name)
    };
    let (leader, at) = (shape.leader, at_name(edit.at));
    if let Some(names) = list_names(&given, |name| !goes_with(name)) {
        return Err(refuse(
            ErrorCode::InvalidRequest,
            format!("{names} and `{leader}`{at} clash: they belong to different forms of edits"),
            takes_hint(leader, needs, takes),
        ));
    }
    if let Some(names) = list_names(needs, |name| !given.contains(&name)) {
        return Err(refuse(
            ErrorCode::InvalidRequest,
            format!("`{leader}`{at} needs {names}; expected it as well"),
            takes_hint(leader, needs, takes),
        ));
    }
    if edit.line.is_some() && edit.occurrence.is_some() {
        return Err(refuse(
            ErrorCode::InvalidRequest,
            "`line` and `occurrence` clash: each picks one of several places",
            "Leave one of them out.",
        ));
    }
    Ok(shape.form)
}

/// Returns the fields that an insertion at a place requires and allows.
fn insert_fields(at: InsertPlace) -> (&'static [&'static str], &'static [&'static str]) {
    match at {
        InsertPlace::Start | InsertPlace::End => (&[], &[]),
        InsertPlace::BeforeLine | InsertPlace::AfterLine => (&["line", "hash"], &[]),
        InsertPlace::BeforeText | InsertPlace::AfterText => (&["anchor"], &CHOICE),
    }
}

fn at_name(at: Option<InsertPlace>) -> &'static str {
    match at {
        Some(InsertPlace::Start) => " `at` `start`",
        Some(InsertPlace::End) => " `at` `end`",
        Some(InsertPlace::BeforeLine) => " `at` `before-line`",
        Some(InsertPlace::AfterLine) => " `at` `after-line`",
        Some(InsertPlace::BeforeText) => " `at` `before-text`",
        Some(InsertPlace::AfterText) => " `at` `after-text`",
        None => "",
    }
}

fn takes_hint(leader: &str, needs: &[&str], takes: &[&str]) -> String {
    let mut hint = format!("With `{leader}` ");
    match needs {
        [] => hint.push_str("nothing else is needed"),
        needs => hint.push_str(&format!("goes {}", join_names(needs.iter().copied()))),
    }
    if !takes.is_empty() {
        hint.push_str(&format!(
            ", and if wanted {}",
            join_names(takes.iter().copied())
        ));
    }
    hint.push('.');
    if needs.contains(&"hash") {
        hint.push_str(" The hash is that of the file, which comes with what is read of it.");
    }
    hint
}

fn no_form(given: &[&str]) -> Error {
    let message = match given {
        [] | ["path"] => "it says nothing to do".to_owned(),
        given => {
            let names = join_names(given.iter().copied().filter(|name| *name != "path"));
            format!("{names} alone does not say what to do")
        }
    };
    refuse(
        ErrorCode::InvalidRequest,
        format!(
            "{message}; expected one of `oldText`, `insert`, `section`, `lines`, `diff`, `move`"
        ),
        "To replace a text send `oldText` and `newText`.",
    )
}

/// Returns the names of the fields that are set.
fn given_fields(edit: &Edit) -> Vec<&'static str> {
    let fields = [
        ("path", edit.path.is_some()),
        ("oldText", edit.old_text.is_some()),
        ("newText", edit.new_text.is_some()),
        ("line", edit.line.is_some()),
        ("occurrence", edit.occurrence.is_some()),
        ("expectCount", edit.expect_count.is_some()),
        ("within", edit.within.is_some()),
        ("before", edit.before.is_some()),
        ("after", edit.after.is_some()),
        ("match", edit.match_.is_some()),
        ("insert", edit.insert.is_some()),
        ("at", edit.at.is_some()),
        ("anchor", edit.anchor.is_some()),
        ("section", edit.section.is_some()),
        ("op", edit.op.is_some()),
        ("content", edit.content.is_some()),
        ("includeSubsections", edit.include_subsections.is_some()),
        ("lines", edit.lines.is_some()),
        ("hash", edit.hash.is_some()),
        ("diff", edit.diff.is_some()),
        ("move", edit.move_.is_some()),
        ("updateLinks", edit.update_links.is_some()),
    ];
    let given = fields.into_iter().filter(|(_, is_given)| *is_given);
    given.map(|(name, _)| name).collect()
}

/// Returns the names for which `is_meant` is true, listed in a sentence, or `None` if there are
/// none.
fn list_names(names: &[&str], is_meant: impl Fn(&str) -> bool) -> Option<String> {
    let mut meant = names
        .iter()
        .copied()
        .filter(|name| is_meant(name))
        .peekable();
    meant.peek()?;
    Some(join_names(meant))
}

/// Returns names as a list in a sentence.
fn join_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let last = names.pop().unwrap_or_default();
    if names.is_empty() {
        last
    } else {
        format!("{} and {last}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    /// Returns an edit with these fields, by the names of its type.
    fn edit(fields: Value) -> Edit {
        let Value::Object(mut given) = fields else {
            panic!("an object")
        };
        for name in [
            "path",
            "old_text",
            "new_text",
            "line",
            "occurrence",
            "expect_count",
            "within",
            "before",
            "after",
            "match_",
            "insert",
            "at",
            "anchor",
            "section",
            "op",
            "content",
            "include_subsections",
            "lines",
            "hash",
            "diff",
            "move_",
            "update_links",
        ] {
            given.entry(name).or_insert(Value::Null);
        }
        serde_json::from_value(Value::Object(Map::from_iter(given))).unwrap()
    }

    #[track_caller]
    fn is(fields: Value, expected: EditForm) {
        assert_eq!(form(&edit(fields)), Ok(expected));
    }

    #[track_caller]
    fn refuses(fields: Value, expected: &str) {
        let error = form(&edit(fields)).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidRequest);
        assert_eq!(error.message, expected);
    }

    #[test]
    fn each_form() {
        is(
            json!({"old_text": "a", "new_text": "", "occurrence": "all"}),
            EditForm::Text,
        );
        is(
            json!({"path": "a.md", "insert": "a", "at": "End"}),
            EditForm::Insert,
        );
        is(
            json!({"insert": "a", "at": "AfterLine", "line": 3, "hash": "0"}),
            EditForm::Insert,
        );
        is(
            json!({"insert": "a", "at": "BeforeText", "anchor": "b", "line": 3}),
            EditForm::Insert,
        );
        is(json!({"section": "a", "op": "Delete"}), EditForm::Section);
        is(
            json!({"lines": {"first": 1, "last": 2}, "hash": "0", "new_text": ""}),
            EditForm::Lines,
        );
        is(json!({"diff": ""}), EditForm::Diff);
        is(json!({"move_": "b.md"}), EditForm::Move);
        is(
            json!({"move_": "b.md", "update_links": false}),
            EditForm::Move,
        );
    }

    #[test]
    fn mixtures_name_what_clashes() {
        refuses(
            json!({"old_text": "a", "new_text": "b", "section": "c"}),
            "`oldText` and `section` clash; expected exactly one of them",
        );
        refuses(
            json!({"old_text": "a", "new_text": "b", "content": "c", "op": "Replace"}),
            "`op` and `content` and `oldText` clash: they belong to different forms of edits",
        );
        refuses(
            json!({"insert": "a", "at": "Start", "line": 3}),
            "`line` and `insert` `at` `start` clash: they belong to different forms of edits",
        );
        refuses(
            json!({"old_text": "a", "new_text": "b", "line": 1, "occurrence": "2"}),
            "`line` and `occurrence` clash: each picks one of several places",
        );
    }

    #[test]
    fn what_lacks_is_named() {
        refuses(
            json!({"old_text": "a"}),
            "`oldText` needs `newText`; expected it as well",
        );
        refuses(
            json!({"insert": "a", "at": "AfterLine"}),
            "`insert` `at` `after-line` needs `line` and `hash`; expected it as well",
        );
        refuses(
            json!({"path": "a.md", "new_text": "a"}),
            "`newText` alone does not say what to do; expected one of `oldText`, `insert`, \
             `section`, `lines`, `diff`, `move`",
        );
    }
}
