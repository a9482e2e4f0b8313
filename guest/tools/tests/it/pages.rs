//! Pages: concatenated they are the whole, without duplicates or losses.

use docent_api::documents::{ListFullTreeOptions, Listing};
use docent_api::search::{SearchDocumentsAnswer, SearchDocumentsOptions};
use docent_api::types::SkippedEntry;
use docent_tools::{Docent, ToolSettings};
use docent_tree::disk::Failure;
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;

fn tree(paths: &[String]) -> MemoryDisk {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for (i, path) in paths.iter().enumerate() {
        match i % 7 {
            0 => disk.link("docs", path),
            1 => disk.write("docs", path, b"\0"),
            2 => disk.write("docs", path, b"none"),
            3 => disk.add_unnamed("docs", path.rsplit_once('/').map_or("", |(above, _)| above)),
            _ => disk.write("docs", path, b"w w"),
        }
    }
    if let Some((directory, _)) = paths.last().and_then(|path| path.split_once('/')) {
        disk.deny("docs", directory, Failure::Permission);
    }
    disk
}

fn search(
    docent: &mut Docent<MemoryDisk>,
    limit: u32,
    cursor: Option<String>,
) -> SearchDocumentsAnswer {
    search_within(docent, limit, 0, cursor)
}

/// Same as [`search`], within a budget of tokens; with 0 the hits are in the order of their paths.
fn search_within(
    docent: &mut Docent<MemoryDisk>,
    limit: u32,
    tokens: u32,
    cursor: Option<String>,
) -> SearchDocumentsAnswer {
    let options = SearchDocumentsOptions {
        root: None,
        path: None,
        case_sensitive: None,
        context_chars: None,
        max_results: None,
        limit: Some(limit),
        mode: None,
        extensions: None,
        cursor,
        max_tokens: Some(tokens),
        timeout_ms: None,
    };
    match docent.search_documents("w".to_owned(), Some(options)) {
        Ok(answer) => answer,
        Err(error) => panic!("{error:?}"),
    }
}

fn list(docent: &mut Docent<MemoryDisk>, limit: u32, cursor: Option<String>) -> Listing {
    let options = ListFullTreeOptions {
        root: None,
        path: None,
        max_depth: None,
        limit: Some(limit),
        cursor,
    };
    match docent.list_full_tree(Some(options)) {
        Ok(listing) => listing,
        Err(error) => panic!("{error:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_of_a_search_are_the_whole(
        paths in proptest::collection::vec("([a-c-][.]?/){0,3}[a-c]{1,2}\\.md", 1..40),
        limit in 1u32..5,
        cache in prop_oneof![Just(0usize), Just(1 << 20)],
    ) {
        let mut docent = Docent::new(tree(&paths), ToolSettings { cache_bytes: cache, ..ToolSettings::default() });
        let whole = search(&mut docent, 1000, None);
        prop_assert!(!whole.truncated);
        let mut found: Vec<String> = Vec::new();
        let mut skipped: Vec<SkippedEntry> = Vec::new();
        let (mut count, mut searched, mut cursor) = (0, 0, None);
        loop {
            let page = search(&mut docent, limit, cursor.take());
            prop_assert!(page.truncated || page.next_cursor.is_none());
            prop_assert!(!page.truncated || page.next_cursor.is_some() || page.hint.is_some());
            prop_assert!(page.results.len() <= limit as usize);
            let mut paths: Vec<String> = page.results.into_iter().map(|r| r.path).collect();
            paths.sort();
            prop_assert!(found.last() < paths.first() || paths.is_empty());
            found.extend(paths);
            count += page.stats.skipped.count;
            skipped.extend(page.stats.skipped.entries);
            searched += page.stats.documents_searched;
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        let mut all: Vec<String> = whole.results.into_iter().map(|r| r.path).collect();
        all.sort();
        prop_assert_eq!(found, all);
        prop_assert_eq!(searched, whole.stats.documents_searched);
        prop_assert_eq!(count, whole.stats.skipped.count);
        skipped.truncate(whole.stats.skipped.entries.len());
        prop_assert_eq!(skipped, whole.stats.skipped.entries);
    }

    #[test]
    fn pages_of_the_best_are_the_whole_and_descend(
        paths in proptest::collection::vec("([a-c-][.]?/){0,3}[a-c]{1,2}\\.md", 1..40),
        limit in 1u32..9,
        tokens in 150u32..900,
    ) {
        let disk = tree(&paths);
        for (i, path) in paths.iter().enumerate().skip(4).step_by(7) {
            disk.write("docs", path, "w ".repeat(i % 5 + 1).as_bytes());
        }
        let mut docent = Docent::new(disk, ToolSettings::default());
        let whole = search(&mut docent, 1000, None);
        let mut found: Vec<(u32, String)> = Vec::new();
        let mut cursor = None;
        loop {
            let page = search_within(&mut docent, limit, tokens, cursor.take());
            prop_assert!(page.truncated || page.next_cursor.is_none());
            prop_assert!(!page.truncated || page.next_cursor.is_some() || page.hint.is_some());
            prop_assert!(page.results.len() <= limit as usize);
            // Whatever a page lists, its totals cover all.
            prop_assert_eq!(page.total_matches, whole.total_matches);
            prop_assert_eq!(page.total_files, whole.total_files);
            // Entries that could not be examined are reported once, by the first page.
            let skipped = if found.is_empty() { whole.stats.skipped.count } else { 0 };
            prop_assert_eq!(page.stats.skipped.count, skipped);
            prop_assert!(page.stats.complete);
            found.extend(page.results.into_iter().map(|r| (r.match_count, r.path)));
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        let mut all: Vec<(u32, String)> =
            whole.results.into_iter().map(|r| (r.match_count, r.path)).collect();
        all.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        prop_assert_eq!(found, all);
    }

    #[test]
    fn what_changes_between_pages_loses_no_other_document(
        counts in proptest::collection::vec(1usize..5, 2..20),
        limit in 1u32..4,
        changes in proptest::collection::vec((0usize..40, 0usize..7), 1..12),
    ) {
        let disk = MemoryDisk::with_roots(&["docs"]);
        let path = |index: usize| format!("d{}/{index:02}.md", index % 3);
        for (index, count) in counts.iter().enumerate() {
            disk.write("docs", &path(index), "w ".repeat(*count).as_bytes());
        }
        let mut docent = Docent::new(disk.clone(), ToolSettings::default());
        let mut untouched: Vec<usize> = (0..counts.len()).collect();
        let mut found: Vec<String> = Vec::new();
        let mut changes = changes.into_iter();
        let (mut cursor, mut pages) = (None, 0);
        loop {
            let page = search_within(&mut docent, limit, 4000, cursor.take());
            found.extend(page.results.into_iter().map(|r| r.path));
            cursor = page.next_cursor;
            pages += 1;
            prop_assert!(pages <= 100, "it does not come to an end");
            if cursor.is_none() {
                break;
            }
            // More hits, fewer, none, or a new document.
            if let Some((index, count)) = changes.next() {
                disk.write("docs", &path(index), "w ".repeat(count).as_bytes());
                untouched.retain(|other| *other != index);
            }
        }
        for index in untouched {
            let path = format!("/{}", path(index));
            prop_assert!(found.contains(&path), "{} in {:?}", path, found);
        }
    }

    #[test]
    fn pages_of_a_listing_are_the_whole(
        paths in proptest::collection::vec("([a-c-][.]?/){0,3}[a-c]{1,2}\\.md", 1..40),
        limit in 1u32..5,
    ) {
        let mut docent = Docent::new(tree(&paths), ToolSettings::default());
        let whole = list(&mut docent, 1000, None);
        prop_assert!(whole.next_cursor.is_none());
        let mut entries = Vec::new();
        let mut skipped: Vec<SkippedEntry> = Vec::new();
        let (mut count, mut cursor) = (0, None);
        loop {
            let page = list(&mut docent, limit, cursor.take());
            entries.extend(page.entries);
            count += page.skipped.count;
            skipped.extend(page.skipped.entries);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        prop_assert_eq!(entries, whole.entries);
        prop_assert_eq!(count, whole.skipped.count);
        skipped.truncate(whole.skipped.entries.len());
        prop_assert_eq!(skipped, whole.skipped.entries);
    }
}

#[test]
fn the_best_come_first_and_what_does_not_fit_is_counted() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for index in 0..200u32 {
        let text = "the w stands in a line of some length\n\n".repeat(index as usize % 50 + 1);
        disk.write("docs", &format!("{index:03}.md"), text.as_bytes());
    }
    let mut docent = Docent::new(disk, ToolSettings::default());
    let page = search_within(&mut docent, 1000, 2000, None);
    assert_eq!((page.total_files, page.total_matches), (200, 5100));
    assert!(
        page.tokens_used
            .is_some_and(|tokens| (1000..=2000).contains(&tokens))
    );
    assert_eq!(page.results[0].path, "/049.md");
    assert_eq!(page.results[0].match_count, 50);
    assert!(
        page.results
            .is_sorted_by_key(|result| std::cmp::Reverse(result.match_count))
    );
    // Counts of many, hits of some, the best first.
    let shown = page
        .results
        .iter()
        .take_while(|result| !result.matches.is_empty());
    let shown = shown.count();
    assert!((2..20).contains(&shown), "{shown}");
    assert!(
        page.results[shown..]
            .iter()
            .all(|result| result.matches.is_empty())
    );
    assert!(
        (30..200).contains(&page.results.len()),
        "{}",
        page.results.len()
    );
    // A limit takes those with most hits of all, not the first.
    let few = search_within(&mut docent, 2, 2000, None);
    let paths: Vec<&str> = few
        .results
        .iter()
        .map(|result| result.path.as_str())
        .collect();
    assert_eq!(paths, ["/049.md", "/099.md"]);
    assert!(few.results.iter().all(|result| result.matches.len() == 10));
}

#[test]
fn documents_without_a_hit_end_no_page() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for index in 0..1500 {
        disk.write("docs", &format!("{index:04}.md"), b"none");
    }
    disk.write("docs", "z.md", b"w");
    let mut docent = Docent::new(disk, ToolSettings::default());
    let page = search_within(&mut docent, 1000, 4000, None);
    assert!(page.stats.complete && !page.truncated);
    assert_eq!((page.total_files, page.stats.documents_searched), (1, 1501));
}

#[test]
fn a_search_goes_on_where_its_time_was_over() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for index in 0..500 {
        let text = if index % 100 == 99 { "w" } else { "none" };
        disk.write(
            "docs",
            &format!("{:02}/{index:04}.md", index % 10),
            text.as_bytes(),
        );
    }
    // The clock advances by 4 s each time it is consulted.
    let mut now = 0;
    disk.set_clock(move || {
        now += 4000;
        now
    });
    let mut docent = Docent::new(disk, ToolSettings::default());
    let (mut cursor, mut found, mut pages) = (None, Vec::new(), 0);
    loop {
        let page = search_within(&mut docent, 2, 4000, cursor.take());
        assert_eq!(page.truncated, page.next_cursor.is_some());
        found.extend(page.results.into_iter().map(|result| result.path));
        pages += 1;
        cursor = page.next_cursor;
        if cursor.is_none() {
            assert!(page.stats.complete);
            break;
        }
    }
    assert!((3..20).contains(&pages), "{pages}");
    found.sort();
    assert_eq!(found.len(), 5, "{found:?}");
}

#[test]
fn a_tree_deeper_than_the_walk_goes_is_named() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    let deep = "d/".repeat(600) + "w.md";
    disk.write("docs", &deep, b"w");
    disk.write("docs", "z.md", b"w");
    let mut docent = Docent::new(disk, ToolSettings::default());
    let answer = search(&mut docent, 1000, None);
    assert_eq!(answer.results.len(), 1);
    assert_eq!(answer.stats.skipped.count, 1);
    assert_eq!(answer.stats.skipped.entries[0].path, "d/".repeat(256) + "d");
}

#[test]
fn a_path_too_long_for_a_cursor_is_named() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    let long = format!("{}/", "\u{1}".repeat(200)).repeat(3) + "w.md";
    disk.write("docs", &long, b"w");
    disk.write("docs", "z.md", b"w");
    let mut docent = Docent::new(disk, ToolSettings::default());
    let answer = search(&mut docent, 1000, None);
    assert_eq!(answer.results.len(), 1);
    assert_eq!(answer.stats.skipped.count, 1);
}
