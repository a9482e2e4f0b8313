//! `smart-search`: the documents, and their sections, that answer a query.

use docent_api::sections::{
    Relevance, RelevantDocument, SmartMode, SmartSearchAnswer, SmartSearchOptions,
};
use docent_api::types::{Error, ErrorCode, SkipReason};

use crate::contract;
use crate::limits::{
    ANSWERING, ANSWERING_DEFAULT, DOCUMENT_FRAME_TOKENS, FRAME_TOKENS, IDENTIFIER_DOCUMENTS,
    SHARE_TOKENS, SKIPPED_FRAME_TOKENS,
};
use crate::question::{question_text, refuse_wordless, token_budget};
use docent_corpus::corpus::Corpus;
use docent_corpus::visit::{Visit, holding};
use docent_corpus::walk::Walk;
use docent_document::headings;
use docent_rank::bm25::{Collection, Query, shown};
use docent_rank::passages::{Document, Question};
use docent_rank::statistics::Statistics;
use docent_rank::term_counts::TermCounts;
use docent_text::matching::finder::{Case, Finder};
use docent_text::saturating::saturating_u32;
use docent_text::tokens::estimate::estimate;
use docent_text::words::identifier;
use docent_tree::disk::{Directory, Disk, Metadata};
use docent_tree::error::{out_of_range, refuse};
use docent_tree::path::RelPath;

/// What is known of the documents of a tree.
struct Census<'a> {
    query: &'a Query,
    collection: Collection,
    /// The documents that hold a term, in the order of their paths.
    holders: Vec<Holder>,
}

/// A document that holds a term of the query.
struct Holder {
    path: String,
    length: u32,
    counts: Box<[u32]>,
    score: f64,
}

/// A document to answer from.
struct Chosen {
    path: RelPath,
    name: String,
    text: Box<str>,
    score: f64,
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
    let given = options.unwrap_or(NO_OPTIONS);
    let path = RelPath::parse_or_root(given.path.as_deref())?;
    let max_tokens = token_budget(given.max_tokens)?;
    let limit = given.limit.unwrap_or(ANSWERING_DEFAULT);
    if !(ANSWERING.0..=ANSWERING.1).contains(&limit) {
        return Err(out_of_range("limit", limit, ANSWERING));
    }
    let query = question_text(&query)?;
    let asked = Question::new(query, given.relevance.map(contract::relevance));
    refuse_wordless(query, &asked)?;
    let mode = given.mode.unwrap_or(SmartMode::Auto);
    if mode == SmartMode::Semantic {
        return Err(refuse(
            ErrorCode::SemanticSearchUnavailable,
            "`mode` is `semantic` and no embedder is configured; expected `auto` or `keyword`",
            "Leave mode out to search by words.",
        ));
    }
    let root = corpus.choose_root(given.root.as_deref())?;
    corpus.store.begin_call();
    corpus.store.select_terms(&asked.query);
    let mut census = Census {
        query: &asked.query,
        collection: Collection::default(),
        holders: Vec::new(),
    };
    let skips = corpus.visit(root.index, &path, &mut census)?;
    let Census {
        collection,
        mut holders,
        ..
    } = census;
    rank(&mut holders, &collection, &asked.query);
    let mut found = holders.len();
    let chosen = match identifier::lone(query) {
        Some(name) => {
            let exact = holding_exactly(corpus, root.index, name, &asked.query, &holders);
            if exact.is_empty() {
                read_best(corpus, root.index, &holders, limit as usize)
            } else {
                found = exact.len();
                exact.into_iter().take(limit as usize).collect()
            }
        }
        None => read_best(corpus, root.index, &holders, limit as usize),
    };
    let skipped = skips.finish();
    let frame = if skipped.count > 0 {
        FRAME_TOKENS + SKIPPED_FRAME_TOKENS
    } else {
        FRAME_TOKENS
    };
    let room = max_tokens.saturating_sub(frame);
    let documents = answer(&chosen, &asked, &collection, room);
    let is_degraded = mode == SmartMode::Auto;
    let reasons = is_degraded.then(|| "no embedder is configured".to_owned());
    let sections = documents.iter().flat_map(|document| &document.sections);
    Ok(SmartSearchAnswer {
        query: query.to_owned(),
        root: root.shown,
        mode: SmartMode::Keyword,
        model_info: None,
        degraded: is_degraded,
        reasons: reasons.into_iter().collect(),
        documents_found: saturating_u32(found),
        tokens_used: sections.map(|section| section.tokens).sum(),
        hint: documents.is_empty().then(|| NOTHING_FOUND.to_owned()),
        documents,
        max_tokens,
        skipped,
    })
}

/// Returns the best documents, as many as can be read of so many.
fn read_best<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    holders: &[Holder],
    limit: usize,
) -> Vec<Chosen> {
    let mut chosen = Vec::new();
    for holder in holders {
        if chosen.len() == limit {
            break;
        }
        chosen.extend(read(corpus, root, holder));
    }
    chosen
}

/// Returns the documents that hold an identifier as it is written, else those that hold it in
/// another case, best first.
fn holding_exactly<D: Disk>(
    corpus: &mut Corpus<D>,
    root: usize,
    name: &str,
    query: &Query,
    holders: &[Holder],
) -> Vec<Chosen> {
    let parts = Query::new(&identifier::parts(name));
    let needed: Vec<usize> = (0..query.terms().len())
        .filter(|&index| parts.terms().contains(&query.terms()[index]))
        .collect();
    let may_hold = |holder: &&Holder| needed.iter().all(|&index| holder.counts[index] > 0);
    let (exactly, anyhow) = (
        Finder::new(name, Case::Sensitive),
        Finder::new(name, Case::Ignored),
    );
    let (mut exact, mut other) = (Vec::new(), Vec::new());
    for holder in holders.iter().filter(may_hold).take(IDENTIFIER_DOCUMENTS) {
        let Some(chosen) = read(corpus, root, holder) else {
            continue;
        };
        let holds = |finder: &Finder| finder.hits(&chosen.text).next().is_some();
        if holds(&exactly) {
            exact.push(chosen);
        } else if exact.is_empty() && holds(&anyhow) {
            other.push(chosen);
        }
    }
    if exact.is_empty() { other } else { exact }
}

/// Reads a document again; none where that fails now.
fn read<D: Disk>(corpus: &mut Corpus<D>, root: usize, holder: &Holder) -> Option<Chosen> {
    let opened = corpus
        .open(root, &RelPath::parse(&holder.path).ok()?)
        .ok()?;
    let text = opened.decode(&mut corpus.store).ok()?.text.as_ref().into();
    Some(Chosen {
        path: opened.path,
        name: opened.name,
        text,
        score: holder.score,
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

impl Visit for Census<'_> {
    fn text(&mut self, path: &str, text: &str, _: Option<Metadata>) -> Result<(), SkipReason> {
        let statistics = Statistics::new(path, text);
        self.add(path, TermCounts::new(&statistics, self.query));
        Ok(())
    }

    fn found<T: Directory>(&mut self, walk: &mut Walk<'_, T>) -> Result<(), SkipReason> {
        if let Some(holding) = holding(walk, self.query)? {
            self.add(walk.path(), holding);
        }
        Ok(())
    }
}

impl Census<'_> {
    fn add(&mut self, path: &str, holding: TermCounts) {
        self.collection.add(holding.length, &holding.counts);
        if !holding.counts.is_empty() {
            self.holders.push(Holder {
                path: path.to_owned(),
                length: holding.length,
                counts: holding.counts,
                score: 0.0,
            });
        }
    }
}

/// Sorts the documents by score, best first, equals by path.
fn rank(holders: &mut [Holder], collection: &Collection, query: &Query) {
    let ranking = collection.rank(query, collection.mean_length());
    for holder in holders.iter_mut() {
        holder.score = ranking.score(holder.length, &holder.counts);
    }
    holders.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.path.cmp(&b.path))
    });
}

/// Returns the documents' sections that answer, under one budget that is shared out by score; what
/// a document leaves of its share goes to those after it, and what is left at the end to the first
/// that can use it.
fn answer(
    chosen: &[Chosen],
    asked: &Question,
    collection: &Collection,
    mut room: u32,
) -> Vec<RelevantDocument> {
    let names: Vec<String> = chosen
        .iter()
        .map(|document| headings::name(&document.name, &document.text))
        .collect();
    let mut fitting = 0;
    for (document, name) in chosen.iter().zip(&names) {
        let named = estimate(document.path.as_str()) + estimate(name);
        let frame = DOCUMENT_FRAME_TOKENS + named;
        let rest = room.saturating_sub(frame);
        if fitting > 0 && rest < SHARE_TOKENS {
            break;
        }
        room = rest;
        fitting += 1;
    }
    let chosen = &chosen[..fitting];
    let documents: Vec<Document<'_>> = chosen
        .iter()
        .map(|document| Document::new(&document.name, &document.text, asked))
        .collect();
    let mut sections = Collection::default();
    for document in &documents {
        document.add_to(&mut sections);
    }
    let measure = asked.measure(collection, sections.mean_length());
    let total: f64 = chosen.iter().map(|document| document.score).sum();
    let mut left = room;
    let mut answers = Vec::with_capacity(fitting);
    let mut scores = total;
    for (document, chosen) in documents.iter().zip(chosen) {
        let share = f64::from(left) * chosen.score / scores.max(chosen.score);
        scores -= chosen.score;
        // A share is a part of what is left, and the cast cuts it to whole tokens.
        let share = (share as u32).max(SHARE_TOKENS).min(left);
        let (shown, used) = document.answer(&measure, share);
        left -= used;
        answers.push((shown, used));
    }
    for (document, (shown, used)) in documents.iter().zip(&mut answers) {
        let (more, uses) = document.answer(&measure, *used + left);
        if uses > *used {
            left -= uses - *used;
            (*shown, *used) = (more, uses);
        }
    }
    let parts = chosen.iter().zip(names).zip(answers);
    parts
        .map(|((document, name), (sections, _))| RelevantDocument {
            path: document.path.to_string(),
            name,
            score: shown(document.score),
            sections: sections.into_iter().map(contract::section).collect(),
        })
        .collect()
}
