//! The tools that answer from sections keep their promises: budgets, order, caches, identifiers.

use docent_api::context::ContextSearchOptions;
use docent_api::documents::ReadDocumentOptions;
use docent_api::sections::{
    QueryDocumentOptions, Relevance, Section, SmartSearchAnswer, SmartSearchOptions,
};
use docent_api::types::ErrorCode;
use docent_text::tokens::estimate::estimate as estimate_tokens;
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;
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
        cursor: None,
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

fn settings(cache_bytes: usize) -> ToolSettings {
    ToolSettings {
        cache_bytes,
        ..ToolSettings::default()
    }
}

fn document() -> impl Strategy<Value = String> {
    // Fences that are answered with longer ones, or with others.
    let runs = (1usize..600, 0usize..3).prop_map(|(length, kind)| match kind {
        0 | 1 => format!("{}\n", "`".repeat(length)),
        _ => format!("{} {}\n", "~".repeat(length), "`".repeat(length)),
    });
    let words = proptest::sample::select(
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
            "\r\n",
            "gamma, delta; epsilon. ",
            "A longer sentence about alpha and beta goes here, and on, and on.\n\n",
        ][..],
    );
    let pieces = prop_oneof![30 => words.prop_map(str::to_owned), 1 => runs];
    (proptest::collection::vec(pieces, 0..80), 1usize..8)
        .prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

/// Backticks that alone, or with the fences around them, may exceed a small budget.
const LONG_RUN: &str = "````````````````````````````````";

/// A text between the fences that an answer's Markdown has.
fn fenced(text: &str) -> String {
    let run = |sign| text.split(|c| c != sign).map(str::len).max();
    let (backticks, tildes) = (run('`').unwrap_or(0), run('~').unwrap_or(0));
    let fence = if backticks >= 16 && tildes < backticks {
        "~".repeat(tildes.max(2) + 1)
    } else {
        "`".repeat(backticks.max(2) + 1)
    };
    format!("{fence}\n{text}\n{fence}")
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
            cursor: None,
        };
        let answer = Docent::new(disk, settings(0))
            .query_document("a/b.md".to_owned(), query.to_owned(), Some(options));
        let Ok(answer) = answer else { panic!("the request is valid") };
        check_sections(&answer.sections, &text)?;
        let content: u32 = answer.sections.iter().map(|section| section.tokens).sum();
        // Headings are shown once, in the line above their text.
        let headings: usize = answer.sections.iter().map(|section| section.heading.len()).sum();
        prop_assert!(content as usize <= answer.tokens_used as usize + headings);
        prop_assert!(answer.tokens_used <= budget, "{} of {budget}", answer.tokens_used);
        let holds = query.split(' ').any(|word| text.to_lowercase().contains(word));
        // A long run of signs may take all of a small budget.
        let has_runs = text.contains(LONG_RUN);
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
        prop_assert!(answer.hint.is_some() || !answer.documents.is_empty());
        for document in &answer.documents {
            let number: usize = document.path[3..4].parse().unwrap_or_default();
            check_sections(&document.sections, &texts[number])?;
        }
        prop_assert!(answer.tokens_used <= budget, "{} of {budget}", answer.tokens_used);
        let has_section = answer.documents.first().is_none_or(|first| !first.sections.is_empty());
        let has_runs = texts.iter().any(|text| text.contains(LONG_RUN));
        prop_assert!(has_section || has_runs, "{answer:?}");
    }

    #[test]
    fn a_budget_is_kept_by_what_is_read(
        text in document(),
        budget in 100u32..1500,
        folder in proptest::sample::select(&["a", "a long folder with words", "설정/서버"][..]),
    ) {
        let path = format!("{folder}/b.md");
        let disk = MemoryDisk::with_files(&[(path.as_str(), &text)]);
        let options = ReadDocumentOptions {
            root: None,
            section: None,
            lines: None,
            max_tokens: Some(budget),
            line_numbers: None,
        };
        let answer = Docent::new(disk, settings(0)).read_document(path, Some(options));
        let answer = match answer {
            Ok(answer) => answer,
            // A line with many signs may take more than all of a small budget.
            Err(error) => {
                prop_assert_eq!(error.code, ErrorCode::LimitReached);
                return Ok(());
            }
        };
        let mut shown = format!(
            "# {} ({})\n\nLines {}-{} of {}, {} tokens. What stands between the fences is the document's text.\n\n{}\n",
            answer.path,
            answer.name,
            answer.first_line,
            answer.last_line,
            answer.total_lines,
            answer.tokens,
            fenced(&answer.text),
        );
        if let Some(lines) = &answer.next_lines {
            shown.push_str(&format!(
                "\nNext: read_document {{\"path\":\"{}\",\"maxTokens\":{budget},\"lines\":\"{lines}\"}}",
                answer.path,
            ));
        }
        let cost = estimate_tokens(&shown);
        prop_assert!(cost <= budget, "{cost} of {budget}: {shown}");
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

/// Four documents of one length with one term, which counts 1, 4, 10, and, in a title that is also
/// a heading, 20 quarters of an occurrence. With n of them the score is n ÷ (n + 1.8): all contain
/// the term and have the mean length, so nothing else counts.
#[test]
fn where_a_term_stands_can_be_added_up() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    // A path counts 16, and a word of the text 4: each document is 24 words and a quarter or none.
    for (name, text, words) in [
        ("a.md", "```\nport\n```\n\n", 20),
        ("b.md", "port ", 19),
        ("c.md", "hay\n\n## Port\n\n", 17),
        ("d.md", "# Port\n\n", 15),
    ] {
        disk.write(
            "docs",
            name,
            format!("{text}{}", "hay ".repeat(words)).as_bytes(),
        );
    }
    let answer = smart(&mut Docent::new(disk, settings(0)), "port", 4, 2000);
    let scores: Vec<(&str, f64)> = answer
        .documents
        .iter()
        .map(|document| (document.path.as_str(), document.score))
        .collect();
    let expected = [
        // A heading that equals the query adds half of the difference to 1.
        ("d.md", 0.8676), // 5 / 6.8
        ("c.md", 0.7907), // 2.5 / 4.3
        ("b.md", 0.3571), // 1 / 2.8
        ("a.md", 0.122),  // 0.25 / 2.05
    ];
    assert_eq!(scores, expected);
}

/// Forty names in four spellings, each in three to twelve documents among a hundred and fifty that
/// contain their parts in other combinations.
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

/// Byte order mark, line ends of all kinds, and no end of the last line change no heading.
#[test]
fn sections_are_the_same_however_lines_end() {
    let plain = "# One\n\nalpha\n\n```\n# no alpha\n```\n\nTwo\n===\n\nalpha\n\n## Three\n\nalpha";
    for text in [
        plain.to_owned(),
        format!("{plain}\n"),
        format!("\u{FEFF}{plain}"),
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        format!("\u{FEFF}{}\r\n", plain.replace('\n', "\r\n")),
    ] {
        let disk = MemoryDisk::with_files(&[("a.md", &text)]);
        let answer = Docent::new(disk, settings(0)).query_document(
            "a.md".to_owned(),
            "alpha".to_owned(),
            None,
        );
        let sections = answer.map(|answer| answer.sections).unwrap_or_default();
        let shown: Vec<_> = sections
            .iter()
            .map(|section| {
                (
                    section.heading.as_str(),
                    section.first_line,
                    section.last_line,
                )
            })
            .collect();
        let expected = [("# One", 1, 8), ("# Two", 9, 13), ("## Three", 14, 16)];
        assert_eq!(shown, expected, "{text:?}");
    }
}

#[test]
fn a_summary_says_how_many_links_it_leaves_out() {
    let text: String = (0..500).map(|i| format!("[a](gone{i}.md)\n")).collect();
    let disk = MemoryDisk::with_files(&[("a.md", &text)]);
    let answer = Docent::new(disk, settings(0)).summarize_document("a.md".to_owned(), None);
    let Ok(answer) = answer else {
        panic!("the request is valid")
    };
    assert_eq!(answer.broken_links.len(), 200);
    assert_eq!(
        answer.hint.as_deref(),
        Some("Of this document 300 links are left out; they are in its text.")
    );
}

#[test]
fn nothing_relevant_is_nothing() {
    let disk = MemoryDisk::with_files(&[("a.md", "# Text\n\nwords\n"), ("b.md", "")]);
    for query in ["xyzzyqqq", "xyz zyqqq", "없는말입니다"] {
        let answer = smart(&mut Docent::new(disk.clone(), settings(0)), query, 5, 2000);
        assert!(answer.documents.is_empty() && answer.documents_found == 0);
        assert!(answer.hint.is_some_and(|hint| hint.contains("No document")));
    }
}

fn asked(files: &[(&str, &str)], query: &str) -> Vec<String> {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for (path, text) in files {
        disk.write("docs", path, text.as_bytes());
    }
    let mut docent = Docent::new(disk, settings(1 << 20));
    let first = smart(&mut docent, query, 10, 4000);
    // Warm as cold.
    assert_eq!(paths(&first), paths(&smart(&mut docent, query, 10, 4000)));
    paths(&first).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_question_is_about_what_it_names() {
    let files = [
        ("asks.md", "How, how and how? It is a matter of how.\n"),
        (
            "cache.md",
            "The cache is emptied at night, by a long list of rules that stands here.\n",
        ),
        ("방법.md", "여러 방법과 방법, 그리고 다른 방법\n"),
    ];
    assert_eq!(asked(&files, "how is the cache emptied?")[0], "cache.md");
    assert_eq!(asked(&files, "cache를 비우는 방법")[0], "cache.md");
    assert_eq!(asked(&files, "how")[0], "asks.md");
    assert_eq!(asked(&files, "방법은?"), ["방법.md"]);
}

#[test]
fn words_together_and_headings_come_first() {
    let apart =
        "A pool is kept where there is room for it, and for that. Elsewhere a thread runs.\n";
    let files = [
        ("a.md", apart),
        (
            "b.md",
            "Here a thread pool is described, and nothing but some other things.\n",
        ),
        (
            "c.md",
            "Some words.\n\n## Thread pool\n\nMore words than the others have, to no end.\n",
        ),
    ];
    assert_eq!(asked(&files, "thread pool"), ["c.md", "b.md", "a.md"]);
}

#[test]
fn symbols_are_found_alone_and_beside_words() {
    let files = [
        ("and.md", "`a && b` holds where both do.\n"),
        ("asks.md", "Is it an operator? Which operator? It is.\n"),
        ("cpp.md", "Built with C++ of this year.\n"),
        ("c.md", "Built with C, and C again.\n"),
        ("flag.md", "Run it with `--all`.\n"),
        ("flags.md", "All of them: `--all-features`, all.\n"),
        (
            "try.md",
            "Behind a call the operator `?` hands an error on, as in `f()?;`, to callers.\n",
        ),
    ];
    for (query, path) in [
        ("?", "try.md"),
        ("? operator", "try.md"),
        ("&&", "and.md"),
        ("C++", "cpp.md"),
        ("--all", "flag.md"),
    ] {
        assert_eq!(asked(&files, query)[0], path, "{query}");
    }
    assert_eq!(asked(&files, "?"), ["try.md"]);
    assert_eq!(asked(&files, "C++"), ["cpp.md"]);
    assert!(asked(&files, "->").is_empty());
}

/// A long handbook in which every section is about valves; one of them about hysteresis.
fn handbook() -> String {
    let words =
        "A valve opens when its spring gives way, and shuts when the flow is over. ".repeat(12);
    let section = |number: usize| {
        let own = match number {
            61 => "Hysteresis keeps a valve from opening and shutting without end.\n\n",
            _ => "",
        };
        format!("## Chapter {number}\n\n{words}\n\n{own}{words}\n\n")
    };
    "# Handbook\n\n".to_owned() + &(0..90).map(section).collect::<String>()
}

#[test]
fn a_section_of_a_long_document_is_found_as_a_note_is() {
    let handbook = handbook();
    let notes: Vec<(String, String)> = (0..40)
        .map(|number| {
            let text = format!("# Valve {number}\n\nThis valve is a valve of size {number}.\n");
            (format!("valves/{number}.md"), text)
        })
        .collect();
    let mut files: Vec<(&str, &str)> = vec![("handbook.md", &handbook)];
    files.extend(
        notes
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    );
    let disk = MemoryDisk::with_files(&files);
    let mut answers = Vec::new();
    for cache in [0, 1 << 20] {
        let mut docent = Docent::new(disk.clone(), settings(cache));
        // The second time, from the cached document.
        for _ in 0..2 {
            let answer = smart(&mut docent, "hysteresis valve", 5, 2000);
            assert_eq!(paths(&answer)[0], "handbook.md");
            let sections = &answer.documents[0].sections;
            let own = sections
                .iter()
                .find(|one| one.content.contains("Hysteresis"));
            assert_eq!(own.map(|one| one.heading.as_str()), Some("## Chapter 61"));
            answers.push(format!("{:?}", answer.documents));
        }
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
}
