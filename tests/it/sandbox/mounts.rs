//! Another file system mounted inside a root is not crossed into.

use std::fs;
use std::process::Command;

use super::machine::left_out;
use docent_tests::guest::call;
use docent_tests::says::code;
use serde_json::json;

use super::tree::{Tree, skipped};

/// Set in the process that may mount.
const INSIDE: &str = "DOCENT_TEST_MAY_MOUNT";

#[test]
fn a_mount_point_is_not_crossed() {
    if std::env::var_os(INSIDE).is_some() {
        with_mounts();
        return;
    }
    // A namespace of its own, in which what is mounted ends with the process.
    let program = std::env::current_exe().unwrap();
    let may_mount = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount"])
        .arg("true")
        .status();
    let as_root = Command::new("unshare").args(["--mount", "true"]).status();
    let arguments: &[&str] = match (as_root, may_mount) {
        (Ok(status), _) if status.success() => &["--mount"],
        (_, Ok(status)) if status.success() => &["--user", "--map-root-user", "--mount"],
        (Err(error), _) | (_, Err(error)) => return left_out("mount points", error),
        _ => return left_out("mount points", "no mount namespace of its own can be made"),
    };
    let output = Command::new("unshare")
        .args(arguments)
        .arg(program)
        .args([
            "--exact",
            "sandbox::mounts::a_mount_point_is_not_crossed",
            "--nocapture",
        ])
        .env(INSIDE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let result = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && result.contains("test result: ok. 1 passed"),
        "{result}\n{said}"
    );
    eprint!("{said}");
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
    let found = docent_tests::guest::pages(
        &mut session,
        "search-documents",
        json!({ "query": "harbour" }),
    );
    let found = docent_tests::says::paths(&found, "results");
    assert_eq!(found, ["a.md", "innocent.md", "z/page.md"]);
    let inside = ["bound", "bound/secret.md", "file.md", "proc"];
    tree.assert_nothing_leaks(&mut session, &inside, &["secret.md"]);
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
