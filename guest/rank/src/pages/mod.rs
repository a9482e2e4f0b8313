//! Pages: the passages of documents that an answer shows within its budget, and those left for
//! later ones.
//!
//! From the documents that answer nearly as well as the best, the best sections are taken as long
//! as they fit; a section that exceeds the whole budget is split into parts, which compete in its
//! place. A later page is taken from the remaining passages in the same way, so that all pages
//! together contain each passage once. A page is identified by the number of pages before it.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::bm25::rounded_score;
use crate::cutoff::is_near;
use crate::fences::fences;
use crate::limits::{
    PART_NAME_TOKENS, PASSAGE_TOKENS, SAME_COMPARED, SAME_FRAME_TOKENS, SAME_PLACE_TOKENS,
    SAME_PLACES,
};
use crate::passage_markdown::{body, heading_line, passage_tokens};
use crate::passages::{Part, ScoredDocument, Scorer};
use crate::select::{Cost, Scored, Selection, select};
use crate::shingles::Shingles;
use docent_text::digest::{combine, digest};
use docent_text::lines::LineCounter;
use docent_text::saturating::saturating_u32;
use docent_text::sort::sort_by_key;
use docent_text::tokens::counter::PieceCache;
use docent_text::tokens::estimate::tokens_from_parts;

/// A document with its scores and costs for paging.
pub struct PagedDocument<'a> {
    /// The document.
    pub document: &'a ScoredDocument<'a>,
    /// Relevance of the document.
    pub score: f64,
    /// Tokens of the line above its first passage on a page.
    pub heading: u32,
    /// Tokens of its path, when it is named as another place of the same text.
    pub path: u32,
    /// Tokens reserved on the first page to name it, released once it is shown.
    pub named: u32,
}

/// The documents that contribute text to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageScope {
    /// Those that answer nearly as well as the best one with passages left.
    Near,
    /// All of them.
    All,
}

/// The passages of documents, page by page.
pub struct Pages<'a> {
    /// Documents, best first.
    documents: Vec<PagedDocument<'a>>,
    scorer: &'a Scorer<'a>,
    scope: PageScope,
    /// Remaining passages of each document, in its order.
    left: Vec<Vec<Scored<PagePassage>>>,
    /// Factor of each document's section scores: its best section then has the score of the
    /// document, and precedes a much worse section of a better document.
    weights: Vec<f64>,
    given: Vec<GivenSection>,
    /// Number of pages made.
    made: u32,
    /// Digest of their contents.
    digest: u64,
    /// Parts of long sections, by document and section: a page is filled up to three times, and
    /// splitting a section takes as long as counting it.
    parts: BTreeMap<(usize, usize), Vec<Scored<CompetingPassage>>>,
    /// Budget for which parts are split: the smallest of those for which a page is filled.
    part_budget: u32,
    /// Token counts of passage bodies, by document and byte range, cached for the same reason.
    bodies: BTreeMap<(usize, usize, usize), BodyCount>,
    pieces: PieceCache,
}

/// The token parts of a passage body, as far as they are known.
#[derive(Clone, Copy)]
enum BodyCount {
    All(u64),
    /// More than this number of tokens.
    Exceeds(u32),
}

/// A page.
#[derive(Debug)]
pub struct Page {
    /// Passages by document, best document first, and in the order of each.
    pub passages: Vec<AnswerPassage>,
    /// Tokens of the passages and the lines above those of each document.
    pub used: u32,
    /// True if passages are left for a later page.
    pub has_more: bool,
    /// True if it left room to name the next call.
    pub names_next: bool,
}

/// A section, or a part of a long one, as an answer contains it.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerPassage {
    /// Index of its document.
    pub document: usize,
    /// Heading as written, `## Configuration`; empty if there is none.
    pub heading: String,
    /// Level of the heading, 1 to 6; 0 if there is none.
    pub level: u8,
    /// Plain text of the headings from the outermost one to its own.
    pub heading_path: Vec<String>,
    /// Slug of the heading, unique in the document; empty if there is none.
    pub id: String,
    /// Index of the section in the document, from 0.
    pub position: u32,
    /// First line, 1-based.
    pub first_line: u32,
    /// Last line, 1-based.
    pub last_line: u32,
    /// Estimated tokens of `content`.
    pub tokens: u32,
    /// Relevance, 0 to 1, rounded to four digits.
    pub score: f64,
    /// Text as in the document, including the heading.
    pub content: String,
    /// Part of the section; `None` for a whole one.
    pub part: Option<Part>,
    /// Other places of the same text, or nearly the same.
    pub same: Vec<Place>,
}

/// A place in one of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the document.
    pub document: usize,
    /// First line, 1-based.
    pub first_line: u32,
    /// Last line, 1-based.
    pub last_line: u32,
}

/// A section or a part of one.
#[derive(Clone)]
struct PagePassage {
    section: usize,
    span: Range<usize>,
    lines: (u32, u32),
    /// `None` for a whole section.
    part: Option<Part>,
}

/// A passage with its document and its own score, as it competes with those of others.
#[derive(Clone)]
struct CompetingPassage {
    document: usize,
    score: f64,
    passage: PagePassage,
}

/// A whole section that was given.
struct GivenSection {
    bytes: usize,
    shingles: Shingles,
    /// Its index among the passages taken on this page; `None` if given on an earlier one.
    taken: Option<usize>,
}

impl<'a> Pages<'a> {
    /// Creates the pages of documents, which are given best first.
    pub fn new(
        documents: Vec<PagedDocument<'a>>,
        scorer: &'a Scorer<'a>,
        scope: PageScope,
    ) -> Self {
        let left = documents.iter();
        let left: Vec<_> = left.map(|paged| relevant(paged.document, scorer)).collect();
        let weight = |(paged, left): (&PagedDocument<'_>, &Vec<Scored<PagePassage>>)| {
            let best = left
                .iter()
                .map(|one| one.score)
                .fold(f64::EPSILON, f64::max);
            // A document without a matching section is paged all the same.
            paged.score.max(f64::EPSILON) / best
        };
        Self {
            weights: documents.iter().zip(&left).map(weight).collect(),
            left,
            documents,
            scorer,
            scope,
            given: Vec::new(),
            made: 0,
            digest: 0,
            parts: BTreeMap::new(),
            part_budget: 0,
            bodies: BTreeMap::new(),
            pieces: PieceCache::default(),
        }
    }

    /// Returns the next page within `whole` tokens, if it is the last one and nothing else follows
    /// (`has_more`); else within `cut`, which leaves room to name the next call. If no passage fits
    /// `cut`, the page is filled within `last`, which leaves room to say that more is left.
    pub fn page(&mut self, whole: u32, cut: u32, last: u32, has_more: bool) -> Page {
        let (left, given, made) = (self.left.clone(), self.given.len(), self.made);
        let digest = self.digest;
        self.part_budget = part_budget(whole, cut);
        let page = self.fill(whole);
        if !page.has_more && !has_more {
            return page;
        }
        // The page did not turn out to be the last one, so it must end with the name of the next
        // call, for which `cut` leaves room. Everything that filling has changed is restored
        // first: passages that the first attempt took would otherwise be on no page.
        self.left.clone_from(&left);
        self.given.truncate(given);
        (self.made, self.digest) = (made, digest);
        let mut shorter = self.fill(cut);
        shorter.names_next = true;
        if !shorter.passages.is_empty() || page.passages.is_empty() {
            return shorter;
        }
        // Within `cut` no passage fits, and within `whole` one does. A page without text that
        // only names the next call would be followed by the same page again, so the room of the
        // name is given to the text.
        self.left = left;
        self.given.truncate(given);
        (self.made, self.digest) = (made, digest);
        self.fill(last)
    }

    /// Makes a page that is not the last one again, to advance past it.
    pub fn pass(&mut self, whole: u32, cut: u32) {
        self.part_budget = part_budget(whole, cut);
        self.fill(cut);
    }

    /// Returns the digest of the contents of all pages made.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    fn fill(&mut self, budget: u32) -> Page {
        let candidates = self.candidates();
        let mut filling = PageBuilder {
            pages: self,
            budget,
            taken: 0,
            compared: 0,
            same: Vec::new(),
            opened: Vec::new(),
        };
        filling.opened.resize(filling.pages.documents.len(), false);
        let selection = select(candidates, budget, PASSAGE_TOKENS, |candidate, left| {
            filling.cost(candidate, left)
        });
        let PageBuilder { same, opened, .. } = filling;
        // The reservation of a document's name is used, not left, once the document is shown.
        let set_aside = |index: &usize| {
            self.documents[*index]
                .named
                .min(self.documents[*index].heading)
        };
        let shown = (0..opened.len()).filter(|index| opened[*index] && self.made == 0);
        let used = selection.used + shown.map(|index| set_aside(&index)).sum::<u32>();
        let Selection { taken, rest, .. } = selection;
        for Scored { item, .. } in rest {
            let (score, item, document) = (item.score, item.passage, item.document);
            self.left[document].push(Scored { score, item });
        }
        for given in &mut self.given {
            given.taken = None;
        }
        let mut passages: Vec<(CompetingPassage, Vec<Place>)> = taken
            .into_iter()
            .map(|(scored, _)| scored.item)
            .zip(same)
            .collect();
        sort_by_key(&mut passages, |(one, _)| {
            (one.document, one.passage.span.start)
        });
        let passages: Vec<AnswerPassage> = passages
            .into_iter()
            .map(|(candidate, same)| self.answer_passage(&candidate, same))
            .collect();
        self.made += 1;
        self.digest = passages.iter().fold(self.digest, |hash, passage| {
            let place = combine(
                hash,
                (u64::from(passage.first_line) << 32) | passage.document as u64,
            );
            combine(place, digest(passage.content.as_bytes()))
        });
        Page {
            passages,
            used,
            has_more: self.left.iter().any(|left| !left.is_empty()),
            names_next: false,
        }
    }

    /// Takes the remaining passages of the documents that contribute text to the next page.
    fn candidates(&mut self) -> Vec<Scored<CompetingPassage>> {
        let scores = self.documents.iter().map(|paged| paged.score);
        let with_more = scores.zip(&self.left).filter(|(_, left)| !left.is_empty());
        let best = with_more.map(|(score, _)| score).fold(0.0, f64::max);
        let mut candidates = Vec::new();
        for (document, (paged, left)) in self.documents.iter().zip(&mut self.left).enumerate() {
            if self.scope == PageScope::Near && !is_near(paged.score, best) {
                continue;
            }
            candidates.extend(left.drain(..).map(|Scored { score, item }| Scored {
                score: score * self.weights[document],
                item: CompetingPassage {
                    document,
                    score,
                    passage: item,
                },
            }));
        }
        candidates
    }

    /// Returns the token parts of a passage body, or `None` if it has more than `most` tokens.
    fn body_parts(
        &mut self,
        document: usize,
        passage: &PagePassage,
        body: &str,
        most: u32,
    ) -> Option<u64> {
        let key = (document, passage.span.start, passage.span.end);
        match self.bodies.get(&key) {
            Some(BodyCount::All(parts)) => {
                return Some(*parts).filter(|parts| tokens_from_parts(*parts) <= most);
            }
            Some(BodyCount::Exceeds(tokens)) if most <= *tokens => return None,
            _ => {}
        }
        let parts = self.pieces.count_within(body, most);
        let count = parts.map_or(BodyCount::Exceeds(most), BodyCount::All);
        self.bodies.insert(key, count);
        parts
    }

    fn answer_passage(&mut self, candidate: &CompetingPassage, same: Vec<Place>) -> AnswerPassage {
        let passage = &candidate.passage;
        let document = self.documents[candidate.document].document;
        let section = &document.sections()[passage.section];
        let content = &document.text()[passage.span.clone()];
        AnswerPassage {
            document: candidate.document,
            heading: document.heading(section),
            level: section.level,
            heading_path: section.path.clone(),
            id: section.id.clone(),
            position: saturating_u32(passage.section),
            first_line: passage.lines.0,
            last_line: passage.lines.1,
            tokens: tokens_from_parts(self.pieces.count_parts(content)),
            score: rounded_score(candidate.score),
            content: content.to_owned(),
            part: passage.part,
            same,
        }
    }
}

/// A page being filled.
struct PageBuilder<'p, 'a> {
    pages: &'p mut Pages<'a>,
    budget: u32,
    /// Number of passages taken.
    taken: usize,
    /// Number of sections compared with those given.
    compared: usize,
    /// Other places of the same text, for each passage taken.
    same: Vec<Vec<Place>>,
    /// For each document, true if it has a passage on this page.
    opened: Vec<bool>,
}

impl<'a> PageBuilder<'_, 'a> {
    /// Returns the cost of a candidate when its turn comes, and records it if it is taken.
    fn cost(&mut self, scored: &Scored<CompetingPassage>, left: u32) -> Cost<CompetingPassage> {
        let CompetingPassage {
            document, passage, ..
        } = &scored.item;
        let paged = &self.pages.documents[*document];
        let text: &'a ScoredDocument<'a> = paged.document;
        let section = &text.sections()[passage.section];
        let content = &text.text()[passage.span.clone()];
        let opening = match (self.opened[*document], self.pages.made) {
            (true, _) => 0,
            (false, 0) => paged.heading.saturating_sub(paged.named),
            (false, _) => paged.heading,
        };
        let (path, most_opening) = (paged.path, paged.heading);
        let begins_section = passage.part.is_none_or(|part| part.number == 1);
        let heading = begins_section.then(|| text.heading(section));
        let body = body(heading.as_deref().unwrap_or_default(), content);
        if passage.part.is_none()
            && let Some(given) = self.find_duplicate(body)
        {
            return self.add_same_place(given, &scored.item, path, left);
        }
        let line = heading_line(passage.lines, &section.path, passage.part);
        let room = left.saturating_sub(opening);
        if let Some(parts) = self.pages.body_parts(*document, passage, body, room) {
            let tokens = passage_tokens(&mut self.pages.pieces, &line, body, parts);
            if tokens <= room {
                self.take(&scored.item, body);
                return Cost::Fits(tokens + opening);
            }
        }
        // The tokens around the shortest possible body, a single character.
        let beside = passage_tokens(&mut self.pages.pieces, &line, ".", 1) + PART_NAME_TOKENS;
        let around = opening + beside;
        let room = self.budget.saturating_sub(around);
        // A section is only split if it exceeds the whole budget. If it merely exceeds the rest
        // of it, it is left for the next page, on which it fits. A text has at most as many
        // tokens as bytes, so one with few bytes need not be counted for that. A part is not
        // split again.
        if passage.part.is_some()
            || room == 0
            || content.len() <= room as usize
            || self.fits_budget(*document, passage, &line, body, opening)
        {
            return Cost::TooMuch;
        }
        let key = (*document, passage.section);
        if let Some(parts) = self.pages.parts.get(&key) {
            return Cost::Parts(parts.clone());
        }
        // A section is split in the same way on every path to it, even if the document is shown
        // already and its opening costs nothing. A page is identified by its number alone: a
        // later call makes all pages before it again, possibly without this one having been
        // filled twice. If parts had other ends then, text between two pages would be lost or
        // repeated.
        let around = most_opening + beside;
        let room = self.pages.part_budget.saturating_sub(around).max(1);
        // The fences are as long as the longest run of backticks in the section requires. If
        // they took more than half of the room, only few parts would contain such a run, so no
        // more than half is reserved for them.
        let room = room - fences(content).min(room / 2);
        // With so little room the parts would be single words. The section is left for a page
        // with more room instead.
        if room < PASSAGE_TOKENS {
            return Cost::TooMuch;
        }
        let parts = self.parts(&scored.item, room);
        self.pages.parts.insert(key, parts.clone());
        Cost::Parts(parts)
    }

    /// Returns true if a passage with its line and the opening of its document fits the whole
    /// budget.
    fn fits_budget(
        &mut self,
        document: usize,
        passage: &PagePassage,
        line: &str,
        body: &str,
        opening: u32,
    ) -> bool {
        let budget = self.budget;
        let parts = self.pages.body_parts(document, passage, body, budget);
        parts.is_some_and(|parts| {
            passage_tokens(&mut self.pages.pieces, line, body, parts) + opening <= budget
        })
    }

    /// Splits a section into parts.
    fn parts(&self, whole: &CompetingPassage, room: u32) -> Vec<Scored<CompetingPassage>> {
        let paged = &self.pages.documents[whole.document];
        let document = paged.document;
        let section = whole.passage.section;
        let Range { start, end } = whole.passage.span;
        let text = &document.text()[start..end];
        let mut lines = LineCounter::new(text);
        let parts = document.scored_parts(section, whole.score, room, self.pages.scorer);
        let number_of_parts = saturating_u32(parts.len());
        let candidate = |(number, part): (u32, Scored<Range<usize>>)| {
            let Scored { score, item } = part;
            let before = whole.passage.lines.0 - 1;
            let first = before + lines.line(item.start);
            let last = before + lines.line(item.end.saturating_sub(1));
            let passage = PagePassage {
                section,
                span: start + item.start..start + item.end,
                lines: (first, last),
                part: Some(Part {
                    number,
                    parts: number_of_parts,
                }),
            };
            Scored {
                score: score * self.pages.weights[whole.document],
                item: CompetingPassage {
                    document: whole.document,
                    score,
                    passage,
                },
            }
        };
        (1..).zip(parts).map(candidate).collect()
    }

    /// Returns the index of a given section with the same text.
    fn find_duplicate(&mut self, body: &str) -> Option<usize> {
        let bytes = body.len();
        // Compared only if equality is possible: most texts have other lengths.
        let is_like = |given: &GivenSection| {
            let (short, long) = (given.bytes.min(bytes), given.bytes.max(bytes));
            short * 10 >= long * 7
        };
        let is_comparable = !body.is_empty() && self.compared < SAME_COMPARED;
        if !is_comparable || !self.pages.given.iter().any(is_like) {
            return None;
        }
        self.compared += 1;
        let shingles = Shingles::new(body);
        let mut given = self.pages.given.iter();
        given.position(|given| is_like(given) && given.shingles.is_near(&shingles))
    }

    /// Adds another place to a text given on this page, if there is room to name it.
    fn add_same_place(
        &mut self,
        given: usize,
        candidate: &CompetingPassage,
        path: u32,
        left: u32,
    ) -> Cost<CompetingPassage> {
        let Some(taken) = self.pages.given[given].taken else {
            return Cost::Same(0);
        };
        let same = &mut self.same[taken];
        let tokens = match same.len() {
            0 => SAME_FRAME_TOKENS + SAME_PLACE_TOKENS + path,
            1..SAME_PLACES => SAME_PLACE_TOKENS + path,
            // Further places are only counted, and the frame has room for their number.
            _ => 0,
        };
        if tokens > left {
            return Cost::TooMuch;
        }
        let (first_line, last_line) = candidate.passage.lines;
        same.push(Place {
            document: candidate.document,
            first_line,
            last_line,
        });
        Cost::Same(tokens)
    }

    fn take(&mut self, candidate: &CompetingPassage, body: &str) {
        self.opened[candidate.document] = true;
        self.same.push(Vec::new());
        // A part is never compared: its neighbours in the section may well resemble it.
        if candidate.passage.part.is_none() && !body.is_empty() {
            self.pages.given.push(GivenSection {
                bytes: body.len(),
                shingles: Shingles::new(body),
                taken: Some(self.taken),
            });
        }
        self.taken += 1;
    }
}

/// Returns the budget for which parts are split on a page of these budgets: if next to nothing is
/// left beside the name of a call, text takes precedence.
fn part_budget(whole: u32, cut: u32) -> u32 {
    if cut < whole / 2 { whole } else { cut }
}

/// Returns the relevant sections of a document, in order.
fn relevant(document: &ScoredDocument<'_>, scorer: &Scorer<'_>) -> Vec<Scored<PagePassage>> {
    // The counter moves forward only, as sections do.
    let mut lines = LineCounter::new(document.text());
    let passage = |Scored { score, item }: Scored<usize>| {
        let span = document.sections()[item].span.clone();
        let first = lines.line(span.start);
        let last = lines.line(span.end.saturating_sub(1));
        Scored {
            score,
            item: PagePassage {
                section: item,
                span,
                lines: (first, last),
                part: None,
            },
        }
    };
    let relevant = document.relevant(scorer);
    let is_empty = |one: &Scored<usize>| {
        let section = &document.sections()[one.item];
        let text = &document.text()[section.span.clone()];
        text.len() < EMPTY_BYTES && body(&document.heading(section), text).is_empty()
    };
    // A heading without text only repeats the headings of the sections below it.
    let has_text = relevant.iter().any(|one| !is_empty(one));
    let said = relevant
        .into_iter()
        .filter(|one| !has_text || !is_empty(one));
    said.map(passage).collect()
}

/// Bytes below which a section may be a heading alone; longer ones are not examined for that.
const EMPTY_BYTES: usize = 400;

#[cfg(test)]
mod tests;
