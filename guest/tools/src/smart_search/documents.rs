//! Documents that answer a query, ranked.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use docent_api::types::SkipReason;

use crate::lexical::identifier_matches::{IdentifierMatches, Spelling};
use crate::limits::IDENTIFIER_DOCUMENTS;
use crate::paths::path_lookup::PathLookup;
use crate::semantic::ranker::{HybridRanking, LexicalMatches};
use crate::semantic::read_text::{DocumentReader, ReadText};
use docent_corpus::corpus::Corpus;
use docent_corpus::extensions::{is_of_known_kind, is_path_of_known_kind};
use docent_corpus::visit::{Visit, current_term_counts};
use docent_corpus::walk::Walk;
use docent_rank::bm25::{Bm25Query, Collection, Ranking};
use docent_rank::cutoff::is_relevant;
use docent_rank::neighbours::{PositionedDocument, with_neighbours};
use docent_rank::pages::PageScope;
use docent_rank::rerank::{RerankInput, Reranker, TextKind, words_read_again};
use docent_rank::statistics::Statistics;
use docent_rank::term_counts::TermCounts;
use docent_text::time_budget::TimeBudget;
use docent_tree::disk::{Directory, Disk, Metadata};
use docent_tree::path::{RelPath, RelPathRef};

/// The documents of a tree, as far as they concern a query.
pub struct DocumentMatches<'a> {
    query: &'a Bm25Query,
    /// All documents, including those without a term, since they determine the rarity of terms; if
    /// there are no documents, the files whose kind is unknown from their names.
    pub collection: Collection,
    /// The files of unknown kind if there are documents too: their statistics are separate.
    unknown: Collection,
    /// The documents that contain a term, in the order of their paths.
    documents: Vec<MatchedDocument>,
    /// Number of documents, from the first on, that are sorted.
    sorted: usize,
    /// The paths of the others and the digests of their texts, if they are kept.
    others: Option<Vec<(RelPath, u64)>>,
}

/// A document that contains a term of the query.
struct MatchedDocument {
    path: RelPath,
    /// Index among all documents visited.
    place: u32,
    held: TermCounts,
    score: f64,
    /// True if its kind is unknown from its name: then it ranks after all of known kind.
    is_unknown: bool,
}

/// A document of a ranking.
pub struct RankedDocument {
    /// Index among the matches.
    pub index: usize,
    /// Score of the document.
    pub score: f64,
    /// Its text, if it was read for reranking and kept.
    pub read: Option<ReadText>,
    /// Byte range of the best semantic match, or `None` if none is known.
    pub semantic: Option<Range<usize>>,
}

/// The documents that answer, best first.
pub struct DocumentRanking {
    /// All that are worth naming.
    pub documents: Vec<RankedDocument>,
    /// Extent of the documents worth showing.
    pub reach: PageScope,
}

impl Visit for DocumentMatches<'_> {
    fn visit_named(
        &mut self,
        path: RelPathRef<'_>,
        text: &str,
        _: Option<Metadata>,
    ) -> Result<(), SkipReason> {
        let time_budget = &mut TimeBudget::unlimited();
        let term_counts = if self.query.is_symbols() {
            TermCounts::from_symbols(text, self.query, time_budget).ok_or(SkipReason::TooSlow)?
        } else {
            TermCounts::new(&Statistics::new(path.as_str(), text), self.query)
        };
        self.add(path, term_counts, !is_path_of_known_kind(path.as_str()));
        Ok(())
    }

    fn visit_current<T: Directory>(&mut self, walk: &mut Walk<'_, T>) -> Result<(), SkipReason> {
        if let Some(term_counts) =
            current_term_counts(walk, self.query, &mut TimeBudget::unlimited())?
        {
            let is_unknown = !is_of_known_kind(walk.name());
            self.add(walk.rel_path(), term_counts, is_unknown);
        }
        Ok(())
    }
}

impl MatchedDocument {
    fn to_positioned(&self) -> PositionedDocument<'_> {
        PositionedDocument {
            path: self.path.as_str(),
            place: self.place,
            score: self.score,
        }
    }
}

/// Sorts documents best first, those whose kind is unknown from their names last, and equals by
/// path, so that the order is the same on every disk.
fn in_order(documents: Vec<MatchedDocument>) -> impl Iterator<Item = MatchedDocument> {
    // Integer keys are sorted in place of the documents. The bits of a float that is not
    // negative have the order of its value, and its sign bit is free, so that it holds the
    // kind. One bit of the score is lost in the shift; equal keys are therefore compared by the
    // whole score, and then by path.
    let key = |document: &MatchedDocument| {
        (u64::from(document.is_unknown) << 63) | ((u64::MAX >> 1) - (document.score.to_bits() >> 1))
    };
    let mut order: Vec<(u64, usize)> = documents.iter().map(key).zip(0..).collect();
    let matched = |at: usize| &documents[at];
    order.sort_unstable_by(|(a, one), (b, other)| {
        let (one, other) = (matched(*one), matched(*other));
        a.cmp(b)
            .then_with(|| other.score.total_cmp(&one.score))
            .then_with(|| one.path.as_str().cmp(other.path.as_str()))
    });
    let mut documents: Vec<Option<MatchedDocument>> = documents.into_iter().map(Some).collect();
    let places = order.into_iter();
    places.filter_map(move |(_, at)| documents[at].take())
}

/// The documents that are sorted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sorted {
    All,
    /// Those that may answer according to their words.
    Relevant,
}

impl<'a> DocumentMatches<'a> {
    /// Begins without documents.
    pub fn new(query: &'a Bm25Query) -> Self {
        Self {
            query,
            collection: Collection::default(),
            unknown: Collection::default(),
            documents: Vec::new(),
            sorted: 0,
            others: None,
        }
    }

    /// Returns an empty collection that also keeps the paths of documents without a term, since
    /// they may be semantic matches.
    pub fn with_others(query: &'a Bm25Query) -> Self {
        Self {
            others: Some(Vec::new()),
            ..Self::new(query)
        }
    }

    fn add(&mut self, path: RelPathRef<'_>, term_counts: TermCounts, is_unknown: bool) {
        let collection = if is_unknown {
            &mut self.unknown
        } else {
            &mut self.collection
        };
        let place = collection.texts();
        collection.add(term_counts.length, &term_counts.counts);
        if !term_counts.counts.is_empty() {
            self.documents.push(MatchedDocument {
                path: path.to_owned(),
                place,
                held: term_counts,
                // Known only after all documents were visited.
                score: 0.0,
                is_unknown,
            });
        } else if let (Some(others), false) = (&mut self.others, is_unknown) {
            others.push((path.to_owned(), term_counts.digest));
        }
    }

    /// Returns the documents at these paths, each with its requested value; only those that were
    /// visited. Those without a term become matches.
    fn find<T>(&mut self, mut lookup: PathLookup<T>) -> Vec<(usize, T)> {
        let mut found = Vec::new();
        for (index, document) in self.documents.iter().enumerate() {
            if let Some(what) = lookup.take(document.path.as_str()) {
                found.push((index, what));
            }
        }
        for (path, _) in self.others.iter().flatten() {
            if let Some(what) = lookup.take(path.as_str()) {
                found.push((self.documents.len(), what));
                self.documents.push(MatchedDocument {
                    path: path.clone(),
                    place: 0,
                    held: TermCounts::none(self.query),
                    score: 0.0,
                    is_unknown: false,
                });
            }
        }
        found
    }

    /// Sorts the documents by the lexical score of the first stage, best first, equals by path,
    /// those whose kind is unknown from their names last, and returns the weights of the terms.
    /// Documents that are not sorted come after the others.
    fn sort(&mut self, sorted: Sorted) -> Ranking {
        if self.collection.texts() == 0 {
            self.collection = std::mem::take(&mut self.unknown);
        }
        let ranking = self
            .collection
            .rank(self.query, self.collection.mean_length());
        for document in &mut self.documents {
            document.score = ranking.document_score(&document.held);
        }
        // The sort is stable, so both groups stay in the order of their paths, in which
        // neighbours are adjacent. Only documents of known kind are neighbours of each other.
        self.documents.sort_by_key(|document| document.is_unknown);
        let known = self
            .documents
            .partition_point(|document| !document.is_unknown);
        let scores = with_neighbours(known, |at| self.documents[at].to_positioned());
        for (document, score) in self.documents.iter_mut().zip(scores) {
            document.score = score;
        }
        // Most documents contain only common words of the query, and are too far below the best
        // one to answer. They need not be sorted: reranking never lowers a score, not even that
        // of the best document, so a document that is not read again stays too far below.
        let known = &self.documents[..if known > 0 {
            known
        } else {
            self.documents.len()
        }];
        let best = known.iter().map(|one| one.score).fold(0.0, f64::max);
        let is_relevant = |one: &MatchedDocument| is_relevant(one.score, best, &one.held.counts);
        let documents = std::mem::take(&mut self.documents);
        let (relevant, others): (Vec<_>, Vec<_>) = match sorted {
            Sorted::Relevant => documents.into_iter().partition(is_relevant),
            Sorted::All => (documents, Vec::new()),
        };
        // The second stage reads a fixed number of the first documents. If fewer are relevant,
        // it also reads some of the others, which may rise above all, so that their order
        // matters as well.
        if relevant.len() >= TextKind::Document.most_read_again() {
            self.sorted = relevant.len();
            self.documents = in_order(relevant).chain(others).collect();
        } else {
            let documents: Vec<MatchedDocument> = relevant.into_iter().chain(others).collect();
            self.sorted = documents.len();
            self.documents = in_order(documents).collect();
        }
        ranking
    }

    /// Returns the number of occurrences of each term of the query in a document.
    pub fn counts(&self, document: &RankedDocument) -> &[u32] {
        &self.documents[document.index].held.counts
    }

    /// Returns the documents that answer, best first; if the query is a single identifier, those
    /// that contain it literally, if there are any. The texts of `limit` documents from `first` on
    /// are kept, from which the answer is made.
    pub fn rank<D: Disk>(
        &mut self,
        corpus: &mut Corpus<D>,
        root: usize,
        query: &str,
        (first, limit): (usize, usize),
    ) -> DocumentRanking {
        let identifier = IdentifierMatches::for_query(query, self.query);
        let ranking = self.sort(match identifier {
            Some(_) => Sorted::All,
            None => Sorted::Relevant,
        });
        if let Some(matches) = identifier {
            let kept = first..first.saturating_add(limit);
            let documents = self.with_identifier(corpus, root, matches, &kept);
            if !documents.is_empty() {
                return DocumentRanking {
                    documents,
                    // Every use of an identifier was requested.
                    reach: PageScope::All,
                };
            }
        }
        self.rank_sorted(corpus, root, &ranking)
    }

    /// Returns the lexical matches, best first, whether the query is an identifier or not.
    pub fn rank_lexical<D: Disk>(
        &mut self,
        corpus: &mut Corpus<D>,
        root: usize,
    ) -> DocumentRanking {
        let ranking = self.sort(Sorted::Relevant);
        self.rank_sorted(corpus, root, &ranking)
    }

    fn rank_sorted<D: Disk>(
        &self,
        corpus: &mut Corpus<D>,
        root: usize,
        ranking: &Ranking,
    ) -> DocumentRanking {
        let sorted = &self.documents[..self.sorted];
        let lengths = sorted.iter();
        let lengths = lengths.map(|document| words_read_again(&document.held));
        let best = TextKind::Document.worth_reading(lengths);
        let mut documents = self.read_again(best, corpus, root, ranking);
        let others = sorted.iter().enumerate().skip(best);
        documents.extend(others.map(|(index, document)| RankedDocument {
            index,
            score: document.score,
            read: None,
            semantic: None,
        }));
        let best = documents.first().map_or(0.0, |document| document.score);
        documents.retain(|document| is_relevant(document.score, best, self.counts(document)));
        DocumentRanking {
            documents,
            reach: PageScope::Near,
        }
    }

    /// Returns the text of a ranked document, or `None` if it cannot be read now: errors are not
    /// reported after matching, and a deleted document is omitted.
    pub fn text<D: Disk>(
        &self,
        corpus: &mut Corpus<D>,
        root: usize,
        document: &mut RankedDocument,
    ) -> Option<ReadText> {
        let read_before = document.read.take();
        read_before.or_else(|| self.read(corpus, root, document.index))
    }

    /// Returns the text of a document, or `None` if it cannot be read now.
    fn read<D: Disk>(&self, corpus: &mut Corpus<D>, root: usize, index: usize) -> Option<ReadText> {
        ReadText::open(corpus, root, &self.documents[index].path)
    }

    /// Reranks the `best` first documents, and returns those that can be read now.
    fn read_again<D: Disk>(
        &self,
        best: usize,
        corpus: &mut Corpus<D>,
        root: usize,
        ranking: &Ranking,
    ) -> Vec<RankedDocument> {
        let paths = self.documents.iter().map(|document| document.path.as_str());
        let second_stage = Reranker::new(self.query, ranking, TextKind::Document).with_paths(paths);
        let mut documents = Vec::with_capacity(best);
        let mut reader = DocumentReader::begin(corpus, root);
        for (index, matched) in self.documents.iter().enumerate().take(best) {
            let Some(read) = reader.document(&matched.path) else {
                continue;
            };
            let again = RerankInput {
                path: read.path.as_str(),
                text: &read.text,
                length: matched.held.length,
                passages: matched.held.passages.as_ref(),
                score: matched.score,
            };
            let score = second_stage.score(again, &mut TimeBudget::unlimited());
            documents.push(RankedDocument {
                index,
                score: score.unwrap_or(matched.score),
                read: Some(read),
                semantic: None,
            });
        }
        let matched = |document: &RankedDocument| &self.documents[document.index];
        documents.sort_by(|a, b| {
            let (one, other) = (matched(a), matched(b));
            one.is_unknown
                .cmp(&other.is_unknown)
                .then_with(|| b.score.total_cmp(&a.score))
                .then_with(|| one.path.as_str().cmp(other.path.as_str()))
        });
        documents
    }

    /// Returns the documents that contain an identifier as written, else those that contain it in
    /// another case, best first. Only the texts of those in `kept` are kept, since all of them may
    /// not fit into memory.
    fn with_identifier<D: Disk>(
        &self,
        corpus: &mut Corpus<D>,
        root: usize,
        mut matches: IdentifierMatches<'_, RankedDocument>,
        kept: &Range<usize>,
    ) -> Vec<RankedDocument> {
        // Collected, since the filter borrows the matches, to which the loop adds.
        let may_hold: Vec<usize> = (0..self.documents.len())
            .filter(|index| matches.may_be_in(&self.documents[*index].held.counts))
            .take(IDENTIFIER_DOCUMENTS)
            .collect();
        let mut numbers = [0, 0];
        for index in may_hold {
            let Some(read) = self.read(corpus, root, index) else {
                continue;
            };
            let Some(spelling) = matches.spelling_in(&read.text) else {
                continue;
            };
            let number = &mut numbers[usize::from(spelling == Spelling::OtherCase)];
            let document = RankedDocument {
                index,
                score: self.documents[index].score,
                read: kept.contains(number).then_some(read),
                semantic: None,
            };
            *number += 1;
            matches.push(spelling, document);
        }
        let best = matches.into_best();
        best.map_or_else(Vec::new, |(_, documents)| documents)
    }
}

/// The lexical matches among the documents, for the semantic order.
pub struct LexicalDocuments<'m, 'q> {
    /// All documents visited.
    pub matches: &'m mut DocumentMatches<'q>,
    /// Those that answer.
    pub ranking: &'m mut DocumentRanking,
}

impl LexicalDocuments<'_, '_> {
    /// Puts the documents that answer into another order.
    pub fn reorder(self, ranked: &HybridRanking) {
        let known = self.count_known();
        let mut before = std::mem::take(&mut self.ranking.documents);
        // These are not embedded: they stay last, in their order.
        let unknown = before.split_off(known);
        // Only a few have been read.
        let read = before
            .into_iter()
            .filter_map(|one| Some((one.index, one.read?)));
        let mut read: BTreeMap<usize, ReadText> = read.collect();
        let documents = ranked.documents.iter().map(|hit| RankedDocument {
            index: hit.number,
            score: hit.score,
            read: read.remove(&hit.number),
            semantic: hit.span.clone(),
        });
        self.ranking.documents = documents.chain(unknown).collect();
    }

    /// Returns the number of answering documents of known kind, which come first.
    fn count_known(&self) -> usize {
        let documents = &self.ranking.documents;
        let is_known = |document: &RankedDocument| {
            let matched = &self.matches.documents[document.index];
            !matched.is_unknown
        };
        documents.iter().take_while(|one| is_known(one)).count()
    }
}

impl<D: Disk> LexicalMatches<D> for LexicalDocuments<'_, '_> {
    fn lexical(&self) -> Vec<usize> {
        let documents = self.ranking.documents.iter().take(self.count_known());
        documents.map(|document| document.index).collect()
    }

    fn path(&self, number: usize) -> &str {
        self.matches.documents[number].path.as_str()
    }

    fn collection(&self) -> &Collection {
        &self.matches.collection
    }

    fn read<'a>(
        &'a self,
        reader: &mut DocumentReader<'_, D>,
        number: usize,
    ) -> Option<Cow<'a, ReadText>> {
        // Only the best ones were read.
        let ranked = self.ranking.documents.iter();
        let mut read = ranked.take_while(|document| document.read.is_some());
        let kept = read.find(|document| document.index == number);
        match kept.and_then(|document| document.read.as_ref()) {
            Some(read) => Some(Cow::Borrowed(read)),
            None => {
                let path = &self.matches.documents[number].path;
                reader.document(path).map(Cow::Owned)
            }
        }
    }

    fn visited_documents(&self) -> Vec<(&str, u64)> {
        let documents = self.matches.documents.iter();
        let documents = documents.filter(|one| !one.is_unknown);
        let matched = documents.map(|one| (one.path.as_str(), one.held.digest));
        let others = self.matches.others.iter().flatten();
        let others = others.map(|(path, digest)| (path.as_str(), *digest));
        matched.chain(others).collect()
    }

    fn find(&mut self, lookup: PathLookup<Vec<usize>>) -> Vec<(usize, Vec<usize>)> {
        self.matches.find(lookup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matches of documents that contain a common word and, with decreasing frequency, rarer ones.
    fn matches(query: &Bm25Query) -> DocumentMatches<'_> {
        let mut matches = DocumentMatches::new(query);
        for number in 0..400 {
            let mut text = "the words of a note\n".repeat(1 + number % 7);
            for (every, word) in [(3, "lamp "), (11, "oil "), (37, "wick ")] {
                if number % every == 0 {
                    text.push_str(&word.repeat(1 + number % 5));
                }
            }
            let extension = if number % 50 == 7 { "unknown" } else { "md" };
            let path = RelPath::parse(&format!("{number:03}.{extension}")).unwrap();
            let added = Visit::visit_named(&mut matches, path.as_borrowed(), &text, None);
            assert!(added.is_ok());
        }
        matches
    }

    fn relevant(matches: &DocumentMatches<'_>, among: usize) -> Vec<String> {
        let documents = &matches.documents[..among];
        let best = documents.first().map_or(0.0, |first| first.score);
        let answers = |one: &&MatchedDocument| is_relevant(one.score, best, &one.held.counts);
        let answering = documents.iter().filter(answers);
        answering.map(|one| one.path.as_str().to_owned()).collect()
    }

    #[test]
    fn what_is_sorted_holds_all_that_answers_in_the_order_of_all() {
        for text in ["the lamp oil wick", "the wick", "oil", "the", "words lamp"] {
            let query = Bm25Query::new(text);
            let (mut all, mut some) = (matches(&query), matches(&query));
            all.sort(Sorted::All);
            some.sort(Sorted::Relevant);
            assert_eq!(all.sorted, all.documents.len());
            assert_eq!(some.documents.len(), all.documents.len());
            let expected = relevant(&all, all.sorted);
            assert_eq!(relevant(&some, some.sorted), expected, "{text}");
            let read_again = TextKind::Document.most_read_again().min(all.sorted);
            for (one, other) in some.documents.iter().zip(&all.documents).take(read_again) {
                assert_eq!(one.path.as_str(), other.path.as_str(), "{text}");
            }
        }
        let query = Bm25Query::new("the lamp oil wick");
        let mut some = matches(&query);
        some.sort(Sorted::Relevant);
        assert!(some.sorted < some.documents.len());
    }
}
