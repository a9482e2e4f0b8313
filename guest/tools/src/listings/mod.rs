//! The common part of both listings: a page of the walk.

pub mod list_documents;
pub mod list_full_tree;

use docent_api::documents::{DocumentEntry, Listing};
use docent_api::types::{EntryKind, Error};

use crate::limits::{LIST_LIMIT, LIST_LIMIT_DEFAULT, TITLE_BYTES};
use crate::paging::cursor::{self, Fingerprint};
use docent_corpus::corpus::Corpus;
use docent_corpus::extensions::Extensions;
use docent_corpus::foreign;
use docent_corpus::limits::FOREIGN_BYTES;
use docent_corpus::store::Title;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_document::{format, headings};
use docent_text::decode::{DecodeError, decode};
use docent_text::time::iso_8601;
use docent_tree::archive::EnteredContainers;
use docent_tree::disk::{Directory, Disk};
use docent_tree::door::Extent;
use docent_tree::error::check_range;
use docent_tree::included::Inclusions;
use docent_tree::path::RelPath;
use docent_tree::refusal::unavailable;
use docent_tree::skips::reason;

/// A request for a listing, with a valid depth.
pub struct ListRequest {
    /// The tool.
    pub tool: &'static str,
    /// Name of the root.
    pub root: Option<String>,
    /// The directory.
    pub path: Option<String>,
    /// Levels to list.
    pub depth: u32,
    /// Entries of the page.
    pub limit: Option<u32>,
    /// Cursor at which the page starts.
    pub cursor: Option<String>,
}

pub fn list<D: Disk>(corpus: &mut Corpus<D>, request: &ListRequest) -> Result<Listing, Error> {
    let path = RelPath::parse_or_root(request.path.as_deref())?;
    let limit = check_range("limit", request.limit, LIST_LIMIT)?.unwrap_or(LIST_LIMIT_DEFAULT);
    let root = corpus.choose_root(request.root.as_deref())?;
    let fingerprint = Fingerprint::new(request.tool)
        .with(&root.name)
        .with(path.as_str())
        .with(&request.depth.to_string());
    let after = match &request.cursor {
        Some(cursor) => Some(cursor::decode(fingerprint, cursor)?),
        None => None,
    };
    corpus.store.begin_call();
    let start = corpus.directory(root.index, &path)?;
    let extensions = Extensions::default();
    // This is the path on disk, which may be in another normal form than the request. It is
    // taken before the walk takes ownership of the start.
    let shown_path = start.path.to_string();
    let reach = WalkOptions {
        is_document: &|name| extensions.has(name),
        exclude: &corpus.exclude,
        included: Inclusions::default(),
        depth: request.depth as usize,
        containers: EnteredContainers::Archives,
        after: after.as_deref(),
    };
    let mut walk = Walk::begin(&mut corpus.store, start, reach)
        .map_err(|failure| unavailable(&path, failure))?;
    let mut entries: Vec<DocumentEntry> = Vec::new();
    let mut next_cursor = None;
    let mut mark = walk.skips.mark();
    // The walk takes one step more than the page has entries, so that a page that is just full
    // has a cursor only if something follows.
    while let Some(found) = walk.advance() {
        // Entries that were skipped after the last listed one are reported by the next page,
        // which passes them again. Without rewinding, both pages would report them.
        if entries.len() == limit as usize {
            walk.skips.rewind(mark);
            next_cursor = entries
                .last()
                .map(|last| cursor::encode(fingerprint, &key(last)));
            break;
        }
        if let Some(entry) = entry(&mut walk, found) {
            entries.push(entry);
            mark = walk.skips.mark();
        }
    }
    let skipped = std::mem::take(&mut walk.skips).finish();
    Ok(Listing {
        root: root.shown,
        path: shown_path,
        entries,
        next_cursor,
        skipped,
    })
}

/// Returns the path by which the walk is ordered.
fn key(entry: &DocumentEntry) -> String {
    match entry.kind {
        // The content of a directory is sorted by its name with a trailing `/`, and its own
        // entry comes before that. The key after the entry is therefore that of the beginning
        // of its content.
        EntryKind::Directory => format!("{}/", entry.path),
        EntryKind::File => entry.path.clone(),
    }
}

fn entry<T: Directory>(walk: &mut Walk<'_, T>, found: WalkStep) -> Option<DocumentEntry> {
    let metadata = match walk.metadata() {
        Ok(metadata) => metadata,
        Err(failure) => {
            walk.skip(reason(failure));
            return None;
        }
    };
    let (kind, size, title) = match found {
        WalkStep::Directory => (EntryKind::Directory, None, None),
        WalkStep::Document => (EntryKind::File, Some(metadata.size), title(walk)),
    };
    Some(DocumentEntry {
        path: walk.path().to_owned(),
        kind,
        size,
        modified: metadata.modified.and_then(iso_8601),
        title,
        depth: u32::try_from(walk.depth()).unwrap_or(u32::MAX),
    })
}

/// Returns the title of the walk's current document, from the cache if it is valid.
fn title<T: Directory>(walk: &mut Walk<'_, T>) -> Option<String> {
    // A text without headings has no title and need not be opened.
    if !format::has_headings(walk.name()) {
        return None;
    }
    if let Some((id, stamp)) = walk.stored_document()
        && walk.store.is_current(id, stamp)
        && let Some(document) = walk.store.document(id)
    {
        match &document.title {
            Title::Unasked => {}
            Title::Absent => return None,
            Title::Present(title) => return Some(title.as_ref().to_owned()),
        }
    }
    // Beyond the limit of documents per call, the title is left out.
    if !walk.admit() {
        return None;
    }
    let extension = foreign::extension(walk.name());
    // The index of the parts of a zip archive or a PDF is at the end of the file, so its reader
    // needs the whole document, even for a title at the beginning.
    let extent = extension.map_or(Extent::Head(TITLE_BYTES), |_| Extent::Whole(FOREIGN_BYTES));
    let content = walk.read(extent).ok()?;
    let name = walk.name().to_owned();
    let title = match extension {
        None => title_of(&name, &content.bytes),
        Some(_) => walk
            .store
            .extracted_head(&name, &content.bytes, TITLE_BYTES)
            .ok()
            .and_then(|head| headings::title(&name, &head)),
    };
    if let Some(id) = walk.remember(content.stamp) {
        walk.store.set_title(id, title.as_deref());
    }
    title
}

/// Returns the title in the first bytes of a document, whose last character may be cut.
fn title_of(name: &str, head: &[u8]) -> Option<String> {
    let is_cut = head.len() >= TITLE_BYTES;
    // The file was cut after a number of bytes, which may be inside a character. Up to three
    // bytes of the last one are removed until the rest decodes: without that, a file of Korean
    // text would count as not being text in two of three cases.
    let decoded = (0..=if is_cut { 3 } else { 0 })
        .map(|cut| decode(&head[..head.len() - cut]))
        .find(|decoded| !matches!(decoded, Err(DecodeError::NotText)))?;
    headings::title(name, &decoded.ok()?.text)
}
