//! Pages, put together, are the whole: nothing twice, nothing lost.

use docent_api::documents::{ListFullTreeOptions, Listing};
use docent_api::search::{SearchDocumentsAnswer, SearchDocumentsOptions};
use docent_api::types::SkippedEntry;
use docent_tools::{Docent, Settings};
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
        let mut docent = Docent::new(tree(&paths), Settings { cache_bytes: cache, ..Settings::default() });
        let whole = search(&mut docent, 1000, None);
        prop_assert!(!whole.truncated);
        let mut found: Vec<String> = Vec::new();
        let mut skipped: Vec<SkippedEntry> = Vec::new();
        let (mut count, mut searched, mut cursor) = (0, 0, None);
        loop {
            let page = search(&mut docent, limit, cursor.take());
            prop_assert_eq!(page.truncated, page.next_cursor.is_some());
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
    fn pages_of_a_listing_are_the_whole(
        paths in proptest::collection::vec("([a-c-][.]?/){0,3}[a-c]{1,2}\\.md", 1..40),
        limit in 1u32..5,
    ) {
        let mut docent = Docent::new(tree(&paths), Settings::default());
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
fn a_tree_deeper_than_the_walk_goes_is_named() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    let deep = "d/".repeat(600) + "w.md";
    disk.write("docs", &deep, b"w");
    disk.write("docs", "z.md", b"w");
    let mut docent = Docent::new(disk, Settings::default());
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
    let mut docent = Docent::new(disk, Settings::default());
    let answer = search(&mut docent, 1000, None);
    assert_eq!(answer.results.len(), 1);
    assert_eq!(answer.stats.skipped.count, 1);
}
