//! Parallel search of a large directory in parts.
//!
//! The component has one thread, and most of a first search is kernel time for opening and reading
//! files; two instances that share the entries of a directory halve the wait. The results are the
//! same, and their order does not depend on the speed of an instance.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use docent_host::{CallError, Session};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::{AnswerPage, FUNCTION};
use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::skipped::{Skipped, SkippedEntry};

/// Function of the component that lists one level of a directory.
const LIST: &str = "list-documents";

/// Function of the component that reports the reason for skipping any entry.
const FIND: &str = "find-files";

/// Codes of refusals that concern the path of one part; any other would affect every part.
const REFUSALS_OF_A_PATH: [&str; 3] = ["document-not-found", "invalid-path", "sensitive"];

/// Reason reported for a part that was removed after the listing.
const VANISHED: &str = "vanished";

/// Maximum entries of one level for a split; a wider directory is searched as a whole.
const ENTRIES: u32 = 1000;

/// Maximum documents of one level that become parts of their own; beyond that, calls for single
/// documents cost more than they save.
const SINGLE_DOCUMENTS: usize = 64;

/// Number of instances that search in parallel.
const INSTANCES: usize = 4;

/// A directory, split into parts.
pub struct SplitDirectory {
    /// Paths of its entries, relative to the root, in the order of a search.
    pub paths: Vec<String>,
    /// Entries that could not be listed.
    pub skipped: Skipped,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PartListing {
    entries: Vec<PartEntry>,
    next_cursor: Option<String>,
    skipped: Skipped,
}

#[derive(Deserialize)]
struct PartEntry {
    path: String,
    kind: String,
}

/// Splits `root` into parts; none if a split is not worthwhile, or the root cannot be listed.
pub fn split(session: &mut Session, root: &str) -> Option<SplitDirectory> {
    let mut request = Map::new();
    request.insert("root".to_owned(), json!(root));
    request.insert("limit".to_owned(), json!(ENTRIES));
    // On failure, a search of the whole reports the error.
    let listing: PartListing = serde_json::from_value(session.call(LIST, request).ok()?).ok()?;
    let directories = listing
        .entries
        .iter()
        .filter(|entry| entry.kind == "directory")
        .count();
    let documents = listing.entries.len() - directories;
    // The directory is searched as a whole if it has more entries than one page lists, fewer
    // than two directories to share among instances, or so many documents that a call for each
    // costs more than it saves.
    if listing.next_cursor.is_some() || directories < 2 || documents > SINGLE_DOCUMENTS {
        return None;
    }
    // A name such as `a\b.md` can be met in a listing but not requested: a request reads `\` as
    // `/` and would search `a/b.md` instead. With one such name, the directory is searched as a
    // whole.
    let is_odd = |entry: &PartEntry| !can_be_asked_for(&entry.path);
    // A search by the path of a mail would leave out its attachments, and one of an archive that
    // cannot be unpacked is refused without the reason.
    let is_container = |entry: &PartEntry| is_container(&entry.path);
    if listing.entries.iter().any(is_odd) || listing.entries.iter().any(is_container) {
        return None;
    }
    let mut entries: Vec<(String, String)> = listing
        .entries
        .into_iter()
        .map(|entry| {
            // A directory sorts like the paths of the files in it. `a.md` comes before
            // `a/x.md`, since `.` is before `/`, and `a-b.md` before both; by the bare names,
            // `a` would come first.
            let slash = if entry.kind == "directory" { "/" } else { "" };
            (format!("{}{slash}", entry.path), entry.path)
        })
        .collect();
    entries.sort_unstable();
    let paths = entries.into_iter().map(|(_, path)| path).collect();
    Some(SplitDirectory {
        paths,
        skipped: listing.skipped,
    })
}

/// Returns true if an entry is the directory of an archive, or a mail, which may have attachments.
fn is_container(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    name.ends_with('!')
        || ["eml", "msg"]
            .iter()
            .any(|mail| extension.eq_ignore_ascii_case(mail))
}

/// Returns true if a path with this name means this entry: requests read `\` as `/`, and `C:` as a
/// drive.
fn can_be_asked_for(name: &str) -> bool {
    let mut start = name.bytes();
    let is_letter = start.next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let names_drive = is_letter && start.next() == Some(b':');
    !names_drive && !name.contains('\\')
}

/// Searches `paths` in parallel and passes each page to `take`, with the pages of a path and the
/// paths in order. `request` creates the request for a path and a cursor. Returns the paths that
/// could not be opened, or not read to the end, in order.
///
/// # Errors
/// Returns the first error of the first path that has one, or the error of `take`.
pub fn search(
    session: &Session,
    paths: &[String],
    request: &(impl Fn(&str, Option<String>) -> Map<String, Value> + Sync),
    mut take: impl FnMut(AnswerPage) -> Result<(), CommandError>,
) -> Result<Vec<String>, CommandError> {
    // More instances than cores would only take turns, each with a memory of its own.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let sessions = (0..cores.min(INSTANCES).min(paths.len()))
        .map(|_| session.twin())
        .collect::<Result<Vec<_>, _>>()?;
    let stop = AtomicBool::new(false);
    let (senders, receivers): (Vec<_>, Vec<_>) = paths.iter().map(|_| mpsc::channel()).unzip();
    // The threads own all senders. If one ends early, by a panic for instance, its senders are
    // dropped and their channels close; a sender that was kept here would make `recv` wait for
    // ever.
    let open: Arc<Mutex<_>> = Arc::new(Mutex::new(paths.iter().zip(senders)));
    thread::scope(|scope| {
        let stop = &stop;
        for mut session in sessions {
            let open = Arc::clone(&open);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    // Locked only to take the next path, not during its search.
                    let next = open.lock().ok().and_then(|mut open| open.next());
                    let Some((path, sender)) = next else { return };
                    let mut cursor = None;
                    loop {
                        let page = page(&mut session, request(path, cursor.take()));
                        cursor = page.as_ref().ok().and_then(|page| page.next_cursor.clone());
                        let is_last = cursor.is_none();
                        if sender.send((page, is_last)).is_err() || is_last {
                            break;
                        }
                    }
                }
            });
        }
        drop(open);
        let mut unopened = Vec::new();
        for (path, receiver) in paths.iter().zip(receivers) {
            loop {
                // The pages are taken in the order of the paths, whichever instance is faster.
                // The same search always prints the same output; pages that come early wait in
                // their channels.
                let (page, is_last) = receiver.recv().map_err(|_| CommandError::InstanceEnded)?;
                let taken = match page {
                    // The entry was listed and is refused now: it was removed in between, or
                    // may not be opened. The search of the others continues, and the entry is
                    // reported as skipped.
                    Err(error) if is_about_the_path(&error) => {
                        unopened.push(path.clone());
                        Ok(())
                    }
                    page => page.and_then(&mut take),
                };
                if let Err(error) = taken {
                    // The other threads see the flag after their current page, or find that the
                    // receiver has gone. The scope waits for them, so none outlives this
                    // function.
                    stop.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                if is_last {
                    break;
                }
            }
        }
        Ok(unopened)
    })
}

fn is_about_the_path(error: &CommandError) -> bool {
    match error {
        CommandError::Call(CallError::Refused(refusal)) => {
            REFUSALS_OF_A_PATH.contains(&refusal.code.as_str())
        }
        _ => false,
    }
}

/// Returns the report of an entry of a root that could not be opened. A refusal does not give the
/// reason; a listing does for each entry that it skips.
pub fn unopened_report(session: &mut Session, root: &str, path: String) -> SkippedEntry {
    let literal = literal(&path);
    let mut request = Map::new();
    request.insert("root".to_owned(), json!(root));
    request.insert(
        "glob".to_owned(),
        json!(format!("{{{literal},{literal}/*}}")),
    );
    request.insert("maxDepth".to_owned(), json!(2));
    request.insert("limit".to_owned(), json!(1));
    let answer = session.call(FIND, request).unwrap_or_default();
    let skipped = serde_json::from_value(answer["stats"]["skipped"].clone());
    let skipped: Skipped = skipped.unwrap_or_default();
    let entry = skipped.entries.into_iter().find(|entry| entry.path == path);
    entry.unwrap_or_else(|| SkippedEntry {
        path,
        reason: VANISHED.to_owned(),
    })
}

/// Returns a glob that matches this name alone.
fn literal(name: &str) -> String {
    let mut glob = String::with_capacity(name.len());
    for c in name.chars() {
        if "*?[]{},!\\".contains(c) {
            glob.push('\\');
        }
        glob.push(c);
    }
    glob
}

/// Requests one page.
pub fn page(
    session: &mut Session,
    request: Map<String, Value>,
) -> Result<AnswerPage, CommandError> {
    call(session, FUNCTION, request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_else_as_a_path() {
        for name in ["a", "a b", "ab:", "1:", "가:", ":", "*"] {
            assert!(can_be_asked_for(name), "{name}");
        }
        for name in ["x\\y", "\\", "C:", "a:b"] {
            assert!(!can_be_asked_for(name), "{name}");
        }
    }

    #[test]
    fn a_name_is_no_pattern() {
        assert_eq!(literal("a [b]*{c,d}?!"), "a \\[b\\]\\*\\{c\\,d\\}\\?\\!");
        assert_eq!(literal("설정"), "설정");
    }
}
