//! The tour: all files that the paths of a subject stand for, one path after the other, from any
//! position on, as far as the time allows.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use docent_api::pillars::{BlockedPath, Degradation};
use docent_api::types::{Error, ErrorCode, SkipReason};

use crate::explore::cursor::{ScanPosition, ScanRange};
use crate::explore::deadline::{Deadline, Phase, PhasePatience};
use crate::explore::scope::{Scope, ScopeRules, blocked};
use crate::part::{AskedPath, PartAddress};
use docent_corpus::store::Store;
use docent_corpus::walk::{Reach, Walk, WalkStep};
use docent_text::patience::Pace;
use docent_text::saturating::saturating_u32;
use docent_tree::disk::{Directory, Disk};
use docent_tree::door::Consent;
use docent_tree::glob::Glob;
use docent_tree::locate::File;
use docent_tree::locate::Start;
use docent_tree::path::RelPath;
use docent_tree::refusal::unavailable;
use docent_tree::skips::Skips;

/// Receives each file of a tour. Implemented by what counts the words of a query in files, and by
/// what lists the files that paths stand for.
pub trait FileVisitor {
    /// Whether it reads the files of directories; of those that are not text a call reads only
    /// some.
    const READS: bool;

    /// Receives a file that is named itself, or a part of it. Returns its words.
    ///
    /// # Errors
    /// What is to be told of it: `too-slow` where the time was over within it.
    fn named_file<T: Directory>(
        &mut self,
        store: &mut Store,
        named: &NamedFile<'_, T>,
        pace: &mut Pace<'_>,
    ) -> Result<u32, Unvisited>;

    /// Receives a directory that is named itself, before its files.
    fn named_directory(&mut self, path: &RelPath);

    /// Receives a file of a directory or glob, which the walk found last. Returns its words.
    ///
    /// # Errors
    /// What is to be told of it: `too-slow` where the time was over within it.
    fn walked_file<T: Directory>(
        &mut self,
        walk: &mut Walk<'_, T>,
        pace: &mut Pace<'_>,
    ) -> Result<u32, SkipReason>;
}

/// A file that is named itself.
pub struct NamedFile<'a, T> {
    /// The file.
    pub file: &'a File<T>,
    /// Where it is given, the file may be sensitive.
    pub consent: Consent,
    /// The part of it that is named; none for all of it.
    pub part: Option<&'a PartAddress>,
}

/// Why nothing comes of a file that is named itself.
pub enum Unvisited {
    /// It could not be read.
    Skipped(SkipReason),
    /// It has no such part.
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

/// The range of files that a call looks at, and whether an earlier one has done so.
#[derive(Clone, Debug, Default)]
pub struct RangeScan {
    /// The range.
    pub range: ScanRange,
    /// Which look at it this is.
    pub pass: ScanPass,
}

/// Which look at a range of files this is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScanPass {
    /// The first: it ends where half of the time is over, and there the range ends.
    #[default]
    First,
    /// A later one, for a further page: it has all of the time, and has to get as far as the first.
    Repeat,
}

/// Arguments of a tour that do not change between paths.
pub struct TourArguments<'a, D> {
    /// Where paths are looked for.
    pub rules: ScopeRules<'a, D>,
    /// The paths; none for the whole root.
    pub paths: &'a [AskedPath],
    /// Which files take part.
    pub is_document: &'a dyn Fn(&str) -> bool,
    /// Levels of a directory that is named itself.
    pub depth: usize,
    /// Whether a directory is told that is not entered because it lies below them.
    pub tells_too_deep: bool,
    /// What of the files is looked at.
    pub scan: &'a RangeScan,
    /// When to end.
    pub deadline: &'a Deadline,
}

/// What a tour came to.
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
    pub next: Option<ScanPosition>,
    /// Why it ended before the last file: the time, or too many files that are not text.
    pub end_reason: Option<Degradation>,
    /// Whether the time did not suffice for what an earlier call has seen.
    pub is_short: bool,
}

/// A tour under way.
struct TourRun<'a, D, V> {
    arguments: &'a TourArguments<'a, D>,
    visitor: &'a mut V,
    tour: Tour,
    /// Paths of files that were looked at, where several paths may stand for the same file.
    seen: BTreeSet<String>,
    /// Words of the file that was looked at last.
    words: u32,
}

/// One path of the subject, and how far an earlier call has got in it.
struct Leg<'a> {
    index: usize,
    /// What was looked at last of it, a directory with `/` behind it; empty before its beginning.
    after: &'a str,
}

/// Shows a visitor the files of a range.
///
/// # Errors
/// When the only path leads nowhere.
pub fn tour<D: Disk, V: FileVisitor>(
    arguments: &TourArguments<'_, D>,
    store: &mut Store,
    visitor: &mut V,
) -> Result<Tour, Error> {
    let mut run = TourRun {
        arguments,
        visitor,
        tour: Tour::default(),
        // Of this call alone: in a cursor they would grow with every page. So a file of two paths
        // may come with each, where a call ends between them.
        seen: BTreeSet::new(),
        words: 0,
    };
    let paths = arguments.paths;
    let from = arguments.scan.range.from.as_ref();
    let first = from.map_or(0, |position| position.path as usize);
    // Without paths there is still one leg, the whole root.
    for index in first..paths.len().max(1) {
        let from = from.filter(|position| position.path as usize == index);
        let after = from.map_or("", |position| position.after.as_str());
        if run.is_over() {
            run.end_at(index, "", run.timeout());
            break;
        }
        let path = paths.get(index);
        let scope = arguments.rules.find(path);
        match scope.and_then(|scope| run.visit(store, scope, &Leg { index, after })) {
            Ok(()) => {}
            Err(error) if paths.len() < 2 && !is_withheld(&error) => return Err(error),
            // Among several, a path that leads nowhere takes nothing from the others.
            Err(error) => {
                let path = path.map_or_else(|| ".".to_owned(), AskedPath::to_string);
                run.tour.blocked.push(blocked(&path, error));
            }
        }
        if run.tour.next.is_some() {
            break;
        }
    }
    Ok(run.tour)
}

impl<'a, D: Disk, V: FileVisitor> TourRun<'a, D, V> {
    fn visit(
        &mut self,
        store: &mut Store,
        scope: Scope<D::Directory>,
        leg: &Leg<'_>,
    ) -> Result<(), Error> {
        match scope {
            Scope::File(ref file, consent) => {
                let named = NamedFile {
                    file,
                    consent,
                    part: None,
                };
                self.visit_named(store, &named, leg)
            }
            Scope::Part(ref file, consent, ref part) => {
                let named = NamedFile {
                    file,
                    consent,
                    part: Some(part),
                };
                self.visit_named(store, &named, leg)
            }
            Scope::Directory(start) => {
                // Going on in a directory: it came itself in the range where it was begun.
                if leg.after.is_empty() {
                    self.visitor.named_directory(&start.path);
                }
                self.walk(store, start, None, leg)
            }
            Scope::Glob(glob, start) => self.walk(store, start, Some(glob), leg),
        }
    }

    fn visit_named(
        &mut self,
        store: &mut Store,
        named: &NamedFile<'_, D::Directory>,
        leg: &Leg<'_>,
    ) -> Result<(), Error> {
        let path = named.file.path.as_str();
        // A part beside its file or another part is asked for on purpose. No path holds a NUL.
        let part = named.part.map(|part| format!("\0{part}"));
        let key = format!("{path}{}", part.unwrap_or_default());
        if self.seen.contains(&key) {
            self.tour.steps += 1;
            return Ok(());
        }
        let patience = self.patience();
        let mut pace = Pace::new(&patience);
        let visited = self.visitor.named_file(store, named, &mut pace);
        if pace.is_over() && self.ends_before_slow(self.tour.steps > 0) {
            self.end_at(leg.index, leg.after, self.timeout());
            return Ok(());
        }
        self.seen.insert(key);
        self.tour.steps += 1;
        self.tour.files += 1;
        match visited {
            Ok(words) => self.words = words,
            Err(Unvisited::Skipped(reason)) => self.tour.skips.add(path, reason),
            Err(Unvisited::Refused(error)) => return Err(error),
        }
        Ok(())
    }

    fn walk(
        &mut self,
        store: &mut Store,
        start: Start<D::Directory>,
        mut glob: Option<Box<Glob>>,
        leg: &Leg<'_>,
    ) -> Result<(), Error> {
        let start_path = start.path.clone();
        let depth = match glob {
            // A glob says itself how deep it goes.
            Some(_) => usize::MAX,
            None => self.arguments.depth,
        };
        let reach = Reach {
            is_document: self.arguments.is_document,
            exclude: self.arguments.rules.exclude,
            depth,
            included: self.arguments.rules.included,
            after: Some(leg.after).filter(|after| !after.is_empty()),
        };
        let walk = Walk::begin(store, start, reach);
        let mut walk = walk.map_err(|failure| unavailable(&start_path, failure))?;
        // Lent to the walk: one list for all paths, of which only the first entries are shown. Behind
        // them what the start itself leaves out, which the walk knows by now.
        let at_start = std::mem::replace(&mut walk.skips, std::mem::take(&mut self.tour.skips));
        walk.skips.append(at_start);
        let mut last = leg.after.to_owned();
        let mut mark = walk.skips.mark();
        // A directory that is begun and its first entry are in one range: a position between them
        // has no form, since none of its entries is behind it yet.
        let mut may_end = !leg.after.is_empty();
        while let Some(found) = walk.advance() {
            let can_end = std::mem::replace(&mut may_end, true);
            if can_end && self.is_over() {
                self.end_at(leg.index, &last, self.timeout());
                break;
            }
            let is_wanted =
                found == WalkStep::Document && self.is_wanted(walk.path(), glob.as_deref_mut());
            if is_wanted && V::READS {
                // Before it counts as seen: the next call begins with it.
                let is_admitted = walk.admit();
                if !is_admitted {
                    self.end_at(leg.index, &last, Some(Degradation::MaxFiles));
                    break;
                }
            }
            if is_wanted && self.visit_walked(&mut walk, can_end).is_break() {
                self.end_at(leg.index, &last, self.timeout());
                break;
            }
            let is_too_deep = found == WalkStep::Directory && walk.depth() == depth;
            if is_too_deep && self.arguments.tells_too_deep {
                walk.skip(SkipReason::TooDeep);
            }
            mark = walk.skips.mark();
            self.tour.steps += 1;
            last.clear();
            last.push_str(walk.path());
            if found == WalkStep::Directory {
                last.push('/');
            }
        }
        if self.tour.next.is_some() {
            // What was passed over behind the last file is told by who comes to it.
            walk.skips.rewind(mark);
            walk.end_page();
        }
        self.tour.skips = std::mem::take(&mut walk.skips);
        Ok(())
    }

    /// Shows the visitor a file; breaks where the tour ends before it.
    fn visit_walked(
        &mut self,
        walk: &mut Walk<'_, D::Directory>,
        can_end: bool,
    ) -> ControlFlow<()> {
        let patience = self.patience();
        let mut pace = Pace::new(&patience);
        let visited = self.visitor.walked_file(walk, &mut pace);
        if pace.is_over() && self.ends_before_slow(can_end && self.tour.steps > 0) {
            return ControlFlow::Break(());
        }
        self.tour.files += 1;
        // A single path stands for each file once: no need to remember a hundred thousand of them.
        if !self.is_alone() {
            self.seen.insert(walk.path().to_owned());
        }
        match visited {
            Ok(words) => self.words = words,
            Err(reason) => walk.skip(reason),
        }
        ControlFlow::Continue(())
    }

    /// Returns who says when the time is over within a file. The first of a call has all of it: there
    /// is no other that it could leave some to.
    fn patience(&self) -> PhasePatience<'a, D> {
        let TourArguments {
            scan,
            deadline,
            rules,
            ..
        } = self.arguments;
        let phase = match scan.pass {
            ScanPass::First if self.tour.steps > 0 => Phase::Scan,
            ScanPass::First | ScanPass::Repeat => Phase::Answer,
        };
        deadline.patience(rules.disk, phase)
    }

    /// Whether the tour ends before a file within which the time was over. Where `can_end` is not
    /// set it is passed over as too slow, for the next call would get no further.
    fn ends_before_slow(&mut self, can_end: bool) -> bool {
        match self.arguments.scan.pass {
            ScanPass::First => can_end,
            ScanPass::Repeat => {
                self.tour.is_short = true;
                true
            }
        }
    }

    /// Whether a file of a walk takes part: a glob matches it, and no other path stood for it.
    fn is_wanted(&self, path: &str, glob: Option<&mut Glob>) -> bool {
        glob.is_none_or(|glob| glob.matches_path(path))
            && (self.is_alone() || !self.seen.contains(path))
    }

    fn is_alone(&self) -> bool {
        self.arguments.paths.len() < 2
    }

    /// Whether the tour has to end here. One step is always taken, so that every call gets on.
    fn is_over(&mut self) -> bool {
        // Taken, so that no file weighs twice: after a directory this is asked as well.
        let words = std::mem::take(&mut self.words);
        if self.tour.steps == 0 {
            return false;
        }
        let TourArguments {
            scan,
            deadline,
            rules,
            ..
        } = self.arguments;
        match scan.pass {
            ScanPass::First => deadline.is_over_after(rules.disk, Phase::Scan, words),
            ScanPass::Repeat => {
                let end = scan.range.steps;
                if end.is_some_and(|steps| self.tour.steps >= steps) {
                    return true;
                }
                // Ranking a part of what was ranked before would be another list.
                self.tour.is_short = deadline.is_over_after(rules.disk, Phase::Answer, words);
                self.tour.is_short
            }
        }
    }

    /// Returns that the time ended the tour, unless the call that found the range has told it.
    fn timeout(&self) -> Option<Degradation> {
        match self.arguments.scan.pass {
            ScanPass::First => Some(Degradation::Timeout),
            ScanPass::Repeat => None,
        }
    }

    fn end_at(&mut self, path: usize, after: &str, reason: Option<Degradation>) {
        self.tour.next = Some(ScanPosition {
            path: saturating_u32(path),
            after: after.to_owned(),
        });
        self.tour.end_reason = reason;
    }
}

/// Whether an error says that something may be there and is not given.
fn is_withheld(error: &Error) -> bool {
    error.code == ErrorCode::Sensitive
}
