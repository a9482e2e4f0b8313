//! What most others refer to.

use std::collections::BTreeSet;

use docent_api::understanding::{HotSpot, KnownBy};
use docent_corpus::facts::Content;
use docent_text::saturating::saturating_u32;

use crate::limits::{HOT_SYMBOL_CHARS, HOT_SYMBOLS};
use crate::understand::edges::Edges;
use crate::understand::tree::Tree;

/// Returns the files that others refer to, those with the most PageRank first, among those that
/// `is_asked` says; the rank is that among all files of the tree.
pub fn files(tree: &Tree, edges: &Edges, is_asked: impl Fn(&str) -> bool) -> Vec<HotSpot> {
    let count = tree.files.len() as f64;
    let mut found: Vec<(f64, usize)> = edges
        .ranks()
        .iter()
        .enumerate()
        // A picture that many documents show is not where anyone begins.
        .filter(|(file, _)| tree.files[*file].facts.is_some())
        .filter(|(file, _)| is_asked(&tree.files[*file].path) && !edges.graph.to(*file).is_empty())
        .map(|(file, rank)| (*rank, file))
        .collect();
    // Files are in the order of their paths, which decides between equals.
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found
        .into_iter()
        .map(|(rank, file)| {
            let own = &tree.files[file];
            let is_parsed = |reference: &docent_graph::graph::Reference| {
                edges.all[reference.edge].known_by == KnownBy::Parsed
            };
            HotSpot {
                path: own.path.clone(),
                symbol: None,
                line: None,
                files: saturating_u32(edges.graph.in_degree(file)),
                // Two digits: nobody can tell more apart.
                score: Some((rank * count * 100.0).round() / 100.0),
                known_by: match edges.graph.to(file).iter().all(is_parsed) {
                    true => KnownBy::Parsed,
                    false => KnownBy::Heuristic,
                },
                text: own
                    .facts
                    .as_ref()
                    .map_or_else(String::new, |facts| facts.about.to_string()),
            }
        })
        .collect()
}

/// Returns the definitions of a file whose names other files hold, those that most do first.
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
        // Short names stand everywhere, and mean something else each time.
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
    // Stable: equals stay in the order of the text.
    found.sort_by_key(|spot| std::cmp::Reverse(spot.files));
    // A name that is defined twice is looked for once.
    let mut seen = BTreeSet::new();
    found.retain(|spot| seen.insert(spot.symbol.clone()));
    found
}
