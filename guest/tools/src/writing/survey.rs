//! Survey of a root: its names, and the documents with links to given files.

use docent_api::types::{Error, ErrorCode, SkipReason};
use docent_api::writing::{LinkList, LinkPlace};
use docent_corpus::corpus::Corpus;
use docent_corpus::visit::read_current;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_document::format::Format;
use docent_document::headings::heading::one_line;
use docent_graph::link::{Link, links};
use docent_graph::names::Names;
use docent_graph::sites::{Sites, is_settings};
use docent_graph::targets::Targets;
use docent_text::saturating::saturating_u32;
use docent_tree::disk::{Directory, Disk};
use docent_tree::error::refuse;
use docent_tree::included::Inclusions;
use docent_tree::path::RelPath;
use docent_tree::refusal::unavailable;

use crate::limits::{LINKS_SHOWN, SURVEY_CLOCK_ENTRIES, SURVEY_MS};

/// Result of searching a whole root.
#[derive(Default)]
pub struct Survey {
    /// The paths of all its files.
    pub names: Names,
    /// The documents that may link to the targets, in the order of their paths.
    pub linking: Vec<Linking>,
    /// Number of documents searched.
    pub documents: u32,
    /// Number of documents that could not be read.
    pub unread: u32,
}

/// A document with links that may resolve to the targets.
pub struct Linking {
    /// Its path.
    pub path: String,
    /// Those links, each with its text.
    pub links: Vec<(Link, String)>,
}

/// Visitor of the files of a root.
pub trait Look {
    /// Receives the walk's current file, with its text if it was read.
    fn file<T: Directory>(&mut self, walk: &mut Walk<'_, T>, text: Option<&str>);
}

/// Visitor that does nothing.
pub struct NoLook;

impl Look for NoLook {
    fn file<T: Directory>(&mut self, _: &mut Walk<'_, T>, _: Option<&str>) {}
}

/// Returns the format of a file of this name, if it is text that may contain links.
pub fn markup(name: &str) -> Option<Format> {
    match Format::from_name(name)? {
        format @ (Format::Markdown | Format::Mdx | Format::Rst | Format::Adoc) => Some(format),
        Format::Plain | Format::Log | Format::Docx | Format::Xlsx | Format::Pdf => None,
    }
}

/// Lists the names of a root, and searches its documents if there are targets; passes each file to
/// `look`.
///
/// # Errors
/// `limit-reached` if it takes too long; any error that prevents listing the root.
pub fn survey<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    targets: &Targets,
    look: &mut impl Look,
) -> Result<Survey, Error> {
    let top = RelPath::default();
    corpus.store.begin_call();
    let start = corpus.directory(root, &top)?;
    let Corpus {
        disk,
        exclude,
        store,
        ..
    } = corpus;
    let end_ms = disk.monotonic_ms().saturating_add(SURVEY_MS);
    // Links may refer to files of every kind.
    let mut walk = Walk::begin(store, start, WalkOptions::all_files(exclude))
        .map_err(|failure| unavailable(&top, failure))?;
    let mut survey = Survey::default();
    let mut sites = Sites::default();
    let mut entries = 0u32;
    while let Some(step) = walk.advance() {
        entries = entries.wrapping_add(1);
        if entries.is_multiple_of(SURVEY_CLOCK_ENTRIES) && disk.monotonic_ms() >= end_ms {
            return Err(too_long());
        }
        if step == WalkStep::Directory {
            continue;
        }
        survey.names.insert(walk.path());
        if is_settings(walk.name()) {
            // An unreadable file defines no names.
            let _ = read_current(&mut walk, |walk, _, text, _| {
                sites.insert(walk.path(), text);
                Ok(())
            });
        }
        let format = markup(walk.name()).filter(|_| !targets.is_empty());
        let Some(format) = format else {
            look.file(&mut walk, None);
            continue;
        };
        let read = read_current(&mut walk, |walk, _, text, _| {
            survey.look(walk.path(), text, format, targets);
            look.file(walk, Some(text));
            Ok(())
        });
        survey.documents += u32::from(read.is_ok());
        // A binary with the name of a document contains no links.
        if read.is_err_and(|reason| reason != SkipReason::Binary) {
            survey.unread += 1;
        }
    }
    survey.names.set_sites(sites);
    Ok(survey)
}

/// Passes the hidden files of a root to `look`; [`survey`] omits them, as every search of a whole
/// root does. A workflow or an agent's rules name files of the tree as well. Files with secrets and
/// ignored files stay out. Returns true if it reached the last one.
pub fn look_at_hidden<D: Disk>(corpus: &mut Corpus<D>, root: usize, look: &mut impl Look) -> bool {
    let Ok(start) = corpus.directory(root, &RelPath::default()) else {
        return false;
    };
    let Corpus {
        disk,
        exclude,
        store,
        ..
    } = corpus;
    let end_ms = disk.monotonic_ms().saturating_add(SURVEY_MS);
    let included = Inclusions {
        hidden: true,
        ..Inclusions::default()
    };
    let reach = WalkOptions {
        included,
        ..WalkOptions::all_files(exclude)
    };
    let Ok(mut walk) = Walk::begin(store, start, reach) else {
        return false;
    };
    let mut entries = 0u32;
    while let Some(step) = walk.advance() {
        entries = entries.wrapping_add(1);
        if entries.is_multiple_of(SURVEY_CLOCK_ENTRIES) && disk.monotonic_ms() >= end_ms {
            return false;
        }
        let is_hidden = walk.path().split('/').any(|name| name.starts_with('.'));
        if is_hidden && step == WalkStep::Document {
            look.file(&mut walk, None);
        }
    }
    true
}

impl Survey {
    fn look(&mut self, path: &str, text: &str, format: Format, targets: &Targets) {
        if !targets.may_be_in(text) {
            return;
        }
        let all = links(text, format).into_iter();
        let concerned = all.filter(|link| targets.may_be_of(link, path));
        let told = concerned.map(|link| {
            let said = told(text, &link);
            (link, said)
        });
        let links: Vec<(Link, String)> = told.collect();
        if !links.is_empty() {
            self.linking.push(Linking {
                path: path.to_owned(),
                links,
            });
        }
    }
}

/// Returns a link in the form of an answer.
pub fn told(text: &str, link: &Link) -> String {
    one_line(text.get(link.span.clone()).unwrap_or_default())
}

/// Returns the first links, with the number of the others.
pub fn shown(mut links: Vec<LinkPlace>) -> LinkList {
    let more = saturating_u32(links.len().saturating_sub(LINKS_SHOWN));
    links.truncate(LINKS_SHOWN);
    LinkList { links, more }
}

fn too_long() -> Error {
    refuse(
        ErrorCode::LimitReached,
        format!(
            "the root holds so much that its links cannot be looked at within {} seconds",
            SURVEY_MS / 1000
        ),
        "Nothing was written. Send `updateLinks` false with the move, and `impact` false, and mend \
         the links in calls of their own.",
    )
}
