//! Tests with roots that disappear and come back while the host runs.

use std::fs;

use docent_host::Limits;
use docent_tests::guest::{call, docent, limits};
use docent_tests::says::{code, everything};
use serde_json::{Value, json};

use super::tree::Tree;

#[test]
fn what_stands_at_the_granted_path_is_served_and_no_ghost() {
    for cache in [0, 1 << 20] {
        let tree = Tree::new();
        let aside = tree.root.parent().unwrap().join("aside");
        let mut session = docent(&tree.root, Limits { cache, ..limits() });
        let mut search = || {
            call(
                &mut session,
                "search-documents",
                json!({ "query": "harbour", "contextChars": 20 }),
            )
        };
        let hits = |answer: Value| answer["totalFiles"].as_u64().unwrap();
        assert_eq!(hits(search().unwrap()), 1);

        fs::rename(&tree.root, &aside).unwrap();
        let gone = search();
        assert_eq!(code(&gone), "document-not-found", "moved away");
        assert!(!everything(&gone).contains("aside"));

        fs::create_dir(&tree.root).unwrap();
        assert_eq!(hits(search().unwrap()), 0, "made again, and empty");
        fs::write(tree.root.join("new.md"), "harbour, harbour").unwrap();
        assert_eq!(search().unwrap()["totalMatches"], 2);

        fs::remove_dir_all(&tree.root).unwrap();
        assert_eq!(code(&search()), "document-not-found", "deleted");
        fs::rename(&aside, &tree.root).unwrap();
        assert_eq!(hits(search().unwrap()), 1, "back again");

        fs::rename(&tree.root, &aside).unwrap();
        fs::write(&tree.root, "harbour").unwrap();
        assert_eq!(code(&search()), "document-not-found", "a file stands there");
        fs::remove_file(&tree.root).unwrap();
        std::os::unix::fs::symlink(&tree.outside, &tree.root).unwrap();
        assert_eq!(code(&search()), "document-not-found", "a link stands there");
    }
}
