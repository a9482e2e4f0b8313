//! Hybrid order of the documents, lexical and semantic, if an embedder is configured; as in
//! `smart-search`, but for whole documents only. An identifier is matched as written, so a query
//! that names one is ranked lexically, and so are code and data.

use std::borrow::Cow;

use docent_api::pillars::Degradation;
use docent_api::sections::SmartMode;

use crate::explore::request::ExploreRequest;
use crate::explore::request::deadline::Deadline;
use crate::explore::request::kinds::FileKind;
use crate::explore::request::subject::Subject;
use crate::explore::selection::call_documents::CallDocuments;
use crate::explore::selection::candidate::{Candidate, CandidateKind};
use crate::explore::selection::matches::GroupMatches;
use crate::explore::selection::search::Retain;
use crate::paths::path_lookup::PathLookup;
use crate::semantic::ranker::{LexicalMatches, SearchScope, SemanticRanker};
use crate::semantic::read_text::{DocumentReader, ReadText};
use docent_corpus::corpus::Corpus;
use docent_rank::bm25::Collection;
use docent_rank::embedder::Failure;
use docent_rank::passages::Question;
use docent_text::words::identifier;
use docent_tree::disk::Disk;
use docent_tree::path::RelPath;

/// Ranking mode of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOrder {
    /// Any that is available: nothing of the list was shown yet.
    First,
    /// Lexical, as on the earlier pages.
    Lexical,
    /// Semantic as well, with the knowledge of the embedder at that time.
    Moment(u64),
}

impl ListOrder {
    /// Returns the ranking mode of the earlier pages.
    pub fn before(moment: Option<u64>) -> Self {
        moment.map_or(Self::Lexical, Self::Moment)
    }
}

/// Semantic ranking of the documents, if it is available.
pub struct SemanticReranker {
    ranker: Option<SemanticRanker>,
    order: ListOrder,
    /// Reasons for which its result is incomplete.
    pub reasons: Vec<Degradation>,
    /// Description of the documents that are not embedded yet.
    pub unknown: Option<String>,
}

impl SemanticReranker {
    /// Returns the semantic ranking of the answers to a question, if it is available.
    pub fn new<D: Disk>(
        corpus: &Corpus<D>,
        subject: &Subject,
        question: &Question,
        order: ListOrder,
        deadline: &Deadline,
    ) -> Self {
        let mut this = Self {
            ranker: None,
            order,
            reasons: Vec::new(),
            unknown: None,
        };
        let query = subject.query.as_deref().unwrap_or_default();
        let has_say = order != ListOrder::Lexical
            && subject.kinds.has(FileKind::Document)
            && !question.query.is_symbols()
            && identifier::find(query).is_none()
            && identifier::parse_lone(query).is_none();
        if has_say {
            match SemanticRanker::for_call(corpus, SmartMode::Auto, deadline.end()) {
                Ok(ranker) => this.ranker = Some(ranker).filter(SemanticRanker::has_weight),
                Err(failure) => this.fail(failure),
            }
            deadline.begin_scan(&corpus.disk);
        }
        this
    }

    /// Returns the files that must be kept for it.
    pub fn retain(&self) -> Retain {
        match self.ranker {
            Some(_) => Retain::Documents,
            None => Retain::Matches,
        }
    }

    /// Puts the documents of the lexical search into the hybrid order, and adds semantic matches
    /// from `all`; `documents` are those that the lexical search has read. Returns the number of
    /// vectors that the embedder knew, or `None` if the order is lexical.
    pub fn reorder<D: Disk>(
        &mut self,
        corpus: &mut Corpus<D>,
        request: &ExploreRequest,
        question: &Question,
        (all, documents): (&GroupMatches, &CallDocuments),
        docs: &mut Vec<Candidate>,
    ) -> Option<u64> {
        let ranker = self.ranker.as_ref()?;
        let subject = &request.subject;
        let path = match &subject.paths[..] {
            [path] => path.whole().cloned().unwrap_or_default(),
            _ => RelPath::default(),
        };
        let scope = SearchScope {
            root: request.root,
            root_name: &subject.root,
            path: &path,
            query: subject.query.as_deref().unwrap_or_default(),
            question,
        };
        let moment = match self.order {
            ListOrder::Moment(moment) => Some(moment),
            ListOrder::First | ListOrder::Lexical => None,
        };
        let mut found = LexicalCandidates {
            lexical: docs.len(),
            candidates: docs.clone(),
            all,
            documents,
        };
        let ranked = match ranker.rank(corpus, &scope, &mut found, moment) {
            Ok(ranked) => ranked,
            Err(failure) => {
                self.fail(failure);
                return None;
            }
        };
        // Scores of the semantic order cannot be compared with those of code and data. Each
        // place of the new order takes the score that this place had in the lexical order, so
        // the best document ranks beside code where the lexically best one did.
        let scores: Vec<f64> = docs.iter().filter_map(|one| one.score).collect();
        let last = scores.last().copied().unwrap_or(1.0);
        let documents = ranked.documents.iter().enumerate();
        *docs = documents
            .map(|(place, hit)| Candidate {
                score: Some(
                    scores
                        .get(place)
                        .copied()
                        .unwrap_or_else(|| hit.score.min(last)),
                ),
                semantic: hit.span.clone(),
                ..found.candidates[hit.number].clone()
            })
            .collect();
        if ranked.missing.is_some() {
            self.reasons.push(Degradation::SemanticIncomplete);
        }
        self.unknown = ranked.unknown.filter(|unknown| !unknown.is_empty());
        if self.unknown.is_some() {
            self.reasons.push(Degradation::SemanticUnknown);
        }
        Some(ranked.start.moment)
    }

    fn fail(&mut self, failure: Failure) {
        // A person who has configured no embedder does not expect one, so its absence is not
        // reported.
        if failure != Failure::NoneConfigured {
            self.reasons.push(Degradation::SemanticUnavailable);
        }
    }
}

/// The documents of a search, for the semantic order.
struct LexicalCandidates<'a> {
    /// Number of candidates found lexically.
    lexical: usize,
    candidates: Vec<Candidate>,
    all: &'a GroupMatches,
    documents: &'a CallDocuments,
}

impl<D: Disk> LexicalMatches<D> for LexicalCandidates<'_> {
    fn lexical(&self) -> Vec<usize> {
        (0..self.lexical).collect()
    }

    fn path(&self, number: usize) -> &str {
        &self.candidates[number].path
    }

    fn collection(&self) -> &Collection {
        &self.all.collection
    }

    fn read<'a>(
        &'a self,
        reader: &mut DocumentReader<'_, D>,
        number: usize,
    ) -> Option<Cow<'a, ReadText>> {
        let candidate = &self.candidates[number];
        let is_document = candidate.kind == CandidateKind::File(FileKind::Document);
        if !is_document || candidate.part.is_some() {
            return None;
        }
        if let Some(known) = self.documents.find(&candidate.path) {
            return reader.decode(&known).map(Cow::Owned);
        }
        let path = RelPath::parse(&candidate.path).ok()?;
        reader.document(&path).map(Cow::Owned)
    }

    fn visited_documents(&self) -> Vec<(&str, u64)> {
        self.all.documents()
    }

    fn find(&mut self, mut lookup: PathLookup<Vec<usize>>) -> Vec<(usize, Vec<usize>)> {
        let mut found = Vec::new();
        for (number, candidate) in self.candidates.iter().enumerate() {
            if let Some(indices) = lookup.take(&candidate.path) {
                found.push((number, indices));
            }
        }
        for (candidate, indices) in self.all.find(lookup) {
            found.push((self.candidates.len(), indices));
            self.candidates.push(candidate);
        }
        found
    }
}
