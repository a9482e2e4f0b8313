//! Splits a large directory into parts that are searched side by side.
//!
//! The component runs on one thread, and most of a first search is the kernel's work of opening
//! and reading files; two instances that share the entries of a directory halve the wait. What is
//! found is the same, and its order does not depend on which of them is faster.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use docent_host::Session;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::SearchPage;
use crate::commands::call;
use crate::terminal::error::CommandError;
use crate::terminal::skipped::Skipped;

/// The function of the component that lists one level of a directory.
const LIST: &str = "list-documents";

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

/// Searches `paths` side by side and hands each page to `take`, the pages of each path in order and
/// the paths in order. `request` makes the request for a path and a cursor.
///
/// # Errors
/// The first one of the first path that has one, or what `take` returns.
pub fn search(
    session: &Session,
    paths: &[String],
    request: &(impl Fn(&str, Option<String>) -> Map<String, Value> + Sync),
    mut take: impl FnMut(SearchPage) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
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
        for receiver in receivers {
            loop {
                // In the order of the paths, whichever instance is faster: the output is always the
                // same.
                let (page, is_last) = receiver.recv().map_err(|_| CommandError::InstanceEnded)?;
                if let Err(error) = page.and_then(&mut take) {
                    // The others finish their page at most; the scope waits for them.
                    stop.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                if is_last {
                    break;
                }
            }
        }
        Ok(())
    })
}

/// Asks for one page.
pub fn page(
    session: &mut Session,
    request: Map<String, Value>,
) -> Result<SearchPage, CommandError> {
    call(session, super::FUNCTION, request)
}
