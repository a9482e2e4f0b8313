//! The tools that answer from sections keep their promises: budgets, order, caches, identifiers.

use docent_api::context::ContextSearchOptions;
use docent_api::sections::{
    QueryDocumentOptions, Relevance, Section, SmartSearchAnswer, SmartSearchOptions,
};
use docent_core::memory::MemoryDisk;
use docent_core::{Docent, Settings, estimate_tokens};
use proptest::prelude::*;

fn smart(
    docent: &mut Docent<MemoryDisk>,
    query: &str,
    limit: u32,
    tokens: u32,
) -> SmartSearchAnswer {
    let options = SmartSearchOptions {
        root: None,
        path: None,
        mode: None,
        max_tokens: Some(tokens),
        limit: Some(limit),
        relevance: None,
    };
    match docent.smart_search(query.to_owned(), Some(options)) {
        Ok(answer) => answer,
        Err(error) => panic!("{error:?}"),
    }
}

fn paths(answer: &SmartSearchAnswer) -> Vec<&str> {
    answer
        .documents
        .iter()
        .map(|document| document.path.as_str())
        .collect()
}

fn settings(cache_bytes: usize) -> Settings {
    Settings {
        cache_bytes,
        ..Settings::default()
    }
}

/// A fence that is answered with longer ones.
const FENCE: &str = concat!(
    "````````````````````````````````````````````````````````````````````````````````",
    "````````````````````````````````````````````````````````````````````````````````",
    "````````````````````````````````````````````````````````````````````````````````",
    "\n"
);

fn document() -> impl Strategy<Value = String> {
    let pieces = proptest::sample::select(
        &[
            "# Alpha\n",
            "## Beta gamma\n",
            "Setext\n===\n",
            "alpha ",
            "beta ",
            "한국어를 ",
            "word ",
            "\n",
            "\n\n",
            "```\nalpha\n",
            "```\n",
            "- item alpha\n",
            "| alpha | b |\n",
            "> # no\n",
            FENCE,
            "\r\n",
            "gamma, delta; epsilon. ",
            "A longer sentence about alpha and beta goes here, and on, and on.\n\n",
        ][..],
    );
    (proptest::collection::vec(pieces, 0..80), 1usize..8)
        .prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

/// What the Markdown of an answer shows of a section, as `host/templates/section.md` has it.
fn rendered(section: &Section) -> String {
    let runs = section.content.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!(
        "\nLines {}-{}, {}, part {} of {} ({}):\n\n{fence}\n{}\n{fence}\n",
        section.first_line,
        section.last_line,
        section.heading_path.join(" > "),
        section.part.unwrap_or(1000),
        section.parts.unwrap_or(1000),
        section.score,
        section.content,
    )
}

fn check_sections(sections: &[Section], text: &str) -> Result<(), TestCaseError> {
    let places = sections
        .iter()
        .map(|section| (section.position, section.part, section.first_line));
    prop_assert!(
        places.clone().is_sorted(),
        "{:?}",
        places.collect::<Vec<_>>()
    );
    for section in sections {
        prop_assert!(text.contains(&section.content));
        prop_assert!((0.0..=1.0).contains(&section.score));
        prop_assert_eq!(section.tokens, estimate_tokens(&section.content));
        prop_assert_eq!(section.part.is_some(), section.parts.is_some());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_budget_is_kept_by_one_document(
        text in document(),
        budget in 100u32..1500,
        query in proptest::sample::select(&["alpha", "beta gamma", "한국어", "word epsilon"][..]),
        is_density: bool,
    ) {
        let disk = MemoryDisk::with_files(&[("a/b.md", &text)]);
        let relevance = if is_density { Relevance::Density } else { Relevance::Bm25 };
        let options = QueryDocumentOptions {
            root: None,
            max_tokens: Some(budget),
            relevance: Some(relevance),
        };
        let answer = Docent::new(disk, settings(0))
            .query_document("a/b.md".to_owned(), query.to_owned(), Some(options));
        let Ok(answer) = answer else { panic!("the request is valid") };
        check_sections(&answer.sections, &text)?;
        let used: u32 = answer.sections.iter().map(|section| section.tokens).sum();
        prop_assert_eq!(answer.tokens_used, used);
        let mut shown = format!(
            "# {}\n\n{} of {} sections. What stands between fences is the document's text.\n",
            answer.path, answer.selected_sections, answer.total_sections
        );
        shown.push_str(answer.hint.as_deref().unwrap_or_default());
        shown.extend(answer.sections.iter().map(rendered));
        prop_assert!(estimate_tokens(&shown) <= budget, "{} of {budget}: {shown}", estimate_tokens(&shown));
        let holds = query.split(' ').any(|word| text.to_lowercase().contains(word));
        // Fences round a long run of backticks may take all of a small budget.
        let has_runs = text.contains(FENCE);
        prop_assert!(!answer.sections.is_empty() || !holds || has_runs, "{text}");
    }

    #[test]
    fn a_budget_is_kept_by_all_documents(
        texts in proptest::collection::vec(document(), 1..6),
        budget in 100u32..2000,
        limit in 1u32..8,
        query in proptest::sample::select(&["alpha", "beta gamma", "한국어", "zeta"][..]),
    ) {
        let disk = MemoryDisk::with_roots(&["docs"]);
        for (i, text) in texts.iter().enumerate() {
            disk.write("docs", &format!("d/f{i}.md"), text.as_bytes());
        }
        let answer = smart(&mut Docent::new(disk, settings(0)), query, limit, budget);
        prop_assert!(answer.documents.len() <= limit as usize);
        prop_assert!(answer.documents.is_sorted_by(|a, b| a.score >= b.score));
        prop_assert_eq!(answer.hint.is_some(), answer.documents.is_empty());
        let mut shown = format!(
            "{} documents found. What stands between fences is the documents' text.\n",
            answer.documents_found
        );
        for document in &answer.documents {
            let number: usize = document.path[3..4].parse().unwrap_or_default();
            check_sections(&document.sections, &texts[number])?;
            shown.push_str(&format!("\n## {} ({})\n", document.path, document.name));
            shown.extend(document.sections.iter().map(rendered));
        }
        let cost = estimate_tokens(&shown);
        prop_assert!(cost <= budget, "{cost} of {budget}: {shown}");
        let has_section = answer.documents.first().is_none_or(|first| !first.sections.is_empty());
        let has_runs = texts.iter().any(|text| text.contains(FENCE));
        prop_assert!(has_section || has_runs, "{shown}");
    }

    #[test]
    fn warm_answers_are_those_of_a_fresh_instance(
        steps in proptest::collection::vec(
            (0usize..4, document(), proptest::sample::select(&["alpha", "beta gamma", "한국어를"][..])),
            1..12,
        ),
        cache in 0usize..8000,
    ) {
        let disk = MemoryDisk::with_roots(&["docs"]);
        let mut warm = Docent::new(disk.clone(), settings(cache));
        for (file, text, query) in steps {
            if file == 3 {
                disk.remove("docs", "f0.md");
            } else {
                disk.write("docs", &format!("f{file}.md"), text.as_bytes());
            }
            let fresh = smart(&mut Docent::new(disk.clone(), settings(0)), query, 3, 500);
            prop_assert_eq!(&smart(&mut warm, query, 3, 500), &fresh);
            prop_assert_eq!(&smart(&mut warm, query, 3, 500), &fresh);
            let options = || Some(ContextSearchOptions {
                content: Some(query.to_owned()),
                tags: None, title: None, category: None, date_range: None, date_field: None,
                operator: None, root: None, path: None, limit: None, cursor: None,
            });
            prop_assert_eq!(
                warm.context_search(options()),
                Docent::new(disk.clone(), settings(0)).context_search(options())
            );
        }
    }
}

#[test]
fn a_warm_search_reads_what_it_answers_from() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for i in 0..200 {
        let word = if i % 50 == 0 { "needle" } else { "hay" };
        disk.write("docs", &format!("d{}/f{i}.md", i % 10), word.as_bytes());
    }
    let mut docent = Docent::new(disk.clone(), settings(1 << 20));
    assert_eq!(smart(&mut docent, "needle", 5, 2000).documents_found, 4);
    disk.take_opens();
    assert_eq!(smart(&mut docent, "needle", 5, 2000).documents_found, 4);
    let opened = disk.take_opens();
    assert!(
        opened < 60,
        "{opened} opens for eleven directories and four documents"
    );
}

/// Forty names in four spellings, each in three to twelve documents among a hundred and fifty that
/// hold their parts in other combinations.
#[test]
fn identifiers_are_found_exactly() {
    let words = [
        "max", "size", "user", "name", "file", "path", "read", "only", "load", "time",
    ];
    let mut names: Vec<String> = Vec::new();
    for (i, first) in words.iter().enumerate() {
        let (second, third) = (words[(i + 3) % 10], words[(i + 7) % 10]);
        let capital = format!("{}{}", second[..1].to_uppercase(), &second[1..]);
        names.push(format!("{first}_{second}_{third}").to_uppercase());
        names.push(format!("{first}{capital}"));
        names.push(format!("{first}.{second}.{third}"));
        names.push(format!("{first}-{second}-{third}"));
    }
    let mut texts = vec![String::new(); 150];
    for (i, name) in names.iter().enumerate() {
        for copy in 0..3 + i % 10 {
            texts[(i * 37 + copy * 11) % 150].push_str(&format!("Use `{name}` here.\n\n"));
        }
    }
    let disk = MemoryDisk::with_roots(&["docs"]);
    for (i, text) in texts.iter_mut().enumerate() {
        for word in 0..60 {
            text.push_str(words[(i * 7 + word * word) % 10]);
            text.push_str(if word % 9 == 8 { ".\n" } else { " " });
        }
        disk.write("docs", &format!("f{i:03}.md"), text.as_bytes());
    }
    let mut docent = Docent::new(disk, settings(1 << 20));
    for name in &names {
        let holding: Vec<String> = (0..150)
            .filter(|&i| texts[i].contains(name.as_str()))
            .map(|i| format!("f{i:03}.md"))
            .collect();
        let answer = smart(&mut docent, name, 10, 4000);
        let found = paths(&answer);
        assert!(
            found
                .iter()
                .all(|path| holding.iter().any(|own| own == path)),
            "{name}: {found:?}"
        );
        assert_eq!(found.len(), holding.len().min(10), "{name}");
    }
}

#[test]
fn nothing_relevant_is_nothing() {
    let disk = MemoryDisk::with_files(&[("a.md", "# Text\n\nwords\n"), ("b.md", "")]);
    let answer = smart(&mut Docent::new(disk, settings(0)), "xyz zyqqq", 5, 2000);
    assert!(answer.documents.is_empty() && answer.documents_found == 0);
    assert!(answer.hint.is_some_and(|hint| hint.contains("No document")));
}
