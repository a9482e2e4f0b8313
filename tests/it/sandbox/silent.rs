//! Tests that a root whose file system does not answer does not affect the other roots.

use docent_host::grant::{Grants, Right, RootSpec};
use docent_host::{CallControl, CallError, Fault, Limits};
use docent_tests::guest::limits;
use docent_tests::says::code;
use serde_json::json;

use super::alone::may_mount_alone;
use super::hostile::Threads;
use super::machine::{left_out, mount_silent};
use super::tree::Tree;

/// Maximum calls until a root is accessed again.
const MOST_ASKED: usize = 100_000;

#[test]
fn a_root_that_does_not_answer_holds_up_no_other() {
    if may_mount_alone("sandbox::silent::a_root_that_does_not_answer_holds_up_no_other") {
        beside_a_silent_root();
    }
}

fn beside_a_silent_root() {
    let tree = Tree::new();
    let drive = tempfile::tempdir().unwrap();
    let root = |name: &str, path: &std::path::Path| RootSpec {
        name: Some(name.to_owned()),
        path: path.to_owned(),
        right: Right::ReadOnly,
        sensitive: false,
    };
    let roots = [root("docs", &tree.root), root("drive", drive.path())];
    let grants = Grants::resolve_ambient(&roots, None).unwrap();
    // One thread, so that a call that is not abandoned would block the next.
    let limits = Limits {
        threads: 1,
        ..limits()
    };
    let threads = Threads::granted(grants, limits);
    let search = |root: &str| {
        let query = json!({ "query": "harbour", "root": root });
        threads.call("search-documents", query, CallControl::default())
    };
    assert_eq!(search("docs").unwrap()["totalFiles"], 1);
    assert_eq!(search("drive").unwrap()["totalFiles"], 0);

    let device = match mount_silent(drive.path()) {
        Ok(device) => device,
        Err(error) => return left_out("a file system that does not answer", error),
    };
    for _ in 0..3 {
        assert_eq!(search("docs").unwrap()["totalFiles"], 1);
        let silent = search("drive");
        let name = "drive".to_owned();
        assert!(
            matches!(&silent, Err(CallError::Fault(Fault::RootSilent(root))) if *root == name),
            "{silent:?}"
        );
    }

    // From now on the file system reports every file as missing.
    drop(device);
    let mut asked = 0;
    while code(&search("drive")) != "document-not-found" {
        asked += 1;
        assert!(asked < MOST_ASKED, "it is still taken for silent");
    }
    assert_eq!(search("docs").unwrap()["totalFiles"], 1);
}
