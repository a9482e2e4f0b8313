//! All tools for documents, on any kind of markup: whatever it contains, each call ends with an
//! answer or a refusal. The texts are those of the cases, the examples of CommonMark, random
//! combinations of pieces, and corrupted versions of all of them.

use std::fmt::Write as _;

use docent_conformance::case::case_files;
use docent_conformance::typed::call;
use docent_document::format::{Format, extension};
use docent_document::sections::sections;
use docent_test_texts::commonmark::examples;
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

/// Kinds of documents that are text and have marks.
const MARKUPS: [&str; 4] = ["md", "mdx", "rst", "adoc"];

/// Number of texts on which all tools are called: as many as a debug build handles in some ten
/// seconds.
const TEXTS: usize = 320;

/// Bytes of the longest of them.
const LONGEST: usize = 4_000;

/// Pieces of markup, most of which refer to a file that moves or a section that is renamed.
const PIECES: [&str; 64] = [
    "[![a](i.png)](i.png)",
    "[a ![b](i.png) c](b.md#two)",
    "![a [b](b.md)](i.png)",
    "[[b]]",
    "![[i.png]]",
    "[[b#two|c]]",
    "[[b]](b.md)",
    "[b]",
    "[a][b]",
    "[b]: b.md \"t\"",
    "[b]: <i.png>",
    "<img src=\"i.png\">",
    "<a href='b.md#two'>",
    "</a>",
    "<A b={`c`} href=\"b.md\"/>",
    "<Tab>",
    "</Tab>",
    "{/* [a](b.md) */}",
    "{",
    "}",
    "import a from './b.md'",
    "export const a = {",
    "# One",
    "## Two {#two}",
    "## [a](b.md) `c`",
    "= One",
    "== Two",
    "One\n===",
    "Two\n---",
    "```",
    "~~~ {#c}",
    "`",
    "``:doc:`b```",
    ":doc:`b`",
    ":ref:`a <two>`",
    ".. _two:",
    ".. image:: i.png\n   :target: b.md",
    ".. include:: b.md",
    ".. toctree::\n\n   b\n",
    "`a <b.md>`_",
    "::",
    "xref:b.adoc#two[a]",
    "<<two,a>>",
    "include::b.md[]",
    "image::i.png[]",
    "video::i.png[youtube]",
    "+<<a>>+",
    "----",
    "---\nup: \"[[b]]\"\ntags: [a]\n---",
    "---",
    "+++",
    "%% [[b]] %%",
    "$x[[2]]$",
    "> ",
    "- ",
    "    ",
    "\t",
    "1. ",
    "| a | [b](b.md) |\n|---|---|",
    "[^1]: [a](b.md)",
    "\\",
    "한글 é",
    "\r",
    "\r\n",
];

/// Returns the texts of the cases and of CommonMark, each with the extension that it is of.
fn seeds() -> Vec<(String, &'static str)> {
    let mut seeds: Vec<(String, &str)> = Vec::new();
    for file in case_files() {
        for entry in file.cases.iter().flat_map(|case| &case.tree) {
            let own = extension(&entry.path).unwrap_or_default();
            let own = MARKUPS.iter().find(|markup| **markup == own);
            if let (Some(own), Some(text)) = (own, &entry.text) {
                seeds.push((text.clone(), own));
            }
        }
    }
    assert!(seeds.len() > 100, "{}", seeds.len());
    for (index, example) in examples().into_iter().enumerate() {
        seeds.push((example.markdown, MARKUPS[index % 2]));
    }
    seeds
}

/// Returns the texts to call all tools on: some of the seeds, and as many that are spoilt or put
/// together, always the same.
fn texts() -> Vec<(String, &'static str)> {
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let mut number = |below: usize| {
        let tree = (0..below.max(1)).new_tree(&mut runner);
        tree.map_or(0, |tree| tree.current())
    };
    let seeds = seeds();
    let mut texts = Vec::new();
    while texts.len() < TEXTS {
        let (seed, own) = &seeds[number(seeds.len())];
        let (mut text, mut markup) = (seed.clone(), *own);
        match texts.len() % 4 {
            0 => {}
            // Pieces put into a text, which is cut.
            1 => {
                for _ in 0..=number(6) {
                    let at = text.floor_char_boundary(number(text.len() + 1));
                    text.insert_str(at, PIECES[number(PIECES.len())]);
                }
                text.truncate(text.floor_char_boundary(text.len() - number(text.len() / 2 + 1)));
            }
            // Two texts, one within the other, read as something else.
            2 => {
                let at = text.floor_char_boundary(number(text.len() + 1));
                text.insert_str(at, &seeds[number(seeds.len())].0);
                markup = MARKUPS[number(MARKUPS.len())];
            }
            // Pieces alone.
            _ => {
                text.clear();
                for _ in 0..=number(24) {
                    text.push_str(PIECES[number(PIECES.len())]);
                    text.push_str(["\n", "\n\n", " ", ""][number(4)]);
                }
                markup = MARKUPS[number(MARKUPS.len())];
            }
        }
        text.truncate(text.floor_char_boundary(LONGEST));
        texts.push((text, markup));
    }
    texts
}

/// Returns the edits of a document, each for a call of its own.
fn edits(path: &str, text: &str) -> Vec<Value> {
    let mut edits = vec![
        json!({"path": path, "move": "d/other.md"}),
        json!({"path": path, "move": format!("d/e/{path}")}),
        json!({"path": path, "insert": "[x](b.md)\n", "at": "end"}),
        json!({"path": path, "insert": "---\na: b\n---\n", "at": "start"}),
        json!({"path": path, "lines": {"first": 1, "last": 2}, "newText": "# X\n[![a](i.png)](i.png)\n"}),
        json!({"path": "i.png", "move": "pics/y z.png"}),
        json!({"path": "b.md", "move": "d/c`d.md"}),
        json!({"path": "b.md", "section": "two", "op": "rename", "content": "A [b] `c`"}),
        json!({"path": "d/", "move": "f/g"}),
    ];
    let middle = text.floor_char_boundary(text.len() / 2);
    let line = text[middle..].lines().next().unwrap_or_default();
    if !line.is_empty() {
        edits.push(
            json!({"path": path, "oldText": line, "newText": "[[b]] new", "occurrence": "all"}),
        );
        let mut diff = format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n");
        let _ = writeln!(diff, "-{line}\n+new {line}");
        edits.push(json!({"path": path, "diff": diff}));
    }
    let all = sections(path, text);
    let named = all.iter().filter(|section| section.level > 0);
    let chosen: Vec<&str> = named.map(|section| section.id.as_str()).collect();
    let chosen = [chosen.first(), chosen.last()].into_iter().flatten();
    for (index, id) in chosen.enumerate() {
        let section = |op: &str, content: &str| json!({"path": path, "section": format!("#{id}"), "op": op, "content": content});
        edits.push(section("rename", "New name"));
        edits.push(section("append", "[a](b.md)"));
        if index == 0 {
            edits.push(section("replace", "text"));
            edits.push(section("prepend", "- a\n"));
            edits.push(section("insert-after", "## Next\n"));
            edits.push(json!({"path": path, "section": format!("#{id}"), "op": "delete"}));
        }
    }
    edits
}

fn reads(path: &str) -> Vec<(&'static str, Value)> {
    let aspects = json!([
        "structure",
        "dependencies",
        "impact",
        "hot-spots",
        "summary"
    ]);
    vec![
        ("understand", json!({"paths": [path], "aspects": aspects})),
        ("understand", json!({"aspects": aspects})),
        ("read-document", json!({"path": path})),
        ("read-document", json!({"path": path, "section": "#two"})),
        ("summarize-document", json!({"path": path})),
        (
            "query-document",
            json!({"path": path, "query": "text of section two"}),
        ),
        ("search-documents", json!({"query": "a"})),
        ("smart-search", json!({"query": "two text"})),
        ("context-search", json!({"title": "a"})),
        ("explore", json!({"query": "two text"})),
        ("list-documents", json!({})),
    ]
}

#[test]
fn no_tool_panics_on_any_markup() {
    let mut answers = 0;
    for (text, markup) in texts() {
        let path = format!("a.{markup}");
        assert!(Format::from_name(&path).is_some_and(Format::has_headings));
        let beside = format!("[x](../{path}) [[a]] :doc:`/a` xref:../{path}[]\n\n{text}");
        let disk = MemoryDisk::with_files(&[
            (path.as_str(), text.as_str()),
            ("b.md", "# B\n\n## Two\n\n[[a]] [c](d/c.md)\n"),
            ("i.png", "\u{1}"),
            ("d/c.md", beside.as_str()),
            ("d/b.rst", beside.as_str()),
            ("d/b.adoc", beside.as_str()),
            ("d/x.mdx", beside.as_str()),
            ("conf.py", ""),
        ]);
        disk.set_writable("docs");
        disk.grant_state();
        let mut docent = Docent::new(disk, ToolSettings::default());
        let mut ask = |tool: &str, args: Value| {
            let Value::Object(args) = args else { return };
            answers += usize::from(call(&mut docent, tool, args).is_ok());
        };
        for (tool, args) in reads(&path) {
            ask(tool, args);
        }
        for edit in edits(&path, &text) {
            ask("change", json!({"edits": [edit], "dryRun": true}));
        }
        // Written files are read like any others.
        let moving = json!([
            {"path": "i.png", "move": "pics/y z.png"},
            {"path": "b.md", "move": "d/new.md"},
            {"path": path, "move": format!("e/{path}")},
        ]);
        ask("change", json!({"edits": moving, "dryRun": false}));
        ask("understand", json!({"aspects": ["dependencies"]}));
    }
    // Most calls must be answered, or the test would exercise little.
    assert!(answers > 12 * TEXTS, "{answers}");
}
