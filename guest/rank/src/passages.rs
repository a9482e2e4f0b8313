//! Passages: the sections of a document, long ones in parts, each with what it costs in an answer
//! and how relevant it is.
//!
//! A document's sections are counted once for a question, and scored when the collection is known
//! that they stand in. Which of them an answer shows is decided in [`crate::pages`].

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::bm25::{Collection, Query, Ranking};
use crate::cliff::is_near;
use crate::closeness::{ReadDocument, SecondStage, TextKind};
use crate::density::QueryWords;
use crate::limits::{PART_TOKENS, RELEVANT_THOUSANDTHS};
use crate::select::Scored;
use crate::statistics::weight;
use crate::tally::Tally;
use docent_document::headings::anchor::written_heading;
use docent_document::headings::heading::one_line;
use docent_document::parts::{Unit, parts};
use docent_document::sections::{Section, sections};
use docent_text::lines::slices;
use docent_text::patience::Pace;
use docent_text::tokens::estimate::estimate;

/// A document whose sections are counted for a question.
pub struct ScoredDocument<'a> {
    text: &'a str,
    sections: Vec<Section>,
    /// Of each section.
    counts: Vec<SectionCounts>,
    /// What an embedder takes for nearest to the question; empty where none was asked.
    meant: Range<usize>,
}

/// What a section holds of a query.
struct SectionCounts {
    own: Counts,
    /// The same line by line, where it may come in parts.
    tally: Option<Tally>,
}

/// What a section or a part of one holds of a query.
pub(crate) struct Counts {
    /// What each term counts, in quarters, those of the headings above included.
    pub(crate) terms: Vec<u32>,
    /// Its length in words.
    pub(crate) length: u32,
    /// It holds a term itself. Headings above make such a text weigh more; where they alone hold
    /// one, all that stands below them would.
    has_term: bool,
}

/// How relevance is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relevance {
    /// By [`crate::bm25`], the ranked score.
    Bm25,
    /// By the density score: how thick the query's words stand.
    Density,
}

/// Which part of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// From 1.
    pub number: u32,
    /// How many there are.
    pub parts: u32,
}

/// The best passage of a document.
#[derive(Clone, Copy, Debug)]
pub struct BestPassage<'a> {
    /// The section.
    pub section: &'a Section,
    /// Where its best part begins, in bytes of the document.
    pub start: usize,
    /// The section's score.
    pub score: f64,
}

/// What a query asks for, and by which measure.
pub struct Question {
    /// Its terms.
    pub query: Query,
    words: QueryWords,
    relevance: Relevance,
}

/// The measure of the sections of one collection.
pub enum Scorer<'a> {
    /// The ranked score.
    Ranked(&'a Query, Ranking),
    /// The density score.
    Density(&'a QueryWords),
}

impl Question {
    /// Returns the question that `text` asks.
    pub fn new(text: &str, relevance: Option<Relevance>) -> Self {
        Self {
            query: Query::new(text),
            words: QueryWords::new(text),
            relevance: relevance.unwrap_or(Relevance::Bm25),
        }
    }

    /// Returns the scorer of sections in texts of which `collection` tells, and which are
    /// `mean_length` words long on average.
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
    /// Returns how relevant a text is with these headings above it.
    pub(crate) fn score(&self, text: &str, heading_path: &[String]) -> f64 {
        match self {
            Self::Ranked(query, ranking) => {
                let pace = &mut Pace::endless();
                Counts::of_text(query, text, heading_path, pace).score(ranking)
            }
            Self::Density(words) if !words.stand_in(text) => 0.0,
            Self::Density(words) => words.score(text, heading_path, &code(text)),
        }
    }

    /// Returns the least score that counts as relevant beside one of `best`.
    fn least(&self, best: f64) -> f64 {
        match self {
            // The density score of what is not about it is 0 already.
            Self::Ranked(..) => best * f64::from(RELEVANT_THOUSANDTHS) / 1000.0,
            Self::Density(_) => 0.0,
        }
    }
}

impl Counts {
    /// Returns what a section's text and the headings above it hold of a query, as far as there is
    /// time.
    pub(crate) fn of_text(
        query: &Query,
        text: &str,
        heading_path: &[String],
        pace: &mut Pace<'_>,
    ) -> Self {
        let mut terms = vec![0; query.counted()];
        let length = query.count_text(text, &mut terms, pace);
        Self::new(query, terms, length, heading_path)
    }

    /// Returns the same of the lines of a text in `inside`, as far as their tally tells it.
    fn of_tally(
        query: &Query,
        tally: &Tally,
        text: &str,
        inside: Range<usize>,
        heading_path: &[String],
    ) -> Option<Self> {
        let mut terms = vec![0; query.counted()];
        let length = tally.count(text, inside, &mut terms)?;
        Some(Self::new(query, terms, length, heading_path))
    }

    /// Adds what the headings above hold to the terms of a text. The last one stands in the text,
    /// where it counts as a heading.
    fn new(query: &Query, mut terms: Vec<u32>, length: u32, heading_path: &[String]) -> Self {
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

/// Returns the code of a Markdown text: blocks and spans, one on a line.
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
    /// Returns the document of this file name and text, counted for a question.
    pub fn new(name: &str, text: &'a str, question: &Question) -> Self {
        Self::counted(name, text, question, &mut Pace::endless())
    }

    /// Returns the same of a text that may be long; none when the time is over.
    pub fn within(
        name: &str,
        text: &'a str,
        question: &Question,
        pace: &mut Pace<'_>,
    ) -> Option<Self> {
        let document = Self::counted(name, text, question, pace);
        (!pace.is_over()).then_some(document)
    }

    /// Returns the document, as much of it counted as there is time for.
    fn counted(name: &str, text: &'a str, question: &Question, pace: &mut Pace<'_>) -> Self {
        Self::counted_by(text, sections(name, text), question, pace)
    }

    /// Returns the document of a text of which these sections, in order, are looked at.
    pub fn of_sections(text: &'a str, sections: Vec<Section>, question: &Question) -> Self {
        Self::counted_by(text, sections, question, &mut Pace::endless())
    }

    fn counted_by(
        text: &'a str,
        sections: Vec<Section>,
        question: &Question,
        pace: &mut Pace<'_>,
    ) -> Self {
        let query = &question.query;
        let count = |section: &Section| {
            let text = &text[section.span.clone()];
            let tally = (text.len() >= TALLIED_BYTES).then(|| Tally::new(query, text, pace));
            let own = match &tally {
                Some(tally) => Counts::of_tally(query, tally, text, 0..text.len(), &section.path),
                None => None,
            }
            .unwrap_or_else(|| Counts::of_text(query, text, &section.path, pace));
            SectionCounts { own, tally }
        };
        let counts = sections.iter().map(count).collect();
        Self {
            text,
            sections,
            counts,
            meant: 0..0,
        }
    }

    /// Says which of its text answers by meaning, whatever its words.
    #[must_use]
    pub fn with_meant(mut self, meant: Range<usize>) -> Self {
        self.meant = meant;
        self
    }

    /// Whether some of a span answers by meaning.
    fn is_meant(&self, span: &Range<usize>) -> bool {
        span.start < self.meant.end && self.meant.start < span.end
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

    /// Returns the section that is most relevant, and its most relevant part: of a section that is
    /// longer than `chars` characters parts of about that length are compared, as far as there is
    /// time. None where no section holds anything of the query.
    pub fn best(
        &self,
        scorer: &Scorer<'_>,
        chars: usize,
        pace: &mut Pace<'_>,
    ) -> Option<BestPassage<'_>> {
        let best = self.best_section(scorer, pace)?;
        let section = &self.sections[best.item];
        let text = &self.text[section.span.clone()];
        let start = best_part(text, scorer, &section.path, chars, pace);
        Some(BestPassage {
            section,
            start: section.span.start + start,
            score: best.score,
        })
    }

    /// Returns the index of the section that is most relevant, with its score, as far as there is
    /// time.
    pub(crate) fn best_section(
        &self,
        scorer: &Scorer<'_>,
        pace: &mut Pace<'_>,
    ) -> Option<Scored<usize>> {
        let mut relevant = self.relevant(scorer);
        self.read_again(&mut relevant, scorer, pace);
        // From the end: the first of equals is wanted, and `max_by` takes the last.
        relevant
            .into_iter()
            .rev()
            .max_by(|a, b| a.score.total_cmp(&b.score))
    }

    /// Returns the sections that answer nearly as well as `best`, the best of them, without that, best
    /// first, as far as there is time.
    pub fn near_best(
        &self,
        scorer: &Scorer<'_>,
        best: &Section,
        pace: &mut Pace<'_>,
    ) -> Vec<&Section> {
        let mut relevant = self.relevant(scorer);
        self.read_again(&mut relevant, scorer, pace);
        // Stable: of equals the first.
        relevant.sort_by(|a, b| b.score.total_cmp(&a.score));
        let most = relevant.first().map_or(0.0, |first| first.score);
        let near = relevant.iter().take_while(|one| is_near(one.score, most));
        let sections = near.map(|one| &self.sections[one.item]);
        sections
            .filter(|section| section.span != best.span)
            .collect()
    }

    /// Gives the best sections the scores of the second stage, in which words that stand together,
    /// headings that are the query and symbols count, as far as there is time.
    fn read_again(&self, relevant: &mut [Scored<usize>], scorer: &Scorer<'_>, pace: &mut Pace<'_>) {
        let Scorer::Ranked(query, ranking) = scorer else {
            return;
        };
        let second_stage = SecondStage::new(query, ranking, TextKind::Document);
        let mut best: Vec<usize> = (0..relevant.len()).collect();
        best.sort_by(|&a, &b| relevant[b].score.total_cmp(&relevant[a].score));
        for index in best.into_iter().take(SECTIONS_READ_AGAIN) {
            let section = relevant[index].item;
            let document = ReadDocument {
                path: "",
                text: &self.text[self.sections[section].span.clone()],
                length: self.counts[section].own.length,
                passages: None,
                score: relevant[index].score,
            };
            match second_stage.score(document, pace) {
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
        // It comes with the best by words; where there is none, it is the best.
        let as_good = if best > 0.0 { best } else { 1.0 };
        for (section, score) in self.sections.iter().zip(&mut scores) {
            if self.is_meant(&section.span) {
                *score = as_good;
            }
        }
        let scored = scores.into_iter().enumerate();
        scored
            .filter(|(_, score)| *score > 0.0 && *score >= scorer.least(best))
            .map(|(item, score)| Scored { score, item })
            .collect()
    }

    /// Returns the spans, within a section, of parts that each fit `room` tokens, with the scores of
    /// those that are relevant beside the section, which has the score `whole`, or the best of them;
    /// 0 for the others.
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
        // The words were counted with the section's: they need not be gone through again.
        let tallied_score = |inside: &Range<usize>| match scorer {
            Scorer::Ranked(query, ranking) => {
                let counts = Counts::of_tally(query, tally?, text, inside.clone(), path)?;
                Some(counts.score(ranking))
            }
            Scorer::Density(_) => None,
        };
        let score = |inside: Range<usize>| Scored {
            score: if self.is_meant(&(span.start + inside.start..span.start + inside.end)) {
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
        // Where the words stand far apart, no part is as relevant as the whole: then all compete.
        if scored.iter().any(|part| part.score >= least) {
            for part in scored.iter_mut().filter(|part| part.score < least) {
                part.score = 0.0;
            }
        }
        scored
    }

    /// Returns a section's heading as it is written.
    pub(crate) fn heading(&self, section: &Section) -> String {
        if section.level == 0 {
            return String::new();
        }
        let written = written_heading(&self.text[section.span.clone()]);
        let heading = written.map_or_else(|| section.heading.clone(), one_line);
        format!("{} {heading}", "#".repeat(section.level.into()))
    }
}

/// Returns where the best part of a section begins, of about `chars` characters: the first of
/// equals, and its beginning where it is no longer than that.
fn best_part(
    text: &str,
    scorer: &Scorer<'_>,
    path: &[String],
    chars: usize,
    pace: &mut Pace<'_>,
) -> usize {
    let length = text.chars().count();
    if length <= chars {
        return 0;
    }
    let mut best: Option<(f64, usize)> = None;
    let mut offset = 0;
    for slice in slices(text, PARTED_BYTES) {
        // Parts are cut by tokens: so many as `chars` characters have here on average.
        // Exact: lengths are far below 2^53, and the cast cuts to whole tokens.
        let tokens = f64::from(estimate(slice)) * chars as f64 / slice.chars().count() as f64;
        let target = (tokens as u32).max(LEAST_PART_TOKENS);
        // Each is scored once, so that nothing can be gone through backwards.
        for span in parts(slice, Unit::Tokens, target, target) {
            let score = scorer.score(&slice[span.clone()], path);
            if best.is_none_or(|(greatest, _)| score > greatest) {
                best = Some((score, offset + span.start));
            }
        }
        offset += slice.len();
        if pace.is_over_after(slice.len()) {
            break;
        }
    }
    best.map_or(0, |(_, start)| start)
}

/// Sections of a document that are read again to find the best: what is far behind by its words
/// alone is not what was meant.
const SECTIONS_READ_AGAIN: usize = 8;

/// Tokens that parts have at least which are compared to find the best one.
const LEAST_PART_TOKENS: u32 = 30;

/// Bytes from which on a section's lines are told apart when its words are counted: one of so many
/// likely comes in parts, and to tell lines apart costs a little in all others.
const TALLIED_BYTES: usize = 32_000;

/// Bytes of a section whose parts are cut and compared in one go: some milliseconds.
const PARTED_BYTES: usize = 256 << 10;
