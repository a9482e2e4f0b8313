//! The descent to an entry, one name at a time.

use std::rc::Rc;

use crate::disk::{Directory, Kind};
use crate::door::Vetted;
use crate::ignore::rules::RuleChain;
use crate::locate::{LocateError, LocateRules, TargetKind, own_rules};
use crate::path::RelPath;
use crate::sensitive::is_sensitive_file;

/// A directory on the way.
pub(crate) struct DirectoryLevel<T> {
    pub(crate) directory: Vetted<T>,
    /// Rules of the directories above it.
    pub(crate) above: Option<Rc<RuleChain>>,
    /// Path, as on disk.
    pub(crate) real: RelPath,
}

/// A directory on the way whose ignore files were read.
pub(crate) struct EnteredDirectory<T> {
    pub(crate) directory: Vetted<T>,
    rules: Option<Rc<RuleChain>>,
    real: RelPath,
}

/// The entry of the next name.
pub(crate) enum ResolvedEntry<T> {
    /// A directory.
    Down(DirectoryLevel<T>),
    /// A file.
    File {
        /// Path, as on disk.
        real: RelPath,
        /// Name in its directory.
        name: String,
    },
}

impl<T: Directory> DirectoryLevel<T> {
    pub(crate) fn root(directory: Vetted<T>, above: Option<Rc<RuleChain>>) -> Self {
        Self {
            directory,
            above,
            real: RelPath::default(),
        }
    }

    pub(crate) fn enter(self) -> EnteredDirectory<T> {
        let rules = own_rules(&self.directory, self.above, self.real.as_str());
        EnteredDirectory {
            directory: self.directory,
            rules,
            real: self.real,
        }
    }
}

impl<T: Directory> EnteredDirectory<T> {
    /// Resolves the next name of `path`; the last one must be of the kind `last`.
    pub(crate) fn step(
        &self,
        rules: LocateRules<'_>,
        path: &RelPath,
        segment: &str,
        last: Option<TargetKind>,
    ) -> Result<ResolvedEntry<T>, LocateError> {
        let directory = &self.directory;
        let name = directory
            .real_name(segment)
            .map_err(|failure| LocateError::disk_error(path, failure))?
            .ok_or_else(|| LocateError::hidden_error(path))?;
        // Rules and answers use the name on disk, refusals the requested one. The two differ if the
        // name was written in another normal form, and a pattern of an ignore file is compared with
        // the names that a walk would find.
        let mut real = self.real.clone();
        real.push(&name);
        let kind = directory
            .metadata(&name)
            .map(|metadata| metadata.kind)
            .map_err(|failure| LocateError::disk_error(path, failure))?;
        let is_directory = kind == Kind::Directory;
        let refusal = rules.refusal(path, &real, is_directory, self.rules.as_deref());
        match kind {
            Kind::Directory => {
                if let Some(refusal) = refusal {
                    return Err(refusal);
                }
                if last == Some(TargetKind::File) {
                    return Err(LocateError::NotADocument(path.clone()));
                }
                let below = directory
                    .directory(&name)
                    .map_err(|denied| LocateError::denied_error(path, denied))?;
                Ok(ResolvedEntry::Down(DirectoryLevel {
                    directory: below,
                    above: self.rules.clone(),
                    real,
                }))
            }
            Kind::File if last.is_some() => {
                // The name is checked again: `refuse_by_name` has checked the requested one, and
                // the name on disk may be another normal form of it.
                if is_sensitive_file(&name) {
                    return Err(LocateError::Sensitive(path.clone()));
                }
                if let Some(refusal) = refusal {
                    return Err(refusal);
                }
                if last == Some(TargetKind::Directory) {
                    return Err(LocateError::NotADirectory(path.clone()));
                }
                Ok(ResolvedEntry::File { real, name })
            }
            // Links and devices are never opened. They seem not to exist, and so does a path that
            // continues after a file. `absence` distinguishes them for callers that want to write.
            _ => Err(LocateError::hidden_error(path)),
        }
    }
}
