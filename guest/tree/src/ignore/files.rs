//! The ignore files of one directory, read into rules.

use std::rc::Rc;

use crate::disk::{Directory, Failure, Stamp};
use crate::door::{Denied, Extent, Stamps, Vetted};
use crate::ignore::rules::{Chain, IGNORE_FILES, Rules};
use crate::limits::{IGNORE_BYTES, IGNORE_PATTERNS};

/// Which of [`IGNORE_FILES`] a directory has.
pub type Presence = [bool; IGNORE_FILES.len()];

/// Any of them may be there; it is found out by opening them.
pub const UNLISTED: Presence = [true; IGNORE_FILES.len()];

/// What the ignore files of a directory say.
#[derive(Debug, Default)]
pub struct IgnoreFiles {
    /// Their rules.
    pub rules: Rules,
    /// The stamp of each that was read, where one was wanted and the platform has one.
    pub stamps: [Option<Stamp>; IGNORE_FILES.len()],
    /// Whether each that is there was read and has a stamp: only then do equal stamps mean equal
    /// rules.
    pub is_complete: bool,
}

impl IgnoreFiles {
    /// Reads those that are present in a directory below one with the rules `above`, and names to
    /// `failed` each that cannot be read, or has more patterns than there may be. What cannot be
    /// read rules nothing: a directory is never hidden by mistake without a word.
    pub fn read<T: Directory>(
        directory: &Vetted<T>,
        presence: Presence,
        above: Option<&Chain>,
        stamps: Stamps,
        mut failed: impl FnMut(&str, Failure),
    ) -> Self {
        let most = IGNORE_PATTERNS.saturating_sub(above.map_or(0, Chain::patterns));
        let mut files = Self {
            is_complete: true,
            ..Self::default()
        };
        // In this order, for the last rule that matches decides: `.docentignore` has the last word.
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

    /// Returns the chain of the directory at `path`: that of the directory above it, with these
    /// rules before it where there are any.
    pub fn extend(self, parent: Option<Rc<Chain>>, path: &str) -> Option<Rc<Chain>> {
        if self.rules.is_empty() {
            return parent;
        }
        Some(Rc::new(Chain::new(parent, self.rules, path)))
    }
}
