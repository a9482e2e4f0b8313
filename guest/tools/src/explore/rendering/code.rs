//! Code: the definition that matches a query, and the outline of a file.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use docent_api::pillars::LineRange;
use docent_code::{Language, Lines, Outline, Symbol, outline_while};

use crate::explore::rendering::literal::{Literal, LiteralLine};
use crate::explore::rendering::text::{QuotedLines, all_lines};
use crate::explore::request::call_limits::Room;
use crate::explore::selection::definitions::{DefinedName, is_prototype};
use crate::lexical::identifier_matches::is_whole;
use crate::limits::{HIT_LINE_CHARS, OTHER_DEFINITIONS, PLACE_LINES, USES_AMONG_WORDS};
use crate::part::lines::lines_between;
use docent_rank::bm25::Bm25Query;
use docent_text::lines::{with_ends, without_end};
use docent_text::matching::finder::{Case, Finder};
use docent_text::saturating::saturating_u32;
use docent_text::sort::sort_by_key;
use docent_text::time_budget::TimeBudget;
use docent_text::words::identifier;

/// Match of a file of code with a query.
pub struct CodeMatch {
    /// Name of the best definition, preceded by the names of the enclosing ones; empty if the hits
    /// are in no definition.
    pub names: Vec<String>,
    /// Lines of the definition, or of the whole file if the hits are in no definition.
    pub range: Option<LineRange>,
    /// The definition with its body if that fits, else its signatures with the matching lines; then
    /// the hits of an identifier in the rest of the file.
    pub text: String,
    /// The rest, for which there was no room.
    pub rest: String,
    /// Spans of the text, followed by the rest, that are verbatim lines of the file.
    pub quoted: Vec<QuotedLines>,
    /// Number of matching lines in the file.
    pub hits: usize,
    /// Lines and names of other definitions that match equally well.
    pub others: Vec<String>,
}

/// Form in which a file that matches a query is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeForm {
    /// The definition with the best match.
    Definition,
    /// Each matching line: the file only uses the identifier.
    Uses,
}

/// Query for a file of code, with the form and size of its result.
pub struct CodeSearch<'a> {
    /// Text of the file.
    pub text: &'a str,
    /// Language of the file.
    pub language: Language,
    /// The query as written.
    pub query: &'a str,
    /// Terms of the query.
    pub terms: &'a Bm25Query,
    /// Literal text of the query.
    pub literal: Option<&'a Literal>,
    /// Weight of each term by its rarity; 100 for each if all are equal.
    pub term_worths: &'a [u32],
    /// Form of the result.
    pub form: CodeForm,
    /// Room for the result.
    pub room: Room,
}

/// Outline of a file, with the method that found it.
pub struct Overview {
    /// Imports and signatures with their lines.
    pub text: String,
    /// `parsed`, `heuristic` or `text`.
    pub source: &'static str,
    /// The part of the text for which there was no room.
    pub rest: String,
    /// Outline from which both were made.
    pub outline: Outline,
}

/// A line that contains terms of the query.
struct CodeHit<'a> {
    number: u32,
    line: &'a str,
    /// Number of occurrences of each term in it.
    counts: Vec<u32>,
}

/// First and last line of a definition, or `None` for hits in no definition. Sorts in the order of
/// the file, with `None` first.
type DefinitionLines = Option<(u32, u32)>;

/// The hits of one definition.
struct DefinitionHits<'a> {
    /// The innermost definition that contains them, or `None`.
    symbol: Option<&'a Symbol>,
    /// Indices of hits, at least one.
    hits: Vec<usize>,
}

/// Inclusion of comments in a text of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    /// Comments are included.
    Inclusions,
    /// Comments are left out.
    LeftOut,
}

/// Returns the outline of a file of code, shortened to the room for it, or `None` if there is no
/// time to make it.
pub fn overview(
    language: Language,
    text: &str,
    comments: Comments,
    chars: usize,
    time_budget: &mut TimeBudget<'_>,
) -> Option<Overview> {
    let mut outline = outline_while(language, text, |bytes| !time_budget.is_over_after(bytes))?;
    if comments == Comments::LeftOut {
        outline = outline.without_comments();
    }
    let skeleton = outline.skeleton(chars);
    Some(Overview {
        text: skeleton.text,
        source: outline.source.name(),
        rest: skeleton.rest,
        outline,
    })
}

/// Returns the best match of a file with a query, or `None` if no line contains any of it. Hits are
/// looked up in `searched`, which has the same lines as `text`.
///
/// If the time is over, the result has only the hits found until then, in no definition.
pub fn best(
    searched: &str,
    search: &CodeSearch<'_>,
    time_budget: &mut TimeBudget<'_>,
) -> Option<CodeMatch> {
    let CodeSearch { text, language, .. } = *search;
    let hits = hits(searched, search, time_budget);
    if hits.is_empty() {
        return None;
    }
    let Some(outline) = outline_while(language, text, |bytes| !time_budget.is_over_after(bytes))
    else {
        return Some(without_definition(text, &hits, search));
    };
    if search.form == CodeForm::Uses {
        return Some(uses(text, &outline, &hits, search));
    }
    let mut definitions = group_by_definition(&outline, &hits);
    let worth = |definition: &DefinitionHits<'_>| worth(&hits, definition, search);
    let best = best_of(&definitions, worth)?;
    let definition = definitions.remove(&best)?;
    // The innermost definition that contains the first hit is the best one itself, and all
    // others on the chain enclose it.
    let first_hit = definition
        .hits
        .first()
        .map_or(0, |&index| hits[index].number);
    let chain = outline.find_enclosing(first_hit);
    let Some(symbol) = definition.symbol else {
        return Some(uses(text, &outline, &hits, search));
    };
    let DefinitionText {
        mut shown,
        mut rest,
        mut quoted,
    } = definition_text(text, &chain, symbol, &definition, &hits, search);
    let body = rest.len();
    let range = lines_of(symbol);
    if identifier::find(search.query).is_some() || search.phrases().is_some() {
        let elsewhere = hits.iter().filter(|hit| !symbol.lines.contains(hit.number));
        let elsewhere = elsewhere.map(|hit| (hit, true));
        add_uses(&mut shown, &mut rest, &outline, elsewhere, search);
    }
    if body > 0 {
        quoted.push(QuotedLines {
            span: shown.len()..shown.len() + body,
            first: symbol.lines.first,
        });
    }
    let least = worth(&definition) / 2;
    let mut others: Vec<(u32, &Symbol)> = definitions
        .values()
        .filter_map(|other| Some((worth(other), other.symbol?)))
        .filter(|(worth, _)| *worth > least)
        .collect();
    sort_by_key(&mut others, |(worth, _)| Reverse(*worth));
    Some(CodeMatch {
        names: chain.iter().map(|symbol| symbol.name.clone()).collect(),
        range: Some(range),
        text: shown,
        rest,
        quoted,
        hits: hits.len(),
        others: others
            .into_iter()
            .take(OTHER_DEFINITIONS)
            .map(|(_, symbol)| place(symbol))
            .collect(),
    })
}

/// Returns hits by the innermost definition that contains them: a method, not its class.
fn group_by_definition<'a>(
    outline: &'a Outline,
    hits: &[CodeHit<'_>],
) -> BTreeMap<DefinitionLines, DefinitionHits<'a>> {
    let mut by_lines = outline.by_lines();
    let mut definitions = BTreeMap::new();
    for (index, hit) in hits.iter().enumerate() {
        let symbol = by_lines.at(hit.number).pop();
        let key = symbol.map(|symbol| (symbol.lines.first, symbol.lines.last));
        let definition = definitions.entry(key).or_insert(DefinitionHits {
            symbol,
            hits: Vec::new(),
        });
        definition.hits.push(index);
    }
    definitions
}

/// Text that is shown of a definition.
struct DefinitionText {
    shown: String,
    /// The part that is not shown: the whole body, or nothing.
    rest: String,
    /// Spans of `shown` that are verbatim lines of the file.
    quoted: Vec<QuotedLines>,
}

/// Returns a definition with its body if that fits; else its signatures with the matching lines,
/// and its body as the rest.
fn definition_text(
    text: &str,
    chain: &[&Symbol],
    symbol: &Symbol,
    definition: &DefinitionHits<'_>,
    hits: &[CodeHit<'_>],
    search: &CodeSearch<'_>,
) -> DefinitionText {
    let body = lines_between(text, symbol.lines.first, symbol.lines.last);
    if search.room.unit.measure(body) <= search.room.item {
        let mut body = body.to_owned();
        if !body.ends_with('\n') {
            body.push('\n');
        }
        return DefinitionText {
            rest: String::new(),
            quoted: vec![QuotedLines {
                span: 0..body.len(),
                first: symbol.lines.first,
            }],
            shown: body,
        };
    }
    let own: Vec<&CodeHit<'_>> = definition.hits.iter().map(|&index| &hits[index]).collect();
    let place = match identifier::find(search.query) {
        None => best_place(body, symbol, &own, search),
        // The query is the name of this definition. Then its documentation and signature
        // describe it better than lines of its body that mention the name, which recursion or a
        // log message do.
        Some(_) if DefinedName::from_query(search.query).is_some_and(|name| name.is_it(symbol)) => {
            beginning(body, symbol, search)
        }
        Some(_) => None,
    };
    let Some((first, place)) = place else {
        return DefinitionText {
            shown: signatures(chain, own.into_iter(), search.query),
            rest: body.to_owned(),
            quoted: Vec::new(),
        };
    };
    let last = first + saturating_u32(with_ends(&place).count()) - 1;
    let is_beginning = first == symbol.lines.first;
    let above = chain.len() - usize::from(is_beginning);
    let mut shown = signatures(&chain[..above], std::iter::empty(), search.query);
    if !is_beginning {
        // The lines shown begin in the middle of the definition. Its signature and the first
        // line of its documentation precede them, so that a reader knows in which function
        // these steps are.
        let doc = symbol
            .doc
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty());
        if let Some(doc) = doc {
            shown.push_str(&format!("{}{doc}\n", "  ".repeat(chain.len())));
        }
        shown.push_str(&format!("... {first}-{last}:\n"));
    }
    let quoted = QuotedLines {
        span: shown.len()..shown.len() + place.len(),
        first,
    };
    shown.push_str(&place);
    DefinitionText {
        shown,
        rest: body.to_owned(),
        quoted: vec![quoted],
    }
}

/// Returns the place of a long definition that matches the query best, with the lines around it,
/// and the number of its first line: consecutive steps explain more than as many scattered lines
/// that each contain a word. Returns `None` if it does not fit, as in code of one line.
fn best_place(
    body: &str,
    symbol: &Symbol,
    own: &[&CodeHit<'_>],
    search: &CodeSearch<'_>,
) -> Option<(u32, String)> {
    let (first, last) = most_in_one_place(own, search).1;
    let least = symbol.lines.first;
    let lines: Vec<&str> = with_ends(body).collect();
    let size = |line: usize| {
        lines
            .get(line)
            .map_or(0, |line| search.room.unit.measure(line))
    };
    let mut from = first.checked_sub(least)? as usize;
    let mut behind = last.checked_sub(least)? as usize + 1;
    // The place itself may take half of the room; a larger one is not shown as a place, and its
    // matching lines are listed instead. In code of one line, such as a bundle, the line alone
    // is larger than any room.
    let mut left = (search.room.item / 2).checked_sub((from..behind).map(size).sum())?;
    // The window grows by two lines after the place for each line before it, since what follows
    // a hit explains it more often. If one side is used up, only the other grows.
    for step in 0.. {
        let is_before = step % 3 == 2;
        let next = if is_before {
            from.checked_sub(1)
        } else {
            Some(behind)
        };
        let next = next.filter(|next| *next < lines.len());
        let Some(next) = next else {
            // Nothing is left on this side, and perhaps not on the other.
            if from == 0 && behind >= lines.len() {
                break;
            }
            continue;
        };
        let Some(rest) = left.checked_sub(size(next)) else {
            break;
        };
        left = rest;
        (from, behind) = if is_before {
            (next, behind)
        } else {
            (from, next + 1)
        };
    }
    let place = lines.get(from..behind)?.concat();
    let first = least + saturating_u32(from);
    Some((first, format!("{}\n", place.trim_end())))
}

/// Returns as many of the first lines of a long definition as fit into half of an item's room, and
/// the number of the first; `None` if the first does not fit.
fn beginning(body: &str, symbol: &Symbol, search: &CodeSearch<'_>) -> Option<(u32, String)> {
    let mut left = search.room.item / 2;
    let mut text = String::new();
    for line in with_ends(body) {
        let Some(rest) = left.checked_sub(search.room.unit.measure(line)) else {
            break;
        };
        left = rest;
        text.push_str(line);
    }
    let text = text.trim_end();
    (!text.is_empty()).then(|| (symbol.lines.first, format!("{text}\n")))
}

/// Returns every line that matches the query, with the definition that contains it.
fn uses(text: &str, outline: &Outline, hits: &[CodeHit<'_>], search: &CodeSearch<'_>) -> CodeMatch {
    let (mut shown, mut rest) = (String::new(), String::new());
    let telling = mark_distinctive(hits, search);
    let hits_told = hits.iter().zip(telling);
    add_uses(&mut shown, &mut rest, outline, hits_told, search);
    CodeMatch {
        names: Vec::new(),
        range: all_lines(text),
        text: shown,
        rest,
        quoted: Vec::new(),
        hits: hits.len(),
        others: Vec::new(),
    }
}

/// Returns, for each line with an identifier, true if it is to be shown: all lines, or, if the
/// query has other words too, those that contain most of these.
fn mark_distinctive(hits: &[CodeHit<'_>], search: &CodeSearch<'_>) -> Vec<bool> {
    let is_all = identifier::parse_lone(search.query).is_some()
        || identifier::asks_for_uses(search.query)
        || search.phrases().is_some();
    if is_all {
        return vec![true; hits.len()];
    }
    let mut lines: Vec<(u32, usize)> = hits
        .iter()
        .enumerate()
        .map(|(at, hit)| {
            let mut counts = vec![0; search.terms.terms().len()];
            search.terms.count_plain(hit.line, 1, &mut counts);
            (search.worth_of(&counts), at)
        })
        .collect();
    // The sort is stable: of lines with equal weight the first are shown.
    sort_by_key(&mut lines, |(worth, _)| Reverse(*worth));
    let mut telling = vec![false; hits.len()];
    for (_, at) in lines.into_iter().take(USES_AMONG_WORDS) {
        telling[at] = true;
    }
    telling
}

/// Adds a line for each hit, with its number and the name of the definition that contains it: hits
/// that are selected and fit go to `shown`, with the number of the others, and the others to
/// `rest`.
fn add_uses<'a>(
    shown: &mut String,
    rest: &mut String,
    outline: &Outline,
    hits: impl Iterator<Item = (&'a CodeHit<'a>, bool)>,
    search: &CodeSearch<'_>,
) {
    let Room { item, unit, .. } = search.room;
    let mut by_lines = outline.by_lines();
    let mut taken = unit.measure(shown);
    let (mut left_out, mut is_full) = (0, false);
    for (hit, is_shown) in hits {
        let name = by_lines
            .at(hit.number)
            .pop()
            .map(|symbol| symbol.name.as_str());
        let name = name.map(|name| format!(" {name}")).unwrap_or_default();
        let line = format!("{}{name}: {}\n", hit.number, shown_line(hit, search.query));
        is_full |= is_shown && taken + unit.measure(&line) > item;
        // The first line is always shown, even if it exceeds the room: nothing else in the item
        // would explain why the file is there.
        if is_shown && (!is_full || shown.is_empty()) {
            taken += unit.measure(&line);
            shown.push_str(&line);
        } else {
            left_out += 1;
            rest.push_str(&line);
        }
    }
    if left_out > 0 {
        shown.push_str(&format!("... {left_out} more lines\n"));
    }
}

/// Returns the matching lines without the definitions that contain them, if these are unknown.
fn without_definition(text: &str, hits: &[CodeHit<'_>], search: &CodeSearch<'_>) -> CodeMatch {
    CodeMatch {
        names: Vec::new(),
        range: all_lines(text),
        text: signatures(&[], hits.iter(), search.query),
        rest: String::new(),
        quoted: Vec::new(),
        hits: hits.len(),
        others: Vec::new(),
    }
}

/// Returns the lines and the name of a definition, in the form of an answer.
fn place(symbol: &Symbol) -> String {
    let Lines { first, last } = symbol.lines;
    format!("{first}-{last} {}", symbol.name)
}

fn lines_of(symbol: &Symbol) -> LineRange {
    LineRange {
        first: symbol.lines.first,
        last: symbol.lines.last,
    }
}

/// Returns the key of the definition with the highest worth, the first of equals.
fn best_of<'a>(
    definitions: &BTreeMap<DefinitionLines, DefinitionHits<'a>>,
    worth: impl Fn(&DefinitionHits<'a>) -> u32,
) -> Option<DefinitionLines> {
    let best = definitions
        .iter()
        // Of definitions with equal weight, hits inside a definition come before hits outside
        // of every one, such as an import. Among these the first in the file is taken, so that
        // the order does not depend on the map.
        .max_by_key(|(key, definition)| (worth(definition), key.is_some(), Reverse(**key)));
    best.map(|(key, _)| *key)
}

/// Returns the signatures of a chain of definitions, and below them the lines with hits.
fn signatures<'a>(
    chain: &[&Symbol],
    hits: impl Iterator<Item = &'a CodeHit<'a>>,
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
        let line = shown_line(hit, query);
        // The line of the definition itself is a hit as well. `fn parse(text: &str) {` and
        // `const SIZE: u8 = 1;` are already among the signatures, without the last character,
        // and are not repeated.
        if !signature.contains(line.trim_end_matches(['{', ':', ';', ',', ' '])) {
            out.push_str(&format!("{}: {line}\n", hit.number));
        }
    }
    out
}

/// Returns the lines of `text` that match a query: those with an identifier as written if there are
/// any, as a whole word before longer names, or those with phrases, else those with any of the
/// terms.
fn hits<'a>(
    text: &'a str,
    search: &CodeSearch<'_>,
    time_budget: &mut TimeBudget<'_>,
) -> Vec<CodeHit<'a>> {
    let CodeSearch { query, terms, .. } = *search;
    let lines = search.phrases().map(|phrases| phrases.lines(text));
    if let Some(lines) = lines.filter(|lines| !lines.is_empty()) {
        let hit = |line: LiteralLine| CodeHit {
            number: line.number,
            line: without_end(&text[line.span]),
            counts: vec![1],
        };
        return lines.into_iter().map(hit).collect();
    }
    // An identifier among the words of a query is matched as written. A query in words, without
    // an identifier, is matched by its terms.
    if let Some(name) = identifier::find(query) {
        // `Parser.next` is searched for as written first, then as `next`: code seldom writes
        // the enclosing type before the name of a definition. Case is ignored only if the exact
        // spelling is absent, and a whole word is preferred to a longer name, so that `parse`
        // does not select the lines of `parse_all`.
        let own = identifier::last(name);
        let cases = [Case::Sensitive, Case::Ignored];
        let names = cases.map(|case| (name, case)).into_iter();
        let owns = cases.map(|case| (own, case)).into_iter();
        for (name, case) in names.chain(owns.filter(|(own, _)| *own != name)) {
            let finder = Finder::new(name, case);
            let count = |line: &str| vec![saturating_u32(finder.hits(line).count())];
            let mut hits = lines_with(text, count, time_budget);
            let is_whole =
                |hit: &CodeHit<'_>| finder.hits(hit.line).any(|at| is_whole(hit.line, &at));
            if hits.iter().any(is_whole) {
                hits.retain(is_whole);
            }
            if !hits.is_empty() {
                return hits;
            }
        }
    }
    let count = |line: &str| {
        let mut counts = vec![0; terms.terms().len()];
        terms.count_plain(line, 1, &mut counts);
        counts
    };
    lines_with(text, count, time_budget)
}

/// Returns the lines in which `count_in` finds anything. The first one is searched for regardless
/// of the time: without any line, nothing would explain the presence of the file.
fn lines_with<'a>(
    text: &'a str,
    count_in: impl Fn(&str) -> Vec<u32>,
    time_budget: &mut TimeBudget<'_>,
) -> Vec<CodeHit<'a>> {
    let mut hits = Vec::new();
    for (number, line) in (1..).zip(with_ends(text)) {
        let is_over = time_budget.is_over_after(line.len());
        let line = without_end(line);
        let counts = count_in(line);
        if counts.iter().any(|count| *count > 0) {
            hits.push(CodeHit {
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

/// Returns the weight of a definition's match with a query: each different word counts more than
/// all repetitions, most if they are close together, and a word in the name more than one in the
/// body.
fn worth(hits: &[CodeHit<'_>], definition: &DefinitionHits<'_>, search: &CodeSearch<'_>) -> u32 {
    let CodeSearch { query, terms, .. } = search;
    let own: Vec<&CodeHit<'_>> = definition.hits.iter().map(|&at| &hits[at]).collect();
    let counts = sums(&own);
    let held = search.worth_of(&counts);
    let repeated = counts
        .iter()
        .fold(0u32, |sum, count| sum.saturating_add(*count))
        // Repetitions count up to thirty: a loop that names its variable in each line does not
        // answer the query better than one that names it twice.
        .min(30);
    let different = held / 4 + most_in_one_place(&own, search).0 * 3 / 4;
    let Some(symbol) = definition.symbol else {
        return different + repeated;
    };
    let mut name_counts = vec![0; terms.terms().len()];
    terms.count_plain(&symbol.name, 1, &mut name_counts);
    let in_name = search.worth_of(&name_counts);
    // More than ten words in a body: the query asks for this name. A prototype, as in a header
    // of C, gets a hundred less than the definition with a body, so the body is shown if the
    // file has both.
    let has_this_name = match DefinedName::from_query(query) {
        Some(name) if name.is_of(symbol, Case::Sensitive) => 1000,
        Some(name) if name.is_of(symbol, Case::Ignored) => 500,
        _ => 0,
    };
    let is_whole = u32::from(!is_prototype(search.language, search.text, symbol));
    different + in_name + has_this_name + has_this_name.min(100) * is_whole + repeated
}

/// Returns the weight of the words within the best [`PLACE_LINES`] lines of a definition, and the
/// first and last of these lines, the first of equals. A long function contains most words
/// somewhere; the relevant one has them in its comment or in one step.
fn most_in_one_place(own: &[&CodeHit<'_>], search: &CodeSearch<'_>) -> (u32, (u32, u32)) {
    let mut first = 0;
    let mut most = (0, (0, 0));
    for last in 0..own.len() {
        while own[last].number - own[first].number >= PLACE_LINES {
            first += 1;
        }
        let worth = search.worth_of(&sums(&own[first..=last]));
        if worth > most.0 {
            most = (worth, (own[first].number, own[last].number));
        }
    }
    most
}

/// Returns the number of occurrences of each term in some lines.
fn sums(hits: &[&CodeHit<'_>]) -> Vec<u32> {
    let mut counts = vec![0u32; hits.first().map_or(0, |hit| hit.counts.len())];
    for hit in hits {
        for (sum, count) in counts.iter_mut().zip(&hit.counts) {
            *sum = sum.saturating_add(*count);
        }
    }
    counts
}

impl CodeSearch<'_> {
    /// Returns the phrases of the query, or `None` if it has none.
    fn phrases(&self) -> Option<&Literal> {
        self.literal
            .filter(|literal| matches!(literal, Literal::Phrases(_)))
    }

    /// Returns the weight of the terms that occur, either of an identifier, which is counted as
    /// one, or of several terms.
    fn worth_of(&self, counts: &[u32]) -> u32 {
        if counts.len() != self.term_worths.len() {
            return 100 * saturating_u32(counts.iter().filter(|count| **count > 0).count());
        }
        let held = counts.iter().zip(self.term_worths);
        held.filter(|(count, _)| **count > 0)
            .fold(0, |sum: u32, (_, worth)| sum.saturating_add(*worth))
    }
}

/// Returns a line without its indentation; of a very long one, a window around its first hit.
fn shown_line(hit: &CodeHit<'_>, query: &str) -> String {
    let line = hit.line.trim();
    // Minified code may have one line of megabytes. Only a window of it is shown.
    if line.chars().count() <= HIT_LINE_CHARS {
        return line.to_owned();
    }
    let first = query
        .split_whitespace()
        .filter_map(|word| Finder::new(word, Case::Ignored).hits(line).next())
        .map(|span| span.start)
        .min();
    // A quarter of the window precedes the hit and the rest follows it.
    let from = line.floor_char_boundary(first.unwrap_or(0).saturating_sub(HIT_LINE_CHARS / 4));
    let window = line[from..].chars().take(HIT_LINE_CHARS);
    format!("...{}...", window.collect::<String>())
}
