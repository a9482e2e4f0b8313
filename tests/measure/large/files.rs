//! A million small files: in a tree, and as hard links in one flat directory.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Number of files.
pub const FILES: usize = 1_000_000;

/// Number of files of the trees whose instructions are counted.
pub const FEW: usize = 20_000;

/// Number of files per directory.
const PER_DIRECTORY: usize = 50;

/// Number of directories per area: [`FEW`] files.
const TOPICS: usize = FEW / PER_DIRECTORY;

/// One of so many files has a line of text and takes a block; the others are empty.
const WRITTEN: usize = 10;

/// Range of the files' change times, in seconds since 1970: a hundred days from the first day of
/// 2026 on.
const CHANGED: (u64, u64) = (1_767_225_600, 1_775_865_600);

/// Returns the tree of [`FILES`] files below `home`, after creating it if it is incomplete.
///
/// # Errors
/// If it cannot be written.
pub fn tree(home: &Path) -> Result<PathBuf, Box<dyn Error>> {
    made(home, "files", |directory| {
        // Reproducible times without an order: a generator modulo a power of two that visits each
        // value once.
        let mut random: u64 = 1;
        for number in 0..FILES {
            let path = place(directory, number);
            if number.is_multiple_of(PER_DIRECTORY) {
                fs::create_dir_all(path.parent().ok_or("a file lies in a folder")?)?;
            }
            let text = if number.is_multiple_of(WRITTEN) {
                format!("{number}\n")
            } else {
                String::new()
            };
            fs::write(&path, text)?;
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let seconds = CHANGED.0 + (random >> 33) % (CHANGED.1 - CHANGED.0);
            fs::File::open(&path)?.set_modified(UNIX_EPOCH + Duration::from_secs(seconds))?;
        }
        Ok(())
    })
}

/// Returns the part of the tree with [`FEW`] files.
pub fn part(tree: &Path) -> PathBuf {
    tree.join("area-00")
}

/// Returns one directory of `count` names for the files of the tree, after creating it if it is
/// incomplete. A hard link is a name without another file, so it takes little of the disk.
///
/// # Errors
/// If it cannot be written.
pub fn flat(home: &Path, tree: &Path, count: usize) -> Result<PathBuf, Box<dyn Error>> {
    made(home, &format!("flat-{count}"), |directory| {
        fs::create_dir_all(directory)?;
        for number in 0..count {
            let name = format!("note-{number:07}.md");
            fs::hard_link(place(tree, number % FILES), directory.join(name))?;
        }
        Ok(())
    })
}

/// Returns the path of a file in the tree.
fn place(tree: &Path, number: usize) -> PathBuf {
    let topic = number / PER_DIRECTORY;
    tree.join(format!(
        "area-{:02}/topic-{topic:05}/note-{:03}.md",
        topic / TOPICS,
        number % PER_DIRECTORY
    ))
}

/// Returns a directory below `home`, after `make` has filled it if it is incomplete.
fn made(
    home: &Path,
    name: &str,
    make: impl FnOnce(&Path) -> Result<(), Box<dyn Error>>,
) -> Result<PathBuf, Box<dyn Error>> {
    let (directory, complete) = (home.join(name), home.join(format!("{name}-complete")));
    if !complete.exists() {
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        eprintln!("making {}", directory.display());
        make(&directory)?;
        fs::write(&complete, "")?;
    }
    Ok(directory)
}
