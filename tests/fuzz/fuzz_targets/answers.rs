//! Markdown answers: an answer has the same blocks with any document text and any names as with
//! harmless ones, so no text opens, closes or adds a block.
#![no_main]

use std::sync::LazyLock;

use docent_conformance::typed::{call, docent};
use docent_conformance::{case_files, memory};
use docent_fuzz::seeds;
use docent_markdown::{Renderer, ToolName, line};
use libfuzzer_sys::fuzz_target;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::{Map, Value};

/// A call of a conformance case and its answer.
struct Call {
    tool: String,
    request: Map<String, Value>,
    answer: Value,
}

/// The fields of answers whose text is from a document, or is the name of one.
const TEXTS: [&str; 15] = [
    "anchor",
    "brokenLinks",
    "content",
    "excerpt",
    "filePath",
    "heading",
    "headingPath",
    "keyPoints",
    "links",
    "name",
    "path",
    "preview",
    "query",
    "text",
    "title",
];

/// Maximum calls per tool, so that the selecting byte reaches every tool.
const CALLS_PER_TOOL: usize = 20;

static CALLS: LazyLock<Vec<Call>> = LazyLock::new(|| {
    let mut calls: Vec<Call> = Vec::new();
    for case in case_files().into_iter().flat_map(|file| file.cases) {
        let mut docent = docent(memory::disk(&case), &case, "0");
        let outcomes = case.outcomes(|tool, args| call(&mut docent, tool, args));
        for (asked, outcome) in case.calls.iter().zip(outcomes) {
            let Ok(mut answer) = outcome else {
                continue;
            };
            // Cases omit fields that change with each run, but templates require them.
            for operation in answer["operations"].as_array_mut().into_iter().flatten() {
                operation["writtenAt"] = "2026-01-02T03:04:05Z".into();
            }
            let tool = asked.tool.replace('-', "_");
            if calls.iter().filter(|call| call.tool == tool).count() < CALLS_PER_TOOL {
                let request = asked.args.clone();
                calls.push(Call {
                    tool,
                    request,
                    answer,
                });
            }
        }
    }
    assert!(
        calls.len() <= 256,
        "a byte chooses among {} calls",
        calls.len()
    );
    calls
});

static RENDERER: LazyLock<Renderer> = LazyLock::new(Renderer::new);

fn write_seeds() {
    let texts = [
        "```",
        "~~~~\n",
        "# a",
        "a\n===",
        "- a\n- b",
        "1. a",
        "> a",
        "<!-- a",
        "<script>",
        "[a]: b",
        "a | b\n--|--",
        "Next: x {}",
        "    a",
        "\u{2028}# a",
        "\r# a",
        "***",
    ];
    let calls = 0..u8::try_from(CALLS.len()).unwrap_or(u8::MAX);
    seeds::write(calls.flat_map(|call| texts.map(|text| [&[call], text.as_bytes()].concat())));
}

/// Returns an answer in which every text from a document is `text`.
fn with_text(value: &Value, is_text: bool, text: &str) -> Value {
    match value {
        Value::String(own) if is_text && !own.is_empty() => text.into(),
        Value::Array(items) => items
            .iter()
            .map(|item| with_text(item, is_text, text))
            .collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, field)| {
                let is_text = TEXTS.contains(&name.as_str());
                let filled = match field {
                    // The heading at the beginning of a section's text is not shown.
                    Value::String(own) if name == "content" && !own.is_empty() => {
                        format!("\n{text}").into()
                    }
                    field => with_text(field, is_text, text),
                };
                (name.clone(), filled)
            });
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// Returns the kinds of the outermost blocks; the contents of lists and quotations do not matter.
fn blocks(markdown: &str) -> Vec<String> {
    let mut depth = 0;
    let mut blocks = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    blocks.push(match tag {
                        Tag::Heading { level, .. } => format!("{level}"),
                        Tag::CodeBlock(_) => "code".to_owned(),
                        Tag::List(_) => "list".to_owned(),
                        other => format!("{other:?}"),
                    });
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ if depth == 0 => blocks.push(format!("{event:?}")),
            _ => {}
        }
    }
    blocks
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let Some((first, text)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    // Answers omit a text that is empty as a line, together with its block.
    if line(text).is_empty() {
        return;
    }
    let call = &CALLS[usize::from(*first) % CALLS.len()];
    let rendered = |text: &str| {
        let names = ToolName { name: &call.tool, title: "A tool" };
        RENDERER.answer(names, &call.request, &with_text(&call.answer, false, text))
    };
    let (hostile, harmless) = (rendered(text), rendered("x"));
    assert_eq!(blocks(&hostile), blocks(&harmless), "{hostile}");
});
