//! `find-files`: what changed, was made or was read between two points in time.
//!
//! Stage by stage: a request in valid form, the place where it starts, the ordered scan that can stop
//! and go on anywhere, the best matches of what it saw, and the cursor to the next page.
//!
//! What makes pages whole is in three words. A **position** is a place in the order of the scan,
//! written as the path of what was visited last; a **segment** is what one scan saw, from one
//! position to another; a **key** is a match's place in the order of the answer. A page shows the
//! best matches of its segment. If there are more, its cursor names the segment and the key of the
//! last one shown, and the next page goes through the same segment again, behind that key. Else
//! the cursor names the segment's end, and the next page scans on from there.

mod best;
mod cursor;
pub mod known;
mod names;
mod place;
mod request;
mod scan;
mod sink;

use docent_api::find::{FindFilesAnswer, FindFilesOptions, FindMatch, FindStats, StopReason};
use docent_api::types::{EntryKind, Error};

use crate::cursor::Fingerprint;
use crate::find_files::best::{Best, Key, Match, Order, Page};
use crate::find_files::cursor::{Resume, Segment};
use crate::find_files::known::KnownNames;
use crate::find_files::place::{Place, Start, find};
use crate::find_files::request::Request;
use crate::find_files::scan::{End, Means, Range, Scan, examine, start_path};
use crate::find_files::sink::First;
use crate::settings::Settings;
use docent_corpus::corpus::Corpus;
use docent_text::time::iso_8601_expanded;
use docent_tree::disk::{Directory, Disk, Kind};
use docent_tree::door::Visible;
use docent_tree::glob::Glob;
use docent_tree::refusal::not_found;
use docent_tree::skips::{Skips, reason};

/// A page in the making.
#[derive(Default)]
struct Found {
    matches: Vec<Match>,
    next: Option<Resume>,
    stopped_by: Option<StopReason>,
    /// Whether everything that was left was seen.
    is_complete: bool,
    files: u32,
    directories: u32,
    skips: Skips,
}

/// Finds files by time; see `wit/world.wit`.
///
/// # Errors
/// A request that cannot be met; `limit-reached` when no cursor can hold where to go on.
pub fn find_files<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &Settings,
    names: &mut KnownNames,
    options: Option<FindFilesOptions>,
) -> Result<FindFilesAnswer, Error> {
    let started = corpus.disk.monotonic_ms();
    let given = options.unwrap_or(NO_OPTIONS);
    let request = Request::parse(&given, |asked| settings.working_ms(asked))?;
    let root = corpus.choose_root(given.root.as_deref())?;
    let fingerprint = request.fingerprint(&root.name);
    corpus.store.begin_call();
    names.begin_scan();
    let place = find(
        &corpus.disk,
        &corpus.exclude,
        root.index,
        &request.path,
        request.hidden,
    )?;
    let resume = resume(&request, fingerprint, &place, given.cursor.as_deref())?;
    let found = if request.is_vain() {
        Found {
            is_complete: true,
            ..Found::default()
        }
    } else {
        let means = Means {
            disk: &corpus.disk,
            exclude: &corpus.exclude,
            known: names,
            started,
        };
        match place {
            Place::File { path, parent, name } => {
                alone(&request, path.as_str(), &parent, &name, Kind::File)
            }
            Place::Directory(start) => in_directory(means, &request, start, resume)?,
        }
    };
    let next_cursor = match &found.next {
        Some(next) => Some(cursor::encode(fingerprint, request.order, next)?),
        None => None,
    };
    let elapsed = corpus.disk.monotonic_ms().saturating_sub(started);
    Ok(FindFilesAnswer {
        root: root.shown,
        matches: found.matches.into_iter().map(shown).collect(),
        next_cursor,
        stats: FindStats {
            files_scanned: found.files,
            directories_scanned: found.directories,
            elapsed_ms: u32::try_from(elapsed).unwrap_or(u32::MAX),
            complete: found.is_complete,
            stopped_by: found.stopped_by,
            skipped: found.skips.finish(),
        },
    })
}

const NO_OPTIONS: FindFilesOptions = FindFilesOptions {
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
    limit: None,
    cursor: None,
    timeout_ms: None,
    max_files_scanned: None,
    max_directories_scanned: None,
};

fn resume<T>(
    request: &Request,
    fingerprint: Fingerprint,
    place: &Place<T>,
    cursor: Option<&str>,
) -> Result<Option<Resume>, Error> {
    let start = match place {
        Place::Directory(start) => &start.path,
        Place::File { path, .. } => path,
    };
    cursor
        .map(|cursor| cursor::decode(fingerprint, request.order, start.as_str(), cursor))
        .transpose()
}

/// Scans a directory.
fn in_directory<D: Disk>(
    means: Means<'_, D>,
    request: &Request,
    start: Start<D::Directory>,
    resume: Option<Resume>,
) -> Result<Found, Error> {
    let glob = match &request.glob {
        None => Some(None),
        Some(text) => {
            let mut glob = Glob::parse(text)?;
            let reached = glob.below(start.path.as_str());
            reached.map(|reached| Some((glob, reached)))
        }
    };
    let Some(glob) = glob.filter(|_| request.levels.below > 0) else {
        // Nothing below the start can match.
        return Ok(if request.levels.start {
            alone(
                request,
                start.path.as_str(),
                &start.directory,
                ".",
                Kind::Directory,
            )
        } else {
            Found {
                is_complete: true,
                ..Found::default()
            }
        });
    };
    let (again, onward) = match resume {
        None => (None, None),
        Some(Resume::Onward(position)) => (None, Some(position)),
        Some(Resume::Again(segment)) => (Some(segment), None),
    };
    let range = match &again {
        None => Range {
            after: onward.as_deref(),
            until: None,
            is_known: false,
        },
        Some(segment) => Range {
            after: segment.after.as_deref(),
            until: segment.until.as_ref().map(|(end, _)| end.as_str()),
            is_known: true,
        },
    };
    let path = start.path.clone();
    let mut scan = Scan::begin(means, request, glob, start, range).map_err(|_| not_found(&path))?;
    let mut found = if request.order == Order::Path {
        in_order(&mut scan, request.limit)
    } else {
        sorted(&mut scan, request, onward, again)
    };
    found.files = scan.files;
    found.directories = scan.directories;
    found.skips = scan.skips;
    Ok(found)
}

/// A page in the order of the scan.
fn in_order<D: Disk>(scan: &mut Scan<'_, D>, limit: usize) -> Found {
    let mut first = First::new(limit);
    let end = scan.run(&mut first);
    Found {
        matches: first.matches,
        ..ended(end, Resume::Onward(scan.position().to_owned()))
    }
}

/// A page of the best matches of a segment.
fn sorted<D: Disk>(
    scan: &mut Scan<'_, D>,
    request: &Request,
    after: Option<String>,
    again: Option<Segment>,
) -> Found {
    let behind = again.as_ref().map(|segment| segment.behind.clone());
    let mut best = Best::new(request.order, request.limit, behind);
    let end = scan.run(&mut best);
    let position = || scan.position().to_owned();
    let Some(segment) = again else {
        // A new segment: its end is where the scan has got to.
        let until = match end {
            End::Complete => None,
            End::Stopped(stop) => Some((position(), stop)),
        };
        let Page { matches, has_more } = best.into_page();
        let mut found = Found {
            matches,
            ..ended(end, Resume::Onward(position()))
        };
        if has_more {
            found.go_on_in(Segment {
                after,
                until,
                behind: found.last_key(),
            });
        }
        return found;
    };
    match end {
        // The rest of the segment was seen.
        End::Complete => {
            let Page { matches, has_more } = best.into_page();
            let mut found = Found {
                matches,
                is_complete: segment.until.is_none(),
                stopped_by: segment.until.as_ref().map(|(_, stop)| *stop),
                next: segment
                    .until
                    .as_ref()
                    .map(|(end, _)| Resume::Onward(end.clone())),
                ..Found::default()
            };
            if has_more {
                found.go_on_in(Segment {
                    behind: found.last_key(),
                    ..segment
                });
            }
            found
        }
        // A smaller budget than before: the segment begins later now. What is shown has to be all
        // that lies before its beginning, so it is what came first, not what is best.
        End::Stopped(stop) => {
            let (page, after) = best.into_prefix(scan.position());
            Found {
                matches: page.matches,
                stopped_by: Some(if page.has_more {
                    StopReason::Limit
                } else {
                    stop
                }),
                next: Some(Resume::Again(Segment {
                    after: Some(after),
                    ..segment
                })),
                ..Found::default()
            }
        }
    }
}

/// Returns how a page ended, and that it goes on from `next` if it has to.
fn ended(end: End, next: Resume) -> Found {
    match end {
        End::Complete => Found {
            is_complete: true,
            ..Found::default()
        },
        End::Stopped(stop) => Found {
            stopped_by: Some(stop),
            next: Some(next),
            ..Found::default()
        },
    }
}

impl Found {
    fn go_on_in(&mut self, segment: Segment) {
        self.stopped_by = Some(StopReason::Limit);
        self.next = Some(Resume::Again(segment));
    }

    /// Returns the key of the last match; a page that is followed by another of its segment is
    /// full.
    fn last_key(&self) -> Key {
        self.matches.last().map_or_else(
            || Key {
                time: 0,
                path: String::new(),
            },
            |last| Key {
                time: last.time,
                path: last.path.clone(),
            },
        )
    }
}

/// The answer for a single entry, `name` in `directory`.
fn alone<T: Directory>(
    request: &Request,
    path: &str,
    directory: &Visible<T>,
    name: &str,
    kind: Kind,
) -> Found {
    let mut found = Found {
        is_complete: true,
        ..Found::default()
    };
    let is_wanted = match kind {
        Kind::Directory => request.kinds.directories,
        _ => request.kinds.files,
    };
    if !is_wanted {
        return found;
    }
    found.files = u32::from(kind == Kind::File);
    let glob = request.glob.as_deref().map(Glob::parse);
    if let Some(Ok(mut glob)) = glob
        && !glob.matches_path(start_path(path))
    {
        return found;
    }
    let stat = directory.stat(name).map_err(reason);
    match stat.and_then(|stat| examine(stat, kind, request.field)) {
        Ok((time, size)) if request.window.holds(time) => found.matches.push(Match {
            path: start_path(path).to_owned(),
            time,
            size,
        }),
        Ok(_) => {}
        Err(reason) => found.skips.add(path, reason),
    }
    found
}

fn shown(found: Match) -> FindMatch {
    FindMatch {
        path: found.path,
        kind: match found.size {
            Some(_) => EntryKind::File,
            None => EntryKind::Directory,
        },
        time: iso_8601_expanded(found.time),
        size_bytes: found.size,
    }
}
