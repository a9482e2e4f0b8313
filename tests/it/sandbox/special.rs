//! Tests that objects other than files and directories are never opened: opening a FIFO would
//! block.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use super::machine::{left_out, make_device, make_fifo, make_socket};
use docent_tests::guest::call;
use docent_tests::says::code;
use serde_json::json;

use super::tree::{Tree, skipped};

#[test]
fn fifos_sockets_and_devices_are_passed_over() {
    let mut tree = Tree::new();
    for name in ["a.md", "folder/m.md", "z.md"] {
        tree.innocent(name);
    }
    let mut special = Vec::new();
    let mut add = |name: &'static str, made: std::io::Result<()>| match made {
        Ok(()) => special.push(name),
        Err(error) => left_out(name, error),
    };
    add("fifo.md", make_fifo(&tree.root.join("fifo.md")));
    add(
        "folder/fifo.md",
        make_fifo(&tree.root.join("folder/fifo.md")),
    );
    add(
        "fifo-directory",
        make_fifo(&tree.root.join("fifo-directory")),
    );
    add(".gitignore", make_fifo(&tree.root.join(".gitignore")));
    add(
        "folder/.docentignore",
        make_fifo(&tree.root.join("folder/.docentignore")),
    );
    add("socket.md", make_socket(&tree.root.join("socket.md")));
    add("device.md", make_device(&tree.root.join("device.md")));

    let mut session = tree.docent();
    tree.assert_only_innocent_found(&mut session);
    tree.assert_nothing_leaks(&mut session, &special, &[]);
    for path in &special {
        for function in ["read-document", "list-documents", "list-full-tree"] {
            let result = call(&mut session, function, json!({ "path": path }));
            assert_eq!(code(&result), "document-not-found", "{function} {path}");
        }
    }
    let skipped = skipped(&mut session);
    for path in special.iter().filter(|path| path.ends_with(".md")) {
        let expected = ((*path).to_owned(), "not-regular".to_owned());
        assert!(skipped.contains(&expected), "{path} in {skipped:?}");
    }
}

#[test]
fn reading_does_not_touch_a_device() {
    let tree = Tree::new();
    let device = tree.root.join("device.md");
    if let Err(error) = make_device(&device) {
        left_out("a device", error);
        return;
    }
    let before = fs::symlink_metadata(&device).unwrap();
    let mut session = tree.docent();
    tree.assert_nothing_leaks(&mut session, &["device.md"], &[]);
    let after = fs::symlink_metadata(&device).unwrap();
    assert_eq!(
        (before.atime(), before.atime_nsec()),
        (after.atime(), after.atime_nsec())
    );
}
