//! The plan: the candidates of an answer, before any of them is rendered.

use std::ops::ControlFlow;

use docent_api::pillars::Degradation;
use docent_api::types::Error;

use crate::explore::request::ExploreRequest;
use crate::explore::request::cursor::{DecodedCursor, ItemPosition, ScanRange};
use crate::explore::request::deadline::{CallPhase, Deadline};
use crate::explore::request::kinds::FileKind;
use crate::explore::request::pack::Pack;
use crate::explore::request::scope::{ScopeRules, SensitiveFiles};
use crate::explore::request::shape::Shape;
use crate::explore::request::sources::SourcesDigest;
use crate::explore::request::subject::Subject;
use crate::explore::selection::candidate::Candidates;
use crate::explore::selection::expand::expand;
use crate::explore::selection::pack_cache::PackCache;
use crate::explore::selection::search::{CandidateSource, scan_query};
use crate::explore::selection::semantic::{ListOrder, SemanticReranker};
use crate::explore::selection::traversal::{RangeScan, Traversal};
use crate::limits::WORD_BYTES;
use crate::settings::ToolSettings;
use crate::unsearched::describe_unsearched;
use docent_corpus::corpus::Corpus;
use docent_rank::bm25::Collection;
use docent_rank::passages::Question;
use docent_text::digest::combine;
use docent_text::saturating::saturating_u32;
use docent_tree::disk::Disk;
use docent_tree::door::Consent;
use docent_tree::error::invalid;
use docent_tree::path::RelPath;

/// The candidates of an answer, before any of them is rendered.
pub struct AnswerPlan {
    /// The candidates.
    pub candidates: Candidates,
    /// Origin of the candidates.
    pub candidate_source: CandidateSource,
    /// The documents that are searched.
    pub collection: Collection,
    /// Number of files that contain each term of the query; empty if files are read.
    pub term_frequencies: Vec<u32>,
    /// The traversal of the files.
    pub traversal: Traversal,
    /// Reasons for which the result is incomplete.
    pub reasons: Vec<Degradation>,
    /// Digest of the sources of the candidates.
    sources: Option<SourcesDigest>,
    /// Hash of everything that determines their list, except the round.
    list_basis: u64,
    /// The round that returns more files of the same range.
    next_round: Option<u32>,
    /// Number of vectors the embedder knew for this order, or `None` if the order is lexical.
    pub moment: Option<u64>,
    /// Description of the searched documents not embedded yet, as a sentence without its end.
    pub unknown: Option<String>,
    /// Description of the files that were not searched, as a sentence after a space.
    pub unsearched: String,
}

impl AnswerPlan {
    /// Searches the files for the query.
    ///
    /// # Errors
    /// `query-too-short` for a query without a word or symbol; errors of a path that cannot be
    /// resolved.
    pub fn for_query<D: Disk>(
        corpus: &mut Corpus<D>,
        settings: &ToolSettings,
        packs: &mut PackCache,
        request: &ExploreRequest,
        question: &Question,
        (scan, order): (&RangeScan, ListOrder),
        deadline: &Deadline,
    ) -> Result<Self, Error> {
        let subject = &request.subject;
        let query = subject.query.as_deref().unwrap_or_default();
        crate::question::refuse_wordless(query, question).map_err(|error| Error {
            // The hint does not name a search for the exact text: this may be the only search
            // tool of the host.
            hint: "Ask in words that the text may use; punctuation alone is not searched."
                .to_owned(),
            ..error
        })?;
        let mut ranker = SemanticReranker::new(corpus, subject, question, order, deadline);
        let retain = ranker.retain();
        let rules = ScopeRules {
            disk: &corpus.disk,
            exclude: &corpus.exclude,
            root: request.root,
            globs: subject.globs,
            included: subject.included,
            // A search would reveal that a key contains a word, to any caller that tries words.
            // The caller's consent is therefore not asked for: sensitive files are never
            // searched, only read by name.
            sensitive: SensitiveFiles::from_consents(consent(settings, subject), Consent::Withheld),
        };
        let store = &mut corpus.store;
        let query_scan = scan_query(
            rules,
            store,
            subject,
            &question.query,
            (scan, retain),
            deadline,
        )?;
        // Without a store of texts each call has to see the current files, so the choice is not
        // cached either.
        let cache = corpus.store.is_on().then_some(packs);
        let read = |path: &str, phase: CallPhase, receive: &mut dyn FnMut(&str)| {
            read_for(corpus, request, deadline, (path, phase), receive)
        };
        let (mut candidates, candidate_source) =
            query_scan.candidates(subject, &question.query, cache, read);
        // The sources of a pack are taken before the semantic order. The embedder knows more
        // vectors from one call to the next; with its order in the digest, a pack would report
        // changed sources although no file changed.
        let sources = candidates.sources();
        let unknown = candidates.take_unknown();
        let docs = &mut candidates.docs;
        let moment = ranker.reorder(corpus, request, question, &query_scan.docs, docs);
        candidates.put_unknown(unknown);
        let reasons = query_scan
            .traversal
            .end_reason
            .into_iter()
            .chain(ranker.reasons);
        let left_out = query_scan.unsearched_counts();
        Ok(Self {
            unsearched: describe_unsearched(&left_out, LEFT_OUT_KINDS),
            list_basis: candidates.sources(),
            candidates,
            candidate_source,
            reasons: reasons.collect(),
            term_frequencies: query_scan.term_frequencies(question.query.count_len()),
            collection: query_scan.docs.collection,
            traversal: query_scan.traversal,
            sources: SourcesDigest::new(sources),
            moment,
            unknown: ranker.unknown,
            // A search ranks all files of its range at once: `maxFiles` is a limit of reading.
            next_round: None,
        })
    }

    /// Expands the paths of a request.
    ///
    /// # Errors
    /// Errors of a path that cannot be resolved; `invalid-request` for a section of several files.
    pub fn for_paths<D: Disk>(
        corpus: &mut Corpus<D>,
        settings: &ToolSettings,
        request: &ExploreRequest,
        scan: &RangeScan,
        deadline: &Deadline,
    ) -> Result<Self, Error> {
        let subject = &request.subject;
        let rules = ScopeRules {
            disk: &corpus.disk,
            exclude: &corpus.exclude,
            root: request.root,
            globs: subject.globs,
            included: subject.included,
            // Both consents are needed: the person's for the root, and the caller's in this
            // call.
            sensitive: SensitiveFiles::from_consents(
                consent(settings, subject),
                request.caller_consent,
            ),
        };
        let items = request.directory_items;
        let store = &mut corpus.store;
        let expansion = expand(rules, store, subject, items, scan, deadline)?;
        // If the path is blocked, the answer gives the reason, which this error would hide. It
        // also applies if `maxFiles` let only one of several files through.
        let is_one = expansion.candidates.len() == 1 && expansion.next_round.is_none();
        if matches!(request.shape, Shape::Section(..))
            && !is_one
            && expansion.traversal.blocked.is_empty()
        {
            return Err(invalid(
                "`section` needs exactly one document in `paths`; expected no directory or glob",
                "Name the document of the section.",
            ));
        }
        let round_reason = expansion.next_round.map(|_| Degradation::MaxFiles);
        let reasons = round_reason
            .into_iter()
            .chain(expansion.traversal.end_reason);
        // Whether directories are items themselves, and the maximum of files, determine the
        // list and thus its cursors. The sources of the pack are the same for all of these.
        let most_files = items.most_files.map_or(0, |files| files as u64);
        let list_basis = combine(expansion.sources, items.itself.into());
        Ok(Self {
            reasons: reasons.collect(),
            candidates: expansion.candidates,
            candidate_source: CandidateSource::Ranked,
            collection: Collection::default(),
            term_frequencies: Vec::new(),
            traversal: expansion.traversal,
            sources: SourcesDigest::new(expansion.sources),
            list_basis: combine(list_basis, most_files),
            next_round: expansion.next_round,
            moment: None,
            unknown: None,
            unsearched: String::new(),
        })
    }

    /// Returns the digest for cursors within a round.
    pub fn list_digest(&self, round: u32) -> Option<SourcesDigest> {
        SourcesDigest::new(combine(self.list_basis, round.into()))
    }

    /// Returns `range` with its end, if this call has found one.
    pub fn with_end(&self, range: &ScanRange) -> ScanRange {
        let end = self.traversal.next.as_ref().map(|_| self.traversal.steps);
        ScanRange {
            // A repeated scan ends where the first one did, even if it had time for more: a
            // longer range would be ranked differently, and the positions of the cursor would
            // mean other files.
            steps: range.steps.or(end),
            ..range.clone()
        }
    }

    /// Returns the position of the items after `to`: in the list, in the next round, or in the next
    /// range.
    pub fn next_items(
        &self,
        range: &ScanRange,
        to: ItemPosition,
    ) -> Option<DecodedCursor<ItemPosition>> {
        if self.has_more_behind(to) {
            return Some(DecodedCursor {
                position: to,
                range: self.with_end(range),
                sources: self.list_digest(range.round),
                moment: self.moment,
            });
        }
        let position = ItemPosition::default();
        if let Some(round) = self.next_round {
            return Some(DecodedCursor {
                position,
                range: ScanRange {
                    round,
                    ..self.with_end(range)
                },
                // The digest is known already: another round returns more files of the same
                // range.
                sources: self.list_digest(round),
                moment: self.moment,
            });
        }
        self.traversal.next.clone().map(|from| DecodedCursor {
            position,
            range: ScanRange {
                from: Some(from),
                ..ScanRange::default()
            },
            // The next range was not visited, so it has no digest yet.
            sources: None,
            moment: None,
        })
    }

    fn has_more_behind(&self, position: ItemPosition) -> bool {
        (position.docs as usize) < self.candidates.docs.len()
            || (position.code as usize) < self.candidates.code.len()
            || (position.data as usize) < self.candidates.data.len()
    }

    /// Returns true if this call found other sources than a pack has.
    pub fn contradicts(&self, pack: Option<&Pack>, range: &ScanRange) -> bool {
        let pack_sources = pack.and_then(|pack| pack.sources);
        pack_sources.is_some() && self.has_seen_all(range) && self.sources != pack_sources
    }

    /// Returns the pack of the answer.
    pub fn pack(&self, request: &ExploreRequest, range: &ScanRange, hour: u64) -> Pack {
        let pack = request.pack.as_ref();
        Pack {
            subject: request.subject.clone(),
            // With other sources it is a new pack, which starts now.
            hour: match pack {
                Some(pack) if !self.contradicts(Some(pack), range) => pack.hour,
                Some(_) | None => hour,
            },
            sources: if self.has_seen_all(range) {
                self.sources
            } else {
                pack.and_then(|pack| pack.sources)
            },
        }
    }

    /// Returns true if all files of the subject were visited in this call. If only a range of them
    /// was,
    /// the digest covers part of the files; comparing it with a pack's would report a change that
    /// did not happen.
    fn has_seen_all(&self, range: &ScanRange) -> bool {
        range.from.is_none() && self.traversal.next.is_none()
    }

    /// Refuses paths of files that are to come whole and are not among the candidates, if that is
    /// known.
    ///
    /// # Errors
    /// `invalid-request` for the first of them.
    pub fn refuse_unknown(&self, paths: &[RelPath], range: &ScanRange) -> Result<(), Error> {
        // If more files follow, the path may be among them.
        let is_everything =
            range.is_all() && self.traversal.next.is_none() && self.next_round.is_none();
        if !is_everything {
            return Ok(());
        }
        let is_known = |path: &String| {
            let mut blocked = self.traversal.blocked.iter();
            self.candidates
                .iter()
                .any(|candidate| candidate.path == *path)
                || blocked.any(|blocked| blocked.file_path == *path)
        };
        let mut paths = paths.iter().map(RelPath::to_string);
        match paths.find(|path| !is_known(path)) {
            None => Ok(()),
            Some(path) => Err(invalid(
                format!(
                    "`fullPaths` holds `{path}`, which is not one of the files; expected some of them"
                ),
                "Name files that paths names, or that are in its directories.",
            )),
        }
    }
}

/// Description of the kinds of files that a request excludes.
pub const LEFT_OUT_KINDS: &str = "of kinds that `include` leaves out";

/// Passes the searched text of the file at a path to `receive`, within the time of the phase.
fn read_for<D: Disk>(
    corpus: &mut Corpus<D>,
    request: &ExploreRequest,
    deadline: &Deadline,
    (path, phase): (&str, CallPhase),
    receive: &mut dyn FnMut(&str),
) -> ControlFlow<()> {
    if deadline.is_over_after(&corpus.disk, phase, 0) {
        return ControlFlow::Break(());
    }
    let path = RelPath::parse(path);
    let opened = path
        .map_err(Error::from)
        .and_then(|path| corpus.open_among(request.root, &path, request.subject.included));
    // A file that cannot be read now has no text. It was readable when its words were counted,
    // and errors are not reported at this stage.
    if let Ok(opened) = opened
        && let Ok(decoded) = opened.decode(&mut corpus.store)
    {
        let kind = FileKind::from_name(&opened.name);
        receive(&request.subject.kinds.searchable(kind, &decoded.text));
        // The words are counted now, so that the next file consults the clock if this one was
        // long.
        let words = saturating_u32(decoded.text.len() / WORD_BYTES);
        deadline.is_over_after(&corpus.disk, phase, words);
    }
    ControlFlow::Continue(())
}

/// Returns the person's consent to opening sensitive files of the subject's root.
fn consent(settings: &ToolSettings, subject: &Subject) -> Consent {
    if settings.sensitive_roots.contains(&subject.root) {
        Consent::Given
    } else {
        Consent::Withheld
    }
}
