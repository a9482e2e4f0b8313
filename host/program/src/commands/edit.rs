//! `docent edit`: one edit of a file.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::args::Edit;
use crate::terminal::error::CommandError;
use crate::writing::{ReadText, text};

/// Returns the fields of the edit that are given; the component checks their combination.
///
/// # Errors
/// Returns an error if a text cannot be read.
pub fn fields(args: &Edit, read: ReadText<'_>) -> Result<Map<String, Value>, CommandError> {
    let Edit {
        replace,
        section,
        lines,
        insert,
        ..
    } = args;
    let files = [
        &replace.old_file,
        &replace.new_file,
        &section.content_file,
        &insert.insert_file,
    ];
    let is_stdin = |file: &&PathBuf| file.as_path() == Path::new("-");
    if files.into_iter().flatten().filter(is_stdin).count() > 1 {
        let message = "`-` is given twice; expected one text from stdin";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let text = |given: &Option<String>, file: &Option<PathBuf>| {
        text(given.as_deref(), file.as_deref(), read)
    };
    let range = lines.lines;
    let fields = [
        (
            "oldText",
            text(&replace.old, &replace.old_file)?.map(Value::from),
        ),
        (
            "newText",
            text(&replace.new, &replace.new_file)?.map(Value::from),
        ),
        ("line", replace.line.map(Value::from)),
        ("occurrence", replace.occurrence.clone().map(Value::from)),
        ("within", replace.within.clone().map(Value::from)),
        ("match", replace.ignore_blanks.then(|| json!("whitespace"))),
        ("section", section.section.clone().map(Value::from)),
        ("op", section.op.and_then(name)),
        (
            "content",
            text(&section.content, &section.content_file)?.map(Value::from),
        ),
        (
            "includeSubsections",
            section.subsections.then(|| json!(true)),
        ),
        (
            "lines",
            range.map(|(first, last)| json!({"first": first, "last": last})),
        ),
        ("hash", lines.hash.clone().map(Value::from)),
        (
            "insert",
            text(&insert.insert, &insert.insert_file)?.map(Value::from),
        ),
        ("at", insert.at.and_then(name)),
        ("anchor", insert.anchor.clone().map(Value::from)),
    ];
    let given = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Ok(given.collect())
}

/// Returns the name of a choice in the contract.
fn name(choice: impl ValueEnum) -> Option<Value> {
    Some(json!(choice.to_possible_value()?.get_name()))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Cli, Command};

    fn read(words: &[&str]) -> Result<Value, String> {
        let line = [&["docent", "edit", "a.md"], words].concat();
        let cli = Cli::try_parse_from(line).map_err(|error| error.to_string())?;
        let Command::Edit(args) = cli.command else {
            return Err("not an edit".to_owned());
        };
        let content = |path: &Path| Ok(format!("what stands in {}\n", path.display()));
        let fields = fields(&args, &content);
        fields.map(Value::Object).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn means(words: &[&str], expected: Value) {
        assert_eq!(read(words), Ok(expected), "{words:?}");
    }

    #[test]
    fn each_form() {
        means(
            &["--old", "- [ ] a", "--new", "--x", "--occurrence", "all"],
            json!({"oldText": "- [ ] a", "newText": "--x", "occurrence": "all"}),
        );
        means(
            &[
                "--old-file",
                "-",
                "--new",
                "",
                "--within",
                "B",
                "--ignore-blanks",
            ],
            json!({"oldText": "what stands in -\n", "newText": "", "within": "B",
                "match": "whitespace"}),
        );
        means(
            &[
                "--section",
                "A > B",
                "--op",
                "insert_after",
                "--content-file",
                "c",
                "--subsections",
            ],
            json!({"section": "A > B", "op": "insert-after", "content": "what stands in c\n",
                "includeSubsections": true}),
        );
        means(
            &["--lines", "3-7", "--hash", "0123456789ab", "--new", "x"],
            json!({"newText": "x", "lines": {"first": 3, "last": 7}, "hash": "0123456789ab"}),
        );
        means(
            &[
                "--insert",
                "-",
                "--at",
                "before-line",
                "--line",
                "3",
                "--hash",
                "0",
            ],
            json!({"line": 3, "hash": "0", "insert": "-", "at": "before-line"}),
        );
        means(&[], json!({}));
    }

    #[test]
    fn stdin_is_one_text() {
        let twice = read(&["--old-file", "-", "--new-file", "-"]);
        let message = "`-` is given twice; expected one text from stdin";
        assert_eq!(twice, Err(message.to_owned()));
        let both = read(&["--old", "a", "--old-file", "b"]).unwrap_err();
        assert!(both.contains("cannot be used with"), "{both}");
    }
}
