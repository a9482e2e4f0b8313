//! Tests that a file system mounted inside a root is not entered.

use std::fs::{self, File};
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::alone::may_mount_alone;
use super::hostile::Threads;
use super::machine::{left_out, mount_silent};
use docent_host::CallControl;
use docent_tests::guest::{call, limits, pages};
use docent_tests::says::{code, paths};
use serde_json::json;

use super::tree::{Tree, skipped};

#[test]
fn a_mount_point_is_not_crossed() {
    if may_mount_alone("sandbox::mounts::a_mount_point_is_not_crossed") {
        with_mounts();
    }
}

fn with_mounts() {
    let mut tree = Tree::new();
    tree.innocent("a.md");
    tree.innocent("z/page.md");
    fs::create_dir(tree.root.join("bound")).unwrap();
    fs::create_dir(tree.root.join("proc")).unwrap();
    fs::write(tree.root.join("file.md"), "harbour").unwrap();
    let mount = |arguments: &[&str], onto: &str| {
        let made = Command::new("mount")
            .args(arguments)
            .arg(tree.root.join(onto))
            .status();
        made.is_ok_and(|status| status.success())
    };
    // A date that no other file in the tree has.
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for name in ["secret.md", "."] {
        let outside = File::open(tree.outside.join(name)).unwrap();
        outside.set_modified(long_ago).unwrap();
    }
    let outside = tree.outside.to_str().unwrap();
    let secret = tree.outside.join("secret.md");
    if !mount(&["--bind", outside], "bound") {
        left_out("mount points", "a directory cannot be bound");
        return;
    }
    assert!(mount(&["--bind", secret.to_str().unwrap()], "file.md"));
    let mut points = vec!["bound", "file.md"];
    if mount(&["-t", "tmpfs", "none"], "proc") {
        points.push("proc");
    }

    let mut session = tree.docent();
    let query = json!({ "query": "harbour" });
    let found = pages(&mut session, "search-documents", query);
    let found = paths(&found, "results");
    assert_eq!(found, ["a.md", "innocent.md", "z/page.md"]);
    let inside = ["bound", "bound/secret.md", "file.md", "proc"];
    tree.assert_nothing_leaks(&mut session, &inside, &["secret.md", "2001-09-09"]);
    let skipped = skipped(&mut session);
    for point in points {
        let expected = (point.to_owned(), "mount-point".to_owned());
        assert!(skipped.contains(&expected), "{point} in {skipped:?}");
    }
    for path in ["bound/secret.md", "file.md"] {
        let result = call(&mut session, "read-document", json!({ "path": path }));
        assert_eq!(code(&result), "document-not-found", "{path}");
    }
}

#[test]
fn a_mount_that_does_not_answer_holds_up_nothing_beside_it() {
    if may_mount_alone("sandbox::mounts::a_mount_that_does_not_answer_holds_up_nothing_beside_it") {
        beside_a_silent_mount();
    }
}

fn beside_a_silent_mount() {
    let mut tree = Tree::new();
    tree.innocent("z/page.md");
    let drive = tree.root.join("drive");
    fs::create_dir(&drive).unwrap();
    let _device = match mount_silent(&drive) {
        Ok(device) => device,
        Err(error) => return left_out("a file system that does not answer", error),
    };
    // On threads, so that a call that hangs is abandoned.
    let threads = Threads::docent(&tree.root, limits());
    for (function, arguments, list) in [
        ("search-documents", json!({ "query": "harbour" }), "results"),
        ("list-full-tree", json!({}), "entries"),
        (
            "find-files",
            json!({ "includeDirectories": true }),
            "matches",
        ),
    ] {
        // Twice, because the second call checks the cached files again.
        for _ in 0..2 {
            let answer = threads.call(function, arguments.clone(), CallControl::default());
            let found = paths(&[answer.unwrap()], list);
            assert!(
                found.contains(&"z/page.md".to_owned()),
                "{function}: {found:?}"
            );
        }
    }
}
