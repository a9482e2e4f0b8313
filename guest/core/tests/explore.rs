//! `explore` on trees in memory: what comes for which request, and the laws that every answer keeps.

use docent_api::pillars::{
    Degradation, ExploreAnswer, ExploreCursor, ExploreItem, ExploreLimits, ExploreOptions,
    ExploreStatus, IncludedKinds, Intent, ItemKind, SectionChoice, View,
};
use docent_api::types::ErrorCode;
use docent_core::memory::{MODIFIED, MemoryDisk};
use docent_core::{Docent, Settings};
use proptest::prelude::*;

const NONE: ExploreOptions = ExploreOptions {
    query: None,
    paths: None,
    intent: None,
    view: None,
    section: None,
    pack_id: None,
    cursor: None,
    include: None,
    full_paths: None,
    allow_sensitive: None,
    allow_binary: None,
    allow_globs: None,
    limits: None,
    root: None,
};

const LIMITS: ExploreLimits = ExploreLimits {
    max_results: None,
    max_chars: None,
    max_item_chars: None,
    max_bytes: None,
    max_files: None,
    timeout_ms: None,
};

fn query(text: &str) -> ExploreOptions {
    ExploreOptions {
        query: Some(text.to_owned()),
        ..NONE
    }
}

fn paths(all: &[&str]) -> ExploreOptions {
    ExploreOptions {
        paths: Some(all.iter().map(|&path| path.to_owned()).collect()),
        ..NONE
    }
}

fn section(headings: &[&str]) -> SectionChoice {
    SectionChoice {
        section_id: None,
        heading_path: Some(headings.iter().map(|&heading| heading.to_owned()).collect()),
        include_subsections: None,
    }
}

fn docent(disk: &MemoryDisk) -> Docent<MemoryDisk> {
    Docent::new(disk.clone(), Settings::default())
}

fn ask(disk: &MemoryDisk, options: ExploreOptions) -> ExploreAnswer {
    match docent(disk).explore(Some(options)) {
        Ok(answer) => answer,
        Err(error) => panic!("{error:?}"),
    }
}

fn refused(disk: &MemoryDisk, options: ExploreOptions) -> ErrorCode {
    match docent(disk).explore(Some(options)) {
        Ok(answer) => panic!("{answer:?}"),
        Err(error) => error.code,
    }
}

fn text(item: &ExploreItem) -> &str {
    let text = item.preview.as_deref().or(item.content.as_deref());
    text.unwrap_or_default()
}

fn files(items: &[ExploreItem]) -> Vec<&str> {
    items.iter().map(|item| item.file_path.as_str()).collect()
}

fn pack(answer: &ExploreAnswer) -> String {
    match &answer.pack {
        Some(pack) => pack.pack_id.clone(),
        None => panic!("a pack"),
    }
}

const GUIDE: &str = "# Guide\n\nIntro of the guide.\n\n## Cache\n\nThe cache keeps texts.\n\n### Size\n\nIts size is 64 MB by default.\n\n## Network\n\nNo cache here.\n";

fn tree() -> MemoryDisk {
    let disk = MemoryDisk::with_files(&[
        ("guide.md", GUIDE),
        ("notes/today.md", "Bought a cache box.\n"),
        ("notes/other.md", "Nothing of interest.\n"),
        (
            "src/cache.rs",
            "//! The cache.\n\n/// Keeps texts.\npub struct Cache {\n    size: usize,\n}\n\nimpl Cache {\n    /// Returns the default size.\n    pub fn default_size() -> usize {\n        64 << 20\n    }\n}\n",
        ),
        (".env", "TOKEN=canary-env\n"),
        ("keys/server.pem", "canary-pem\n"),
        ("app.log", "cache miss\n"),
    ]);
    disk.write("docs", "image.png", b"\x89PNG\0\x01\x02canary");
    disk
}

#[test]
fn documents_and_code_come_apart() {
    let answer = ask(&tree(), query("cache size"));
    assert_eq!(answer.status, ExploreStatus::Ok);
    assert!(answer.success);
    assert_eq!(files(&answer.data.docs), ["guide.md", "notes/today.md"]);
    assert_eq!(files(&answer.data.code), ["src/cache.rs"]);
    let best = &answer.data.docs[0];
    assert_eq!(best.kind, ItemKind::DocumentSection);
    assert_eq!(text(best), "### Size\n\nIts size is 64 MB by default.\n\n");
    assert_eq!(best.metadata.heading_path, ["Guide", "Cache", "Size"]);
    assert_eq!(best.metadata.section_id.as_deref(), Some("size"));
    assert_eq!(
        best.range.map(|range| (range.first, range.last)),
        Some((9, 12))
    );
    assert_eq!(best.why, ["heading match", "1 hit in body"]);
    assert!(best.score.is_some_and(|score| score > 0.0 && score < 1.0));
    let code = &answer.data.code[0];
    assert_eq!(code.kind, ItemKind::Symbol);
    assert_eq!(code.metadata.language.as_deref(), Some("rust"));
    assert!(!answer.degraded, "{:?}", answer.reasons);
}

#[test]
fn kinds_that_are_left_out_do_not_come() {
    let include = |docs, code, logs| IncludedKinds {
        docs: Some(docs),
        code: Some(code),
        comments: None,
        logs: Some(logs),
    };
    for (kinds, docs, code) in [
        (include(true, false, false), 2, 0),
        (include(false, true, false), 0, 1),
        (include(false, false, true), 1, 0),
        (include(true, true, true), 3, 1),
    ] {
        let options = ExploreOptions {
            include: Some(kinds),
            ..query("cache")
        };
        let answer = ask(&tree(), options);
        assert_eq!(
            (answer.data.docs.len(), answer.data.code.len()),
            (docs, code)
        );
    }
    let nothing = ExploreOptions {
        include: Some(include(false, false, false)),
        ..query("cache")
    };
    assert_eq!(refused(&tree(), nothing), ErrorCode::InvalidRequest);
}

#[test]
fn comments_can_be_left_out() {
    let disk = MemoryDisk::with_files(&[(
        "a.rs",
        "// A lantern in a comment.\nfn plain() {\n    let harbour = 1; // lantern\n}\n",
    )]);
    let ask_for = |word: &str, comments| {
        let kinds = IncludedKinds {
            docs: None,
            code: None,
            comments: Some(comments),
            logs: None,
        };
        let options = ExploreOptions {
            include: Some(kinds),
            ..query(word)
        };
        ask(&disk, options).data.code
    };
    assert_eq!(ask_for("lantern", true).len(), 1);
    assert!(ask_for("lantern", false).is_empty());
    let found = ask_for("harbour", false);
    assert_eq!(found[0].title, "plain");
    assert_eq!(text(&found[0]), "fn plain()\n3: let harbour = 1;\n");
}

#[test]
fn nothing_found_says_so() {
    let answer = ask(&tree(), query("xyzzyqqq"));
    assert_eq!(answer.status, ExploreStatus::NoResults);
    assert!(answer.success && answer.hint.is_some());
    assert!(answer.next.items_cursor.is_none());
}

#[test]
fn a_search_within_paths() {
    let options = ExploreOptions {
        query: Some("cache".to_owned()),
        ..paths(&["notes", "guide.md", "notes/today.md"])
    };
    let answer = ask(&tree(), options);
    assert_eq!(files(&answer.data.docs), ["guide.md", "notes/today.md"]);
    assert!(answer.data.code.is_empty());
}

#[test]
fn a_preview_is_the_default_of_reading() {
    let answer = ask(&tree(), paths(&["guide.md"]));
    let item = &answer.data.docs[0];
    assert_eq!(item.kind, ItemKind::FilePreview);
    assert_eq!(item.title, "Guide");
    assert!(item.content.is_none());
    let lines: Vec<&str> = text(item).lines().collect();
    assert!(lines[0].starts_with("- Guide (") && lines[3].starts_with("  - Network ("));
    assert_eq!(lines[5], "Intro of the guide.");
}

#[test]
fn a_section_by_its_headings() {
    let options = ExploreOptions {
        section: Some(section(&["Cache"])),
        ..paths(&["guide.md"])
    };
    let answer = ask(&tree(), options);
    let item = &answer.data.docs[0];
    assert_eq!(
        item.content.as_deref(),
        Some("## Cache\n\nThe cache keeps texts.\n\n")
    );
    let below = ExploreOptions {
        section: Some(SectionChoice {
            include_subsections: Some(true),
            ..section(&["Guide", "Cache"])
        }),
        ..paths(&["guide.md"])
    };
    let answer = ask(&tree(), below);
    assert!(text(&answer.data.docs[0]).ends_with("64 MB by default.\n\n"));
    let missing = ExploreOptions {
        section: Some(section(&["Cahce"])),
        ..paths(&["guide.md"])
    };
    let error = docent(&tree()).explore(Some(missing)).err();
    let error = error.map(|error| (error.code, error.hint));
    assert!(
        error.as_ref().is_some_and(|(code, hint)| {
            *code == ErrorCode::DocumentNotFound
                && hint.starts_with("The nearest headings are `Cache`")
        }),
        "{error:?}"
    );
}

#[test]
fn a_whole_file_or_nothing_of_it() {
    let full = |limits| ExploreOptions {
        view: Some(View::Full),
        limits: Some(limits),
        ..paths(&["guide.md", "notes/other.md"])
    };
    let answer = ask(&tree(), full(LIMITS));
    assert_eq!(answer.data.docs[0].content.as_deref(), Some(GUIDE));
    assert_eq!(answer.data.docs[0].kind, ItemKind::FileFull);
    for limits in [
        ExploreLimits {
            max_bytes: Some(100),
            ..LIMITS
        },
        ExploreLimits {
            max_chars: Some(100),
            ..LIMITS
        },
    ] {
        let answer = ask(&tree(), full(limits));
        assert_eq!(answer.status, ExploreStatus::Ok);
        assert_eq!(files(&answer.data.docs), ["notes/other.md"]);
        assert_eq!(answer.blocked[0].file_path, "guide.md");
        assert_eq!(answer.blocked[0].code, ErrorCode::DocumentTooLarge);
        assert!(!format!("{answer:?}").contains("Intro of"));
        let alone = ExploreOptions {
            paths: Some(vec!["guide.md".to_owned()]),
            ..full(limits)
        };
        let answer = ask(&tree(), alone);
        assert_eq!(answer.status, ExploreStatus::Blocked);
        assert!(!answer.success);
    }
}

#[test]
fn only_some_come_whole() {
    let options = ExploreOptions {
        view: Some(View::Full),
        full_paths: Some(vec!["notes/today.md".to_owned()]),
        ..paths(&["guide.md", "notes/today.md"])
    };
    let answer = ask(&tree(), options);
    let kinds: Vec<ItemKind> = answer.data.docs.iter().map(|item| item.kind).collect();
    assert_eq!(kinds, [ItemKind::FilePreview, ItemKind::FileFull]);
    let unknown = ExploreOptions {
        view: Some(View::Full),
        full_paths: Some(vec!["nowhere.md".to_owned()]),
        ..paths(&["guide.md"])
    };
    assert_eq!(refused(&tree(), unknown), ErrorCode::InvalidRequest);
}

#[test]
fn sensitive_files_need_the_grants_consent() {
    let request = |allow| ExploreOptions {
        view: Some(View::Full),
        allow_sensitive: Some(allow),
        ..paths(&[".env"])
    };
    let consenting = Settings {
        sensitive_roots: vec!["docs".to_owned()],
        ..Settings::default()
    };
    for (allow, settings, opens) in [
        (false, Settings::default(), false),
        (true, Settings::default(), false),
        (false, consenting.clone(), false),
        (true, consenting, true),
    ] {
        let answer = Docent::new(tree(), settings).explore(Some(request(allow)));
        let Ok(answer) = answer else {
            panic!("{answer:?}")
        };
        assert_eq!(answer.success, opens, "{answer:?}");
        assert_eq!(format!("{answer:?}").contains("canary"), opens);
        if !opens {
            assert_eq!(answer.status, ExploreStatus::Blocked);
            assert_eq!(answer.blocked[0].code, ErrorCode::Sensitive);
        }
    }
}

/// Every view and intent, with every permission that a model can give itself.
#[test]
fn no_request_brings_out_a_canary() {
    let mut all = Vec::new();
    for intent in [Intent::Auto, Intent::Find, Intent::Read, Intent::Evidence] {
        for view in [View::Auto, View::Preview, View::Section, View::Full] {
            for scope in [
                paths(&[".env", "keys/server.pem"]),
                paths(&["."]),
                paths(&["keys"]),
                paths(&["**/*", ".env", "**/.*"]),
                query("canary"),
                query("TOKEN"),
                ExploreOptions {
                    query: Some("canary".to_owned()),
                    ..paths(&[".", ".env", "keys/server.pem", "**/*.pem"])
                },
            ] {
                all.push(ExploreOptions {
                    intent: Some(intent),
                    view: Some(view),
                    allow_sensitive: Some(true),
                    allow_globs: Some(true),
                    ..scope
                });
            }
        }
    }
    let answered = all.into_iter().filter(|options| {
        let answer = docent(&tree()).explore(Some(options.clone()));
        let shown = format!("{answer:?}").replace("query: Some(\"canary\")", "");
        assert!(!shown.contains("canary-"), "{options:?}\n{shown}");
        answer.is_ok_and(|answer| !answer.data.docs.is_empty() || !answer.blocked.is_empty())
    });
    assert!(answered.count() > 40);
}

#[test]
fn binaries_come_as_base64_where_that_is_allowed() {
    let request = |allow| ExploreOptions {
        view: Some(View::Full),
        allow_binary: Some(allow),
        ..paths(&["image.png"])
    };
    let answer = ask(&tree(), request(false));
    assert_eq!(answer.status, ExploreStatus::Blocked);
    assert_eq!(answer.blocked[0].code, ErrorCode::Binary);
    let answer = ask(&tree(), request(true));
    let item = &answer.data.docs[0];
    assert_eq!(item.content.as_deref(), Some("iVBORwABAmNhbmFyeQ=="));
    assert_eq!(item.metadata.media_type.as_deref(), Some("image/png"));
    let answer = ask(&tree(), paths(&["image.png"]));
    assert_eq!(answer.data.docs[0].why, ["binary"]);
    assert_eq!(text(&answer.data.docs[0]), "");
}

#[test]
fn globs_have_to_be_announced() {
    let disk = tree();
    disk.write("docs", "pages/[slug].md", b"# Slug\n");
    assert_eq!(
        refused(&disk, paths(&["**/*.md"])),
        ErrorCode::InvalidRequest
    );
    let announced = ExploreOptions {
        allow_globs: Some(true),
        ..paths(&["notes/*.md"])
    };
    let answer = ask(&disk, announced);
    assert_eq!(
        files(&answer.data.docs),
        ["notes/other.md", "notes/today.md"]
    );
    // A name that only looks like one is a name.
    let answer = ask(&disk, paths(&["pages/[slug].md"]));
    assert_eq!(answer.data.docs[0].title, "Slug");
    assert_eq!(
        refused(&disk, paths(&["pages/[x].md"])),
        ErrorCode::InvalidRequest
    );
}

#[test]
fn a_directory_is_its_entries_and_its_newest_files() {
    let disk = tree();
    disk.set_modified("docs", "notes/today.md", Some(MODIFIED + 1));
    let answer = ask(&disk, paths(&["notes"]));
    assert_eq!(
        files(&answer.data.docs),
        ["notes", "notes/today.md", "notes/other.md"]
    );
    let directory = &answer.data.docs[0];
    assert_eq!(directory.kind, ItemKind::Directory);
    assert_eq!(
        text(directory),
        "other.md (21 bytes)\ntoday.md (20 bytes)\n"
    );
    let preview = ExploreOptions {
        view: Some(View::Preview),
        ..paths(&["."])
    };
    let answer = ask(&disk, preview);
    assert_eq!(answer.data.docs.len(), 1);
    let expected = "app.log (11 bytes)\nguide.md (132 bytes)\nimage.png (13 bytes)\nkeys/ (0 files)\nnotes/ (2 files)\nsrc/ (1 file)\n";
    assert_eq!(text(&answer.data.docs[0]), expected);
    let one = ExploreOptions {
        limits: Some(ExploreLimits {
            max_files: Some(1),
            ..LIMITS
        }),
        ..paths(&["notes"])
    };
    let answer = ask(&disk, one.clone());
    assert_eq!(files(&answer.data.docs), ["notes", "notes/today.md"]);
    assert_eq!(answer.reasons, [Degradation::MaxFiles]);
    // Two directories share what one may have.
    let two = ExploreOptions {
        paths: Some(vec!["notes".to_owned(), "src".to_owned()]),
        ..one
    };
    let answer = ask(&disk, two);
    assert_eq!(files(&answer.data.docs), ["notes", "notes/today.md", "src"]);
    assert!(answer.data.code.is_empty());
}

#[test]
fn only_the_nearest_levels_of_a_directory() {
    let disk = MemoryDisk::with_files(&[("1/2/3/4/five.md", "five"), ("1/2/3/4/5/six.md", "six")]);
    let answer = ask(&disk, paths(&["."]));
    assert_eq!(files(&answer.data.docs), [".", "1/2/3/4/five.md"]);
}

#[test]
fn what_does_not_go_together_is_refused() {
    for options in [
        NONE,
        ExploreOptions {
            intent: Some(Intent::Find),
            ..paths(&["."])
        },
        ExploreOptions {
            intent: Some(Intent::Read),
            ..query("cache")
        },
        ExploreOptions {
            view: Some(View::Section),
            ..paths(&["guide.md"])
        },
        ExploreOptions {
            section: Some(section(&["Cache"])),
            ..paths(&["guide.md", "notes/today.md"])
        },
        ExploreOptions {
            section: Some(section(&["Cache"])),
            ..paths(&["notes"])
        },
        ExploreOptions {
            full_paths: Some(Vec::new()),
            ..paths(&["guide.md"])
        },
        ExploreOptions {
            limits: Some(ExploreLimits {
                max_results: Some(0),
                ..LIMITS
            }),
            ..query("cache")
        },
    ] {
        assert_eq!(refused(&tree(), options), ErrorCode::InvalidRequest);
    }
    assert_eq!(refused(&tree(), query(" ")), ErrorCode::InvalidQuery);
    assert_eq!(
        refused(&tree(), query(&"x".repeat(201))),
        ErrorCode::InvalidQuery
    );
    assert_eq!(
        refused(&tree(), paths(&["nowhere.md"])),
        ErrorCode::DocumentNotFound
    );
    assert_eq!(refused(&tree(), paths(&["../x"])), ErrorCode::InvalidPath);
}

#[test]
fn of_several_paths_the_others_come() {
    let answer = ask(&tree(), paths(&["nowhere.md", "guide.md"]));
    assert_eq!(files(&answer.data.docs), ["guide.md"]);
    assert_eq!(answer.blocked[0].code, ErrorCode::DocumentNotFound);
}

#[test]
fn evidence_is_never_a_whole_file_unasked() {
    let evidence = |view| ExploreOptions {
        intent: Some(Intent::Evidence),
        view,
        ..paths(&["guide.md"])
    };
    let answer = ask(&tree(), evidence(None));
    assert!(answer.data.docs[0].content.is_none());
    assert!(answer.data.docs[0].range.is_some());
    let answer = ask(&tree(), evidence(Some(View::Full)));
    assert_eq!(answer.data.docs[0].content.as_deref(), Some(GUIDE));
}

const HOUR_MS: i64 = 3_600_000;

#[test]
fn one_subject_is_one_pack() {
    let disk = tree();
    let first = pack(&ask(&disk, query("cache")));
    for options in [
        query("  cache "),
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
    let settings = Settings {
        cache_bytes: 1 << 20,
        ..Settings::default()
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

#[test]
fn the_time_is_kept() {
    let disk = tree();
    let mut now = 0;
    disk.set_clock(move || {
        now += 1;
        now
    });
    let options = ExploreOptions {
        limits: Some(ExploreLimits {
            timeout_ms: Some(1),
            ..LIMITS
        }),
        ..query("cache")
    };
    let answer = ask(&disk, options);
    assert!(answer.degraded && answer.reasons.contains(&Degradation::Timeout));
}

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

fn by_items(answer: &ExploreAnswer) -> Option<ExploreCursor> {
    let items = answer.next.items_cursor.clone()?;
    Some(ExploreCursor {
        items: Some(items),
        content: None,
    })
}

fn by_content(answer: &ExploreAnswer) -> Option<ExploreCursor> {
    let content = answer.next.content_cursor.clone()?;
    Some(ExploreCursor {
        items: None,
        content: Some(content),
    })
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
                ..limits
            };
            let Ok(whole) = docent(&disk).explore(Some(ExploreOptions {
                limits: Some(everything),
                ..options.clone()
            })) else {
                continue;
            };
            let pages = follow(&disk, &options, &limits, by_items)?;
            let (mut docs, mut code) = (Vec::new(), Vec::new());
            for page in &pages {
                kept(page, &limits)?;
                docs.extend(files(&page.data.docs));
                code.extend(files(&page.data.code));
            }
            prop_assert_eq!(docs, files(&whole.data.docs));
            prop_assert_eq!(code, files(&whole.data.code));
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
        for first in &pages[0].data.docs {
            let Some(id) = &first.metadata.section_id else { continue };
            let pieces = pages.iter().flat_map(|page| &page.data.docs);
            let own = pieces.filter(|item| item.file_path == first.file_path);
            let mut given: Vec<char> = own.flat_map(|item| text(item).chars()).collect();
            let whole = ask(&disk, ExploreOptions {
                section: Some(SectionChoice {
                    section_id: Some(id.clone()),
                    heading_path: None,
                    include_subsections: None,
                }),
                ..paths(&[&first.file_path])
            });
            let mut expected: Vec<char> = text(&whole.data.docs[0]).chars().collect();
            // It may begin with the best part; nothing is missing and nothing comes twice.
            given.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(given, expected, "{}", first.file_path);
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
            kept(&page, &limits)?;
            for item in page.data.docs.iter().chain(&page.data.code) {
                let written = tree.iter().rev().find(|(path, _)| *path == item.file_path);
                prop_assert_eq!(item.content.as_deref(), written.map(|(_, text)| text.as_str()));
                let bytes = text(item).len() as u64;
                prop_assert!(bytes <= u64::from(limits.max_bytes.unwrap_or(1 << 20)));
            }
        }
    }
}
