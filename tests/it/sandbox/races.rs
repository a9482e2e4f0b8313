//! Tests with trees that change during a scan.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::machine::make_fifo;
use docent_host::Limits;
use docent_tests::guest::{docent, limits, pages};
use docent_tests::says::{everything, paths};
use docent_tests::sweep;
use rustix::fs::{CWD, RenameFlags};
use serde_json::json;

use super::tree::{CANARY, Tree};

/// Number of entries that are swapped constantly.
const SWAPPED: usize = 12;

/// Number of swaps that a test waits for.
const ENOUGH: u64 = 3_000;

/// Minimum number of scans.
const SCANS: usize = 20;

#[test]
fn what_is_swapped_during_a_scan_leads_nowhere() {
    let mut tree = Tree::new();
    for index in 0..100 {
        tree.innocent(&format!("calm-{}/page-{index:03}.md", index % 5));
    }
    tree.secret_outside("page.md");
    let swapped = tree.root.join("swapped");
    fs::create_dir(&swapped).unwrap();
    for index in 0..SWAPPED {
        fs::write(swapped.join(format!("{index}.md")), "harbour").unwrap();
        fs::create_dir(swapped.join(format!("folder-{index}"))).unwrap();
        fs::write(swapped.join(format!("folder-{index}/page.md")), "harbour").unwrap();
    }
    let spare = tree.root.parent().unwrap().join("spare");
    fs::create_dir(&spare).unwrap();

    let (stop, swaps) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                swap_all(&swapped, &spare, &tree.outside);
                swaps.fetch_add(2 * SWAPPED as u64, Ordering::Relaxed);
            }
        });
        let _stop = StopAtEnd(&stop);
        for cache in [0, 1 << 20] {
            let before = swaps.load(Ordering::Relaxed);
            let mut session = docent(&tree.root, Limits { cache, ..limits() });
            let mut scans = 0;
            while scans < SCANS || swaps.load(Ordering::Relaxed) < before + ENOUGH {
                scans += 1;
                let found = pages(
                    &mut session,
                    "search-documents",
                    json!({ "query": "harbour" }),
                );
                let calm = paths(&found, "results");
                let calm = calm.iter().filter(|path| path.starts_with("calm-")).count();
                assert_eq!(calm, 100, "the neighbours of what changes are always found");
                assert!(!everything(&Ok(found.into())).contains(CANARY));
            }
            let targets = [
                "swapped/0.md",
                "swapped/1.md",
                "swapped/folder-0/page.md",
                "swapped/folder-0",
            ];
            sweep::with_paths(&mut session, &targets, |outcome| {
                assert!(!everything(&outcome.result).contains(CANARY), "{outcome:?}");
            });
        }
    });
}

/// A guard that ends the other thread even if this one panics.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Puts a link, a FIFO, a document and nothing at the path of each entry, one after another.
fn swap_all(swapped: &Path, spare: &Path, outside: &Path) {
    for index in 0..SWAPPED {
        let (file, folder) = (
            swapped.join(format!("{index}.md")),
            swapped.join(format!("folder-{index}")),
        );
        let substitute = spare.join("substitute");
        symlink(outside.join("secret.md"), &substitute).unwrap();
        fs::rename(&substitute, &file).unwrap();
        make_fifo(&substitute).unwrap();
        fs::rename(&substitute, &file).unwrap();
        fs::remove_file(&file).unwrap();
        fs::write(&substitute, "harbour").unwrap();
        fs::rename(&substitute, &file).unwrap();

        symlink(outside, &substitute).unwrap();
        let exchange = || {
            rustix::fs::renameat_with(CWD, &substitute, CWD, &folder, RenameFlags::EXCHANGE)
                .unwrap();
        };
        exchange();
        exchange();
        fs::remove_file(&substitute).unwrap();
    }
}

#[test]
fn a_change_is_seen_by_the_very_next_call() {
    let tree = Tree::new();
    let path = tree.root.join("changing.md");
    let mut session = docent(
        &tree.root,
        Limits {
            cache: 1 << 20,
            ..limits()
        },
    );
    let mut hits = |word: &str| {
        let found = pages(&mut session, "search-documents", json!({ "query": word }));
        paths(&found, "results")
    };
    for round in 0..200 {
        // Always the same length, and often within one tick of the file system's clock.
        let (word, before) = (format!("tide{round:04}"), format!("tide{:04}", round - 1));
        fs::write(&path, &word).unwrap();
        assert_eq!(hits(&word), ["changing.md"], "round {round}");
        assert!(hits(&before).is_empty(), "round {round}");
    }
    fs::remove_file(&path).unwrap();
    assert!(hits("tide").is_empty());
    fs::create_dir(tree.root.join("new")).unwrap();
    fs::write(tree.root.join("new/page.md"), "tide").unwrap();
    assert_eq!(hits("tide"), ["new/page.md"]);
    fs::rename(tree.root.join("new"), tree.root.join("renamed")).unwrap();
    assert_eq!(hits("tide"), ["renamed/page.md"]);
    fs::write(tree.root.join(".gitignore"), "renamed\n").unwrap();
    assert!(hits("tide").is_empty());
    fs::remove_file(tree.root.join(".gitignore")).unwrap();
    assert_eq!(hits("tide"), ["renamed/page.md"]);
}
