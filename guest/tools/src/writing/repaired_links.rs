//! Broken links that a new file fixes.

use docent_api::writing::{LinkList, LinkPlace, WriteAnswer};
use docent_corpus::corpus::Corpus;
use docent_corpus::summary::Content;
use docent_corpus::visit::current_summary;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_graph::anchors::Anchors;
use docent_graph::link::{Link, LinkKind};
use docent_graph::names::Names;
use docent_graph::resolve::{Resolution, resolve};
use docent_graph::sites::{Sites, is_settings};
use docent_graph::targets::Targets;
use docent_tree::disk::Disk;
use docent_tree::path::RelPath;

use crate::limits::{LINK_INDEX_CLOCK_ENTRIES, LINK_INDEX_MS, LINKS_SHOWN};
use crate::writing::link_index::{limit_links, link_text, markup};

/// Links to a file that does not exist yet.
pub enum RepairedLinks {
    /// All of the links found, possibly none.
    Links(LinkList),
    /// Not all files could be searched.
    NotKnown,
}

/// Returns the links of a root that are broken now, and will resolve to a file with this path and
/// text. Files are read only if their facts are not cached.
pub fn find_repaired<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    path: &str,
    text: &str,
) -> RepairedLinks {
    let mut targets = Targets::default();
    targets.insert(path);
    let Some(LinkSources { names, links }) = find_sources(corpus, root, &targets) else {
        return RepairedLinks::NotKnown;
    };
    let mut after = names.clone();
    after.insert(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    let anchors = markup(name).map(|_| Anchors::from_text(name, text));
    let is_mended = |(from, link): &(String, Link)| {
        let was = resolve(link, from, &names);
        let becomes = resolve(link, from, &after);
        let leads = matches!(&becomes, Resolution::Found(place) if place.path == path);
        was.is_broken(None) && leads && !becomes.is_broken(anchors.as_ref())
    };
    let mended = links.into_iter().filter(is_mended);
    let mut places = Vec::new();
    let mut known: Option<(String, String)> = None;
    for (from, link) in mended {
        // Only the first `LINKS_SHOWN` links are shown with their text, so only their documents
        // are read; of the others the target is enough. Links come in the order of documents,
        // so one text in memory suffices.
        if places.len() < LINKS_SHOWN && known.as_ref().is_none_or(|(path, _)| *path != from) {
            known = read(corpus, root, &from).map(|text| (from.clone(), text));
        }
        let text = known.as_ref().filter(|(path, _)| *path == from);
        places.push(LinkPlace {
            line: link.line,
            text: text.map_or(link.target.clone(), |(_, text)| link_text(text, &link)),
            path: from,
        });
    }
    RepairedLinks::Links(limit_links(places))
}

/// Adds the links found to an answer, if any were searched for.
pub fn report_repaired(answer: &mut WriteAnswer, mended: Option<RepairedLinks>) {
    match mended {
        Some(RepairedLinks::Links(list)) if !list.links.is_empty() => answer.mended = Some(list),
        Some(RepairedLinks::NotKnown) => answer
            .warnings
            .push("not all files were searched for broken links that it fixes".to_owned()),
        _ => {}
    }
}

struct LinkSources {
    names: Names,
    /// Links that may resolve to the targets, with their documents, in the order of these.
    links: Vec<(String, Link)>,
}

/// Returns the names of a root, and its links that may resolve to `targets`, or `None` if it takes
/// too long or the root cannot be listed.
fn find_sources<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    targets: &Targets,
) -> Option<LinkSources> {
    corpus.store.begin_call();
    let start = corpus.directory(root, &RelPath::default()).ok()?;
    let Corpus {
        disk,
        exclude,
        store,
        ..
    } = corpus;
    let end_ms = disk.monotonic_ms().saturating_add(LINK_INDEX_MS);
    let mut walk = Walk::begin(store, start, WalkOptions::all_files(exclude)).ok()?;
    let mut found = LinkSources {
        names: Names::default(),
        links: Vec::new(),
    };
    let mut sites = Sites::default();
    let mut entries = 0u32;
    while let Some(step) = walk.advance() {
        entries = entries.wrapping_add(1);
        if entries.is_multiple_of(LINK_INDEX_CLOCK_ENTRIES) && disk.monotonic_ms() >= end_ms {
            return None;
        }
        if step == WalkStep::Directory {
            continue;
        }
        found.names.insert(walk.path());
        if markup(walk.name()).is_none() && !is_settings(walk.name()) {
            continue;
        }
        // A binary with the name of a document contains no links. An unreadable file may
        // contain some, but a report of fixed links is a courtesy of a write that has
        // succeeded; the tools that read the file report its failure.
        let Ok(Some(facts)) = current_summary(&mut walk) else {
            continue;
        };
        if let Some(settings) = facts.settings.as_ref().filter(|_| is_settings(walk.name())) {
            sites.insert(walk.path(), settings);
        }
        let Content::Document(document) = &facts.content else {
            continue;
        };
        for link in &document.links.links {
            if link.kind != LinkKind::Use && targets.may_be_of(link, walk.path()) {
                found.links.push((walk.path().to_owned(), link.clone()));
            }
        }
    }
    found.names.set_sites(sites);
    Some(found)
}

fn read<D: Disk>(corpus: &mut Corpus<D>, root: usize, path: &str) -> Option<String> {
    let opened = corpus.open(root, &RelPath::parse(path).ok()?).ok()?;
    let decoded = opened.decode(&mut corpus.store).ok()?;
    Some(decoded.text.to_string())
}
