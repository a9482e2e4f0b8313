//! Packs: one subject has one pack, whose cursors lose nothing.

use std::cell::Cell;
use std::rc::Rc;

use docent_api::pillars::{
    Degradation, ExploreCursor, ExploreItem, ExploreLimits, ExploreOptions, ExploreStatus, Intent,
    View,
};
use docent_api::types::ErrorCode;
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::{MODIFIED, MemoryDisk};

use super::support::*;

const HOUR_MS: i64 = 3_600_000;

#[test]
fn one_subject_is_one_pack() {
    let disk = tree();
    let first = pack(&ask(&disk, query("cache")));
    for options in [
        query("  cache "),
        ExploreOptions {
            paths: Some(vec![".".to_owned()]),
            ..query("cache")
        },
        ExploreOptions {
            limits: Some(ExploreLimits {
                max_results: Some(1),
                max_chars: Some(500),
                ..LIMITS
            }),
            ..query("cache")
        },
        ExploreOptions {
            view: Some(View::Preview),
            ..query("cache")
        },
        ExploreOptions {
            pack_id: Some(first.clone()),
            ..NONE
        },
    ] {
        assert_eq!(pack(&ask(&disk, options)), first);
    }
    for options in [
        query("cache box"),
        ExploreOptions {
            intent: Some(Intent::Evidence),
            ..query("cache")
        },
        ExploreOptions {
            query: Some("cache".to_owned()),
            ..paths(&["notes"])
        },
    ] {
        assert_ne!(pack(&ask(&disk, options)), first);
    }
}

#[test]
fn a_path_named_twice_agrees_with_its_pack() {
    let disk = tree();
    let twice = || paths(&["guide.md", "notes/today.md", "guide.md"]);
    let first = pack(&ask(&disk, twice()));
    let again = ExploreOptions {
        pack_id: Some(first.clone()),
        ..twice()
    };
    assert_eq!(pack(&ask(&disk, again)), first);
}

#[test]
fn a_reading_is_one_pack_under_every_view_and_limit() {
    let disk = tree();
    let reading = || paths(&["notes", "guide.md"]);
    let first = ask(&disk, reading());
    let few = ExploreLimits {
        max_files: Some(1),
        max_results: Some(1),
        ..LIMITS
    };
    for view in [View::Auto, View::Preview, View::Full] {
        for limits in [LIMITS, few] {
            for subject in [
                reading(),
                ExploreOptions {
                    pack_id: Some(pack(&first)),
                    ..NONE
                },
            ] {
                let answer = ask(
                    &disk,
                    ExploreOptions {
                        view: Some(view),
                        limits: Some(limits),
                        ..subject
                    },
                );
                assert_eq!(pack(&answer), pack(&first), "{view:?}");
                assert!(!answer.reasons.contains(&Degradation::SourcesChanged));
            }
        }
    }
    // A file that is not shown counts as well.
    disk.write("docs", "notes/new.md", b"new\n");
    let again = ExploreOptions {
        pack_id: Some(pack(&first)),
        view: Some(View::Preview),
        ..NONE
    };
    let answer = ask(&disk, again);
    assert!(answer.reasons.contains(&Degradation::SourcesChanged));
}

#[test]
fn a_cursor_belongs_to_the_list_that_limits_make() {
    let disk = MemoryDisk::with_files(&[("1.md", "1"), ("2.md", "2"), ("3.md", "3")]);
    let request = |files, cursor| ExploreOptions {
        limits: Some(ExploreLimits {
            max_results: Some(2),
            max_files: Some(files),
            ..LIMITS
        }),
        cursor,
        ..paths(&["."])
    };
    let first = ask(&disk, request(3, None));
    let same = ask(&disk, request(3, by_items(&first)));
    assert!(same.reasons.is_empty());
    assert_eq!(files(&same.data.docs), ["2.md", "3.md"]);
    let other = ask(&disk, request(2, by_items(&first)));
    assert!(other.reasons.contains(&Degradation::SourcesChanged));
    assert_eq!(files(&other.data.docs), files(&first.data.docs));
    assert_eq!(pack(&other), pack(&first));
}

#[test]
fn a_pack_lasts_a_day_and_belongs_to_its_root() {
    let disk = MemoryDisk::with_roots(&["a", "b"]);
    for root in ["a", "b"] {
        disk.write(root, "x.md", b"cache\n");
    }
    disk.set_unix_ms(500_000 * HOUR_MS + 5);
    let answer = ask(&disk, query("cache"));
    let shown = answer
        .pack
        .as_ref()
        .map(|pack| (pack.created_at.as_str(), pack.expires_at.as_str()));
    assert_eq!(
        shown,
        Some(("2027-01-15T08:00:00.000Z", "2027-01-16T08:00:00.000Z"))
    );
    let again = |root: Option<&str>| ExploreOptions {
        pack_id: Some(pack(&answer)),
        root: root.map(str::to_owned),
        // With more room, since items already shown are only named.
        limits: Some(ExploreLimits {
            max_chars: Some(100_000),
            ..LIMITS
        }),
        ..NONE
    };
    assert_eq!(ask(&disk, again(Some("a"))).data, answer.data);
    assert_eq!(refused(&disk, again(Some("b"))), ErrorCode::InvalidRequest);
    let other = MemoryDisk::with_roots(&["c"]);
    other.set_unix_ms(500_000 * HOUR_MS);
    assert_eq!(refused(&other, again(None)), ErrorCode::NotGranted);
    disk.set_unix_ms(500_023 * HOUR_MS);
    assert_eq!(ask(&disk, again(None)).data, answer.data);
    disk.set_unix_ms(500_024 * HOUR_MS);
    assert_eq!(refused(&disk, again(None)), ErrorCode::InvalidCursor);
    let mixed = ExploreOptions {
        query: Some("other".to_owned()),
        ..again(None)
    };
    disk.set_unix_ms(500_000 * HOUR_MS);
    assert_eq!(refused(&disk, mixed), ErrorCode::InvalidRequest);
}

#[test]
fn a_pack_that_is_asked_again_names_what_it_has_shown() {
    let disk = tree();
    let first = ask(&disk, query("cache"));
    let again = || ExploreOptions {
        pack_id: Some(pack(&first)),
        ..NONE
    };
    let named = ask(&disk, again());
    assert_eq!(files(&named.data.docs), files(&first.data.docs));
    for item in named.data.docs.iter().chain(&named.data.code) {
        assert!(item.only_named && text(item).is_empty(), "{item:?}");
    }
    let shown_before = |items: &[ExploreItem]| {
        let given = items.iter().filter(|item| item.why == ["given before"]);
        given.map(|item| item.file_path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown_before(&named.data.docs), shown(&first.data.docs));
    // With more room, another view or changed files, items come with their texts.
    let more = ExploreLimits {
        max_chars: Some(20_000),
        ..LIMITS
    };
    for options in [
        ExploreOptions {
            limits: Some(more),
            ..again()
        },
        ExploreOptions {
            view: Some(View::Preview),
            ..again()
        },
    ] {
        assert!(!shown(&ask(&disk, options).data.docs).is_empty());
    }
    disk.write("docs", "notes/other.md", b"A cache.\n");
    assert!(!shown(&ask(&disk, again()).data.docs).is_empty());
}

#[test]
fn an_hour_later_only_the_pack_is_another() {
    let disk = tree();
    let mut answers = [500_000, 500_001].map(|hour| {
        disk.set_unix_ms(hour * HOUR_MS);
        ask(&disk, query("cache"))
    });
    let packs = answers.each_mut().map(|answer| answer.pack.take());
    assert_ne!(packs[0], packs[1]);
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn changed_sources_are_noticed() {
    let disk = tree();
    let one = ExploreLimits {
        max_results: Some(1),
        ..LIMITS
    };
    let request = || ExploreOptions {
        limits: Some(one),
        ..query("cache")
    };
    let first = ask(&disk, request());
    assert!(first.reasons.is_empty());
    let cursor = ExploreCursor {
        items: first.next.items_cursor.clone(),
        content: None,
    };
    assert!(cursor.items.is_some());
    disk.write("docs", "notes/today.md", b"Bought a cache cache box.\n");
    for options in [
        ExploreOptions {
            pack_id: Some(pack(&first)),
            ..NONE
        },
        ExploreOptions {
            cursor: Some(cursor),
            ..request()
        },
    ] {
        let answer = ask(&disk, options);
        assert_eq!(answer.reasons, [Degradation::SourcesChanged]);
        // From its beginning.
        assert_eq!(answer.data.docs[0], ask(&disk, query("cache")).data.docs[0]);
        assert_ne!(pack(&answer), pack(&first));
    }
}

#[test]
fn a_warm_instance_uses_its_results_again() {
    let settings = ToolSettings {
        cache_bytes: 1 << 20,
        ..ToolSettings::default()
    };
    let disk = tree();
    let mut docent = Docent::new(disk.clone(), settings);
    let mut hits = Vec::new();
    for _ in 0..2 {
        let answer = docent.explore(Some(query("default_size")));
        hits.push(
            answer
                .ok()
                .and_then(|answer| answer.pack)
                .map(|pack| pack.hit),
        );
    }
    disk.write("docs", "new.md", b"default_size\n");
    let answer = docent.explore(Some(query("default_size")));
    let found = answer.as_ref().map(|answer| answer.data.docs.len());
    assert_eq!(found, Ok(1));
    hits.push(
        answer
            .ok()
            .and_then(|answer| answer.pack)
            .map(|pack| pack.hit),
    );
    assert_eq!(hits, [Some(false), Some(true), Some(false)]);
}

/// A tree of sixty files, and a clock that advances by a given step each time it is consulted.
fn many() -> (MemoryDisk, Rc<Cell<u64>>) {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for number in 10..70 {
        let text = format!("cache {number}\n");
        disk.write("docs", &format!("{number}.md"), text.as_bytes());
    }
    let tick = Rc::new(Cell::new(1));
    let (mut now, given) = (0, Rc::clone(&tick));
    disk.set_clock(move || {
        now += given.get();
        now
    });
    (disk, tick)
}

#[test]
fn the_time_is_kept_and_what_it_cut_goes_on() {
    let (disk, _) = many();
    let mut found = Vec::new();
    let mut cursor = None;
    let mut calls = 0;
    loop {
        let options = ExploreOptions {
            cursor,
            limits: Some(ExploreLimits {
                timeout_ms: Some(6),
                ..LIMITS
            }),
            ..query("cache")
        };
        let answer = ask(&disk, options);
        found.extend(shown(&answer.data.docs));
        calls += 1;
        cursor = by_items(&answer);
        let is_timeout = answer.reasons == [Degradation::Timeout];
        assert!(is_timeout || cursor.is_none() || !answer.data.docs.is_empty());
        if cursor.is_none() {
            break;
        }
    }
    assert!((3..30).contains(&calls), "{calls}");
    found.sort();
    let expected: Vec<String> = (10..70).map(|number| format!("{number}.md")).collect();
    assert_eq!(found, expected);
}

#[test]
fn less_time_than_before_loses_nothing() {
    let (disk, tick) = many();
    let request = |timeout, cursor| ExploreOptions {
        cursor,
        limits: Some(ExploreLimits {
            timeout_ms: Some(timeout),
            max_results: Some(5),
            ..LIMITS
        }),
        ..query("cache")
    };
    let first = ask(&disk, request(6, None));
    let shown = files(&first.data.docs);
    assert_eq!(shown[..2], ["10.md", "11.md"]);
    assert_eq!(first.reasons, [Degradation::Timeout]);
    let cursor = by_items(&first);
    tick.set(100);
    let short = ask(&disk, request(6, cursor.clone()));
    assert_eq!(short.status, ExploreStatus::NoResults);
    assert_eq!(short.reasons, [Degradation::Timeout]);
    assert_eq!(by_items(&short), cursor);
    assert!(short.hint.is_some_and(|hint| hint.contains("timeoutMs")));
    tick.set(1);
    let next = ask(&disk, request(6, cursor));
    let following = [0, 1].map(|step| format!("{}.md", 10 + shown.len() + step));
    assert_eq!(files(&next.data.docs)[..2], following);
    assert!(!next.reasons.contains(&Degradation::SourcesChanged));
}

#[test]
fn more_files_than_may_come_at_once_come_in_rounds() {
    let (disk, _) = many();
    disk.set_modified("docs", "44.md", Some(MODIFIED + 1));
    let request = |cursor| ExploreOptions {
        cursor,
        limits: Some(ExploreLimits {
            max_files: Some(7),
            ..LIMITS
        }),
        ..paths(&["."])
    };
    let mut cursor = None;
    for round in 0..9 {
        let answer = ask(&disk, request(cursor));
        cursor = by_items(&answer);
        let shown = files(&answer.data.docs);
        if round == 0 {
            assert_eq!(shown[..3], [".", "44.md", "10.md"]);
        }
        assert_eq!(
            shown.len(),
            if round == 8 {
                4
            } else {
                7 + usize::from(round == 0)
            }
        );
        let is_cut = answer.reasons.contains(&Degradation::MaxFiles);
        assert_eq!((is_cut, cursor.is_some()), (round < 8, round < 8));
    }
}

/// A tree of a small document, a long one, and code, and a clock that advances by one each time it
/// is consulted: some thirty times for the long document.
fn one_long_among_others() -> MemoryDisk {
    let disk = MemoryDisk::with_files(&[("a.md", "cache\n"), ("z.rs", "fn cache() {}\n")]);
    let line = "cache and some more words on a line, again and again\n";
    disk.write("docs", "long.md", line.repeat(80_000).as_bytes());
    let mut now = 0;
    disk.set_clock(move || {
        now += 1;
        now
    });
    disk
}

#[test]
fn the_time_is_kept_within_a_file_and_those_behind_it_come() {
    let disk = one_long_among_others();
    let mut found = Vec::new();
    let mut skipped = Vec::new();
    let mut cursor = None;
    for calls in 0.. {
        assert!(calls < 10, "it comes to an end");
        let options = ExploreOptions {
            cursor,
            limits: Some(ExploreLimits {
                timeout_ms: Some(20),
                ..LIMITS
            }),
            ..query("cache")
        };
        let answer = ask(&disk, options);
        // Number of times the clock was consulted, which may continue after the time is over.
        assert!(answer.stats.elapsed_ms < 40, "{}", answer.stats.elapsed_ms);
        found.extend(files(&answer.data.docs).into_iter().map(str::to_owned));
        found.extend(files(&answer.data.code).into_iter().map(str::to_owned));
        let told = answer.stats.skipped.entries.iter();
        skipped.extend(told.map(|entry| entry.path.clone()));
        cursor = by_items(&answer);
        if cursor.is_none() {
            break;
        }
        assert!(answer.reasons.contains(&Degradation::Timeout));
    }
    assert_eq!(found, ["a.md", "z.rs"]);
    assert_eq!(skipped, ["long.md"]);
}

#[test]
fn a_long_file_comes_where_there_is_time() {
    let disk = one_long_among_others();
    let answer = ask(&disk, query("cache"));
    assert_eq!(files(&answer.data.docs).len(), 2);
    assert!(!answer.reasons.contains(&Degradation::Timeout));
}

#[test]
fn the_time_is_kept_in_the_preview_of_a_file() {
    let disk = one_long_among_others();
    let limits = ExploreLimits {
        timeout_ms: Some(20),
        ..LIMITS
    };
    let options = ExploreOptions {
        limits: Some(limits),
        ..paths(&["long.md"])
    };
    let answer = ask(&disk, options);
    assert!(answer.stats.elapsed_ms < 40, "{}", answer.stats.elapsed_ms);
    assert!(answer.reasons.contains(&Degradation::Timeout));
    assert!(text(&answer.data.docs[0]).starts_with("cache and some more"));
    assert_eq!(answer.data.docs[0].metadata.tokens, None);
}
