//! Many small files, and a change to all of them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;

use docent_host::grant::{Grants, Right};
use docent_tests::guest::grant;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Maximum edits of one change.
pub const FILES: usize = 200;

/// A directory with [`FILES`] files of equal content, and a place for the state.
pub struct Files {
    temporary: TempDir,
    /// The directory.
    pub root: PathBuf,
}

/// The location of the data for undo.
#[derive(Clone, Copy, Debug)]
pub enum Keeping {
    /// A state directory beside the root.
    State,
    /// None.
    Nothing,
}

impl Files {
    /// Returns files with the given content.
    pub fn holding(content: &str) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("docs");
        fs::create_dir(&root).unwrap();
        for number in 0..FILES {
            fs::write(root.join(name(number)), content).unwrap();
        }
        Self { temporary, root }
    }

    /// Grants the directory for writing.
    pub fn granted(&self, keeping: Keeping) -> Grants {
        let grants = grant(&self.root, Right::ReadWrite);
        match keeping {
            Keeping::Nothing => grants,
            Keeping::State => {
                let state = self.temporary.path().join("state");
                grants.keep_state_ambient(&state).unwrap()
            }
        }
    }

    /// Returns the arguments of a `change` that replaces the content of all files.
    pub fn change(old: &str, new: &str) -> Value {
        let edit = |number| json!({ "path": name(number), "oldText": old, "newText": new });
        json!({ "edits": (0..FILES).map(edit).collect::<Vec<_>>(), "dryRun": false })
    }

    /// Returns the content of all files.
    ///
    /// # Panics
    /// If two files differ, or a file of docent's own is beside them.
    pub fn content(&self) -> String {
        let first = fs::read_to_string(self.root.join(name(0))).unwrap();
        let mut files = 0;
        for entry in fs::read_dir(&self.root).unwrap() {
            let path = entry.unwrap().path();
            let content = fs::read_to_string(&path).unwrap();
            assert_eq!(content, first, "{}", path.display());
            assert!(!is_reserved(&path), "{}", path.display());
            files += 1;
        }
        assert_eq!(files, FILES);
        first
    }

    /// Waits until no instance writes.
    pub fn wait_for_writers(&self, keeping: Keeping) {
        let locked = match keeping {
            Keeping::Nothing => self.root.clone(),
            Keeping::State => {
                let granted = self.granted(keeping);
                granted.all()[0].state().unwrap().join("lock")
            }
        };
        // The lock is released with the file.
        File::open(locked).unwrap().lock().unwrap();
    }

    /// Waits until a write is running, or over.
    pub fn wait_for_a_write(&self, is_over: impl Fn() -> bool) {
        while !self.is_prepared() && !is_over() {
            thread::yield_now();
        }
    }

    /// Returns true if a write is running, or was interrupted.
    pub fn is_prepared(&self) -> bool {
        let entries = fs::read_dir(&self.root).unwrap();
        entries.flatten().any(|entry| is_reserved(&entry.path()))
    }
}

fn name(number: usize) -> String {
    format!("{number:03}.md")
}

fn is_reserved(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with(".docent-")
}
