//! A case's tree as files on the disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use docent_core::disk::Root;
use docent_fs::NativeDisk;
use tempfile::TempDir;

use crate::case::{Case, Entry, MODIFIED};

/// A directory for each root, in a temporary one.
pub struct Tree {
    _temporary: TempDir,
    /// The name, right and place of each root.
    pub roots: Vec<(Root, PathBuf)>,
}

impl Tree {
    /// Makes what the case says; none, with the reason on standard error, where this system has no
    /// such files.
    pub fn make(case: &Case) -> Option<Self> {
        if cfg!(not(unix))
            && case
                .tree
                .iter()
                .any(|entry| entry.fifo || entry.symlink.is_some())
        {
            eprintln!("left out: {}: this system has no links or FIFOs", case.name);
            return None;
        }
        let temporary = tempfile::tempdir().unwrap();
        let roots: Vec<(Root, PathBuf)> = case
            .roots
            .iter()
            .map(|root| {
                let name = root.strip_suffix(":rw").unwrap_or(root).to_owned();
                let path = temporary.path().join(&name);
                fs::create_dir(&path).unwrap();
                (
                    Root {
                        writable: root.ends_with(":rw"),
                        name,
                    },
                    path,
                )
            })
            .collect();
        for entry in &case.tree {
            let root = match &entry.root {
                Some(name) => roots.iter().find(|(root, _)| root.name == *name),
                None => roots.first(),
            };
            make(&root.expect("the case names its roots").1, entry);
        }
        for (_, path) in &roots {
            set_directory_times(path);
        }
        Some(Self {
            _temporary: temporary,
            roots,
        })
    }

    /// Returns the roots as cap-std opens them.
    pub fn disk(&self, _case: &Case) -> NativeDisk {
        let open = |(root, path): &(Root, PathBuf)| {
            (
                root.clone(),
                Dir::open_ambient_dir(path, ambient_authority()).unwrap(),
            )
        };
        NativeDisk::new(self.roots.iter().map(open).collect())
    }
}

fn make(root: &Path, entry: &Entry) {
    let path = root.join(&entry.path);
    if entry.dir {
        fs::create_dir_all(&path).unwrap();
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if let Some(target) = &entry.symlink {
        #[cfg(unix)]
        std::os::unix::fs::symlink(target, &path).unwrap();
        let _ = target;
    } else if entry.fifo {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{CWD, FileType, Mode};
            let mode = Mode::from_raw_mode(0o644);
            rustix::fs::mknodat(CWD, &path, FileType::Fifo, mode, 0).unwrap();
        }
    } else {
        fs::write(&path, entry.content()).unwrap();
        set_time(&path, entry.mtime.unwrap_or(MODIFIED));
    }
}

fn set_directory_times(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            set_directory_times(&entry.path());
            set_time(&entry.path(), MODIFIED);
        }
    }
}

fn set_time(path: &Path, seconds: u64) {
    let time = UNIX_EPOCH + Duration::from_secs(seconds);
    fs::File::open(path).unwrap().set_modified(time).unwrap();
}
