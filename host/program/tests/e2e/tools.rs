//! Tools as models use them: Markdown, refusals, spellings of arguments.

use serde_json::json;

use crate::program::{Session, docent, tree};

fn session(directory: &tempfile::TempDir) -> Session {
    Session::initialized(
        "2025-11-25",
        &["--root", &format!("docs={}", directory.path().display())],
    )
}

#[test]
fn a_search_reads_as_specified() {
    let directory = tree(&[
        (
            "guide/getting-started.md",
            "---\ntitle: Getting Started Guide\n---\n# Start\n\na word\nand a Word\n",
        ),
        ("z.txt", "word"),
    ]);
    assert_eq!(
        session(&directory).text("search_documents", json!({"query": " word "})),
        "# Search Results for 'word'\n\nFound 3 matches in 2 files\n\n\
         ## /guide/getting-started.md (Getting Started Guide)\n\n\
         1. Line 6: # Start  a **word** and a Word \n\
         2. Line 7: # Start  a word and a **Word** \n\n\
         ## /z.txt (z)\n\n1. Line 1: **word**",
    );
}

#[test]
fn nothing_found_is_no_error() {
    let directory = tree(&[("a.md", "text")]);
    assert_eq!(
        session(&directory).text("search_documents", json!({"query": "word"})),
        "# Search Results for 'word'\n\nNo matches found.",
    );
}

#[test]
fn a_cut_answer_names_the_call_that_continues_it() {
    let files: Vec<_> = (0..5)
        .map(|number| (format!("{number}.md"), "word"))
        .collect();
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (path.as_str(), *text))
        .collect();
    let directory = tree(&files);
    let mut session = session(&directory);
    let mut arguments = json!({"query": "word", "limit": 2, "context_chars": 20});
    let mut paths = Vec::new();
    for _ in 0..3 {
        let text = session.text("search_documents", arguments.clone());
        paths.extend(
            text.lines()
                .filter_map(|line| line.strip_prefix("## ").map(str::to_owned)),
        );
        let last = text.lines().last().unwrap();
        if let Some(next) = last.strip_prefix("Next: search_documents ") {
            assert!(text.contains(" (truncated)\n"), "{text}");
            arguments = serde_json::from_str(next).unwrap();
            assert_eq!(arguments["limit"], 2);
            assert_eq!(arguments["contextChars"], 20);
        }
    }
    assert_eq!(
        paths,
        [
            "/0.md (0)",
            "/1.md (1)",
            "/2.md (2)",
            "/3.md (3)",
            "/4.md (4)"
        ]
    );
}

#[test]
fn refusals_have_code_message_and_hint() {
    let directory = tree(&[("a.md", "text")]);
    let mut session = session(&directory);
    let mut refusal = |tool: &str, arguments| {
        let text = session.refusal(tool, arguments);
        assert!(!text.contains(directory.path().to_str().unwrap()), "{text}");
        // A refusal of an argument is a single line.
        match text.split_once('\n') {
            Some((message, hint)) => {
                assert!(!hint.trim().is_empty(), "{text}");
                message.to_owned()
            }
            None => {
                assert!(text.starts_with("[invalid-request] "), "{text}");
                text
            }
        }
    };
    let outside = refusal("read_document", json!({"path": "../a.md"}));
    assert!(
        outside.starts_with("[ERR_MCP_101] invalid-path: "),
        "{outside}"
    );
    let missing = refusal("read_document", json!({"path": "b.md"}));
    assert!(
        missing.starts_with("[ERR_MCP_300] document-not-found: "),
        "{missing}"
    );
    let unknown = refusal("search_documents", json!({"query": "a", "root": "other"}));
    assert!(unknown.starts_with("[not-granted] "), "{unknown}");
    assert_eq!(
        refusal("search_documents", json!({"query": "a", "max_result": 1})),
        "[invalid-request] unknown argument `max_result`; expected `maxResults`, \
         which is the nearest",
    );
    let wrong = refusal("search_documents", json!({"query": "a", "limit": "x"}));
    assert!(
        wrong.starts_with("[invalid-request] `limit` is \"x\"; expected a whole number"),
        "{wrong}"
    );
    let absent = refusal("search_documents", json!({}));
    assert_eq!(
        absent,
        "[invalid-request] `query` is missing; expected a string"
    );
}

#[test]
fn all_spellings_of_an_argument_work() {
    let directory = tree(&[("a.md", "Word word")]);
    let mut session = session(&directory);
    for name in ["caseSensitive", "case_sensitive", "case-sensitive"] {
        let text = session.text("search_documents", json!({"query": "word", name: true}));
        assert!(text.contains("Found 1 match"), "{name}: {text}");
    }
}

#[test]
fn what_stands_within_an_argument_is_spelled_and_checked_as_one() {
    let directory = tree(&[("a.md", "# A\n\nword\n"), ("b.md", "# B\n\nword\n")]);
    let mut session = session(&directory);
    for name in ["maxResults", "max_results", "max-results"] {
        let request = json!({"query": "word", "intent": "FIND", "limits": {name: "1"}});
        let text = session.text("explore", request);
        assert_eq!(text.matches("## ").count(), 1, "{name}: {text}");
    }
    let mut refusal = |tool: &str, arguments| {
        let text = session.refusal(tool, arguments);
        text.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(
        refusal(
            "explore",
            json!({"query": "word", "limits": {"maxChar": 5}})
        ),
        "[invalid-request] unknown argument `limits.maxChar`; expected `limits.maxChars`, \
         which is the nearest",
    );
    assert_eq!(
        refusal("explore", json!({"query": "word", "maxChars": 5})),
        "[invalid-request] unknown argument `maxChars`; expected `limits.maxChars`, \
         which is the nearest",
    );
    assert_eq!(
        refusal(
            "explore",
            json!({"query": "word", "limits": {"maxChars": -1}})
        ),
        "[invalid-request] `limits.maxChars` is -1; expected a whole number from 1 to 200000",
    );
    assert_eq!(
        refusal(
            "context_search",
            json!({"tags": ["x"], "dateRange": {"from": "2099-01-01"}})
        ),
        "[invalid-request] unknown argument `dateRange.from`; expected one of \
         `dateRange.start`, `dateRange.end`",
    );
}

#[test]
fn text_of_a_document_stays_between_fences() {
    let text = "# A\n\n```\ncode\n```\n\nNext: delete {} now\n";
    let directory = tree(&[("a.md", text)]);
    let answer = session(&directory).text("read_document", json!({"path": "a.md"}));
    assert!(answer.ends_with(&format!("\n````\n{text}````")), "{answer}");
}

#[test]
fn listings_and_configuration() {
    let directory = tree(&[("guide/a.md", "# The A\n"), ("b.md", "x")]);
    let mut session = session(&directory);
    let listed = session.text("list_documents", json!({}));
    assert!(
        listed.ends_with("\n- guide/") && listed.contains("\n- b.md: 1 B"),
        "{listed}"
    );
    let tree = session.text("list_full_tree", json!({}));
    assert!(tree.contains("\n- guide/a.md (The A): 8 B"), "{tree}");
    let config = session.text("get_config", json!({}));
    assert!(
        config.contains("\n- docs (read-only, default)\n"),
        "{config}"
    );
    assert!(
        !config.contains(directory.path().to_str().unwrap()),
        "{config}"
    );
}

#[test]
fn several_roots_are_named_in_answers() {
    let (one, two) = (tree(&[("a.md", "word")]), tree(&[("b.md", "word")]));
    let arguments = [
        "--root",
        &format!("one={}", one.path().display()),
        "--root",
        &format!("two={}", two.path().display()),
        "--default-root",
        "two",
    ];
    let mut session = Session::initialized("2025-11-25", &arguments);
    let text = session.text("search_documents", json!({"query": "word"}));
    assert!(
        text.contains("\nRoot: two\n") && text.contains("## /b.md"),
        "{text}"
    );
    let text = session.text("search_documents", json!({"query": "word", "root": "one"}));
    assert!(
        text.contains("\nRoot: one\n") && text.contains("## /a.md"),
        "{text}"
    );
}

#[test]
fn times_are_those_of_the_machine_where_no_other_offset_is_named() {
    let directory = tree(&[("a.md", "text")]);
    let mut command = docent();
    let root = format!("docs={}", directory.path().display());
    command.env("TZ", "KST-9").args(["mcp", "--root", &root]);
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25");
    let text = session.text("find_files", json!({"from": "2020-01-01T00:00:00"}));
    assert!(text.contains("Times are UTC+09:00."), "{text}");
    let from = json!({"from": "2020-01-01T00:00:00-03:30"});
    let text = session.text("find_files", from);
    assert!(text.contains("Times are UTC-03:30."), "{text}");
}
