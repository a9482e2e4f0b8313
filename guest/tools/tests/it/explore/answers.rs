//! Answers by kind of request.

use docent_api::pillars::{
    Degradation, ExploreLimits, ExploreOptions, ExploreStatus, IncludedKinds, Intent, ItemKind,
    SectionChoice, View,
};
use docent_api::types::ErrorCode;
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::{MODIFIED, MemoryDisk};

use super::support::*;

#[test]
fn documents_and_code_come_apart() {
    let answer = ask(&tree(), query("cache size"));
    assert_eq!(answer.status, ExploreStatus::Ok);
    assert!(answer.success);
    assert_eq!(files(&answer.data.docs), ["guide.md"]);
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
fn what_answers_much_less_well_is_not_named_and_stays_within_reach() {
    let disk = tree();
    let first = ask(&disk, query("cache size"));
    assert_eq!(files(&first.data.docs), ["guide.md"]);
    assert!(first.next.less_relevant);
    let rest = ask(
        &disk,
        ExploreOptions {
            cursor: by_items(&first),
            ..query("cache size")
        },
    );
    assert_eq!(files(&rest.data.docs), ["notes/today.md"]);
    assert_eq!(
        (rest.next.items_cursor, rest.next.less_relevant),
        (None, false)
    );
    // Documents with all words are named, however much better the best one is.
    let both = ask(&disk, query("cache"));
    assert!(files(&both.data.docs).contains(&"notes/today.md"));
    assert!(!both.next.less_relevant);
}

#[test]
fn signs_of_a_query_without_effect_are_told() {
    let answer = ask(&tree(), query("cache -guide"));
    assert_eq!(
        answer.hint.as_deref(),
        Some("`-guide` excludes nothing: a query is words.")
    );
    let answer = ask(&tree(), query("cache -umbrella"));
    let hint = answer.hint.unwrap_or_default();
    assert!(hint.starts_with("Nothing holds `umbrella`. "), "{hint}");
    assert!(
        hint.ends_with(" `-umbrella` excludes nothing: a query is words."),
        "{hint}"
    );
}

#[test]
fn a_section_that_introduces_the_answer_is_read_on() {
    let guide = "# Guide\n\nAll.\n\n## Lantern light\n\nIt has two parts.\n\n### Wick\n\nTrim it.\n\n\
                ### Oil\n\nFill it.\n\n## Other\n\nNothing.\n";
    let disk = MemoryDisk::with_files(&[("a.md", guide)]);
    let shown = |words: &str| {
        let answer = ask(&disk, query(words));
        let best = &answer.data.docs[0];
        let lines = best.range.map(|range| (range.first, range.last));
        assert!(!best.truncated && best.scope.is_none());
        (text(best).to_owned(), lines)
    };
    let text_from = |from: &str, to: &str| {
        let whole = guide.find(from).zip(guide.find(to));
        whole.map_or("", |(from, to)| &guide[from..to])
    };
    let family = text_from("## Lantern", "## Other");
    let (found, lines) = shown("how does the lantern shine");
    assert_eq!((found.as_str(), lines), (family, Some((5, 16))));
    // A section whose heading equals the query is the answer itself, and so is one that matches
    // only in its text.
    let alone = text_from("## Lantern", "### Wick");
    assert_eq!(shown("lantern light").0, alone);
    assert_eq!(shown("how many parts").0, alone);
}

#[test]
fn the_lines_of_an_item_are_those_of_all_its_sections() {
    let deploy = "# Deploy\n\nThe server starts with a token.\n\n## Steps\n\n1. Make a token.\n\
                  2. Start the server.\n3. Point the proxy at it.\n";
    let disk = MemoryDisk::with_files(&[("a.md", deploy), ("b.md", "# Other\n\nNothing.\n")]);
    let answer = ask(&disk, query("start server"));
    let best = &answer.data.docs[0];
    assert_eq!(text(best), deploy);
    let lines = best.range.map(|range| (range.first, range.last));
    assert_eq!((lines, best.scope.is_none()), (Some((1, 9)), true));
}

#[test]
fn a_heading_without_text_comes_with_what_stands_below_it() {
    let guide =
        "---\ntags: [a]\n---\n\n# Lantern light\n\n## Wick\n\nTrim it.\n\n## Oil\n\nFill it.\n";
    let disk = MemoryDisk::with_files(&[("a.md", guide), ("b.md", "# Other\n\nNothing.\n")]);
    let answer = ask(&disk, query("lantern light"));
    let whole = guide.find("# Lantern").map(|start| &guide[start..]);
    assert_eq!(Some(text(&answer.data.docs[0])), whole);
}

#[test]
fn only_the_best_section_is_read_on_and_as_far_as_there_is_room() {
    let section = |words: &str| format!("## {words}\n\nFirst.\n\n");
    let below = "### Below\n\nA paragraph of what stands there.\n\n".repeat(200);
    let both = [
        section("The lantern shines"),
        section("Some lantern that shines there"),
    ]
    .map(|own| own + &below);
    let disk = MemoryDisk::with_files(&[("a.md", &both[0]), ("b.md", &both[1])]);
    let answer = ask(&disk, query("how a lantern shines"));
    let [best, other] = &answer.data.docs[..] else {
        panic!("{:?}", files(&answer.data.docs))
    };
    let shown = text(best);
    // The numbers of its lines take of the room.
    assert!((2_600..=3_200).contains(&shown.len()), "{}", shown.len());
    // At the end of a section, and all that there is in the lines that are named.
    assert!(both[0].starts_with(shown) && shown.ends_with("there.\n\n"));
    assert_eq!(best.scope.map(|scope| scope.last), Some(4 + 200 * 4));
    assert!(!best.truncated);
    assert_eq!(
        text(other),
        "## Some lantern that shines there\n\nFirst.\n\n"
    );
}

#[test]
fn lists_of_changes_stand_back_where_they_are_not_asked_for() {
    let disk = MemoryDisk::with_files(&[
        ("CHANGELOG.md", "# Changes\n\nThe lantern burns oil.\n"),
        (
            "manual.md",
            "# Manual\n\nThe lantern burns oil, among other things.\n",
        ),
    ]);
    for (asked, first) in [
        ("what a lantern burns", "manual.md"),
        ("since when a lantern burns oil", "CHANGELOG.md"),
    ] {
        let answer = ask(&disk, query(asked));
        assert_eq!(files(&answer.data.docs)[0], first, "{asked}");
    }
}

#[test]
fn kinds_that_are_left_out_do_not_come() {
    let include = |docs, code, logs| IncludedKinds {
        docs: Some(docs),
        code: Some(code),
        comments: None,
        logs: Some(logs),
        data: Some(false),
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
            data: None,
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
    assert_eq!(
        text(&found[0]),
        "// A lantern in a comment.\nfn plain() {\n    let harbour = 1; // lantern\n}\n"
    );
}

#[test]
fn a_use_says_more_than_an_import() {
    let disk = MemoryDisk::with_files(&[(
        "a.rs",
        "use time::harbour;\n\nfn first() {}\n\nfn second() {\n    harbour();\n}\n",
    )]);
    let found = ask(&disk, query("harbour")).data.code;
    assert_eq!(found[0].title, "second");
    assert_eq!(found[0].why, ["2 lines"]);
}

#[test]
fn what_lies_too_deep_is_told() {
    let disk = MemoryDisk::with_files(&[("a/b/c/d/e.md", "shown\n"), ("a/b/c/d/e/f.md", "not\n")]);
    let answer = ask(&disk, paths(&["."]));
    assert_eq!(files(&answer.data.docs), [".", "a/b/c/d/e.md"]);
    assert_eq!(answer.reasons, [Degradation::SkippedUnreadable]);
    let skipped = answer.stats.skipped.entries;
    let skipped: Vec<&str> = skipped.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(skipped, ["a/b/c/d/e"]);
    let entries = ExploreOptions {
        view: Some(View::Preview),
        ..paths(&["."])
    };
    assert!(!ask(&disk, entries).degraded);
}

#[test]
fn a_long_first_paragraph_goes_on() {
    let paragraph = format!("{}\n", "one word and the next ".repeat(60));
    let disk = MemoryDisk::with_files(&[("a.md", &paragraph)]);
    let preview = ExploreOptions {
        view: Some(View::Preview),
        ..paths(&["a.md"])
    };
    let first = ask(&disk, preview.clone());
    assert!(first.data.docs[0].truncated);
    assert_eq!(first.reasons, [Degradation::Truncated]);
    let rest = ExploreOptions {
        cursor: by_content(&first),
        ..preview
    };
    let rest = ask(&disk, rest);
    let both = [text(&first.data.docs[0]), text(&rest.data.docs[0])].concat();
    assert_eq!(both, paragraph.trim_end());
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
fn what_is_named_comes_whole_where_it_has_room() {
    let answer = ask(&tree(), paths(&["guide.md", "src/cache.rs"]));
    let [guide, cache] = [&answer.data.docs[0], &answer.data.code[0]];
    assert_eq!(guide.content.as_deref(), Some(GUIDE));
    assert_eq!(cache.kind, ItemKind::FileFull);
    assert!(text(cache).contains("64 << 20"), "{cache:?}");
    assert!(answer.reasons.is_empty() && answer.next.content_cursor.is_none());
    // With less room than the text and its line numbers need, a preview is given.
    let chars = u32::try_from(GUIDE.chars().count()).unwrap_or_default();
    let within = |max_chars| ExploreOptions {
        limits: Some(ExploreLimits {
            max_chars: Some(max_chars),
            ..LIMITS
        }),
        ..paths(&["guide.md"])
    };
    for (room, kind) in [
        (chars + 40, ItemKind::FileFull),
        (chars, ItemKind::FilePreview),
    ] {
        assert_eq!(ask(&tree(), within(room)).data.docs[0].kind, kind, "{room}");
    }
    let quoted = ExploreOptions {
        intent: Some(Intent::Evidence),
        ..paths(&["guide.md"])
    };
    assert_eq!(
        ask(&tree(), quoted).data.docs[0].kind,
        ItemKind::FilePreview
    );
    let long = format!("# Long\n\nAbout.\n\n## Part\n\n{}", "word\n".repeat(3_000));
    let disk = MemoryDisk::with_files(&[("a.md", &long)]);
    let answer = ask(&disk, paths(&["a.md"]));
    assert_eq!(answer.data.docs[0].kind, ItemKind::FilePreview);
}

#[test]
fn a_preview_is_contents_and_first_paragraph() {
    let preview = ExploreOptions {
        view: Some(View::Preview),
        ..paths(&["guide.md"])
    };
    let answer = ask(&tree(), preview);
    let item = &answer.data.docs[0];
    assert_eq!(item.kind, ItemKind::FilePreview);
    assert_eq!(item.title, "Guide");
    assert!(item.content.is_none());
    let lines: Vec<&str> = text(item).lines().collect();
    assert!(lines[0].starts_with("- L1 Guide (") && lines[3].starts_with("  - L13 Network ("));
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
    let consenting = ToolSettings {
        sensitive_roots: vec!["docs".to_owned()],
        ..ToolSettings::default()
    };
    for (allow, settings, opens) in [
        (false, ToolSettings::default(), false),
        (true, ToolSettings::default(), false),
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

/// Every view and intent, with every permission that a model can request.
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
    assert_eq!(
        item.metadata.media_type.as_deref(),
        Some("application/octet-stream")
    );
    let answer = ask(&tree(), paths(&["image.png"]));
    assert_eq!(answer.data.docs[0].why, ["binary"]);
    assert_eq!(text(&answer.data.docs[0]), "");
}

#[test]
fn a_picture_is_described_and_comes_only_where_binaries_do() {
    let disk = tree();
    // A signature, a header of 800 × 600 pixels, and pixels that nothing looks at.
    let mut picture = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x03\x20\0\0\x02\x58".to_vec();
    let end = b"\0\0\0\0IEND\xae\x42\x60\x82";
    let mut write = |name, size| {
        picture.resize(size - end.len(), 7);
        disk.write("docs", name, &[picture.as_slice(), end].concat());
    };
    write("plan.png", 20_000);
    write("large.png", (1 << 20) + 1);
    let cut = b"GIF89a\x10\0\x10\0";
    disk.write("docs", "cut.gif", cut);
    let wide = b"GIF89a\xff\xff\x10\0;";
    disk.write("docs", "wide.gif", wide);
    let whole = |path, limits| ExploreOptions {
        view: Some(View::Full),
        limits,
        ..paths(&[path])
    };
    let described = "PNG picture, 800 × 600 pixels, 20000 bytes";
    for options in [paths(&["plan.png"]), whole("plan.png", None)] {
        let answer = ask(&disk, options);
        let item = &answer.data.docs[0];
        assert_eq!((item.why[0].as_str(), text(item)), (described, ""));
        assert_eq!(item.metadata.media_type.as_deref(), Some("image/png"));
    }
    let answer = ask(&disk, whole("large.png", None));
    let why = &answer.data.docs[0].why[0];
    assert_eq!(why, "PNG picture, 800 × 600 pixels, 1048577 bytes");
    // As base64 it needs the room of a text, unless the call sets the bytes of its files.
    let allowed = |limits| ExploreOptions {
        allow_binary: Some(true),
        ..whole("plan.png", limits)
    };
    let answer = ask(&disk, allowed(None));
    assert_eq!(answer.blocked[0].code, ErrorCode::DocumentTooLarge);
    let limits = ExploreLimits {
        max_bytes: Some(20_000),
        ..LIMITS
    };
    let answer = ask(&disk, allowed(Some(limits)));
    assert_eq!(
        text(&answer.data.docs[0]).len(),
        20_000_usize.div_ceil(3) * 4
    );
    // Neither is shown to a model, whose service would refuse it.
    for (name, why) in [
        (
            "cut.gif",
            [
                "GIF picture, 16 × 16 pixels, 10 bytes",
                "its end is missing",
            ]
            .as_slice(),
        ),
        (
            "wide.gif",
            ["GIF picture, 65535 × 16 pixels, 11 bytes"].as_slice(),
        ),
    ] {
        let options = ExploreOptions {
            paths: Some(vec![name.to_owned()]),
            ..allowed(Some(limits))
        };
        let item = &ask(&disk, options).data.docs[0];
        assert_eq!(item.why, why, "{name}");
        assert_eq!(text(item), "", "{name}");
    }
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
    // A name with the characters of a glob is still a name.
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
    // Two directories share the limit of one.
    let two = ExploreOptions {
        paths: Some(vec!["notes".to_owned(), "src".to_owned()]),
        ..one
    };
    let answer = ask(&disk, two);
    assert_eq!(files(&answer.data.docs), ["notes", "src", "notes/today.md"]);
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
        // Of its two files one is left.
        ExploreOptions {
            section: Some(section(&["Cache"])),
            limits: Some(ExploreLimits {
                max_files: Some(1),
                ..LIMITS
            }),
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
fn a_failing_path_does_not_hide_the_others() {
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
