//! The ordered scan: every entry between two positions, within the limits of the request and the
//! budget of the call.

use std::ops::ControlFlow;
use std::rc::Rc;

use docent_api::find::{StopReason, TimeField};
use docent_api::types::SkipReason;

use crate::find_files::best::Order;
use crate::find_files::known::{KnownNames, PageEnd};
use crate::find_files::names::{Index, Names, Sequence, Visit, Visits, Wanted};
use crate::find_files::place::{Start, is_ignored};
use crate::find_files::request::Request;
use crate::find_files::sink::Sink;
use crate::limits::FIND_CLOCK_ENTRIES;
use docent_corpus::limits::WALK_DEPTH;
use docent_tree::disk::{Disk, Failure, Kind, Moment, Stamp, Stat};
use docent_tree::door::{Denied, Extent, Stamps, Visible};
use docent_tree::glob::{Glob, Reached};
use docent_tree::ignore::rules::{Chain, IGNORE_FILES, Rules};
use docent_tree::limits::IGNORE_BYTES;
use docent_tree::path::push_segment;
use docent_tree::skips::{Skips, reason};

/// How a scan ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At the position where it was to end, or at the end of the tree.
    Complete,
    /// Early.
    Stopped(StopReason),
}

/// What a scan works with beside the request.
#[derive(Debug)]
pub struct Means<'a, D> {
    /// The files, and the clock.
    pub disk: &'a D,
    /// What the configuration leaves out.
    pub exclude: &'a Rules,
    /// What a warm instance remembers.
    pub known: &'a mut KnownNames,
    /// When the call began, by the disk's clock.
    pub started: u64,
}

/// The positions between which a scan goes, and whether it is the first to do so.
#[derive(Clone, Copy, Debug)]
pub struct Range<'a> {
    /// Where it begins; none at the beginning.
    pub after: Option<&'a str>,
    /// Where it ends; none at the end.
    pub until: Option<&'a str>,
    /// Whether what is skipped was told before.
    pub is_known: bool,
}

/// A scan under way.
#[derive(Debug)]
pub struct Scan<'a, D: Disk> {
    /// What could not be examined.
    pub skips: Skips,
    /// Files that the scan came to.
    pub files: u32,
    /// Directories that it listed.
    pub directories: u32,
    means: Means<'a, D>,
    request: &'a Request,
    glob: Option<Glob>,
    sequence: Sequence,
    tells_skips: bool,
    /// Steps that were taken, not counting those to where it begins.
    steps: u32,
    root: usize,
    /// Levels of the start below its root.
    start_level: usize,
    frames: Vec<Frame<D::Directory>>,
    /// The path of the directory on top, and where needed of an entry in it.
    path: String,
    /// The position, but for what was visited in the directory on top since it was entered.
    position: String,
}

/// A directory on the way.
#[derive(Debug)]
struct Frame<T> {
    directory: Visible<T>,
    names: Rc<Names>,
    visits: Rc<Visits>,
    /// From before it was listed, where it was asked for.
    stamp: Option<Stamp>,
    /// The first visit of this scan, the one to come, and the one it ends before.
    first: usize,
    next: usize,
    end: usize,
    /// The position to go on from in the directory that the first visit goes into.
    resumed: Option<String>,
    /// The position to end at in the directory that the last visit goes into.
    until: Option<String>,
    chain: Option<Rc<Chain>>,
    glob: Option<Reached>,
    path_length: usize,
}

impl<'a, D: Disk> Scan<'a, D> {
    /// Enters the start. `glob` is what paths have to match, with its state for what lies in the
    /// start.
    ///
    /// # Errors
    /// What the disk says when the start cannot be listed.
    pub fn begin(
        means: Means<'a, D>,
        request: &'a Request,
        glob: Option<(Glob, Reached)>,
        start: Start<D::Directory>,
        range: Range<'_>,
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
            means,
            request,
            glob,
            sequence: match request.order {
                Order::Path => Sequence::ByPath,
                Order::Latest | Order::Earliest => Sequence::ByDirectory,
            },
            tells_skips: !range.is_known,
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

    /// Returns where the scan is: everything up to there was visited.
    pub fn position(&self) -> &str {
        &self.position
    }

    /// Goes on until the end of the range, of the budget, or of what `sink` takes.
    pub fn run(&mut self, sink: &mut impl Sink) -> End {
        let end = self.run_to_end(sink);
        self.settle();
        self.remember_end();
        end
    }

    /// Remembers the directories that lead to where the scan is.
    fn remember_end(&mut self) {
        let ends = self.frames.iter().filter_map(|frame| {
            Some(PageEnd {
                root: self.root,
                path: self.path.get(..frame.path_length)?.to_owned(),
                stamp: frame.stamp?,
                names: frame.names.clone(),
                visits: frame.visits.clone(),
            })
        });
        self.means.known.set_ends(ends.collect());
    }

    fn run_to_end(&mut self, sink: &mut impl Sink) -> End {
        loop {
            let Some(frame) = self.frames.last() else {
                return End::Complete;
            };
            if frame.next == frame.end {
                self.settle();
                self.frames.pop();
                let length = self.frames.last().map_or(0, |frame| frame.path_length);
                self.path.truncate(length);
                continue;
            }
            let stopped = match frame.visits.get(frame.next) {
                Some(Visit::Inside(index)) => self.go_inside(index),
                _ => self.look_at_entries(sink),
            };
            if let ControlFlow::Break(stop) = stopped {
                return End::Stopped(stop);
            }
        }
    }

    /// Brings the position up to date with the visits to the directory on top.
    fn settle(&mut self) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        if frame.next == frame.first {
            return;
        }
        self.path.truncate(frame.path_length);
        match frame.visits.get(frame.next - 1) {
            Some(Visit::Entry(index)) => {
                self.position.clone_from(&self.path);
                push_segment(&mut self.position, frame.names.name(index));
            }
            Some(Visit::Start) => self.position = start_position(&self.path),
            // Going inside has set it, and what was visited there is behind that.
            Some(Visit::Inside(_)) | None => {}
        }
    }

    /// Whether the time is over. The first step is always taken, so that every page gets on.
    fn is_late(&self) -> bool {
        let elapsed = || {
            self.means
                .disk
                .monotonic_ms()
                .saturating_sub(self.means.started)
        };
        self.steps > 0 && elapsed() >= self.request.budget.milliseconds
    }

    /// Visits the entries that come next in the directory on top, up to the next directory to go
    /// into.
    fn look_at_entries(&mut self, sink: &mut impl Sink) -> ControlFlow<StopReason> {
        loop {
            if self.steps.is_multiple_of(FIND_CLOCK_ENTRIES) && self.is_late() {
                return ControlFlow::Break(StopReason::Timeout);
            }
            let Some(frame) = self.frames.last_mut() else {
                return ControlFlow::Continue(());
            };
            if frame.next == frame.end {
                return ControlFlow::Continue(());
            }
            let (name, kind, index) = match frame.visits.get(frame.next) {
                Some(Visit::Entry(index)) => (
                    frame.names.name(index),
                    frame.names.kind(index),
                    Some(index),
                ),
                Some(Visit::Start) => (".", Kind::Directory, None),
                Some(Visit::Inside(_)) | None => return ControlFlow::Continue(()),
            };
            self.path.truncate(frame.path_length);
            let exclude = self.means.exclude;
            if index.is_some() && (frame.chain.is_some() || !exclude.is_empty()) {
                push_segment(&mut self.path, name);
                let is_directory = kind == Kind::Directory;
                if is_ignored(exclude, frame.chain.as_deref(), &self.path, is_directory) {
                    frame.next += 1;
                    self.steps += 1;
                    continue;
                }
                self.path.truncate(frame.path_length);
            }
            if kind == Kind::File {
                if self.files == self.request.budget.files {
                    return ControlFlow::Break(StopReason::Files);
                }
                self.files += 1;
            }
            let is_match = match (&mut self.glob, &mut frame.glob) {
                (Some(glob), Some(_)) if index.is_none() => {
                    glob.matches_path(start_path(&self.path))
                }
                (Some(glob), Some(at)) => {
                    glob.matches(at, &self.path, name)
                        || (kind == Kind::Symlink && glob.enter(at, &self.path, name).is_some())
                }
                _ => true,
            };
            if is_match {
                let examined = match kind {
                    Kind::File | Kind::Directory => frame
                        .directory
                        .stat(name)
                        .map_err(reason)
                        .and_then(|stat| examine(stat, kind, self.request.field)),
                    Kind::Symlink => Err(SkipReason::Symlink),
                    Kind::Other => Err(SkipReason::NotRegular),
                };
                match examined {
                    Ok((time, size)) => {
                        if self.request.window.holds(time) && !sink.is_surplus(time) {
                            let taken = if index.is_some() {
                                push_segment(&mut self.path, name);
                                sink.take(&self.path, time, size, &self.path)
                            } else {
                                let position = start_position(&self.path);
                                sink.take(start_path(&self.path), time, size, &position)
                            };
                            if taken.is_break() {
                                return ControlFlow::Break(StopReason::Limit);
                            }
                        }
                    }
                    Err(reason) if self.tells_skips => {
                        if index.is_some() {
                            push_segment(&mut self.path, name);
                        }
                        self.skips.add(&self.path, reason);
                    }
                    Err(_) => {}
                }
            }
            frame.next += 1;
            self.steps += 1;
        }
    }

    /// Goes into a directory of the one on top, if it may hold matches.
    fn go_inside(&mut self, index: Index) -> ControlFlow<StopReason> {
        if self.is_late() {
            return ControlFlow::Break(StopReason::Timeout);
        }
        let level = self.start_level + self.frames.len();
        let Some(frame) = self.frames.last_mut() else {
            return ControlFlow::Continue(());
        };
        let name = frame.names.name(index);
        let reached = match (&mut self.glob, &mut frame.glob) {
            (Some(glob), Some(at)) => {
                self.path.truncate(frame.path_length);
                Some(glob.enter(at, &self.path, name))
            }
            _ => None,
        };
        self.path.truncate(frame.path_length);
        push_segment(&mut self.path, name);
        let is_left_out = reached.is_some_and(|reached| reached.is_none())
            || is_ignored(self.means.exclude, frame.chain.as_deref(), &self.path, true);
        let is_first = frame.next == frame.first;
        let resumed = if is_first { frame.resumed.take() } else { None };
        let is_new = resumed.is_none();
        let is_over_budget =
            is_new && !is_left_out && self.directories == self.request.budget.directories;
        if is_over_budget {
            return ControlFlow::Break(StopReason::Directories);
        }
        let until = if frame.next + 1 == frame.end {
            frame.until.clone()
        } else {
            None
        };
        frame.next += 1;
        if is_new {
            self.steps += 1;
            self.position = inside(&self.path);
        }
        if is_left_out {
            return ControlFlow::Continue(());
        }
        // What an earlier page was in has been told about, unless it has become unreadable since.
        let is_told = resumed.as_deref() == Some("");
        let entered = if level + 1 > WALK_DEPTH {
            Err(SkipReason::TooDeep)
        } else {
            let chain = frame.chain.clone();
            frame
                .directory
                .directory(name)
                .and_then(|directory| {
                    self.enter(directory, chain, reached.flatten(), resumed, until)
                })
                .map_err(reason)
        };
        if let Err(reason) = entered
            && self.tells_skips
            && !is_told
        {
            self.skips.add(&self.path, reason);
        }
        ControlFlow::Continue(())
    }

    /// Puts the directory at the present path on top, to be visited between two positions relative
    /// to it.
    fn enter(
        &mut self,
        directory: Visible<D::Directory>,
        chain: Option<Rc<Chain>>,
        glob: Option<Reached>,
        after: Option<String>,
        until: Option<String>,
    ) -> Result<(), Failure> {
        let is_new = after.is_none();
        let depth = self.frames.len() + 1;
        let is_start = depth == 1;
        let wanted = Wanted {
            kinds: self.request.kinds,
            hidden: self.request.hidden,
            inside: depth < self.request.levels.below as usize,
            start: (is_start && self.request.levels.start && self.request.kinds.directories)
                .then_some(if self.path.is_empty() { "." } else { "" }),
        };
        // Without a cache only a directory that many pages go through is worth a stamp.
        let stamp = if self.means.known.is_on() || !is_new {
            directory.stamp()
        } else {
            None
        };
        let end = stamp.and_then(|stamp| self.means.known.end(self.root, &self.path, stamp));
        let (names, visits) = match end {
            Some((names, visits)) => (names, Some(visits)),
            None => (self.names(&directory, stamp)?, None),
        };
        let visits = visits
            .filter(|visits| visits.are(wanted, self.sequence))
            .unwrap_or_else(|| Rc::new(names.visits(wanted, self.sequence)));
        if is_new {
            self.directories += 1;
            if self.tells_skips && names.unnamed > 0 {
                self.skips
                    .add_many(&self.path, SkipReason::NameNotUtf8, names.unnamed);
            }
        }
        let chain = self.extend_chain(&directory, &names, chain, is_new);
        let (first, resumed) = match after.as_deref() {
            None => (0, None),
            Some(after) => visits.over_at(&names, after),
        };
        let (end, until) = match until.as_deref() {
            None => (visits.len(), None),
            Some(until) => match visits.over_at(&names, until) {
                (over, None) => (over, None),
                (over, Some(rest)) => (over + 1, Some(rest)),
            },
        };
        let (resumed, until) = (resumed.map(str::to_owned), until.map(str::to_owned));
        self.frames.push(Frame {
            directory,
            names,
            visits,
            stamp,
            first,
            next: first,
            end: end.max(first),
            resumed,
            until,
            chain,
            glob,
            path_length: self.path.len(),
        });
        Ok(())
    }

    /// Returns the names in the directory at the present path, from memory while its stamp stands.
    fn names(
        &mut self,
        directory: &Visible<D::Directory>,
        stamp: Option<Stamp>,
    ) -> Result<Rc<Names>, Failure> {
        let stamp = stamp.filter(|_| self.means.known.is_on());
        if let Some(stamp) = stamp
            && let Some(names) = self.means.known.get(self.root, &self.path, stamp)
        {
            return Ok(names);
        }
        let mut names = Names::default();
        let unnamed = directory.visit(|name, kind| names.push(name, kind))?;
        names.unnamed = names.unnamed.saturating_add(unnamed);
        if stamp.is_some() {
            names.shrink();
        }
        let names = Rc::new(names);
        if let Some(stamp) = stamp {
            self.means
                .known
                .insert(self.root, &self.path, stamp, &names);
        }
        Ok(names)
    }

    /// Returns the ignore rules of a directory: its parent's, with its own files before them.
    fn extend_chain(
        &mut self,
        directory: &Visible<D::Directory>,
        names: &Names,
        parent: Option<Rc<Chain>>,
        is_new: bool,
    ) -> Option<Rc<Chain>> {
        let Some(vetted) = directory.vetted() else {
            return parent;
        };
        if names.ignore_files == [false; IGNORE_FILES.len()] {
            return parent;
        }
        let mut rules = Rules::default();
        for (i, name) in IGNORE_FILES.into_iter().enumerate() {
            if !names.ignore_files[i] {
                continue;
            }
            match vetted.read(name, Extent::Whole(IGNORE_BYTES), Stamps::Unwanted) {
                Ok(content) => rules.add_file(&content.bytes),
                Err(Denied::Failed(failure)) if is_new && self.tells_skips => {
                    let mut path = self.path.clone();
                    push_segment(&mut path, name);
                    self.skips.add(&path, reason(failure));
                }
                Err(Denied::Failed(_) | Denied::Sensitive) => {}
            }
        }
        if rules.is_empty() {
            return parent;
        }
        let base = match self.path.len() {
            0 => 0,
            length => length + 1,
        };
        let chain = Chain::new(parent, rules, base);
        Some(Rc::new(chain))
    }
}

/// Returns the time and the size of an entry that was listed as `kind`.
///
/// # Errors
/// Why it cannot be examined.
pub fn examine(stat: Stat, kind: Kind, field: TimeField) -> Result<(i64, Option<u64>), SkipReason> {
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

/// Returns the path that a start shows as.
pub fn start_path(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

/// Returns the position of a start when only it has been visited. The root stands among its
/// entries as `.`, any other start before all of them.
fn start_position(path: &str) -> String {
    if path.is_empty() {
        ".".to_owned()
    } else {
        inside(path)
    }
}

/// Returns the position of a directory that was entered, and nothing in it visited.
fn inside(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!("{path}/")
    }
}
