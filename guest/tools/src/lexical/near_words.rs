//! Suggestions for a query without results: words of the documents that are similar to its own.

use docent_corpus::corpus::Corpus;
use docent_corpus::foreign;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_text::words::near::NearWords;
use docent_tree::archive::EnteredContainers;
use docent_tree::disk::Disk;
use docent_tree::included::Inclusions;
use docent_tree::locate::{Located, TargetKind};
use docent_tree::path::RelPath;

use crate::limits::{NEAR_BYTES, NEAR_DOCUMENTS, NEAR_NAMES};

/// Returns the words most similar to those of `query`, best first, from documents at or below
/// `path`: those whose names are similar to the query, and others from all of the tree. Reads until
/// `end_ms` on the disk's clock.
pub fn near_words<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    path: &RelPath,
    is_document: &dyn Fn(&str) -> bool,
    query: &str,
    end_ms: u64,
) -> Vec<String> {
    let mut near = NearWords::new(query);
    if near.is_empty() {
        return Vec::new();
    }
    let names = names(corpus, root, path, is_document);
    for path in choose_paths(names, &mut near) {
        if corpus.disk.monotonic_ms() >= end_ms {
            break;
        }
        // The search has reported an unreadable file already.
        let Ok(opened) = corpus.open(root, &path) else {
            continue;
        };
        if let Ok(decoded) = opened.decode(&mut corpus.store) {
            near.collect_from(head(&decoded.text));
        }
    }
    near.into_words()
}

/// Returns the first documents at or below `path`, without those that are slow to read.
fn names<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    path: &RelPath,
    is_document: &dyn Fn(&str) -> bool,
) -> Vec<RelPath> {
    let Ok(located) = corpus.locate(root, path, TargetKind::Any) else {
        return Vec::new();
    };
    let start = match located {
        Located::File(file) => return vec![file.path],
        Located::Directory(start) => start,
    };
    let reach = WalkOptions {
        is_document: &|name| is_document(name) && foreign::extension(name).is_none(),
        exclude: &corpus.exclude,
        included: Inclusions::default(),
        depth: usize::MAX,
        containers: EnteredContainers::None,
        after: None,
    };
    let mut names = Vec::new();
    let Ok(mut walk) = Walk::begin(&mut corpus.store, start, reach) else {
        return names;
    };
    while names.len() < NEAR_NAMES
        && let Some(step) = walk.advance()
    {
        if step == WalkStep::Document {
            names.push(walk.rel_path().to_owned());
        }
    }
    names
}

/// Returns the documents to read: those whose names are similar to the query, and as many of the
/// others, distributed evenly over the tree, as there is room for.
fn choose_paths(names: Vec<RelPath>, near: &mut NearWords) -> Vec<RelPath> {
    let (mut chosen, others): (Vec<_>, Vec<_>) = names
        .into_iter()
        .partition(|path| near.is_near(path.as_str()));
    chosen.truncate(NEAR_DOCUMENTS);
    let room = NEAR_DOCUMENTS - chosen.len();
    let step = others.len().div_ceil(room.max(1)).max(1);
    chosen.extend(others.into_iter().step_by(step).take(room));
    chosen
}

/// Returns the similar words of a single text.
pub fn near_words_of(text: &str, query: &str) -> Vec<String> {
    let mut near = NearWords::new(query);
    if !near.is_empty() {
        near.collect_from(&text[..text.floor_char_boundary(NEAR_DOCUMENTS * NEAR_BYTES)]);
    }
    near.into_words()
}

/// Returns the sentence of a hint that names similar words, after a space; empty if there are none.
pub fn near_sentence(words: &[String]) -> String {
    if words.is_empty() {
        return String::new();
    }
    format!(" Words that do occur: `{}`.", words.join("`, `"))
}

/// Returns the beginning of a text, up to the number of bytes examined.
fn head(text: &str) -> &str {
    let mut end = text.len().min(NEAR_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
