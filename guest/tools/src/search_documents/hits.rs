//! The hits in one text, and the excerpt shown for each.

use std::ops::Range;

use docent_api::search::{MatchedSection, SearchMatch, SearchMode, SearchResult};

use super::request::SearchRequest;
use crate::limits::SECTION_CHARS;
use docent_document::format::Format;
use docent_document::front_matter;
use docent_document::headings;
use docent_document::sections::{Section, sections};
use docent_text::lines::LineCounter;
use docent_text::matching::excerpt::excerpt;
use docent_text::matching::finder::Finder;
use docent_text::saturating::saturating_u32;
use docent_text::width::Widths;

/// Returns all hits of a document that the request allows to show, or `None` if it has none.
pub fn result(
    path: &str,
    name: &str,
    text: &str,
    widths: Widths,
    finder: &Finder,
    request: &SearchRequest,
) -> Option<SearchResult> {
    let body = body(name, text);
    let mut hits = hits(text, body, widths, finder).peekable();
    // Most documents have no hit, and their name, sections and lines are never needed.
    hits.peek()?;
    let (match_count, matches) = matches(name, text, body, hits, request);
    Some(SearchResult {
        path: format!("/{path}"),
        name: headings::name(name, text),
        match_count: saturating_u32(match_count),
        matches,
    })
}

/// Returns the number of hits in a document.
pub fn count(name: &str, text: &str, widths: Widths, finder: &Finder) -> u32 {
    saturating_u32(hits(text, body(name, text), widths, finder).count())
}

/// Returns the start of the searched text: front matter is excluded, since `context_search`
/// searches its fields.
fn body(name: &str, text: &str) -> usize {
    Format::from_name(name).map_or(0, |format| front_matter::length_in(format, text))
}

fn hits<'a>(
    text: &'a str,
    body: usize,
    widths: Widths,
    finder: &'a Finder,
) -> impl Iterator<Item = Range<usize>> + 'a {
    finder
        .hits_in(&text[body..], widths)
        .map(move |hit| hit.start + body..hit.end + body)
}

/// Returns the number of hits, and the excerpts of the first ones.
fn matches(
    name: &str,
    text: &str,
    body: usize,
    mut hits: impl Iterator<Item = Range<usize>>,
    request: &SearchRequest,
) -> (usize, Vec<SearchMatch>) {
    let most = request.settings.max_results as usize;
    match request.mode {
        SearchMode::TitlesOnly => (hits.count(), Vec::new()),
        SearchMode::Snippets => {
            let context = request.settings.context_chars;
            let mut lines = LineCounter::new(text);
            let matches: Vec<SearchMatch> = hits
                .by_ref()
                .take(most)
                .map(|hit| SearchMatch {
                    line: lines.line(hit.start),
                    excerpt: excerpt(text, body, &hit, context),
                    section: None,
                })
                .collect();
            // Excerpts are made only for the hits listed; the others are counted.
            (matches.len() + hits.count(), matches)
        }
        SearchMode::FullContext => whole_sections(name, text, hits, most),
    }
}

/// A section with hits in it.
struct SectionHits {
    /// Its index.
    section: usize,
    first_hit: Range<usize>,
    /// Number of hits that begin in it.
    hits: u32,
}

/// Returns the number of hits, and each section in which one of the first `most` begins, once.
fn whole_sections(
    name: &str,
    text: &str,
    hits: impl Iterator<Item = Range<usize>>,
    most: usize,
) -> (usize, Vec<SearchMatch>) {
    let sections = sections(name, text);
    let mut listed: Vec<SectionHits> = Vec::new();
    let (mut number, mut current) = (0, 0);
    for hit in hits {
        // Hits ascend, so the sections are visited only once.
        while sections
            .get(current)
            .is_some_and(|section| section.span.end <= hit.start)
        {
            current += 1;
        }
        number += 1;
        // Only the first `most` hits list a section; later ones count if their section is already
        // listed.
        match listed.last_mut() {
            Some(section) if section.section == current => section.hits += 1,
            _ if number <= most => listed.push(SectionHits {
                section: current,
                first_hit: hit,
                hits: 1,
            }),
            _ => {}
        }
    }
    // The counter only moves forward, so the positions must not decrease. They do not: a part
    // begins in its section, and that section begins after the last byte of the previous one.
    let mut lines = LineCounter::new(text);
    let matches = listed.into_iter().filter_map(|section| {
        let Section { path, span, .. } = sections.get(section.section)?;
        let part = section_part(text, span, &section.first_hit);
        Some(SearchMatch {
            line: lines.line(part.start),
            excerpt: text[part.clone()].to_owned(),
            section: Some(MatchedSection {
                heading_path: path.clone(),
                // The line of its last byte, since the byte after it is in the next section.
                last_line: lines.line(span.end - 1),
                hits: section.hits,
                cut: part != *span,
            }),
        })
    });
    (number, matches.collect())
}

/// Returns the part of a section that is shown: all of it, or as much as the limit allows around
/// the first hit, starting at the beginning of a line.
fn section_part(text: &str, section: &Range<usize>, hit: &Range<usize>) -> Range<usize> {
    let end_from = |start: usize| {
        let rest = &text[start..section.end];
        rest.char_indices()
            .nth(SECTION_CHARS)
            .map_or(section.end, |(at, _)| start + at)
    };
    let end = end_from(section.start);
    if hit.end <= end {
        return section.start..end;
    }
    // A quarter of the limit precedes the hit, the rest follows it, since later text says more.
    let before = &text[section.start..hit.start];
    let quarter = before
        .char_indices()
        .rev()
        .nth(SECTION_CHARS / 4)
        .map_or(0, |(at, _)| at);
    let line = before[quarter..]
        .find('\n')
        .map_or(quarter, |at| quarter + at + 1);
    let start = section.start + line;
    start..end_from(start)
}
