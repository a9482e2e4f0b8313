//! A warm instance answers faster, never differently.

use docent_api::search::{SearchDocumentsAnswer, SearchDocumentsOptions};
use docent_api::sections::SmartSearchOptions;
use docent_tools::{Docent, ToolSettings};
use docent_tree::disk::Failure;
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;

fn settings(cache_bytes: usize) -> ToolSettings {
    ToolSettings {
        cache_bytes,
        ..ToolSettings::default()
    }
}

fn search(docent: &mut Docent<MemoryDisk>, query: &str, path: &str) -> SearchDocumentsAnswer {
    search_from(docent, query, path, None)
}

fn page_after(
    docent: &mut Docent<MemoryDisk>,
    query: &str,
    cursor: Option<String>,
) -> SearchDocumentsAnswer {
    search_from(docent, query, "", cursor)
}

fn search_from(
    docent: &mut Docent<MemoryDisk>,
    query: &str,
    path: &str,
    cursor: Option<String>,
) -> SearchDocumentsAnswer {
    let options = SearchDocumentsOptions {
        root: None,
        path: Some(path.to_owned()),
        case_sensitive: None,
        context_chars: None,
        max_results: None,
        limit: None,
        mode: None,
        extensions: None,
        cursor,
        max_tokens: Some(0),
        timeout_ms: None,
    };
    match docent.search_documents(query.to_owned(), Some(options)) {
        Ok(answer) => answer,
        Err(error) => panic!("{error:?}"),
    }
}

fn paths(answer: &SearchDocumentsAnswer) -> Vec<&str> {
    answer
        .results
        .iter()
        .map(|result| result.path.as_str())
        .collect()
}

/// Ten directories with ten documents each; every tenth contains `needle`.
fn corpus() -> MemoryDisk {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for directory in 0..10 {
        for file in 0..10 {
            let word = if file == 0 { "needle" } else { "hay" };
            disk.write("docs", &format!("d{directory}/f{file}.md"), word.as_bytes());
        }
    }
    disk
}

#[test]
fn a_repeated_search_opens_directories_only() {
    let disk = corpus();
    let mut docent = Docent::new(disk.clone(), settings(1 << 20));
    let first = search(&mut docent, "needle", "");
    assert_eq!(first.results.len(), 10);
    let (opened, _) = (disk.take_opens(), disk.take_stamps());
    assert!(opened >= 111, "{opened}");
    let second = search(&mut docent, "needle", "");
    assert_eq!(second, first);
    assert_eq!(disk.take_opens(), 11, "the root and each directory");
    assert_eq!(
        disk.take_stamps(),
        21,
        "each directory's own and the sum of its files'"
    );
    let other = search(&mut docent, "hay", "");
    assert_eq!(other.results.len(), 90);
    assert_eq!(disk.take_opens(), 11);
}

#[test]
fn without_a_cache_only_directories_are_stamped() {
    let disk = corpus();
    disk.write("docs", ".gitignore", b"d0\n");
    let mut docent = Docent::new(disk.clone(), settings(0));
    assert_eq!(search(&mut docent, "needle", "").results.len(), 9);
    assert_eq!(disk.take_stamps(), 10);
}

#[test]
fn a_directory_of_many_pages_is_listed_once() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for i in 0..2500 {
        disk.write("docs", &format!("f{i:04}.md"), b"hay");
    }
    let mut docent = Docent::new(disk.clone(), settings(0));
    let mut after = None;
    let mut searched = 0;
    for page in 0..3 {
        let answer = page_after(&mut docent, "needle", after);
        searched += answer.stats.documents_searched;
        after = answer.next_cursor;
        assert_eq!(disk.take_listings(), u64::from(page == 0), "page {page}");
    }
    assert_eq!((searched, after), (2500, None));
    let first = page_after(&mut docent, "needle", None);
    assert_eq!(disk.take_listings(), 1, "nothing is kept for a new search");
    disk.write("docs", "f1500a.md", b"needle");
    let second = page_after(&mut docent, "needle", first.next_cursor);
    assert_eq!(disk.take_listings(), 1, "it has changed");
    assert_eq!(second.results.len(), 1);
}

#[test]
fn without_stamps_nothing_is_believed() {
    let disk = corpus().without_stamps();
    let mut docent = Docent::new(disk.clone(), settings(1 << 20));
    assert_eq!(search(&mut docent, "needle", "").results.len(), 10);
    disk.write("docs", "d0/f0.md", b"gone");
    assert_eq!(search(&mut docent, "needle", "").results.len(), 9);
}

#[test]
fn every_kind_of_change_is_seen() {
    let disk = corpus();
    let mut docent = Docent::new(disk.clone(), settings(1 << 20));
    assert_eq!(search(&mut docent, "needle", "").results.len(), 10);

    disk.write("docs", "d0/f1.md", b"a needle, newly");
    assert_eq!(search(&mut docent, "needle", "").results.len(), 11);

    disk.remove("docs", "d1/f0.md");
    assert_eq!(search(&mut docent, "needle", "").results.len(), 10);

    disk.write("docs", "d1/new.md", b"needle");
    disk.write("docs", "new/deep/x.md", b"needle");
    assert_eq!(search(&mut docent, "needle", "").results.len(), 12);

    disk.write("docs", "d2/.gitignore", b"f0.md\n");
    assert_eq!(search(&mut docent, "needle", "").results.len(), 11);
    disk.write("docs", "d2/.gitignore", b"f1.md\n");
    assert_eq!(search(&mut docent, "needle", "").results.len(), 12);
    disk.write("docs", ".docentignore", b"d3\n");
    assert_eq!(search(&mut docent, "needle", "").results.len(), 11);
    assert_eq!(search(&mut docent, "needle", "d4").results.len(), 1);
    disk.remove("docs", ".docentignore");
    assert_eq!(search(&mut docent, "needle", "").results.len(), 12);

    disk.remove("docs", "d5");
    disk.write("docs", "d5/f0.md", b"hay");
    assert_eq!(search(&mut docent, "needle", "").results.len(), 11);
    disk.link("docs", "d6/f0.md");
    assert_eq!(search(&mut docent, "needle", "").results.len(), 10);
}

#[test]
fn a_change_costs_the_files_beside_it() {
    let disk = corpus();
    disk.write("docs", ".gitignore", b"*.txt\n");
    let mut docent = Docent::new(disk.clone(), settings(1 << 20));
    search(&mut docent, "needle", "");
    disk.write("docs", "d3/f3.md", b"a needle, newly");
    disk.take_stamps();
    disk.take_opens();
    assert_eq!(search(&mut docent, "needle", "").results.len(), 11);
    let opened = disk.take_opens();
    assert_eq!(opened, 12, "the directories and what changed");
    let stamps = disk.take_stamps();
    let beside = 10 + 1;
    let ignore_file = 1;
    assert_eq!(stamps, 21 + beside + ignore_file);
    search(&mut docent, "needle", "");
    assert_eq!(disk.take_stamps(), 21 + ignore_file, "all is known again");
}

#[test]
fn what_one_request_leaves_out_another_asks_for() {
    let disk = corpus();
    let mut docent = Docent::new(disk.clone(), settings(1 << 20));
    search(&mut docent, "needle", "d1");
    search(&mut docent, "needle", "");
    disk.take_stamps();
    search(&mut docent, "needle", "d1/f3.md");
    search(&mut docent, "needle", "");
    assert_eq!(disk.take_stamps(), 21);
    disk.write("docs", "d1/f3.md", b"needle");
    assert_eq!(search(&mut docent, "needle", "").results.len(), 11);
}

#[test]
fn a_corpus_over_the_budget_keeps_what_fits() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for i in 0..100 {
        disk.write("docs", &format!("f{i:02}.md"), "hay ".repeat(25).as_bytes());
    }
    let mut docent = Docent::new(disk.clone(), settings(12_000));
    search(&mut docent, "one", "");
    disk.take_opens();
    search(&mut docent, "two", "");
    let opened = disk.take_opens();
    assert!(opened < 70, "{opened} of 100 had to be opened again");
    search(&mut docent, "two", "");
    assert_eq!(
        disk.take_opens(),
        1,
        "no hit is known of all, also of those without text"
    );
}

#[test]
fn what_changes_during_the_call_is_seen_by_the_next() {
    let disk = corpus();
    let mut docent = Docent::new(disk.clone(), settings(1 << 20));
    disk.on_open(|disk, path| {
        if path == "d3/f5.md" {
            disk.remove("docs", "d3/f6.md");
            disk.write("docs", "d4/f7.md", b"needle");
            disk.remove("docs", "d9");
        }
    });
    let during = search(&mut docent, "needle", "");
    assert!(paths(&during).contains(&"/d4/f7.md"));
    assert_eq!(during.stats.skipped.count, 2, "{:?}", during.stats.skipped);
    let after = search(&mut docent, "needle", "");
    assert_eq!(after.stats.skipped.count, 0);
    assert_eq!(after.results.len(), 10);
}

#[test]
fn one_failure_hides_nothing_else() {
    let disk = corpus();
    disk.deny("docs", "d0", Failure::Permission);
    disk.deny("docs", "d1", Failure::MountPoint);
    disk.deny("docs", "d2/f0.md", Failure::Permission);
    disk.deny("docs", "d3/f0.md", Failure::Io);
    disk.deny("docs", "d4/f0.md", Failure::TooLarge);
    disk.add_unnamed("docs", "d5");
    for cache in [0, 1 << 20] {
        let mut docent = Docent::new(disk.clone(), settings(cache));
        for _ in 0..2 {
            let answer = search(&mut docent, "needle", "");
            assert_eq!(
                paths(&answer),
                [
                    "/d5/f0.md",
                    "/d6/f0.md",
                    "/d7/f0.md",
                    "/d8/f0.md",
                    "/d9/f0.md"
                ]
            );
            let skipped: Vec<String> = answer
                .stats
                .skipped
                .entries
                .iter()
                .map(|entry| format!("{} {:?}", entry.path, entry.reason))
                .collect();
            let expected = [
                "d0 SkipReason::Permission",
                "d1 SkipReason::MountPoint",
                "d2/f0.md SkipReason::Permission",
                "d3/f0.md SkipReason::Io",
                "d4/f0.md SkipReason::TooLarge",
                "d5 SkipReason::NameNotUtf8",
            ];
            assert_eq!(skipped, expected);
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Write(String, &'static str),
    Remove(String),
    Link(String),
    Search(&'static str, &'static str),
    Ask(&'static str, &'static str),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let path = "(d[01]/)?(e/)?[ab]\\.md";
    let ignore = "(d[01]/)?\\.gitignore";
    let texts = proptest::sample::select(&["x", "y", "x y", "xx", "\0", ""][..]);
    let rules = proptest::sample::select(&["a.md", "d0", "e/", "*.md\n!a.md", ""][..]);
    let step = prop_oneof![
        3 => (path, texts).prop_map(|(path, text)| Step::Write(path, text)),
        1 => (ignore, rules).prop_map(|(path, text)| Step::Write(path, text)),
        1 => prop_oneof![path, ignore, "d[01]", "d[01]/e"].prop_map(Step::Remove),
        1 => path.prop_map(Step::Link),
        4 => (
            proptest::sample::select(&["x", "y", "q"][..]),
            proptest::sample::select(&["", "d0", "d1/e"][..]),
            proptest::sample::select(&[Step::Search, Step::Ask][..]),
        ).prop_map(|(query, path, step)| step(query, path)),
    ];
    proptest::collection::vec(step, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn warm_answers_are_those_of_a_fresh_instance(steps in steps(), budget in 0usize..1500) {
        let disk = MemoryDisk::with_files(&[("d0/e/a.md", "x"), ("d1/e/b.md", "y")]);
        let mut warm = Docent::new(disk.clone(), settings(budget));
        let mut roomy = Docent::new(disk.clone(), settings(1 << 20));
        for step in steps {
            match step {
                Step::Write(path, text) => disk.write("docs", &path, text.as_bytes()),
                Step::Remove(path) => disk.remove("docs", &path),
                Step::Link(path) => disk.link("docs", &path),
                Step::Search(query, path) => {
                    let options = || SearchDocumentsOptions {
                        root: None,
                        path: Some(path.to_owned()),
                        case_sensitive: None,
                        context_chars: None,
                        max_results: None,
                        limit: None,
                        mode: None,
                        extensions: None,
                        cursor: None,
                        max_tokens: None,
                        timeout_ms: None,
                    };
                    let fresh = Docent::new(disk.clone(), settings(0))
                        .search_documents(query.to_owned(), Some(options()));
                    for docent in [&mut warm, &mut roomy] {
                        let answer = docent.search_documents(query.to_owned(), Some(options()));
                        prop_assert_eq!(&answer, &fresh);
                    }
                }
                // Not in the same step: each tool uses the entries that the other has cached.
                Step::Ask(query, path) => {
                    let options = || SmartSearchOptions {
                        root: None,
                        path: Some(path.to_owned()),
                        mode: None,
                        max_tokens: None,
                        limit: None,
                        relevance: None,
                        cursor: None,
                    };
                    let fresh = Docent::new(disk.clone(), settings(0))
                        .smart_search(query.to_owned(), Some(options()));
                    for docent in [&mut warm, &mut roomy] {
                        let answer = docent.smart_search(query.to_owned(), Some(options()));
                        prop_assert_eq!(&answer, &fresh);
                    }
                }
            }
        }
    }
}
