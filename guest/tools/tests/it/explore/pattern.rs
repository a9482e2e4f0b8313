//! Every line that a pattern matches: against a reference that reads all files line by line.

use std::collections::BTreeMap;

use docent_api::patterns::{GrepAnswer, GrepOptions};
use docent_api::pillars::{
    ExploreAnswer, ExploreCursor, ExploreLimits, ExploreOptions, ExploreStatus, PatternMatches,
    PatternOutput,
};
use docent_api::types::ErrorCode;
use docent_tools::NO_GREP_OPTIONS;
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;

use super::support::{LIMITS, NONE, ask, by_items, docent, refused};

fn pattern(text: &str) -> ExploreOptions {
    ExploreOptions {
        pattern: Some(text.to_owned()),
        ..NONE
    }
}

fn output(text: &str, output: PatternOutput) -> ExploreOptions {
    ExploreOptions {
        output: Some(output),
        ..pattern(text)
    }
}

/// Returns the matching lines, which `explore` and `grep` must agree on.
fn matches(disk: &MemoryDisk, options: ExploreOptions) -> PatternMatches {
    let lines = grep(disk, &options).matches;
    let matches = ask(disk, options).matches.unwrap();
    assert_eq!(matches, lines);
    matches
}

fn grep(disk: &MemoryDisk, options: &ExploreOptions) -> GrepAnswer {
    let limits = options.limits.unwrap_or(LIMITS);
    let same = GrepOptions {
        paths: options.paths.clone(),
        glob: options.glob.clone(),
        literal: options.literal,
        ignore_case: options.ignore_case,
        multiline: options.multiline,
        output: options.output,
        context: options.context,
        include_hidden: options.include_hidden,
        include_ignored: options.include_ignored,
        max_chars: limits.max_chars,
        max_line_chars: limits.max_item_chars,
        timeout_ms: limits.timeout_ms,
        ..NO_GREP_OPTIONS
    };
    let pattern = options.pattern.clone().unwrap_or_default();
    docent(disk).grep(pattern, Some(same)).unwrap()
}

/// Returns the lines that are shown, as `path:number:text`; those of context with `-`.
fn shown(matches: &PatternMatches) -> Vec<String> {
    let lines = matches.found.iter().flat_map(|file| {
        file.lines.iter().map(|line| {
            let sign = if line.matches { ':' } else { '-' };
            format!("{}{sign}{}{sign}{}", file.file_path, line.number, line.text)
        })
    });
    lines.collect()
}

fn tree() -> MemoryDisk {
    MemoryDisk::with_files(&[
        ("README", "Timeout: 5\nnothing\n"),
        ("a.md", "# Timeouts\n\nThe timeout is 30.\r\nNo more.\n"),
        ("conf/app.env.j2", "TIMEOUT=7\n"),
        ("log/app.log", "2026-01-01 timeout\n2026-01-02 ok\n"),
        ("src/a.rs", "fn timeout() {\n    retry();\n}\n"),
        (".github/ci.yml", "timeout: 9\n"),
        (".env", "timeout=secret\n"),
        ("id_rsa", "timeout\n"),
        (".gitignore", "built/\n"),
        ("built/x.txt", "timeout\n"),
        ("pic.png", "\0\0timeout\n"),
    ])
}

#[test]
fn every_line_of_whatever_is_text() {
    let found = matches(&tree(), pattern("timeout"));
    assert_eq!(
        shown(&found),
        [
            "README:1:Timeout: 5",
            "a.md:1:# Timeouts",
            "a.md:3:The timeout is 30.",
            "conf/app.env.j2:1:TIMEOUT=7",
            "log/app.log:1:2026-01-01 timeout",
            "src/a.rs:1:fn timeout() {",
        ]
    );
    assert_eq!((found.lines, found.files), (6, 5));
    assert!(found.complete);
    assert_eq!(
        found.left_out.as_deref(),
        Some("Not looked at: 2 hidden, 1 ignored, 2 that may hold secrets, 1 binary.")
    );
}

#[test]
fn a_capital_counts() {
    let found = matches(&tree(), pattern("TIMEOUT"));
    assert_eq!(shown(&found), ["conf/app.env.j2:1:TIMEOUT=7"]);
}

#[test]
fn hidden_and_ignored_files_where_they_are_wanted() {
    let options = ExploreOptions {
        include_hidden: Some(true),
        include_ignored: Some(true),
        ..pattern("timeout")
    };
    let found = matches(&tree(), options);
    let lines = shown(&found);
    assert!(lines.contains(&".github/ci.yml:1:timeout: 9".to_owned()));
    assert!(lines.contains(&"built/x.txt:1:timeout".to_owned()));
    assert!(
        !lines
            .iter()
            .any(|line| line.contains(".env:") || line.contains("id_rsa"))
    );
    assert_eq!(
        found.left_out.as_deref(),
        Some("Not looked at: 2 that may hold secrets, 1 binary.")
    );
}

#[test]
fn outputs() {
    let disk = tree();
    let files = matches(&disk, output("timeout", PatternOutput::Files));
    let named: Vec<_> = files
        .found
        .iter()
        .map(|file| (&*file.file_path, file.count))
        .collect();
    assert_eq!(named[0], ("a.md", 2));
    assert_eq!(named.len(), 5);
    let count = matches(&disk, output("timeout", PatternOutput::Count));
    assert_eq!((count.lines, count.files), (6, 5));
    assert!(count.found.is_empty() && count.rest.is_empty());
    let values = matches(
        &disk,
        output(r"(?i)timeout\W+(?:is )?(\d+)", PatternOutput::Values),
    );
    let values: Vec<_> = values
        .values
        .iter()
        .map(|one| (&*one.text, one.count))
        .collect();
    assert_eq!(values, [("30", 1), ("5", 1), ("7", 1)]);
}

#[test]
fn matches_come_where_they_stand() {
    let disk = MemoryDisk::with_files(&[
        ("a.txt", "x=1 y x=22\nnone\nx=3\n"),
        ("b.txt", "begin x=\n4 x=5\n"),
    ]);
    let one = matches(&disk, output(r"x=(\d+)", PatternOutput::Matches));
    assert_eq!(
        shown(&one),
        ["a.txt:1:1", "a.txt:1:22", "a.txt:3:3", "b.txt:2:5"]
    );
    assert_eq!((one.lines, one.files), (3, 2));
    // Of a match that spans lines each line has its part.
    let options = ExploreOptions {
        multiline: Some(true),
        ..output(r"x=\s?\d", PatternOutput::Matches)
    };
    assert_eq!(
        shown(&matches(&disk, options))[3..],
        ["b.txt:1:x=", "b.txt:2:4", "b.txt:2:x=5"]
    );
    // A page ends between lines, and the next one continues after it.
    let lines = |limits: Option<ExploreLimits>, cursor: Option<ExploreCursor>| {
        let answer = ask(
            &disk,
            ExploreOptions {
                limits,
                cursor,
                ..output(r"x=\d+", PatternOutput::Matches)
            },
        );
        let next = by_items(&answer);
        (shown(&answer.matches.unwrap()), next)
    };
    let limits = Some(ExploreLimits {
        max_chars: Some(1),
        ..LIMITS
    });
    let (mut paged, mut next) = lines(limits, None);
    assert_eq!(paged, ["a.txt:1:x=1", "a.txt:1:x=22"]);
    while next.is_some() {
        let (more, further) = lines(limits, next);
        paged.extend(more);
        next = further;
    }
    assert_eq!(paged, lines(None, None).0);
}

#[test]
fn context_and_places() {
    let disk = MemoryDisk::with_files(&[("a.txt", "1\n2 x\n3\n4\n5 x\n6 x\n7\n8\n")]);
    let options = ExploreOptions {
        context: Some(1),
        ..pattern("x")
    };
    assert_eq!(
        shown(&matches(&disk, options)),
        [
            "a.txt-1-1",
            "a.txt:2:2 x",
            "a.txt-3-3",
            "a.txt-4-4",
            "a.txt:5:5 x",
            "a.txt:6:6 x",
            "a.txt-7-7"
        ]
    );
    let options = ExploreOptions {
        paths: Some(vec!["a.txt:3-5".to_owned()]),
        ..pattern("x")
    };
    assert_eq!(shown(&matches(&disk, options)), ["a.txt:5:5 x"]);
    let options = ExploreOptions {
        glob: Some("*.md".to_owned()),
        ..pattern("timeout")
    };
    assert_eq!(matches(&tree(), options).files, 1);
    let options = ExploreOptions {
        glob: Some("src/**".to_owned()),
        ..pattern("timeout")
    };
    assert_eq!(matches(&tree(), options).files, 1);
    // All others, as `rg` has it.
    let all = matches(&tree(), pattern("timeout")).files;
    for glob in ["!*.md", "!src/**"] {
        let options = ExploreOptions {
            glob: Some(glob.to_owned()),
            ..pattern("timeout")
        };
        assert_eq!(matches(&tree(), options).files, all - 1, "{glob}");
    }
}

#[test]
fn what_a_pattern_goes_with() {
    let disk = tree();
    let both = ExploreOptions {
        query: Some("timeout".to_owned()),
        ..pattern("timeout")
    };
    assert_eq!(refused(&disk, both), ErrorCode::InvalidRequest);
    assert_eq!(refused(&disk, pattern("a(")), ErrorCode::InvalidRequest);
    let alone = ExploreOptions {
        output: Some(PatternOutput::Count),
        query: Some("timeout".to_owned()),
        ..NONE
    };
    assert_eq!(refused(&disk, alone), ErrorCode::InvalidRequest);
    // No way to read a secret, whatever the pattern.
    let named = ExploreOptions {
        paths: Some(vec![".env".to_owned(), "id_rsa".to_owned()]),
        allow_sensitive: Some(true),
        ..pattern(".*")
    };
    let answer = ask(&disk, named);
    assert_eq!(answer.status, ExploreStatus::Blocked);
    assert_eq!(answer.matches.unwrap().lines, 0);
}

#[test]
fn grep_refuses_with_the_names_of_its_own_options() {
    let disk = tree();
    let refusal = |pattern: &str, options: GrepOptions| {
        let answer = docent(&disk).grep(pattern.to_owned(), Some(options));
        let error = answer.unwrap_err();
        (error.code, error.message)
    };
    let (code, message) = refusal("(", NO_GREP_OPTIONS);
    assert_eq!(code, ErrorCode::InvalidRequest);
    assert!(message.starts_with("`pattern` "), "{message}");
    let of_lines = GrepOptions {
        max_line_chars: Some(0),
        ..NO_GREP_OPTIONS
    };
    assert_eq!(
        refusal("x", of_lines).1,
        "`maxLineChars` is 0; expected 1 to 200000"
    );
    let of_cursor = GrepOptions {
        cursor: Some("AAAA".to_owned()),
        ..NO_GREP_OPTIONS
    };
    let (code, message) = refusal("x", of_cursor);
    assert_eq!(code, ErrorCode::InvalidCursor);
    assert!(message.starts_with("`cursor` "), "{message}");
}

#[test]
fn grep_opens_no_secret() {
    let named = GrepOptions {
        paths: Some(vec![".env".to_owned(), "id_rsa".to_owned()]),
        include_hidden: Some(true),
        include_ignored: Some(true),
        ..NO_GREP_OPTIONS
    };
    let answer = docent(&tree()).grep(".*".to_owned(), Some(named)).unwrap();
    assert_eq!((answer.matches.lines, answer.matches.files), (0, 0));
    let codes: Vec<_> = answer.blocked.iter().map(|path| path.code).collect();
    assert_eq!(codes, [ErrorCode::Sensitive; 2]);
    assert_eq!(answer.hint, None);
}

#[test]
fn pages_of_grep_are_those_of_explore() {
    let disk = MemoryDisk::with_files(&[("a.txt", &*"x\n".repeat(100)), ("b.txt", "x\n")]);
    let first = ExploreOptions {
        limits: Some(ExploreLimits {
            max_chars: Some(40),
            ..LIMITS
        }),
        ..pattern("x")
    };
    let mut docent = docent(&disk);
    let mut cursor = None;
    let mut greps = Vec::new();
    loop {
        let options = GrepOptions {
            max_chars: Some(40),
            cursor: cursor.take(),
            ..NO_GREP_OPTIONS
        };
        let answer = docent.grep("x".to_owned(), Some(options)).unwrap();
        cursor = answer.next_cursor;
        greps.push(answer.matches);
        if cursor.is_none() {
            break;
        }
    }
    assert!(greps.len() > 5);
    assert_eq!(greps, pages(&disk, &first));
}

#[test]
fn nothing_says_what_was_not_looked_at() {
    let answer = ask(&tree(), pattern("no such text"));
    assert_eq!(answer.status, ExploreStatus::NoResults);
    assert_eq!(answer.hint.as_deref(), Some("No line matches."));
    assert!(answer.matches.unwrap().left_out.is_some());
}

#[test]
fn a_long_line_is_cut_round_its_match() {
    let text = format!("{}needle{}\n", "가".repeat(500), "x".repeat(500));
    let disk = MemoryDisk::with_files(&[("min.js", &*text)]);
    let found = matches(&disk, pattern("needle"));
    let line = &found.found[0].lines[0].text;
    assert!(line.contains("needle") && line.len() < 320, "{line}");
    assert!(line.starts_with('…') && line.ends_with('…'));
}

#[test]
fn a_cursor_of_other_files_begins_anew() {
    let disk = MemoryDisk::with_files(&[("a.txt", &*"x\n".repeat(100)), ("b.txt", "x\n")]);
    let limits = ExploreLimits {
        max_chars: Some(40),
        ..LIMITS
    };
    let first = ExploreOptions {
        limits: Some(limits),
        ..pattern("x")
    };
    let mut docent = docent(&disk);
    let answer = docent.explore(Some(first.clone())).unwrap();
    let cursor = answer.next.items_cursor.unwrap();
    let next = ExploreOptions {
        cursor: Some(ExploreCursor {
            items: Some(cursor),
            content: None,
        }),
        ..first
    };
    let page = docent.explore(Some(next.clone())).unwrap();
    assert!(page.matches.unwrap().found[0].lines[0].number > 1);
    disk.write("docs", "a.txt", b"x\n");
    let page = docent.explore(Some(next)).unwrap();
    assert_eq!(page.matches.unwrap().found[0].lines[0].number, 1);
}

#[test]
fn a_further_page_opens_the_files_that_it_shows() {
    let names: Vec<String> = (10..60).map(|number| format!("{number}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "x\nx\n")).collect();
    let disk = MemoryDisk::with_files(&files);
    let mut docent = docent(&disk);
    let mut opens = Vec::new();
    let first = ExploreOptions {
        limits: Some(ExploreLimits {
            max_chars: Some(40),
            ..LIMITS
        }),
        ..pattern("x")
    };
    disk.take_opens();
    let pages = all_pages(&first, |options| {
        let answer = docent.explore(Some(options)).unwrap();
        opens.push(disk.take_opens());
        answer
    });
    assert!(pages.len() > 10);
    assert!(opens[0] > 50, "{opens:?}");
    assert!(opens[1..].iter().all(|opens| *opens < 12), "{opens:?}");
}

/// Returns all pages, from one instance.
fn pages(disk: &MemoryDisk, first: &ExploreOptions) -> Vec<PatternMatches> {
    let mut docent = docent(disk);
    all_pages(first, |options| docent.explore(Some(options)).unwrap())
}

/// Returns all pages, each from a new instance.
fn cold_pages(disk: &MemoryDisk, first: &ExploreOptions) -> Vec<PatternMatches> {
    all_pages(first, |options| ask(disk, options))
}

fn all_pages(
    first: &ExploreOptions,
    mut ask: impl FnMut(ExploreOptions) -> ExploreAnswer,
) -> Vec<PatternMatches> {
    let mut options = first.clone();
    let mut pages = Vec::new();
    loop {
        let answer = ask(options.clone());
        pages.push(answer.matches.unwrap());
        assert!(pages.len() < 1000);
        match answer.next.items_cursor {
            Some(items) => {
                options.cursor = Some(ExploreCursor {
                    items: Some(items),
                    content: None,
                });
            }
            None => return pages,
        }
    }
}

fn texts() -> impl Strategy<Value = BTreeMap<String, String>> {
    let name = "[a-c]{1,2}(/[a-c]){0,1}\\.(md|txt|rs|log|json|xyz)";
    let text = "((ab|b a|aa|한글|[a ]{0,3})(\n|\r\n)){0,8}";
    prop::collection::btree_map(name, text, 0..6)
}

proptest! {
    #[test]
    fn no_line_is_lost_and_totals_are_true(
        files in texts(),
        pattern_text in prop::sample::select(vec!["a", "ab|글", "^a", "b$", r"\w+ a", ".", "^$"]),
        room in 1..120u32,
        context in 0..2u32,
    ) {
        let listed: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
        let disk = MemoryDisk::with_files(&listed);
        let regex = regex::Regex::new(pattern_text).unwrap();
        let mut expected = Vec::new();
        let mut paths: Vec<&String> = files.keys().collect();
        paths.sort();
        for path in paths {
            for (number, line) in files[path].lines().enumerate() {
                if regex.is_match(line) {
                    expected.push(format!("{path}:{}:{line}", number + 1));
                }
            }
        }
        let options = ExploreOptions {
            limits: Some(ExploreLimits { max_chars: Some(room), ..LIMITS }),
            context: Some(context),
            ..pattern(pattern_text)
        };
        let pages = pages(&disk, &options);
        let mut told = Vec::new();
        for page in &pages {
            prop_assert_eq!(page.lines as usize, expected.len());
            let lines = shown(page);
            let matching: Vec<String> = page.found.iter().flat_map(|file| {
                file.lines.iter().filter(|line| line.matches)
                    .map(|line| format!("{}:{}:{}", file.file_path, line.number, line.text))
            }).collect();
            prop_assert!(matching.iter().all(|line| lines.contains(line)));
            told.extend(matching);
            let rest: u32 = page.rest.iter().map(|file| file.count).sum();
            prop_assert_eq!(told.len() + (rest + page.unnamed_lines) as usize, expected.len());
        }
        prop_assert_eq!(told, expected);
    }

    #[test]
    fn a_warm_instance_has_the_same_pages(
        files in texts(),
        text in prop::sample::select(vec!["a", "ab|글", "^a", "b$", "(a) ?", ".", "^$", r"a\s+a"]),
        output in prop::sample::select(vec![
            PatternOutput::Lines,
            PatternOutput::Matches,
            PatternOutput::Files,
            PatternOutput::Values,
        ]),
        multiline: bool,
        room in 1..120u32,
        context in 0..2u32,
        paths in prop::sample::subsequence(vec!["a", "b", "a.md", "*.txt", "c/a.rs", "nothing"], 0..4),
    ) {
        let listed: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
        let disk = MemoryDisk::with_files(&listed);
        let paths: Vec<String> = paths.into_iter().map(str::to_owned).collect();
        let options = ExploreOptions {
            limits: Some(ExploreLimits { max_chars: Some(room), ..LIMITS }),
            context: Some(context),
            multiline: Some(multiline),
            output: Some(output),
            paths: (paths.len() > 1).then_some(paths),
            ..pattern(text)
        };
        prop_assert_eq!(pages(&disk, &options), cold_pages(&disk, &options));
    }

    #[test]
    fn files_that_change_between_pages_do_no_harm(
        files in texts(),
        others in texts(),
        text in prop::sample::select(vec!["a", "ab|글", "^a", "b$", ".", "^$"]),
        room in 1..60u32,
        changed_after in 1..4usize,
    ) {
        let listed: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
        let disk = MemoryDisk::with_files(&listed);
        let options = ExploreOptions {
            limits: Some(ExploreLimits { max_chars: Some(room), ..LIMITS }),
            ..pattern(text)
        };
        let mut docent = docent(&disk);
        let mut asked = 0;
        let pages = all_pages(&options, |options| {
            if asked == changed_after {
                for (path, text) in &others {
                    // A path may be a directory of the other tree.
                    if files.contains_key(path) {
                        disk.write("docs", path, text.as_bytes());
                    }
                }
            }
            asked += 1;
            docent.explore(Some(options)).unwrap()
        });
        let regex = regex::Regex::new(text).unwrap();
        for file in pages.iter().flat_map(|page| &page.found) {
            let texts = [files.get(&file.file_path), others.get(&file.file_path)];
            for line in &file.lines {
                let mut versions = texts.into_iter().flatten();
                let stands = versions.any(|text| {
                    text.lines().nth(line.number as usize - 1) == Some(&*line.text)
                });
                prop_assert!(stands && regex.is_match(&line.text), "{}: {line:?}", file.file_path);
            }
        }
        // The last page is one of a list that was counted at one time.
        let last = pages.last().unwrap();
        prop_assert!(last.rest.is_empty() && last.unnamed_files == 0);
    }
}
