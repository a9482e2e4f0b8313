//! Semantic ranking in addition to the lexical one, for `smart-search` and `explore`.
//!
//! The lexical results come first: the best passage of each of the best documents is embedded,
//! unless its vector is known, and the nearest of all known passages are added. So nothing has to
//! be prepared before the first question, and if time runs out or the embedder fails, the semantic
//! part of the result is smaller but the lexical part is complete.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use docent_api::sections::SmartMode;
use docent_rank::bm25::Collection;
use docent_rank::embedder::{
    Bounds, DocumentVersion, Embedder, EmbeddingText, Failure, Model, Role, similarity,
};
use docent_rank::passage_text::{
    EmbeddedPassage, best_passage, passage_text, passages, split_fingerprint,
};
use docent_rank::passages::Question;
use docent_text::digest::{combine, digest};
use docent_text::matching::finder::{Case, Finder};
use docent_tree::disk::Disk;
use docent_tree::path::RelPath;

use crate::lexical::identifier_matches::is_whole;
use crate::limits::{
    SEMANTIC_BATCH, SEMANTIC_BATCH_MS, SEMANTIC_DOCUMENTS, SEMANTIC_MS, SEMANTIC_NEAREST,
    SEMANTIC_NEAREST_ALONE,
};
use crate::paging::passage_pages::{SemanticStart, short};
use crate::paths::path_lookup::PathLookup;
use crate::semantic::hybrid_ranking::{HybridHit, SemanticMatches, SemanticWeight, rank_hybrid};
use crate::semantic::passage_counts::{Versions, describe_unknown};
use crate::semantic::read_text::{DocumentReader, ReadText};
use docent_corpus::corpus::Corpus;
use docent_document::headings;
use docent_document::sections::{Section, sections};

/// A configured embedder that is available.
pub struct SemanticRanker {
    embedder: Rc<dyn Embedder>,
    model: Model,
    mode: SmartMode,
    /// Deadline of the call on the disk's clock.
    call_end: u64,
    /// Milliseconds left of those that the embedder may take of the call.
    left: u64,
}

/// Scope of a question.
pub struct SearchScope<'a> {
    /// Index of the root.
    pub root: usize,
    /// Its name.
    pub root_name: &'a str,
    /// Path of the searched directory in the root.
    pub path: &'a RelPath,
    /// The question as written.
    pub query: &'a str,
    /// The question.
    pub question: &'a Question,
}

/// The lexical matches among the documents, and others that may match semantically. A document is
/// identified by a number that does not change.
pub trait LexicalMatches<D: Disk> {
    /// Returns the lexical matches, best first.
    fn lexical(&self) -> Vec<usize>;

    /// Returns the path of one.
    fn path(&self, number: usize) -> &str;

    /// Returns the collection that determines the weights of a question's words.
    fn collection(&self) -> &Collection;

    /// Returns the text of a document, or `None` if it cannot be read now or is not a document.
    fn read<'a>(
        &'a self,
        reader: &mut DocumentReader<'_, D>,
        number: usize,
    ) -> Option<Cow<'a, ReadText>>;

    /// Returns the whole documents that were visited, each with the digest of its text.
    fn visited_documents(&self) -> Vec<(&str, u64)>;

    /// Returns the documents at these paths, each with its requested value; only those that were
    /// visited.
    fn find(&mut self, lookup: PathLookup<Vec<usize>>) -> Vec<(usize, Vec<usize>)>;
}

/// Documents in hybrid order, and the basis of the order.
#[derive(Clone, Debug, PartialEq)]
pub struct HybridRanking {
    /// The documents, best first.
    pub documents: Vec<HybridHit>,
    /// Basis of the order.
    pub start: SemanticStart,
    /// Reason for which it is incomplete, or `None` if it is complete.
    pub missing: Option<String>,
    /// Description of the visited documents not embedded yet, empty if there are none, or `None` if
    /// the embedder does not report it.
    pub unknown: Option<String>,
}

/// A passage that is compared with the question.
struct PassageCandidate {
    /// Index among the matches.
    document: usize,
    /// Byte range of the passage in the document.
    span: Range<usize>,
    text: EmbeddingText,
    /// True if its document contains the question as written.
    is_literal: bool,
}

/// The vectors of some passages.
struct PassageVectors {
    all: Vec<Option<Vec<i8>>>,
    /// Reason for which some have none.
    failure: Option<Failure>,
}

/// Time limits for making vectors, on the disk's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddingTime {
    /// Time after which no more texts are passed to the embedder.
    pub begin: u64,
    /// Deadline for the texts already passed to it.
    pub end: u64,
}

/// Result of making the vectors of some passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedCounts {
    /// Number of passages that had none before.
    pub new: usize,
    /// Number of passages that have none now.
    pub missing: usize,
    /// Number of those among them that may still get one.
    pub unknown: usize,
    /// Reason for which these have none.
    pub failure: Option<Failure>,
}

impl SemanticRanker {
    /// Returns the embedder of a corpus, for a call that ends at `call_end` on the disk's clock.
    ///
    /// # Errors
    /// The reason for which there is none.
    pub fn for_call<D: Disk>(
        corpus: &Corpus<D>,
        mode: SmartMode,
        call_end: u64,
    ) -> Result<Self, Failure> {
        let embedder = Rc::clone(&corpus.embedder);
        let begin = corpus.disk.monotonic_ms();
        let all = (call_end.saturating_sub(begin) / 2).min(SEMANTIC_MS);
        let model = Model::from_embedder(&*embedder, milliseconds(all))?;
        // Time spent on reporting its model counts as well.
        let taken = corpus.disk.monotonic_ms().saturating_sub(begin);
        Ok(Self {
            embedder,
            model,
            mode,
            call_end,
            left: all.saturating_sub(taken),
        })
    }

    /// Returns the model's name.
    pub fn name(&self) -> &str {
        &self.model.name
    }

    /// Returns true if only semantic ranking is requested.
    pub fn is_alone(&self) -> bool {
        self.mode == SmartMode::Semantic
    }

    /// Returns true if it contributes to a hybrid order: a model of weight 0 is used only for
    /// purely semantic ranking.
    pub fn has_weight(&self) -> bool {
        self.is_alone() || self.model.weight > 0.0
    }

    /// Returns the documents found in hybrid order, or in semantic order only; with `moment`, as of
    /// an earlier page.
    ///
    /// # Errors
    /// The reason for which there are no vectors at all.
    pub fn rank<D: Disk>(
        &self,
        corpus: &mut Corpus<D>,
        scope: &SearchScope<'_>,
        found: &mut impl LexicalMatches<D>,
        moment: Option<u64>,
    ) -> Result<HybridRanking, Failure> {
        let now = corpus.disk.monotonic_ms();
        let end = now + (self.call_end.saturating_sub(now) / 2).min(self.left);
        let question = self.question(scope.query, milliseconds(end - now))?;
        // An embedder that stores nothing reports moment 0. It cannot return the vectors of an
        // earlier page, so they are computed again. For every other moment only vectors known
        // at that time are used, and with 0 there would be none at all.
        let moment = moment.filter(|moment| *moment > 0);
        let lexical = found.lexical();
        let mut reader = DocumentReader::begin(corpus, scope.root);
        let candidates = self.candidates(&mut reader, scope, found, &lexical);
        let vectors = self.vectors(reader.disk(), &candidates, moment, end)?;
        let versions = self.versions(scope.root_name);
        let documents = found.visited_documents().into_iter();
        let documents = documents.map(|(path, text)| versions.by_text(path, text));
        let documents: Vec<DocumentVersion> = documents.collect();
        let unknown = describe_unknown(&*self.embedder, scope.root_name, &documents);
        let area = area(scope);
        let most = if self.is_alone() {
            SEMANTIC_NEAREST_ALONE
        } else {
            SEMANTIC_NEAREST
        };
        let nearest = self.embedder.nearest(&question, &area, most, moment);
        let mut places = nearest.places;
        places.truncate(most);
        let compared: BTreeSet<&str> = candidates
            .iter()
            .map(|one| one.text.place.as_str())
            .collect();
        places.retain(|place| !compared.contains(place.as_str()));
        let near = self.near(&mut reader, scope, found, &places, moment);

        let mut semantic = SemanticMatches::new();
        let known = candidates.iter().zip(vectors.all.iter());
        let known = known.filter_map(|(one, vector)| Some((one, vector.as_ref()?)));
        let near = near.iter().map(|(one, vector)| (one, vector));
        for (one, vector) in known.chain(near) {
            let alike = similarity(&question, vector);
            let best = semantic.entry(one.document).or_insert((-1.0, 0..0));
            if alike > best.0 {
                *best = (alike, one.span.clone());
            }
        }
        if semantic.is_empty() && !candidates.is_empty() {
            return Err(vectors.failure.unwrap_or(Failure::Unavailable));
        }
        let literal: BTreeSet<usize> = candidates
            .iter()
            .filter(|one| one.is_literal && !self.is_alone())
            .map(|one| one.document)
            .collect();
        let weight = match self.mode {
            SmartMode::Semantic => SemanticWeight::Alone,
            _ => SemanticWeight::Beside(self.model.weight),
        };
        let path = |number| found.path(number);
        let documents = rank_hybrid(&lexical, &semantic, &literal, weight, path);
        Ok(HybridRanking {
            start: SemanticStart {
                moment: moment.unwrap_or(nearest.moment),
                ranking: self.digest(found, &documents),
            },
            missing: vectors.missing(),
            unknown,
            documents,
        })
    }

    /// Returns the vector of the question.
    fn question(&self, query: &str, milliseconds: u32) -> Result<Vec<i8>, Failure> {
        let most = query.floor_char_boundary(self.model.max_bytes);
        let text = EmbeddingText {
            content: query[..most].to_owned(),
            place: String::new(),
        };
        let bounds = Bounds {
            milliseconds,
            moment: None,
        };
        let vectors = self
            .model
            .vectors(&*self.embedder, Role::Query, &[text], bounds)?;
        vectors.into_iter().flatten().next().ok_or(Failure::Refused)
    }

    /// Returns the lexically best passage of each of the best documents that can be read now.
    fn candidates<D: Disk>(
        &self,
        reader: &mut DocumentReader<'_, D>,
        scope: &SearchScope<'_>,
        found: &impl LexicalMatches<D>,
        lexical: &[usize],
    ) -> Vec<PassageCandidate> {
        let literal = Finder::new(scope.query, Case::Ignored);
        let mut candidates = Vec::new();
        for &number in lexical.iter().take(SEMANTIC_DOCUMENTS) {
            let Some(read) = found.read(reader, number) else {
                continue;
            };
            let sections = sections(&read.name, &read.text);
            let cut = passages(&read.text, &sections);
            let (question, collection) = (scope.question, found.collection());
            let best = best_passage(&read.text, &sections, &cut, question, collection);
            if let Some(index) = best {
                let title = headings::name_with_sections(&read.name, &read.text, &sections);
                let place = place(scope.root_name, read.path.as_str(), index);
                let mut hits = literal.hits(&read.text);
                candidates.push(PassageCandidate {
                    document: number,
                    span: cut[index].span.clone(),
                    text: self.text(place, &title, &read.text, &sections, &cut[index]),
                    is_literal: hits.any(|hit| is_whole(&read.text, &hit)),
                });
            }
        }
        candidates
    }

    /// Returns the text to embed for the passage at `place`, in the document `title` of these
    /// sections.
    fn text(
        &self,
        place: String,
        title: &str,
        text: &str,
        sections: &[Section],
        passage: &EmbeddedPassage,
    ) -> EmbeddingText {
        EmbeddingText {
            content: passage_text(title, text, sections, passage, self.model.max_bytes),
            place,
        }
    }

    /// Returns the texts to embed for all passages of a document, in their order.
    pub fn texts(&self, root_name: &str, path: &str, name: &str, text: &str) -> Vec<EmbeddingText> {
        let sections = sections(name, text);
        let cut = passages(text, &sections);
        let title = headings::name_with_sections(name, text, &sections);
        let whole = cut.iter().enumerate().map(|(index, passage)| {
            let place = place(root_name, path, index);
            self.text(place, &title, text, &sections, passage)
        });
        whole.collect()
    }

    /// Makes vectors for the first passages that have none: at most `most`, and as time allows.
    ///
    /// # Errors
    /// The reason for which there are no vectors at all.
    pub fn make(
        &self,
        disk: &impl Disk,
        texts: &[EmbeddingText],
        most: usize,
        time: EmbeddingTime,
    ) -> Result<EmbeddedCounts, Failure> {
        let known = self.known_vectors(texts, None)?;
        let before = known.iter().flatten().count();
        let unknown = known.len() - before;
        let vectors = self.with_missing(disk, texts, known, most, time)?;
        let missing = vectors.all.iter().filter(|one| one.is_none()).count();
        Ok(EmbeddedCounts {
            new: unknown - missing,
            missing,
            // Without a failure, all of the first `most` passages were passed to the embedder.
            // One that has no vector now was refused on its own and would be refused again, so
            // only passages beyond the first `most` may still get one.
            unknown: match vectors.failure {
                None => unknown.saturating_sub(most).min(missing),
                Some(_) => missing,
            },
            failure: vectors.failure,
        })
    }

    /// Returns the embedder.
    pub fn embedder(&self) -> &dyn Embedder {
        &*self.embedder
    }

    /// Returns the names of document versions in a root.
    pub fn versions(&self, root_name: &str) -> Versions {
        let model = digest(self.model.fingerprint.as_bytes());
        let cut = combine(split_fingerprint(), self.model.max_bytes as u64);
        Versions::new(root_name, combine(model, cut))
    }

    /// Returns the number of passages of a root that the embedder knows.
    pub fn count_known(&self, root_name: &str) -> usize {
        let anywhere = vec![0; self.model.dimensions];
        let area = format!("{root_name}\n");
        let all = self.embedder.nearest(&anywhere, &area, usize::MAX, None);
        all.places.len()
    }

    /// Returns the vectors of the candidates: the known ones, and as many others, best first, as
    /// time and the budget of one question allow.
    fn vectors(
        &self,
        disk: &impl Disk,
        candidates: &[PassageCandidate],
        moment: Option<u64>,
        end: u64,
    ) -> Result<PassageVectors, Failure> {
        let texts: Vec<EmbeddingText> = candidates.iter().map(|one| one.text.clone()).collect();
        let known = self.known_vectors(&texts, moment)?;
        // A later page must see the order of the first one, to which its cursor is bound by a
        // digest. A vector that is made in between may move a document, so only the vectors
        // known at that moment are used.
        let most = match moment {
            None => self.model.passages,
            Some(_) => 0,
        };
        self.with_missing(disk, &texts, known, most, EmbeddingTime { begin: end, end })
    }

    /// Returns vectors and makes the first of those that are missing: at most `most`, and as time
    /// allows.
    fn with_missing(
        &self,
        disk: &impl Disk,
        texts: &[EmbeddingText],
        known: Vec<Option<Vec<i8>>>,
        most: usize,
        time: EmbeddingTime,
    ) -> Result<PassageVectors, Failure> {
        let mut vectors = PassageVectors {
            all: known,
            failure: None,
        };
        let unknown = vectors.all.iter().enumerate();
        let unknown = unknown.filter(|(_, vector)| vector.is_none());
        let unknown: Vec<usize> = unknown.map(|(index, _)| index).collect();
        let mut wanted = &unknown[..unknown.len().min(most)];
        let mut size = 1;
        while !wanted.is_empty() {
            let batch;
            (batch, wanted) = wanted.split_at(size.min(wanted.len()));
            let now = disk.monotonic_ms();
            let left = time.end.saturating_sub(now);
            if left == 0 || now >= time.begin {
                vectors.failure = Some(Failure::TooSlow);
                break;
            }
            let bounds = Bounds {
                milliseconds: milliseconds(left),
                moment: None,
            };
            let texts: Vec<EmbeddingText> =
                batch.iter().map(|&index| texts[index].clone()).collect();
            match self
                .model
                .vectors(&*self.embedder, Role::Passage, &texts, bounds)
            {
                Ok(made) => {
                    for (&index, vector) in batch.iter().zip(made) {
                        vectors.all[index] = vector;
                    }
                }
                Err(Failure::Broken) => return Err(Failure::Broken),
                Err(failure) => {
                    vectors.failure = Some(failure);
                    // `Refused` and `TooLong` are about the texts of this batch, and the next
                    // batch may be accepted. The other failures are about the embedder, and
                    // every further batch would only take time.
                    if !matches!(failure, Failure::Refused | Failure::TooLong) {
                        break;
                    }
                }
            }
            // Batches begin with one passage and grow only while the embedder is quick. A call
            // that exceeds its time fails as a whole: a slow embedder with a batch of eight
            // would lose the work on all eight, while one by one it loses at most the last.
            if disk.monotonic_ms().saturating_sub(now) < SEMANTIC_BATCH_MS {
                size = (size * 2).min(SEMANTIC_BATCH);
            }
        }
        Ok(vectors)
    }

    /// Returns the known vectors among those of these passages.
    fn known_vectors(
        &self,
        texts: &[EmbeddingText],
        moment: Option<u64>,
    ) -> Result<Vec<Option<Vec<i8>>>, Failure> {
        let bounds = Bounds {
            milliseconds: 0,
            moment,
        };
        self.model
            .vectors(&*self.embedder, Role::Passage, texts, bounds)
    }

    /// Returns the passages at `places` that are unchanged since they were embedded, in documents
    /// that were visited, with their vectors.
    fn near<D: Disk>(
        &self,
        reader: &mut DocumentReader<'_, D>,
        scope: &SearchScope<'_>,
        found: &mut impl LexicalMatches<D>,
        places: &[String],
        moment: Option<u64>,
    ) -> Vec<(PassageCandidate, Vec<i8>)> {
        let mut lookup = PathLookup::<Vec<usize>>::default();
        for place in places {
            if let Some((path, index)) = parse_place(place, scope.root_name) {
                lookup.entry(path).push(index);
            }
        }
        let mut candidates = Vec::new();
        for (document, indices) in found.find(lookup) {
            let Some(read) = found.read(reader, document) else {
                continue;
            };
            let sections = sections(&read.name, &read.text);
            let cut = passages(&read.text, &sections);
            let title = headings::name_with_sections(&read.name, &read.text, &sections);
            let there = indices.into_iter().filter(|index| *index < cut.len());
            candidates.extend(there.map(|index| {
                let place = place(scope.root_name, read.path.as_str(), index);
                PassageCandidate {
                    document,
                    span: cut[index].span.clone(),
                    text: self.text(place, &title, &read.text, &sections, &cut[index]),
                    is_literal: false,
                }
            }));
        }
        let texts: Vec<EmbeddingText> = candidates.iter().map(|one| one.text.clone()).collect();
        // The embedder reports the places of texts as they were when it embedded them. If a
        // paragraph was inserted above, passage 3 of the document is another text now. So the
        // current texts are looked up, with no time to compute any, and a place whose current
        // text has no known vector is dropped.
        let vectors = self.known_vectors(&texts, moment).unwrap_or_default();
        let known = candidates.into_iter().zip(vectors);
        known
            .filter_map(|(one, vector)| Some((one, vector?)))
            .collect()
    }

    /// Returns the digest of an order and of its basis.
    fn digest<D: Disk>(&self, found: &impl LexicalMatches<D>, documents: &[HybridHit]) -> u32 {
        let start = combine(
            digest(self.model.fingerprint.as_bytes()),
            u64::from(self.is_alone()),
        );
        let paths = documents.iter();
        let paths = paths.map(|document| digest(found.path(document.number).as_bytes()));
        short(paths.fold(start, combine))
    }
}

impl PassageVectors {
    /// Returns the number of texts without a vector and the reason, or `None` if all have one.
    fn missing(&self) -> Option<String> {
        let missing = self.all.iter().filter(|vector| vector.is_none()).count();
        let all = self.all.len();
        let why = self
            .failure
            .map_or(String::new(), |failure| format!(": {failure}"));
        (missing > 0).then(|| format!("{missing} of {all} passages without vectors{why}"))
    }
}

/// Returns the prefix of the places of all passages within the scope of a question.
fn area(scope: &SearchScope<'_>) -> String {
    let is_everything = scope.path.segments().next().is_none();
    let path = if is_everything {
        ""
    } else {
        scope.path.as_str()
    };
    format!("{}\n{path}", scope.root_name)
}

/// Returns the place of a passage in the form that embedders are given.
fn place(root: &str, path: &str, index: usize) -> String {
    format!("{root}\n{path}\n{index}")
}

/// Returns the path and the number of a passage in root `root`, as [`place`] wrote them.
fn parse_place<'p>(place: &'p str, root: &str) -> Option<(&'p str, usize)> {
    let inside = place.strip_prefix(root)?.strip_prefix('\n')?;
    let (path, index) = inside.rsplit_once('\n')?;
    Some((path, index.parse().ok()?))
}

fn milliseconds(time: u64) -> u32 {
    u32::try_from(time).unwrap_or(u32::MAX)
}
