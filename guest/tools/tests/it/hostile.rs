//! Hostile documents: whatever they contain, calls end with an answer that keeps its promises.

use docent_api::documents::{ListDocumentsOptions, ReadDocumentOptions};
use docent_api::search::{SearchDocumentsOptions, SearchMode};
use docent_api::types::{ErrorCode, SkipReason};
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;

fn content() -> impl Strategy<Value = Vec<u8>> {
    let pieces = proptest::sample::select(
        &[
            "# ",
            "## ",
            "---\n",
            "+++\n",
            "```\n",
            "title: ",
            "\n",
            "\r\n",
            "\r",
            "word ",
            "W\u{212A}",
            "e\u{301}",
            "\u{301}",
            "한국어 ",
            "\u{1112}\u{1161}\u{11AB}",
            "👨\u{200D}👩",
            "İſß",
            "==\n",
            "> ",
            "- ",
            "<div>\n",
            "|a|b|\n",
            "\u{FEFF}",
            "....\n",
            "[x](y)",
            "\t",
            "  ",
            "\u{202E}",
        ][..],
    );
    prop_oneof![
        8 => proptest::collection::vec(pieces, 0..60).prop_map(|p| p.concat().into_bytes()),
        1 => proptest::collection::vec(any::<u8>(), 0..200),
        1 => proptest::collection::vec(any::<u8>(), 0..100)
            .prop_map(|bytes| [&b"\xFF\xFE"[..], &bytes[..]].concat()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn searching_keeps_its_promises(
        content in content(),
        name in proptest::sample::select(&["a.md", "a.txt", "a.rst", "a.adoc"][..]),
        query in proptest::sample::select(&["w", "k", "e", "é", "한", "word", "s", "\n", "👨", "#"][..]),
        mode in 0usize..3,
        max_results in 1u32..4,
    ) {
        let disk = MemoryDisk::with_roots(&["docs"]);
        disk.write("docs", name, &content);
        let options = SearchDocumentsOptions {
            root: None,
            path: None,
            case_sensitive: None,
            context_chars: Some(10),
            max_results: Some(max_results),
            limit: None,
            mode: Some([SearchMode::TitlesOnly, SearchMode::Snippets, SearchMode::FullContext][mode]),
            extensions: None,
            cursor: None,
            max_tokens: Some(0),
            timeout_ms: None,
        };
        let answer = Docent::new(disk, ToolSettings::default()).search_documents(query.to_owned(), Some(options));
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                prop_assert_eq!(error.code, ErrorCode::InvalidQuery);
                prop_assert!(query.trim().is_empty());
                return Ok(());
            }
        };
        // A text with some bytes that are invalid in any encoding is searched, and reported as
        // well.
        let entries = &answer.stats.skipped.entries;
        let is_searched = entries.iter().any(|entry| entry.reason == SkipReason::ReplacedBytes);
        let skipped = answer.stats.skipped.count - u32::from(is_searched);
        prop_assert_eq!(answer.stats.documents_searched + skipped, 1);
        for result in answer.results {
            prop_assert!(result.match_count > 0);
            prop_assert!(!result.name.is_empty());
            prop_assert!(result.matches.len() <= max_results as usize);
            prop_assert_eq!(result.matches.is_empty(), mode == 0);
            prop_assert!(result.matches.is_sorted_by_key(|found| found.line));
            for found in &result.matches {
                prop_assert!(found.line >= 1);
                prop_assert_eq!(found.section.is_some(), mode == 2);
                prop_assert!(mode == 2 || found.excerpt.matches("**").count() >= 2);
            }
            let in_sections: u32 =
                result.matches.iter().filter_map(|m| m.section.as_ref()).map(|s| s.hits).sum();
            prop_assert!(in_sections <= result.match_count);
        }
    }

    #[test]
    fn reading_by_budget_gives_every_line_once(content in content(), copies in 1usize..40) {
        let disk = MemoryDisk::with_roots(&["docs"]);
        disk.write("docs", "a.md", &content.repeat(copies));
        let mut docent = Docent::new(disk, ToolSettings::default());
        let Ok(whole) = docent.read_document("a.md".to_owned(), None) else { return Ok(()) };
        let mut text = String::new();
        let mut lines = None;
        loop {
            let options = ReadDocumentOptions {
                root: None,
                section: None,
                lines: lines.take(),
                max_tokens: Some(100),
                line_numbers: None,
            };
            let part = match docent.read_document("a.md".to_owned(), Some(options)) {
                Ok(part) => part,
                Err(error) => {
                    prop_assert_eq!(error.code, ErrorCode::LimitReached);
                    return Ok(());
                }
            };
            prop_assert!(part.tokens <= 100);
            text.push_str(&part.text);
            lines = part.next_lines;
            if lines.is_none() {
                prop_assert_eq!(part.last_line, whole.total_lines);
                break;
            }
        }
        prop_assert_eq!(text, whole.text);
    }

    #[test]
    fn no_path_reaches_out(path in "[./\\\\a-c%:\0 ]{0,12}") {
        let disk = MemoryDisk::with_files(&[("a/b.md", "inside")]);
        let mut docent = Docent::new(disk, ToolSettings::default());
        if let Ok(read) = docent.read_document(path.clone(), None) {
            prop_assert_eq!(read.path, "a/b.md");
        }
        let options = ListDocumentsOptions { root: None, path: Some(path), limit: None, cursor: None };
        if let Ok(listing) = docent.list_documents(Some(options)) {
            prop_assert!(matches!(listing.path.as_str(), "." | "a"));
        }
    }
}

#[test]
fn a_hundred_thousand_headings() {
    let text = "# harbour\n".repeat(100_000);
    let disk = MemoryDisk::with_files(&[("a.md", &text)]);
    let mut docent = Docent::new(disk, ToolSettings::default());
    let answer = docent.query_document("a.md".to_owned(), "harbour".to_owned(), None);
    assert!(answer.is_ok_and(|answer| answer.total_sections == 100_000));
    let summary = docent.summarize_document("a.md".to_owned(), None);
    assert!(summary.is_ok_and(|summary| summary.stats.section_count == 100_000));
}
