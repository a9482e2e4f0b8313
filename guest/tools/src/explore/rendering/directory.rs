//! A directory as an item.

use docent_api::pillars::ItemKind;

use crate::explore::rendering::context::RenderContext;
use crate::explore::rendering::item::{ItemForm, Outcome, RenderedItem};
use crate::explore::rendering::item::{blank, count_phrase};
use crate::explore::rendering::text::ItemText;
use crate::explore::request::deadline::CallPhase;
use crate::explore::selection::candidate::Candidate;
use docent_corpus::corpus::Corpus;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_document::headings;
use docent_tree::archive::EnteredContainers;
use docent_tree::disk::Disk;
use docent_tree::path::RelPath;

/// An entry of a directory.
struct ShownEntry {
    name: String,
    size: EntrySize,
}

/// Size of an entry, as shown.
#[derive(Clone, Copy)]
enum EntrySize {
    /// It is a file with this number of bytes.
    Bytes(u64),
    /// It is a directory with this number of files below it.
    Files(usize),
    /// It is a directory whose files were not counted.
    Uncounted,
}

/// Returns the item of a directory: its entries, with the number of files below each.
pub(super) fn directory<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    candidate: &Candidate,
) -> Outcome {
    // The path is parsed like one of a request. On Unix a name may contain `\`, which no
    // request can express; such a directory is treated as absent.
    let Ok(path) = RelPath::parse(&candidate.path) else {
        return Outcome::Gone;
    };
    let Some(mut entries) = entries(corpus, context, &path) else {
        return Outcome::Gone;
    };
    count_below(corpus, context, &path, &mut entries);
    let lines = entries.iter().map(|entry| {
        let name = headings::heading::one_line(&entry.name);
        match entry.size {
            EntrySize::Bytes(size) => format!("{name} ({size} bytes)\n"),
            EntrySize::Files(1) => format!("{name}/ (1 file)\n"),
            EntrySize::Files(files) => format!("{name}/ ({files} files)\n"),
            EntrySize::Uncounted => format!("{name}/\n"),
        }
    });
    let (mut files, mut directories, mut below) = (0, 0, 0);
    for entry in &entries {
        match entry.size {
            EntrySize::Bytes(_) => files += 1,
            EntrySize::Files(files_below) => {
                directories += 1;
                below += files_below;
            }
            EntrySize::Uncounted => directories += 1,
        }
    }
    // `blank` instead of `item`: a directory has no size of its own, and its modification time
    // does not change when a file in it does.
    let mut item = blank(candidate, ItemKind::Directory);
    item.title = path.segments().next_back().unwrap_or(".").to_owned();
    item.why = [
        count_phrase(directories, "directory", "directories"),
        count_phrase(files, "file", "files"),
        count_phrase(below, "file below", "files below"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let text = ItemText::from_generated(lines.collect(), None);
    Outcome::Item(Box::new(RenderedItem::new(item, text, ItemForm::Preview)))
}

/// Returns the entries of a directory, with directories not counted yet, or `None` if it is gone.
fn entries<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    path: &RelPath,
) -> Option<Vec<ShownEntry>> {
    let included = context.included;
    let start = corpus.directory_among(context.root, path, included).ok()?;
    let reach = WalkOptions {
        included,
        depth: 1,
        containers: EnteredContainers::Archives,
        ..WalkOptions::all_files(&corpus.exclude)
    };
    let mut walk = Walk::begin(&mut corpus.store, start, reach).ok()?;
    let mut entries = Vec::new();
    while let Some(found) = walk.advance() {
        entries.push(ShownEntry {
            name: walk.name().to_owned(),
            size: match found {
                WalkStep::Directory => EntrySize::Uncounted,
                WalkStep::Document => {
                    EntrySize::Bytes(walk.metadata().map_or(0, |metadata| metadata.size))
                }
            },
        });
    }
    Some(entries)
}

/// Counts the files below each entry, as time allows.
fn count_below<D: Disk>(
    corpus: &mut Corpus<D>,
    context: &RenderContext<'_>,
    path: &RelPath,
    entries: &mut [ShownEntry],
) {
    let included = context.included;
    let Ok(start) = corpus.directory_among(context.root, path, included) else {
        return;
    };
    let reach = WalkOptions {
        included,
        containers: EnteredContainers::Archives,
        ..WalkOptions::all_files(&corpus.exclude)
    };
    // Two walks. The first does not descend and lists the entries; the second counts what is
    // below them. With a single walk, a directory with a million files below its first entry
    // would use up the time before the second entry is even named.
    let Ok(mut walk) = Walk::begin(&mut corpus.store, start, reach) else {
        return;
    };
    // The walk reaches directories in the order of the entries, so one pass over both counts
    // all. An entry that was added since the listing exhausts the iterator: the following ones
    // stay uncounted, which is shown as no number instead of a wrong one.
    let mut directories = entries
        .iter_mut()
        .filter(|entry| matches!(entry.size, EntrySize::Uncounted));
    let mut current: Option<(&mut ShownEntry, usize)> = None;
    let close = |current: Option<(&mut ShownEntry, usize)>| {
        if let Some((entry, files)) = current {
            entry.size = EntrySize::Files(files);
        }
    };
    while let Some(found) = walk.advance() {
        // The directory in which the time ended gets no number: a partial count would look like
        // a complete one.
        if context
            .deadline
            .is_over_after(&corpus.disk, CallPhase::Answer, 0)
        {
            return;
        }
        match (walk.depth(), found) {
            (1, WalkStep::Directory) => {
                close(current.take());
                let name = walk.name();
                let entry = directories.find(|entry| entry.name == name);
                current = entry.map(|entry| (entry, 0));
            }
            (1, WalkStep::Document) => close(current.take()),
            (_, WalkStep::Document) => {
                if let Some((_, files)) = &mut current {
                    *files += 1;
                }
            }
            (_, WalkStep::Directory) => {}
        }
    }
    close(current);
}
