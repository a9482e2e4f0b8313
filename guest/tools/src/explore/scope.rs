//! The scope of a request: what each of its paths leads to.

use docent_api::pillars::BlockedPath;
use docent_api::types::{Error, ErrorCode};

use crate::explore::request::{invalid, is_glob, may_be_glob, no_globs};
use docent_tree::disk::Disk;
use docent_tree::glob::Glob;
use docent_tree::ignore::rules::Rules;
use docent_tree::locate::Start;
use docent_tree::locate::{File, Located, Wanted, locate, locate_sensitive};
use docent_tree::path::RelPath;

/// What a path of a request leads to.
pub enum Scope<T> {
    /// A file, and whether it may be sensitive.
    File(File<T>, bool),
    /// A directory.
    Directory(Start<T>),
    /// All files whose path matches, below the root.
    Glob(Box<Glob>, Start<T>),
}

/// Where paths are looked for.
pub struct Places<'a, D> {
    /// The disk.
    pub disk: &'a D,
    /// What the configuration leaves out.
    pub exclude: &'a Rules,
    /// Index of the root.
    pub root: usize,
    /// Whether paths may be globs.
    pub globs: bool,
    /// Whether sensitive files that are named may be opened.
    pub consent: bool,
}

impl<D: Disk> Places<'_, D> {
    /// Returns what a path leads to.
    ///
    /// # Errors
    /// Why it leads nowhere.
    pub fn find(&self, path: &str) -> Result<Scope<D::Directory>, Error> {
        if is_glob(path) {
            return self.glob(path);
        }
        let parsed = RelPath::parse(path)?;
        match self.locate(&parsed) {
            Ok(Located::File(file)) => Ok(Scope::File(file, false)),
            Ok(Located::Directory(start)) => Ok(Scope::Directory(start)),
            Err(error) if error.code == ErrorCode::Sensitive && self.consent => {
                let file = locate_sensitive(self.disk, self.root, &parsed)?;
                Ok(Scope::File(file, true))
            }
            Err(error) if error.code == ErrorCode::DocumentNotFound && may_be_glob(path) => {
                if self.globs {
                    self.glob(path)
                } else {
                    Err(no_globs(path))
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the root itself.
    ///
    /// # Errors
    /// When it is gone.
    pub fn whole(&self) -> Result<Scope<D::Directory>, Error> {
        match self.locate(&RelPath::default())? {
            Located::Directory(start) => Ok(Scope::Directory(start)),
            Located::File(file) => Ok(Scope::File(file, false)),
        }
    }

    fn locate(&self, path: &RelPath) -> Result<Located<D::Directory>, Error> {
        let wanted = Wanted::Any;
        locate(self.disk, self.exclude, self.root, path, wanted)
    }

    fn glob(&self, path: &str) -> Result<Scope<D::Directory>, Error> {
        let glob = Glob::parse(path).map_err(|error| {
            let problem = error.message.replace("`glob`", &format!("`{path}`"));
            invalid(
                problem,
                "Mend the glob in paths, or name files and directories.",
            )
        })?;
        match self.whole()? {
            Scope::Directory(start) => Ok(Scope::Glob(Box::new(glob), start)),
            other => Ok(other),
        }
    }
}

/// Returns the entry that tells why a path was not opened.
pub fn blocked(path: &str, error: Error) -> BlockedPath {
    BlockedPath {
        file_path: path.to_owned(),
        code: error.code,
        message: error.message,
        hint: error.hint,
    }
}
