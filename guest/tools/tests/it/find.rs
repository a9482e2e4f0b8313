//! `find-files` against a reference that reads everything, sorts and slices: pages, put together,
//! are the whole, whatever the tree, the request, the limits and the budgets.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use docent_api::find::{FindFilesAnswer, FindFilesOptions, FindSort, StopReason};
use docent_api::types::ErrorCode;
use docent_conformance::reference::{
    Budget, Expected, FindRequest, Node, budgets, expected, find_requests, milliseconds, nodes,
    plant,
};
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;

type Page = FindFilesAnswer;

fn docent(disk: MemoryDisk, cache: bool) -> Docent<MemoryDisk> {
    let cache_bytes = if cache { 1 << 20 } else { 0 };
    Docent::new(
        disk,
        ToolSettings {
            cache_bytes,
            ..ToolSettings::default()
        },
    )
}

fn page(
    docent: &mut Docent<MemoryDisk>,
    request: &FindRequest,
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
        ..request.options()
    };
    docent.find_files(Some(options)).map_err(|error| error.code)
}

/// Returns all pages; the limit and budget of each are taken in turn.
fn pages(
    docent: &mut Docent<MemoryDisk>,
    request: &FindRequest,
    turns: &[(u32, Budget)],
    most: usize,
) -> Result<Vec<Page>, TestCaseError> {
    let mut pages: Vec<Page> = Vec::new();
    let mut cursor = None;
    for (limit, budget) in turns.iter().cycle() {
        let page = page(docent, request, *limit, *budget, cursor.take())
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

/// Returns the entries that must be skipped; if the reference does not say, those skipped by one
/// page.
fn skipped_or_seen(
    skipped: Option<Vec<String>>,
    nodes: &[Node],
    request: &FindRequest,
) -> Result<Vec<String>, TestCaseError> {
    match skipped {
        Some(skipped) => Ok(skipped),
        None => {
            let mut docent = docent(plant(nodes), false);
            Ok(told(&pages(&mut docent, request, &[(1000, AMPLE)], 1)?))
        }
    }
}

fn is_sorted(request: &FindRequest, page: &Page) -> bool {
    let found: Vec<Expected> = shown(std::slice::from_ref(page));
    let mut sorted = found.clone();
    request.sort(&mut sorted);
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
        nodes in nodes(), request in find_requests(), limit in 1u32..6, cache: bool,
    ) {
        let (found, skipped) = expected(&nodes, &request);
        let mut docent = docent(plant(&nodes), cache);
        let pages = pages(&mut docent, &request, &[(limit, AMPLE)], nodes.len() + 2)?;
        prop_assert_eq!(shown(&pages), found);
        let skipped = skipped_or_seen(skipped, &nodes, &request)?;
        let told: u32 = pages.iter().map(|page| page.stats.skipped.count).sum();
        prop_assert_eq!(told as usize, skipped.len());
        for page in &pages {
            prop_assert!(page.stats.complete || request.sort == FindSort::PathAsc);
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
        request in find_requests(),
        turns in proptest::collection::vec((1u32..6, budgets()), 1..5),
        cache: bool,
        step in 0u64..4,
    ) {
        let (mut found, skipped) = expected(&nodes, &request);
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
        let pages = pages(&mut docent, &request, &turns, most)?;
        let mut all = shown(&pages);
        all.sort();
        found.sort();
        prop_assert_eq!(all, found);
        for page in &pages {
            prop_assert!(is_sorted(&request, page), "{page:?}");
        }
        let skipped = skipped_or_seen(skipped, &nodes, &request)?;
        let told: u32 = pages.iter().map(|page| page.stats.skipped.count).sum();
        prop_assert_eq!(told as usize, skipped.len());
    }

    #[test]
    fn each_page_under_the_same_budget_brings_something_new(
        nodes in nodes(), request in find_requests(), limit in 1u32..6, files in 1u32..5, directories in 1u32..4,
    ) {
        let budget = Budget { files, directories, ..AMPLE };
        let mut docent = docent(plant(&nodes), false);
        let pages = pages(&mut docent, &request, &[(limit, budget)], 4 * nodes.len() + 10)?;
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
        request in find_requests(),
        turns in proptest::collection::vec((1u32..4, budgets()), 1..4),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), 0u8..4, -3i64..4), 1..12),
        cache: bool,
    ) {
        let files: Vec<&Node> = nodes.iter().filter(|node| node.is_file()).collect();
        if files.is_empty() {
            return Ok(());
        }
        let (found, _) = expected(&nodes, &request);
        let disk = plant(&nodes);
        let mut docent = docent(disk.clone(), cache);
        let mut touched: Vec<String> = Vec::new();
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        let (mut cursor, mut changes) = (None, changes.into_iter());
        for (count, (limit, budget)) in turns.iter().cycle().enumerate() {
            let page = page(&mut docent, &request, *limit, *budget, cursor.take())
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
        nodes in nodes(), one in find_requests(), other in find_requests(), limit in 1u32..3,
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

fn flat(files: usize) -> MemoryDisk {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for number in 0..files {
        disk.write("docs", &format!("d/{number:03}"), b"x");
    }
    disk
}

#[test]
fn a_directory_of_many_pages_is_listed_for_the_first_and_the_second() {
    let disk = flat(50);
    for sort in [FindSort::PathAsc, FindSort::TimeDesc] {
        let request = FindRequest::whole(sort);
        let budget = Budget { files: 5, ..AMPLE };
        let mut docent = docent(disk.clone(), false);
        let pages = match pages(&mut docent, &request, &[(5, budget)], 12) {
            Ok(pages) => pages,
            Err(error) => panic!("{error}"),
        };
        assert!(pages.len() >= 10);
        assert_eq!(disk.take_listings(), 4, "the root and the directory, twice");
    }
}

#[test]
fn a_change_between_pages_is_seen() {
    let disk = flat(6);
    let request = FindRequest::whole(FindSort::PathAsc);
    let mut docent = docent(disk.clone(), false);
    let mut cursor = None;
    let mut found: Vec<String> = Vec::new();
    for step in 0.. {
        let Ok(page) = page(&mut docent, &request, 1, AMPLE, cursor.take()) else {
            panic!("page {step}")
        };
        found.extend(page.matches.into_iter().map(|found| found.path));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
        match step {
            2 => disk.write("docs", "d/002-new", b"x"),
            4 => disk.remove("docs", "d/004"),
            _ => {}
        }
    }
    assert_eq!(
        found,
        ["d/000", "d/001", "d/002", "d/002-new", "d/003", "d/005"]
    );
}

#[test]
fn a_warm_instance_lists_nothing_again_and_takes_every_time_anew() {
    let disk = flat(50);
    let request = FindRequest::whole(FindSort::TimeDesc);
    let mut docent = docent(disk.clone(), true);
    let newest = |docent: &mut Docent<MemoryDisk>| {
        let page = page(docent, &request, 1, AMPLE, None);
        page.map(|page| page.matches[0].path.clone())
    };
    assert_eq!(newest(&mut docent).as_deref(), Ok("d/000"));
    assert_eq!((disk.take_listings(), disk.take_stats()), (2, 50));
    disk.set_modified("docs", "d/033", Some(i128::from(i64::MAX)));
    assert_eq!(newest(&mut docent).as_deref(), Ok("d/033"));
    assert_eq!((disk.take_listings(), disk.take_stats()), (0, 50));
    disk.write("docs", "d/new", b"x");
    disk.set_modified("docs", "d/new", Some(i128::from(i64::MAX) + 1_000_000));
    assert_eq!(newest(&mut docent).as_deref(), Ok("d/new"));
    assert_eq!((disk.take_listings(), disk.take_stats()), (1, 51));
}

#[test]
fn only_what_the_glob_lets_through_is_looked_at() {
    let disk = flat(50);
    disk.write("docs", "e/x.md", b"x");
    let mut docent = docent(disk.clone(), false);
    let options = FindFilesOptions {
        glob: Some("e/*.md".to_owned()),
        ..FindRequest::whole(FindSort::TimeDesc).options()
    };
    let answer = docent.find_files(Some(options));
    assert_eq!(answer.map(|answer| answer.matches.len()), Ok(1));
    assert_eq!(disk.take_stats(), 1);
    assert_eq!(disk.take_listings(), 2);
    assert_eq!(disk.take_opens(), 2, "the root and `e`");
}

#[test]
fn a_late_clock_ends_each_page_and_each_gets_on() {
    let disk = flat(200);
    let now = Rc::new(Cell::new(0u64));
    let clock = now.clone();
    disk.set_clock(move || {
        clock.set(clock.get() + 1_000_000);
        clock.get()
    });
    let mut docent = docent(disk, false);
    let request = FindRequest::whole(FindSort::TimeDesc);
    let pages = match pages(&mut docent, &request, &[(1000, AMPLE)], 300) {
        Ok(pages) => pages,
        Err(error) => panic!("{error}"),
    };
    let (last, before) = (pages.last(), &pages[..pages.len() - 1]);
    assert!(before.len() > 2);
    for page in before {
        assert_eq!(page.stats.stopped_by, Some(StopReason::Timeout));
        assert!(!page.stats.complete);
    }
    assert!(last.is_some_and(|page| page.stats.complete));
    assert_eq!(shown(&pages).len(), 200);
}

#[test]
fn a_cursor_that_cannot_be_encoded_is_said_so() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    let deep = vec!["x".repeat(250); 15].join("/");
    for name in ["a", "b", "c"] {
        disk.write("docs", &format!("{deep}/{name}"), b"x");
    }
    let mut docent = docent(disk, false);
    let request = FindRequest::whole(FindSort::PathAsc);
    let refused = page(&mut docent, &request, 1, AMPLE, None);
    assert_eq!(
        refused.map(|page| page.matches.len()),
        Err(ErrorCode::LimitReached)
    );
    let whole = page(&mut docent, &request, 3, AMPLE, None);
    assert_eq!(whole.map(|page| page.matches.len()), Ok(3));
}

#[test]
fn times_are_those_of_the_offset_of_from_or_of_the_host() {
    let disk = MemoryDisk::with_files(&[("a.md", "a")]);
    let at = docent_tree::memory::Times {
        modified: Some(1_765_756_800_000_000_000),
        created: None,
        accessed: None,
    };
    disk.set_times("docs", "a.md", at);
    let times = |offset: Option<&str>, from: Option<&str>, to: Option<&str>| {
        let settings = ToolSettings::from_lookup(|name| {
            let offset = offset.filter(|_| name == "DOCENT_UTC_OFFSET");
            offset.map(str::to_owned)
        });
        let options = FindFilesOptions {
            from: from.map(str::to_owned),
            to: to.map(str::to_owned),
            ..docent_tools::NO_FIND_OPTIONS
        };
        let found = Docent::new(disk.clone(), settings).find_files(Some(options));
        let found = found.map_err(|error| error.code)?;
        let times = found.matches.into_iter().map(|found| found.time);
        Ok::<_, ErrorCode>(times.collect::<Vec<_>>())
    };
    let (utc, ahead, behind) = (
        "2025-12-15T00:00:00.000Z",
        "2025-12-15T09:00:00.000+09:00",
        "2025-12-14T21:00:00.000-03:00",
    );
    for (host, from, expected) in [
        (None, None, utc),
        (Some("+09:00"), None, ahead),
        (Some("+09:00"), Some("2025-12-14T21:00:00-03:00"), behind),
        (Some("+09:00"), Some("2025-12-15T09:00:00"), ahead),
        (None, Some("2025-12-15T00:00:00Z"), utc),
    ] {
        let found = times(host, from, None);
        assert_eq!(found, Ok(vec![expected.to_owned()]), "{host:?} {from:?}");
    }
    // An hour later in the offset of the host is too late; the end is in the offset of the
    // beginning.
    let none = Ok(Vec::new());
    assert_eq!(
        times(Some("+09:00"), Some("2025-12-15T09:00:01"), None),
        none
    );
    let from = Some("2025-12-14T20:00:00-03:00");
    assert_eq!(times(None, from, Some("2025-12-14T21:00:00")), none);
    let found = times(None, from, Some("2025-12-14T21:00:01"));
    assert_eq!(found, Ok(vec![behind.to_owned()]));
    // Without any offset the time is ambiguous.
    let refused = times(None, Some("2025-12-15T09:00:00"), None);
    assert_eq!(refused, Err(ErrorCode::InvalidRequest));
}
