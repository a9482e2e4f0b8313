//! The command line: output, exit codes, configuration.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;

use crate::program::{docent, ran, run, tree};

fn documents() -> tempfile::TempDir {
    tree(&[
        ("docs/a.md", "# The A\n\nfirst word\n\nsecond word\n"),
        ("docs/deep/b.md", "a **word** here"),
        ("docs/c.rs", "// word"),
        ("other/d.md", "word"),
    ])
}

#[test]
fn a_pipe_gets_path_line_and_excerpt() {
    let directory = documents();
    assert_eq!(
        ran(directory.path(), &["search", "WORD", "docs"]),
        (
            0,
            "docs/a.md:3: # The A  first word  second word\n\
             docs/a.md:5: # The A  first word  second word\n\
             docs/deep/b.md:1: a **word** here\n"
                .to_owned(),
            String::new(),
        ),
    );
    let (code, output, _) = ran(&directory.path().join("docs"), &["search", "here", "."]);
    assert_eq!(
        (code, output.as_str()),
        (0, "deep/b.md:1: a **word** here\n")
    );
    let (code, output, _) = ran(directory.path(), &["search", "-l", "word", "docs", "other"]);
    assert_eq!(
        (code, output.as_str()),
        (0, "docs/a.md\ndocs/deep/b.md\nother/d.md\n")
    );
}

#[test]
fn files_and_overlapping_directories_can_be_named() {
    let directory = documents();
    let arguments = [
        "search",
        "-l",
        "word",
        "docs/a.md",
        "docs/c.rs",
        "docs/deep",
        "docs",
    ];
    assert_eq!(
        ran(directory.path(), &arguments),
        (
            0,
            "docs/a.md\ndocs/c.rs\ndocs/a.md\ndocs/deep/b.md\ndocs/deep/b.md\n".to_owned(),
            String::new(),
        ),
    );
}

#[test]
fn flags_reach_the_search() {
    let directory = documents();
    let search = |flags: &[&str]| {
        let arguments: Vec<_> = ["search", "word", "docs"]
            .iter()
            .chain(flags)
            .copied()
            .collect();
        ran(directory.path(), &arguments)
    };
    assert_eq!(search(&["-m", "1"]).1.lines().count(), 2);
    assert!(search(&["-m", "1"]).2.contains("1 more hit not shown"));
    assert_eq!(search(&["--limit", "1"]).1.lines().count(), 2);
    assert_eq!(search(&["--ext", "rs"]).1, "docs/c.rs:1: // word\n");
    assert_eq!(
        search(&["-C", "10"]).1.lines().next(),
        Some("docs/a.md:3: ... A  first word  second w...")
    );
    assert_eq!(
        search(&["--mode", "full-context", "--ext", "rs"]).1,
        "docs/c.rs:1:// word\n"
    );
    assert_eq!(
        search(&["--color", "always", "--ext", "rs"]).1,
        "\u{1b}[35mdocs/c.rs\u{1b}[0m:\u{1b}[32m1\u{1b}[0m: // \u{1b}[1;31mword\u{1b}[0m\n"
    );
    assert_eq!(
        ran(directory.path(), &["search", "-s", "WORD", "docs"]).0,
        1
    );
}

#[test]
fn json_is_one_object_a_line() {
    let directory = documents();
    let (code, output, _) = ran(directory.path(), &["search", "--json", "word", "docs"]);
    assert_eq!(code, 0);
    let lines: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["type"], "document");
    assert_eq!(lines[0]["path"], "docs/a.md");
    assert_eq!(lines[0]["matchCount"], 2);
    assert_eq!(lines[2]["type"], "summary");
    assert_eq!(lines[2]["totalMatches"], 3);
}

#[test]
fn all_pages_are_printed() {
    let files: Vec<_> = (0..1200)
        .map(|number| (format!("{number:04}.md"), "word"))
        .collect();
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (path.as_str(), *text))
        .collect();
    let directory = tree(&files);
    let (code, output, _) = ran(directory.path(), &["search", "word", "."]);
    assert_eq!((code, output.lines().count()), (0, 1200));
    let (_, output, _) = ran(
        directory.path(),
        &["search", "word", ".", "--limit", "1100"],
    );
    assert_eq!(output.lines().count(), 1100);
}

#[test]
fn exit_codes_tell_found_nothing_and_error_apart() {
    let directory = documents();
    assert_eq!(
        ran(directory.path(), &["search", "absent", "docs"]),
        (1, String::new(), String::new())
    );
    let (code, output, errors) = ran(directory.path(), &["search", "word", "missing", "other"]);
    assert_eq!((code, output.as_str()), (2, "other/d.md:1: word\n"));
    assert!(
        errors.starts_with("docent: `missing` cannot be searched: "),
        "{errors}"
    );
    let (code, _, errors) = ran(directory.path(), &["search", "word"]);
    assert_eq!(code, 2);
    assert!(errors.contains("docent search QUERY ."), "{errors}");
    let (code, _, errors) = ran(directory.path(), &["search", " ", "docs"]);
    assert_eq!(code, 2);
    assert!(errors.contains("invalid-query"), "{errors}");
    assert_eq!(ran(directory.path(), &["search"]).0, 2);
    assert_eq!(ran(directory.path(), &["no-such-command"]).0, 2);
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let files: Vec<_> = (0..2000)
        .map(|number| (format!("{number:04}.md"), "word ".repeat(50)))
        .collect();
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let directory = tree(&files);
    let mut child = docent()
        .current_dir(directory.path())
        .args(["search", "word", "."])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(first.starts_with("0000.md:1: "), "{first}");
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", output.status);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn nobody_needs_to_read_what_is_said_on_stderr() {
    let directory = documents();
    for (arguments, expected) in [
        (
            &["search", "word", "missing", "other"][..],
            "other/d.md:1: word\n",
        ),
        (&["search", "word", "-m", "1", "docs/a.md"], "docs/a.md:3: "),
        (&["call", "read_document", "pth=a.md"], ""),
        (&["explore", "missing.md", "--trace"], ""),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = docent();
        command.current_dir(directory.path()).args(arguments);
        let output = command.stderr(writer).output().unwrap();
        // The exit code of a panic is 101.
        let code = output.status.code().unwrap();
        assert!(matches!(code, 0 | 2), "{arguments:?}: {code}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with(expected), "{arguments:?}: {text}");
    }
}

#[test]
fn files_by_path_are_the_first_of_all_places() {
    let directory = tree(&[]);
    for place in ["a", "b"] {
        let place = directory.path().join(place);
        fs::create_dir(&place).unwrap();
        // More than fit on one page.
        for number in 0..1300 {
            fs::write(place.join(format!("{number:04}.md")), "").unwrap();
        }
    }
    let arguments = ["find", "--sort", "PATH_ASC", "-n", "1200", "b", "a"];
    let (code, output, _) = ran(directory.path(), &arguments);
    assert_eq!((code, output.lines().count()), (0, 1200));
    assert_eq!(output.lines().next(), Some("a/0000.md"));
    assert_eq!(output.lines().last(), Some("a/1199.md"));
}

#[test]
fn tools_can_be_called() {
    let directory = documents();
    let call = |arguments: &[&str]| {
        let arguments: Vec<_> = ["call", "--root", "docs"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        ran(directory.path(), &arguments)
    };
    let (code, output, _) = call(&["search_documents", "query=here", "context-chars=10"]);
    assert!(
        code == 0 && output.contains("1. Line 1: ... **word** **here**"),
        "{output}"
    );
    let (code, output, _) = call(&["search-documents", "{\"query\": \"here\"}", "--json"]);
    let answer: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((code, &answer["totalMatches"]), (0, &Value::from(1)));
    let (code, _, errors) = call(&["read_document", "path=../x"]);
    assert!(
        code == 1 && errors.starts_with("[ERR_MCP_101] invalid-path: "),
        "{errors}"
    );
    let (code, _, errors) = call(&["read_document", "pth=a.md"]);
    assert!(
        code == 2 && errors.contains("expected `path`, which is the nearest"),
        "{errors}"
    );
    let (code, _, errors) = call(&["context_search", "{\"date\": \"x\"}"]);
    assert!(
        code == 2 && errors.contains("expected `dateRange`, which is the nearest"),
        "{errors}"
    );
    let (code, _, errors) = call(&["serch_documents"]);
    assert!(
        code == 2 && errors.contains("`search_documents`"),
        "{errors}"
    );
}

#[test]
fn the_rest_of_the_commands() {
    let directory = documents();
    let (code, output, _) = ran(directory.path(), &["tools"]);
    assert!(
        code == 0 && output.contains("search_documents (changes nothing)"),
        "{output}"
    );
    let (code, output, _) = ran(directory.path(), &["tools", "--json"]);
    let tools: Value = serde_json::from_str(&output).unwrap();
    assert!(code == 0 && tools.as_array().unwrap().len() >= 5);
    let (code, output, _) = ran(directory.path(), &["doctor", "--root", "docs"]);
    assert!(code == 0 && output.contains("Self-test passed"), "{output}");
    assert!(output.contains("docs (read-only, default): "), "{output}");
    assert!(
        !output.contains("wasi:sockets") && !output.contains("wasi:http"),
        "{output}"
    );
    for command in [&["component"][..], &["component", "--open"]] {
        let component = run(directory.path(), command);
        assert!(component.status.success() && component.stdout.starts_with(b"\0asm"));
    }
}

#[test]
fn a_broken_setup_stops_the_start_with_one_line() {
    let directory = documents();
    fs::write(directory.path().join("bad.toml"), "[limits]\ntimeout = 5\n").unwrap();
    fs::write(
        directory.path().join("good.toml"),
        "default-root = \"x\"\nroots = [{ path = \"docs\", name = \"x\" }]\n",
    )
    .unwrap();
    let stopped = |arguments: &[&str], expected: &str| {
        let (code, output, errors) = ran(directory.path(), arguments);
        assert_eq!((code, output.as_str()), (2, ""), "{arguments:?}: {errors}");
        assert!(
            errors.starts_with("docent: ") && errors.lines().count() == 1,
            "{errors}"
        );
        assert!(errors.contains(expected), "{errors}");
    };
    stopped(
        &["mcp"],
        "no directory is granted; grant one with `--root PATH`",
    );
    stopped(&["mcp", "--root", "missing"], "`missing`");
    stopped(&["mcp", "--root", "docs/a.md"], "not a directory");
    stopped(
        &["mcp", "--root", "docs", "--root", "docs/deep"],
        "lies within",
    );
    stopped(&["mcp", "--root", "/"], "`/`");
    stopped(&["mcp", "--root", "docs", "--default-root", "x"], "`x`");
    stopped(
        &["mcp", "--root", "docs", "--tools", "get_confi"],
        "`get_config`",
    );
    stopped(
        &["mcp", "--config", "bad.toml"],
        "`timeout-ms`, which is the nearest",
    );
    stopped(&["mcp", "--config", "missing.toml"], "missing.toml");
    let (code, output, _) = ran(directory.path(), &["doctor", "--config", "good.toml"]);
    assert!(
        code == 0 && output.contains("x (read-only, default)"),
        "{output}"
    );
}

#[test]
fn what_undoing_needs_is_kept_where_it_is_said() {
    let directory = documents();
    let doctor = |options: &[&str]| {
        let line = [&["doctor", "--root", "docs:rw"], options].concat();
        ran(directory.path(), &line)
    };
    let (code, output, _) = doctor(&["--state", "kept"]);
    let folder = fs::read_dir(directory.path().join("kept")).unwrap().next();
    let folder = folder.unwrap().unwrap().path();
    let shown = folder.canonicalize().unwrap().display().to_string();
    assert!(code == 0 && output.contains(&shown), "{output}");
    let (code, output, _) = doctor(&["--no-state"]);
    assert!(
        code == 0 && output.contains("no write can be undone"),
        "{output}"
    );
    let (_, output, _) = doctor(&["--state", "docs/kept"]);
    assert!(output.contains("lie within one another"), "{output}");
    assert!(!directory.path().join("docs/kept").exists());
    let state = directory.path().join("unused");
    let (_, output, _) = ran(
        directory.path(),
        &[
            "doctor",
            "--root",
            "docs",
            "--state",
            &state.to_string_lossy(),
        ],
    );
    assert!(!state.exists(), "nothing is written: {output}");
}

#[test]
fn a_directory_for_secrets_is_no_place_to_look_in() {
    let directory = tree(&[(".ssh/notes.md", "needle"), ("notes/.aws/a.md", "needle")]);
    for arguments in [
        &["search", "needle", ".ssh"][..],
        &["query", "needle", "notes/.aws"],
        &["explore", ".ssh/notes.md"],
        &["call", "explore", "query=needle", "--root", ".ssh"],
    ] {
        let (code, output, errors) = ran(directory.path(), arguments);
        assert_eq!((code, output.as_str()), (2, ""), "{arguments:?}");
        assert!(
            errors.contains("which holds secrets"),
            "{arguments:?}: {errors}"
        );
    }
}

#[test]
fn the_environment_grants_in_order() {
    let directory = documents();
    let doctor = |variables: &[(&str, &str)]| {
        let output = docent()
            .current_dir(directory.path())
            .arg("doctor")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let both = [
        ("ALLOW_ROOTS", " docs; other "),
        ("DEFAULT_ROOT", "./other/"),
        ("CLAUDE_PROJECT_DIR", "."),
    ];
    let report = doctor(&both);
    assert!(
        report.contains("docs (read-only):") && report.contains("other (read-only, default):"),
        "{report}"
    );
    let report = doctor(&both[2..]);
    assert!(report.contains("(read-only, default):"), "{report}");
    let report = doctor(&[("ALLOW_ROOTS", "docs"), ("DEFAULT_ROOT", "other")]);
    assert!(report.contains("problem: default root `other`"), "{report}");
}

#[test]
fn files_are_found_by_time() {
    let directory = tree(&[
        ("docs/old.md", "x"),
        ("docs/deep/new.txt", "12345"),
        ("docs/deep/.hidden", "x"),
        ("docs/.env", "x"),
    ]);
    let set = |path: &str, seconds: u64| {
        let time = UNIX_EPOCH + Duration::from_secs(seconds);
        let file = fs::File::open(directory.path().join(path)).unwrap();
        file.set_modified(time).unwrap();
    };
    set("docs/old.md", 1_000_000_000);
    set("docs/deep/new.txt", 1_100_000_000);
    set("docs/deep/.hidden", 1_050_000_000);
    set("docs/.env", 900_000_000);
    let find = |words: &[&str]| {
        let arguments: Vec<&str> = ["find"].iter().chain(words).copied().collect();
        let (code, output, error) = ran(directory.path(), &arguments);
        (code, output, error)
    };
    let found = |output: &str| (0, output.to_owned(), String::new());
    assert_eq!(find(&["docs"]), found("docs/deep/new.txt\ndocs/old.md\n"));
    assert_eq!(find(&["*.md", "docs"]), found("docs/old.md\n"));
    assert_eq!(find(&["docs/deep/new.txt"]), found("docs/deep/new.txt\n"));
    assert_eq!(
        find(&["-H", "--sort", "time-asc", "docs", "-n", "0"]),
        found("docs/.env\ndocs/old.md\ndocs/deep/.hidden\ndocs/deep/new.txt\n")
    );
    assert_eq!(
        find(&[
            "--from",
            "2001-09-09T01:46:40Z",
            "--to",
            "2004-01-01",
            "docs"
        ]),
        found("docs/old.md\n")
    );
    assert_eq!(
        find(&["-g", "deep/*", "docs", "--dirs"]),
        found("docs/deep/new.txt\n")
    );
    let (code, output, error) = find(&["-n", "1", "docs"]);
    assert_eq!((code, output.as_str()), (0, "docs/deep/new.txt\n"));
    assert_eq!(error, "docent: only the first 1 are shown, see --limit\n");
    assert_eq!(
        find(&["--from", "1h", "docs"]),
        (1, String::new(), String::new())
    );
    let (code, _, error) = find(&["--from", "soon", "docs"]);
    assert_eq!(code, 2);
    assert!(error.contains("`soon` is not a time"), "{error}");
    let (code, _, error) = find(&["[", "docs"]);
    assert_eq!(code, 2);
    assert!(error.contains("`GLOB` cannot be read"), "{error}");

    let (code, output, _) = find(&["--json", "docs"]);
    let lines: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(code, 0);
    assert_eq!(lines[0]["type"], "match");
    assert_eq!(lines[0]["path"], "docs/deep/new.txt");
    assert_eq!(lines[0]["time"], "2004-11-09T11:33:20.000Z");
    assert_eq!(lines[0]["sizeBytes"], 5);
    assert_eq!(lines[2]["type"], "summary");
    assert_eq!(lines[2]["filesScanned"], 2);
}

#[test]
fn more_files_than_a_page_are_found_once_each() {
    let directory = tree(&[("docs/a.md", "x")]);
    for number in 0..2500 {
        let folder = directory.path().join(format!("docs/{}", number % 7));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{number:04}.txt")), "").unwrap();
    }
    for limit in ["0", "3000", "2501"] {
        let (code, output, error) = ran(directory.path(), &["find", "-n", limit, "docs"]);
        let mut lines: Vec<&str> = output.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!((code, lines.len(), error.as_str()), (0, 2501, ""));
    }
    let (_, output, error) = ran(directory.path(), &["find", "-n", "1200", "docs"]);
    assert_eq!(output.lines().count(), 1200);
    assert!(error.contains("only the first 1200"), "{error}");
}
