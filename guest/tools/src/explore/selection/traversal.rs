//! The traversal: a visit of all files of a subject's paths, one path after the other, starting at
//! any position, as far as the time allows.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use docent_api::pillars::{BlockedPath, Degradation};
use docent_api::types::{Error, ErrorCode, SkipReason};

use crate::explore::request::cursor::{ScanPosition, ScanRange};
use crate::explore::request::deadline::{CallPhase, Deadline, PhaseClock};
use crate::explore::request::scope::{Scope, ScopeRules, blocked_path};
use crate::part::{AskedPath, PartAddress};
use docent_corpus::store::Store;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_text::saturating::saturating_u32;
use docent_text::time_budget::TimeBudget;
use docent_tree::archive::EnteredContainers;
use docent_tree::disk::{Directory, Disk};
use docent_tree::door::Consent;
use docent_tree::glob::Glob;
use docent_tree::locate::File;
use docent_tree::locate::WalkStart;
use docent_tree::path::RelPath;
use docent_tree::refusal::unavailable;
use docent_tree::skips::Skips;

/// Receives each file of a traversal. Implemented by the counter of a query's words, and by the
/// list of the files of some paths.
pub trait FileVisitor {
    /// True if it reads the files of directories; a call reads only a limited number of those that
    /// are not text.
    const READS: bool;

    /// Visits a file that is named itself, or a part of it. Returns its number of words.
    ///
    /// # Errors
    /// For a file that is to be reported: `too-slow` if the time was over within it.
    fn visit_named_file<T: Directory>(
        &mut self,
        store: &mut Store,
        named: &NamedFile<'_, T>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Result<u32, Unvisited>;

    /// Visits a directory that is named itself, before its files.
    fn visit_named_directory(&mut self, path: &RelPath);

    /// Visits a file of a directory or glob, the current one of the walk. Returns its number of
    /// words.
    ///
    /// # Errors
    /// For a file that is to be reported: `too-slow` if the time was over within it.
    fn visit_walked_file<T: Directory>(
        &mut self,
        walk: &mut Walk<'_, T>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Result<u32, SkipReason>;

    /// Returns the files that it needs after the last one.
    fn demand(&self) -> Demand {
        Demand::Open
    }
}

/// Further files that a visitor needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// All of them.
    Open,
    /// All of them, but a page of its results ended within the last file.
    Full,
    /// None.
    Done,
}

/// A file that is named itself.
pub struct NamedFile<'a, T> {
    /// The file.
    pub file: &'a File<T>,
    /// If given, the file may be sensitive.
    pub consent: Consent,
    /// The part of it that is named, or `None` for the whole file.
    pub part: Option<&'a PartAddress>,
}

/// Reason for which a file that is named itself is not visited.
pub enum Unvisited {
    /// It could not be read.
    Skipped(SkipReason),
    /// It does not have the requested part.
    Refused(Error),
}

impl From<SkipReason> for Unvisited {
    fn from(reason: SkipReason) -> Self {
        Self::Skipped(reason)
    }
}

impl From<Error> for Unvisited {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

/// The range of files that a call visits, and the kind of pass.
#[derive(Clone, Debug, Default)]
pub struct RangeScan {
    /// The range.
    pub range: ScanRange,
    /// First or repeated scan.
    pub pass: ScanPass,
}

/// First or repeated scan of a range of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScanPass {
    /// The first: it ends after half of the time, and so does the range.
    #[default]
    First,
    /// A later one, for a further page: it has all of the time, and must get as far as the first.
    Repeat,
}

/// Arguments of a traversal that do not change between paths.
pub struct TraversalOptions<'a, D> {
    /// Rules by which paths are resolved.
    pub rules: ScopeRules<'a, D>,
    /// The paths; empty for the whole root.
    pub paths: &'a [AskedPath],
    /// Predicate for the names of visited files.
    pub is_document: &'a dyn Fn(&str) -> bool,
    /// Maximum depth of a directory that is named itself.
    pub depth: usize,
    /// True if directories below the maximum depth are reported.
    pub tells_too_deep: bool,
    /// Range of files to visit.
    pub scan: &'a RangeScan,
    /// Deadline of the call.
    pub deadline: &'a Deadline,
}

/// Result of a traversal.
#[derive(Default)]
pub struct Traversal {
    /// Files that could not be examined.
    pub skips: Skips,
    /// Paths that cannot be resolved, or must not be opened.
    pub blocked: Vec<BlockedPath>,
    /// Number of files visited.
    pub files: u32,
    /// Number of files, directories and paths visited.
    pub steps: u32,
    /// Start of the next range, or `None` after the last file.
    pub next: Option<ScanPosition>,
    /// Reason for which it ended before the last file: the time, or too many files that are not
    /// text.
    pub end_reason: Option<Degradation>,
    /// True if the time did not suffice for the files that an earlier call visited.
    pub is_short: bool,
    /// Position before the file after which the visitor no longer needed all files, if there is
    /// one.
    pub page_end: Option<ScanPosition>,
}

/// A traversal under way.
struct TraversalState<'a, D, V> {
    arguments: &'a TraversalOptions<'a, D>,
    visitor: &'a mut V,
    traversal: Traversal,
    /// Paths of the files visited so far, if several paths may include the same file.
    seen: BTreeSet<String>,
    /// Number of words of the file visited last.
    words: u32,
}

/// One path of the subject, and the progress of an earlier call in it.
struct PathCursor<'a> {
    index: usize,
    /// The last entry visited below it, a directory with a trailing `/`; empty before the first
    /// one.
    after: &'a str,
}

/// Passes the files of a range to a visitor.
///
/// # Errors
/// If the only path cannot be resolved.
pub fn traverse<D: Disk, V: FileVisitor>(
    arguments: &TraversalOptions<'_, D>,
    store: &mut Store,
    visitor: &mut V,
) -> Result<Traversal, Error> {
    let mut run = TraversalState {
        arguments,
        visitor,
        traversal: Traversal::default(),
        // The set of visited files is kept for this call only: in a cursor it would grow with
        // every page. A file that two paths include may therefore come twice if a call ends
        // between them.
        seen: BTreeSet::new(),
        words: 0,
    };
    let paths = arguments.paths;
    let from = arguments.scan.range.from.as_ref();
    let first = from.map_or(0, |position| position.path as usize);
    // Without paths the whole root is visited.
    for index in first..paths.len().max(1) {
        let from = from.filter(|position| position.path as usize == index);
        let after = from.map_or("", |position| position.after.as_str());
        if run.is_over() {
            run.end_at(index, "", run.timeout());
            break;
        }
        let path = paths.get(index);
        let scope = arguments.rules.find(path);
        match scope.and_then(|scope| run.visit(store, scope, &PathCursor { index, after })) {
            Ok(()) => {}
            Err(error) if paths.len() < 2 && !is_withheld(&error) => return Err(error),
            // Among several paths, one that cannot be resolved is reported and does not affect
            // the others.
            Err(error) => {
                let path = path.map_or_else(|| ".".to_owned(), AskedPath::to_string);
                run.traversal.blocked.push(blocked_path(&path, error));
            }
        }
        if run.traversal.next.is_some() || run.visitor.demand() == Demand::Done {
            break;
        }
    }
    Ok(run.traversal)
}

impl<'a, D: Disk, V: FileVisitor> TraversalState<'a, D, V> {
    fn visit(
        &mut self,
        store: &mut Store,
        scope: Scope<D::Directory>,
        path_cursor: &PathCursor<'_>,
    ) -> Result<(), Error> {
        match scope {
            Scope::File(ref file, consent) => {
                let named = NamedFile {
                    file,
                    consent,
                    part: None,
                };
                self.visit_named(store, &named, path_cursor)
            }
            Scope::Part(ref file, consent, ref part) => {
                let named = NamedFile {
                    file,
                    consent,
                    part: Some(part),
                };
                self.visit_named(store, &named, path_cursor)
            }
            Scope::Directory(start) => {
                // If the walk resumes inside the directory, its item came with the range in
                // which the walk began.
                if path_cursor.after.is_empty() {
                    self.visitor.visit_named_directory(&start.path);
                }
                self.walk(store, start, None, path_cursor)
            }
            Scope::Glob(glob, start) => self.walk(store, start, Some(glob), path_cursor),
        }
    }

    fn visit_named(
        &mut self,
        store: &mut Store,
        named: &NamedFile<'_, D::Directory>,
        path_cursor: &PathCursor<'_>,
    ) -> Result<(), Error> {
        let path = named.file.path.as_str();
        // A part that is requested beside its file, or beside another part, is another item. A
        // zero byte separates the path from the part, as no path contains one.
        let part = named.part.map(|part| format!("\0{part}"));
        let key = format!("{path}{}", part.unwrap_or_default());
        if self.seen.contains(&key) {
            self.traversal.steps += 1;
            return Ok(());
        }
        let patience = self.patience();
        let mut time_budget = TimeBudget::new(&patience);
        let visited = self
            .visitor
            .visit_named_file(store, named, &mut time_budget);
        if time_budget.is_over() && self.ends_before_slow(self.traversal.steps > 0) {
            self.end_at(path_cursor.index, path_cursor.after, self.timeout());
            return Ok(());
        }
        self.seen.insert(key);
        self.traversal.steps += 1;
        self.traversal.files += 1;
        match visited {
            Ok(words) => self.words = words,
            Err(Unvisited::Skipped(reason)) => self.traversal.skips.add(path, reason),
            Err(Unvisited::Refused(error)) => return Err(error),
        }
        self.note_page_end(path_cursor.index, path_cursor.after);
        Ok(())
    }

    fn walk(
        &mut self,
        store: &mut Store,
        start: WalkStart<D::Directory>,
        mut glob: Option<Box<Glob>>,
        path_cursor: &PathCursor<'_>,
    ) -> Result<(), Error> {
        let start_path = start.path.clone();
        let depth = match glob {
            // The glob itself determines the depth.
            Some(_) => usize::MAX,
            None => self.arguments.depth,
        };
        let reach = WalkOptions {
            is_document: self.arguments.is_document,
            exclude: self.arguments.rules.exclude,
            depth,
            included: self.arguments.rules.included,
            containers: match V::READS {
                true => EnteredContainers::All,
                // The text of a message tells its attachments.
                false => EnteredContainers::Archives,
            },
            after: Some(path_cursor.after).filter(|after| !after.is_empty()),
        };
        let walk = Walk::begin(store, start, reach);
        let mut walk = walk.map_err(|failure| unavailable(&start_path, failure))?;
        // All paths share one list of skipped entries, of which only the first are shown, so it
        // is lent to the walk. What the walk has skipped at its start is appended to it.
        let at_start =
            std::mem::replace(&mut walk.skips, std::mem::take(&mut self.traversal.skips));
        walk.skips.append(at_start);
        let mut last = path_cursor.after.to_owned();
        let mut mark = walk.skips.mark();
        // A directory and its first entry are always in the same range. A position names the
        // entry visited last, and before the first entry of the directory no name expresses
        // that the directory itself has been passed.
        let mut may_end = !path_cursor.after.is_empty();
        while let Some(found) = walk.advance() {
            let can_end = std::mem::replace(&mut may_end, true);
            if can_end && self.is_over() {
                self.end_at(path_cursor.index, &last, self.timeout());
                break;
            }
            let is_wanted =
                found == WalkStep::Document && self.is_wanted(walk.path(), glob.as_deref_mut());
            if is_wanted && V::READS {
                // The limit of documents to read is checked before the file is recorded as
                // seen, since the next call has to begin with it.
                let is_admitted = walk.admit();
                if !is_admitted {
                    self.end_at(path_cursor.index, &last, Some(Degradation::MaxFiles));
                    break;
                }
            }
            if is_wanted && self.visit_walked(&mut walk, can_end).is_break() {
                self.end_at(path_cursor.index, &last, self.timeout());
                break;
            }
            if is_wanted && self.note_page_end(path_cursor.index, &last) == Demand::Done {
                walk.end_page();
                break;
            }
            let is_too_deep = found == WalkStep::Directory && walk.depth() == depth;
            if is_too_deep && self.arguments.tells_too_deep {
                walk.skip(SkipReason::TooDeep);
            }
            mark = walk.skips.mark();
            self.traversal.steps += 1;
            last.clear();
            last.push_str(walk.path());
            if found == WalkStep::Directory {
                last.push('/');
            }
        }
        if self.traversal.next.is_some() {
            // Entries that were skipped after the last complete file are reported by the call
            // that continues there, or they would be reported twice.
            walk.skips.rewind(mark);
            walk.end_page();
        }
        self.traversal.skips = std::mem::take(&mut walk.skips);
        Ok(())
    }

    /// Passes a file to the visitor; breaks if the traversal ends before it.
    fn visit_walked(
        &mut self,
        walk: &mut Walk<'_, D::Directory>,
        can_end: bool,
    ) -> ControlFlow<()> {
        let patience = self.patience();
        let mut time_budget = TimeBudget::new(&patience);
        let visited = self.visitor.visit_walked_file(walk, &mut time_budget);
        if time_budget.is_over() && self.ends_before_slow(can_end && self.traversal.steps > 0) {
            return ControlFlow::Break(());
        }
        self.traversal.files += 1;
        // A single path includes each file once, so the paths of a hundred thousand files need
        // not be remembered.
        if !self.is_alone() {
            self.seen.insert(walk.path().to_owned());
        }
        match visited {
            Ok(words) => self.words = words,
            Err(reason) => walk.skip(reason),
        }
        ControlFlow::Continue(())
    }

    /// Asks the visitor for its demand, and keeps the position before a file within which a page
    /// ended.
    fn note_page_end(&mut self, path: usize, after: &str) -> Demand {
        let demand = self.visitor.demand();
        if demand != Demand::Open && self.traversal.page_end.is_none() {
            self.traversal.page_end = Some(ScanPosition {
                path: saturating_u32(path),
                after: after.to_owned(),
            });
        }
        demand
    }

    /// Returns the time budget within a file. The first file of a call gets all of the time, since
    /// no other one needs a share yet.
    fn patience(&self) -> PhaseClock<'a, D> {
        let TraversalOptions {
            scan,
            deadline,
            rules,
            ..
        } = self.arguments;
        let phase = match scan.pass {
            ScanPass::First if self.traversal.steps > 0 => CallPhase::Scan,
            ScanPass::First | ScanPass::Repeat => CallPhase::Answer,
        };
        deadline.patience(rules.disk, phase)
    }

    /// Returns true if the traversal ends before a file within which the time was over. Unless
    /// `can_end` is set, the file is skipped as too slow, since the next call would get no further.
    fn ends_before_slow(&mut self, can_end: bool) -> bool {
        match self.arguments.scan.pass {
            ScanPass::First => can_end,
            ScanPass::Repeat => {
                self.traversal.is_short = true;
                true
            }
        }
    }

    /// Returns true if a file of a walk is visited: a glob matches it, and no other path included
    /// it.
    fn is_wanted(&self, path: &str, glob: Option<&mut Glob>) -> bool {
        glob.is_none_or(|glob| glob.matches_path(path))
            && (self.is_alone() || !self.seen.contains(path))
    }

    fn is_alone(&self) -> bool {
        self.arguments.paths.len() < 2
    }

    /// Returns true if the traversal has to end here. It always takes one step, so that every call
    /// advances.
    fn is_over(&mut self) -> bool {
        // The words are taken, so that no file counts twice: this function is also called after
        // directories.
        let words = std::mem::take(&mut self.words);
        if self.traversal.steps == 0 {
            return false;
        }
        let TraversalOptions {
            scan,
            deadline,
            rules,
            ..
        } = self.arguments;
        match scan.pass {
            ScanPass::First => deadline.is_over_after(rules.disk, CallPhase::Scan, words),
            ScanPass::Repeat => {
                let end = scan.range.steps;
                if end.is_some_and(|steps| self.traversal.steps >= steps) {
                    return true;
                }
                // A list ranked from a part of the range would be another list, to which the
                // position of the cursor does not belong. The call reports that the time was
                // too short.
                self.traversal.is_short =
                    deadline.is_over_after(rules.disk, CallPhase::Answer, words);
                self.traversal.is_short
            }
        }
    }

    /// Returns the timeout of the traversal, unless the call that found the range has reported it.
    fn timeout(&self) -> Option<Degradation> {
        match self.arguments.scan.pass {
            ScanPass::First => Some(Degradation::Timeout),
            ScanPass::Repeat => None,
        }
    }

    fn end_at(&mut self, path: usize, after: &str, reason: Option<Degradation>) {
        self.traversal.next = Some(ScanPosition {
            path: saturating_u32(path),
            after: after.to_owned(),
        });
        self.traversal.end_reason = reason;
    }
}

/// Returns true if an error means that an entry may exist but is withheld.
fn is_withheld(error: &Error) -> bool {
    error.code == ErrorCode::Sensitive
}
