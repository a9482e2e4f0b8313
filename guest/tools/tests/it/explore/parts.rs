//! Parts of files that are named by a path, and their laws.

use docent_api::pillars::{
    Degradation, ExploreItem, ExploreLimits, ExploreOptions, ItemKind, View,
};
use docent_api::types::ErrorCode;
use docent_tools::NO_EXPLORE_OPTIONS;
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;

use super::support::*;

fn item(disk: &MemoryDisk, path: &str) -> ExploreItem {
    let data = ask(disk, paths(&[path])).data;
    let mut all = data.docs.into_iter().chain(data.code).chain(data.data);
    match all.next() {
        Some(item) => item,
        None => panic!("{path}"),
    }
}

#[test]
fn what_an_answer_shows_can_be_pasted_back() {
    let disk = tree();
    for options in [
        query("cache size"),
        query("default_size"),
        query("keeps texts"),
    ] {
        let data = ask(&disk, options).data;
        for shown in data.docs.iter().chain(&data.code) {
            let (Some(range), path) = (shown.range, &shown.file_path) else {
                continue;
            };
            let lines = format!("{path}:{}-{}", range.first, range.last);
            let names = shown.metadata.heading_path.join(" > ");
            for pasted in [
                lines.clone(),
                format!("{lines} {names}"),
                format!("{lines} x [cut]"),
            ] {
                let again = item(&disk, &pasted);
                let again = (
                    again.range.map(|range| (range.first, range.last)),
                    again.file_path,
                );
                assert_eq!(
                    again,
                    (Some((range.first, range.last)), path.clone()),
                    "{pasted}"
                );
            }
            if !names.is_empty() {
                let again = item(&disk, &format!("{path}#{names}"));
                assert_eq!(
                    again.metadata.heading_path, shown.metadata.heading_path,
                    "{names}"
                );
            }
        }
    }
}

#[test]
fn a_pack_stands_for_its_parts() {
    let disk = tree();
    let asked = [
        "guide.md#Guide/Cache",
        "src/cache.rs#Cache::default_size",
        "guide.md:3",
    ];
    let first = ask(&disk, paths(&asked));
    let again = |max_chars| ExploreOptions {
        pack_id: Some(pack(&first)),
        limits: Some(ExploreLimits {
            max_chars,
            ..LIMITS
        }),
        ..NO_EXPLORE_OPTIONS
    };
    assert_eq!(ask(&disk, again(Some(100_000))).data, first.data);
    let named = ask(&disk, again(None)).data;
    let all = named.docs.iter().chain(&named.code);
    for item in all {
        let has_text = item.content.is_some() || item.preview.is_some();
        assert!(item.only_named && !has_text, "{item:?}");
    }
    let kinds: Vec<ItemKind> = first.data.docs.iter().map(|item| item.kind).collect();
    assert_eq!(kinds, [ItemKind::DocumentSection, ItemKind::FilePreview]);
    assert_eq!(first.data.code[0].kind, ItemKind::Symbol);
}

#[test]
fn a_long_part_comes_in_pieces_that_are_all_of_it() {
    let long: String = (1..=400)
        .map(|number| format!("Line {number} of the part.\n\n"))
        .collect();
    let text = format!("# A\n\n## B\n\n{long}# C\n\nBehind.\n");
    let disk = MemoryDisk::with_files(&[("a.md", &text)]);
    let mut answer = ask(&disk, paths(&["a.md#A/B"]));
    let mut all = String::new();
    loop {
        for item in &answer.data.docs {
            all.push_str(item.content.as_deref().unwrap_or_default());
        }
        let Some(cursor) = by_content(&answer) else {
            break;
        };
        let options = ExploreOptions {
            cursor: Some(cursor),
            ..paths(&["a.md#A/B"])
        };
        answer = ask(&disk, options);
    }
    assert_eq!(all, format!("## B\n\n{long}"));
}

#[test]
fn a_search_shows_of_a_long_part_where_it_answers() {
    let long = "Nothing of interest.\n\n".repeat(600);
    let text = format!("# A\n\n{long}The lantern\nis lit.\n\n{long}# B\n\nA lantern too.\n");
    let disk = MemoryDisk::with_files(&[("a.md", &text)]);
    let options = ExploreOptions {
        query: Some("lantern".to_owned()),
        ..paths(&["a.md#A"])
    };
    let answer = ask(&disk, options);
    let [item] = &answer.data.docs[..] else {
        panic!("{answer:?}");
    };
    assert!(
        item.preview
            .as_deref()
            .is_some_and(|text| text.starts_with("The lantern\nis lit."))
    );
    assert_eq!(item.range.map(|range| range.first), Some(1203));
}

#[test]
fn the_time_is_kept_in_the_outline_round_a_part() {
    let functions = |count: usize| -> String {
        (0..count)
            .map(|number| format!("def lantern_{number}():\n    pass\n\n"))
            .collect()
    };
    let disk = MemoryDisk::with_files(&[("a.py", &functions(60_000))]);
    let limits = ExploreLimits {
        timeout_ms: Some(12),
        ..LIMITS
    };
    let part = |path: &str| ExploreOptions {
        limits: Some(limits),
        ..paths(&[path])
    };
    for (step, names) in [(0, &["lantern_1"][..]), (1, &[])] {
        let mut now = 0;
        disk.set_clock(move || {
            now += step;
            now
        });
        let answer = ask(&disk, part("a.py:4-5"));
        let [item] = &answer.data.code[..] else {
            panic!("{answer:?}")
        };
        assert_eq!(text(item), "def lantern_1():\n    pass\n");
        assert_eq!(item.metadata.heading_path, names);
        assert_eq!(answer.reasons.contains(&Degradation::Timeout), step > 0);
        // Number of times the clock was consulted, some of them after the time was over.
        assert!(answer.stats.elapsed_ms < 24, "{}", answer.stats.elapsed_ms);
    }
    // Without the outline the position of a definition is unknown; the preview is the beginning.
    assert_eq!(
        refused(&disk, part("a.py#lantern_1")),
        ErrorCode::LimitReached
    );
    let answer = ask(&disk, part("a.py"));
    assert!(text(&answer.data.code[0]).starts_with("def lantern_0():\n    pass\n\ndef lantern_1"));
    assert!(answer.reasons.contains(&Degradation::Timeout));
    disk.set_clock(|| 0);
    let answer = ask(&disk, part("a.py#lantern_1"));
    assert_eq!(text(&answer.data.code[0]), "def lantern_1():\n    pass\n");
}

#[test]
fn signs_of_globs_belong_to_a_name() {
    let text = "# Why?\n\nx\n\n# A * b\n\ny\n";
    let disk = MemoryDisk::with_files(&[("a.md", text), ("[id].md", "# B\n")]);
    for path in ["a.md#Why?", "a.md#A * b", "a.md:1-3 Why?", "[id].md#B"] {
        assert_eq!(item(&disk, path).metadata.heading_path.len(), 1, "{path}");
        let options = ExploreOptions {
            allow_globs: Some(true),
            ..paths(&[path])
        };
        assert_eq!(ask(&disk, options).data.docs.len(), 1, "{path}");
    }
    assert_eq!(
        refused(&disk, paths(&["*.md#B"])),
        ErrorCode::InvalidRequest
    );
    let sectioned = ExploreOptions {
        view: Some(View::Section),
        ..paths(&["a.md"])
    };
    assert_eq!(refused(&disk, sectioned), ErrorCode::InvalidRequest);
}

proptest! {
    #[test]
    fn no_path_ends_in_a_panic(
        pieces in prop::collection::vec(prop::sample::select(
            &["guide.md", "src/cache.rs", "#", ":", "1", "9", "-", "/", " > ", " ", "Cache", "::",
              ".", "%", "%EC", "가", "impl ", "(", "<", "default_size", "..", "\\", "L", "*"][..]
        ), 0..8),
        looked_for: bool,
    ) {
        let mut asked = paths(&[&pieces.concat()]);
        if looked_for {
            asked.query = Some("cache".to_owned());
        }
        let disk = tree();
        let text = pieces.concat();
        if let Ok(answer) = docent(&disk).explore(Some(asked)) {
            prop_assert!(!format!("{answer:?}").contains("canary"), "{text}");
        }
        let _ = docent(&disk).read_document(text.clone(), None);
        let _ = docent(&disk).query_document(text, "cache".to_owned(), None);
    }
}

#[test]
fn a_file_too_large_to_open_returns_its_lines() {
    let line = |number: usize| {
        format!("{number:07} the watch sees nothing that it would have to tell of\n")
    };
    let count = 1_200_000;
    let log: String = (1..=count).map(line).collect();
    assert!(log.len() > 64 << 20);
    let disk = MemoryDisk::with_files(&[("watch.log", &log)]);
    let read = |path: &str| {
        let found = ask(&disk, paths(&[path])).data.docs.remove(0);
        let numbers = found.range.map(|range| (range.first, range.last));
        (text(&found).to_owned(), numbers, found.metadata.hash)
    };
    let lines = |first: usize, last: usize| (first..=last).map(line).collect::<String>();
    let last = count as u32;
    for (path, first, last) in [
        ("watch.log:-50", last - 49, last),
        ("watch.log:600000-600020", 600_000, 600_020),
        ("watch.log:1199990-", 1_199_990, last),
        ("watch.log:7", 7, 7),
    ] {
        let expected = lines(first as usize, last as usize);
        assert_eq!(read(path), (expected, Some((first, last)), None), "{path}");
    }
    assert_eq!(
        refused(&disk, paths(&["watch.log:1200001"])),
        ErrorCode::InvalidRequest
    );
    // The whole file does not come, and a file that is not text is not read by lines.
    assert!(ask(&disk, paths(&["watch.log"])).data.docs.is_empty());
    let mut bytes = log.into_bytes();
    bytes[3] = 0;
    disk.write("docs", "watch.bin", &bytes);
    assert_eq!(refused(&disk, paths(&["watch.bin:1-2"])), ErrorCode::Binary);
}
