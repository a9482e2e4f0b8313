//! `summarize-document`: summary of a document.

use std::collections::BTreeSet;

use docent_api::sections::{DocumentStats, SummarizeDocumentAnswer, SummarizeDocumentOptions};
use docent_api::types::Error;
use docent_document::format::Format;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::contract;
use crate::limits::{LINKS, TOC_ENTRIES};
use docent_corpus::corpus::Corpus;
use docent_document::front_matter;
use docent_document::headings;
use docent_document::sections::sections;
use docent_document::toc;
use docent_graph::destination::{Destination, is_external, join, percent_decode};
use docent_graph::resolve::may_be_made;
use docent_rank::key_points::DocumentContents;
use docent_rank::statistics::Statistics;
use docent_text::saturating::saturating_u32;
use docent_text::time_budget::TimeBudget;
use docent_text::tokens::estimate::estimate;
use docent_tree::disk::Disk;
use docent_tree::locate::TargetKind;
use docent_tree::path::RelPath;

/// Options with the default for everything.
pub const NO_OPTIONS: SummarizeDocumentOptions = SummarizeDocumentOptions { root: None };

/// Summarizes a document; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served, and for a document that cannot be read.
pub fn summarize_document<D: Disk>(
    corpus: &mut Corpus<D>,
    path: String,
    options: SummarizeDocumentOptions,
) -> Result<SummarizeDocumentAnswer, Error> {
    let path = RelPath::parse(&path)?;
    let root = corpus.choose_root(options.root.as_deref())?;
    corpus.store.begin_call();
    let opened = corpus.open(root.index, &path)?;
    let decoded = opened.decode(&mut corpus.store)?;
    let text: &str = &decoded.text;
    let sections = sections(&opened.name, text);
    let format = Format::from_name(&opened.name).filter(|format| format.is_markdown());
    let contents = if let Some(format) = format {
        let body = front_matter::length_in(format, text);
        DocumentContents::from_markdown(text, body)
    } else {
        DocumentContents::from_text(text, &sections)
    };
    let statistics = Statistics::new(&opened.name, text);
    let links = follow(corpus, root.index, &opened.path, &contents.destinations);
    let mut entries = toc::entries_within(text, &sections, &mut TimeBudget::unlimited())
        .into_iter()
        .flatten();
    let toc = entries
        .by_ref()
        .take(TOC_ENTRIES)
        .map(contract::toc_entry)
        .collect();
    let first_left_out = entries.next().map(|entry| entry.line);
    Ok(SummarizeDocumentAnswer {
        root: root.shown,
        path: opened.path.to_string(),
        title: headings::name(&opened.name, text),
        toc,
        key_points: contents.key_points(&sections, &statistics),
        stats: DocumentStats {
            word_count: saturating_u32(text.unicode_words().count()),
            char_count: saturating_u32(text.chars().count()),
            section_count: saturating_u32(sections.len()),
            code_block_count: contents.code_blocks,
            estimated_tokens: estimate(text),
            link_count: contents.links,
        },
        hint: omission_note(
            first_left_out.map(|line| (line, 1 + entries.count())),
            links.left_out,
        ),
        links: links.there,
        broken_links: links.broken,
    })
}

/// Returns a note about the headings omitted from a summary, with the line of the first, and about
/// omitted links, or `None` if all are listed.
fn omission_note(headings: Option<(u32, usize)>, links: usize) -> Option<String> {
    let headings = headings.map(|(line, count)| {
        format!(
            "{count} headings are left out, the first at line {line}; read the lines from there"
        )
    });
    let links = (links > 0).then(|| format!("{links} links are left out; they are in its text"));
    let parts: Vec<String> = [headings, links].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("Of this document {}.", parts.join(", and ")))
}

/// The links of a document within its root.
struct ListedLinks {
    /// Links that resolve, as paths.
    there: Vec<String>,
    /// Links that do not resolve, as written.
    broken: Vec<String>,
    /// Number of links in neither list, since these are full.
    left_out: usize,
}

/// Returns the links within the root, each once.
fn follow<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    from: &RelPath,
    destinations: &[String],
) -> ListedLinks {
    let (mut links, mut broken) = (Once::default(), Once::default());
    let mut unseen = BTreeSet::new();
    for destination in destinations {
        let target = match target(from, destination) {
            ListedTarget::Elsewhere => continue,
            ListedTarget::Inside(target) => target,
            ListedTarget::Nowhere => {
                broken.push(destination);
                continue;
            }
        };
        if links.seen.contains(target.as_str()) || broken.seen.contains(destination) {
            continue;
        }
        // Each check opens directories on disk, and a document may have a million links. Twice
        // the listed number suffices to fill both lists, the resolved links and the broken
        // ones; every further link is counted and not checked.
        if links.seen.len() + broken.seen.len() >= 2 * LINKS {
            unseen.insert(target.to_string());
            continue;
        }
        // Located but not read: only its existence matters.
        match corpus.locate(root, &target, TargetKind::Any) {
            Ok(_) => links.push(target.as_str()),
            // A site generator may make a page for it that is not a file, so it is not reported
            // as broken.
            Err(_) if may_be_made(destination) => {}
            Err(_) => broken.push(destination),
        }
    }
    let over = |links: &Once| links.seen.len() - links.first.len();
    ListedLinks {
        left_out: unseen.len() + over(&links) + over(&broken),
        there: links.first,
        broken: broken.first,
    }
}

/// Target of a link.
enum ListedTarget {
    /// Outside the documents: another scheme, or a place in the same document.
    Elsewhere,
    /// This path of the root.
    Inside(RelPath),
    /// An impossible path.
    Nowhere,
}

/// Returns the target of the link `destination` in the document `from`. A leading `/` stands for
/// the root.
fn target(from: &RelPath, destination: &str) -> ListedTarget {
    let path = Destination::parse(destination, true).path;
    if path.is_empty() || is_external(destination) {
        return ListedTarget::Elsewhere;
    }
    // The destination is split before it is decoded, since an escaped `#`, `?` or `:` is part
    // of the name: `a%23b.md` is the file `a#b.md`, and not the fragment `b.md` of `a`;
    // `ab%3Ac.md` is not a URL with the scheme `ab`.
    let joined = join(from.as_str(), &percent_decode(path));
    match joined.map(|path| RelPath::parse(&path)) {
        Some(Ok(target)) => ListedTarget::Inside(target),
        Some(Err(_)) | None => ListedTarget::Nowhere,
    }
}

/// Texts, each once.
#[derive(Default)]
struct Once {
    /// The first ones, up to the number listed, in their order.
    first: Vec<String>,
    seen: BTreeSet<String>,
}

impl Once {
    fn push(&mut self, text: &str) {
        if self.seen.insert(text.to_owned()) && self.first.len() < LINKS {
            self.first.push(text.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(from: &str, destination: &str) -> Option<String> {
        let from = RelPath::parse(from).ok()?;
        match target(&from, destination) {
            ListedTarget::Inside(path) => Some(path.to_string()),
            ListedTarget::Elsewhere | ListedTarget::Nowhere => None,
        }
    }

    #[test]
    fn where_links_lead() {
        for (from, destination, expected) in [
            ("a/b.md", "c.md", Some("a/c.md")),
            ("a/b.md", "../c.md#part", Some("c.md")),
            ("a/b.md", "/c.md?x", Some("c.md")),
            ("b.md", "two%20words.md", Some("two words.md")),
            ("b.md", "%EC%84%A4%EC%A0%95.md", Some("설정.md")),
            ("b.md", "#part", None),
            ("b.md", "https://example.org/x.md", None),
            ("b.md", "mailto:a@b", None),
            ("b.md", "//example.org", None),
            ("b.md", "../../x.md", None),
        ] {
            assert_eq!(
                inside(from, destination).as_deref(),
                expected,
                "{destination}"
            );
        }
    }
}
