//! The ignore files of one directory, parsed into rules.

use std::rc::Rc;

use crate::disk::{Directory, Failure, Stamp};
use crate::door::{Denied, Extent, Stamps, Vetted};
use crate::ignore::rules::{IGNORE_FILES, RuleChain, Rules};
use crate::limits::{IGNORE_BYTES, IGNORE_PATTERNS};

/// The subset of [`IGNORE_FILES`] in a directory.
pub type Presence = [bool; IGNORE_FILES.len()];

/// The set for a directory that was not listed: each of them is tried by opening it.
pub const UNLISTED: Presence = [true; IGNORE_FILES.len()];

/// The parsed ignore files of a directory.
#[derive(Debug, Default)]
pub struct IgnoreFiles {
    /// Rules of the files.
    pub rules: Rules,
    /// Stamp of each file that was read, if one was requested and the platform has one.
    pub stamps: [Option<Stamp>; IGNORE_FILES.len()],
    /// True if each existing file was read and has a stamp: only then do equal stamps mean equal
    /// rules. A file that could not be read has no stamp that would change when it can be read
    /// again.
    pub is_complete: bool,
}

impl IgnoreFiles {
    /// Reads the ignore files present in a directory below one with the rules `above`, and passes
    /// to `failed` each that cannot be read or has too many patterns. Such a file has no effect: a
    /// directory is never hidden silently by mistake.
    pub fn read<T: Directory>(
        directory: &Vetted<T>,
        presence: Presence,
        above: Option<&RuleChain>,
        stamps: Stamps,
        mut failed: impl FnMut(&str, Failure),
    ) -> Self {
        let most = IGNORE_PATTERNS.saturating_sub(above.map_or(0, RuleChain::patterns));
        let mut files = Self {
            is_complete: true,
            ..Self::default()
        };
        // The files are read in this order, because the last matching pattern decides:
        // `.docentignore` overrides `.ignore`, which overrides `.gitignore`. A person can so show
        // docent a directory that git ignores, with `!docs/` in `.docentignore`.
        for (i, name) in IGNORE_FILES.into_iter().enumerate() {
            if !presence[i] {
                continue;
            }
            match directory.read(name, Extent::Whole(IGNORE_BYTES), stamps) {
                Ok(content) => {
                    files.is_complete &= content.stamp.is_some();
                    files.stamps[i] = content.stamp;
                    if files.rules.add_file(&content.bytes, most).is_err() {
                        files.is_complete = false;
                        failed(name, Failure::TooLarge);
                    }
                }
                Err(Denied::Failed(failure)) => {
                    files.is_complete = false;
                    failed(name, failure);
                }
                Err(Denied::Sensitive) => files.is_complete = false,
            }
        }
        files
    }

    /// Returns the chain of the directory at `path`: these rules, if any, before the chain of the
    /// directory above it.
    pub fn extend(self, parent: Option<Rc<RuleChain>>, path: &str) -> Option<Rc<RuleChain>> {
        if self.rules.is_empty() {
            return parent;
        }
        Some(Rc::new(RuleChain::new(parent, self.rules, path)))
    }
}
