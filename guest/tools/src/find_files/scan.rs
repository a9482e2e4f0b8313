//! The ordered scan: every entry between two positions, within the limits of the request and the
//! budget of the call.
//!
//! A scan is a stack of directories. Each has its visits in order, to entries and into directories,
//! and the range of them that this scan makes. Entries of the current directory, on top of the
//! stack, are visited in one loop; a visit into a directory pushes it, and a directory whose range
//! is over is popped. A page may begin and end anywhere, so the first and last visit of a range may
//! enter a directory whose own range is partial.

use std::ops::ControlFlow;
use std::rc::Rc;

use docent_api::find::StopReason;
use docent_api::types::SkipReason;

use crate::find_files::best::MatchOrder;
use crate::find_files::entry::{ScanEntry, inside, start_position};
use crate::find_files::names::{
    DirectoryNames, NameIndex, ScanStep, Sequence, StartName, VisitFilter, Visits,
};
use crate::find_files::names_cache::{NamesCache, NamesPageEnd};
use crate::find_files::request::{FindRequest, Ignored};
use crate::find_files::sink::Sink;
use crate::find_files::start::{StartDirectory, is_ignored};
use crate::find_files::visit_range::VisitRange;
use crate::limits::FIND_CLOCK_ENTRIES;
use docent_corpus::limits::WALK_DEPTH;
use docent_tree::disk::{Disk, Failure, Kind, Stamp};
use docent_tree::door::{Stamps, Visible};
use docent_tree::glob::{Glob, GlobState};
use docent_tree::ignore::excluded::Exclusions;
use docent_tree::ignore::files::IgnoreFiles;
use docent_tree::ignore::rules::{IGNORE_FILES, RuleChain};
use docent_tree::path::push_segment;
use docent_tree::skips::{Skips, reason};

/// End of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanEnd {
    /// At its final position, or at the end of the tree.
    Complete,
    /// Early.
    Stopped(StopReason),
}

/// Environment of a scan, in addition to the request.
#[derive(Debug)]
pub struct ScanEnvironment<'a, D> {
    /// The files, and the clock.
    pub disk: &'a D,
    /// Exclusions of the configuration.
    pub exclude: &'a Exclusions,
    /// Cache of a warm instance.
    pub cache: &'a mut NamesCache,
    /// Start of the call on the disk's clock.
    pub started: u64,
}

/// Positions between which a scan runs.
#[derive(Clone, Copy, Debug)]
pub struct ScanBounds<'a> {
    /// Position after which it begins, or `None` for the beginning.
    pub after: Option<&'a str>,
    /// Position at which it ends, or `None` for the end.
    pub until: Option<&'a str>,
    /// Page that reports its skipped entries.
    pub skips: Reported,
}

/// Page that reports skipped entries: they are reported once, even if a segment is scanned
/// repeatedly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reported {
    /// An earlier page reported them.
    Already,
    /// This page reports them.
    Now,
}

/// A scan under way.
#[derive(Debug)]
pub struct Scan<'a, D: Disk> {
    /// Entries that could not be examined.
    pub skips: Skips,
    /// Number of files reached.
    pub files: u32,
    /// Number of directories listed.
    pub directories: u32,
    environment: ScanEnvironment<'a, D>,
    request: &'a FindRequest,
    glob: Option<Glob>,
    sequence: Sequence,
    reported: Reported,
    /// Number of steps, not counting those to the beginning of the range.
    steps: u32,
    root: usize,
    /// Levels of the start below its root.
    start_level: usize,
    frames: Vec<DirectoryFrame<D::Directory>>,
    /// The path of the current directory, and if needed of an entry in it. One string for all, so
    /// that an entry costs no allocation.
    path: String,
    /// The position, except for the visits in the current directory since it was entered: these
    /// follow from the frame, and are added on demand.
    position: String,
}

/// A directory on the way.
#[derive(Debug)]
struct DirectoryFrame<T> {
    directory: Visible<T>,
    names: Rc<DirectoryNames>,
    visits: Rc<Visits>,
    range: VisitRange,
    /// Stamp from before the directory was listed, if it was requested.
    stamp: Option<Stamp>,
    chain: Option<Rc<RuleChain>>,
    glob: Option<GlobState>,
    path_length: usize,
}

/// The names in a directory, and the visits to them.
struct DirectoryListing {
    names: Rc<DirectoryNames>,
    visits: Rc<Visits>,
    stamp: Option<Stamp>,
}

impl<'a, D: Disk> Scan<'a, D> {
    /// Enters the start. `glob` is the glob that paths must match, with its state in the start.
    ///
    /// # Errors
    /// Any error of the disk if the start cannot be listed.
    pub fn begin(
        environment: ScanEnvironment<'a, D>,
        request: &'a FindRequest,
        glob: Option<(Glob, GlobState)>,
        start: StartDirectory<D::Directory>,
        range: ScanBounds<'_>,
    ) -> Result<Self, Failure> {
        let path = start.path.as_str().to_owned();
        let below = |position: &str| {
            let inner = position.strip_prefix(path.as_str()).unwrap_or(position);
            inner.strip_prefix('/').unwrap_or(inner).to_owned()
        };
        let (after, until) = (range.after.map(below), range.until.map(below));
        let position = match range.after {
            Some(after) => after.to_owned(),
            None => inside(&path),
        };
        let (glob, reached) = glob.unzip();
        let mut scan = Self {
            skips: Skips::default(),
            files: 0,
            directories: 0,
            environment,
            request,
            glob,
            sequence: match request.order {
                MatchOrder::Path => Sequence::ByPath,
                MatchOrder::Latest | MatchOrder::Earliest => Sequence::ByDirectory,
            },
            reported: range.skips,
            steps: 0,
            root: start.root,
            start_level: start.path.segments().count(),
            frames: Vec::new(),
            path,
            position,
        };
        scan.enter(start.directory, start.chain, reached, after, until)?;
        Ok(scan)
    }

    /// Returns the position of the scan: everything up to it was visited.
    pub fn position(&self) -> &str {
        &self.position
    }

    /// Continues until the end of the range, of the budget, or of the room in `sink`.
    pub fn run(&mut self, sink: &mut impl Sink) -> ScanEnd {
        let end = self.run_to_end(sink);
        self.settle();
        self.remember_end();
        end
    }

    /// Caches the directories on the path to the current position.
    fn remember_end(&mut self) {
        let ends = self.frames.iter().filter_map(|frame| {
            Some(NamesPageEnd {
                root: self.root,
                path: self.path.get(..frame.path_length)?.to_owned(),
                stamp: frame.stamp?,
                names: frame.names.clone(),
                visits: frame.visits.clone(),
            })
        });
        self.environment.cache.set_page_ends(ends.collect());
    }

    fn run_to_end(&mut self, sink: &mut impl Sink) -> ScanEnd {
        loop {
            let Some(frame) = self.frames.last() else {
                return ScanEnd::Complete;
            };
            if frame.range.is_over() {
                self.settle();
                self.frames.pop();
                let length = self.frames.last().map_or(0, |frame| frame.path_length);
                self.path.truncate(length);
                continue;
            }
            let stopped = match frame.visits.get(frame.range.next) {
                Some(ScanStep::Inside(index)) => self.go_inside(index),
                _ => self.look_at_entries(sink),
            };
            if let ControlFlow::Break(stop) = stopped {
                return ScanEnd::Stopped(stop);
            }
        }
    }

    /// Updates the position by the visits in the current directory.
    fn settle(&mut self) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let Some(last) = frame.range.last_made() else {
            return;
        };
        self.path.truncate(frame.path_length);
        match frame.visits.get(last) {
            Some(ScanStep::Entry(index)) => {
                self.position.clone_from(&self.path);
                push_segment(&mut self.position, frame.names.name(index));
            }
            Some(ScanStep::Start) => self.position = start_position(&self.path),
            // Entering the directory has set the position, and the visits in it come after
            // that.
            Some(ScanStep::Inside(_)) | None => {}
        }
    }

    /// Returns true if the time is over. The first step is always taken, so that every page
    /// advances.
    fn is_late(&self) -> bool {
        let elapsed = || {
            self.environment
                .disk
                .monotonic_ms()
                .saturating_sub(self.environment.started)
        };
        self.steps > 0 && elapsed() >= self.request.budget.milliseconds
    }

    /// Visits the next entries of the current directory, up to the next directory to enter.
    ///
    /// An entry is tested in the order of the cost of the tests: rules and glob examine its name,
    /// the stat is a call out of the component and costs more than all the rest, and window and
    /// sink need the time that it returns. The path is built only for entries that pass.
    fn look_at_entries(&mut self, sink: &mut impl Sink) -> ControlFlow<StopReason> {
        loop {
            // Asking for the time is a call out of the component, which costs as much as
            // examining an entry, so it is made once per `FIND_CLOCK_ENTRIES` entries.
            if self.steps.is_multiple_of(FIND_CLOCK_ENTRIES) && self.is_late() {
                return ControlFlow::Break(StopReason::Timeout);
            }
            let Some(frame) = self.frames.last_mut() else {
                return ControlFlow::Continue(());
            };
            if frame.range.is_over() {
                return ControlFlow::Continue(());
            }
            let visit = frame.visits.get(frame.range.next);
            let Some(entry) = ScanEntry::from_visit(visit, &frame.names) else {
                return ControlFlow::Continue(());
            };
            self.path.truncate(frame.path_length);
            let (exclude, chain) = (self.environment.exclude, frame.chain.as_deref());
            if entry.is_ignored(exclude, chain, &mut self.path) {
                frame.range.next += 1;
                self.steps += 1;
                continue;
            }
            // A file is counted before its glob is tested. The budget limits the entries that
            // are reached and not those that match, so that a scan with a glob without matches
            // ends as well.
            if entry.kind == Kind::File {
                if self.files == self.request.budget.files {
                    return ControlFlow::Break(StopReason::Files);
                }
                self.files += 1;
            }
            if entry.matches(self.glob.as_mut(), frame.glob.as_mut(), &self.path) {
                match entry.examine(&frame.directory, self.request.field) {
                    Ok((time, size)) => {
                        if self.request.window.holds(time)
                            && !sink.is_surplus(time)
                            && entry.give(sink, &mut self.path, time, size).is_break()
                        {
                            return ControlFlow::Break(StopReason::Limit);
                        }
                    }
                    Err(reason) if self.reported == Reported::Now => {
                        entry.push_to(&mut self.path);
                        self.skips.add(&self.path, reason);
                    }
                    Err(_) => {}
                }
            }
            frame.range.next += 1;
            self.steps += 1;
        }
    }

    /// Enters a subdirectory of the current directory, if it may contain matches.
    fn go_inside(&mut self, index: NameIndex) -> ControlFlow<StopReason> {
        if self.is_late() {
            return ControlFlow::Break(StopReason::Timeout);
        }
        let level = self.start_level + self.frames.len();
        let Some(frame) = self.frames.last_mut() else {
            return ControlFlow::Continue(());
        };
        let name = frame.names.name(index);
        self.path.truncate(frame.path_length);
        // The state is `None` if nothing in the directory can match, at any depth: `docs/**`
        // need not enter `src`.
        let glob = match (&mut self.glob, &mut frame.glob) {
            (Some(glob), Some(reached)) => glob.enter(reached, &self.path, name).map(Some),
            _ => Some(None),
        };
        push_segment(&mut self.path, name);
        let (exclude, chain) = (self.environment.exclude, frame.chain.as_deref());
        let glob = glob.filter(|_| !is_ignored(exclude, chain, &self.path, true));
        // A directory that an earlier page has listed does not count again. With a budget of
        // one directory, a page that resumes inside it would otherwise have used up its budget
        // at once, and pages would never get past it.
        let is_new = !frame.range.resumes();
        if is_new && glob.is_some() && self.directories == self.request.budget.directories {
            return ControlFlow::Break(StopReason::Directories);
        }
        let (after, until) = frame.range.step_inside();
        if is_new {
            self.steps += 1;
            self.position = inside(&self.path);
        }
        let Some(glob) = glob else {
            return ControlFlow::Continue(());
        };
        // If an earlier page was about to enter this directory and failed, it has reported
        // that. If it was inside, the directory was readable then, and a failure now is a new
        // one.
        let reported = match after.as_deref() {
            Some("") => Reported::Already,
            _ => self.reported,
        };
        let entered = if level + 1 > WALK_DEPTH {
            Err(SkipReason::TooDeep)
        } else {
            let chain = frame.chain.clone();
            frame
                .directory
                .directory(name)
                .and_then(|directory| self.enter(directory, chain, glob, after, until))
                .map_err(reason)
        };
        if let Err(reason) = entered
            && reported == Reported::Now
        {
            self.skips.add(&self.path, reason);
        }
        ControlFlow::Continue(())
    }

    /// Pushes the directory at the current path, to be visited between two positions relative to
    /// it.
    fn enter(
        &mut self,
        directory: Visible<D::Directory>,
        chain: Option<Rc<RuleChain>>,
        glob: Option<GlobState>,
        after: Option<String>,
        until: Option<String>,
    ) -> Result<(), Failure> {
        let is_new = after.is_none();
        let DirectoryListing {
            names,
            visits,
            stamp,
        } = self.list(&directory, is_new)?;
        if is_new {
            self.directories += 1;
            if self.reported == Reported::Now && names.unnamed > 0 {
                self.skips
                    .add_many(&self.path, SkipReason::NameNotUtf8, names.unnamed);
            }
        }
        let chain = self.extend_chain(&directory, &names, chain, is_new);
        self.frames.push(DirectoryFrame {
            directory,
            range: VisitRange::new(&names, &visits, after.as_deref(), until.as_deref()),
            names,
            visits,
            stamp,
            chain,
            glob,
            path_length: self.path.len(),
        });
        Ok(())
    }

    /// Returns the content of the directory at the current path, to be pushed as a frame.
    fn list(
        &mut self,
        directory: &Visible<D::Directory>,
        is_new: bool,
    ) -> Result<DirectoryListing, Failure> {
        let depth = self.frames.len() + 1;
        let finds_start = depth == 1 && self.request.levels.start && self.request.kinds.directories;
        let filter = VisitFilter {
            kinds: self.request.kinds,
            hidden: self.request.hidden,
            inside: depth < self.request.levels.below as usize,
            start: finds_start.then_some(if self.path.is_empty() {
                StartName::Root
            } else {
                StartName::Other
            }),
        };
        // A stamp is a call to the platform. Without a cache it is worth its cost only for a
        // directory that spans several pages, whose names the last page has left.
        let stamp = if self.environment.cache.is_on() || !is_new {
            directory.stamp()
        } else {
            None
        };
        let cache = &self.environment.cache;
        let page_end = stamp.and_then(|stamp| cache.page_end(self.root, &self.path, stamp));
        let (names, visits) = match page_end {
            Some((names, visits)) => (names, Some(visits)),
            None => (self.names(directory, stamp)?, None),
        };
        // The names are the same, but this request may visit others of them, for example hidden
        // ones.
        let visits = visits
            .filter(|visits| visits.matches(filter, self.sequence))
            .unwrap_or_else(|| Rc::new(names.visits(filter, self.sequence)));
        Ok(DirectoryListing {
            names,
            visits,
            stamp,
        })
    }

    /// Returns the names in the directory at the current path, from the cache if its stamp is
    /// unchanged.
    fn names(
        &mut self,
        directory: &Visible<D::Directory>,
        stamp: Option<Stamp>,
    ) -> Result<Rc<DirectoryNames>, Failure> {
        let stamp = stamp.filter(|_| self.environment.cache.is_on());
        if let Some(stamp) = stamp
            && let Some(names) = self.environment.cache.get(self.root, &self.path, stamp)
        {
            return Ok(names);
        }
        let mut names = DirectoryNames::default();
        let unnamed = directory.visit(|name, kind| names.push(name, kind))?;
        names.unnamed = names.unnamed.saturating_add(unnamed);
        if stamp.is_some() {
            names.shrink();
        }
        let names = Rc::new(names);
        if let Some(stamp) = stamp {
            self.environment
                .cache
                .insert(self.root, &self.path, stamp, &names);
        }
        Ok(names)
    }

    /// Returns the ignore rules of a directory: its parent's, with its own files before them.
    fn extend_chain(
        &mut self,
        directory: &Visible<D::Directory>,
        names: &DirectoryNames,
        parent: Option<Rc<RuleChain>>,
        is_new: bool,
    ) -> Option<Rc<RuleChain>> {
        if self.request.ignored == Ignored::Inclusions {
            return None;
        }
        let Some(vetted) = directory.vet() else {
            return parent;
        };
        // The listing shows which ignore files exist. Most directories have none, and nothing
        // is opened in these.
        if names.ignore_files == [false; IGNORE_FILES.len()] {
            return parent;
        }
        let presence = names.ignore_files;
        let files = IgnoreFiles::read(
            vetted,
            presence,
            parent.as_deref(),
            Stamps::Unwanted,
            |name, failure| {
                if is_new && self.reported == Reported::Now {
                    let mut path = self.path.clone();
                    push_segment(&mut path, name);
                    self.skips.add(&path, reason(failure));
                }
            },
        );
        files.extend(parent, &self.path)
    }
}
