//! The names of a root, and which of its documents hold links to some files.

use docent_api::types::{Error, ErrorCode, SkipReason};
use docent_api::writing::{LinkList, LinkPlace};
use docent_corpus::corpus::Corpus;
use docent_corpus::visit::read_found;
use docent_corpus::walk::{Reach, Walk, WalkStep};
use docent_document::format::Format;
use docent_document::headings::heading::one_line;
use docent_graph::link::{Link, links};
use docent_graph::names::Names;
use docent_graph::sites::{Sites, is_settings};
use docent_graph::targets::Targets;
use docent_text::saturating::saturating_u32;
use docent_tree::disk::{Directory, Disk};
use docent_tree::error::refuse;
use docent_tree::included::Included;
use docent_tree::path::RelPath;
use docent_tree::refusal::unavailable;

use crate::limits::{LINKS_SHOWN, SURVEY_CLOCK_ENTRIES, SURVEY_MS};

/// What a look at a whole root came to.
#[derive(Default)]
pub struct Survey {
    /// The paths of all its files.
    pub names: Names,
    /// The documents that may link to what was looked for, in the order of their paths.
    pub linking: Vec<Linking>,
    /// How many documents were looked at.
    pub documents: u32,
    /// How many documents could not be read.
    pub unread: u32,
}

/// A document with links that may lead to what was looked for.
pub struct Linking {
    /// Its path.
    pub path: String,
    /// Those links, each with what it says.
    pub links: Vec<(Link, String)>,
}

/// Who looks at the files of a root while it is gone through.
pub trait Look {
    /// Receives the walk's current file, with its text where that was read.
    fn file<T: Directory>(&mut self, walk: &mut Walk<'_, T>, text: Option<&str>);
}

/// Nobody looks.
pub struct NoLook;

impl Look for NoLook {
    fn file<T: Directory>(&mut self, _: &mut Walk<'_, T>, _: Option<&str>) {}
}

/// Returns what kind of document a file of this name is, as far as it is text that may hold links.
pub fn markup(name: &str) -> Option<Format> {
    match Format::of(name)? {
        format @ (Format::Markdown | Format::Mdx | Format::Rst | Format::Adoc) => Some(format),
        Format::Plain | Format::Log | Format::Docx | Format::Xlsx | Format::Pdf => None,
    }
}

/// Looks at the names of a root, and into its documents where there are targets to look for; shows
/// each file to `look`.
///
/// # Errors
/// `limit-reached` where it takes too long; what keeps the root from being listed.
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
    // Links lead to files of every kind.
    let mut walk = Walk::begin(store, start, Reach::all_files(exclude))
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
            // What cannot be read names nothing.
            let _ = read_found(&mut walk, |walk, _, text, _| {
                sites.insert(walk.path(), text);
                Ok(())
            });
        }
        let format = markup(walk.name()).filter(|_| !targets.is_empty());
        let Some(format) = format else {
            look.file(&mut walk, None);
            continue;
        };
        let read = read_found(&mut walk, |walk, _, text, _| {
            survey.look(walk.path(), text, format, targets);
            look.file(walk, Some(text));
            Ok(())
        });
        survey.documents += u32::from(read.is_ok());
        // A binary that is called like a document holds no link.
        if read.is_err_and(|reason| reason != SkipReason::Binary) {
            survey.unread += 1;
        }
    }
    survey.names.set_sites(sites);
    Ok(survey)
}

/// Shows the hidden files of a root to `look`, which [`survey`] leaves out as every sweeping search
/// does: a workflow or an agent's rules name files of the tree as well. Those that hold secrets and
/// those that ignore files name stay out. Returns whether it came to the last one.
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
    let included = Included {
        hidden: true,
        ..Included::default()
    };
    let reach = Reach {
        included,
        ..Reach::all_files(exclude)
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

/// Returns a link as answers show it.
pub fn told(text: &str, link: &Link) -> String {
    one_line(text.get(link.span.clone()).unwrap_or_default())
}

/// Returns the first of some links, and how many more there are.
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
