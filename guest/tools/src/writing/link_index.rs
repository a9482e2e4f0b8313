//! Link index of a root: its names, and the documents with links to given files.

use docent_api::types::{Error, ErrorCode, SkipReason};
use docent_api::writing::{LinkList, LinkPlace};
use docent_corpus::corpus::Corpus;
use docent_corpus::visit::read_current;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_document::format::Format;
use docent_document::headings::heading::one_line;
use docent_graph::link::Link;
use docent_graph::names::Names;
use docent_graph::read::links;
use docent_graph::sites::{Sites, is_settings};
use docent_graph::targets::Targets;
use docent_text::saturating::saturating_u32;
use docent_tree::disk::{Directory, Disk};
use docent_tree::error::refuse;
use docent_tree::included::Inclusions;
use docent_tree::path::RelPath;
use docent_tree::refusal::unavailable;

use crate::limits::{LINK_INDEX_CLOCK_ENTRIES, LINK_INDEX_MS, LINKS_SHOWN};

/// Result of searching a whole root.
#[derive(Default)]
pub struct LinkIndex {
    /// The paths of all its files.
    pub names: Names,
    /// The documents that may link to the targets, in the order of their paths.
    pub linking: Vec<LinkingDocument>,
    /// Number of documents searched.
    pub documents: u32,
    /// Number of documents that could not be read.
    pub unread: u32,
}

/// A document with links that may resolve to the targets.
pub struct LinkingDocument {
    /// Its path.
    pub path: String,
    /// Those links, each with its text.
    pub links: Vec<(Link, String)>,
}

/// Visitor of the files of a root.
pub trait FileListener {
    /// Receives the walk's current file, with its text if it was read.
    fn file<T: Directory>(&mut self, walk: &mut Walk<'_, T>, text: Option<&str>);
}

/// Visitor that does nothing.
pub struct NoListener;

impl FileListener for NoListener {
    fn file<T: Directory>(&mut self, _: &mut Walk<'_, T>, _: Option<&str>) {}
}

/// Returns the format of a file of this name, if it is text that may contain links.
pub fn markup(name: &str) -> Option<Format> {
    match Format::from_name(name)? {
        format @ (Format::Markdown | Format::Mdx | Format::Rst | Format::Adoc) => Some(format),
        Format::Org
        | Format::Tex
        | Format::Textile
        | Format::Mediawiki
        | Format::Man
        | Format::Captions
        | Format::Plain
        | Format::Log
        | Format::Converted => None,
    }
}

/// Lists the names of a root, and searches its documents if there are targets; passes each file to
/// `listener`.
///
/// # Errors
/// `limit-reached` if it takes too long; any error that prevents listing the root.
pub fn index_links<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    targets: &Targets,
    listener: &mut impl FileListener,
) -> Result<LinkIndex, Error> {
    let top = RelPath::default();
    corpus.store.begin_call();
    let start = corpus.directory(root, &top)?;
    let Corpus {
        disk,
        exclude,
        store,
        ..
    } = corpus;
    let end_ms = disk.monotonic_ms().saturating_add(LINK_INDEX_MS);
    // A link may refer to a file of any kind, such as an image or a script. All names of the
    // root are listed, though only documents are read.
    let mut walk = Walk::begin(store, start, WalkOptions::all_files(exclude))
        .map_err(|failure| unavailable(&top, failure))?;
    let mut link_index = LinkIndex::default();
    let mut sites = Sites::default();
    let mut entries = 0u32;
    while let Some(step) = walk.advance() {
        entries = entries.wrapping_add(1);
        if entries.is_multiple_of(LINK_INDEX_CLOCK_ENTRIES) && disk.monotonic_ms() >= end_ms {
            return Err(too_long());
        }
        if step == WalkStep::Directory {
            continue;
        }
        link_index.names.insert(walk.path());
        if is_settings(walk.name()) {
            // Settings of a site, such as `mkdocs.yml`, name the directory at which its
            // absolute links begin. An unreadable file defines no names, so links resolve as
            // they would without it.
            let _ = read_current(&mut walk, |walk, _, text, _| {
                sites.insert(walk.path(), text);
                Ok(())
            });
        }
        let format = markup(walk.name()).filter(|_| !targets.is_empty());
        let Some(format) = format else {
            listener.file(&mut walk, None);
            continue;
        };
        let read = read_current(&mut walk, |walk, _, text, _| {
            link_index.add(walk.path(), text, format, targets);
            listener.file(walk, Some(text));
            Ok(())
        });
        link_index.documents += u32::from(read.is_ok());
        // A binary with the name of a document, such as a PDF saved as `report.md`, contains no
        // links, so nothing is missed. Other unread documents may contain links to a moved
        // file; their number is reported, since those links are left unchanged.
        if read.is_err_and(|reason| reason != SkipReason::Binary) {
            link_index.unread += 1;
        }
    }
    link_index.names.set_sites(sites);
    Ok(link_index)
}

/// Passes the hidden files of a root to `listener`; [`index_links`] omits them, as every search of
/// a whole root does. A workflow or an agent's rules name files of the tree as well. Files with
/// secrets and ignored files stay out. Returns true if it reached the last one.
pub fn visit_hidden<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    listener: &mut impl FileListener,
) -> bool {
    let Ok(start) = corpus.directory(root, &RelPath::default()) else {
        return false;
    };
    let Corpus {
        disk,
        exclude,
        store,
        ..
    } = corpus;
    let end_ms = disk.monotonic_ms().saturating_add(LINK_INDEX_MS);
    let included = Inclusions {
        hidden: true,
        ..Inclusions::default()
    };
    let options = WalkOptions {
        included,
        ..WalkOptions::all_files(exclude)
    };
    let Ok(mut walk) = Walk::begin(store, start, options) else {
        return false;
    };
    let mut entries = 0u32;
    while let Some(step) = walk.advance() {
        entries = entries.wrapping_add(1);
        if entries.is_multiple_of(LINK_INDEX_CLOCK_ENTRIES) && disk.monotonic_ms() >= end_ms {
            return false;
        }
        let is_hidden = walk.path().split('/').any(|name| name.starts_with('.'));
        if is_hidden && step == WalkStep::Document {
            listener.file(&mut walk, None);
        }
    }
    true
}

impl LinkIndex {
    fn add(&mut self, path: &str, text: &str, format: Format, targets: &Targets) {
        // Targets can often be excluded by a byte search for their names; parsing is the
        // expensive part. Texts with escapes (`%20`, `\`, `&amp;`) and wikilinks always pass,
        // since there the name may be written in another form.
        if !targets.may_be_in(text) {
            return;
        }
        let all = links(text, format).into_iter();
        let concerned = all.filter(|link| targets.may_be_of(link, path));
        let told = concerned.map(|link| {
            let said = link_text(text, &link);
            (link, said)
        });
        let links: Vec<(Link, String)> = told.collect();
        if !links.is_empty() {
            self.linking.push(LinkingDocument {
                path: path.to_owned(),
                links,
            });
        }
    }
}

/// Returns a link in the form of an answer.
pub fn link_text(text: &str, link: &Link) -> String {
    one_line(text.get(link.span.clone()).unwrap_or_default())
}

/// Returns the first links, with the number of the others.
pub fn limit_links(mut links: Vec<LinkPlace>) -> LinkList {
    let more = saturating_u32(links.len().saturating_sub(LINKS_SHOWN));
    links.truncate(LINKS_SHOWN);
    LinkList { links, more }
}

fn too_long() -> Error {
    refuse(
        ErrorCode::LimitReached,
        format!(
            "the root is so large that its links cannot be searched within {} seconds",
            LINK_INDEX_MS / 1000
        ),
        "Nothing was written. Send `updateLinks` false with the move, and `impact` false, and \
         fix the links in separate calls.",
    )
}
