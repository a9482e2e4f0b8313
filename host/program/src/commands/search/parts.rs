//! Splits a large directory into parts that are searched side by side.
//!
//! The component runs on one thread, and most of a first search is the kernel's work of opening
//! and reading files; two instances that share the entries of a directory halve the wait. What is
//! found is the same, and its order does not depend on which of them is faster.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use docent_host::{CallError, Session};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::SearchPage;
use crate::commands::call;
use crate::terminal::error::CommandError;
use crate::terminal::skipped::{Skipped, SkippedEntry};

/// The function of the component that lists one level of a directory.
const LIST: &str = "list-documents";

/// The function of the component that says why it passes over an entry, whatever that is.
const FIND: &str = "find-files";

/// Refusals that are about the path of a part alone; another one would meet every part.
const REFUSALS_OF_A_PATH: [&str; 3] = ["document-not-found", "invalid-path", "sensitive"];

/// What is said of a part that is gone since the directory was listed.
const VANISHED: &str = "vanished";

/// Entries of one level that a split looks at; a wider directory is searched in one go.
const ENTRIES: u32 = 1000;

/// Documents of one level that may each become a part; calls for single documents cost more than
/// they save when there are many.
const SINGLE_DOCUMENTS: usize = 64;

/// Instances that search side by side.
const INSTANCES: usize = 4;

/// A directory, as the parts that it is searched in.
pub struct Parts {
    /// The paths of its entries, relative to the root, in the order of a search.
    pub paths: Vec<String>,
    /// What could not be listed.
    pub skipped: Skipped,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listing {
    entries: Vec<Entry>,
    next_cursor: Option<String>,
    skipped: Skipped,
}

#[derive(Deserialize)]
struct Entry {
    path: String,
    kind: String,
}

/// Returns the parts of all of `root`; none where it is not worth splitting, or cannot be listed.
pub fn split(session: &mut Session, root: &str) -> Option<Parts> {
    let mut request = Map::new();
    request.insert("root".to_owned(), json!(root));
    request.insert("limit".to_owned(), json!(ENTRIES));
    // A search of the whole says what is wrong with it.
    let listing: Listing = serde_json::from_value(session.call(LIST, request).ok()?).ok()?;
    let directories = listing
        .entries
        .iter()
        .filter(|entry| entry.kind == "directory")
        .count();
    let documents = listing.entries.len() - directories;
    // With one directory there is nothing to share, and many small parts cost more than they save.
    if listing.next_cursor.is_some() || directories < 2 || documents > SINGLE_DOCUMENTS {
        return None;
    }
    // A search of the whole meets such a name as an entry, and never as a path.
    let is_odd = |entry: &Entry| !can_be_asked_for(&entry.path);
    if listing.entries.iter().any(is_odd) {
        return None;
    }
    let mut entries: Vec<(String, String)> = listing
        .entries
        .into_iter()
        .map(|entry| {
            // A directory stands where its files do.
            let slash = if entry.kind == "directory" { "/" } else { "" };
            (format!("{}{slash}", entry.path), entry.path)
        })
        .collect();
    entries.sort_unstable();
    let paths = entries.into_iter().map(|(_, path)| path).collect();
    Some(Parts {
        paths,
        skipped: listing.skipped,
    })
}

/// Whether a request for this name of an entry means that entry: `\` is read as `/`, and `C:` as a
/// drive.
fn can_be_asked_for(name: &str) -> bool {
    let mut start = name.bytes();
    let is_letter = start.next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let names_drive = is_letter && start.next() == Some(b':');
    !names_drive && !name.contains('\\')
}

/// Searches `paths` side by side and hands each page to `take`, the pages of each path in order and
/// the paths in order. `request` makes the request for a path and a cursor. Returns the paths that
/// could not be opened, or not to their end, in order.
///
/// # Errors
/// The first one of the first path that has one, or what `take` returns.
pub fn search(
    session: &Session,
    paths: &[String],
    request: &(impl Fn(&str, Option<String>) -> Map<String, Value> + Sync),
    mut take: impl FnMut(SearchPage) -> Result<(), CommandError>,
) -> Result<Vec<String>, CommandError> {
    // More instances than cores would take turns, each with a memory of its own.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let sessions = (0..cores.min(INSTANCES).min(paths.len()))
        .map(|_| session.twin())
        .collect::<Result<Vec<_>, _>>()?;
    let stop = AtomicBool::new(false);
    let (senders, receivers): (Vec<_>, Vec<_>) = paths.iter().map(|_| mpsc::channel()).unzip();
    // The threads alone hold the senders, so that a path whose thread is gone is not waited for.
    let open: Arc<Mutex<_>> = Arc::new(Mutex::new(paths.iter().zip(senders)));
    thread::scope(|scope| {
        let stop = &stop;
        for mut session in sessions {
            let open = Arc::clone(&open);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    // Locked for the next path alone, not for the search in it.
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
                // In the order of the paths, whichever instance is faster: the output is always the
                // same.
                let (page, is_last) = receiver.recv().map_err(|_| CommandError::InstanceEnded)?;
                let taken = match page {
                    // Listed, and then not given: what one entry is takes nothing from the others.
                    Err(error) if is_about_the_path(&error) => {
                        unopened.push(path.clone());
                        Ok(())
                    }
                    page => page.and_then(&mut take),
                };
                if let Err(error) = taken {
                    // The others finish their page at most; the scope waits for them.
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

/// Returns what is to be told of an entry of a root that could not be opened. Refusals do not say
/// why; a listing tells it of what it passes over.
pub fn unopened(session: &mut Session, root: &str, path: String) -> SkippedEntry {
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

/// Returns the glob that a name alone matches.
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

/// Asks for one page.
pub fn page(
    session: &mut Session,
    request: Map<String, Value>,
) -> Result<SearchPage, CommandError> {
    call(session, super::FUNCTION, request)
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
