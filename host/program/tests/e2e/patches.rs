//! `docent apply`: patches, applied to all of their files or to none.

use std::fs;

use crate::editing::Desk;

#[test]
fn a_patch_is_applied_to_all_of_its_files_or_none() {
    let desk = Desk::new(&[("a.md", "one\n"), ("sub/b.md", "two\n")]);
    let patch = |second: &str| {
        format!(
            "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-one\n+1\n\
             --- a/sub/b.md\n+++ b/sub/b.md\n@@ -1 +1 @@\n-{second}\n+2\n"
        )
    };
    let apply = ["apply", "-", "--apply"];
    let (code, output, errors) = desk.fed("", &apply, &patch("three"));
    assert_eq!((code, output.as_str()), (2, ""), "{errors}");
    assert!(errors.contains("sub/b.md: hunk 1: "), "{errors}");
    assert_eq!(desk.text("a.md"), "one\n");
    fs::write(desk.path("../two.diff"), patch("two")).unwrap();
    let (output, _) = desk.done("", &["apply", "../two.diff"]);
    assert!(
        output.contains("+1\n") && output.contains("+2\n"),
        "{output}"
    );
    assert_eq!(desk.text("a.md"), "one\n");
    desk.done("", &["apply", "../two.diff", "--apply"]);
    assert_eq!(
        (desk.text("a.md"), desk.text("sub/b.md")),
        ("1\n".into(), "2\n".into())
    );
    desk.done("", &["undo"]);
    assert_eq!(
        (desk.text("a.md"), desk.text("sub/b.md")),
        ("one\n".into(), "two\n".into())
    );
}

#[test]
fn a_patch_makes_renames_and_removes_files() {
    let desk = Desk::new(&[("a.md", "one\ntwo\n"), ("b.md", "gone\n")]);
    let patch = "diff --git a/a.md b/sub/a.md\nrename from a.md\nrename to sub/a.md\n\
                 --- a/a.md\n+++ b/sub/a.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\
                 diff --git a/b.md b/b.md\ndeleted file mode 100644\n--- a/b.md\n\
                 +++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\
                 diff --git a/n.md b/n.md\nnew file mode 100644\n--- /dev/null\n\
                 +++ b/n.md\n@@ -0,0 +1 @@\n+new\n";
    let is_there = |name: &str| desk.path(name).exists();
    let (code, output, errors) = desk.fed("", &["apply", "-"], patch);
    assert_eq!((code, output.as_str()), (0, patch), "{errors}");
    assert!(is_there("a.md") && is_there("b.md") && !is_there("n.md"));
    let apply = ["apply", "-", "--apply"];
    let (code, _, errors) = desk.fed("", &apply, patch);
    assert_eq!(code, 0, "{errors}");
    assert_eq!(desk.text("sub/a.md"), "one\n2\n");
    assert_eq!(desk.text("n.md"), "new\n");
    assert!(!is_there("a.md") && !is_there("b.md"));
    let (code, _, errors) = desk.fed("", &apply, patch);
    assert_eq!(code, 2, "{errors}");
    desk.done("", &["undo"]);
    assert!(!is_there("n.md") && !is_there("sub"));
    assert_eq!(desk.text("a.md"), "one\ntwo\n");
    assert_eq!(desk.text("b.md"), "gone\n");
}
