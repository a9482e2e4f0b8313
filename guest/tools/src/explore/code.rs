//! Code: the definition that a query hits, and what a file defines.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use docent_api::pillars::LineRange;
use docent_code::{Language, Outline, Symbol, outline};

use crate::limits::HIT_LINE_CHARS;
use docent_rank::bm25::Query;
use docent_text::lines::{with_ends, without_end};
use docent_text::matching::finder::{Case, Finder};
use docent_text::saturating::saturating_u32;
use docent_text::words::identifier;

/// The definition that holds most of a query.
pub struct Definition {
    /// Its name, those of the definitions round it before it; empty where the hits stand in none.
    pub names: Vec<String>,
    /// Its lines; those of the whole file where the hits stand in no definition.
    pub range: Option<LineRange>,
    /// The signatures, and below them the lines with hits.
    pub text: String,
    /// Lines with hits in it.
    pub hits: usize,
    /// Lines with hits elsewhere in the file.
    pub others: usize,
}

/// What a file defines, and how that is known.
pub struct Overview {
    /// Imports and signatures with their lines.
    pub text: String,
    /// `parsed`, `heuristic` or `text`.
    pub source: &'static str,
    /// What of them is not shown.
    pub rest: String,
}

/// A line that holds terms of the query.
struct Hit<'a> {
    number: u32,
    line: &'a str,
    /// How often each term stands in it.
    counts: Vec<u32>,
}

/// The first and last line of a definition; none for what stands in no definition. In the order of
/// the file, with what stands in none first.
type DefinitionLines = Option<(u32, u32)>;

/// The hits of one definition.
#[derive(Default)]
struct DefinitionHits {
    /// Indices of hits.
    hits: Vec<usize>,
    /// How much they answer.
    worth: u32,
}

/// Returns what a file of code defines, at most a tenth of a long one.
pub fn overview(language: Language, text: &str) -> Overview {
    let outline = outline(language, text);
    // In relation to the file, so that the outline of a long one stays an overview.
    let skeleton = outline.preview(text.len());
    Overview {
        text: skeleton.text,
        source: outline.source.name(),
        rest: skeleton.rest,
    }
}

/// Returns the definition that holds most of a query: most of its words, in the signature at best,
/// and most often; the first of equals. None where no line holds any of it. Hits are looked for in
/// `searched`, which has the same lines as `text`.
pub fn best(
    language: Language,
    text: &str,
    searched: &str,
    query: &str,
    terms: &Query,
) -> Option<Definition> {
    let hits = hits(searched, query, terms);
    let outline = outline(language, text);
    let mut definitions: BTreeMap<DefinitionLines, DefinitionHits> = BTreeMap::new();
    for (index, hit) in hits.iter().enumerate() {
        // A hit belongs to the innermost definition alone: a method, not its class.
        let innermost = outline.enclosing(hit.number).pop();
        let key = innermost.map(|symbol| (symbol.lines.first, symbol.lines.last));
        definitions.entry(key).or_default().hits.push(index);
    }
    for (key, definition) in &mut definitions {
        // No definition has a line 0, so what stands in none has no symbol.
        let first_line = key.map_or(0, |(first, _)| first);
        let symbol = outline.enclosing(first_line).pop();
        definition.worth = worth(&hits, definition, symbol, query, terms);
    }
    let (key, definition) = best_of(definitions)?;
    let chain = chain(&outline, key);
    let range = match chain.last() {
        Some(symbol) => Some(LineRange {
            first: symbol.lines.first,
            last: symbol.lines.last,
        }),
        None => crate::explore::text::all_lines(text),
    };
    let own_hits = definition.hits.iter().map(|&index| &hits[index]);
    Some(Definition {
        names: chain.iter().map(|symbol| symbol.name.clone()).collect(),
        range,
        text: definition_text(&chain, own_hits, query),
        others: hits.len() - definition.hits.len(),
        hits: definition.hits.len(),
    })
}

/// Returns the definition of the greatest worth, the first of equals.
fn best_of(
    mut definitions: BTreeMap<DefinitionLines, DefinitionHits>,
) -> Option<(DefinitionLines, DefinitionHits)> {
    // What stands in no definition, such as an import, says less than a use of it.
    let key = *definitions
        .iter()
        .max_by_key(|(key, definition)| (definition.worth, key.is_some(), Reverse(**key)))?
        .0;
    definitions.remove_entry(&key)
}

/// Returns a definition with those round it, the outermost first.
fn chain(outline: &Outline, key: DefinitionLines) -> Vec<&Symbol> {
    let Some((first, last)) = key else {
        return Vec::new();
    };
    // What begins in its first line may be one inside it: `class A { void b() {} }`.
    let mut chain = outline.enclosing(first);
    chain.retain(|symbol| symbol.lines.first <= first && last <= symbol.lines.last);
    chain
}

/// Returns the signatures of a chain of definitions, and below them the lines with hits.
fn definition_text<'a>(
    chain: &[&Symbol],
    hits: impl Iterator<Item = &'a Hit<'a>>,
    query: &str,
) -> String {
    let mut out = String::new();
    for (depth, symbol) in chain.iter().enumerate() {
        out.push_str(&"  ".repeat(depth));
        out.push_str(&symbol.signature);
        out.push('\n');
    }
    let signature = chain.last().map_or("", |symbol| symbol.signature.as_str());
    for hit in hits {
        let line = shown(hit, query);
        // `fn parse(text: &str) {` stands above already, without its brace.
        if !signature.contains(line.trim_end_matches(['{', ':', ' '])) {
            out.push_str(&format!("{}: {line}\n", hit.number));
        }
    }
    out
}

/// Returns the lines of `text` that hold a query: a lone identifier as it is written where it is
/// anywhere, else any of the terms.
fn hits<'a>(text: &'a str, query: &str, terms: &Query) -> Vec<Hit<'a>> {
    for case in [Case::Sensitive, Case::Ignored] {
        // A sentence is looked for by its words alone.
        let Some(name) = identifier::lone(query) else {
            break;
        };
        let finder = Finder::new(name, case);
        let hits = lines_with(text, |line| vec![saturating_u32(finder.hits(line).count())]);
        if !hits.is_empty() {
            return hits;
        }
    }
    lines_with(text, |line| {
        let mut counts = vec![0; terms.terms().len()];
        terms.count_plain(line, 1, &mut counts);
        counts
    })
}

fn lines_with(text: &str, count_in: impl Fn(&str) -> Vec<u32>) -> Vec<Hit<'_>> {
    let hit = |(number, line)| {
        let line = without_end(line);
        let counts = count_in(line);
        let is_hit = counts.iter().any(|count| *count > 0);
        is_hit.then_some(Hit {
            number,
            line,
            counts,
        })
    };
    (1..).zip(with_ends(text)).filter_map(hit).collect()
}

/// Returns how much a definition holds of a query: each different word of it counts more than all
/// repetitions, and one in its name more than one in its body.
fn worth(
    hits: &[Hit<'_>],
    definition: &DefinitionHits,
    symbol: Option<&Symbol>,
    query: &str,
    terms: &Query,
) -> u32 {
    let mut counts = vec![0u32; hits.first().map_or(0, |hit| hit.counts.len())];
    for hit in definition.hits.iter().map(|&index| &hits[index]) {
        for (sum, count) in counts.iter_mut().zip(&hit.counts) {
            *sum = sum.saturating_add(*count);
        }
    }
    let different = saturating_u32(counts.iter().filter(|count| **count > 0).count());
    let repeated = counts
        .iter()
        .fold(0u32, |sum, count| sum.saturating_add(*count))
        // A loop that names its variable thirty times is no better an answer.
        .min(30);
    let Some(symbol) = symbol else {
        return different * 100 + repeated;
    };
    let mut name_counts = vec![0; terms.terms().len()];
    terms.count_plain(&symbol.name, 1, &mut name_counts);
    let in_name = saturating_u32(name_counts.iter().filter(|count| **count > 0).count());
    // Above what ten words in a body come to: it is what was asked for.
    let has_this_name = identifier::lone(query).is_some_and(|name| symbol.name == name);
    different * 100 + in_name * 100 + u32::from(has_this_name) * 1000 + repeated
}

/// Returns a line without its indentation, and of a very long one what stands round its first hit.
fn shown(hit: &Hit<'_>, query: &str) -> String {
    let line = hit.line.trim();
    // Minified code has one line of megabytes.
    if line.chars().count() <= HIT_LINE_CHARS {
        return line.to_owned();
    }
    let first = query
        .split_whitespace()
        .filter_map(|word| Finder::new(word, Case::Ignored).hits(line).next())
        .map(|span| span.start)
        .min();
    // A quarter of the window before the hit, the rest for what follows.
    let from = line.floor_char_boundary(first.unwrap_or(0).saturating_sub(HIT_LINE_CHARS / 4));
    let window = line[from..].chars().take(HIT_LINE_CHARS);
    format!("...{}...", window.collect::<String>())
}
