//! Code: the definition that a query hits, and what a file defines.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use docent_api::pillars::LineRange;
use docent_code::{Language, Symbol, outline};

use crate::limits::HIT_LINE_CHARS;
use docent_rank::bm25::Query;
use docent_text::lines::{with_ends, without_end};
use docent_text::matching::finder::{Case, Finder};
use docent_text::patience::Pace;
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
struct DefinitionHits<'a> {
    /// The innermost definition that holds them; none of hits that stand in none.
    symbol: Option<&'a Symbol>,
    /// Indices of hits, at least one.
    hits: Vec<usize>,
}

/// Whether comments are part of what code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    /// They are.
    Included,
    /// They are left out.
    LeftOut,
}

/// Returns what a file of code defines, at most a tenth of a long one.
pub fn overview(language: Language, text: &str, comments: Comments) -> Overview {
    let mut outline = outline(language, text);
    if comments == Comments::LeftOut {
        outline = outline.without_comments();
    }
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
///
/// Where the time ends, the hits found up to then stand for the file, in no definition.
pub fn best(
    language: Language,
    text: &str,
    searched: &str,
    query: &str,
    terms: &Query,
    pace: &mut Pace<'_>,
) -> Option<Definition> {
    let hits = hits(searched, query, terms, pace);
    // An outline is made in one go.
    if hits.is_empty() || pace.is_over_after(text.len()) {
        return without_definition(text, &hits, query);
    }
    let outline = outline(language, text);
    let mut by_lines = outline.by_lines();
    let mut definitions: BTreeMap<DefinitionLines, DefinitionHits<'_>> = BTreeMap::new();
    for (index, hit) in hits.iter().enumerate() {
        // A hit belongs to the innermost definition alone: a method, not its class.
        let symbol = by_lines.at(hit.number).pop();
        let key = symbol.map(|symbol| (symbol.lines.first, symbol.lines.last));
        let definition = definitions.entry(key).or_insert(DefinitionHits {
            symbol,
            hits: Vec::new(),
        });
        definition.hits.push(index);
    }
    let (_, definition) = best_of(definitions, |definition| {
        worth(&hits, definition, query, terms)
    })?;
    // Its first hit stands in the definition itself and in all round it.
    let first_hit = definition
        .hits
        .first()
        .map_or(0, |&index| hits[index].number);
    let chain = outline.enclosing(first_hit);
    let range = match definition.symbol {
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

/// Returns hits as they are where nobody has looked for the definitions that they stand in; none
/// where there are none.
fn without_definition(text: &str, hits: &[Hit<'_>], query: &str) -> Option<Definition> {
    (!hits.is_empty()).then(|| Definition {
        names: Vec::new(),
        range: crate::explore::text::all_lines(text),
        text: definition_text(&[], hits.iter(), query),
        hits: hits.len(),
        others: 0,
    })
}

/// Returns the definition of the greatest worth, the first of equals.
fn best_of<'a>(
    definitions: BTreeMap<DefinitionLines, DefinitionHits<'a>>,
    worth: impl Fn(&DefinitionHits<'a>) -> u32,
) -> Option<(DefinitionLines, DefinitionHits<'a>)> {
    definitions
        .into_iter()
        // What stands in no definition, such as an import, says less than a use of it.
        .max_by_key(|(key, definition)| (worth(definition), key.is_some(), Reverse(*key)))
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
        // `fn parse(text: &str) {` and `const SIZE: u8 = 1;` stand above already, without their
        // last sign.
        if !signature.contains(line.trim_end_matches(['{', ':', ';', ',', ' '])) {
            out.push_str(&format!("{}: {line}\n", hit.number));
        }
    }
    out
}

/// Returns the lines of `text` that hold a query: a lone identifier as it is written where it is
/// anywhere, else any of the terms.
fn hits<'a>(text: &'a str, query: &str, terms: &Query, pace: &mut Pace<'_>) -> Vec<Hit<'a>> {
    for case in [Case::Sensitive, Case::Ignored] {
        // A sentence is looked for by its words alone.
        let Some(name) = identifier::lone(query) else {
            break;
        };
        let finder = Finder::new(name, case);
        let count = |line: &str| vec![saturating_u32(finder.hits(line).count())];
        let hits = lines_with(text, count, pace);
        if !hits.is_empty() {
            return hits;
        }
    }
    let count = |line: &str| {
        let mut counts = vec![0; terms.terms().len()];
        terms.count_plain(line, 1, &mut counts);
        counts
    };
    lines_with(text, count, pace)
}

/// Returns the lines in which `count_in` finds anything. One is looked for whatever the time is:
/// without any, nobody could tell why the file is here.
fn lines_with<'a>(
    text: &'a str,
    count_in: impl Fn(&str) -> Vec<u32>,
    pace: &mut Pace<'_>,
) -> Vec<Hit<'a>> {
    let mut hits = Vec::new();
    for (number, line) in (1..).zip(with_ends(text)) {
        let is_over = pace.is_over_after(line.len());
        let line = without_end(line);
        let counts = count_in(line);
        if counts.iter().any(|count| *count > 0) {
            hits.push(Hit {
                number,
                line,
                counts,
            });
        }
        if is_over && !hits.is_empty() {
            break;
        }
    }
    hits
}

/// Returns how much a definition holds of a query: each different word of it counts more than all
/// repetitions, and one in its name more than one in its body.
fn worth(hits: &[Hit<'_>], definition: &DefinitionHits<'_>, query: &str, terms: &Query) -> u32 {
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
    let Some(symbol) = definition.symbol else {
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
