//! The documents that one instance works on.

use std::rc::Rc;

use docent_api::types::Error;
use docent_rank::embedder::Embedder;
use docent_tree::disk::Disk;
use docent_tree::ignore::excluded::Excluded;
use docent_tree::included::Included;
use docent_tree::locate::{
    self, Absence, ChosenRoot, File, LocateError, LocateRules, Located, Start, TargetKind,
};
use docent_tree::path::RelPath;
use docent_tree::refusal::not_found;

use crate::store::Store;

/// The documents of one disk: where they lie, what the configuration leaves out, and what is
/// remembered of them.
#[derive(Debug)]
pub struct Corpus<D> {
    /// The granted directories.
    pub disk: D,
    /// Name of the root that is meant where a request names none; none for the first one.
    pub default_root: Option<String>,
    /// What the configuration leaves out.
    pub exclude: Excluded,
    /// What is remembered.
    pub store: Store,
    /// Who tells what texts mean.
    pub embedder: Rc<dyn Embedder>,
}

impl<D: Disk> Corpus<D> {
    /// Returns the root that a request means.
    ///
    /// # Errors
    /// Those of [`locate::choose_root`].
    pub fn choose_root(&self, requested: Option<&str>) -> Result<ChosenRoot, Error> {
        locate::choose_root(&self.disk, self.default_root.as_deref(), requested)
    }

    /// Opens what `path` leads to in root `root`, under the rules of the configuration and of ignore
    /// files.
    ///
    /// # Errors
    /// Those of [`locate::locate`].
    pub fn locate(
        &self,
        root: usize,
        path: &RelPath,
        target: TargetKind,
    ) -> Result<Located<D::Directory>, LocateError> {
        self.locate_among(root, path, target, Included::default())
    }

    /// Does the same as [`Self::locate`], and serves what is `included` although rules leave it out.
    ///
    /// # Errors
    /// As there.
    pub fn locate_among(
        &self,
        root: usize,
        path: &RelPath,
        target: TargetKind,
        included: Included,
    ) -> Result<Located<D::Directory>, LocateError> {
        let rules = LocateRules {
            exclude: &self.exclude,
            included,
        };
        locate::locate(&self.disk, rules, root, path, target)
    }

    /// Opens the directory at `path` in root `root`, for a walk to start at.
    ///
    /// # Errors
    /// Those of [`locate::locate`]: what is not there, or no directory.
    pub fn directory(&self, root: usize, path: &RelPath) -> Result<Start<D::Directory>, Error> {
        self.directory_among(root, path, Included::default())
    }

    /// Does the same as [`Self::directory`], and opens what is `included` although rules leave it out.
    ///
    /// # Errors
    /// As there.
    pub fn directory_among(
        &self,
        root: usize,
        path: &RelPath,
        included: Included,
    ) -> Result<Start<D::Directory>, Error> {
        match self.locate_among(root, path, TargetKind::Directory, included)? {
            Located::Directory(start) => Ok(start),
            // Cannot be: what is not of the kind that was asked for is refused.
            Located::File(_) => Err(not_found(path)),
        }
    }

    /// Returns why nothing is served at `path`.
    pub fn absence(&self, root: usize, path: &RelPath) -> Absence {
        locate::absence(&self.disk, &self.exclude, root, path)
    }

    /// Opens the sensitive file that `path` leads to in a root whose grant consents to that.
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
