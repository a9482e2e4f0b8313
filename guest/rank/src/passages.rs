//! Passages: the sections of a document, long ones in parts, with their costs in an answer and
//! their relevance.
//!
//! The sections of a document are counted once for a question, and scored once the collection is
//! known. [`crate::pages`] decides which of them an answer shows.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::bm25::{Bm25Query, Collection, Ranking};
use crate::cutoff::is_near;
use crate::density::FoldedWords;
use crate::limits::{PART_TOKENS, RELEVANT_THOUSANDTHS};
use crate::rerank::{RerankInput, Reranker, TextKind};
use crate::select::Scored;
use crate::statistics::weight;
use crate::tally::Tally;
use docent_document::headings::anchor::heading_source;
use docent_document::headings::heading::one_line;
use docent_document::parts::{Unit, parts};
use docent_document::sections::{Section, sections};
use docent_text::lines::slices;
use docent_text::sort::sort_by;
use docent_text::time_budget::TimeBudget;
use docent_text::tokens::estimate::estimate;

/// A document whose sections are counted for a question.
pub struct ScoredDocument<'a> {
    text: &'a str,
    sections: Vec<Section>,
    /// Counts of each section.
    counts: Vec<SectionCounts>,
    /// Range that an embedder reports as nearest to the question; empty if none was asked.
    semantic_match: Range<usize>,
}

/// The counts of a section for a query.
struct SectionCounts {
    own: Counts,
    /// Counts by line, if the section may be split.
    tally: Option<Tally>,
}

/// The counts of a section or a part of one for a query.
pub(crate) struct Counts {
    /// Count of each term in quarters, including those of the headings above.
    pub(crate) terms: Vec<u32>,
    /// Length in words.
    pub(crate) length: u32,
    /// True if the text itself contains a term. The headings above add weight to such a text;
    /// alone, they would make everything below them match.
    has_term: bool,
}

/// The measure of relevance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relevance {
    /// The ranked score, [`crate::bm25`].
    Bm25,
    /// The density score: the density of the query's words.
    Density,
}

/// The number of a part of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number, from 1.
    pub number: u32,
    /// Number of parts.
    pub parts: u32,
}

/// The best passage of a document.
#[derive(Clone, Copy, Debug)]
pub struct BestPassage<'a> {
    /// Section.
    pub section: &'a Section,
    /// Start of its best part, in bytes of the document.
    pub start: usize,
    /// Score of the section.
    pub score: f64,
}

/// A question: a query and the measure of its relevance.
pub struct Question {
    /// Terms of the query.
    pub query: Bm25Query,
    words: FoldedWords,
    relevance: Relevance,
}

/// The scorer of the sections of one collection.
pub enum Scorer<'a> {
    /// The ranked score.
    Ranked(&'a Bm25Query, Ranking),
    /// The density score.
    Density(&'a FoldedWords),
}

impl Question {
    /// Parses the question in `text`.
    pub fn new(text: &str, relevance: Option<Relevance>) -> Self {
        Self {
            query: Bm25Query::new(text),
            words: FoldedWords::new(text),
            relevance: relevance.unwrap_or(Relevance::Bm25),
        }
    }

    /// Returns the scorer of sections, given the statistics of the collection and the mean length
    /// of a text in words.
    pub fn scorer(&self, collection: &Collection, mean_length: f64) -> Scorer<'_> {
        match self.relevance {
            Relevance::Bm25 => {
                Scorer::Ranked(&self.query, collection.rank(&self.query, mean_length))
            }
            Relevance::Density => Scorer::Density(&self.words),
        }
    }
}

impl Scorer<'_> {
    /// Returns the relevance of a text with these headings above it.
    pub(crate) fn score(&self, text: &str, heading_path: &[String]) -> f64 {
        match self {
            Self::Ranked(query, ranking) => {
                let time_budget = &mut TimeBudget::unlimited();
                Counts::from_text(query, text, heading_path, time_budget).score(ranking)
            }
            Self::Density(words) if !words.occur_in(text) => 0.0,
            Self::Density(words) => words.score(text, heading_path, &code(text)),
        }
    }

    /// Returns the minimum relevant score beside one of `best`.
    fn least(&self, best: f64) -> f64 {
        match self {
            // The density score of an irrelevant text is 0 already.
            Self::Ranked(..) => best * f64::from(RELEVANT_THOUSANDTHS) / 1000.0,
            Self::Density(_) => 0.0,
        }
    }
}

impl Counts {
    /// Counts the terms of a section's text and of the headings above it, until the time budget is
    /// spent.
    pub(crate) fn from_text(
        query: &Bm25Query,
        text: &str,
        heading_path: &[String],
        time_budget: &mut TimeBudget<'_>,
    ) -> Self {
        let mut terms = vec![0; query.count_len()];
        let length = query.count_text(text, &mut terms, time_budget);
        Self::new(query, terms, length, heading_path)
    }

    /// Counts the terms of the lines of a text in `inside`, by their tally if possible.
    fn from_tally(
        query: &Bm25Query,
        tally: &Tally,
        text: &str,
        inside: Range<usize>,
        heading_path: &[String],
    ) -> Option<Self> {
        let mut terms = vec![0; query.count_len()];
        let length = tally.count(text, inside, &mut terms)?;
        Some(Self::new(query, terms, length, heading_path))
    }

    /// Adds the terms of the headings above a text to its own. The last heading is in the text,
    /// where it counts as a heading.
    fn new(query: &Bm25Query, mut terms: Vec<u32>, length: u32, heading_path: &[String]) -> Self {
        let has_term = terms.iter().any(|&count| count > 0);
        for heading in heading_path.iter().rev().skip(1) {
            query.count_plain(heading, weight::BODY, &mut terms);
        }
        Self {
            terms,
            length,
            has_term,
        }
    }

    pub(crate) fn score(&self, ranking: &Ranking) -> f64 {
        if self.has_term {
            ranking.score(self.length, &self.terms)
        } else {
            0.0
        }
    }
}

/// Returns the code of a Markdown text: blocks and spans, one per line.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut is_block = false;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                is_block = true;
                if let CodeBlockKind::Fenced(info) = kind {
                    code.push_str(&info);
                    code.push('\n');
                }
            }
            Event::End(TagEnd::CodeBlock) => is_block = false,
            Event::Text(inside) if is_block => code.push_str(&inside),
            Event::Code(span) => {
                code.push_str(&span);
                code.push('\n');
            }
            _ => {}
        }
    }
    code
}

impl<'a> ScoredDocument<'a> {
    /// Counts the document of this file name and text for a question.
    pub fn new(name: &str, text: &'a str, question: &Question) -> Self {
        Self::count_within(name, text, question, &mut TimeBudget::unlimited())
    }

    /// Counts a document that may be long, or returns `None` if the time budget is spent first.
    pub fn new_within(
        name: &str,
        text: &'a str,
        question: &Question,
        time_budget: &mut TimeBudget<'_>,
    ) -> Option<Self> {
        let document = Self::count_within(name, text, question, time_budget);
        (!time_budget.is_over()).then_some(document)
    }

    /// Counts a document until the time budget is spent.
    fn count_within(
        name: &str,
        text: &'a str,
        question: &Question,
        time_budget: &mut TimeBudget<'_>,
    ) -> Self {
        Self::with_counts(text, sections(name, text), question, time_budget)
    }

    /// Counts the given sections, in order, of a text.
    pub fn from_sections(text: &'a str, sections: Vec<Section>, question: &Question) -> Self {
        Self::with_counts(text, sections, question, &mut TimeBudget::unlimited())
    }

    fn with_counts(
        text: &'a str,
        sections: Vec<Section>,
        question: &Question,
        time_budget: &mut TimeBudget<'_>,
    ) -> Self {
        let query = &question.query;
        let count = |section: &Section| {
            let text = &text[section.span.clone()];
            let tally = (text.len() >= TALLIED_BYTES).then(|| Tally::new(query, text, time_budget));
            let own = match &tally {
                Some(tally) => Counts::from_tally(query, tally, text, 0..text.len(), &section.path),
                None => None,
            }
            .unwrap_or_else(|| Counts::from_text(query, text, &section.path, time_budget));
            SectionCounts { own, tally }
        };
        let counts = sections.iter().map(count).collect();
        Self {
            text,
            sections,
            counts,
            semantic_match: 0..0,
        }
    }

    /// Sets the range that matches semantically, independent of its words.
    #[must_use]
    pub fn with_semantic_match(mut self, semantic_match: Range<usize>) -> Self {
        self.semantic_match = semantic_match;
        self
    }

    /// Returns true if the span intersects the semantic match.
    fn is_semantic_match(&self, span: &Range<usize>) -> bool {
        span.start < self.semantic_match.end && self.semantic_match.start < span.end
    }

    /// Returns its text.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Returns its sections.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Adds its sections to a collection.
    pub fn add_to(&self, collection: &mut Collection) {
        for counts in &self.counts {
            collection.add(counts.own.length, &counts.own.terms);
        }
    }

    /// Returns the most relevant section and its most relevant part, until the time budget is
    /// spent: if the section is longer than `chars` characters, parts of about that length are
    /// compared. Returns `None` if no section matches the query.
    pub fn best(
        &self,
        scorer: &Scorer<'_>,
        chars: usize,
        time_budget: &mut TimeBudget<'_>,
    ) -> Option<BestPassage<'_>> {
        let best = self.best_section(scorer, time_budget)?;
        let section = &self.sections[best.item];
        let text = &self.text[section.span.clone()];
        let start = best_part(text, scorer, &section.path, chars, time_budget);
        Some(BestPassage {
            section,
            start: section.span.start + start,
            score: best.score,
        })
    }

    /// Returns the index and the score of the most relevant section, until the time budget is
    /// spent.
    pub(crate) fn best_section(
        &self,
        scorer: &Scorer<'_>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Option<Scored<usize>> {
        let mut relevant = self.relevant(scorer);
        self.read_again(&mut relevant, scorer, time_budget);
        // In reverse: the first among equals is wanted, and `max_by` returns the last.
        relevant
            .into_iter()
            .rev()
            .max_by(|a, b| a.score.total_cmp(&b.score))
    }

    /// Returns the sections that score near `best`, the best one, without it, best first, until the
    /// time budget is spent.
    pub fn near_best(
        &self,
        scorer: &Scorer<'_>,
        best: &Section,
        time_budget: &mut TimeBudget<'_>,
    ) -> Vec<&Section> {
        let mut relevant = self.relevant(scorer);
        self.read_again(&mut relevant, scorer, time_budget);
        // Stable: the earlier among equals comes first.
        sort_by(&mut relevant, |a, b| b.score.total_cmp(&a.score));
        let most = relevant.first().map_or(0.0, |first| first.score);
        let near = relevant.iter().take_while(|one| is_near(one.score, most));
        let sections = near.map(|one| &self.sections[one.item]);
        sections
            .filter(|section| section.span != best.span)
            .collect()
    }

    /// Rescores the best sections by the second stage, which considers closeness of words, headings
    /// that equal the query, and symbols, until the time budget is spent.
    fn read_again(
        &self,
        relevant: &mut [Scored<usize>],
        scorer: &Scorer<'_>,
        time_budget: &mut TimeBudget<'_>,
    ) {
        let Scorer::Ranked(query, ranking) = scorer else {
            return;
        };
        let second_stage = Reranker::new(query, ranking, TextKind::Document);
        let mut best: Vec<usize> = (0..relevant.len()).collect();
        sort_by(&mut best, |&a, &b| {
            relevant[b].score.total_cmp(&relevant[a].score)
        });
        for index in best.into_iter().take(SECTIONS_READ_AGAIN) {
            let section = relevant[index].item;
            let document = RerankInput {
                path: "",
                text: &self.text[self.sections[section].span.clone()],
                length: self.counts[section].own.length,
                passages: None,
                score: relevant[index].score,
            };
            match second_stage.score(document, time_budget) {
                Some(score) => relevant[index].score = score,
                None => return,
            }
        }
    }

    /// Returns the relevant sections with their scores, in order.
    pub(crate) fn relevant(&self, scorer: &Scorer<'_>) -> Vec<Scored<usize>> {
        let score = |(section, counts): (&Section, &SectionCounts)| match scorer {
            Scorer::Ranked(_, ranking) => counts.own.score(ranking),
            Scorer::Density(_) => scorer.score(&self.text[section.span.clone()], &section.path),
        };
        let mut scores: Vec<f64> = self.sections.iter().zip(&self.counts).map(score).collect();
        let best = scores.iter().copied().fold(0.0, f64::max);
        // A semantic match may share no word with the query, and its similarity is not on the
        // scale of the scores. It ranks with the best section by words, or alone if none
        // matches, so that neither order hides the first of the other.
        let as_good = if best > 0.0 { best } else { 1.0 };
        for (section, score) in self.sections.iter().zip(&mut scores) {
            if self.is_semantic_match(&section.span) {
                *score = as_good;
            }
        }
        let scored = scores.into_iter().enumerate();
        scored
            .filter(|(_, score)| *score > 0.0 && *score >= scorer.least(best))
            .map(|(item, score)| Scored { score, item })
            .collect()
    }

    /// Splits a section into parts that each fit `room` tokens, and returns their spans with
    /// scores: those of the parts that are relevant beside the section, whose score is `whole`, or
    /// else of the best parts; 0 for the others.
    pub(crate) fn scored_parts(
        &self,
        section: usize,
        whole: f64,
        room: u32,
        scorer: &Scorer<'_>,
    ) -> Vec<Scored<Range<usize>>> {
        let Section { span, path, .. } = &self.sections[section];
        let text = &self.text[span.clone()];
        let tally = self.counts[section].tally.as_ref();
        // The words were counted with those of the section, and need not be counted again.
        let tallied_score = |inside: &Range<usize>| match scorer {
            Scorer::Ranked(query, ranking) => {
                let counts = Counts::from_tally(query, tally?, text, inside.clone(), path)?;
                Some(counts.score(ranking))
            }
            Scorer::Density(_) => None,
        };
        let score = |inside: Range<usize>| Scored {
            score: if self.is_semantic_match(&(span.start + inside.start..span.start + inside.end))
            {
                whole
            } else {
                tallied_score(&inside).unwrap_or_else(|| scorer.score(&text[inside.clone()], path))
            },
            item: inside,
        };
        let spans = parts(text, Unit::Tokens, PART_TOKENS.min(room), room).into_iter();
        let mut scored: Vec<Scored<Range<usize>>> = spans.map(score).collect();
        let best = scored.iter().map(|part| part.score).fold(whole, f64::max);
        let least = scorer.least(best);
        // The parts of a section that only repeat a common word are left out, as sections are.
        // But the words of the query may be far apart in a long section, so that no part is as
        // relevant as the whole. Then all parts compete: otherwise the section would be left out
        // although it matches.
        if scored.iter().any(|part| part.score >= least) {
            for part in scored.iter_mut().filter(|part| part.score < least) {
                part.score = 0.0;
            }
        }
        scored
    }

    /// Returns the heading of a section as written.
    pub(crate) fn heading(&self, section: &Section) -> String {
        if section.level == 0 {
            return String::new();
        }
        let written = heading_source(&self.text[section.span.clone()]);
        let heading = written.map_or_else(|| section.heading.clone(), one_line);
        format!("{} {heading}", "#".repeat(section.level.into()))
    }
}

/// Returns the start of the best part, of about `chars` characters, of a section: the first among
/// equals, or the start of a section that is no longer.
fn best_part(
    text: &str,
    scorer: &Scorer<'_>,
    path: &[String],
    chars: usize,
    time_budget: &mut TimeBudget<'_>,
) -> usize {
    let length = text.chars().count();
    if length <= chars {
        return 0;
    }
    let mut best: Option<(f64, usize)> = None;
    let mut offset = 0;
    for slice in slices(text, PARTED_BYTES) {
        // Parts are measured in tokens: the average tokens of `chars` characters here. Exact:
        // lengths are far below 2^53, and the cast truncates to whole tokens.
        let tokens = f64::from(estimate(slice)) * chars as f64 / slice.chars().count() as f64;
        let target = (tokens as u32).max(LEAST_PART_TOKENS);
        // Each is scored once, so the iterator need not be reversed.
        for span in parts(slice, Unit::Tokens, target, target) {
            let score = scorer.score(&slice[span.clone()], path);
            if best.is_none_or(|(greatest, _)| score > greatest) {
                best = Some((score, offset + span.start));
            }
        }
        offset += slice.len();
        if time_budget.is_over_after(slice.len()) {
            break;
        }
    }
    best.map_or(0, |(_, start)| start)
}

/// Sections of a document that are read again to find the best: a section with a much lower score
/// by its words alone is not the relevant one.
const SECTIONS_READ_AGAIN: usize = 8;

/// Minimum tokens of parts that are compared to find the best one.
const LEAST_PART_TOKENS: u32 = 30;

/// Minimum bytes of a section whose terms are tallied by line: a section of this length is likely
/// to be split, and tallying costs a little in all others.
const TALLIED_BYTES: usize = 32_000;

/// Bytes of a section whose parts are split and compared in one go: some milliseconds.
const PARTED_BYTES: usize = 256 << 10;
