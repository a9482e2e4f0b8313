//! Tests that a guest that calls the system directly can access its root, and nothing else.

use std::os::unix::fs::symlink;

use super::deed::GuestDeed;
use super::hostile::{hostile, make_it};
use super::machine::{left_out, make_device, make_fifo, make_socket};
use docent_host::grant::Right;
use docent_tests::guest::limits;

use super::tree::{CANARY, Tree};

/// Returns a tree with every kind of object that a guest might want to open.
fn tempting() -> Tree {
    let mut tree = Tree::new();
    tree.innocent("folder/page.md");
    let outside = tree.outside.to_str().unwrap();
    let link = |target: &str, name: &str| symlink(target, tree.root.join(name)).unwrap();
    link("../outside/secret.md", "out");
    link("../outside", "out-directory");
    link(outside, "absolute");
    link("/proc/self/root", "magic");
    link("innocent.md", "in");
    link("folder", "in-directory");
    link("..", "up");
    link(".", "here");
    make_fifo(&tree.root.join("fifo")).unwrap();
    make_socket(&tree.root.join("socket")).unwrap();
    if let Err(error) = make_device(&tree.root.join("device")) {
        left_out("a device", error);
    }
    tree
}

/// Paths that lead outside the guest's grants.
const TEMPTING: [&str; 34] = [
    "..",
    "../",
    "../outside",
    "../outside/secret.md",
    "../docs/innocent.md",
    "folder/..",
    "folder/../..",
    "folder/../../outside/secret.md",
    "./../outside/secret.md",
    "/",
    "/etc/passwd",
    "/proc/self/environ",
    "//etc/passwd",
    "out",
    "out/",
    "out-directory",
    "out-directory/secret.md",
    "absolute",
    "absolute/secret.md",
    "magic/etc/passwd",
    "up/outside/secret.md",
    "here/../outside/secret.md",
    "in-directory/../../outside/secret.md",
    "fifo",
    "socket",
    "device",
    "in",
    "in-directory",
    "in-directory/page.md",
    "here",
    "here/innocent.md",
    "",
    "innocent.md\0",
    "\0",
];

/// Those of them that a host may resolve, because they stay beneath the root.
const HARMLESS: [&str; 1] = ["folder/.."];

#[test]
fn nothing_outside_can_be_opened() {
    let tree = tempting();
    let mut session = hostile(&tree.root, Right::ReadOnly, limits());
    for path in TEMPTING {
        let told = make_it(&mut session, GuestDeed::Open.to(path))
            .unwrap_or_else(|error| error.to_string());
        assert!(!told.contains(CANARY), "{path}: {told}");
        assert!(!told.contains("secret.md"), "{path}: {told}");
        assert!(!told.contains("root:"), "{path}: {told}");
        if !HARMLESS.contains(&path) {
            assert!(!told.contains("opened"), "{path}: {told}");
        }
    }
    let long = GuestDeed::Open.to("x/".repeat(40_000));
    assert!(!make_it(&mut session, long).unwrap().contains("opened"));
    // The same guest can open files in its root.
    let told = make_it(&mut session, GuestDeed::Open.to("folder/page.md")).unwrap();
    assert!(told.contains("harbour"), "{told}");
    let told = make_it(&mut session, GuestDeed::Open.to("folder")).unwrap();
    assert!(told.contains("opened directory page.md"), "{told}");
}

#[test]
fn nothing_outside_can_be_looked_at() {
    let tree = tempting();
    let mut session = hostile(&tree.root, Right::ReadOnly, limits());
    for path in TEMPTING {
        let told = make_it(&mut session, GuestDeed::Look.to(path))
            .unwrap_or_else(|error| error.to_string());
        // The status of a symbolic link itself may be reported, but never that of its target.
        let seen = ["RegularFile", "Directory"]
            .iter()
            .any(|kind| told.contains(kind));
        assert!(!seen || HARMLESS.contains(&path), "{path}: {told}");
    }
}

#[test]
fn links_are_neither_made_nor_read() {
    let tree = tempting();
    for right in [Right::ReadOnly, Right::ReadWrite] {
        let mut session = hostile(&tree.root, right, limits());
        for path in [
            "innocent.md",
            "in",
            "out",
            "/etc/passwd",
            "../outside/secret.md",
            "folder",
        ] {
            let told = make_it(&mut session, GuestDeed::Links.to(path)).unwrap();
            assert!(!told.contains("done"), "{right:?} {path}: {told}");
        }
    }
    for made in ["made-symbolic", "made-hard"] {
        assert!(tree.root.join(made).symlink_metadata().is_err(), "{made}");
    }
}

#[test]
fn the_environment_holds_docents_own_settings_alone() {
    let tree = Tree::new();
    let mut session = hostile(&tree.root, Right::ReadOnly, limits());
    let told = make_it(&mut session, GuestDeed::Environment).unwrap();
    let [names, arguments, directory] = told.split('|').collect::<Vec<_>>()[..] else {
        panic!("{told}");
    };
    assert!(!names.is_empty());
    assert!(
        names.split(' ').all(|name| name.starts_with("DOCENT_")),
        "{told}"
    );
    assert_eq!(arguments, "");
    assert_eq!(directory, "");
}
