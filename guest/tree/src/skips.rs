//! Entries that were not examined, with the reasons.

use docent_api::types::{SkipReason, Skipped, SkippedEntry};

use crate::disk::Failure;
use crate::limits::SKIPPED_SHOWN;

/// A collector of entries that were not examined, in the order of the walk.
#[derive(Debug, Default)]
pub struct Skips {
    count: u32,
    shown: Vec<SkippedEntry>,
    /// Counts of entries left out as intended.
    pub left_out: LeftOut,
}

/// The counts of entries left out as intended: a directory counts once, whatever its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Entries whose names begin with a dot.
    pub hidden: u32,
    /// Entries excluded by a rule.
    pub ignored: u32,
    /// Entries whose names say that they may contain secrets.
    pub sensitive: u32,
    /// Files of kinds that were not requested.
    pub other_kinds: u32,
    /// Files that turned out to be binary.
    pub binary: u32,
    /// Files over the maximum size.
    pub too_large: u32,
    /// Files that could not be read, or decoded for certain.
    pub unreadable: u32,
}

impl LeftOut {
    /// Counts a file that could not be examined.
    pub fn add(&mut self, reason: SkipReason) {
        let count = match reason {
            SkipReason::Binary => &mut self.binary,
            SkipReason::TooLarge => &mut self.too_large,
            _ => &mut self.unreadable,
        };
        *count = count.saturating_add(1);
    }

    /// Adds counts from elsewhere.
    pub fn append(&mut self, other: Self) {
        // Destructured, so that a field added later cannot be forgotten here.
        let Self {
            hidden,
            ignored,
            sensitive,
            other_kinds,
            binary,
            too_large,
            unreadable,
        } = other;
        for (own, other) in [
            (&mut self.hidden, hidden),
            (&mut self.ignored, ignored),
            (&mut self.sensitive, sensitive),
            (&mut self.other_kinds, other_kinds),
            (&mut self.binary, binary),
            (&mut self.too_large, too_large),
            (&mut self.unreadable, unreadable),
        ] {
            *own = own.saturating_add(other);
        }
    }
}

/// A saved state of [`Skips`].
#[derive(Clone, Copy, Debug, Default)]
pub struct SkipMark {
    count: u32,
    shown: usize,
}

impl Skips {
    /// Adds the entry at `path`.
    pub fn add(&mut self, path: &str, reason: SkipReason) {
        self.add_many(path, reason, 1);
    }

    /// Adds `count` entries that are shown as `path`, the path of their directory.
    pub fn add_many(&mut self, path: &str, reason: SkipReason, count: u32) {
        self.count = self.count.saturating_add(count);
        let path = if path.is_empty() { "." } else { path };
        // The loop ends when enough entries are shown, not after `count` turns: a directory may
        // contain a million names that are not UTF-8.
        for _ in 0..count {
            if self.shown.len() == SKIPPED_SHOWN {
                return;
            }
            self.shown.push(SkippedEntry {
                path: path.to_owned(),
                reason,
            });
        }
    }

    /// Appends skipped and left-out entries from elsewhere.
    pub fn append(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        let room = SKIPPED_SHOWN - self.shown.len();
        self.shown.extend(other.shown.into_iter().take(room));
        self.left_out.append(other.left_out);
    }

    /// Returns the current state.
    pub fn mark(&self) -> SkipMark {
        SkipMark {
            count: self.count,
            shown: self.shown.len(),
        }
    }

    /// Drops the entries added since `mark`.
    pub fn rewind(&mut self, mark: SkipMark) {
        // A page may end after the walk has already skipped entries beyond its last result. They
        // are reported by the next page, which begins there, and only by that page; otherwise both
        // would count them.
        self.count = mark.count;
        self.shown.truncate(mark.shown);
    }

    /// Returns the form of answers.
    pub fn finish(self) -> Skipped {
        Skipped {
            count: self.count,
            entries: self.shown,
        }
    }
}

/// Converts a failure of the disk to the reason shown in answers.
pub fn reason(failure: Failure) -> SkipReason {
    match failure {
        Failure::NotFound => SkipReason::Vanished,
        Failure::Permission => SkipReason::Permission,
        Failure::Symlink => SkipReason::Symlink,
        Failure::WrongKind => SkipReason::NotRegular,
        Failure::MountPoint => SkipReason::MountPoint,
        Failure::TooLarge => SkipReason::TooLarge,
        Failure::Io => SkipReason::Io,
        Failure::Container(failure) | Failure::Member(failure) => failure.skip_reason(),
    }
}
