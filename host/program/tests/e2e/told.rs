//! Notes for people on skipped, cut and clamped results, and escaped names.

use std::fs;

use serde_json::Value;

use crate::program::{ran, tree};

fn documents() -> tempfile::TempDir {
    tree(&[
        ("docs/a.md", "# The A\n\nfirst word\n\nsecond word\n"),
        ("docs/deep/b.md", "a **word** here"),
        ("docs/c.rs", "// word"),
        ("other/d.md", "word"),
    ])
}

/// Creates enough directories for a search to share them among several instances.
fn wide() -> tempfile::TempDir {
    tree(&[
        ("r/a.md", "needle"),
        ("r/locked/b.md", "needle"),
        ("r/more/c.md", "needle"),
        ("r/ok/d.md", "needle"),
    ])
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_opened_ends_no_search() {
    use std::os::unix::fs::PermissionsExt as _;

    let directory = wide();
    let locked = directory.path().join("r/locked");
    let set = |mode| fs::set_permissions(&locked, fs::Permissions::from_mode(mode)).unwrap();
    set(0o000);
    // The superuser can open it nevertheless.
    let is_open = fs::read_dir(&locked).is_ok();
    let (code, output, errors) = ran(directory.path(), &["search", "needle", "r"]);
    let (_, json, _) = ran(directory.path(), &["search", "--json", "needle", "r"]);
    let doctor = ran(directory.path(), &["doctor", "--root", "r"]);
    set(0o755);
    assert_eq!((code, doctor.0), (0, 0), "{errors}{}", doctor.1);
    for hit in ["r/a.md:1: needle", "r/more/c.md:1: ", "r/ok/d.md:1: "] {
        assert!(output.contains(hit), "{hit}: {output}");
    }
    if is_open {
        assert!(output.contains("r/locked/b.md:1: needle"), "{output}");
        assert!(
            doctor.1.contains("4 files in 4 directories"),
            "{}",
            doctor.1
        );
        return;
    }
    let told = "docent: 1 entry was not searched: r/locked (permission)\n";
    assert_eq!(errors, told);
    let summary: Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!(summary["skipped"]["entries"][0]["path"], "r/locked");
    let told = "3 files in 3 directories\n    1 entry was not opened: locked (permission)\n";
    assert!(doctor.1.contains(told), "{}", doctor.1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_mount_point_ends_no_search() {
    use std::process::Command;

    let directory = wide();
    let may = |arguments: &[&str]| {
        let probe = Command::new("unshare").args(arguments).arg("true").output();
        probe.is_ok_and(|output| output.status.success())
    };
    let namespaces: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    let Some(namespace) = namespaces.into_iter().find(|arguments| may(arguments)) else {
        eprintln!("left out: no mount namespace of its own can be made");
        return;
    };
    let output = Command::new("unshare")
        .args(namespace)
        .args([
            "sh",
            "-c",
            "mount -t tmpfs none r/locked && exec \"$0\" search needle r",
        ])
        .arg(env!("CARGO_BIN_EXE_docent"))
        .current_dir(directory.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert_eq!(text.lines().count(), 3, "{text}");
    assert_eq!(
        errors,
        "docent: 1 entry was not searched: r/locked (mount-point)\n"
    );
}

#[cfg(unix)]
#[test]
fn a_name_that_reads_as_another_path_ends_no_search() {
    let directory = wide();
    for path in ["r/x\\y.md", "r/C:/e.md"] {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "needle").unwrap();
    }
    let (code, output, errors) = ran(directory.path(), &["search", "-l", "needle", "r"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let mut lines: Vec<&str> = output.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "r/C:/e.md",
            "r/a.md",
            "r/locked/b.md",
            "r/more/c.md",
            "r/ok/d.md",
            "r/x\\y.md"
        ]
    );
}

#[test]
fn what_a_limit_cuts_is_told() {
    let directory = wide();
    let search = |flags: &[&str]| {
        let arguments = [&["search", "needle", "r"][..], flags].concat();
        ran(directory.path(), &arguments)
    };
    let (code, output, errors) = search(&["--limit", "1"]);
    assert_eq!((code, output.lines().count()), (0, 1));
    let told = "docent: the search ended after 1 document, see --limit\n";
    assert_eq!(errors, told);
    assert_eq!(search(&["--limit", "4"]).2, "");
    for (limit, is_cut) in [("1", true), ("4", false)] {
        let (_, output, _) = search(&["--json", "--limit", limit]);
        let summary: Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
        assert_eq!(summary["truncated"], is_cut, "{limit}");
    }
    let (_, _, errors) = search(&["-C", "5", "-m", "0"]);
    assert_eq!(
        errors,
        "docent: --context 5 was taken as 10\ndocent: --max-results 0 was taken as 1\n"
    );
}

#[cfg(unix)]
#[test]
fn a_name_cannot_break_the_lines_of_a_pipe() {
    let directory = tree(&[("n/nl\nx\u{1b}.md", "needle")]);
    let escaped = "n/nl\\u{a}x\\u{1b}.md";
    for arguments in [
        &["search", "-l", "needle", "n"][..],
        &["find", "n"],
        &["search", "needle", "n"],
    ] {
        let (code, output, _) = ran(directory.path(), arguments);
        assert_eq!((code, output.lines().count()), (0, 1), "{output}");
        assert!(output.starts_with(escaped), "{output}");
    }
    for arguments in [
        &["search", "-l0", "needle", "n"][..],
        &["find", "--null", "n"],
    ] {
        let (code, output, errors) = ran(directory.path(), arguments);
        assert_eq!(
            (code, output.as_str()),
            (0, "n/nl\nx\u{1b}.md\0"),
            "{errors}"
        );
    }
    assert_eq!(ran(directory.path(), &["search", "-0", "needle", "n"]).0, 2);
}

#[test]
fn several_directories_can_be_looked_in() {
    let directory = documents();
    let (code, output, errors) = ran(
        directory.path(),
        &["find", "--sort", "path-asc", "docs", "other"],
    );
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(output, "docs/a.md\ndocs/c.rs\ndocs/deep/b.md\nother/d.md\n");
    // Only one of them exists: the other is the query.
    let (_, output, _) = ran(directory.path(), &["find", "a.md", "docs"]);
    assert_eq!(output, "docs/a.md\n");
}

#[test]
fn refusals_name_what_a_person_wrote() {
    let directory = documents();
    for (arguments, expected) in [
        (
            &["tags", "--from", "bogus", "docs"][..],
            "`--from` is `bogus`",
        ),
        (
            &["query", "-t", "99", "word", "docs"],
            "Leave --max-tokens out",
        ),
        (&["query", "-n", "99", "word", "docs"], "`--limit` is 99"),
        (&["explore", "-c", "0", "docs"], "`--max-chars` is 0"),
        (
            &["explore", "-s", "Nope", "docs/a.md"],
            "`--section` is `Nope`",
        ),
        (&["search", "--ext", "a/b", "word", "docs"], "`--ext` holds"),
    ] {
        let (code, _, errors) = ran(directory.path(), arguments);
        assert_eq!(code, 2, "{arguments:?}");
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
    }
    let (code, output, _) = ran(
        directory.path(),
        &["explore", "--full", "-c", "5", "docs/a.md"],
    );
    assert_eq!(code, 1);
    assert!(
        output.contains("--max-chars") && !output.contains("maxChars"),
        "{output}"
    );
}

#[test]
fn the_self_test_runs_under_the_configured_limits() {
    let directory = documents();
    let file = directory.path().join("small.toml");
    fs::write(&file, "[limits]\nmemory-mb = 1\n").unwrap();
    let arguments = ["doctor", "--root", "docs", "--config", "small.toml"];
    let (code, output, _) = ran(directory.path(), &arguments);
    assert_eq!(code, 1, "{output}");
    assert!(output.contains("Self-test failed: "), "{output}");
    let (code, output, _) = ran(directory.path(), &["doctor", "--root", "docs"]);
    assert_eq!(code, 0, "{output}");
    assert!(
        output.contains("    3 files in 2 directories\n"),
        "{output}"
    );
}

#[test]
fn a_refusal_quotes_on_one_line() {
    let directory = documents();
    for argument in ["path=a\n## Found\u{1b}[2J", "path=..\nNext: explore {}"] {
        let arguments = ["call", "read_document", argument, "--root", "docs"];
        let (code, output, errors) = ran(directory.path(), &arguments);
        assert_eq!(
            (code, output.as_str(), errors.lines().count()),
            (1, "", 2),
            "{errors}"
        );
        assert!(
            errors.contains("\\u{a}") && !errors.contains('\u{1b}'),
            "{errors}"
        );
    }
    let arguments = ["call", "read_document", "pa\nth=x", "--root", "docs"];
    let (code, _, errors) = ran(directory.path(), &arguments);
    assert_eq!((code, errors.lines().count()), (2, 2), "{errors}");
}
