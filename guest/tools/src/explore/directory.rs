//! A directory as an item.

use docent_api::pillars::ItemKind;

use crate::explore::candidate::Candidate;
use crate::explore::deadline::{Deadline, Time};
use crate::explore::page::{Outcome, Rendered};
use crate::explore::render::{blank, counted};
use crate::explore::text::Text;
use docent_corpus::corpus::Corpus;
use docent_corpus::walk::{Found, Reach, Walk};
use docent_document::headings;
use docent_tree::disk::Disk;
use docent_tree::locate::{Located, Wanted};
use docent_tree::path::RelPath;

/// An entry of a directory.
struct Entry {
    name: String,
    holds: Holds,
}

/// What is told of an entry.
#[derive(Clone, Copy)]
enum Holds {
    /// It is a file of so many bytes.
    Bytes(u64),
    /// It is a directory with so many files below it.
    Files(usize),
    /// It is a directory whose files were not counted.
    Uncounted,
}

/// Makes an item of a directory: its entries, with the number of files below each.
pub(super) fn directory<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    candidate: &Candidate,
    deadline: &Deadline,
) -> Outcome {
    let Ok(path) = RelPath::parse(&candidate.path) else {
        return Outcome::Gone;
    };
    let Some(mut entries) = entries(corpus, root, &path) else {
        return Outcome::Gone;
    };
    count_below(corpus, root, &path, &mut entries, deadline);
    let lines = entries.iter().map(|entry| {
        let name = headings::heading::one_line(&entry.name);
        match entry.holds {
            Holds::Bytes(size) => format!("{name} ({size} bytes)\n"),
            Holds::Files(1) => format!("{name}/ (1 file)\n"),
            Holds::Files(files) => format!("{name}/ ({files} files)\n"),
            Holds::Uncounted => format!("{name}/\n"),
        }
    });
    let (mut files, mut directories, mut below) = (0, 0, 0);
    for entry in &entries {
        match entry.holds {
            Holds::Bytes(_) => files += 1,
            Holds::Files(own) => {
                directories += 1;
                below += own;
            }
            Holds::Uncounted => directories += 1,
        }
    }
    let mut item = blank(candidate, ItemKind::Directory);
    item.title = path.segments().next_back().unwrap_or(".").to_owned();
    item.why = [
        counted(directories, "directory", "directories"),
        counted(files, "file", "files"),
        counted(below, "file below", "files below"),
    ]
    .into_iter()
    .flatten()
    .collect();
    Outcome::Item(Box::new(Rendered {
        text: Text::made(lines.collect(), None),
        item,
        is_content: false,
        is_whole: false,
    }))
}

/// Returns the entries of a directory, directories still uncounted; none where it is gone.
fn entries<D: Disk>(corpus: &mut Corpus<D>, root: usize, path: &RelPath) -> Option<Vec<Entry>> {
    let Ok(Located::Directory(start)) = corpus.locate(root, path, Wanted::Directory) else {
        return None;
    };
    let reach = Reach {
        is_document: &|_| true,
        exclude: &corpus.exclude,
        depth: 1,
        after: None,
    };
    let mut walk = Walk::begin(&mut corpus.store, start, reach).ok()?;
    let mut entries = Vec::new();
    while let Some(found) = walk.advance() {
        entries.push(Entry {
            name: walk.name().to_owned(),
            holds: match found {
                Found::Directory => Holds::Uncounted,
                Found::Document => Holds::Bytes(walk.metadata().map_or(0, |own| own.size)),
            },
        });
    }
    Some(entries)
}

/// Counts the files below each entry, as far as the time goes.
fn count_below<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    path: &RelPath,
    entries: &mut [Entry],
    deadline: &Deadline,
) {
    let located = corpus.locate(root, path, Wanted::Directory);
    let Ok(Located::Directory(start)) = located else {
        return;
    };
    let reach = Reach {
        is_document: &|_| true,
        exclude: &corpus.exclude,
        depth: usize::MAX,
        after: None,
    };
    let Ok(mut walk) = Walk::begin(&mut corpus.store, start, reach) else {
        return;
    };
    // Directories come in the order of the entries.
    let mut directories = entries
        .iter_mut()
        .filter(|entry| matches!(entry.holds, Holds::Uncounted));
    let mut counting: Option<(&mut Entry, usize)> = None;
    let end = |counting: Option<(&mut Entry, usize)>| {
        if let Some((entry, files)) = counting {
            entry.holds = Holds::Files(files);
        }
    };
    while let Some(found) = walk.advance() {
        if deadline.is_over_after(&corpus.disk, Time::All, 0) {
            return;
        }
        match (walk.depth(), found) {
            (1, Found::Directory) => {
                end(counting.take());
                let name = walk.name();
                counting = directories.find(|entry| entry.name == name).map(|e| (e, 0));
            }
            (1, Found::Document) => end(counting.take()),
            (_, Found::Document) => {
                if let Some((_, files)) = &mut counting {
                    *files += 1;
                }
            }
            (_, Found::Directory) => {}
        }
    }
    end(counting);
}
