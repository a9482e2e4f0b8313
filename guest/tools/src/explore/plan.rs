//! The plan: what there is to show, before any of it is read.

use std::ops::ControlFlow;

use docent_api::pillars::Degradation;
use docent_api::types::Error;

use crate::explore::candidate::Candidates;
use crate::explore::cursor::{DecodedCursor, ItemPosition, ScanRange};
use crate::explore::deadline::{Deadline, Phase};
use crate::explore::expand::expand;
use crate::explore::kinds::FileKind;
use crate::explore::meaning::{DocumentMeaning, ListOrder};
use crate::explore::pack::Pack;
use crate::explore::pack_cache::PackCache;
use crate::explore::request::{Request, Shape, Subject};
use crate::explore::scope::{ScopeRules, SensitiveFiles};
use crate::explore::search::{CandidateSource, survey};
use crate::explore::sources::SourcesDigest;
use crate::explore::tour::{RangeScan, Tour};
use crate::limits::WORD_BYTES;
use crate::settings::Settings;
use crate::unsearched::unsearched;
use docent_corpus::corpus::Corpus;
use docent_rank::bm25::Collection;
use docent_rank::passages::Question;
use docent_text::digest::combine;
use docent_text::saturating::saturating_u32;
use docent_tree::disk::Disk;
use docent_tree::door::Consent;
use docent_tree::error::invalid;
use docent_tree::path::RelPath;

/// What there is to show, before any of it is read.
pub struct Plan {
    /// The candidates.
    pub candidates: Candidates,
    /// Where they come from.
    pub candidate_source: CandidateSource,
    /// The documents that are searched.
    pub collection: Collection,
    /// The number of files that hold each term of the query; nothing where files are read.
    pub term_frequencies: Vec<u32>,
    /// How the files were looked at.
    pub tour: Tour,
    /// Why it is less than was asked for.
    pub reasons: Vec<Degradation>,
    /// Digest of what the candidates were made from.
    sources: Option<SourcesDigest>,
    /// Hash of what decides their list, the round left out.
    list_basis: u64,
    /// The round that brings more files of the same range.
    next_round: Option<u32>,
    /// How much the embedder knew that the order goes by; none where it goes by words.
    pub moment: Option<u64>,
    /// What is not known by meaning yet of what was searched, in a sentence without its end.
    pub unknown: Option<String>,
    /// What a search has not looked at, in a sentence with a blank before it.
    pub unsearched: String,
}

impl Plan {
    /// Returns what the files hold that a query is looked for in.
    ///
    /// # Errors
    /// `query-too-short` without a word or symbol; those of a path that leads nowhere.
    pub fn of_query<D: Disk>(
        corpus: &mut Corpus<D>,
        settings: &Settings,
        packs: &mut PackCache,
        request: &Request,
        question: &Question,
        (scan, order): (&RangeScan, ListOrder),
        deadline: &Deadline,
    ) -> Result<Self, Error> {
        let subject = &request.subject;
        let query = subject.query.as_deref().unwrap_or_default();
        crate::question::refuse_wordless(query, question).map_err(|error| Error {
            // The exact text is no way out here: this may be the only tool that searches.
            hint: "Ask in words that the text may use; punctuation alone is not looked for."
                .to_owned(),
            ..error
        })?;
        let mut meaning = DocumentMeaning::of(corpus, subject, question, order, deadline);
        let keeps = meaning.keeps();
        let rules = ScopeRules {
            disk: &corpus.disk,
            exclude: &corpus.exclude,
            root: request.root,
            globs: subject.globs,
            included: subject.included,
            // A search would show of a key that it holds a word, to whoever asks for one.
            sensitive: SensitiveFiles::of(consent(settings, subject), Consent::Withheld),
        };
        let store = &mut corpus.store;
        let survey = survey(
            rules,
            store,
            subject,
            &question.query,
            (scan, keeps),
            deadline,
        )?;
        // Without a cache each call is to see what is there now.
        let cache = corpus.store.is_on().then_some(packs);
        let read = |path: &str, phase: Phase, receive: &mut dyn FnMut(&str)| {
            read_for(corpus, request, deadline, (path, phase), receive)
        };
        let (mut candidates, candidate_source) =
            survey.candidates(subject, &question.query, cache, read);
        // A pack goes by what words find: an embedder comes to know more from one call to the next.
        let sources = candidates.sources();
        let unknown = candidates.take_unknown();
        let docs = &mut candidates.docs;
        let moment = meaning.reorder(corpus, request, question, &survey.docs, docs);
        candidates.put_unknown(unknown);
        let reasons = survey.tour.end_reason.into_iter().chain(meaning.reasons);
        let left_out = survey.left_out();
        Ok(Self {
            unsearched: unsearched(&left_out, LEFT_OUT_KINDS),
            list_basis: candidates.sources(),
            candidates,
            candidate_source,
            reasons: reasons.collect(),
            term_frequencies: survey.term_frequencies(question.query.counted()),
            collection: survey.docs.collection,
            tour: survey.tour,
            sources: SourcesDigest::new(sources),
            moment,
            unknown: meaning.unknown,
            // A search takes all files of its range at once: `maxFiles` is a limit of reading.
            next_round: None,
        })
    }

    /// Returns what the paths of a request stand for.
    ///
    /// # Errors
    /// Those of a path that leads nowhere; `invalid-request` for a section of several files.
    pub fn of_paths<D: Disk>(
        corpus: &mut Corpus<D>,
        settings: &Settings,
        request: &Request,
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
            // Both: the person for the root, and the caller in this call.
            sensitive: SensitiveFiles::of(consent(settings, subject), request.caller_consent),
        };
        let items = request.directory_items;
        let store = &mut corpus.store;
        let expansion = expand(rules, store, subject, items, scan, deadline)?;
        // Where the path is blocked, the answer tells why, which this would hide.
        // Also where `maxFiles` lets only one of several files through.
        let is_one = expansion.candidates.len() == 1 && expansion.next_round.is_none();
        if matches!(request.shape, Shape::Section(..))
            && !is_one
            && expansion.tour.blocked.is_empty()
        {
            return Err(invalid(
                "`section` needs exactly one document in `paths`; expected no directory or glob",
                "Name the document of the section.",
            ));
        }
        let round_reason = expansion.next_round.map(|_| Degradation::MaxFiles);
        let reasons = round_reason.into_iter().chain(expansion.tour.end_reason);
        // What is shown of directories decides the list; the sources are the same for every view.
        let most_files = items.most_files.map_or(0, |files| files as u64);
        let list_basis = combine(expansion.sources, items.itself.into());
        Ok(Self {
            reasons: reasons.collect(),
            candidates: expansion.candidates,
            candidate_source: CandidateSource::Ranked,
            collection: Collection::default(),
            term_frequencies: Vec::new(),
            tour: expansion.tour,
            sources: SourcesDigest::new(expansion.sources),
            list_basis: combine(list_basis, most_files),
            next_round: expansion.next_round,
            moment: None,
            unknown: None,
            unsearched: String::new(),
        })
    }

    /// Returns the digest that cursors within a round hold.
    pub fn list_digest(&self, round: u32) -> Option<SourcesDigest> {
        SourcesDigest::new(combine(self.list_basis, round.into()))
    }

    /// Returns `range` with its end, where this call has found one.
    pub fn ended(&self, range: &ScanRange) -> ScanRange {
        let end = self.tour.next.as_ref().map(|_| self.tour.steps);
        ScanRange {
            // A repeated look ends where the first one did, not where it gets itself.
            steps: range.steps.or(end),
            ..range.clone()
        }
    }

    /// Returns where further items begin behind `to`: in the list, in the next round, or in the
    /// next range.
    pub fn next_items(
        &self,
        range: &ScanRange,
        to: ItemPosition,
    ) -> Option<DecodedCursor<ItemPosition>> {
        if self.has_more_behind(to) {
            return Some(DecodedCursor {
                position: to,
                range: self.ended(range),
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
                    ..self.ended(range)
                },
                // Known already: another round deals out the files of the same range.
                sources: self.list_digest(round),
                moment: self.moment,
            });
        }
        self.tour.next.clone().map(|from| DecodedCursor {
            position,
            range: ScanRange {
                from: Some(from),
                ..ScanRange::default()
            },
            // Nobody has looked there yet.
            sources: None,
            moment: None,
        })
    }

    fn has_more_behind(&self, position: ItemPosition) -> bool {
        (position.docs as usize) < self.candidates.docs.len()
            || (position.code as usize) < self.candidates.code.len()
            || (position.data as usize) < self.candidates.data.len()
    }

    /// Whether this call found other sources than those of a pack.
    pub fn contradicts(&self, pack: Option<&Pack>, range: &ScanRange) -> bool {
        let pack_sources = pack.and_then(|pack| pack.sources);
        pack_sources.is_some() && self.has_seen_all(range) && self.sources != pack_sources
    }

    /// Returns the pack of the answer.
    pub fn pack(&self, request: &Request, range: &ScanRange, hour: u64) -> Pack {
        let pack = request.pack.as_ref();
        Pack {
            subject: request.subject.clone(),
            // Of other sources it is another pack, which begins now.
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

    /// Whether all files of the subject were looked at in this call. If only a range of them was,
    /// the digest covers part of the files; comparing it with a pack's would report a change that
    /// did not happen.
    fn has_seen_all(&self, range: &ScanRange) -> bool {
        range.from.is_none() && self.tour.next.is_none()
    }

    /// Refuses paths of files that are to come whole and take no part, where that can be told.
    ///
    /// # Errors
    /// `invalid-request` for the first of them.
    pub fn refuse_unknown(&self, paths: &[RelPath], range: &ScanRange) -> Result<(), Error> {
        // Where more files follow, the path may be one of those.
        let is_everything = range.is_all() && self.tour.next.is_none() && self.next_round.is_none();
        if !is_everything {
            return Ok(());
        }
        let is_known = |path: &String| {
            let mut blocked = self.tour.blocked.iter();
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
                    "`fullPaths` holds `{path}`, which is none of the files; expected some of them"
                ),
                "Name files that paths names, or that stand in its directories.",
            )),
        }
    }
}

/// What is said of kinds of files that a request leaves out.
pub const LEFT_OUT_KINDS: &str = "of kinds that `include` leaves out";

/// Gives what is searched of the file at a path, as long as the time of a phase lasts.
fn read_for<D: Disk>(
    corpus: &mut Corpus<D>,
    request: &Request,
    deadline: &Deadline,
    (path, phase): (&str, Phase),
    receive: &mut dyn FnMut(&str),
) -> ControlFlow<()> {
    if deadline.is_over_after(&corpus.disk, phase, 0) {
        return ControlFlow::Break(());
    }
    let path = RelPath::parse(path);
    let opened = path
        .map_err(Error::from)
        .and_then(|path| corpus.open_among(request.root, &path, request.subject.included));
    // What cannot be read now spells nothing; from matching on nothing fails.
    if let Ok(opened) = opened
        && let Ok(decoded) = opened.decode(&mut corpus.store)
    {
        let kind = FileKind::of(&opened.name);
        receive(&request.subject.kinds.searchable(kind, &decoded.text));
        // Counted now, so that the next file looks at the clock where this one was long.
        let words = saturating_u32(decoded.text.len() / WORD_BYTES);
        deadline.is_over_after(&corpus.disk, phase, words);
    }
    ControlFlow::Continue(())
}

/// Returns whether the person lets sensitive files of the subject's root be opened.
fn consent(settings: &Settings, subject: &Subject) -> Consent {
    if settings.sensitive_roots.contains(&subject.root) {
        Consent::Given
    } else {
        Consent::Withheld
    }
}
