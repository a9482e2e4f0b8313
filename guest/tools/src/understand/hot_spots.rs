//! The files and definitions with the most references.

use std::collections::{BTreeMap, BTreeSet};

use docent_api::understanding::{HotSpot, KnownBy, ReferenceKind};
use docent_code::Language;
use docent_corpus::summary::Content;
use docent_text::saturating::saturating_u32;
use docent_text::sort::{sort_by, sort_by_key};

use crate::limits::{HOT_SYMBOL_CHARS, HOT_SYMBOLS};
use crate::understand::edges::Edges;
use crate::understand::tree::{SourceKind, Tree, TreeFile};

/// Returns the files with references from others, highest PageRank first, among those for which
/// `is_asked` is true; the rank is that among all files of the tree. The files of a package are
/// listed once, as their directory, if everything that refers to one of them imports the package as
/// a whole.
pub fn files(tree: &Tree, edges: &Edges, is_asked: impl Fn(&str) -> bool) -> Vec<HotSpot> {
    let count = tree.files.len() as f64;
    let mut found: Vec<(f64, Vec<usize>)> = Vec::new();
    let mut packages: BTreeMap<ImportedPackage<'_>, usize> = BTreeMap::new();
    for (file, rank) in edges.ranks().iter().enumerate() {
        let one = &tree.files[file];
        // A file without facts was not read, such as an image. Many documents may show it, but
        // it is not a starting point for a reader.
        if one.facts.is_none() || !is_asked(&one.path) || edges.graph.to(file).is_empty() {
            continue;
        }
        // One import of a Go package refers to every file of its directory. Listed one by one,
        // these files would fill the answer with the same references, so they are one entry,
        // whose rank is the sum of theirs.
        if let Some(package) = ImportedPackage::from_file(tree, edges, file) {
            let known = *packages.entry(package).or_insert(found.len());
            if let Some((ranks, files)) = found.get_mut(known) {
                *ranks += rank;
                files.push(file);
                continue;
            }
        }
        found.push((*rank, vec![file]));
    }
    // Files are in the order of their paths, so that their indices break ties.
    sort_by(&mut found, |a, b| {
        b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1))
    });
    found
        .into_iter()
        .map(|(rank, files)| {
            let file = files[0];
            let is_parsed = |reference: &docent_graph::graph::Reference| {
                edges.all[reference.edge].known_by == KnownBy::Parsed
            };
            let path = &tree.files[file].path;
            let abouts = files
                .iter()
                .filter_map(|file| tree.files[*file].facts.as_ref());
            let mut abouts = abouts.map(|facts| facts.about.to_string());
            HotSpot {
                path: match files.len() {
                    1 => path.clone(),
                    _ => format!("{}/", directory(path)),
                },
                symbol: None,
                line: None,
                files: saturating_u32(edges.graph.in_degree(file)),
                // Readers cannot make use of more than two digits.
                score: Some((rank * count * 100.0).round() / 100.0),
                known_by: match edges.graph.to(file).iter().all(is_parsed) {
                    true => KnownBy::Parsed,
                    false => KnownBy::Heuristic,
                },
                text: abouts.find(|about| !about.is_empty()).unwrap_or_default(),
            }
        })
        .collect()
}

/// A package of a language whose imports name directories: its directory, and the lines that import
/// it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ImportedPackage<'t> {
    directory: &'t str,
    lines: Vec<(usize, u32)>,
}

impl<'t> ImportedPackage<'t> {
    /// Returns the package of a file that is never referred to individually, or `None` for other
    /// files.
    fn from_file(tree: &'t Tree, edges: &Edges, file: usize) -> Option<Self> {
        let TreeFile { path, kind, .. } = &tree.files[file];
        let names_packages = || {
            matches!(
                Language::from_path(path),
                Some(Language::Go | Language::Java | Language::Kotlin)
            )
        };
        if *kind != SourceKind::Code || !names_packages() {
            return None;
        }
        let references = edges.graph.to(file).iter();
        let lines = references.map(|reference| {
            let edge = &edges.all[reference.edge];
            let is_import = edge.kind == ReferenceKind::Import;
            is_import.then_some((edge.from, edge.line))
        });
        Some(Self {
            directory: directory(path),
            lines: lines.collect::<Option<_>>()?,
        })
    }
}

fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(above, _)| above)
}

/// Returns the definitions of a file whose names occur in other files, those in most files first.
pub fn symbols(tree: &Tree, file: usize) -> Vec<HotSpot> {
    let own = &tree.files[file];
    let Some(facts) = &own.facts else {
        return Vec::new();
    };
    let Content::Code(code) = &facts.content else {
        return Vec::new();
    };
    let mut found: Vec<HotSpot> = code
        .symbols
        .iter()
        // Short names occur everywhere, each time with another meaning.
        .filter(|symbol| symbol.name.chars().count() >= HOT_SYMBOL_CHARS)
        .take(HOT_SYMBOLS)
        .map(|symbol| {
            let others = tree.files.iter().enumerate().filter(|(other, one)| {
                let holds = one
                    .facts
                    .as_ref()
                    .is_some_and(|facts| facts.may_hold(&symbol.name));
                *other != file && holds
            });
            HotSpot {
                path: own.path.clone(),
                symbol: Some(symbol.name.to_string()),
                line: Some(symbol.first),
                files: saturating_u32(others.count()),
                score: None,
                known_by: KnownBy::TextSearch,
                text: String::new(),
            }
        })
        .filter(|spot| spot.files > 0)
        .collect();
    // The sort is stable, so equals stay in the order of the text.
    sort_by_key(&mut found, |spot| std::cmp::Reverse(spot.files));
    // A name that is defined twice is searched for once.
    let mut seen = BTreeSet::new();
    found.retain(|spot| seen.insert(spot.symbol.clone()));
    found
}
