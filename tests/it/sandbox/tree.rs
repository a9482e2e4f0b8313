//! A tree of documents with secret files, and with files outside the root.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use docent_host::Session;
use docent_tests::guest::{docent, limits, pages};
use docent_tests::says::{everything, paths};
use docent_tests::sweep::{self, Outcome, WORD};
use serde_json::json;
use tempfile::TempDir;

/// The text in every file that must not be read, after the searched word.
pub const CANARY: &str = "canary-7d1f";

/// A granted directory, beside a directory that is not granted.
pub struct Tree {
    _temporary: TempDir,
    /// Path of the granted directory.
    pub root: PathBuf,
    /// Path of the directory that is not granted.
    pub outside: PathBuf,
    /// Paths, relative to the root, of the documents that must always be found.
    innocent: BTreeSet<String>,
}

impl Tree {
    /// Returns a tree with one innocent document, and another outside.
    pub fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let (root, outside) = (
            temporary.path().join("docs"),
            temporary.path().join("outside"),
        );
        fs::create_dir(&root).unwrap();
        fs::create_dir(&outside).unwrap();
        let mut tree = Self {
            _temporary: temporary,
            root,
            outside,
            innocent: BTreeSet::new(),
        };
        tree.innocent("innocent.md");
        tree.secret_outside("secret.md");
        tree
    }

    /// Writes a document that must always be found.
    pub fn innocent(&mut self, path: &str) {
        write(&self.root.join(path), "Once round the harbour.");
        self.innocent.insert(path.to_owned());
    }

    /// Writes a file that must never be read, inside the root.
    pub fn secret(&self, path: impl AsRef<Path>) {
        write(&self.root.join(path), &secret());
    }

    /// Writes a file that must never be read, outside the root.
    pub fn secret_outside(&self, path: impl AsRef<Path>) {
        write(&self.outside.join(path), &secret());
    }

    /// Returns the real component with this tree.
    pub fn docent(&self) -> Session {
        docent(&self.root, limits())
    }

    /// Panics unless search and listing find each innocent document, and nothing else.
    pub fn assert_only_innocent_found(&self, session: &mut Session) {
        let found = pages(session, "search-documents", json!({ "query": WORD }));
        assert_eq!(
            self.innocent,
            paths(&found, "results").into_iter().collect(),
            "{found:?}"
        );
        let listed = pages(session, "list-full-tree", json!({ "maxDepth": 64 }));
        let files: BTreeSet<String> = paths(&listed, "entries")
            .into_iter()
            .filter(|path| {
                self.root
                    .join(path)
                    .symlink_metadata()
                    .is_ok_and(|stat| stat.is_file())
            })
            .collect();
        assert_eq!(self.innocent, files, "{listed:?}");
    }

    /// Panics if any tool, called in any way with any of `paths`, reveals the content of a secret
    /// file, the location of the tree, or one of the `hidden` names that the call did not contain
    /// itself. Only `find-files` may reveal names of files in the tree, because it opens none.
    pub fn assert_nothing_leaks(&self, session: &mut Session, paths: &[&str], hidden: &[&str]) {
        let host = self.root.parent().unwrap().to_str().unwrap().to_owned();
        let look = |outcome: Outcome| {
            let text = everything(&outcome.result);
            assert!(!text.contains(CANARY), "{outcome:?}");
            assert!(!text.contains(&host), "{outcome:?}");
            let asked = serde_json::to_string(&outcome.arguments).unwrap();
            let names_files = outcome.function == "find-files";
            let may_say =
                |name: &&&str| asked.contains(**name) || (names_files && self.holds(name));
            for name in hidden.iter().filter(|name| !may_say(name)) {
                assert!(!text.contains(name), "`{name}` in {outcome:?}");
            }
            if let Err(docent_host::CallError::Fault(fault)) = outcome.result {
                panic!("{} {asked}: {fault}", outcome.function);
            }
        };
        sweep::without_paths(session, look);
        sweep::with_paths(session, paths, look);
    }

    /// Returns true if an entry in the root, not reached through a link, has `name` in its name.
    fn holds(&self, name: &str) -> bool {
        let mut left = vec![self.root.clone()];
        while let Some(directory) = left.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let entry = entry.unwrap();
                if entry.file_name().to_string_lossy().contains(name) {
                    return true;
                }
                if entry.file_type().unwrap().is_dir() {
                    left.push(entry.path());
                }
            }
        }
        false
    }
}

fn secret() -> String {
    format!("Once round the harbour, {CANARY} the secret.")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("# A title\n\n{text}\n\nThe end.\n")).unwrap();
}

/// Returns the paths of the entries that a search skipped, with the reasons.
pub fn skipped(session: &mut Session) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for page in pages(session, "search-documents", json!({ "query": WORD })) {
        for entry in page["stats"]["skipped"]["entries"].as_array().unwrap() {
            let text = |key: &str| entry[key].as_str().unwrap().to_owned();
            all.push((text("path"), text("reason")));
        }
    }
    all
}
