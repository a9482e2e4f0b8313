//! Workloads for the tools that read one document.

use docent_api::pillars::ExploreOptions;
use docent_tools::{Docent, NO_EXPLORE_OPTIONS, Settings};
use docent_tree::memory::MemoryDisk;

use crate::Case;

pub fn cases() -> Vec<Case> {
    let mut cases = vec![
        // One long line.
        document("words", 25_000, |size| "word ".repeat(size)),
        document("one word", 125_000, |size| "a".repeat(size)),
        document("syllables", 15_000, |size| "가나다".repeat(size)),
        document("backticks", 50_000, |size| "`".repeat(size)),
        document("brackets", 12_500, |size| "[".repeat(size)),
        document("a line of many words", 40_000, |size| {
            "needle in a very long line ".repeat(size)
        }),
        document("links out of the root", 4_000, |size| {
            let link = |number: usize| format!("[a](../{number:07})\n");
            (0..size).map(link).collect()
        }),
        document("headings", 12_500, |size| "# needle\n".repeat(size)),
        document("headings with text", 20_000, |size| {
            "# a\n\nword\n\n".repeat(size)
        }),
        document("setext headings", 6_250, |size| "a\n=\n".repeat(size)),
        document("quotes", 500, |size| {
            format!("{}needle\n", "> ".repeat(size)).repeat(20)
        }),
        document("lists", 5, |size| {
            let item = |depth: usize| format!("{}- a\n", "  ".repeat(depth));
            let list: String = (0..200).map(item).collect();
            format!("{list}\nend\n\n").repeat(size)
        }),
        document("emphasis", 5_000, |size| "*a _b ".repeat(size)),
        document("fences", 5_000, |size| "```\nneedle\n".repeat(size)),
        document("tags", 5_000, |size| "#tag `#code` ".repeat(size)),
    ];
    for end in ["\r\n", "\r", "\n\n"] {
        cases.push(document(
            &format!("lines that end in {end:?}"),
            20_000,
            move |size| format!("word needle{end}").repeat(size),
        ));
    }
    cases.push(Case::new(
        "definitions that all hit",
        (5_000, 20_000),
        |count| {
            let functions = (0..count).map(|number| format!("def needle_{number}():\n    pass\n"));
            let disk = MemoryDisk::with_files(&[("a.py", &functions.collect::<String>())]);
            let options = ExploreOptions {
                query: Some("needle".to_owned()),
                ..NO_EXPLORE_OPTIONS
            };
            move || {
                let answer = Docent::new(disk, Settings::default()).explore(Some(options));
                assert!(answer.is_ok_and(|answer| answer.data.code.len() == 1));
            }
        },
    ));
    cases
}

/// Returns a case of a document whose sections are requested, and which is summarized.
fn document(name: &str, size: usize, text: impl Fn(usize) -> String + 'static) -> Case {
    Case::new(
        format!("a document of {name}"),
        (size, 2 * size),
        move |size| {
            let disk = MemoryDisk::with_files(&[("a.md", &text(size))]);
            let mut docent = Docent::new(disk, Settings::default());
            move || {
                let answer =
                    docent.query_document("a.md".to_owned(), "needle word".to_owned(), None);
                assert!(answer.is_ok());
                let summary = docent.summarize_document("a.md".to_owned(), None);
                assert!(summary.is_ok());
            }
        },
    )
}
