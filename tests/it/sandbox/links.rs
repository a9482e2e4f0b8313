//! Tests that no symbolic link is followed, whether it leads out or stays inside.

use std::os::unix::fs::symlink;

use docent_tests::guest::call;
use docent_tests::says::code;
use serde_json::json;

use super::tree::{Tree, skipped};

#[test]
fn no_link_is_followed() {
    let mut tree = Tree::new();
    tree.innocent("inside/deep/page.md");
    tree.secret_outside("folder/page.md");
    let link = |target: &str, name: &str| symlink(target, tree.root.join(name)).unwrap();
    let outside = tree.outside.to_str().unwrap();
    link("../outside/secret.md", "out-file.md");
    link("../outside", "out-directory");
    link(&format!("{outside}/secret.md"), "absolute-file.md");
    link(outside, "absolute-directory");
    link("/proc/self/environ", "magic.md");
    link("/proc/self/cwd", "magic-directory");
    link("innocent.md", "in-file.md");
    link("inside", "in-directory");
    link(".", "self");
    link("..", "parent");
    link("loop-b.md", "loop-a.md");
    link("loop-a.md", "loop-b.md");
    link("nowhere.md", "dangling.md");
    link("../../../outside/folder", "inside/deep/out");

    let mut session = tree.docent();
    tree.assert_only_innocent_found(&mut session);
    let through = [
        "out-file.md",
        "out-directory",
        "out-directory/secret.md",
        "out-directory/folder/page.md",
        "absolute-file.md",
        "absolute-directory/secret.md",
        "magic.md",
        "magic-directory",
        "magic-directory/Cargo.toml",
        "in-file.md",
        "in-directory",
        "in-directory/deep/page.md",
        "self/innocent.md",
        "parent",
        "parent/outside/secret.md",
        "loop-a.md",
        "dangling.md",
        "inside/deep/out/page.md",
    ];
    tree.assert_nothing_leaks(&mut session, &through, &[]);
    for path in through {
        for (function, arguments) in [
            ("read-document", json!({ "path": path })),
            ("list-documents", json!({ "path": path })),
            ("list-full-tree", json!({ "path": path })),
            (
                "search-documents",
                json!({ "path": path, "query": "harbour" }),
            ),
        ] {
            let result = call(&mut session, function, arguments);
            assert_eq!(code(&result), "document-not-found", "{function} {path}");
        }
    }
    let skipped = skipped(&mut session);
    assert!(
        skipped.iter().all(|(_, reason)| reason == "symlink"),
        "{skipped:?}"
    );
    assert!(
        skipped.iter().any(|(path, _)| path == "out-file.md"),
        "{skipped:?}"
    );
}
