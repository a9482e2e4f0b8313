//! A case's tree as files on disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use docent_fs::NativeDisk;
use docent_tree::disk::Root;
use tempfile::TempDir;

use crate::case::{Case, Entry, MODIFIED};

/// A temporary directory with a directory for each root.
pub struct Tree {
    temporary: TempDir,
    has_state: bool,
    /// Name, right and directory of each root.
    pub roots: Vec<(Root, PathBuf)>,
}

impl Tree {
    /// Creates the tree of a case; none, with the reason on standard error, if this system does not
    /// support its files.
    ///
    /// # Panics
    /// If the system fails to create them.
    pub fn make(case: &Case) -> Option<Self> {
        if cfg!(not(unix))
            && case
                .tree
                .iter()
                .any(|entry| entry.fifo || entry.symlink.is_some() || entry.unnamed > 0)
        {
            eprintln!(
                "left out: {}: this system has no links, FIFOs or such names",
                case.name
            );
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
                        path: None,
                        name,
                    },
                    path,
                )
            })
            .collect();
        let of = |entry: &Entry| {
            let root = match &entry.root {
                Some(name) => roots.iter().find(|(root, _)| root.name == *name),
                None => roots.first(),
            };
            &root.expect("the case names its roots").1
        };
        for entry in &case.tree {
            make(of(entry), entry);
        }
        for (_, path) in &roots {
            set_directory_times(path);
            set_time(path, time(i128::from(MODIFIED) * 1_000_000_000));
        }
        for entry in case.tree.iter().filter(|entry| entry.dir) {
            set_time(&of(entry).join(&entry.path), time(entry.modified()));
        }
        Some(Self {
            temporary,
            has_state: case.state,
            roots,
        })
    }

    /// Opens the roots with cap-std.
    ///
    /// # Panics
    /// If one cannot be opened.
    pub fn disk(&self) -> NativeDisk {
        let open = |(root, path): &(Root, PathBuf)| {
            (
                root.clone(),
                Dir::open_ambient_dir(path, ambient_authority()).unwrap(),
            )
        };
        let mut disk = NativeDisk::new(self.roots.iter().map(open).collect());
        for (root, _) in self.roots.iter().filter(|_| self.has_state) {
            let state = self.temporary.path().join(format!(".state-{}", root.name));
            fs::create_dir_all(&state).unwrap();
            let state = Dir::open_ambient_dir(&state, ambient_authority()).unwrap();
            disk = disk.with_state(&root.name, state);
        }
        disk
    }
}

fn make(root: &Path, entry: &Entry) {
    let path = root.join(&entry.path);
    if entry.dir {
        fs::create_dir_all(&path).unwrap();
        #[cfg(unix)]
        for number in 0..entry.unnamed {
            let name = [b"\xFF", number.to_string().as_bytes()].concat();
            let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(&name);
            fs::write(path.join(name), "").unwrap();
        }
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
        let times = fs::FileTimes::new()
            .set_modified(time(entry.modified()))
            .set_accessed(time(entry.accessed()));
        fs::File::open(&path).unwrap().set_times(times).unwrap();
    }
}

fn set_directory_times(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            set_directory_times(&entry.path());
            set_time(&entry.path(), time(i128::from(MODIFIED) * 1_000_000_000));
        }
    }
}

fn set_time(path: &Path, time: SystemTime) {
    fs::File::open(path).unwrap().set_modified(time).unwrap();
}

/// Converts nanoseconds since 1970 to a time.
fn time(nanoseconds: i128) -> SystemTime {
    let seconds = u64::try_from(nanoseconds.unsigned_abs() / 1_000_000_000).unwrap();
    let rest = u32::try_from(nanoseconds.unsigned_abs() % 1_000_000_000).unwrap();
    let distance = Duration::new(seconds, rest);
    if nanoseconds < 0 {
        UNIX_EPOCH - distance
    } else {
        UNIX_EPOCH + distance
    }
}
