//! Tests with files and directories that the host has no permission to read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::machine::{left_out, without_privileges};
use docent_tests::guest::call;
use docent_tests::says::code;
use serde_json::json;

use super::tree::{Tree, skipped};

#[test]
fn what_may_not_be_read_is_skipped_alone() {
    let mut tree = Tree::new();
    tree.innocent("a.md");
    tree.innocent("z.md");
    tree.innocent("folder/page.md");
    let denied = [
        "denied.md",
        "folder/denied.md",
        "unlisted/page.md",
        "shut/page.md",
    ];
    for path in denied {
        tree.secret(path);
    }
    let chmod = |path: &str, mode| {
        fs::set_permissions(tree.root.join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    chmod("denied.md", 0);
    chmod("folder/denied.md", 0o333);
    chmod("unlisted/page.md", 0);
    // One can be entered and not listed; the other can be neither entered nor listed.
    chmod("unlisted", 0o111);
    chmod("shut", 0);

    let done = without_privileges(|| {
        if fs::read(tree.root.join("denied.md")).is_ok() {
            return false;
        }
        let mut session = tree.docent();
        let found = docent_tests::guest::pages(
            &mut session,
            "search-documents",
            json!({ "query": "harbour" }),
        );
        let found = docent_tests::says::paths(&found, "results");
        assert_eq!(found, ["a.md", "folder/page.md", "innocent.md", "z.md"]);
        tree.assert_nothing_leaks(&mut session, &denied, &[]);
        let skipped = skipped(&mut session);
        for path in ["denied.md", "folder/denied.md", "unlisted", "shut"] {
            let expected = (path.to_owned(), "permission".to_owned());
            assert!(skipped.contains(&expected), "{path} in {skipped:?}");
        }
        for path in denied {
            let result = call(&mut session, "read-document", json!({ "path": path }));
            assert_eq!(code(&result), "document-not-found", "{path}");
        }
        true
    });
    chmod("shut", 0o755);
    chmod("unlisted", 0o755);
    match done {
        Ok(true) => {}
        Ok(false) => left_out("unreadable files", "this user reads whatever there is"),
        Err(error) => left_out("unreadable files", error),
    }
}
