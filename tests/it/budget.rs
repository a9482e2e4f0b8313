//! Tests that the Markdown of an answer keeps its budget: exactly by the estimate, and within a
//! twentieth by the real tokenizer.

use std::fs;

use docent_conformance::documents::document;
use docent_host::render::Renderer;
use docent_host::tools::table;
use docent_tests::guest::{arguments, docent, limits};
use docent_text::tokens::estimate::estimate as estimate_tokens;
use proptest::prelude::*;
use serde_json::{Value, json};
use tiktoken_rs::o200k_base;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn no_answer_is_longer_than_its_budget(
        documents in prop::collection::vec(document(), 1..5),
        budgets in prop::collection::vec(100u32..1500, 4),
        relevance in prop_oneof![Just("bm25"), Just("density")],
        query in prop_oneof![Just("harbour"), Just("설정 항구"), Just("how to install the harbour")],
    ) {
        let tokenizer = o200k_base().unwrap();
        let directory = tempfile::tempdir().unwrap();
        for (index, text) in documents.iter().enumerate() {
            fs::write(directory.path().join(format!("guide-{index}.md")), text).unwrap();
        }
        let mut session = docent(directory.path(), limits());
        let renderer = Renderer::new();
        for budget in budgets {
            for (name, path) in [("smart_search", None), ("query_document", Some("guide-0.md"))] {
                let tool = table().find(name).unwrap();
                let mut request = json!({ "query": query, "maxTokens": budget, "relevance": relevance });
                if let Some(path) = path {
                    request["path"] = json!(path);
                }
                let request = arguments(request);
                let answer: Value = session.call(&tool.function, request.clone()).unwrap();
                let sections = answer["sections"].as_array().or(answer["documents"].as_array());
                let is_empty = sections.is_none_or(Vec::is_empty);
                let markdown = renderer.answer(tool.names(), &request, &answer);
                let used = tokenizer.encode_ordinary(&markdown).len();
                let estimated = estimate_tokens(&markdown);
                // A text that says that nothing was found, and suggests other places, is not
                // content.
                prop_assert!(
                    is_empty || estimated <= budget,
                    "estimated {} of {}: {}", estimated, budget, markdown
                );
                prop_assert!(
                    is_empty || used * 100 <= budget as usize * 105,
                    "{} of {}: {}", used, budget, markdown
                );
            }
        }
    }

    #[test]
    fn no_search_is_longer_than_its_budget_or_than_it_says(
        documents in prop::collection::vec(document(), 1..9),
        budgets in prop::collection::vec(300u32..3000, 3),
        mode in prop_oneof![Just("snippets"), Just("titles-only"), Just("full-context")],
        limit in 1u32..9,
        query in prop_oneof![Just("harbour"), Just("설정"), Just("e")],
    ) {
        let directory = tempfile::tempdir().unwrap();
        for (index, text) in documents.iter().enumerate() {
            fs::write(directory.path().join(format!("guide-{index}.md")), text).unwrap();
        }
        let mut session = docent(directory.path(), limits());
        let renderer = Renderer::new();
        let tool = table().find("search_documents").unwrap();
        for budget in budgets {
            let mut cursor = Value::Null;
            for _ in 0..3 {
                let request = arguments(json!({
                    "query": query, "maxTokens": budget, "mode": mode, "limit": limit,
                    "contextChars": 5, "cursor": cursor,
                }));
                let request = tool.arguments(request).unwrap();
                let answer: Value = session.call(&tool.function, request.clone()).unwrap();
                let markdown = renderer.answer(tool.names(), &request, &answer);
                let estimated = u64::from(estimate_tokens(&markdown));
                let used = answer["tokensUsed"].as_u64().unwrap();
                prop_assert!(
                    estimated <= used && used <= budget.into(),
                    "estimated {}, said {} of {}: {}", estimated, used, budget, markdown
                );
                cursor = answer["nextCursor"].clone();
                if cursor.is_null() {
                    break;
                }
            }
        }
    }
}
