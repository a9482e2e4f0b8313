//! Paths of the commands that write, the directory to grant to them, and texts on the command line.

use std::env;
use std::fmt::Display;
use std::fs::{self, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use docent_host::grant::RootSpec;

use super::App;
use super::spelling::as_listed_ambient;
use crate::config::{Setup, StatePlace};
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::style::visible;
use crate::writing::command_root::RootCandidates;

/// Maximum bytes of a text on the command line or in a file: more than any file that docent writes.
const TEXT_BYTES: u64 = 64 << 20;

/// The treatment of the last segment of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// Its target, with links followed.
    Target,
    /// The entry itself, even if it is a link.
    Name,
}

impl App {
    /// Returns the directory to which a command about `files` writes.
    pub fn choose_root(&self, setup: &Setup, files: &[PathBuf]) -> Option<RootSpec> {
        let configured = setup.roots.iter().filter_map(|root| {
            let path = root.path.canonicalize().ok()?;
            Some(RootSpec {
                path,
                ..root.clone()
            })
        });
        let state = match &setup.state {
            StatePlace::Directory(directory) => self.resolve(directory, Last::Target).ok(),
            StatePlace::None => None,
        };
        let configured: Vec<RootSpec> = configured.collect();
        RootCandidates {
            files,
            here: self.current_directory().as_deref(),
            configured: &configured,
            state: state.as_deref(),
            // `.git` is a directory in a clone, and a file in additional work trees and in
            // submodules.
            is_repository: &|directory| directory.join(".git").exists(),
            device: &device_ambient,
        }
        .choose()
    }

    /// Returns the current directory without links; none if it was removed.
    pub fn current_directory(&self) -> Option<PathBuf> {
        env::current_dir().and_then(fs::canonicalize).ok()
    }

    /// Returns true if a path exists.
    pub fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    /// Returns true if a path leads to a directory.
    pub fn is_directory(&self, path: &Path) -> bool {
        path.is_dir()
    }

    /// Returns the metadata of an entry, even if it is a link.
    ///
    /// # Errors
    /// Returns an error if there is no entry.
    pub fn metadata(&self, path: &Path) -> Result<Metadata, CommandError> {
        fs::symlink_metadata(as_listed_ambient(path))
            .map_err(|error| unusable(path, format_args!("cannot be opened: {error}")))
    }

    /// Resolves the path of an entry, without links.
    ///
    /// # Errors
    /// Returns the error of the system if there is none.
    pub fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize()
    }

    /// Resolves the path of a file that must exist.
    ///
    /// # Errors
    /// Returns an error if there is no file.
    pub fn resolve_existing(&self, path: &Path) -> Result<PathBuf, CommandError> {
        let listed = as_listed_ambient(path);
        let path = &*listed;
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                Err(unusable(path, "is a directory; expected a file"))
            }
            Ok(_) => self.resolve(path, Last::Target),
            Err(error) => Err(unusable(path, format_args!("cannot be opened: {error}"))),
        }
    }

    /// Resolves the path of a file in the history, which may no longer exist.
    ///
    /// # Errors
    /// Returns an error if there is a directory.
    pub fn resolve_recorded(&self, path: &Path) -> Result<PathBuf, CommandError> {
        let listed = as_listed_ambient(path);
        let path = &*listed;
        if path.is_dir() {
            return Err(unusable(
                path,
                "is a directory; expected a file, or `--root DIR` for all of its history",
            ));
        }
        self.resolve(path, Last::Target)
    }

    /// Resolves a path that need not exist: absolute, with the links of its existing part followed.
    ///
    /// # Errors
    /// Returns an error if no file can have this path.
    pub fn resolve(&self, path: &Path, last: Last) -> Result<PathBuf, CommandError> {
        let listed = as_listed_ambient(path);
        let path = &*listed;
        let no_file = || unusable(path, "names no file");
        if last == Last::Target
            && let Ok(target) = path.canonicalize()
        {
            return Ok(target);
        }
        // `docent write notes/` names a directory. If there is none, resolving would drop the
        // slash, and a file called `notes` would be created.
        let bytes = path.as_os_str().as_encoded_bytes();
        if bytes.ends_with(b"/") && !path.is_dir() {
            return Err(unusable(path, "is not an existing directory"));
        }
        let absolute = std::path::absolute(path).map_err(|error| unusable(path, error))?;
        let mut names = Vec::new();
        let mut above = absolute.as_path();
        // The path is resolved from its nearest existing ancestor on. `..` after an entry that
        // does not exist has no meaning: `new/../a.md` is `a.md` only if `new` is not a link.
        // It has no file name and ends the loop.
        while let (Some(parent), Some(name)) = (above.parent(), above.file_name()) {
            names.push(name);
            match parent.canonicalize() {
                Ok(directory) => return Ok(directory.join(names.iter().rev().collect::<PathBuf>())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => above = parent,
                Err(error) => {
                    return Err(unusable(path, format_args!("cannot be reached: {error}")));
                }
            }
        }
        Err(no_file())
    }

    /// Reads the text of a file, or of stdin for `-`.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, is too long, or is not UTF-8.
    pub fn read_text(&self, path: &Path) -> Result<String, CommandError> {
        let mut bytes = Vec::new();
        let read = if path == Path::new("-") {
            if self.stdin_is_terminal() {
                note("the text is read from the terminal; Ctrl-D ends it");
            }
            let stdin = io::stdin().lock();
            stdin.take(TEXT_BYTES + 1).read_to_end(&mut bytes)
        } else {
            let file = fs::File::open(path);
            file.and_then(|file| file.take(TEXT_BYTES + 1).read_to_end(&mut bytes))
        };
        read.map_err(|error| unusable(path, format_args!("cannot be read: {error}")))?;
        if bytes.len() as u64 > TEXT_BYTES {
            return Err(unusable(
                path,
                format_args!("is longer than a text may be, {TEXT_BYTES} bytes"),
            ));
        }
        String::from_utf8(bytes).map_err(|_| unusable(path, "is not UTF-8; expected a text"))
    }

    /// Runs `work` in a new temporary directory, whose name begins with `prefix`, with one file of
    /// this name and text. Removes the directory at the end.
    ///
    /// # Errors
    /// Returns an error of `work`, or an error if the directory cannot be made or removed.
    pub fn in_new_directory<T, E: From<io::Error>>(
        &self,
        prefix: &str,
        (name, text): (&str, &str),
        work: impl FnOnce(&Path) -> Result<T, E>,
    ) -> Result<T, E> {
        let directory = env::temp_dir().join(format!("{prefix}-{}", std::process::id()));
        // `create_dir` fails if anything has this name already, even a link. Anyone may create
        // entries in the temporary directory, and a link that was put there in advance would
        // lead the file elsewhere.
        fs::create_dir(&directory)?;
        let written = fs::write(directory.join(name), text);
        let done = written.map_err(E::from).and_then(|()| work(&directory));
        // The directory is removed whatever the result of the work, so that a failure leaves
        // nothing behind.
        fs::remove_dir_all(&directory)?;
        done
    }
}

/// Returns the device of a directory; of its nearest existing ancestor if it does not exist.
#[cfg(unix)]
fn device_ambient(directory: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = directory
        .ancestors()
        .find_map(|there| there.metadata().ok());
    metadata.map(|metadata| metadata.dev())
}

/// Returns nothing: on these systems, only the guard can detect another file system.
#[cfg(not(unix))]
fn device_ambient(_: &Path) -> Option<u64> {
    None
}

fn unusable(path: &Path, problem: impl Display) -> CommandError {
    let shown = path.display().to_string();
    CommandError::Usage(format!("`{}` {problem}", visible(&shown)))
}
