//! The laws that every answer keeps, on random trees.

use docent_api::pillars::{
    Degradation, ExploreAnswer, ExploreCursor, ExploreItem, ExploreLimits, ExploreOptions,
    SectionChoice, View,
};
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;

use super::support::*;

/// A tree of random documents, each of some sections.
fn trees() -> impl Strategy<Value = Vec<(String, String)>> {
    let line = "(cache |설정 |word |alpha |\n){1,40}";
    let part = (1usize..4, "[A-Z][a-z]{2,6}", line);
    let text = prop::collection::vec(part, 1..6).prop_map(|parts| {
        let part = |(level, heading, body): (usize, String, String)| {
            format!("{} {heading}\n\n{body}\n\n", "#".repeat(level))
        };
        parts.into_iter().map(part).collect::<String>()
    });
    let name = (0usize..3, 0usize..40).prop_map(|(directory, number)| match directory {
        0 => format!("{number}.md"),
        1 => format!("a/{number}.md"),
        _ => format!("a/b/{number}.rs"),
    });
    prop::collection::vec((name, text), 1..12)
}

fn limits() -> impl Strategy<Value = ExploreLimits> {
    (
        1u32..5,
        1u32..3000,
        prop::option::of(1u32..800),
        prop::option::of(1u32..2000),
        prop::option::of(1u32..10),
    )
        .prop_map(|(results, chars, item, bytes, files)| ExploreLimits {
            max_results: Some(results),
            max_chars: Some(chars),
            max_item_chars: item,
            max_bytes: bytes,
            max_files: files,
            timeout_ms: None,
        })
}

fn kept(answer: &ExploreAnswer, limits: &ExploreLimits) -> Result<(), TestCaseError> {
    let all: Vec<&ExploreItem> = answer.data.docs.iter().chain(&answer.data.code).collect();
    let chars: usize = all.iter().map(|item| text(item).chars().count()).sum();
    prop_assert_eq!(chars, answer.stats.chars as usize);
    prop_assert!(chars <= limits.max_chars.unwrap_or(8000) as usize);
    let results = limits.max_results.unwrap_or(20) as usize;
    prop_assert!(answer.data.docs.len() <= results && answer.data.code.len() <= results);
    for item in &all {
        let most = limits.max_item_chars.unwrap_or(u32::MAX) as usize;
        prop_assert!(text(item).chars().count() <= most);
    }
    let is_cut = all.iter().any(|item| item.truncated);
    prop_assert_eq!(is_cut, answer.reasons.contains(&Degradation::Truncated));
    prop_assert!(!is_cut || answer.next.content_cursor.is_some());
    prop_assert_eq!(answer.degraded, !answer.reasons.is_empty());
    let is_full = answer.reasons.contains(&Degradation::BudgetExceeded);
    let has_next = answer.next.items_cursor.is_some() || answer.next.content_cursor.is_some();
    prop_assert!(!is_full || has_next);
    Ok(())
}

/// Follows a cursor to its end.
fn follow(
    disk: &MemoryDisk,
    options: &ExploreOptions,
    limits: &ExploreLimits,
    next: impl Fn(&ExploreAnswer) -> Option<ExploreCursor>,
) -> Result<Vec<ExploreAnswer>, TestCaseError> {
    let mut all = Vec::new();
    let mut cursor = None;
    loop {
        let request = ExploreOptions {
            cursor,
            limits: Some(*limits),
            ..options.clone()
        };
        let answer = docent(disk).explore(Some(request));
        let answer = answer.map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        cursor = next(&answer);
        all.push(answer);
        if cursor.is_none() {
            return Ok(all);
        }
        prop_assert!(all.len() < 2000, "it comes to an end");
    }
}

/// Returns the documents and the files of code that come with their texts on any page, each once.
fn all_shown(pages: &[ExploreAnswer]) -> (Vec<String>, Vec<String>) {
    let docs = pages.iter().flat_map(|page| shown(&page.data.docs));
    let code = pages.iter().flat_map(|page| shown(&page.data.code));
    (sorted(docs.collect()), sorted(code.collect()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn pages_are_the_whole_and_keep_every_limit(tree in trees(), limits in limits()) {
        let disk = MemoryDisk::with_roots(&["docs"]);
        for (path, text) in &tree {
            disk.write("docs", path, text.as_bytes());
        }
        for options in [query("cache"), query("설정 alpha"), paths(&["."]), paths(&["a"])] {
            let everything = ExploreLimits {
                max_results: Some(200),
                max_chars: Some(200_000),
                max_item_chars: None,
                max_files: None,
                ..limits
            };
            let first = docent(&disk).explore(Some(ExploreOptions {
                limits: Some(everything),
                ..options.clone()
            }));
            if first.is_err() {
                continue;
            }
            // Items that match much less well than the best come on a page of their own.
            let whole = follow(&disk, &options, &everything, by_items)?;
            let pages = follow(&disk, &options, &limits, by_items)?;
            for page in &pages {
                kept(page, &limits)?;
            }
            prop_assert_eq!(all_shown(&pages), all_shown(&whole));
        }
    }

    #[test]
    fn what_the_time_ended_goes_on(
        tree in trees(),
        more in 0usize..40,
        limits in limits(),
        timeout in 1u32..20,
        ticks in prop::collection::vec(0u64..4, 1..9),
    ) {
        let disk = MemoryDisk::with_roots(&["docs"]);
        for (path, text) in &tree {
            disk.write("docs", path, text.as_bytes());
        }
        for number in 0..more {
            disk.write("docs", &format!("a/c/{number}.md"), b"alpha");
        }
        for options in [
            // All files with the only word are relevant, in a part of the tree as in the whole.
            query("cache"),
            paths(&["."]),
            paths(&["a/c", "nowhere.md", "a", "."]),
            ExploreOptions { allow_globs: Some(true), ..paths(&["a/b/*.rs", "**/1*.md"]) },
        ] {
            disk.set_clock(|| 0);
            let all = ExploreLimits { max_results: Some(200), max_chars: Some(200_000), ..LIMITS };
            let whole = ask(&disk, ExploreOptions { limits: Some(all), ..options.clone() });
            let (mut now, mut ticks) = (0, ticks.clone().into_iter().cycle());
            disk.set_clock(move || {
                now += ticks.next().unwrap_or(1);
                now
            });
            let mut limits = ExploreLimits { timeout_ms: Some(timeout), ..limits };
            let (mut docs, mut code) = (Vec::new(), Vec::new());
            let mut cursor = None;
            for calls in 0.. {
                prop_assert!(calls < 1000, "it comes to an end");
                let answer = ask(&disk, ExploreOptions {
                    limits: Some(limits),
                    cursor: cursor.clone(),
                    ..options.clone()
                });
                prop_assert!(!answer.reasons.contains(&Degradation::SourcesChanged));
                docs.extend(shown(&answer.data.docs));
                code.extend(shown(&answer.data.code));
                let next = by_items(&answer);
                if next.is_none() {
                    break;
                }
                if next == cursor {
                    // More time, or more room.
                    limits.timeout_ms = limits.timeout_ms.map(|time| time + 5);
                    limits.max_chars = limits.max_chars.map(|chars| chars + 500);
                }
                cursor = next;
            }
            // A file that two paths include may come twice if the time ended a call between them.
            prop_assert_eq!(sorted(docs), named(&whole.data.docs));
            prop_assert_eq!(sorted(code), named(&whole.data.code));
        }
    }

    #[test]
    fn what_is_cut_comes_with_the_content_cursor(tree in trees(), limits in limits()) {
        let disk = MemoryDisk::with_roots(&["docs"]);
        for (path, text) in &tree {
            disk.write("docs", path, text.as_bytes());
        }
        let options = query("cache word");
        let pages = follow(&disk, &options, &limits, by_content)?;
        for page in &pages {
            kept(page, &ExploreLimits { max_item_chars: None, max_results: Some(200), ..limits })?;
        }
        for first in pages[0].data.docs.iter().filter(|item| !item.only_named) {
            let Some(id) = &first.metadata.section_id else { continue };
            let pieces = pages.iter().flat_map(|page| &page.data.docs);
            let own = pieces.filter(|item| item.file_path == first.file_path);
            let given: String = own.map(text).collect();
            let whole = ask(&disk, ExploreOptions {
                section: Some(SectionChoice {
                    section_id: Some(id.clone()),
                    heading_path: None,
                    include_subsections: None,
                }),
                ..paths(&[&first.file_path])
            });
            // It may begin with the best part, and other sections may come with it; no text is
            // missing or repeated.
            let count = |text: &str, c: char| text.chars().filter(|own| *own == c).count();
            let written = tree.iter().rev().find(|(path, _)| *path == first.file_path);
            let file = written.map_or("", |(_, text)| text.as_str());
            let is_written = |c: &char| c.is_alphabetic();
            for c in file.chars().filter(is_written) {
                let given = count(&given, c);
                prop_assert!(given >= count(text(&whole.data.docs[0]), c), "{}", first.file_path);
                prop_assert!(given <= count(file, c), "{}", first.file_path);
            }
        }
    }

    #[test]
    fn a_whole_file_is_never_cut(tree in trees(), limits in limits()) {
        let disk = MemoryDisk::with_roots(&["docs"]);
        for (path, text) in &tree {
            disk.write("docs", path, text.as_bytes());
        }
        let options = ExploreOptions { view: Some(View::Full), ..paths(&["."]) };
        for page in follow(&disk, &options, &limits, by_items)? {
            // That limit is one of previews.
            kept(&page, &ExploreLimits { max_item_chars: None, ..limits })?;
            for item in page.data.docs.iter().chain(&page.data.code) {
                let written = tree.iter().rev().find(|(path, _)| *path == item.file_path);
                prop_assert_eq!(item.content.as_deref(), written.map(|(_, text)| text.as_str()));
                let bytes = text(item).len() as u64;
                prop_assert!(bytes <= u64::from(limits.max_bytes.unwrap_or(1 << 20)));
            }
        }
    }
}
