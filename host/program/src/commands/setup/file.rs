//! Configuration files on disk: read in full, and replaced atomically.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process;

/// Maximum bytes of a configuration file. Clients keep state of some megabytes in theirs.
const MAX_BYTES: u64 = 64 << 20;

/// Suffix of a copy's name.
const COPY: &str = "before-docent";

/// Maximum copies of one file. A file with so many copies is not written.
const MAX_COPIES: u32 = 1000;

/// A configuration file as it was read.
pub struct ConfigFile {
    /// Path of the file, with all links followed.
    target: PathBuf,
    /// Original file; none if it did not exist.
    old: Option<OriginalFile>,
}

struct OriginalFile {
    text: String,
    metadata: Metadata,
}

impl ConfigFile {
    /// Reads a file that may not exist. A symbolic link is followed, as the client follows it.
    ///
    /// # Errors
    /// Returns the reason for which it cannot be changed safely.
    pub fn read_ambient(path: &Path) -> Result<Self, String> {
        let target = match fs::canonicalize(path) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return match fs::symlink_metadata(path) {
                    Ok(_) => Err("a broken symbolic link".to_owned()),
                    Err(_) => Ok(Self {
                        target: path.to_owned(),
                        old: None,
                    }),
                };
            }
            Err(error) => return Err(format!("it cannot be read: {error}")),
        };
        let old = read_ambient(&target)?;
        Ok(Self {
            target,
            old: Some(old),
        })
    }

    /// Returns true if the file exists.
    pub fn is_there(&self) -> bool {
        self.old.is_some()
    }

    /// Returns the text of the file; empty if it does not exist.
    pub fn text(&self) -> &str {
        self.old.as_ref().map_or("", |old| &old.text)
    }

    /// Replaces the file by one with this text, and keeps a copy of the old one beside it. Returns
    /// the path of the copy.
    ///
    /// # Errors
    /// Returns the reason for which the file is unchanged; it never contains a part of the text.
    pub fn write_ambient(&self, text: &str) -> Result<Option<PathBuf>, String> {
        let failed = |error: io::Error| format!("it cannot be written: {error}");
        let copy = match &self.old {
            Some(old) => Some(copy_ambient(&self.target, old).map_err(failed)?),
            None => {
                let directory = self.target.parent().unwrap_or(Path::new(""));
                fs::create_dir_all(directory).map_err(failed)?;
                None
            }
        };
        let temporary = path_beside(&self.target, &format!("docent-{}.tmp", process::id()));
        let written = self.replace_ambient(&temporary, text);
        if written.is_err() {
            // The first failure is reported, even if the cleanup fails as well. The copy is
            // removed too: without a change there is nothing to go back from.
            let _ = fs::remove_file(&temporary);
            if let Some(copy) = &copy {
                let _ = fs::remove_file(copy);
            }
        }
        written.map(|()| copy)
    }

    fn replace_ambient(&self, temporary: &Path, text: &str) -> Result<(), String> {
        let failed = |error: io::Error| format!("it cannot be written: {error}");
        let old = self.old.as_ref();
        create_ambient(temporary, text, old.map(|old| &old.metadata)).map_err(failed)?;
        // Clients write to these files too, and some keep state of megabytes in them. The file
        // is read again just before the rename, and left alone if it has changed: a concurrent
        // change must not be lost. What remains are the few microseconds between the two.
        let now = match fs::symlink_metadata(&self.target) {
            Ok(_) => Some(read_ambient(&self.target)?.text),
            Err(_) => None,
        };
        if now.as_deref() != old.map(|old| old.text.as_str()) {
            return Err(
                "it was changed meanwhile and is left as it is; run docent setup again".to_owned(),
            );
        }
        fs::rename(temporary, &self.target).map_err(failed)?;
        if let Some(directory) = self.target.parent() {
            // The file is already renamed. A failed sync of its directory does not undo that,
            // and is no reason to report the change as failed.
            let _ = File::open(directory).and_then(|directory| directory.sync_all());
        }
        Ok(())
    }
}

fn read_ambient(target: &Path) -> Result<OriginalFile, String> {
    let failed = |error: io::Error| format!("it cannot be read: {error}");
    // The kind is checked before the file is opened, because opening a FIFO waits for a writer.
    if !fs::metadata(target).map_err(failed)?.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let file = File::open(target).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    let mut bytes = Vec::new();
    let mut limited = file.take(MAX_BYTES + 1);
    limited.read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it has more than {MAX_BYTES} bytes"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        format!("line {line}: not UTF-8; the file is left as it is")
    })?;
    Ok(OriginalFile { text, metadata })
}

/// Returns the path of `target` with a suffix appended to its name.
fn path_beside(target: &Path, ending: &str) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// Writes a copy under the first free name.
fn copy_ambient(target: &Path, old: &OriginalFile) -> io::Result<PathBuf> {
    for number in 1..=MAX_COPIES {
        let copy = match number {
            1 => path_beside(target, COPY),
            number => path_beside(target, &format!("{COPY}.{number}")),
        };
        match create_ambient(&copy, &old.text, Some(&old.metadata)) {
            Ok(()) => return Ok(copy),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!(
        "there are already {MAX_COPIES} copies of it; remove some"
    )))
}

/// Creates a file that only its owner can read, copies the owner and the permissions of another,
/// and writes it to disk.
fn create_ambient(path: &Path, text: &str, like: Option<&Metadata>) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    // The file is created with mode 0600 and gets the old permissions only afterwards.
    // Configuration files have API keys; a file that is wider for a moment may be opened in
    // that moment. The owner is set before the permissions, since changing it can clear
    // permission bits.
    if let Some(like) = like {
        #[cfg(unix)]
        keep_owner(&file, like)?;
        file.set_permissions(like.permissions())?;
    }
    file.sync_all()
}

/// Copies the owner of a file: a program that runs as root would otherwise create a file of root,
/// which the client cannot read.
#[cfg(unix)]
fn keep_owner(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};

    let own = file.metadata()?;
    if (own.uid(), own.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    fchown(file, Some(like.uid()), Some(like.gid()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_its_copies_are_numbered() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.json");
        fs::write(&path, "one").unwrap();
        let copy = |name: &str| directory.path().canonicalize().unwrap().join(name);
        for (old, new, name) in [
            ("one", "two", "config.json.before-docent"),
            ("two", "three", "config.json.before-docent.2"),
        ] {
            let file = ConfigFile::read_ambient(&path).unwrap();
            assert_eq!(file.text(), old);
            assert_eq!(file.write_ambient(new), Ok(Some(copy(name))));
            assert_eq!(fs::read_to_string(&path).unwrap(), new);
            assert_eq!(fs::read_to_string(copy(name)).unwrap(), old);
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
    }

    #[test]
    fn a_missing_file_is_made_with_its_directory() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/er/config.json");
        let file = ConfigFile::read_ambient(&path).unwrap();
        assert!(!file.is_there());
        assert_eq!(file.write_ambient("new"), Ok(None));
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn a_change_of_somebody_else_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.json");
        let missing = ConfigFile::read_ambient(&path).unwrap();
        fs::write(&path, "theirs").unwrap();
        let problem = missing.write_ambient("ours").unwrap_err();
        assert!(problem.contains("changed meanwhile"), "{problem}");
        let there = ConfigFile::read_ambient(&path).unwrap();
        fs::write(&path, "theirs, later").unwrap();
        let problem = there.write_ambient("ours").unwrap_err();
        assert!(problem.contains("changed meanwhile"), "{problem}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs, later");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_not_text_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.json");
        let problem = ConfigFile::read_ambient(directory.path()).err();
        assert_eq!(problem.as_deref(), Some("it is not a regular file"));
        fs::write(&path, b"{\n\xff").unwrap();
        let problem = ConfigFile::read_ambient(&path).err();
        assert_eq!(
            problem.as_deref(),
            Some("line 2: not UTF-8; the file is left as it is")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let directory = tempfile::tempdir().unwrap();
        let (target, link) = (
            directory.path().join("target"),
            directory.path().join("link"),
        );
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("target", &link).unwrap();
        let file = ConfigFile::read_ambient(&link).unwrap();
        let copy = file.write_ambient("new").unwrap().unwrap();
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("target"));
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        for path in [&target, &copy] {
            let mode = fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o640, "{}", path.display());
        }
        fs::remove_file(&target).unwrap();
        let problem = ConfigFile::read_ambient(&link).err();
        assert_eq!(problem.as_deref(), Some("a broken symbolic link"));
    }
}
