//! What was not examined, and why.

use docent_api::types::{SkipReason, Skipped, SkippedEntry};

use crate::disk::Failure;
use crate::limits::SKIPPED_SHOWN;

/// Collects entries that were not examined, in the order of the walk.
#[derive(Debug, Default)]
pub struct Skips {
    count: u32,
    shown: Vec<SkippedEntry>,
    /// What was passed by without being examined, as it is to be.
    pub left_out: LeftOut,
}

/// How many entries were not examined, as it is to be: a directory counts once, whatever it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Their names begin with a dot.
    pub hidden: u32,
    /// A rule leaves them out.
    pub ignored: u32,
    /// Their names say that they may hold secrets.
    pub sensitive: u32,
    /// Files of kinds that are not asked for.
    pub other_kinds: u32,
    /// Files that turned out not to be text.
    pub binary: u32,
    /// Files over the cap of one.
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

    /// Counts what was counted elsewhere.
    pub fn append(&mut self, other: Self) {
        // Every field by name: one that is added later has to be thought of here.
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

/// A state of [`Skips`] to go back to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    count: u32,
    shown: usize,
}

impl Skips {
    /// Adds the entry at `path`.
    pub fn add(&mut self, path: &str, reason: SkipReason) {
        self.add_many(path, reason, 1);
    }

    /// Adds `count` entries that show as `path`, the path of their directory.
    pub fn add_many(&mut self, path: &str, reason: SkipReason, count: u32) {
        self.count = self.count.saturating_add(count);
        let path = if path.is_empty() { "." } else { path };
        // Ends when enough are shown: a directory may hold a million names that are not UTF-8.
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

    /// Adds what was skipped and left out elsewhere, behind what is here.
    pub fn append(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        let room = SKIPPED_SHOWN - self.shown.len();
        self.shown.extend(other.shown.into_iter().take(room));
        self.left_out.append(other.left_out);
    }

    /// Returns the present state.
    pub fn mark(&self) -> Mark {
        Mark {
            count: self.count,
            shown: self.shown.len(),
        }
    }

    /// Forgets what was added since `mark`.
    pub fn rewind(&mut self, mark: Mark) {
        // What was skipped behind the end of a page is told by the next page, and only there.
        self.count = mark.count;
        self.shown.truncate(mark.shown);
    }

    /// Returns the answer's form.
    pub fn finish(self) -> Skipped {
        Skipped {
            count: self.count,
            entries: self.shown,
        }
    }
}

/// Returns the reason that a failure of the disk is shown as.
pub fn reason(failure: Failure) -> SkipReason {
    match failure {
        Failure::NotFound => SkipReason::Vanished,
        Failure::Permission => SkipReason::Permission,
        Failure::Symlink => SkipReason::Symlink,
        Failure::WrongKind => SkipReason::NotRegular,
        Failure::MountPoint => SkipReason::MountPoint,
        Failure::TooLarge => SkipReason::TooLarge,
        Failure::Io => SkipReason::Io,
    }
}
