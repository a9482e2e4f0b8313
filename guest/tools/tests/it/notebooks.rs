//! Notebooks: read as the Markdown of their cells, edited as they are shown, and kept in all other
//! bytes.

use std::fmt::Write as _;

use docent_conformance::typed::call;
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A notebook as Jupyter writes it, with a picture among its outputs.
const NOTEBOOK: &str = r###"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "a1",
   "metadata": {},
   "source": [
    "# Sales\n",
    "\n",
    "Sums of *quokka* sales.\n"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "b2",
   "metadata": {"tags": ["x"]},
   "outputs": [
    {
     "data": {
      "image/png": "iVBORw0KGgoquokkaAAAA",
      "text/plain": [
       "<Figure size 640x480>"
      ]
     },
     "metadata": {},
     "output_type": "display_data"
    },
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "total = 3\n"
     ]
    }
   ],
   "source": [
    "total = 1 + 2\n",
    "name = \"caf\u00e9\"\n",
    "print(f\"total = {total}\")"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "c3",
   "metadata": {},
   "outputs": [],
   "source": []
  },
  {
   "cell_type": "markdown",
   "id": "d4",
   "metadata": {},
   "source": "## End\n\nAll *done*."
  }
 ],
 "metadata": {
  "language_info": {
   "name": "python"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
"###;

const SHOWN: &str = "<!-- cell=1 -->\n# Sales\n\nSums of *quokka* sales.\n\n```python cell=2\n\
    total = 1 + 2\nname = \"café\"\nprint(f\"total = {total}\")\n```\n\n\
    ```output\n<Figure size 640x480>\n```\n\n```output\ntotal = 3\n```\n\n\
    <!-- cell=4 -->\n## End\n\nAll *done*.\n\nLeft out: 1 picture.\n";

fn disk_of(text: &str) -> MemoryDisk {
    let disk = MemoryDisk::with_files(&[("nb.ipynb", text)]);
    disk.set_writable("docs");
    disk.grant_state();
    disk
}

fn docent_of(disk: &MemoryDisk) -> Docent<MemoryDisk> {
    let settings = ToolSettings {
        cache_bytes: 1 << 20,
        ..ToolSettings::default()
    };
    Docent::new(disk.clone(), settings)
}

fn ask(docent: &mut Docent<MemoryDisk>, tool: &str, args: Value) -> Value {
    let Value::Object(args) = args else {
        panic!("{args} is no record")
    };
    call(docent, tool, args).unwrap_or_else(|error| error)
}

fn read(docent: &mut Docent<MemoryDisk>, path: &str) -> String {
    let answer = ask(docent, "read-document", json!({"path": path}));
    let text = answer["text"].as_str();
    text.unwrap_or_else(|| panic!("{path}: {answer}"))
        .to_owned()
}

/// Returns the file's own text after an edit, or the error.
fn edited(text: &str, edits: Value) -> Result<String, Value> {
    let mut docent = docent_of(&disk_of(text));
    let args = json!({"path": "nb.ipynb", "edits": edits, "dryRun": false});
    let answer = ask(&mut docent, "change", args);
    if answer["applied"] != true {
        return Err(answer);
    }
    Ok(read(&mut docent, "nb.ipynb!/notebook.json"))
}

fn replacement(old: &str, new: &str) -> Value {
    json!([{"oldText": old, "newText": new}])
}

/// Checks that an edit changes the file exactly by these replacements.
#[track_caller]
fn check(edits: Value, replaced: &[(&str, &str)]) {
    let mut expected = NOTEBOOK.to_owned();
    for (old, new) in replaced {
        assert_eq!(expected.matches(old).count(), 1, "{old}");
        expected = expected.replace(old, new);
    }
    match edited(NOTEBOOK, edits) {
        Ok(after) => assert_eq!(after, expected),
        Err(error) => panic!("{error}"),
    }
}

/// Checks the code of a refusal, and words of its message and hint.
#[track_caller]
fn check_refusal(edits: Value, code: &str, words: &[&str]) {
    let error = edited(NOTEBOOK, edits).expect_err("it is refused");
    assert_eq!(error["code"], code, "{error}");
    let told = format!("{}\n{}", error["message"], error["hint"]);
    for word in words {
        assert!(told.contains(word), "{word}: {error}");
    }
}

#[test]
fn cells_are_read_in_order() {
    let mut docent = docent_of(&disk_of(NOTEBOOK));
    let answer = ask(&mut docent, "read-document", json!({"path": "nb.ipynb"}));
    assert_eq!(answer["text"], SHOWN);
    assert_eq!(answer["encoding"], "ipynb");
    assert_eq!(answer["name"], "Sales");
    let own = ask(
        &mut docent,
        "read-document",
        json!({"path": "nb.ipynb!/notebook.json"}),
    );
    assert_eq!(own["text"], NOTEBOOK);
    assert_eq!(own["hash"], answer["hash"]);
    assert_eq!(
        read(&mut docent, "nb.ipynb!/notebook.json:2-3"),
        " \"cells\": [\n  {\n"
    );
}

#[test]
fn cells_have_addresses() {
    let mut docent = docent_of(&disk_of(NOTEBOOK));
    let cell = read(&mut docent, "nb.ipynb#cell=2");
    assert!(cell.starts_with("```python cell=2\ntotal"), "{cell}");
    assert!(cell.ends_with("```output\ntotal = 3\n```\n\n"), "{cell}");
    let section = json!({"path": "nb.ipynb", "section": "cell=1"});
    let answer = ask(&mut docent, "read-document", section);
    assert_eq!(
        answer["text"],
        "<!-- cell=1 -->\n# Sales\n\nSums of *quokka* sales.\n\n"
    );
    assert_eq!(answer["first_line"], 1);
    for args in [
        json!({"paths": ["nb.ipynb#cell=4"]}),
        json!({"paths": ["nb.ipynb"], "section": {"sectionId": "cell=4"}}),
    ] {
        let answer = ask(&mut docent, "explore", args);
        let item = &answer["data"]["docs"][0];
        let text = item["content"].as_str().or(item["preview"].as_str());
        assert!(text.is_some_and(|text| text.contains("## End")), "{answer}");
        assert_eq!(item["metadata"]["section_id"], "cell=4");
    }
    for path in ["nb.ipynb#cell=3", "nb.ipynb#cell=9"] {
        let answer = ask(&mut docent, "read-document", json!({"path": path}));
        assert_eq!(answer["code"], "DocumentNotFound", "{answer}");
    }
}

#[test]
fn searches_find_words_of_cells_only() {
    let mut docent = docent_of(&disk_of(NOTEBOOK));
    for _ in 0..2 {
        for (query, count) in [
            ("quokka", 1),
            ("total = 3", 1),
            ("iVBORw0KGgo", 0),
            ("nbformat", 0),
        ] {
            let args = json!({"query": query});
            let answer = ask(&mut docent, "search-documents", args);
            let found = answer["results"].as_array().map_or(0, Vec::len);
            assert_eq!(found, count, "{query}: {answer}");
            let args = json!({"pattern": query, "patternSyntax": "literal"});
            let answer = ask(&mut docent, "grep", json!({"pattern": args["pattern"]}));
            let text = answer.to_string();
            assert_eq!(text.contains("nb.ipynb"), count == 1, "{query}: {answer}");
        }
    }
    let answer = ask(&mut docent, "list-documents", json!({}));
    assert_eq!(answer["entries"][0]["title"], "Sales", "{answer}");
    let answer = ask(
        &mut docent,
        "summarize-document",
        json!({"path": "nb.ipynb"}),
    );
    assert_eq!(answer["title"], "Sales");
    assert_eq!(answer["toc"].as_array().map_or(0, Vec::len), 2, "{answer}");
    assert!(
        !answer["key_points"].to_string().contains("cell="),
        "{answer}"
    );
    let answer = ask(
        &mut docent,
        "smart-search",
        json!({"query": "quokka sales"}),
    );
    assert_eq!(answer["documents"][0]["path"], "nb.ipynb", "{answer}");
}

#[test]
fn a_file_that_is_no_notebook_stays_text() {
    let conflict = format!("<<<<<<< HEAD\n{NOTEBOOK}=======\n>>>>>>> quokka\n");
    for text in [
        conflict.as_str(),
        &NOTEBOOK[..NOTEBOOK.len() - 4],
        "{\"quokka\": 1}\n",
        "<!DOCTYPE html>\n<p>quokka</p>\n",
        "quokka\n",
        "",
    ] {
        let mut docent = docent_of(&disk_of(text));
        assert_eq!(read(&mut docent, "nb.ipynb"), text);
        let answer = ask(&mut docent, "read-document", json!({"path": "nb.ipynb"}));
        assert_eq!(answer["encoding"], "utf-8");
        let answer = ask(&mut docent, "search-documents", json!({"query": "quokka"}));
        let found = answer["results"].as_array().map_or(0, Vec::len);
        assert_eq!(found, usize::from(text.contains("quokka")), "{answer}");
        assert_eq!(answer["stats"]["skipped"]["count"], 0, "{answer}");
        ask(&mut docent, "list-documents", json!({}));
        let args =
            json!({"edits": [{"path": "nb.ipynb", "insert": "x", "at": "end"}], "dryRun": false});
        let answer = ask(&mut docent, "change", args);
        assert_eq!(answer["applied"], true, "{answer}");
    }
}

#[test]
fn a_text_is_replaced_as_it_is_shown() {
    check(
        replacement("total = 1 + 2", "total = \"1\"\nmore = '\\n'"),
        &[(
            "\"total = 1 + 2\\n\",",
            "\"total = \\\"1\\\"\\n\",\n    \"more = '\\\\n'\\n\",",
        )],
    );
    // `python` is in the metadata and in the line before the source too.
    let text = NOTEBOOK.replace("Sums of", "Sums in python of");
    let after = edited(&text, replacement("python", "\"R\""));
    assert_eq!(
        after,
        Ok(NOTEBOOK.replace("Sums of", "Sums in \\\"R\\\" of"))
    );
}

#[test]
fn lines_that_stay_keep_their_escapes() {
    check(
        replacement("print(f\"total = {total}\")\n", "print(total)\n"),
        &[("\"print(f\\\"total = {total}\\\")\"", "\"print(total)\"")],
    );
    check(
        replacement("name = \"café\"\n", ""),
        &[("    \"name = \\\"caf\\u00e9\\\"\\n\",\n", "")],
    );
    check(
        replacement("name = \"café\"", "name = \"thé\""),
        &[(
            "\"name = \\\"caf\\u00e9\\\"\\n\"",
            "\"name = \\\"th\\u00e9\\\"\\n\"",
        )],
    );
    check(
        replacement("*done*", "over"),
        &[("\"## End\\n\\nAll *done*.\"", "\"## End\\n\\nAll over.\"")],
    );
}

#[test]
fn sections_inserts_and_diffs_of_a_cell() {
    check(
        json!([{"section": "End", "op": "append", "content": "Really."}]),
        &[("All *done*.\"", "All *done*.\\n\\nReally.\"")],
    );
    check(
        json!([{"section": "Sales", "op": "rename", "content": "Sums"}]),
        &[("\"# Sales\\n\"", "\"# Sums\\n\"")],
    );
    check(
        json!([{"insert": "import os\n", "at": "before-text", "anchor": "total = 1"}]),
        &[(
            "    \"total = 1 + 2",
            "    \"import os\\n\",\n    \"total = 1 + 2",
        )],
    );
    let diff = "--- a/nb.ipynb\n+++ b/nb.ipynb\n@@ -6,4 +6,4 @@\n ```python cell=2\n-total = 1 + 2\n\
                +total = 4\n name = \"café\"\n print(f\"total = {total}\")\n";
    check(
        json!([{"diff": diff}]),
        &[("\"total = 1 + 2", "\"total = 4")],
    );
    // Copied with line numbers.
    check(
        replacement(
            "7\ttotal = 1 + 2\n8\tname = \"café\"",
            "7\ttotal = 5\n8\tname = \"café\"",
        ),
        &[("\"total = 1 + 2", "\"total = 5")],
    );
}

#[test]
fn comments_of_code_are_no_headings() {
    let text = NOTEBOOK
        .replace("total = 1 + 2", "# Load")
        .replace("Sums of", "~~~\\nSums of");
    let edit = |section: &str| {
        let edit = json!({"section": section, "op": "append", "content": "x"});
        edited(&text, json!([edit]))
    };
    let error = edit("Load").expect_err("it is a comment");
    assert_eq!(error["code"], "SectionNotFound", "{error}");
    assert_eq!(edit("End"), Ok(text.replace("*done*.", "*done*.\\n\\nx")));
    let within = json!([{"oldText": "# Load", "newText": "# Get", "within": "Sales"}]);
    assert_eq!(edited(&text, within), Ok(text.replace("# Load", "# Get")));
}

#[test]
fn several_cells_in_one_call() {
    check(
        json!([
            {"oldText": "All *done*.", "newText": "Done."},
            {"oldText": "total = 1 + 2", "newText": "total = 3"},
            {"oldText": "*quokka*", "newText": "wombat"},
            {"oldText": "print(f\"total = {total}\")", "newText": "print(total)"},
        ]),
        &[
            ("All *done*.", "Done."),
            ("\"total = 1 + 2", "\"total = 3"),
            ("*quokka*", "wombat"),
            ("\"print(f\\\"total = {total}\\\")\"", "\"print(total)\""),
        ],
    );
}

#[test]
fn the_own_lines_are_edited_as_before() {
    check(
        replacement("\"tags\": [\"x\"]", "\"tags\": []"),
        &[("\"tags\": [\"x\"]", "\"tags\": []")],
    );
    check(
        replacement("    \"total = 1 + 2\\n\",\n", "    \"total = 7\\n\",\n"),
        &[("total = 1 + 2", "total = 7")],
    );
    check(
        replacement("<Figure size 640x480>", "<Figure size 1x1>"),
        &[("640x480", "1x1")],
    );
    let diff = "--- a/nb.ipynb\n+++ b/nb.ipynb\n@@ -60,3 +60,3 @@\n    \"outputs\": [],\n\
                -   \"source\": []\n+   \"source\": [\"1\"]\n   },\n";
    check(
        json!([{"diff": diff}]),
        &[("\"source\": []", "\"source\": [\"1\"]")],
    );
}

#[test]
fn refusals_say_what_to_send() {
    check_refusal(
        replacement("total = 9", "x"),
        "EditNotFound",
        &["total = 1 + 2", "`nb.ipynb!/notebook.json`"],
    );
    check_refusal(
        replacement("al", "x"),
        "EditAmbiguous",
        &["line 2", "line 7"],
    );
    check_refusal(
        json!([{"lines": {"first": 7, "last": 7}, "hash": "0123456789ab", "newText": "x"}]),
        "InvalidRequest",
        &["are not those of its file", "`oldText`"],
    );
    check_refusal(
        json!([{"insert": "x", "at": "end"}]),
        "InvalidRequest",
        &["`after-text`"],
    );
    check_refusal(
        replacement("```\n\n", "x"),
        "InvalidRequest",
        &[
            "line 10",
            "not in the source of a cell",
            "`nb.ipynb!/notebook.json`",
        ],
    );
    check_refusal(
        replacement("\"metadata\": {},\n", ""),
        "EditAmbiguous",
        &["in the file's own lines the text is at"],
    );
    check_refusal(
        replacement("\"tags\": [\"x\"]", "\"tags\": [\"x\""),
        "InvalidRequest",
        &["leaves no valid JSON"],
    );
    check_refusal(
        replacement("<Figure size 640x480>", "C:\\new"),
        "InvalidRequest",
        &["line 13", "not in the source of a cell"],
    );
    check_refusal(
        json!([
            {"oldText": "total = 1 + 2", "newText": "total = 3"},
            {"oldText": "\"tags\": [\"x\"]", "newText": "\"tags\": []"},
        ]),
        "InvalidRequest",
        &["edits[1]", "edits[0] edits a cell", "edits[0] is fine"],
    );
    let mut docent = docent_of(&disk_of(NOTEBOOK));
    let edit = json!([{"path": "nb.ipynb!/notebook.json", "oldText": "a", "newText": "b"}]);
    let answer = ask(&mut docent, "change", json!({"edits": edit}));
    assert_eq!(answer["code"], "UnsupportedFormat", "{answer}");
    assert!(
        answer["hint"].to_string().contains("for `nb.ipynb`"),
        "{answer}"
    );
}

#[test]
fn a_cell_that_is_not_shown_as_it_is_is_edited_in_the_own_lines() {
    let text = NOTEBOOK.replace("Sums of", "![a](data:image/png;base64,AAAA) Sums of");
    let error = edited(&text, replacement("Sums of", "Sum of")).expect_err("it is altered");
    assert_eq!(error["code"], "InvalidRequest", "{error}");
    assert!(error["message"].to_string().contains("cell 1"), "{error}");
    let own = "\"# Sales\\n\",\n";
    let after = edited(&text, replacement(own, "\"# Sums\\n\",\n"));
    assert_eq!(after, Ok(text.replace("# Sales", "# Sums")));
}

#[test]
fn the_shown_hash_is_that_of_the_file() {
    let mut docent = docent_of(&disk_of(NOTEBOOK));
    let answer = ask(&mut docent, "read-document", json!({"path": "nb.ipynb"}));
    let edits = json!([{"path": "nb.ipynb", "oldText": "1 + 2", "newText": "3"}]);
    let call =
        |hash: &Value| json!({"edits": edits, "expect": [{"path": "nb.ipynb", "hash": hash}]});
    let planned = ask(&mut docent, "change", call(&answer["hash"]));
    let diff = planned["files"][0]["diff"].as_str().unwrap_or_default();
    assert!(
        diff.contains("-    \"total = 1 + 2\\n\",\n+    \"total = 3\\n\",\n"),
        "{planned}"
    );
    let stale = ask(&mut docent, "change", call(&json!("0123456789ab")));
    assert_eq!(stale["code"], "Conflict", "{stale}");
    let apply = json!({"edits": [], "dryRun": false, "planId": planned["plan_id"]});
    let applied = ask(&mut docent, "change", apply);
    assert_eq!(applied["applied"], true, "{applied}");
    assert!(read(&mut docent, "nb.ipynb").contains("\ntotal = 3\nname"));
    let undone = ask(&mut docent, "manage", json!({"command": "undo"}));
    assert!(undone["code"].is_null(), "{undone}");
    assert_eq!(read(&mut docent, "nb.ipynb!/notebook.json"), NOTEBOOK);
}

#[test]
fn a_notebook_is_written_as_text() {
    let mut docent = docent_of(&disk_of("x"));
    let args = json!({"path": "new.ipynb", "content": NOTEBOOK});
    let answer = ask(&mut docent, "write", args);
    assert_eq!(answer["file"]["applied"], true, "{answer}");
    assert_eq!(read(&mut docent, "new.ipynb"), SHOWN);
}

/// A cell that looks like others, or like an output.
fn sources() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "\n",
        "\n",
        "\n\n",
        " ",
        "\t",
        "# h\n",
        "```\n",
        "```python cell=2\n",
        "~~~\n",
        "<!-- cell=1 -->\n",
        "<!-- cell=2 -->\n",
        "<!--\n",
        "\"",
        "\\",
        "한",
        "😀",
        "\r\n",
        "\u{1b}",
        ";base64,QQ",
        "---\n",
        "<pre>\n",
    ]);
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Lines,
    String,
    Escaped,
}

fn json_text(source: &str, form: Form) -> String {
    let string = |text: &str| Value::from(text).to_string();
    match form {
        Form::String => string(source),
        Form::Lines => {
            let lines: Vec<String> = source.split_inclusive('\n').map(string).collect();
            format!("[\n    {}\n   ]", lines.join(",\n    "))
        }
        Form::Escaped => {
            let mut escaped = String::from("[\"");
            for unit in source.encode_utf16() {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
            escaped + "\"]"
        }
    }
}

fn notebook_of(cells: &[(bool, String, Form)]) -> String {
    let cells: Vec<String> = cells
        .iter()
        .map(|(is_code, source, form)| {
            let kind = if *is_code { "code" } else { "markdown" };
            let output = json!([{"output_type": "stream", "name": "stdout", "text": source}]);
            let output = if *is_code { output } else { json!([]) };
            let source = json_text(source, *form);
            format!("{{\"cell_type\": \"{kind}\", \"outputs\": {output}, \"source\": {source}}}")
        })
        .collect();
    format!("{{\"cells\": [{}], \"nbformat\": 4}}\n", cells.join(",\n"))
}

fn sources_of(notebook: &str) -> Vec<String> {
    let notebook: Value = serde_json::from_str(notebook).expect("it is JSON");
    let cells = notebook["cells"].as_array().expect("it has cells");
    let source = |cell: &Value| match &cell["source"] {
        Value::String(text) => text.clone(),
        lines => {
            let lines = lines.as_array().into_iter().flatten();
            lines.filter_map(Value::as_str).collect()
        }
    };
    cells.iter().map(source).collect()
}

proptest! {
    /// An edit of a text that is in one source changes that one, and an edit that would change
    /// something else is refused.
    #[test]
    fn an_edit_changes_the_source_that_holds_it(
        cells in prop::collection::vec(
            (any::<bool>(), sources(), prop::sample::select(vec![Form::Lines, Form::String, Form::Escaped])),
            1..4,
        ),
        target in 0usize..3,
        marker in prop::sample::select(vec!["quokka", "quokka\n", "\nquokka\n", "x quokka"]),
        position in 0usize..8,
        new in sources(),
    ) {
        let mut cells = cells;
        let target = target % cells.len();
        let source = &mut cells[target].1;
        let mut position = position.min(source.len());
        while !source.is_char_boundary(position) {
            position -= 1;
        }
        source.insert_str(position, marker);
        let before = notebook_of(&cells);
        let old = sources_of(&before);
        match edited(&before, replacement("quokka", &new)) {
            Err(error) => prop_assert!(error["code"].is_string(), "{error}"),
            Ok(after) => {
                let new_sources = sources_of(&after);
                prop_assert_eq!(new_sources.len(), old.len());
                for (index, (new_source, old)) in new_sources.iter().zip(&old).enumerate() {
                    if index != target {
                        prop_assert_eq!(new_source, old);
                        continue;
                    }
                    let expected = old.replace("quokka", &new.replace("\r\n", "\n"));
                    if expected.trim().is_empty() {
                        prop_assert!(new_source.trim().is_empty());
                    } else {
                        prop_assert_eq!(new_source, &expected, "{}", before);
                    }
                }
            }
        }
    }
}
