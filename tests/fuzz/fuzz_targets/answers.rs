//! Answers as Markdown: whatever stands in a document, its text stays between its fences, and
//! names, titles and excerpts stay on their line, so that an answer has the frame that it has
//! around plain words.
#![no_main]

use std::sync::LazyLock;

use docent_fuzz::seeds;
use libfuzzer_sys::fuzz_target;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde_json::{Map, Value, json};

use adapter::tool_table::Tool;
use render::Renderer;

// The library of the host builds the component and a compiler. Of both a template knows nothing, so
// only the files that turn answers into text are compiled here.
#[path = "../../../host/library/src/render/mod.rs"]
#[expect(dead_code, unused_imports, reason = "answers alone are rendered here")]
mod render;

/// What the renderer needs of a tool.
mod adapter {
    pub mod tool_table {
        /// A tool, as far as a template sees it.
        pub struct Tool {
            /// Its name.
            pub name: String,
            /// Its name for people.
            pub title: String,
        }
    }
}

/// Ends a text. It occurs in no UTF-8.
const END_OF_TEXT: u8 = 0xFF;

/// Stands before the number of a text in an answer.
const MARK: char = '§';

static RENDERER: LazyLock<Renderer> = LazyLock::new(Renderer::new);

/// An answer of each tool, and one of a tool without a template. `§1` and the like stand for texts
/// of documents, and for their names and paths.
static ANSWERS: LazyLock<Vec<(&str, Value)>> = LazyLock::new(|| {
    let section = json!({"firstLine": 1, "lastLine": 2, "headingPath": ["§1", "§2"], "part": 1, "parts": 2, "score": 3, "content": "§3"});
    let skipped = json!({"count": 2, "entries": [{"path": "§1", "reason": "malformed"}, {"path": "§2", "reason": "too-large"}]});
    let hit = json!({"line": 1, "excerpt": "§3", "section": {"lastLine": 2, "headingPath": ["§4"], "hits": 1, "cut": true}});
    let result = json!({"path": "§1", "name": "§2", "matchCount": 3, "matches": [hit]});
    let item = json!({"filePath": "§1", "title": "§2", "range": {"first": 1, "last": 2}, "metadata": {"headingPath": ["§2"]}, "why": ["§4"], "content": "§3", "truncated": true});
    let stats = json!({"documentsSearched": 1, "skipped": skipped});
    vec![
        (
            "search_documents",
            json!({"query": "§4", "root": "§1", "totalMatches": 3, "totalFiles": 1, "truncated": true, "results": [result], "settings": {}, "stats": stats, "nextCursor": "§5"}),
        ),
        (
            "read_document",
            json!({"path": "§1", "name": "§2", "root": "§4", "firstLine": 1, "lastLine": 2, "totalLines": 3, "tokens": 4, "encoding": "utf-8", "text": "§3", "nextLines": "3-4"}),
        ),
        (
            "explore",
            json!({"data": {"docs": [item], "code": [{"filePath": "§1", "preview": "§3", "metadata": {}}]}, "blocked": [{"filePath": "§1", "code": "x", "message": "§2", "hint": "§4"}], "reasons": [], "stats": stats, "next": {"itemsCursor": "§5"}}),
        ),
        (
            "find_files",
            json!({"root": "§1", "matches": [{"path": "§1", "kind": "file", "time": "2026-01-02T03:04:05.000Z", "sizeBytes": 3}, {"path": "§2", "kind": "directory", "time": "2026-01-02T03:04:05.000Z"}], "stats": {"filesScanned": 1, "directoriesScanned": 1, "complete": true, "skipped": skipped}}),
        ),
        (
            "smart_search",
            json!({"documentsFound": 1, "documents": [{"path": "§1", "name": "§2", "sections": [section]}], "skipped": skipped}),
        ),
        (
            "query_document",
            json!({"path": "§1", "selectedSections": 1, "totalSections": 2, "sections": [section]}),
        ),
        (
            "context_search",
            json!({"totalCount": 1, "root": "§4", "results": [{"path": "§1", "title": "§2", "relevanceScore": 1, "why": ["§4"], "snippet": "§3", "tags": ["§5", "§2"], "category": "projects"}], "skipped": skipped, "nextCursor": "§5"}),
        ),
        (
            "summarize_document",
            json!({"title": "§2", "path": "§1", "root": "§4", "stats": {"wordCount": 1, "charCount": 1, "sectionCount": 1, "codeBlockCount": 1, "linkCount": 1, "estimatedTokens": 1}, "keyPoints": ["§3"], "toc": [{"level": 2, "text": "§2", "anchor": "§5", "line": 1, "tokens": 1}], "links": ["§4"], "brokenLinks": ["§5"]}),
        ),
        (
            "list_documents",
            json!({"path": "§4", "root": "§2", "entries": [{"path": "§1", "kind": "file", "title": "§2", "size": 3}, {"path": "§3", "kind": "directory"}], "skipped": skipped}),
        ),
        (
            "list_full_tree",
            json!({"path": "§4", "entries": [{"path": "§1", "kind": "file", "size": 3}], "skipped": skipped}),
        ),
        (
            "another_tool",
            json!({"path": "§1", "list": ["§2", {"a": "§3", "b": ["§4"]}], "text": "§5"}),
        ),
    ]
});

fn write_seeds() {
    let texts: [&[u8]; 12] = [
        b"plain",
        b"```",
        b"~~~\n",
        b"\n# heading\n",
        b"a\r\nb\r",
        b"> quote",
        b"- item",
        b"````````````````````\n~~~~",
        b"\xE2\x80\xA8# line",
        b"<!-- ",
        b"    code",
        b"",
    ];
    let tools = 0..u8::try_from(ANSWERS.len()).unwrap_or(u8::MAX);
    let seeds = tools.flat_map(|tool| {
        (0..texts.len()).map(move |first| {
            let texts: Vec<&[u8]> = (0..5).map(|n| texts[(first + n) % texts.len()]).collect();
            [vec![tool], texts.join(&END_OF_TEXT)].concat()
        })
    });
    seeds::write(seeds);
}

/// Returns a value with the texts that its marks stand for.
fn filled(value: &Value, texts: &[String]) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix(MARK).map(str::parse::<usize>) {
            Some(Ok(number)) => Value::String(texts[number % texts.len()].clone()),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(|item| filled(item, texts)).collect(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, field)| (name.clone(), filled(field, texts)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// Returns how many lines stand outside fences, and what stands between them. A fence ends with the
/// line that is the same as the one it begins with.
fn frame(markdown: &str) -> (usize, Vec<String>) {
    let (mut outside, mut inside) = (0, Vec::new());
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let is_fence = ["```", "~~~"].iter().any(|sign| line.starts_with(sign))
            && line.chars().all(|c| line.starts_with(c));
        if !is_fence {
            outside += 1;
            continue;
        }
        let text: Vec<&str> = lines.by_ref().take_while(|other| *other != line).collect();
        inside.push(text.join("\n"));
    }
    (outside, inside)
}

/// Returns the headings and blocks of code that a reader of Markdown sees outside lists and quotes:
/// an item or a quote ends with its line, whatever it holds.
fn blocks(markdown: &str) -> (usize, usize) {
    let (mut headings, mut codes, mut depth) = (0, 0, 0);
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::List(_) | Tag::BlockQuote(_)) => depth += 1,
            Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_)) => depth -= 1,
            Event::Start(Tag::Heading { .. }) if depth == 0 => headings += 1,
            Event::Start(Tag::CodeBlock(_)) if depth == 0 => codes += 1,
            _ => {}
        }
    }
    (headings, codes)
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let Some((tool, rest)) = data.split_first() else {
        return;
    };
    let texts = rest.split(|byte| *byte == END_OF_TEXT);
    let texts: Vec<String> = texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    // What is empty may be left out, and so may what is blank.
    let plain: Vec<String> = texts
        .iter()
        .map(|text| if text.trim().is_empty() { text.clone() } else { "x".to_owned() })
        .collect();
    let (name, answer) = &ANSWERS[usize::from(*tool) % ANSWERS.len()];
    let tool = Tool {
        name: (*name).to_owned(),
        title: "A tool".to_owned(),
    };
    let request = Map::new();
    let markdown = |texts: &[String]| RENDERER.answer(&tool, &request, &filled(answer, texts));
    let (rendered, expected) = (markdown(&texts), markdown(&plain));
    let ((headings, codes), (plain_headings, plain_codes)) = (blocks(&rendered), blocks(&expected));
    assert_eq!(headings, plain_headings, "{rendered}");
    // Without a template, a text of several lines stands between fences, and one of a single line
    // does not.
    if *name == "another_tool" {
        return;
    }
    assert_eq!(codes, plain_codes, "{rendered}");
    let ((outside, inside), (plain_outside, plain_inside)) = (frame(&rendered), frame(&expected));
    assert_eq!(outside, plain_outside, "{rendered}");
    assert_eq!(inside.len(), plain_inside.len(), "{rendered}");
    let has_text = |text: &String| {
        let lines: Vec<&str> = text.lines().collect();
        inside.contains(&lines.join("\n"))
    };
    let between = texts.get(3 % texts.len()).filter(|_| !inside.is_empty());
    assert!(between.is_none_or(has_text), "{rendered}");
});
