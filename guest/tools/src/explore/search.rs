//! The search: which documents and which files of code hold the query, best first.

use std::ops::ControlFlow;

use docent_api::types::{Error, SkipReason};

use crate::explore::candidate::{
    Candidate, CandidateKind, Candidates, Group, MatchKind, NameFound, NameRole,
};
use crate::explore::change_logs::{asks_for_changes, is_change_log};
use crate::explore::deadline::{Deadline, Phase};
use crate::explore::definitions::DefinedName;
use crate::explore::kinds::{FileKind, FileKinds};
use crate::explore::pack_cache::PackCache;
use crate::explore::request::Subject;
use crate::explore::scope::ScopeRules;
use crate::explore::tour::{
    FileVisitor, NamedFile, RangeScan, Tour, TourArguments, Unvisited, tour,
};
use crate::identifier_matches::{IdentifierMatches, Spelling};
use crate::limits::{
    CHANGE_LOG_THOUSANDTHS, DEFINITION_FILES, DEFINITION_OUTLINES, GENERATED_THOUSANDTHS,
    IDENTIFIER_DOCUMENTS, TEST_THOUSANDTHS,
};
use crate::part::{PartAddress, resolve};
use crate::test_files::{asks_for_tests, is_test};
use crate::unsearched::Unsearched;
use crate::wanted::Wanted;
use docent_corpus::foreign;
use docent_corpus::store::Store;
use docent_corpus::visit::{read_found, refuse_binary, term_counts_of};
use docent_corpus::walk::{Included, Walk};
use docent_data::is_generated;
use docent_rank::bm25::{Collection, Query, Ranking};
use docent_rank::cliff;
use docent_rank::closeness::{ReadDocument, SecondStage, TextKind, words_read_again};
use docent_rank::neighbours::{Placed, with_neighbours};
use docent_rank::statistics::Statistics;
use docent_rank::term_counts::TermCounts;
use docent_text::digest::{combine, digest};
use docent_text::matching::finder::Case;
use docent_text::patience::Pace;
use docent_text::words::identifier;
use docent_tree::disk::{Directory, Disk};
use docent_tree::door::{Consent, Denied, Extent, Stamps};
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::path::RelPath;
use docent_tree::skips::reason;

/// What a search came to.
pub struct Survey {
    /// How the files were looked at.
    pub tour: Tour,
    /// What documents hold.
    pub docs: GroupMatches,
    /// What code holds.
    pub code: GroupMatches,
    /// What settings and data hold.
    pub data: GroupMatches,
    /// Files of unknown kinds that could not be read, where these were looked at.
    unsearched: Unsearched,
}

/// The files of one group.
#[derive(Default)]
pub struct GroupMatches {
    /// All of them.
    pub collection: Collection,
    /// Those that hold a term, in the order of the walk.
    files: Vec<MatchedFile>,
    /// The whole files that hold none, where they are kept.
    others: Option<Vec<OtherFile>>,
}

/// A file that holds no term of the query.
struct OtherFile {
    path: String,
    kind: FileKind,
    digest: u64,
}

/// A file that holds a term of the query.
struct MatchedFile {
    path: String,
    /// The part of it that is searched; none for all of it.
    part: Option<PartAddress>,
    /// Which one it is of all files of its group.
    place: u32,
    kind: FileKind,
    held: TermCounts,
}

impl MatchedFile {
    /// Returns what its score is multiplied with.
    fn kind_weight(&self) -> f64 {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        let may_be_generated = matches!(self.kind, FileKind::Code(_) | FileKind::Data);
        if may_be_generated && is_generated(name) {
            return f64::from(GENERATED_THOUSANDTHS) / 1000.0;
        }
        1.0
    }

    /// Returns it with its place and its score.
    fn placed(&self, ranking: &Ranking) -> Placed<'_> {
        Placed {
            path: &self.path,
            place: self.place,
            score: ranking.document_score(&self.held) * self.kind_weight(),
        }
    }
}

/// Where the candidates of a survey come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateSource {
    /// They were ranked now.
    Ranked,
    /// A warm instance remembered them.
    Cache,
}

/// The files of all groups, while a tour counts what they hold of a query.
struct QueryMatches<'a> {
    kinds: FileKinds,
    query: &'a Query,
    docs: GroupMatches,
    code: GroupMatches,
    data: GroupMatches,
    unsearched: Unsearched,
}

impl QueryMatches<'_> {
    fn add(&mut self, path: &str, part: Option<&PartAddress>, counts: TermCounts) {
        let kind = FileKind::of(path.rsplit('/').next().unwrap_or(path));
        let group = match CandidateKind::File(kind).group() {
            Group::Docs => &mut self.docs,
            Group::Code => &mut self.code,
            Group::Data => &mut self.data,
        };
        // What holds no term counts too: a term is the rarer the more files lack it.
        let place = group.collection.texts();
        group.collection.add(counts.length, &counts.counts);
        if !counts.counts.is_empty() {
            group.files.push(MatchedFile {
                path: path.to_owned(),
                part: part.cloned(),
                place,
                kind,
                held: counts,
            });
        } else if let (Some(others), None) = (&mut group.others, part) {
            others.push(OtherFile {
                path: path.to_owned(),
                kind,
                digest: counts.digest,
            });
        }
    }
}

impl QueryMatches<'_> {
    /// Receives a file where those of unknown kinds are looked at alone, and counts what cannot be.
    fn walked_unknown<T: Directory>(
        &mut self,
        walk: &mut Walk<'_, T>,
        kind: FileKind,
        pace: &mut Pace<'_>,
    ) -> u32 {
        if kind != FileKind::Other {
            if !self.kinds.has(kind) {
                self.unsearched.not_included += 1;
            }
            return 0;
        }
        let counts = refuse_binary(walk).and_then(|()| term_counts_of(walk, self.query, pace));
        match counts {
            Ok(Some(counts)) => {
                let words = counts.length;
                self.add(walk.path(), None, counts);
                words
            }
            Ok(None) => 0,
            Err(reason) => {
                self.unsearched.add(reason);
                0
            }
        }
    }
}

impl FileVisitor for QueryMatches<'_> {
    const READS: bool = true;

    fn named_file<T: Directory>(
        &mut self,
        store: &mut Store,
        named: &NamedFile<'_, T>,
        pace: &mut Pace<'_>,
    ) -> Result<u32, Unvisited> {
        // It was looked at with the known ones, whatever it is.
        if self.kinds.unknown_alone {
            return Ok(0);
        }
        let file = named.file;
        let path = file.path.as_str();
        let extent = Extent::Whole(DOCUMENT_BYTES);
        let content = match file.parent.read(&file.name, extent, Stamps::Unwanted) {
            Ok(content) => content,
            Err(Denied::Failed(failure)) => return Err(reason(failure).into()),
            Err(Denied::Sensitive) => return Ok(0),
        };
        let decoded = store.decode(&file.name, &content.bytes)?;
        let text = self
            .kinds
            .searchable(FileKind::of(&file.name), &decoded.text);
        let span = match named.part {
            None => 0..text.len(),
            Some(part) => resolve(path, &file.name, &decoded.text, part, pace)?.span,
        };
        let counts = counts_of(path, &text[span], self.query, pace)?;
        let words = counts.length;
        self.add(path, named.part, counts);
        Ok(words)
    }

    fn named_directory(&mut self, _: &RelPath) {}

    fn walked_file<T: Directory>(
        &mut self,
        walk: &mut Walk<'_, T>,
        pace: &mut Pace<'_>,
    ) -> Result<u32, SkipReason> {
        let kind = FileKind::of(walk.name());
        if self.kinds.unknown_alone {
            return Ok(self.walked_unknown(walk, kind, pace));
        }
        let is_code = CandidateKind::File(kind).group() == Group::Code;
        let counts = if is_code && !self.kinds.comments {
            // Past the cache: what is kept of a file counts its comments.
            let mut counts = None;
            read_found(walk, |walk, _, text, _| {
                let text = self.kinds.searchable(kind, text);
                counts = Some(counts_of(walk.path(), &text, self.query, pace)?);
                Ok(())
            })?;
            counts
        } else {
            term_counts_of(walk, self.query, pace)?
        };
        let Some(counts) = counts else {
            return Ok(0);
        };
        let words = counts.length;
        self.add(walk.path(), None, counts);
        Ok(words)
    }
}

/// Returns what the text at a path holds of a query.
///
/// # Errors
/// `too-slow` when the time is over.
fn counts_of(
    path: &str,
    text: &str,
    query: &Query,
    pace: &mut Pace<'_>,
) -> Result<TermCounts, SkipReason> {
    let counts = if query.is_symbols() {
        TermCounts::of_symbols(text, query, pace)
    } else {
        let statistics = Statistics::within(path, text, pace);
        statistics.map(|statistics| TermCounts::new(&statistics, query))
    };
    counts.ok_or(SkipReason::TooSlow)
}

/// Which files a survey keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// Those that hold a term of the query.
    Matches,
    /// All documents as well: they may be near in meaning.
    Documents,
}

/// Looks through a range of a subject's files for the terms of `query`.
///
/// # Errors
/// When the only path leads nowhere.
pub fn survey<D: Disk>(
    rules: ScopeRules<'_, D>,
    store: &mut Store,
    subject: &Subject,
    query: &Query,
    (scan, keeps): (&RangeScan, Keeps),
    deadline: &Deadline,
) -> Result<Survey, Error> {
    let arguments = TourArguments {
        rules,
        paths: &subject.paths,
        is_document: &|name| {
            // Of those that are left out it is counted how many there are.
            let is_counted = subject.kinds.unknown_alone && foreign::format(name).is_none();
            is_counted || subject.kinds.has(FileKind::of(name))
        },
        // All the way down: a directory stands for some levels only where it is read, not searched.
        depth: usize::MAX,
        included: Included::default(),
        tells_too_deep: false,
        scan,
        deadline,
    };
    let mut matches = QueryMatches {
        kinds: subject.kinds,
        query,
        docs: GroupMatches {
            others: (keeps == Keeps::Documents).then(Vec::new),
            ..GroupMatches::default()
        },
        code: GroupMatches::default(),
        data: GroupMatches::default(),
        unsearched: Unsearched::default(),
    };
    Ok(Survey {
        tour: tour(&arguments, store, &mut matches)?,
        docs: matches.docs,
        code: matches.code,
        data: matches.data,
        unsearched: matches.unsearched,
    })
}

impl Survey {
    /// Returns what was not looked at.
    pub fn unsearched(&self) -> Unsearched {
        Unsearched {
            left_out: self.tour.skips.left_out,
            ..self.unsearched
        }
    }

    /// Returns a digest of all that the choice of candidates is made from.
    fn basis(&self) -> u64 {
        let group = |start, group: &GroupMatches| {
            // The mean length stands for the files without a term, which weigh by that alone.
            let start = combine(start, group.collection.mean_length().to_bits());
            group.files.iter().fold(start, |hash, file| {
                combine(
                    combine(hash, digest(file.path.as_bytes())),
                    file.held.digest,
                )
            })
        };
        let texts = |group: &GroupMatches| u64::from(group.collection.texts());
        let sizes = combine(texts(&self.docs), texts(&self.code));
        let sizes = combine(sizes, texts(&self.data));
        group(group(group(sizes, &self.docs), &self.code), &self.data)
    }

    /// Returns the candidates of all groups, and where they come from. `read` hands over what is
    /// searched of the file at a path, nothing where it cannot be read, and breaks when the time of
    /// the phase is over.
    pub fn candidates(
        &self,
        subject: &Subject,
        query: &Query,
        cache: Option<&mut PackCache>,
        mut read: impl FnMut(&str, Phase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
    ) -> (Candidates, CandidateSource) {
        let key = subject.fingerprint().text();
        let basis = self.basis();
        if let Some(cache) = &cache
            && let Some(candidates) = cache.get(&key, basis)
        {
            return (candidates.clone(), CandidateSource::Cache);
        }
        let text = subject.query.as_deref().unwrap_or_default();
        // Among words it is looked up in code alone: a sentence asks documents for more.
        let name = identifier::named(text);
        let role = match (identifier::lone(text), name) {
            (Some(_), _) => Some(NameRole::Lone),
            (None, Some(_)) if identifier::asks_for_uses(text) => Some(NameRole::UsesAsked),
            (None, Some(_)) => Some(NameRole::AmongWords),
            (None, None) => None,
        };
        let mut is_late = false;
        let mut read = |path: &str, phase: Phase, receive: &mut dyn FnMut(&str)| {
            let flow = read(path, phase, receive);
            is_late |= flow.is_break();
            flow
        };
        let (code, in_code) = self.code.ranked(text, name, None, query, &mut read);
        // Where code holds it, what lacks it only shares the words round it.
        let held = name.filter(|_| code.iter().any(|candidate| candidate.holds_name));
        let (docs, in_docs) = self.docs.ranked(text, None, held, query, &mut read);
        let (data, in_data) = self.data.ranked(text, None, held, query, &mut read);
        let mut candidates = Candidates {
            docs,
            code,
            data,
            // The best of all, where any holds it.
            name: [in_code, in_docs, in_data]
                .into_iter()
                .flatten()
                .min()
                .unwrap_or_default(),
        };
        if held.is_some() {
            for candidate in candidates.docs.iter_mut().chain(&mut candidates.data) {
                candidate.holds_name = true;
            }
        }
        // Nothing holds it as a name; then whether something holds it at all.
        let lacks_name = name.is_some_and(|name| {
            let is_use = |candidate: &Candidate| candidate.match_kind != MatchKind::Words;
            let groups = [&self.docs, &self.code, &self.data];
            !candidates.iter().any(is_use)
                && !groups
                    .iter()
                    .any(|group| group.may_hold(name, query, &mut read))
        });
        if lacks_name {
            candidates.name = NameFound::Nowhere;
        }
        candidates.settle(role);
        // A choice that the time cut short must not answer later calls, which may have more of it.
        if let Some(cache) = cache
            && !is_late
        {
            cache.set(key, basis, &candidates);
        }
        (candidates, CandidateSource::Ranked)
    }
}

impl GroupMatches {
    /// Returns the relevant files, best first, equals by path: for an identifier those that hold it,
    /// else those that hold all terms or come near the best; and how they hold it, where they do.
    /// What lacks the parts of the name `needed` is left out.
    fn ranked(
        &self,
        text: &str,
        name: Option<&str>,
        needed: Option<&str>,
        query: &Query,
        read: &mut impl FnMut(&str, Phase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
    ) -> (Vec<Candidate>, Option<NameFound>) {
        let ranking = self.collection.rank(query, self.collection.mean_length());
        let scores = with_neighbours(self.files.len(), |at| self.files[at].placed(&ranking));
        let mut ranked: Vec<(f64, &MatchedFile)> = scores.into_iter().zip(&self.files).collect();
        if let Some(needed) = needed {
            let needed = IdentifierMatches::<'_, ()>::new(needed, query);
            ranked.retain(|(_, file)| needed.may_be_in(&file.held.counts));
        }
        sort_by_score(&mut ranked);
        let matches = match name {
            Some(name) => Some(IdentifierMatches::new(name, query)),
            None => IdentifierMatches::of(text, query),
        };
        let exact = matches.and_then(|matches| with_identifier(matches, &ranked, read));
        let mut found = exact.as_ref().map(|(spelling, _)| match spelling {
            Spelling::Exact | Spelling::Inside => NameFound::AsWritten,
            Spelling::OtherCase => NameFound::OtherCase,
        });
        let match_kind = if exact.is_some() {
            MatchKind::Use
        } else {
            MatchKind::Words
        };
        // Of data it is one entry that answers. Beside code that holds a name, documents are looked
        // through for one place too.
        let kind = match ranked.first().map(|(_, file)| file.kind) {
            Some(FileKind::Code(_) | FileKind::Data) => TextKind::Code,
            _ if needed.is_some() => TextKind::Code,
            _ => TextKind::Document,
        };
        let holds_name = exact.is_some();
        let exact = exact.map(|(_, mut exact)| {
            // The words round it tell which of them is meant.
            if identifier::lone(text).is_none() {
                read_again(&mut exact, TextKind::Code, query, &ranking, read);
            }
            put_side_files_back(&mut exact, text);
            exact
        });
        let ranked = exact.unwrap_or_else(|| {
            read_again(&mut ranked, kind, query, &ranking, read);
            put_side_files_back(&mut ranked, text);
            let best = ranked.first().map_or(0.0, |(score, _)| *score);
            let is_relevant = |(score, file): &(f64, &MatchedFile)| {
                cliff::is_relevant(*score, best, &file.held.counts)
            };
            ranked.into_iter().filter(is_relevant).collect()
        });
        let candidate = |(score, file): (f64, &MatchedFile)| Candidate {
            path: file.path.clone(),
            kind: CandidateKind::File(file.kind),
            score: Some(score),
            match_kind,
            source: file.held.digest,
            consent: Consent::Withheld,
            holds_name: holds_name && matches!(file.kind, FileKind::Code(_)),
            part: file.part.clone(),
            meant: None,
        };
        let mut candidates: Vec<Candidate> = ranked.into_iter().map(candidate).collect();
        if let Some(name) = DefinedName::of_query(text) {
            let is_as_written = found == Some(NameFound::AsWritten);
            let is_defined = find_definitions(&name, Case::Sensitive, &mut candidates, read);
            // What holds it as it is written defines no other name.
            if !is_defined
                && !is_as_written
                && find_definitions(&name, Case::Ignored, &mut candidates, read)
            {
                found.get_or_insert(NameFound::DefinedInOtherCase);
            }
        }
        (candidates, found)
    }

    /// Returns the whole documents among them, each with the digest of its text.
    pub fn documents(&self) -> Vec<(&str, u64)> {
        let whole = self.files.iter().filter(|file| file.part.is_none());
        let matched = whole.map(|file| (file.path.as_str(), file.kind, file.held.digest));
        let others = self.others.iter().flatten();
        let others = others.map(|file| (file.path.as_str(), file.kind, file.digest));
        let documents = matched.chain(others);
        let documents = documents.filter(|(_, kind, _)| *kind == FileKind::Document);
        documents.map(|(path, _, digest)| (path, digest)).collect()
    }

    /// Returns the whole files at these paths as candidates, each with what is wanted of it; of those
    /// that were gone through and are kept, and no others.
    pub fn find<T>(&self, mut wanted: Wanted<T>) -> Vec<(Candidate, T)> {
        let whole = self.files.iter().filter(|file| file.part.is_none());
        let matched = whole.map(|file| (&file.path, file.kind, file.held.digest));
        let others = self.others.iter().flatten();
        let others = others.map(|file| (&file.path, file.kind, file.digest));
        let mut found = Vec::new();
        for (path, kind, source) in matched.chain(others) {
            if let Some(what) = wanted.take(path) {
                let candidate = Candidate {
                    path: path.clone(),
                    kind: CandidateKind::File(kind),
                    score: Some(0.0),
                    match_kind: MatchKind::Words,
                    source,
                    consent: Consent::Withheld,
                    holds_name: false,
                    part: None,
                    meant: None,
                };
                found.push((candidate, what));
            }
        }
        found
    }

    /// Whether one of the files holds an identifier, in whatever case, or may.
    fn may_hold(
        &self,
        name: &str,
        query: &Query,
        read: &mut impl FnMut(&str, Phase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
    ) -> bool {
        let matches = IdentifierMatches::<'_, ()>::new(name, query);
        let mut files = self
            .files
            .iter()
            .filter(|file| matches.may_be_in(&file.held.counts));
        let has_name = files.by_ref().take(IDENTIFIER_DOCUMENTS).any(|file| {
            let mut has_name = false;
            let flow = read(&file.path, Phase::Answer, &mut |text: &str| {
                has_name = matches.spelling_in(text).is_some();
            });
            has_name || flow.is_break()
        });
        // Of files that were not read nothing is known.
        has_name || files.next().is_some()
    }
}

/// Puts the files that define a name before all others, as far as that can be told of the best, and
/// returns whether there are any.
fn find_definitions(
    name: &DefinedName<'_>,
    case: Case,
    candidates: &mut [Candidate],
    read: &mut impl FnMut(&str, Phase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
) -> bool {
    let mut outlines = 0;
    for candidate in candidates.iter_mut().take(DEFINITION_FILES) {
        let CandidateKind::File(FileKind::Code(language)) = candidate.kind else {
            continue;
        };
        // Nothing more can be told, so nothing more need be read.
        if outlines == DEFINITION_OUTLINES {
            break;
        }
        let mut is_defined = false;
        let flow = read(&candidate.path, Phase::Scan, &mut |text: &str| {
            if name.may_be_defined_in(text, case) {
                outlines += 1;
                is_defined = name.is_defined_in(language, text, case);
            }
        });
        if is_defined {
            candidate.match_kind = MatchKind::Definition;
        }
        if flow.is_break() {
            break;
        }
    }
    // Stable: among those of one kind the order stays.
    candidates.sort_by_key(|candidate| candidate.match_kind);
    let best = candidates.first();
    best.is_some_and(|candidate| candidate.match_kind == MatchKind::Definition)
}

/// Sorts files by score, best first, equals by path.
fn sort_by_score(ranked: &mut [(f64, &MatchedFile)]) {
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
}

/// Lets tests and lists of changes count less where the query does not ask for them.
fn put_side_files_back(ranked: &mut [(f64, &MatchedFile)], query: &str) {
    let of_tests = asks_for_tests(query);
    // Of a name it tells since when that is there.
    let of_changes = asks_for_changes(query) || identifier::named(query).is_some();
    let weight = |file: &MatchedFile| match file.kind {
        FileKind::Code(_) if !of_tests && is_test(&file.path) => TEST_THOUSANDTHS,
        FileKind::Document if !of_changes && is_change_log(&file.path) => CHANGE_LOG_THOUSANDTHS,
        _ => 1000,
    };
    for (score, file) in ranked.iter_mut() {
        *score *= f64::from(weight(file)) / 1000.0;
    }
    sort_by_score(ranked);
}

/// Puts the best files in the order of the second stage; leaves them as they are where the time for
/// looking at files does not suffice to read them all: what is left is for showing them.
fn read_again(
    ranked: &mut [(f64, &MatchedFile)],
    kind: TextKind,
    query: &Query,
    ranking: &Ranking,
    read: &mut impl FnMut(&str, Phase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
) {
    let best = kind.worth_reading(ranked.iter().map(|(_, file)| words_read_again(&file.held)));
    let paths = ranked.iter().map(|(_, file)| file.path.as_str());
    let second_stage = SecondStage::new(query, ranking, kind).among(paths);
    let mut again = ranked[..best].to_vec();
    for (score, file) in &mut again {
        let flow = read(&file.path, Phase::Scan, &mut |text: &str| {
            let document = ReadDocument {
                path: &file.path,
                text,
                length: file.held.length,
                passages: file.held.passages.as_deref(),
                score: *score,
            };
            *score = second_stage
                .score(document, &mut Pace::endless())
                .unwrap_or(*score);
        });
        if flow.is_break() {
            return;
        }
    }
    sort_by_score(&mut again);
    ranked[..best].copy_from_slice(&again);
}

/// Returns the files that hold an identifier as it is written, else those that hold it in another
/// case, with how it is spelt; none where none does, or where the time does not suffice to tell.
fn with_identifier<'a>(
    mut matches: IdentifierMatches<'_, (f64, &'a MatchedFile)>,
    ranked: &[(f64, &'a MatchedFile)],
    read: &mut impl FnMut(&str, Phase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
) -> Option<(Spelling, Vec<(f64, &'a MatchedFile)>)> {
    let mut read_files = 0;
    for (score, file) in ranked {
        if !matches.may_be_in(&file.held.counts) {
            continue;
        }
        // The rest are worse, and each costs its reading.
        if read_files == IDENTIFIER_DOCUMENTS {
            break;
        }
        read_files += 1;
        let mut spelling = None;
        let flow = read(&file.path, Phase::Answer, &mut |text: &str| {
            spelling = matches.spelling_in(text)
        });
        if flow.is_break() {
            // Those found so far may lack the only one that spells it so.
            return None;
        }
        if let Some(spelling) = spelling {
            matches.push(spelling, (*score, *file));
        }
    }
    matches.into_best()
}
