//! Tests of diffs against git and patch: they accept the diffs written here, and git's diffs can be
//! applied.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "git and patch are programs, and take files"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use docent_edit::diff::file_patch::{FileOp, FilePatch, Hunk, UnsupportedChange};
use docent_edit::diff::parse::parse;
use docent_edit::diff::write::{DiffNames, unified_diff};
use docent_edit::find_text::TextQuery;
use docent_edit::plan::Edit;
use docent_edit::source::Source;
use proptest::prelude::*;

use crate::support::{Random, edited, planned};

/// A temporary directory, removed when dropped.
struct Directory(std::path::PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("docent-edit-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&self.0)
            .env("GIT_CEILING_DIRECTORIES", &self.0);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", &self.0);
        command.output().unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn text(random: &mut Random, most: usize) -> String {
    let lines = [
        "a",
        "b",
        "",
        "--- a/x",
        "+++ b/x",
        "@@ -1 +1 @@",
        "한글",
        "x\ty ",
        "\\ No newline",
        "*** End Patch",
    ];
    let ends = ["\n", "\n", "\n", "\r\n", "\r"];
    let count = random.below(most);
    let mut text: String = (0..count)
        .map(|_| format!("{}{}", random.pick(&lines), random.pick(&ends)))
        .collect();
    if random.below(3) == 0 {
        text.push_str("last");
    }
    text
}

/// Returns a text with some lines changed.
fn changed(random: &mut Random, text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        match random.below(8) {
            0 => {}
            1 => out.push_str("new\n"),
            2 => out.extend([line, "more\n"]),
            _ => out.push_str(line),
        }
    }
    if random.below(6) == 0 {
        out.pop();
    }
    out
}

#[test]
fn git_and_patch_take_what_is_written() {
    let directory = Directory::new("write");
    let path = directory.0.join("a b.txt");
    let mut random = Random(7);
    for round in 0..300 {
        let old = text(&mut random, 24);
        let new = if round % 3 == 0 {
            text(&mut random, 24)
        } else {
            changed(&mut random, &old)
        };
        let diff = unified_diff(DiffNames::Same("a b.txt"), &old, &new);
        fs::write(directory.0.join("diff"), &diff).unwrap();
        if old == new {
            assert!(diff.is_empty());
            continue;
        }
        fs::write(&path, &old).unwrap();
        let output = directory.run("git", &["apply", "--whitespace=nowarn", "diff"]);
        assert!(
            output.status.success(),
            "{round} {old:?} {new:?}\n{diff}\n{output:?}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), new, "{diff}");
        fs::write(&path, &old).unwrap();
        let output = directory.run("patch", &["--binary", "-s", "-p1", "-i", "diff"]);
        assert!(
            output.status.success(),
            "{old:?} {new:?}\n{diff}\n{output:?}"
        );
        let patched = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(patched, new, "{diff}");
    }
}

#[test]
fn git_takes_names_and_files_that_come_and_go() {
    let directory = Directory::new("names");
    let odd = "a\"b\\c\td 한.txt";
    let apply = |diff: &str| {
        fs::write(directory.0.join("diff"), diff).unwrap();
        let output = directory.run("git", &["apply", "diff"]);
        assert!(output.status.success(), "{diff}\n{output:?}");
    };
    let exists = |name: &str| Path::new(&directory.0).join(name).exists();
    apply(&unified_diff(DiffNames::Created(odd), "", "1\n2"));
    apply(&unified_diff(DiffNames::Same(odd), "1\n2", "1\n3\n"));
    apply(&unified_diff(
        DiffNames::Moved(odd, "new name"),
        "1\n3\n",
        "1\n4\n",
    ));
    assert_eq!(
        fs::read_to_string(directory.0.join("new name")).unwrap(),
        "1\n4\n"
    );
    apply(&unified_diff(
        DiffNames::Moved("new name", "other"),
        "1\n4\n",
        "1\n4\n",
    ));
    assert!(!exists("new name") && exists("other"));
    apply(&unified_diff(DiffNames::Deleted("other"), "1\n4\n", ""));
    assert!(!exists("other"));
}

#[test]
fn what_git_writes_is_applied() {
    let directory = Directory::new("parse");
    let mut random = Random(11);
    let mut applied = 0;
    for round in 0..300 {
        let old = text(&mut random, 40);
        let new = changed(&mut random, &old);
        fs::write(directory.0.join("old"), &old).unwrap();
        fs::write(directory.0.join("new"), &new).unwrap();
        let output = directory.run("git", &["diff", "--no-index", "old", "new"]);
        let diff = String::from_utf8(output.stdout).unwrap();
        if old == new {
            assert!(parse(&diff).is_err());
            continue;
        }
        let files = parse(&diff).unwrap();
        assert_eq!(files.len(), 1, "{diff}");
        assert_eq!(files[0].old.as_deref(), Some("old"));
        let plan = planned(old.as_bytes(), "a.txt", &[Edit::Hunks(&files[0].hunks)]);
        let plan = plan.unwrap_or_else(|refused| panic!("{round} {old:?}\n{diff}\n{refused:?}"));
        assert_eq!(plan.text, new, "{old:?}\n{diff}");
        applied += 1;
    }
    assert!(applied > 200);
}

#[test]
fn a_mark_and_line_endings_stand_in_a_diff() {
    let directory = Directory::new("mark");
    let path = directory.0.join("a.txt");
    let bytes = "\u{FEFF}one\r\ntwo\nthree".as_bytes();
    for (old, new) in [("one", "1"), ("two", "2\n2"), ("three", "3\n")] {
        let plan = planned(bytes, "a.txt", &[Edit::Text(TextQuery::only(old), new)]).unwrap();
        let diff = plan
            .difference(&Source::decode(bytes).unwrap(), DiffNames::Same("a.txt"))
            .diff;
        fs::write(&path, bytes).unwrap();
        fs::write(directory.0.join("diff"), &diff).unwrap();
        let output = directory.run("git", &["apply", "--whitespace=nowarn", "diff"]);
        assert!(output.status.success(), "{diff}\n{output:?}");
        assert_eq!(fs::read(&path).unwrap(), plan.bytes, "{diff}");
    }
}

#[test]
fn a_patch_of_several_files() {
    let diff = "From 1234\nSubject: x\n---\n a | 2 +-\n\ndiff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@ fn x\n-1\n+2\n 3\ndiff --git a/b c b/d\nsimilarity index 100%\nrename from b c\nrename to d\ndiff --git \"a/\\355\\225\\234\" \"b/\\355\\225\\234\"\nnew file mode 100644\n--- /dev/null\n+++ \"b/\\355\\225\\234\"\n@@ -0,0 +1 @@\n+x\n-- \n2.47.3\n";
    let files = parse(diff).unwrap();
    let names: Vec<_> = files
        .iter()
        .map(|f| (f.old.as_deref(), f.new.as_deref(), f.op, f.hunks.len()))
        .collect();
    let expected = [
        (Some("a"), Some("a"), FileOp::Stays, 1),
        (Some("b c"), Some("d"), FileOp::Renamed, 0),
        (None, Some("한"), FileOp::Created, 1),
    ];
    assert_eq!(names, expected);
    assert_eq!(files[2].hunks[0].new, "x\n");
    assert_eq!(files[2].hunks[0].old, "");
    // Lines that were counted wrong are not lost, and a removed line is not taken for a signature.
    assert!(parse("@@ -1 +1 @@\n-a\n+b\nc\n-d\n").is_err());
    let counted = parse("@@ -1 +1 @@\n-a\n+b\n-- \n+c\n-d\n+e\n").unwrap();
    assert_eq!(counted[0].hunks[0].old, "a\n- \nd\n");
    let plain = parse("--- a.txt\t2020-01-01\n+++ a.txt\t2020-01-02\n@@ -1 +1 @@\n-a\n+b\n--- b.txt\n+++ b.txt\n@@ -1 +1 @@\n-a\n+b\n").unwrap();
    assert_eq!(
        plain.iter().map(|f| f.old.as_deref()).collect::<Vec<_>>(),
        [Some("a.txt"), Some("b.txt")]
    );
    for broken in ["", "nothing", "*** Begin Patch\n*** End Patch\n"] {
        assert!(parse(broken).is_err(), "{broken:?}");
    }
    assert!(parse("@@ -1 +1 @@\n-a\n?b\n").is_err());
}

#[test]
fn a_patch_that_models_write() {
    let patch = "*** Begin Patch\n*** Update File: src/a.py\n*** Move to: src/b.py\n@@ class A\n@@     def f(self):\n         x = 1\n-        return x\n+        return x + 1\n*** Add File: new.txt\n+one\n+\n+two\n*** Delete File: old.txt\n*** End Patch\n";
    let files = parse(patch).unwrap();
    let expected = [
        FilePatch {
            old: Some("src/a.py".to_owned()),
            new: Some("src/b.py".to_owned()),
            op: FileOp::Renamed,
            hunks: vec![Hunk {
                anchors: vec!["class A".to_owned(), "def f(self):".to_owned()],
                line: None,
                old: "        x = 1\n        return x\n".to_owned(),
                new: "        x = 1\n        return x + 1\n".to_owned(),
                is_last: false,
                context: (1, 0),
            }],
            unsupported: Vec::new(),
        },
        FilePatch {
            new: Some("new.txt".to_owned()),
            op: FileOp::Created,
            hunks: vec![Hunk {
                new: "one\n\ntwo\n".to_owned(),
                ..Hunk::default()
            }],
            ..FilePatch::default()
        },
        FilePatch {
            old: Some("old.txt".to_owned()),
            op: FileOp::Dropped,
            ..FilePatch::default()
        },
    ];
    assert_eq!(files, expected);
}

#[test]
fn what_becomes_of_a_file_and_what_is_said_beside_it() {
    let of = |header: &str| {
        let files = parse(&format!("diff --git a/x b/x\n{header}")).unwrap();
        (files[0].op, files[0].unsupported.clone())
    };
    for (header, op, unsupported) in [
        (
            "old mode 100644\nnew mode 100755\n",
            FileOp::Stays,
            &[UnsupportedChange::Mode][..],
        ),
        ("new file mode 100644\nindex 0..1\n", FileOp::Created, &[]),
        (
            "new file mode 100755\nindex 0..1\n",
            FileOp::Created,
            &[UnsupportedChange::Mode],
        ),
        (
            "new file mode 120000\n",
            FileOp::Created,
            &[UnsupportedChange::Irregular],
        ),
        ("deleted file mode 100755\n", FileOp::Deleted, &[]),
        (
            "deleted file mode 160000\n",
            FileOp::Deleted,
            &[UnsupportedChange::Irregular],
        ),
        (
            "copy from x\ncopy to y\n",
            FileOp::Stays,
            &[UnsupportedChange::Copy, UnsupportedChange::Copy],
        ),
        (
            "index 1..2\nBinary files a/x and b/x differ\n",
            FileOp::Stays,
            &[UnsupportedChange::Binary],
        ),
        (
            "index 1..2\nGIT binary patch\nliteral 3\nKcmZ\n",
            FileOp::Stays,
            &[UnsupportedChange::Binary],
        ),
    ] {
        assert_eq!(of(header), (op, unsupported.to_vec()), "{header}");
    }
    let dates = "--- x\t1970-01-01 09:00:00.000000000 +0900\n+++ x\t2020-01-02 00:00:00 +0900\n\
                 @@ -0,0 +1 @@\n+a\n";
    let files = parse(dates).unwrap();
    assert_eq!(
        (files[0].op, files[0].old.as_deref()),
        (FileOp::Created, None)
    );
    // A name that is given twice must be the same.
    let renamed = "diff --git a/x b/y\nrename from x\nrename to y\n";
    for (names, expected) in [
        ("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", true),
        ("--- a/x\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n", false),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", false),
    ] {
        assert_eq!(
            parse(&format!("{renamed}{names}")).is_ok(),
            expected,
            "{names}"
        );
    }
    let made = "diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert!(parse(made).is_err());
}

fn applied(before: &str, diff: &str) -> Result<String, String> {
    let files = parse(diff).unwrap();
    edited(before, "a.py", &Edit::Hunks(&files[0].hunks))
}

#[test]
fn a_hunk_stands_where_its_lines_do() {
    let class =
        |name: &str| format!("class {name}\n    def f(self):\n        x = 1\n        return x\n");
    let before = class("A") + &class("B");
    let patch =
        |anchors: &str| format!("{anchors}         x = 1\n-        return x\n+        return 2\n");
    let in_b = class("A") + &class("B").replace("return x", "return 2");
    assert_eq!(applied(&before, &patch("@@ class B\n")).as_ref(), Ok(&in_b));
    assert_eq!(
        applied(&before, &patch("@@\n")),
        Err("edit-ambiguous".to_owned())
    );
    assert_eq!(
        applied(&before, &patch("@@ class Z\n")),
        Err("edit-not-found".to_owned())
    );
    assert_eq!(
        applied(&before, &patch("@@ -7,2 +7,2 @@\n")).as_ref(),
        Ok(&in_b)
    );
    let last = format!("{}*** End of File\n", patch("@@\n"));
    assert_eq!(applied(&before, &last).as_ref(), Ok(&in_b));
    // Wrong numbers are harmless, and places are whole lines.
    let ok = |text: &str| Ok(text.to_owned());
    assert_eq!(
        applied("a\nb\nc\n", "@@ -90,2 +9,2 @@\n b\n-c\n+d\n"),
        ok("a\nb\nd\n")
    );
    assert_eq!(
        applied("xa\nb\n", "@@ -1 +1 @@\n-a\n+c\n"),
        Err("edit-not-found".to_owned())
    );
    // A diff counts lines by LF: the second block is at its line 4, elsewhere line 6.
    let returns = "a\rb\rc\nx\ny\nx\nz\n";
    assert_eq!(
        applied(returns, "@@ -4 +4 @@\n-x\n+w\n"),
        ok("a\rb\rc\nx\ny\nw\nz\n")
    );
    // An empty line whose leading blank was lost, and a file whose last line has no end.
    assert_eq!(
        applied("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n"),
        ok("a\n\nc\n")
    );
    assert_eq!(applied("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"), ok("a\nc"));
    assert_eq!(
        applied("a\r\nb\r\n", "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n"),
        ok("a\r\nc\r\nd\r\n")
    );
    assert_eq!(
        applied(
            "a\nb\n",
            "@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n"
        ),
        ok("a\nb")
    );
    assert_eq!(
        applied("a\n", "@@ -0,0 +1 @@\n+b\n"),
        Err("invalid-request".to_owned())
    );
    assert_eq!(applied("", "@@ -0,0 +1 @@\n+b\n"), ok("b\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_applied(seed in 1u64..u64::MAX) {
        let mut random = Random(seed);
        let old = text(&mut random, 30);
        let new = changed(&mut random, &old);
        if old != new {
            let diff = unified_diff(DiffNames::Same("a"), &old, &new);
            let files = parse(&diff).unwrap();
            let plan = planned(old.as_bytes(), "a.txt", &[Edit::Hunks(&files[0].hunks)]).unwrap();
            prop_assert_eq!(plan.text, new);
        }
    }

    #[test]
    fn any_text_is_a_diff_or_none(diff in "([ +@\\\\*-]{0,3}[a@, 0-9+-]{0,8}\r?\n?){0,12}") {
        let _ = parse(&diff);
    }
}
