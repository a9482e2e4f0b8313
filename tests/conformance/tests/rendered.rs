//! The Markdown of answers that keep to a budget, rendered without the host: it is no longer than
//! the answer states, its last line states the next call, and it equals its file in `answers/`.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;

use docent_conformance::documents::document;
use docent_conformance::typed::{call, docent};
use docent_conformance::{case_files, markdown, memory, tidy};
use docent_markdown::{Renderer, ToolName};
use docent_text::tokens::estimate::estimate;
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// The tools whose answers consist of sections within a budget.
const TOOLS: [&str; 2] = ["smart-search", "query-document"];

fn rendered(tool: &str, request: &Map<String, Value>, answer: &Value) -> String {
    let name = tool.replace('-', "_");
    let tool = ToolName {
        name: &name,
        title: "",
    };
    Renderer::new().answer(tool, request, answer)
}

/// Returns the problem with the Markdown of an answer; none if it is right.
fn complaint(markdown: &str, answer: &Value) -> Option<String> {
    let [used, most] = ["tokensUsed", "maxTokens"].map(|name| answer[name].as_u64().unwrap_or(0));
    let estimated = u64::from(estimate(markdown));
    let nothing = json!([]);
    let shown = answer
        .get("sections")
        .or(answer.get("documents"))
        .unwrap_or(&nothing);
    // A text that says that nothing was found, and suggests other places, is not content.
    let is_empty = *shown == nothing;
    let last = markdown.lines().last().unwrap_or_default();
    let names_next = last.starts_with("Next: ") && last.len() <= 300;
    let is_cut = answer.get("nextCursor").is_some_and(Value::is_string);
    (!is_empty && (estimated > used || used > most) || names_next != is_cut)
        .then(|| format!("estimated {estimated}, said {used} of {most}: {markdown}"))
}

#[test]
fn answers_of_cases_are_what_a_model_reads() {
    let mut complaints = Vec::new();
    for file in case_files() {
        for case in &file.cases {
            let mut docent = docent(memory::disk(case), case, "0");
            let mut requests = Vec::new();
            let outcomes = case.outcomes(|tool, args| {
                requests.push(args.clone());
                call(&mut docent, tool, args)
            });
            let answered = case.calls.iter().zip(requests).zip(outcomes);
            for ((call, request), outcome) in answered {
                let Ok(answer) = outcome else { continue };
                let text = rendered(&call.tool, &request, &answer);
                let is_ours = TOOLS.contains(&call.tool.as_str());
                if is_ours {
                    complaints.extend(complaint(&text, &answer));
                }
                // For other tools the host normalizes the arguments first.
                if let Some(name) = call.markdown.as_ref().filter(|_| is_ours) {
                    let title = format!("{}: {}", file.name, case.name);
                    let text = markdown::text(&title, call, &text, &answer);
                    complaints.extend(markdown::check(name, &text).err());
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

/// Returns the path and first line of each section of an answer.
fn places(answer: &Value) -> Vec<(String, u64)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let documents = match answer.get("documents") {
        Some(documents) => list(documents),
        None => vec![answer.clone()],
    };
    let mut places = Vec::new();
    for document in documents {
        for section in list(&document["sections"]) {
            let path = document["path"].as_str().unwrap_or_default().to_owned();
            // Several parts may begin in one line.
            let part = section["part"].as_u64().unwrap_or(0) << 32;
            places.push((path, part | section["firstLine"].as_u64().unwrap_or(0)));
        }
    }
    places
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn no_page_is_longer_than_it_says_and_nothing_comes_twice(
        documents in prop::collection::vec(document(), 1..5),
        budget in 100u32..1500,
        relevance in prop_oneof![Just("bm25"), Just("density")],
        query in prop_oneof![
            Just("harbour".to_owned()),
            Just("설정 항구".to_owned()),
            Just("how to install the harbour".to_owned()),
            Just("harbour ".repeat(50).trim_end().to_owned()),
        ],
        limit in 1u32..6,
        tool in prop_oneof![Just(TOOLS[0]), Just(TOOLS[1])],
    ) {
        let disk = MemoryDisk::with_roots(&["docs", "other"]);
        for (index, text) in documents.iter().enumerate() {
            disk.write("docs", &format!("a/guide-{index}.md"), text.as_bytes());
        }
        let mut docent = Docent::new(disk, ToolSettings::default());
        let mut seen = BTreeSet::new();
        let mut request = json!({ "query": query, "maxTokens": budget, "relevance": relevance });
        match tool {
            "smart-search" => request["limit"] = json!(limit),
            _ => request["path"] = json!("a/guide-0.md"),
        }
        for _ in 0..30 {
            let Value::Object(arguments) = request.clone() else { unreachable!() };
            let answer = call(&mut docent, tool, arguments.clone()).map(tidy);
            let Ok(answer) = answer else { panic!("{answer:?}") };
            let complaint = complaint(&rendered(tool, &arguments, &answer), &answer);
            prop_assert!(complaint.is_none(), "{}", complaint.unwrap_or_default());
            for place in places(&answer) {
                prop_assert!(seen.insert(place.clone()), "{place:?} twice");
            }
            match answer.get("nextCursor") {
                Some(cursor) if cursor.is_string() => request["cursor"] = cursor.clone(),
                _ => break,
            }
        }
    }
}
