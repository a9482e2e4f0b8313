//! `smart-search`: the documents, and their sections, that answer a query.

use docent_api::sections::{
    Relevance, RelevantDocument, SmartMode, SmartSearchAnswer, SmartSearchOptions,
};
use docent_api::types::{Error, ErrorCode, SkipReason};

use crate::contract;
use crate::identifier_matches::IdentifierMatches;
use crate::limits::{
    DOCUMENT_FRAME_TOKENS, FRAME_TOKENS, IDENTIFIER_DOCUMENTS, SHARE_TOKENS, SKIPPED_FRAME_TOKENS,
    SMART_LIMIT, SMART_LIMIT_DEFAULT,
};
use crate::question::{question_text, refuse_wordless, token_budget};
use docent_corpus::corpus::Corpus;
use docent_corpus::visit::{Visit, term_counts_of};
use docent_corpus::walk::Walk;
use docent_document::headings;
use docent_rank::bm25::{Collection, Query, Ranking, rounded_score};
use docent_rank::closeness::{ReadDocument, SecondStage, TextKind};
use docent_rank::neighbours::{Placed, with_neighbours};
use docent_rank::passages::{AnswerPassage, Question, ScoredDocument, Scorer};
use docent_rank::statistics::Statistics;
use docent_rank::term_counts::TermCounts;
use docent_text::patience::Pace;
use docent_text::saturating::saturating_u32;
use docent_text::tokens::estimate::estimate;
use docent_tree::disk::{Directory, Disk, Metadata};
use docent_tree::error::{out_of_range, refuse};
use docent_tree::path::{RelPath, RelPathRef};

/// A request in valid form.
struct Request<'q> {
    query: &'q str,
    question: Question,
    path: RelPath,
    mode: SmartMode,
    /// Documents.
    limit: usize,
    max_tokens: u32,
}

/// The documents of a tree, as far as a query asks for them.
struct DocumentMatches<'a> {
    query: &'a Query,
    /// All documents, for it takes those that hold nothing to tell how rare a term is.
    collection: Collection,
    /// The documents that hold a term, in the order of their paths.
    documents: Vec<MatchedDocument>,
}

/// A document that holds a term of the query.
struct MatchedDocument {
    path: RelPath,
    /// Which one it is of all that were walked through.
    place: u32,
    length: u32,
    counts: Box<[u32]>,
    score: f64,
}

/// A document to answer from.
struct AnswerDocument {
    path: RelPath,
    name: String,
    text: Box<str>,
    score: f64,
}

/// The documents to answer from, and how many there would be without the limit.
struct DocumentChoice {
    documents: Vec<AnswerDocument>,
    total: usize,
}

/// What of a document is in the answer.
struct DocumentShare {
    passages: Vec<AnswerPassage>,
    /// Tokens that they take of the budget.
    used: u32,
}

/// Finds the documents that answer a query; see `wit/world.wit`.
///
/// # Errors
/// A request that cannot be met; never a document that cannot be read.
pub fn smart_search<D: Disk>(
    corpus: &mut Corpus<D>,
    query: String,
    options: Option<SmartSearchOptions>,
) -> Result<SmartSearchAnswer, Error> {
    let options = options.unwrap_or(NO_OPTIONS);
    let request = Request::parse(&query, &options)?;
    let question = &request.question;
    let root = corpus.choose_root(options.root.as_deref())?;
    corpus.store.begin_call();
    let mut matches = DocumentMatches {
        query: &question.query,
        collection: Collection::default(),
        documents: Vec::new(),
    };
    let skips = corpus.visit(root.index, &request.path, &mut matches)?;
    let ranking = matches.rank();
    let choice = matches.choose(corpus, root.index, &request, &ranking);
    let skipped = skips.finish();
    // Paid first: the budget is a promise for the whole answer, not for its sections alone.
    let frame = if skipped.count > 0 {
        FRAME_TOKENS + SKIPPED_FRAME_TOKENS
    } else {
        FRAME_TOKENS
    };
    let room = request.max_tokens.saturating_sub(frame);
    let (documents, left) = answer(&choice.documents, question, &matches.collection, room);
    let hint = documents.is_empty().then(|| NOTHING_FOUND.to_owned());
    // `auto` promises more than words where there is an embedder, and says that there is none.
    let is_degraded = request.mode == SmartMode::Auto;
    let reasons = is_degraded.then(|| "no embedder is configured".to_owned());
    Ok(SmartSearchAnswer {
        query: request.query.to_owned(),
        root: root.shown,
        mode: SmartMode::Keyword,
        model_info: None,
        degraded: is_degraded,
        reasons: reasons.into_iter().collect(),
        documents_found: saturating_u32(choice.total),
        tokens_used: request.max_tokens - left + hint.as_deref().map_or(0, estimate),
        hint,
        documents,
        max_tokens: request.max_tokens,
        skipped,
    })
}

impl<'q> Request<'q> {
    fn parse(query: &'q str, options: &SmartSearchOptions) -> Result<Self, Error> {
        let path = RelPath::parse_or_root(options.path.as_deref())?;
        let max_tokens = token_budget(options.max_tokens)?;
        let limit = options.limit.unwrap_or(SMART_LIMIT_DEFAULT);
        if !(SMART_LIMIT.0..=SMART_LIMIT.1).contains(&limit) {
            return Err(out_of_range("limit", limit, SMART_LIMIT));
        }
        let query = question_text(query)?;
        let question = Question::new(query, options.relevance.map(contract::relevance));
        refuse_wordless(query, &question)?;
        let mode = options.mode.unwrap_or(SmartMode::Auto);
        if mode == SmartMode::Semantic {
            return Err(refuse(
                ErrorCode::SemanticSearchUnavailable,
                "`mode` is `semantic` and no embedder is configured; expected `auto` or `keyword`",
                "Leave mode out to search by words.",
            ));
        }
        Ok(Self {
            query,
            question,
            path,
            mode,
            limit: limit as usize,
            max_tokens,
        })
    }
}

/// Reads a document again; none where that fails now.
fn read<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    document: &MatchedDocument,
) -> Option<AnswerDocument> {
    // From matching on nothing fails: what is gone by now is one document less.
    let opened = corpus.open(root, &document.path).ok()?;
    // Copied, for the decoded text may borrow the bytes, which are dropped here.
    let text = opened.decode(&mut corpus.store).ok()?.text.as_ref().into();
    Some(AnswerDocument {
        path: opened.path,
        name: opened.name,
        text,
        score: document.score,
    })
}

const NO_OPTIONS: SmartSearchOptions = SmartSearchOptions {
    root: None,
    path: None,
    mode: None,
    max_tokens: None,
    limit: None,
    relevance: None::<Relevance>,
};

const NOTHING_FOUND: &str =
    "No document holds any of these words; try others, or list the directory to see what is there.";

impl Visit for DocumentMatches<'_> {
    fn text(
        &mut self,
        path: RelPathRef<'_>,
        text: &str,
        _: Option<Metadata>,
    ) -> Result<(), SkipReason> {
        let pace = &mut Pace::endless();
        let term_counts = if self.query.is_symbols() {
            TermCounts::of_symbols(text, self.query, pace).ok_or(SkipReason::TooSlow)?
        } else {
            TermCounts::new(&Statistics::new(path.as_str(), text), self.query)
        };
        self.add(path, term_counts);
        Ok(())
    }

    fn found<T: Directory>(&mut self, walk: &mut Walk<'_, T>) -> Result<(), SkipReason> {
        if let Some(term_counts) = term_counts_of(walk, self.query, &mut Pace::endless())? {
            self.add(walk.rel_path(), term_counts);
        }
        Ok(())
    }
}

impl MatchedDocument {
    fn placed(&self) -> Placed<'_> {
        Placed {
            path: self.path.as_str(),
            place: self.place,
            score: self.score,
        }
    }
}

impl DocumentMatches<'_> {
    fn add(&mut self, path: RelPathRef<'_>, term_counts: TermCounts) {
        let place = self.collection.texts();
        self.collection.add(term_counts.length, &term_counts.counts);
        if !term_counts.counts.is_empty() {
            self.documents.push(MatchedDocument {
                path: path.to_owned(),
                place,
                length: term_counts.length,
                counts: term_counts.counts,
                // Known only when all documents were seen.
                score: 0.0,
            });
        }
    }

    /// Sorts the documents by the first stage's score, best first, equals by path, and returns what
    /// the terms are worth.
    fn rank(&mut self) -> Ranking {
        let ranking = self
            .collection
            .rank(self.query, self.collection.mean_length());
        for document in &mut self.documents {
            document.score = ranking.score(document.length, &document.counts);
        }
        let scores = with_neighbours(self.documents.len(), |at| self.documents[at].placed());
        for (document, score) in self.documents.iter_mut().zip(scores) {
            document.score = score;
        }
        // By path as well, so that equal scores stand in the same order on every disk.
        self.documents.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.path.as_str().cmp(b.path.as_str()))
        });
        ranking
    }

    /// Returns the best documents; where the query is a single identifier, the best of those that
    /// hold it letter by letter, if there are any.
    fn choose<D: Disk>(
        &self,
        corpus: &mut Corpus<D>,
        root: usize,
        request: &Request<'_>,
        ranking: &Ranking,
    ) -> DocumentChoice {
        if let Some(matches) = IdentifierMatches::of(request.query, self.query) {
            let mut documents = self.with_identifier(corpus, root, matches);
            if !documents.is_empty() {
                let total = documents.len();
                documents.truncate(request.limit);
                return DocumentChoice { documents, total };
            }
        }
        let best =
            TextKind::Document.worth_reading(self.documents.iter().map(|document| document.length));
        let (best, others) = self.documents.split_at(best);
        let mut documents = self.read_again(best, corpus, root, ranking);
        documents.truncate(request.limit);
        let room = request.limit - documents.len();
        // Read one by one: those that cannot be read now are passed over, and those behind the
        // limit are never opened.
        let others = others.iter();
        let others = others.filter_map(|document| read(corpus, root, document));
        documents.extend(others.take(room));
        DocumentChoice {
            documents,
            total: self.documents.len(),
        }
    }

    /// Returns documents in the order of the second stage, those that can be read now.
    fn read_again<D: Disk>(
        &self,
        best: &[MatchedDocument],
        corpus: &mut Corpus<D>,
        root: usize,
        ranking: &Ranking,
    ) -> Vec<AnswerDocument> {
        let second_stage = SecondStage::new(self.query, ranking, TextKind::Document);
        let mut documents = Vec::with_capacity(best.len());
        for matched in best {
            let Some(mut document) = read(corpus, root, matched) else {
                continue;
            };
            let again = ReadDocument {
                path: document.path.as_str(),
                text: &document.text,
                length: matched.length,
                score: matched.score,
            };
            let score = second_stage.score(again, &mut Pace::endless());
            document.score = score.unwrap_or(matched.score);
            documents.push(document);
        }
        documents.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.path.as_str().cmp(b.path.as_str()))
        });
        documents
    }

    /// Returns the documents that hold an identifier as it is written, else those that hold it in
    /// another case, best first.
    fn with_identifier<D: Disk>(
        &self,
        corpus: &mut Corpus<D>,
        root: usize,
        mut matches: IdentifierMatches<'_, AnswerDocument>,
    ) -> Vec<AnswerDocument> {
        // Collected, for the filter borrows the matches, to which the loop adds.
        let may_hold: Vec<&MatchedDocument> = self
            .documents
            .iter()
            .filter(|document| matches.may_be_in(&document.counts))
            .take(IDENTIFIER_DOCUMENTS)
            .collect();
        for candidate in may_hold {
            let Some(document) = read(corpus, root, candidate) else {
                continue;
            };
            if let Some(spelling) = matches.spelling_in(&document.text) {
                matches.push(spelling, document);
            }
        }
        matches.into_best()
    }
}

/// Returns what of the documents answers, as many of them as there is room for, and the tokens that
/// are left.
fn answer(
    documents: &[AnswerDocument],
    question: &Question,
    collection: &Collection,
    room: u32,
) -> (Vec<RelevantDocument>, u32) {
    let titles: Vec<String> = documents
        .iter()
        .map(|document| headings::name(&document.name, &document.text))
        .collect();
    let (fitting, room) = frames(documents, &titles, room);
    let documents = &documents[..fitting];
    let scored: Vec<ScoredDocument<'_>> = documents
        .iter()
        .map(|document| ScoredDocument::new(&document.name, &document.text, question))
        .collect();
    // How rare a term is, all documents of the tree tell; how long a section is on average, those
    // do that are answered from, for no other has been divided.
    let mut sections = Collection::default();
    for document in &scored {
        document.add_to(&mut sections);
    }
    let scorer = question.scorer(collection, sections.mean_length());
    let scores: Vec<f64> = documents.iter().map(|document| document.score).collect();
    let shares = shares(&scored, &scores, &scorer, room);
    let used: u32 = shares.iter().map(|share| share.used).sum();
    let parts = documents.iter().zip(titles).zip(shares);
    let documents = parts.map(|((document, name), share)| RelevantDocument {
        path: document.path.to_string(),
        name,
        score: rounded_score(document.score),
        sections: share.passages.into_iter().map(contract::section).collect(),
    });
    (documents.collect(), room.saturating_sub(used))
}

/// Returns how many of the documents, one at least, have room for their path, their title and some
/// text, and the tokens that are then left for text.
fn frames(documents: &[AnswerDocument], titles: &[String], mut room: u32) -> (usize, u32) {
    let mut fitting = 0;
    for (document, title) in documents.iter().zip(titles) {
        let names = estimate(document.path.as_str()) + estimate(title);
        let rest = room.saturating_sub(DOCUMENT_FRAME_TOKENS + names);
        if fitting > 0 && rest < SHARE_TOKENS {
            // Ends here, though a shorter name further down may fit: what answers is the top of the
            // ranking.
            break;
        }
        room = rest;
        fitting += 1;
    }
    (fitting, room)
}

/// Returns the documents' passages that answer, under one budget that is shared out by score; what
/// a document leaves of its share goes to those after it, and what is left at the end to the first
/// that can use it.
fn shares(
    documents: &[ScoredDocument<'_>],
    scores: &[f64],
    scorer: &Scorer<'_>,
    room: u32,
) -> Vec<DocumentShare> {
    let mut left = room;
    let mut shares = Vec::with_capacity(documents.len());
    let mut rest: f64 = scores.iter().sum();
    for (document, &score) in documents.iter().zip(scores) {
        // Subtraction may leave a little less than the last score.
        let share = f64::from(left) * score / rest.max(score);
        rest -= score;
        // A share is a part of what is left, and the cast cuts it to whole tokens.
        let share = (share as u32).max(SHARE_TOKENS).min(left);
        let (passages, used) = document.answer(scorer, share);
        left -= used;
        shares.push(DocumentShare { passages, used });
    }
    for (document, share) in documents.iter().zip(&mut shares) {
        let (passages, used) = document.answer(scorer, share.used + left);
        if used > share.used {
            left -= used - share.used;
            *share = DocumentShare { passages, used };
        }
    }
    shares
}
