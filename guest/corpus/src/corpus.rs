//! The corpus: the documents that one instance works on.

use std::rc::Rc;

use docent_api::types::Error;
use docent_rank::embedder::Embedder;
use docent_tree::disk::Disk;
use docent_tree::ignore::excluded::Exclusions;
use docent_tree::included::Inclusions;
use docent_tree::locate::{
    self, Absence, ChosenRoot, File, LocateError, LocateRules, Located, TargetKind, WalkStart,
};
use docent_tree::path::RelPath;
use docent_tree::refusal::not_found;

use crate::store::Store;

/// The documents of one disk, with the exclusions of the configuration and a cache.
#[derive(Debug)]
pub struct Corpus<D> {
    /// Granted directories.
    pub disk: D,
    /// Name of the root used by requests that name none; `None` for the first one.
    pub default_root: Option<String>,
    /// Exclusions of the configuration.
    pub exclude: Exclusions,
    /// Cache of documents.
    pub store: Store,
    /// Embedder for semantic search.
    pub embedder: Rc<dyn Embedder>,
}

impl<D: Disk> Corpus<D> {
    /// Returns the root that a request names.
    ///
    /// # Errors
    /// Those of [`locate::choose_root`].
    pub fn choose_root(&self, requested: Option<&str>) -> Result<ChosenRoot, Error> {
        locate::choose_root(&self.disk, self.default_root.as_deref(), requested)
    }

    /// Opens the file or directory at `path` in root `root`, under the rules of the configuration
    /// and of ignore files.
    ///
    /// # Errors
    /// Those of [`locate::locate`].
    pub fn locate(
        &self,
        root: usize,
        path: &RelPath,
        target: TargetKind,
    ) -> Result<Located<D::Directory>, LocateError> {
        self.locate_among(root, path, target, Inclusions::default())
    }

    /// Does the same as [`Self::locate`], and also serves the `included` entries that rules
    /// exclude.
    ///
    /// # Errors
    /// As there.
    pub fn locate_among(
        &self,
        root: usize,
        path: &RelPath,
        target: TargetKind,
        included: Inclusions,
    ) -> Result<Located<D::Directory>, LocateError> {
        let rules = LocateRules {
            exclude: &self.exclude,
            included,
        };
        locate::locate(&self.disk, rules, root, path, target)
    }

    /// Opens the directory at `path` in root `root` as the start of a walk.
    ///
    /// # Errors
    /// Those of [`locate::locate`], for a missing path or a file.
    pub fn directory(&self, root: usize, path: &RelPath) -> Result<WalkStart<D::Directory>, Error> {
        self.directory_among(root, path, Inclusions::default())
    }

    /// Does the same as [`Self::directory`], and also opens `included` directories that rules
    /// exclude.
    ///
    /// # Errors
    /// As there.
    pub fn directory_among(
        &self,
        root: usize,
        path: &RelPath,
        included: Inclusions,
    ) -> Result<WalkStart<D::Directory>, Error> {
        match self.locate_among(root, path, TargetKind::Directory, included)? {
            Located::Directory(start) => Ok(start),
            Located::File(_) => Err(not_found(path)),
        }
    }

    /// Returns the reason that `path` is not served.
    pub fn absence(&self, root: usize, path: &RelPath) -> Absence {
        locate::absence(&self.disk, &self.exclude, root, path)
    }

    /// Opens the sensitive file at `path` in a root whose grant consents to that.
    ///
    /// # Errors
    /// Those of [`locate::locate_sensitive`].
    pub fn locate_sensitive(
        &self,
        root: usize,
        path: &RelPath,
    ) -> Result<File<D::Directory>, LocateError> {
        locate::locate_sensitive(&self.disk, root, path)
    }
}
