//! `find-files`: files and directories modified, created or read between two points in time.
//!
//! The stages: a request in valid form, the start of the scan, the ordered scan that can stop and
//! continue anywhere, the best of its matches, and the cursor of the next page.
//!
//! Three terms explain how pages add up to the whole. A **position** is a place in the order of the
//! scan, written as the path of the entry visited last; a **segment** is the part that one scan
//! covers, from one position to another; a **key** is a match's place in the order of the answer. A
//! page shows the best matches of its segment. If there are more, its cursor contains the segment
//! and the key of the last match shown, and the next page scans the same segment again for the
//! matches after that key. Otherwise the cursor contains the end of the segment, and the next page
//! continues the scan there.

mod best;
mod cursor;
mod entry;
mod names;
pub mod names_cache;
mod request;
mod scan;
mod sink;
mod start;
mod visit_range;

use docent_api::find::{FindFilesAnswer, FindFilesOptions, FindMatch, FindStats, StopReason};
use docent_api::types::{EntryKind, Error};

use crate::find_files::best::{BestMatches, FileMatch, MatchKey, MatchOrder, MatchPage};
use crate::find_files::cursor::{NextPage, ScanSegment, SegmentEnd};
use crate::find_files::entry::{examine, start_path};
use crate::find_files::names_cache::NamesCache;
use crate::find_files::request::FindRequest;
use crate::find_files::scan::{Reported, Scan, ScanBounds, ScanEnd, ScanEnvironment};
use crate::find_files::sink::FirstMatches;
use crate::find_files::start::{StartDirectory, StartPoint, open_start};
use crate::paging::cursor::Fingerprint;
use crate::settings::ToolSettings;
use docent_corpus::corpus::Corpus;
use docent_text::time::{UtcOffset, iso_8601_at};
use docent_tree::disk::{Directory, Disk, Kind};
use docent_tree::door::Visible;
use docent_tree::glob::Glob;
use docent_tree::refusal::unavailable;
use docent_tree::skips::{Skips, reason};

/// A page in the making.
#[derive(Default)]
struct PageDraft {
    matches: Vec<FileMatch>,
    next: Option<NextPage>,
    stopped_by: Option<StopReason>,
    /// True if all of the rest was scanned.
    is_complete: bool,
    files: u32,
    directories: u32,
    skips: Skips,
}

/// Finds files by time; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; `limit-reached` if no cursor can express the position at
/// which to continue.
pub fn find_files<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    names: &mut NamesCache,
    options: FindFilesOptions,
) -> Result<FindFilesAnswer, Error> {
    let started = corpus.disk.monotonic_ms();
    let working_ms = |timeout| settings.working_ms(timeout);
    let mut request = FindRequest::parse(&options, settings.utc_offset, working_ms)?;
    let root = corpus.choose_root(options.root.as_deref())?;
    let fingerprint = request.fingerprint(&root.name);
    corpus.store.begin_call();
    names.begin_scan();
    let start = open_start(
        &corpus.disk,
        &corpus.exclude,
        root.index,
        &request.path,
        request.ignored,
    )?;
    let resume = resume(&request, fingerprint, &start, options.cursor.as_deref())?;
    // The matcher caches the states that it meets, so the scan takes ownership of it.
    let glob = request.glob_matcher.take();
    let page = if request.is_vain() {
        PageDraft::complete()
    } else {
        let environment = ScanEnvironment {
            disk: &corpus.disk,
            exclude: &corpus.exclude,
            cache: names,
            started,
        };
        match start {
            StartPoint::File { path, parent, name } => {
                let path = path.as_str();
                single_entry(&request, glob, path, &parent, &name, Kind::File)
            }
            StartPoint::Directory(start) => {
                directory_page(environment, &request, glob, start, resume)?
            }
        }
    };
    let next_cursor = match &page.next {
        Some(next) => Some(cursor::encode(fingerprint, request.order, next)?),
        None => None,
    };
    let elapsed = corpus.disk.monotonic_ms().saturating_sub(started);
    let matches = page.matches.into_iter();
    let matches = matches.map(|file| find_match(file, request.offset));
    Ok(FindFilesAnswer {
        root: root.shown,
        matches: matches.collect(),
        next_cursor,
        stats: FindStats {
            files_scanned: page.files,
            directories_scanned: page.directories,
            elapsed_ms: u32::try_from(elapsed).unwrap_or(u32::MAX),
            complete: page.is_complete,
            stopped_by: page.stopped_by,
            skipped: page.skips.finish(),
        },
    })
}

/// Options with the default for everything.
pub const NO_OPTIONS: FindFilesOptions = FindFilesOptions {
    root: None,
    path: None,
    from: None,
    to: None,
    time_field: None,
    sort: None,
    recursive: None,
    max_depth: None,
    glob: None,
    include_files: None,
    include_directories: None,
    include_hidden: None,
    include_ignored: None,
    limit: None,
    cursor: None,
    timeout_ms: None,
    max_files_scanned: None,
    max_directories_scanned: None,
};

fn resume<T>(
    request: &FindRequest,
    fingerprint: Fingerprint,
    start: &StartPoint<T>,
    cursor: Option<&str>,
) -> Result<Option<NextPage>, Error> {
    let path = match start {
        StartPoint::Directory(start) => &start.path,
        StartPoint::File { path, .. } => path,
    };
    cursor
        .map(|cursor| cursor::decode(fingerprint, request.order, path.as_str(), cursor))
        .transpose()
}

/// Returns the page of a scan that starts in a directory.
fn directory_page<D: Disk>(
    environment: ScanEnvironment<'_, D>,
    request: &FindRequest,
    mut glob: Option<Glob>,
    start: StartDirectory<D::Directory>,
    resume: Option<NextPage>,
) -> Result<PageDraft, Error> {
    let path = start.path.clone();
    let reached = glob.as_mut().map(|glob| glob.below(path.as_str()));
    // Nothing below the start can match, because of the depth or of the glob. The directory is
    // not listed then, which takes long for one of a million files.
    if request.levels.below == 0 || reached.is_some_and(|reached| reached.is_none()) {
        if !request.levels.start {
            return Ok(PageDraft::complete());
        }
        let directory = &start.directory;
        return Ok(single_entry(
            request,
            glob,
            path.as_str(),
            directory,
            ".",
            Kind::Directory,
        ));
    }
    let range = match &resume {
        None => ScanBounds {
            after: None,
            until: None,
            skips: Reported::Now,
        },
        Some(NextPage::ScanOn(position)) => ScanBounds {
            after: Some(position),
            until: None,
            skips: Reported::Now,
        },
        Some(NextPage::ShowMore(segment)) => ScanBounds {
            after: segment.after.as_deref(),
            until: segment.end.as_ref().map(|end| end.position.as_str()),
            skips: Reported::Already,
        },
    };
    let glob = glob.zip(reached.flatten());
    let mut scan = Scan::begin(environment, request, glob, start, range)
        .map_err(|failure| unavailable(&path, failure))?;
    let mut page = match (request.order, resume) {
        (MatchOrder::Path, _) => page_in_scan_order(&mut scan, request.limit),
        (_, None) => page_of_new_segment(&mut scan, request, None),
        (_, Some(NextPage::ScanOn(position))) => {
            page_of_new_segment(&mut scan, request, Some(position))
        }
        (_, Some(NextPage::ShowMore(segment))) => page_of_same_segment(&mut scan, request, segment),
    };
    page.files = scan.files;
    page.directories = scan.directories;
    page.skips = scan.skips;
    Ok(page)
}

/// Returns a page in the order of the scan.
fn page_in_scan_order<D: Disk>(scan: &mut Scan<'_, D>, limit: usize) -> PageDraft {
    let mut first = FirstMatches::new(limit);
    let end = scan.run(&mut first);
    PageDraft {
        matches: first.matches,
        ..PageDraft::from_end(end, scan.position())
    }
}

/// Returns a page with the best matches of the segment that begins after `after` and ends with the
/// scan.
fn page_of_new_segment<D: Disk>(
    scan: &mut Scan<'_, D>,
    request: &FindRequest,
    after: Option<String>,
) -> PageDraft {
    let mut best = BestMatches::new(request.order, request.limit, None);
    let end = scan.run(&mut best);
    let MatchPage { matches, has_more } = best.into_page();
    let mut page = PageDraft {
        matches,
        ..PageDraft::from_end(end, scan.position())
    };
    if has_more && let Some(behind) = page.last_key() {
        let end = match end {
            ScanEnd::Complete => None,
            ScanEnd::Stopped(stopped_by) => Some(SegmentEnd {
                position: scan.position().to_owned(),
                stopped_by,
            }),
        };
        page.show_more_of(ScanSegment { behind, after, end });
    }
    page
}

/// Returns a page of the next best matches of a segment that an earlier page has begun to show.
fn page_of_same_segment<D: Disk>(
    scan: &mut Scan<'_, D>,
    request: &FindRequest,
    segment: ScanSegment,
) -> PageDraft {
    let behind = Some(segment.behind.clone());
    let mut best = BestMatches::new(request.order, request.limit, behind);
    match scan.run(&mut best) {
        // The rest of the segment was scanned again. The page therefore ends as the first page
        // of the segment would have ended if it had had room for all matches: at the end of the
        // segment, and for the same reason.
        ScanEnd::Complete => {
            let MatchPage { matches, has_more } = best.into_page();
            let mut page = match &segment.end {
                None => PageDraft::from_end(ScanEnd::Complete, ""),
                Some(end) => PageDraft::from_end(ScanEnd::Stopped(end.stopped_by), &end.position),
            };
            page.matches = matches;
            if has_more && let Some(behind) = page.last_key() {
                page.show_more_of(ScanSegment { behind, ..segment });
            }
            page
        }
        // The time or the limits of this call are smaller than those of the call that found the
        // segment, so its end was not reached. The best matches of the whole are unknown. To
        // lose none, the page has the first matches of the scan, all up to some position, and
        // from now on the segment begins there.
        ScanEnd::Stopped(stop) => {
            let (prefix, after) = best.into_prefix(scan.position());
            PageDraft {
                matches: prefix.matches,
                stopped_by: Some(if prefix.has_more {
                    StopReason::Limit
                } else {
                    stop
                }),
                next: Some(NextPage::ShowMore(ScanSegment {
                    after: Some(after),
                    ..segment
                })),
                ..PageDraft::default()
            }
        }
    }
}

impl PageDraft {
    /// Returns a page without matches that is the last one.
    fn complete() -> Self {
        Self {
            is_complete: true,
            ..Self::default()
        }
    }

    /// Returns a page without matches yet of a scan that ended at `position` in this way.
    fn from_end(end: ScanEnd, position: &str) -> Self {
        match end {
            ScanEnd::Complete => Self::complete(),
            ScanEnd::Stopped(stop) => Self {
                stopped_by: Some(stop),
                next: Some(NextPage::ScanOn(position.to_owned())),
                ..Self::default()
            },
        }
    }

    /// Sets the next page to show more of the same segment.
    fn show_more_of(&mut self, segment: ScanSegment) {
        self.stopped_by = Some(StopReason::Limit);
        self.next = Some(NextPage::ShowMore(segment));
    }

    /// Returns the key of the last match.
    fn last_key(&self) -> Option<MatchKey> {
        self.matches.last().map(|last| MatchKey {
            time: last.time,
            path: last.path.clone(),
        })
    }
}

/// Returns the page for a single entry, `name` in `directory`.
fn single_entry<T: Directory>(
    request: &FindRequest,
    glob: Option<Glob>,
    path: &str,
    directory: &Visible<T>,
    name: &str,
    kind: Kind,
) -> PageDraft {
    let mut page = PageDraft::complete();
    let is_sought = match kind {
        Kind::Directory => request.kinds.directories,
        _ => request.kinds.files,
    };
    if !is_sought {
        return page;
    }
    page.files = u32::from(kind == Kind::File);
    if glob.is_some_and(|mut glob| !glob.matches_path(start_path(path))) {
        return page;
    }
    let stat = directory.stat(name).map_err(reason);
    match stat.and_then(|stat| examine(stat, kind, request.field)) {
        Ok((time, size)) if request.window.holds(time) => page.matches.push(FileMatch {
            path: start_path(path).to_owned(),
            time,
            size,
        }),
        Ok(_) => {}
        Err(reason) => page.skips.add(path, reason),
    }
    page
}

/// Returns a match in the form of an answer, with its time in an offset.
fn find_match(file: FileMatch, offset: UtcOffset) -> FindMatch {
    FindMatch {
        path: file.path,
        kind: match file.size {
            Some(_) => EntryKind::File,
            None => EntryKind::Directory,
        },
        time: iso_8601_at(file.time, offset),
        size_bytes: file.size,
    }
}
