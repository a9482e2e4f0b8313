//! Tests of a root's state directory, and of the exclusion of concurrent writers.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use docent_host::grant::{Grants, Right};
use docent_host::{Limits, Session, Settings};
use docent_tests::guest::{call, grant, limits, stepping};
use docent_tests::says::everything;
use serde_json::json;

use super::deed::GuestDeed;
use super::hostile::{granted, make_it};
use super::tree::Tree;

/// Returns the grants of a writable root with a state directory beside it.
fn with_state(tree: &Tree) -> (Grants, PathBuf) {
    let state = tree.root.parent().unwrap().join("state");
    let grants = grant(&tree.root, Right::ReadWrite);
    let grants = grants.keep_state_ambient(&state).unwrap();
    let folder = grants.all()[0].state().unwrap().to_owned();
    (grants, folder)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_is_kept_is_private_and_never_replaced() {
    let tree = Tree::new();
    let (grants, folder) = with_state(&tree);
    let mut session = granted(grants, limits());
    let told = make_it(&mut session, GuestDeed::WriteState).unwrap();
    assert_eq!(told, "done\ndone\nexist");
    let kept = folder.join("kept");
    assert_eq!(mode(&kept.join("made")), 0o600);
    assert_eq!(mode(&kept.join("made-directory")), 0o700);
    assert_eq!(mode(&folder), 0o700);
    let mut without = granted(grant(&tree.root, Right::ReadWrite), limits());
    let told = make_it(&mut without, GuestDeed::WriteState).unwrap();
    assert_eq!(told, "there is none");
}

#[test]
fn no_tool_shows_what_is_kept() {
    let tree = Tree::new();
    let (grants, folder) = with_state(&tree);
    fs::write(folder.join("kept/canary.md"), "harbour canary").unwrap();
    let mut session = Session::load(grants, Settings::default(), limits()).unwrap();
    for (function, object) in [
        ("get-config", json!({})),
        ("list-full-tree", json!({})),
        ("find-files", json!({ "includeHidden": true })),
        ("search-documents", json!({ "query": "harbour" })),
        ("list-documents", json!({ "root": ".docent-state" })),
        ("explore", json!({ "paths": ["/.docent-state/docs"] })),
    ] {
        let told = everything(&call(&mut session, function, object));
        assert!(!told.contains("canary"), "{function}: {told}");
    }
    let named = json!({ "path": "/.docent-state/docs/canary.md" });
    assert!(call(&mut session, "read-document", named).is_err());
}

#[test]
fn while_another_writes_one_reads_and_is_refused_in_time() {
    let tree = Tree::new();
    let (grants, folder) = with_state(&tree);
    let brief = stepping(Limits {
        timeout: Duration::from_secs(4),
        ..limits()
    });
    let mut session = granted(grants, brief);
    let replace = || GuestDeed::Replace.to("innocent.md");
    assert_eq!(make_it(&mut session, replace()).unwrap(), "done");
    // As another host holds it in the middle of a write.
    let other = File::options()
        .write(true)
        .open(folder.join("lock"))
        .unwrap();
    other.lock().unwrap();
    let before = fs::read(tree.root.join("innocent.md")).unwrap();
    let told = make_it(&mut session, replace()).unwrap();
    assert_eq!(told, "no-lock");
    let told = make_it(&mut session, GuestDeed::Open.to("innocent.md")).unwrap();
    assert!(told.contains("opened"), "{told}");
    assert_eq!(fs::read(tree.root.join("innocent.md")).unwrap(), before);
    other.unlock().unwrap();
    assert_eq!(make_it(&mut session, replace()).unwrap(), "done");
    // Between its calls a host holds no lock.
    assert!(other.try_lock().is_ok());
}

#[test]
fn a_prepared_file_takes_the_place_of_what_was_looked_at() {
    let tree = Tree::new();
    let mut session = granted(grant(&tree.root, Right::ReadWrite), limits());
    let told = make_it(&mut session, GuestDeed::Put.to("innocent.md")).unwrap();
    assert_eq!(told, "would-block\ndone\nexist");
    let content = fs::read(tree.root.join("innocent.md")).unwrap();
    assert_eq!(content, b"written");
    assert_eq!(mode(&tree.root.join(".docent-new-1.tmp")), 0o600);
    std::os::unix::fs::symlink("innocent.md", tree.root.join("link.md")).unwrap();
    fs::remove_file(tree.root.join(".docent-new-1.tmp")).unwrap();
    let told = make_it(&mut session, GuestDeed::Put.to("link.md")).unwrap();
    assert_eq!(told, "would-block\nwould-block\nexist");
    assert!(tree.root.join("link.md").is_symlink());
}

#[test]
fn what_a_call_writes_has_an_end() {
    let tree = Tree::new();
    let mut session = granted(grant(&tree.root, Right::ReadWrite), limits());
    for _ in 0..2 {
        let told = make_it(&mut session, GuestDeed::Flood).unwrap();
        let expected = "quota true quota after 99999";
        assert_eq!(told, expected);
        for entry in fs::read_dir(&tree.root).unwrap() {
            let path = entry.unwrap().path();
            if path
                .file_name()
                .is_some_and(|it| it.to_string_lossy().starts_with("flood-"))
            {
                fs::remove_file(path).unwrap();
            }
        }
    }
}
