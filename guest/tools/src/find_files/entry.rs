//! An entry reached by a scan, and the tests that it must pass.

use std::ops::ControlFlow;

use docent_api::find::TimeField;
use docent_api::types::SkipReason;

use crate::find_files::names::{DirectoryNames, ScanStep};
use crate::find_files::sink::Sink;
use crate::find_files::start::is_ignored;
use docent_tree::disk::{Directory, Kind, Moment, Stat};
use docent_tree::door::Visible;
use docent_tree::glob::{Glob, GlobState};
use docent_tree::ignore::excluded::Exclusions;
use docent_tree::ignore::rules::RuleChain;
use docent_tree::path::push_segment;
use docent_tree::skips::reason;

/// An entry visited by a scan: one of the current directory, or the start itself.
#[derive(Clone, Copy)]
pub struct ScanEntry<'n> {
    /// Name of the entry in the current directory.
    pub name: &'n str,
    /// Kind of the entry when it was listed.
    pub kind: Kind,
    /// Location of the entry.
    pub place: EntryPlace,
}

/// Location of an entry relative to the current directory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EntryPlace {
    /// It is that directory.
    Start,
    /// It is in that directory.
    Below,
}

impl<'n> ScanEntry<'n> {
    /// Returns the entry of a visit, or `None` if the visit enters a directory.
    pub fn from_visit(visit: Option<ScanStep>, names: &'n DirectoryNames) -> Option<Self> {
        match visit {
            Some(ScanStep::Entry(index)) => Some(Self {
                name: names.name(index),
                kind: names.kind(index),
                place: EntryPlace::Below,
            }),
            Some(ScanStep::Start) => Some(Self {
                name: ".",
                kind: Kind::Directory,
                place: EntryPlace::Start,
            }),
            Some(ScanStep::Inside(_)) | None => None,
        }
    }

    /// Replaces the path of the current directory by that of the entry.
    pub fn push_to(&self, path: &mut String) {
        if self.place == EntryPlace::Below {
            push_segment(path, self.name);
        }
    }

    /// Returns true if rules exclude it; `path` is that of the current directory, and is restored.
    pub fn is_ignored(
        &self,
        exclude: &Exclusions,
        chain: Option<&RuleChain>,
        path: &mut String,
    ) -> bool {
        // Without rules no path needs to be built. The start was checked when it was resolved.
        if self.place == EntryPlace::Start || (chain.is_none() && exclude.is_empty()) {
            return false;
        }
        let length = path.len();
        push_segment(path, self.name);
        let is_ignored = is_ignored(exclude, chain, path, self.kind == Kind::Directory);
        path.truncate(length);
        is_ignored
    }

    /// Returns true if the glob matches it; `reached` is the state of the glob in the directory at
    /// `path`.
    pub fn matches(
        &self,
        glob: Option<&mut Glob>,
        reached: Option<&mut GlobState>,
        path: &str,
    ) -> bool {
        match (glob, reached) {
            (Some(glob), Some(_)) if self.place == EntryPlace::Start => {
                glob.matches_path(start_path(path))
            }
            (Some(glob), Some(reached)) => {
                // A link is reported as skipped even if only an entry below its target could
                // match: the scan does not follow links, and the caller should know that
                // something was left out there.
                glob.matches(reached, path, self.name)
                    || (self.kind == Kind::Symlink
                        && glob.enter(reached, path, self.name).is_some())
            }
            _ => true,
        }
    }

    /// Returns its time and its size.
    pub fn examine<T: Directory>(
        &self,
        directory: &Visible<T>,
        field: TimeField,
    ) -> Result<(i64, Option<u64>), SkipReason> {
        match self.kind {
            Kind::File | Kind::Directory => directory
                .stat(self.name)
                .map_err(reason)
                .and_then(|stat| examine(stat, self.kind, field)),
            Kind::Symlink => Err(SkipReason::Symlink),
            Kind::Other => Err(SkipReason::NotRegular),
        }
    }

    /// Passes it to a sink; `path` is that of the current directory.
    pub fn give(
        &self,
        sink: &mut impl Sink,
        path: &mut String,
        time: i64,
        size: Option<u64>,
    ) -> ControlFlow<()> {
        match self.place {
            EntryPlace::Below => {
                push_segment(path, self.name);
                sink.take(path, time, size, path)
            }
            EntryPlace::Start => {
                let position = start_position(path);
                sink.take(start_path(path), time, size, &position)
            }
        }
    }
}

/// Returns the time and the size of an entry that was listed as `kind`.
///
/// # Errors
/// The reason for which it cannot be examined.
pub fn examine(stat: Stat, kind: Kind, field: TimeField) -> Result<(i64, Option<u64>), SkipReason> {
    // The entry was replaced after it was listed, for example a file by a link.
    if stat.kind != kind {
        return Err(match stat.kind {
            Kind::Symlink => SkipReason::Symlink,
            Kind::Other => SkipReason::NotRegular,
            Kind::File | Kind::Directory => SkipReason::Vanished,
        });
    }
    let time = match field {
        TimeField::Modified => stat.modified,
        TimeField::Created => stat.created,
        TimeField::Accessed => stat.accessed,
    };
    let time = time
        .map(Moment::milliseconds)
        .ok_or(SkipReason::NoTimestamp)?;
    Ok((time, (kind == Kind::File).then_some(stat.size)))
}

/// Returns the path shown for a start.
pub fn start_path(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

/// Returns the position of a start after only the start was visited. The root is sorted among its
/// entries as `.`, any other start before all of them.
pub fn start_position(path: &str) -> String {
    if path.is_empty() {
        ".".to_owned()
    } else {
        inside(path)
    }
}

/// Returns the position of a directory that was entered, before any of its entries.
pub fn inside(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!("{path}/")
    }
}
