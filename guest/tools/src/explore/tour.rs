//! The tour: all files that the paths of a subject stand for, one path after the other, from any
//! point on, as far as the time allows.

use docent_text::saturating::saturating_u32;
use std::collections::BTreeSet;

use docent_api::pillars::{BlockedPath, Degradation};
use docent_api::types::{Error, ErrorCode, SkipReason};

use crate::explore::cursor::{Segment, Spot};
use crate::explore::deadline::{Deadline, Time};
use crate::explore::scope::{Places, Scope, blocked};
use docent_corpus::store::Store;
use docent_corpus::walk::{Found, Reach, Walk};
use docent_tree::disk::{Directory, Disk};
use docent_tree::glob::Glob;
use docent_tree::locate::File;
use docent_tree::locate::Start;
use docent_tree::path::RelPath;
use docent_tree::refusal::not_found;
use docent_tree::skips::Skips;

/// Who is shown round.
pub trait Visitor {
    /// Whether it reads the files of directories; of those that are not text a call reads only some.
    const READS: bool;

    /// Takes a file that is named itself, and whether it may be sensitive. Returns its words.
    ///
    /// # Errors
    /// What is to be told of it.
    fn file<T: Directory>(
        &mut self,
        store: &mut Store,
        file: &File<T>,
        consented: bool,
    ) -> Result<u32, SkipReason>;

    /// Takes a directory that is named itself, before its files.
    fn directory(&mut self, path: &RelPath);

    /// Takes a file of a directory or glob, which the walk found last. Returns its words.
    ///
    /// # Errors
    /// What is to be told of it.
    fn found<T: Directory>(&mut self, walk: &mut Walk<'_, T>) -> Result<u32, SkipReason>;
}

/// What is the same for every path.
pub struct Means<'a, D> {
    /// Where paths are looked for.
    pub places: Places<'a, D>,
    /// The paths; none for the whole root.
    pub paths: &'a [String],
    /// Which files take part.
    pub is_document: &'a dyn Fn(&str) -> bool,
    /// Levels of a directory that is named itself.
    pub depth: usize,
    /// When to end.
    pub deadline: &'a Deadline,
    /// Whether an earlier call has looked at the same segment, up to its end.
    pub is_again: bool,
}

impl<D> Means<'_, D> {
    /// Returns why a tour ends before its last file, unless the earlier call has told it.
    fn why_it_ends(&self) -> Option<Degradation> {
        (!self.is_again).then_some(Degradation::Timeout)
    }
}

/// How a tour went.
#[derive(Default)]
pub struct Tour {
    /// What could not be examined.
    pub skips: Skips,
    /// Paths that lead nowhere, or must not be opened.
    pub blocked: Vec<BlockedPath>,
    /// Files that were looked at.
    pub files: u32,
    /// Files, directories and paths that were looked at.
    pub steps: u32,
    /// Where the next one begins; none after the last file.
    pub next: Option<Spot>,
    /// Why it ended before the last file: the time, or too many files that are not text.
    pub ended_by: Option<Degradation>,
    /// Whether the time did not suffice for what an earlier call has seen.
    pub is_short: bool,
    seen: BTreeSet<String>,
    /// Words of the file that was looked at last.
    words: u32,
}

impl Tour {
    /// Shows a visitor the files of a segment.
    ///
    /// # Errors
    /// When the only path leads nowhere.
    pub fn take<D: Disk, V: Visitor>(
        means: &Means<'_, D>,
        store: &mut Store,
        segment: &Segment,
        visitor: &mut V,
    ) -> Result<Self, Error> {
        let mut tour = Self::default();
        let from = segment.from.as_ref();
        let first = from.map_or(0, |spot| spot.path as usize);
        for index in first..means.paths.len().max(1) {
            let after = from.filter(|spot| spot.path as usize == index);
            let after = after.map_or("", |spot| spot.after.as_str());
            if tour.is_over(means, segment) {
                tour.end_at(index, "", means.why_it_ends());
                break;
            }
            let path = means.paths.get(index);
            let shown = path.map_or(".", String::as_str);
            let scope = match path {
                Some(path) => means.places.find(path),
                None => means.places.whole(),
            };
            let stayed = scope.and_then(|scope| {
                tour.look_at(scope, index, after, means, store, segment, visitor)
            });
            match stayed {
                Err(error) if means.paths.len() < 2 && !is_withheld(&error) => return Err(error),
                Err(error) => tour.blocked.push(blocked(shown, error)),
                Ok(()) => {}
            }
            if tour.next.is_some() {
                break;
            }
        }
        Ok(tour)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "what a walk goes by, and whom it shows round"
    )]
    fn look_at<D: Disk, V: Visitor>(
        &mut self,
        scope: Scope<D::Directory>,
        index: usize,
        after: &str,
        means: &Means<'_, D>,
        store: &mut Store,
        segment: &Segment,
        visitor: &mut V,
    ) -> Result<(), Error> {
        let (start, glob) = match scope {
            Scope::File(file, consented) => {
                self.steps += 1;
                let path = file.path.as_str();
                if self.seen.insert(path.to_owned()) {
                    self.files += 1;
                    match visitor.file(store, &file, consented) {
                        Ok(words) => self.words = words,
                        Err(reason) => self.skips.add(path, reason),
                    }
                }
                return Ok(());
            }
            Scope::Directory(start) => {
                if after.is_empty() {
                    visitor.directory(&start.path);
                }
                (start, None)
            }
            Scope::Glob(glob, start) => (start, Some(glob)),
        };
        self.walk(start, glob, index, after, means, store, segment, visitor)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "what a walk goes by, and whom it shows round"
    )]
    fn walk<D: Disk, V: Visitor>(
        &mut self,
        start: Start<D::Directory>,
        mut glob: Option<Box<Glob>>,
        index: usize,
        after: &str,
        means: &Means<'_, D>,
        store: &mut Store,
        segment: &Segment,
        visitor: &mut V,
    ) -> Result<(), Error> {
        let path = start.path.clone();
        let reach = Reach {
            is_document: means.is_document,
            exclude: means.places.exclude,
            // A glob says itself how deep it goes.
            depth: if glob.is_some() {
                usize::MAX
            } else {
                means.depth
            },
            after: Some(after).filter(|after| !after.is_empty()),
        };
        let mut walk = Walk::begin(store, start, reach).map_err(|_| not_found(&path))?;
        walk.skips = std::mem::take(&mut self.skips);
        let is_alone = means.paths.len() < 2;
        let mut last = after.to_owned();
        let mut mark = walk.skips.mark();
        // A directory that is begun and its first entry are in one segment.
        let mut begins = after.is_empty();
        while let Some(found) = walk.advance() {
            if !std::mem::take(&mut begins) && self.is_over(means, segment) {
                self.end_at(index, &last, means.why_it_ends());
                break;
            }
            let is_document = found == Found::Document;
            let is_wanted = is_document
                && glob
                    .as_mut()
                    .is_none_or(|glob| glob.matches_path(walk.path()))
                && (is_alone || !self.seen.contains(walk.path()));
            if is_wanted {
                if V::READS && !walk.admit() {
                    self.end_at(index, &last, Some(Degradation::MaxFiles));
                    break;
                }
                self.files += 1;
                if !is_alone {
                    self.seen.insert(walk.path().to_owned());
                }
                match visitor.found(&mut walk) {
                    Ok(words) => self.words = words,
                    Err(reason) => walk.skip(reason),
                }
            }
            mark = walk.skips.mark();
            self.steps += 1;
            last.clear();
            last.push_str(walk.path());
            if !is_document {
                last.push('/');
            }
        }
        if self.next.is_some() {
            // What was passed over behind the last file is told by who comes to it.
            walk.skips.rewind(mark);
            walk.end_page();
        }
        self.skips = std::mem::take(&mut walk.skips);
        Ok(())
    }

    /// Whether the tour has to end here. One step is always taken, so that every call gets on.
    fn is_over<D: Disk>(&mut self, means: &Means<'_, D>, segment: &Segment) -> bool {
        let words = std::mem::take(&mut self.words);
        let is_late = |time| {
            let deadline = means.deadline;
            deadline.is_over_after(means.places.disk, time, words)
        };
        if self.steps == 0 {
            return false;
        }
        if !means.is_again {
            return is_late(Time::Half);
        }
        if segment.steps.is_some_and(|steps| self.steps >= steps) {
            return true;
        }
        self.is_short = is_late(Time::All);
        self.is_short
    }

    fn end_at(&mut self, path: usize, after: &str, why: Option<Degradation>) {
        self.next = Some(Spot {
            path: saturating_u32(path),
            after: after.to_owned(),
        });
        self.ended_by = why;
    }
}

/// Whether an error says that something may be there and is not given.
fn is_withheld(error: &Error) -> bool {
    error.code == ErrorCode::Sensitive
}
