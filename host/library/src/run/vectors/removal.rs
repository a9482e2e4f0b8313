//! Removal of vector folders that are no longer needed.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::file::{COUNTS, FILE, LOCK, NEW, NEW_COUNTS};
use super::key::KEY_BYTES;

/// Removes the folders of vectors in `directory` for whose names `is_needless` returns true, and
/// returns the number of removed folders. A folder stays if it contains anything but vectors, if a
/// program uses it, or if something in it was opened or written since `since`.
///
/// # Errors
/// If the directory exists and cannot be listed.
pub fn remove_vectors_ambient(
    directory: &Path,
    is_needless: impl Fn(&str) -> bool,
    since: SystemTime,
) -> io::Result<usize> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut removed = 0;
    for entry in entries {
        let entry = entry?;
        let is_named = entry.file_name().to_str().is_some_and(&is_needless);
        // A symbolic link is not followed. Its target was not created here, and removing a tree
        // through it could remove somebody's files.
        if is_named && entry.file_type()?.is_dir() {
            // A folder that cannot be removed now stays, and is tried again at the next
            // cleanup.
            removed += usize::from(remove_folder(&entry.path(), since).unwrap_or(false));
        }
    }
    Ok(removed)
}

/// Removes a folder, and returns true if it was removed.
fn remove_folder(folder: &Path, since: SystemTime) -> io::Result<bool> {
    let mut files = Vec::new();
    if fs::symlink_metadata(folder)?.modified()? > since {
        return Ok(false);
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let found = entry.metadata()?;
        let path = entry.path();
        if !found.is_file() || ending(&path).is_none() || found.modified()? > since {
            return Ok(false);
        }
        files.push(path);
    }
    // The locks are taken before the first file is removed and held until all are gone. A
    // program that opens a model meanwhile finds its lock taken and only reads; without the
    // locks it could append to a file that has no name any more.
    let mut locks = Vec::new();
    for path in files.iter().filter(|path| ending(path) == Some(LOCK)) {
        let lock = OpenOptions::new().write(true).open(path)?;
        if lock.try_lock().is_err() {
            return Ok(false);
        }
        locks.push(lock);
    }
    // The files that the locks protect are removed first, the lock files last. A lock file that
    // is gone can be created and locked again by another program while its vectors are still
    // being removed.
    files.sort_by_key(|path| ending(path) == Some(LOCK));
    for path in &files {
        fs::remove_file(path)?;
    }
    // `remove_dir` only removes an empty directory: if somebody has created something in it
    // meanwhile, it stays.
    fs::remove_dir(folder)?;
    Ok(true)
}

/// Returns the extension of a file of a model; none if it is not such a file.
fn ending(path: &Path) -> Option<&'static str> {
    let model = path.file_stem()?.to_str()?;
    let is_key = model.len() == 2 * KEY_BYTES && model.bytes().all(|byte| byte.is_ascii_hexdigit());
    let ending = path.extension()?.to_str()?;
    let mut known = [FILE, LOCK, NEW, COUNTS, NEW_COUNTS].into_iter();
    let known = known.find(|known| *known == ending);
    known.filter(|_| is_key)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::file::{SizeLimit, VectorFile};
    use super::super::key::Key;
    use super::*;

    /// Creates a folder with the vectors of a model, and returns the open file.
    fn folder(directory: &Path, name: &str) -> VectorFile {
        let model = Key([7; KEY_BYTES]);
        let opened =
            VectorFile::open_ambient(&directory.join(name), model, 3, SizeLimit::new(1 << 20), 0);
        opened.unwrap().0
    }

    fn left(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_needed_used_or_of_others_stays() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("served");
        let later = SystemTime::now() + Duration::from_secs(60);
        let removed = |since| remove_vectors_ambient(&directory, |name| name != "kept", since);
        assert_eq!(removed(later).unwrap(), 0);
        for name in ["kept", "gone", "foreign", "deep"] {
            drop(folder(&directory, name));
        }
        let used = folder(&directory, "used");
        fs::write(directory.join("foreign/notes.md"), "mine").unwrap();
        fs::create_dir(directory.join("deep").join("x")).unwrap();
        fs::create_dir(directory.join("empty")).unwrap();
        fs::write(directory.join("file"), "").unwrap();
        #[cfg(unix)]
        {
            drop(folder(home.path(), "elsewhere"));
            let target = home.path().join("elsewhere");
            std::os::unix::fs::symlink(target, directory.join("link")).unwrap();
        }
        let before = left(&directory);
        assert_eq!(removed(SystemTime::UNIX_EPOCH).unwrap(), 0);
        assert_eq!(left(&directory), before);
        assert_eq!(removed(later).unwrap(), 2);
        let mut expected = before;
        expected.retain(|name| name != "gone" && name != "empty");
        assert_eq!(left(&directory), expected);
        assert_eq!(left(&directory.join("foreign")).len(), 3);
        #[cfg(unix)]
        assert_eq!(left(&home.path().join("elsewhere")).len(), 2);
        drop(used);
        assert_eq!(removed(later).unwrap(), 1);
        assert!(!directory.join("used").exists());
        // A folder that is used again gets a new file.
        assert!(folder(&directory, "used").is_ours());
    }
}
