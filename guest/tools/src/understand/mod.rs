//! `understand`: references between the files of a root, each with its evidence.
//!
//! `request` → `tree` (every file with its facts, cached between calls) → `edges` (the target of
//! each reference, which `docent_graph` resolves from the facts alone; `graph_cache` keeps them as
//! long as nothing changes) → one module per aspect → `pages`.
//!
//! * `structure`: the shape of a root; dependencies and summaries are here.
//! * `impact`: references to files.
//! * `uses`: references to a definition, as every line that contains its name, with its class from
//!   `use_classes`, and with `definitions` and `callers`; `scope` describes the search if nothing
//!   was found.
//! * `hot_spots`: files with many references.

mod callers;
mod definitions;
mod edges;
pub mod graph_cache;
mod hot_spots;
mod impact;
mod pages;
mod reader;
mod request;
mod scope;
mod structure;
mod tree;
mod use_classes;
mod uses;

use docent_api::pillars::Degradation;
use docent_api::types::{Error, ErrorCode};
use docent_api::understanding::{
    Aspect, FileSummary, UnderstandAnswer, UnderstandOptions, UnderstandStats, UnderstandStatus,
};
use docent_corpus::corpus::Corpus;
use docent_corpus::summary::{self, Content};
use docent_document::addresses;
use docent_document::sections::sections;
use docent_text::saturating::saturating_u32;
use docent_text::sort::{sort_by, sort_by_key};
use docent_text::time_budget::TimeBudget;
use docent_tree::disk::Disk;
use docent_tree::error::refuse;

use crate::limits::AMBIGUOUS_SHOWN;
use definitions::Definition;
use edges::{Edge, Edges};
use graph_cache::GraphCache;
use pages::{Entries, PageEntry, UnderstandPage};
use reader::TreeReader;
use request::{UnderstandRequest, UnderstandSubject};
use tree::{Gathered, SourceKind, Tree};

/// An empty request, on which the options of a caller are set.
pub const NO_OPTIONS: UnderstandOptions = UnderstandOptions {
    paths: None,
    symbol: None,
    goal: None,
    scope: None,
    aspects: None,
    depth: None,
    cursor: None,
    limits: None,
    root: None,
};

/// Content of an answer before it is cut to its room.
#[derive(Default)]
struct SubjectAnswer {
    entries: Entries,
    breaks: Option<String>,
    broken: Option<u32>,
    status: Option<UnderstandStatus>,
    hint: Option<String>,
    /// True if the time ran out before all files were examined.
    is_cut: bool,
}

/// Returns references between files, and the structure of what they contain; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; never for a file that cannot be read.
pub fn understand<D: Disk>(
    corpus: &mut Corpus<D>,
    graphs: &mut GraphCache,
    options: UnderstandOptions,
) -> Result<UnderstandAnswer, Error> {
    let request = UnderstandRequest::parse(corpus, options)?;
    corpus.store.begin_call();
    let mut reader = TreeReader::new(corpus, &request);
    let alone = match (&request.subject, request.needs_all()) {
        (UnderstandSubject::File(path) | UnderstandSubject::Section { path, .. }, false) => {
            Some(path)
        }
        _ => None,
    };
    let mut gathered = match alone {
        Some(path) => {
            let text = reader.text(path).unwrap_or_default();
            Gathered::from_file(path, summary::FileSummary::new(path, &text))
        }
        None => Gathered::from_root(reader.corpus, &request)?,
    };
    let (tree, edges) = match alone {
        // The cache has room for one graph. That of a single file would replace the graph of
        // the whole root, and the next call would have to resolve all references of the root
        // again.
        Some(_) => GraphCache::default().graph(request.root.index, &mut gathered),
        None => graphs.graph(request.root.index, &mut gathered),
    };
    let told = tell(&mut reader, &request, &tree, &edges)?;
    let UnderstandPage {
        entries,
        left_out,
        next_cursor,
        begins_anew,
    } = pages::page(
        told.entries,
        request.goal.as_ref(),
        request.max_chars,
        request.fingerprint,
        request.cursor.as_deref(),
    )?;
    let mut reasons = gathered.reasons;
    for (reason, holds) in [
        (Degradation::Timeout, told.is_cut),
        (Degradation::BudgetExceeded, !left_out.is_empty()),
        (Degradation::SourcesChanged, begins_anew),
    ] {
        if holds && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let stats = UnderstandStats {
        files: saturating_u32(tree.files.len()),
        read: tree.read,
        references: alone.is_none().then(|| edges.counts()),
        elapsed_ms: reader.elapsed_ms(),
        skipped: gathered.skips.finish(),
    };
    let mut answer = UnderstandAnswer {
        root: request.root.shown.clone(),
        status: told.status.unwrap_or(UnderstandStatus::Ok),
        scope: request.subject.scope(),
        subjects: request.subject.names(),
        structure: Vec::new(),
        broken: told.broken,
        dependencies: Vec::new(),
        impact: Vec::new(),
        breaks: told.breaks,
        hot_spots: Vec::new(),
        summary: Vec::new(),
        left_out,
        next_cursor,
        degraded: !reasons.is_empty(),
        reasons,
        stats,
        hint: told.hint,
    };
    for entry in entries.into_iter().flatten() {
        match entry {
            PageEntry::Structure(entry) => answer.structure.push(entry),
            PageEntry::Dependency(edge) => answer.dependencies.push(edge),
            PageEntry::Impact(edge) => answer.impact.push(edge),
            PageEntry::HotSpot(spot) => answer.hot_spots.push(spot),
            PageEntry::Summary(summary) => answer.summary.push(summary),
        }
    }
    Ok(answer)
}

/// Returns the full content of each requested aspect.
fn tell<D: Disk>(
    reader: &mut TreeReader<'_, D>,
    request: &UnderstandRequest,
    tree: &Tree,
    edges: &Edges,
) -> Result<SubjectAnswer, Error> {
    let mut told = SubjectAnswer::default();
    let definition = match &request.subject {
        UnderstandSubject::Symbol { name, .. } => {
            match definition(reader, request, tree, name, &mut told) {
                Some(definition) => Some(definition),
                None => return Ok(told),
            }
        }
        _ => None,
    };
    let section = match &request.subject {
        UnderstandSubject::Section { path, address } => Some(section_id(reader, path, address)?),
        _ => None,
    };
    for aspect in &request.aspects {
        let own = match aspect {
            Aspect::Structure => match &definition {
                // The structure was added when the definition was chosen.
                Some(_) => continue,
                None => structure(reader, request, tree, section.as_deref()),
            },
            Aspect::Dependencies => {
                let own = dependencies(request, tree, edges, definition.as_ref());
                let broken = own.iter().filter(|edge| edge.is_broken()).count();
                told.broken = Some(saturating_u32(broken));
                let own = own.into_iter();
                own.map(|edge| PageEntry::Dependency(edge.answer(tree, 1)))
                    .collect()
            }
            Aspect::Impact => {
                let found = match &definition {
                    Some(definition) => {
                        uses::find_uses(reader, tree, edges, definition, request.depth)
                    }
                    None => {
                        let files = subject_files(&request.subject, tree);
                        let section = section.as_deref();
                        impact::find_references(reader, tree, edges, &files, section, request.depth)
                    }
                };
                told.breaks = with_unread(found.breaks, tree);
                told.is_cut |= found.is_cut;
                found
                    .references
                    .into_iter()
                    .map(PageEntry::Impact)
                    .collect()
            }
            Aspect::HotSpots => hot_spots(request, tree, edges, definition.as_ref()),
            Aspect::Summary => summaries(request, tree, edges),
        };
        told.entries[pages::place(*aspect)] = own;
    }
    say_once(&mut told.entries);
    if told.hint.is_none() {
        told.hint = scope::nothing(request, tree, edges, &told.entries);
    }
    Ok(told)
}

/// Returns the sentence about references that would break, followed by the number of documents
/// whose references are unknown.
fn with_unread(breaks: Option<String>, tree: &Tree) -> Option<String> {
    match (breaks, scope::describe_unread(tree)) {
        (Some(breaks), Some(unread)) => Some(format!("{breaks} {unread}")),
        (breaks, unread) => breaks.or(unread),
    }
}

/// Removes from summaries the descriptions that other entries of the answer contain.
fn say_once(entries: &mut Entries) {
    let [structure, _, _, hot_spots, summaries] = entries;
    let mut told: Vec<&str> = structure
        .iter()
        .chain(hot_spots.iter())
        .filter_map(|entry| match entry {
            PageEntry::Structure(entry) if !entry.text.is_empty() => Some(entry.path.as_str()),
            PageEntry::HotSpot(spot) => Some(spot.path.as_str()),
            _ => None,
        })
        .collect();
    told.sort_unstable();
    summaries.retain(|entry| match entry {
        PageEntry::Summary(summary) => told.binary_search(&summary.path.as_str()).is_err(),
        _ => true,
    });
}

/// Returns the definition that a request means, and adds its entries; `None` if there is no single
/// one.
fn definition<D: Disk>(
    reader: &mut TreeReader<'_, D>,
    request: &UnderstandRequest,
    tree: &Tree,
    name: &str,
    told: &mut SubjectAnswer,
) -> Option<Definition> {
    let mut found = definitions::find(tree, name, |path| request.subject.has_file(path));
    let depth = if found.len() == 1 { request.depth } else { 0 };
    for one in found.iter().take(AMBIGUOUS_SHOWN) {
        let path = &tree.files[one.file].path;
        let Some(text) = reader.text(path) else {
            continue;
        };
        told.entries[0].extend(structure::outline_definition(path, &text, one, depth));
    }
    if found.len() == 1 {
        return found.pop();
    }
    if found.is_empty() {
        told.status = Some(UnderstandStatus::NoResults);
        let names = definitions::nearest_names(tree, name);
        told.hint = Some(match &names[..] {
            [] => "No code there defines anything; search for the word instead.".to_owned(),
            names => format!(
                "Nothing defines `{name}`; nearest: {}. Search for the word to see where it is used.",
                names
                    .iter()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        });
    } else {
        told.status = Some(UnderstandStatus::Ambiguous);
        let shown = match found.len() {
            count if count > AMBIGUOUS_SHOWN => format!(", {AMBIGUOUS_SHOWN} of them are shown"),
            _ => String::new(),
        };
        told.hint = Some(format!(
            "{} definitions are called `{name}`{shown}; name the file of one in paths.",
            found.len()
        ));
    }
    None
}

/// Returns the id of the section of a document that `address` means.
///
/// # Errors
/// `document-not-found`.
fn section_id<D: Disk>(
    reader: &mut TreeReader<'_, D>,
    path: &str,
    address: &str,
) -> Result<String, Error> {
    let text = reader.text(path).unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or(path);
    let all = sections(name, &text);
    let section = addresses::find(&all, address)
        .first()
        .map(|index| &all[*index]);
    section.map(|section| section.id.clone()).ok_or_else(|| {
        refuse(
            ErrorCode::DocumentNotFound,
            format!("`{path}` has no section `{address}`"),
            "Ask about the document alone to see its sections.",
        )
    })
}

fn structure<D: Disk>(
    reader: &mut TreeReader<'_, D>,
    request: &UnderstandRequest,
    tree: &Tree,
    section: Option<&str>,
) -> Vec<PageEntry> {
    let entries = match &request.subject {
        UnderstandSubject::File(path) | UnderstandSubject::Section { path, .. } => {
            let text = reader.text(path).unwrap_or_default();
            let mut entries =
                structure::outline_text(path, &text, request.depth, &mut TimeBudget::unlimited());
            if let Some(id) = section {
                structure::keep_section(&mut entries, id);
            }
            entries
        }
        UnderstandSubject::Module(paths) => structure::directories(tree, paths, request.depth),
        UnderstandSubject::Project => structure::directories(tree, &[String::new()], request.depth),
        UnderstandSubject::Symbol { .. } => Vec::new(),
    };
    entries.into_iter().map(PageEntry::Structure).collect()
}

/// Returns the indices of the files of a request's subject.
fn subject_files(subject: &UnderstandSubject, tree: &Tree) -> Vec<usize> {
    let files = tree.files.iter().enumerate();
    let own = files.filter(|(_, file)| subject.has_file(&file.path));
    own.map(|(index, _)| index).collect()
}

/// Returns the dependencies of the subject: broken ones first, then external, then internal ones.
fn dependencies<'e>(
    request: &UnderstandRequest,
    tree: &Tree,
    edges: &'e Edges,
    definition: Option<&Definition>,
) -> Vec<&'e Edge> {
    let is_own = |file: usize| match definition {
        Some(definition) => definition.file == file,
        None => request.subject.has_file(&tree.files[file].path),
    };
    let is_within = |edge: &Edge| {
        let files = edge.end.files();
        !files.is_empty() && files.iter().all(|file| is_own(*file))
    };
    let mut own: Vec<&Edge> = edges.all.iter().filter(|edge| is_own(edge.from)).collect();
    // The sort is stable: each part stays in the order of files and lines.
    sort_by_key(&mut own, |edge| match edge {
        edge if edge.is_broken() => 0,
        edge if edge.is_ambiguous() => 1,
        edge if !is_within(edge) => 2,
        _ => 3,
    });
    own
}

fn hot_spots(
    request: &UnderstandRequest,
    tree: &Tree,
    edges: &Edges,
    definition: Option<&Definition>,
) -> Vec<PageEntry> {
    let file = match (&request.subject, definition) {
        (_, Some(definition)) => Some(definition.file),
        (UnderstandSubject::File(path) | UnderstandSubject::Section { path, .. }, _) => {
            tree.index(path)
        }
        _ => None,
    };
    let found = match file {
        Some(file) => hot_spots::symbols(tree, file),
        None => hot_spots::files(tree, edges, |path| request.subject.has_file(path)),
    };
    found.into_iter().map(PageEntry::HotSpot).collect()
}

/// Returns the summary of each file, those with the most references first.
fn summaries(request: &UnderstandRequest, tree: &Tree, edges: &Edges) -> Vec<PageEntry> {
    let ranks = edges.ranks();
    let mut files = subject_files(&request.subject, tree);
    sort_by(&mut files, |a, b| {
        ranks[*b].total_cmp(&ranks[*a]).then(a.cmp(b))
    });
    let told = files.into_iter().filter_map(|file| {
        let own = &tree.files[file];
        let facts = own.facts.as_ref()?;
        let has_title = own.kind == SourceKind::Document;
        let has_more = has_title || !facts.about.is_empty();
        has_more.then(|| {
            PageEntry::Summary(FileSummary {
                path: own.path.clone(),
                title: match &facts.content {
                    Content::Document(document) => document.title.to_string(),
                    _ => own.path.rsplit('/').next().unwrap_or_default().to_owned(),
                },
                text: facts.about.to_string(),
            })
        })
    });
    told.collect()
}
