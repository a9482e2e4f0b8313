//! `find-files` against a reference that reads everything, sorts and slices: pages, put together,
//! are the whole, whatever the tree, the request, the limits and the budgets.

mod reference;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use docent_api::find::{FindFilesAnswer, FindFilesOptions, FindSort, StopReason};
use docent_api::types::ErrorCode;
use docent_core::memory::MemoryDisk;
use docent_core::{Docent, Settings};
use proptest::prelude::*;
use reference::{
    Asked, Budget, Expected, Node, asked, budgets, expected, milliseconds, nodes, plant,
};

type Page = FindFilesAnswer;

fn docent(disk: MemoryDisk, cache: bool) -> Docent<MemoryDisk> {
    let cache_bytes = if cache { 1 << 20 } else { 0 };
    Docent::new(
        disk,
        Settings {
            cache_bytes,
            ..Settings::default()
        },
    )
}

fn page(
    docent: &mut Docent<MemoryDisk>,
    asked: &Asked,
    limit: u32,
    budget: Budget,
    cursor: Option<String>,
) -> Result<Page, ErrorCode> {
    let options = FindFilesOptions {
        limit: Some(limit),
        cursor,
        timeout_ms: Some(budget.milliseconds),
        max_files_scanned: Some(budget.files),
        max_directories_scanned: Some(budget.directories),
        ..asked.options()
    };
    docent.find_files(Some(options)).map_err(|error| error.code)
}

/// Returns all pages; the limit and budget of each are taken in turn.
fn pages(
    docent: &mut Docent<MemoryDisk>,
    asked: &Asked,
    turns: &[(u32, Budget)],
    most: usize,
) -> Result<Vec<Page>, TestCaseError> {
    let mut pages: Vec<Page> = Vec::new();
    let mut cursor = None;
    for (limit, budget) in turns.iter().cycle() {
        let page = page(docent, asked, *limit, *budget, cursor.take())
            .map_err(|code| TestCaseError::fail(format!("{code:?}")))?;
        prop_assert!(page.matches.len() <= *limit as usize);
        prop_assert!(page.stats.files_scanned <= budget.files);
        prop_assert!(page.stats.directories_scanned <= budget.directories);
        prop_assert_eq!(page.next_cursor.is_some(), page.stats.stopped_by.is_some());
        cursor.clone_from(&page.next_cursor);
        pages.push(page);
        if cursor.is_none() {
            return Ok(pages);
        }
        prop_assert!(pages.len() <= most, "more than {most} pages");
    }
    Ok(pages)
}

fn shown(pages: &[Page]) -> Vec<Expected> {
    pages
        .iter()
        .flat_map(|page| &page.matches)
        .map(|found| {
            (
                found.path.clone(),
                milliseconds(&found.time),
                found.size_bytes,
            )
        })
        .collect()
}

fn told(pages: &[Page]) -> Vec<String> {
    let entries = pages.iter().flat_map(|page| &page.stats.skipped.entries);
    entries
        .map(|entry| format!("{} {:?}", entry.path, entry.reason).replace("SkipReason::", ""))
        .collect()
}

/// Returns what must be skipped; where the reference does not say, what one page skips.
fn skipped_or_seen(
    skipped: Option<Vec<String>>,
    nodes: &[Node],
    asked: &Asked,
) -> Result<Vec<String>, TestCaseError> {
    match skipped {
        Some(skipped) => Ok(skipped),
        None => {
            let mut docent = docent(plant(nodes), false);
            Ok(told(&pages(&mut docent, asked, &[(1000, AMPLE)], 1)?))
        }
    }
}

fn is_sorted(asked: &Asked, page: &Page) -> bool {
    let found: Vec<Expected> = shown(std::slice::from_ref(page));
    let mut sorted = found.clone();
    asked.sort(&mut sorted);
    found == sorted
}

const AMPLE: Budget = Budget {
    milliseconds: 60_000,
    files: 1_000_000,
    directories: 100_000,
};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::with_cases(cases)
    }
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn pages_in_order_are_the_whole_in_order(
        nodes in nodes(), asked in asked(), limit in 1u32..6, cache: bool,
    ) {
        let (found, skipped) = expected(&nodes, &asked);
        let mut docent = docent(plant(&nodes), cache);
        let pages = pages(&mut docent, &asked, &[(limit, AMPLE)], nodes.len() + 2)?;
        prop_assert_eq!(shown(&pages), found);
        let skipped = skipped_or_seen(skipped, &nodes, &asked)?;
        let told: u32 = pages.iter().map(|page| page.stats.skipped.count).sum();
        prop_assert_eq!(told as usize, skipped.len());
        for page in &pages {
            prop_assert!(page.stats.complete || asked.sort == FindSort::PathAsc);
        }
        let (mut told, mut skipped) = (self::told(&pages), skipped);
        told.sort();
        skipped.sort();
        if skipped.len() <= 20 {
            prop_assert_eq!(told, skipped);
        }
    }

    #[test]
    fn pages_under_any_budget_are_the_whole_exactly_once(
        nodes in nodes(),
        asked in asked(),
        turns in proptest::collection::vec((1u32..6, budgets()), 1..5),
        cache: bool,
        step in 0u64..4,
    ) {
        let (mut found, skipped) = expected(&nodes, &asked);
        let disk = plant(&nodes);
        let now = Rc::new(Cell::new(0u64));
        let clock = now.clone();
        disk.set_clock(move || {
            clock.set(clock.get() + step);
            clock.get()
        });
        let mut docent = docent(disk, cache);
        // Each page takes a step of the scan, or shows a match.
        let most = 4 * nodes.len() + 10;
        let pages = pages(&mut docent, &asked, &turns, most)?;
        let mut all = shown(&pages);
        all.sort();
        found.sort();
        prop_assert_eq!(all, found);
        for page in &pages {
            prop_assert!(is_sorted(&asked, page), "{page:?}");
        }
        let skipped = skipped_or_seen(skipped, &nodes, &asked)?;
        let told: u32 = pages.iter().map(|page| page.stats.skipped.count).sum();
        prop_assert_eq!(told as usize, skipped.len());
    }

    #[test]
    fn each_page_under_the_same_budget_brings_something_new(
        nodes in nodes(), asked in asked(), limit in 1u32..6, files in 1u32..5, directories in 1u32..4,
    ) {
        let budget = Budget { files, directories, ..AMPLE };
        let mut docent = docent(plant(&nodes), false);
        let pages = pages(&mut docent, &asked, &[(limit, budget)], 4 * nodes.len() + 10)?;
        let mut seen = Vec::new();
        for page in &pages {
            prop_assert!(
                !page.matches.is_empty()
                    || page.stats.files_scanned + page.stats.directories_scanned > 0
                    || page.next_cursor.is_none(),
                "{page:?}"
            );
            prop_assert!(!matches!(page.stats.stopped_by, Some(StopReason::Timeout)));
            seen.extend(page.matches.iter().map(|found| found.path.clone()));
        }
        let all = seen.len();
        seen.sort();
        seen.dedup();
        prop_assert_eq!(seen.len(), all);
    }

    #[test]
    fn what_is_not_touched_is_returned_exactly_once(
        nodes in nodes(),
        asked in asked(),
        turns in proptest::collection::vec((1u32..4, budgets()), 1..4),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), 0u8..4, -3i64..4), 1..12),
        cache: bool,
    ) {
        let files: Vec<&Node> = nodes.iter().filter(|node| node.is_file()).collect();
        if files.is_empty() {
            return Ok(());
        }
        let (found, _) = expected(&nodes, &asked);
        let disk = plant(&nodes);
        let mut docent = docent(disk.clone(), cache);
        let mut touched: Vec<String> = Vec::new();
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        let (mut cursor, mut changes) = (None, changes.into_iter());
        for (count, (limit, budget)) in turns.iter().cycle().enumerate() {
            let page = page(&mut docent, &asked, *limit, *budget, cursor.take())
                .map_err(|code| TestCaseError::fail(format!("{code:?}")))?;
            for found in &page.matches {
                *seen.entry(found.path.clone()).or_default() += 1;
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
            prop_assert!(count < 1000, "no end");
            if let Some((which, change, time)) = changes.next() {
                let path = &which.get(&files).path;
                let (above, _) = path.rsplit_once('/').unwrap_or(("", path));
                let name = format!("{above}{}new", if above.is_empty() { "" } else { "/" });
                match change {
                    0 => disk.remove("docs", path),
                    1 => disk.write("docs", &name, b"new"),
                    2 => disk.make_directory("docs", &format!("{name}.d/x")),
                    _ => disk.set_modified("docs", path, Some(i128::from(time) * 1_000_000)),
                }
                touched.push(path.clone());
                touched.push(above.to_owned());
            }
        }
        for (path, ..) in found.iter().filter(|(path, ..)| !touched.contains(path) && path != ".") {
            prop_assert_eq!(seen.get(path), Some(&1), "{}", path);
        }
    }

    #[test]
    fn a_cursor_belongs_to_its_request(
        nodes in nodes(), one in asked(), other in asked(), limit in 1u32..3,
    ) {
        let mut docent = docent(plant(&nodes), false);
        let first = page(&mut docent, &one, limit, AMPLE, None);
        let cursor = first.ok().and_then(|page| page.next_cursor);
        if let Some(cursor) = cursor
            && one != other
        {
            let second = page(&mut docent, &other, limit, AMPLE, Some(cursor));
            prop_assert!(matches!(second, Err(ErrorCode::InvalidCursor | ErrorCode::DocumentNotFound)));
        }
    }
}
