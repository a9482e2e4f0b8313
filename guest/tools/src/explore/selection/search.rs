//! The search: ranking of the documents and files of code that match the query.

use std::ops::ControlFlow;

use docent_api::types::{Error, SkipReason};

use crate::explore::request::deadline::{CallPhase, Deadline};
use crate::explore::request::group::Group;
use crate::explore::request::kinds::{FileKind, FileKinds};
use crate::explore::request::scope::ScopeRules;
use crate::explore::request::subject::Subject;
use crate::explore::selection::candidate::{
    Candidate, CandidateKind, Candidates, MatchQuality, NameFound, NameRole,
};
use crate::explore::selection::matches::{GroupMatches, MatchedFile, OtherFile};
use crate::explore::selection::message::Message;
use crate::explore::selection::pack_cache::PackCache;
use crate::explore::selection::ranking::RankedBy;
use crate::explore::selection::traversal::{
    FileVisitor, NamedFile, RangeScan, Traversal, TraversalOptions, Unvisited, traverse,
};
use crate::part::{PartAddress, resolve};
use docent_corpus::store::Store;
use docent_corpus::visit::{current_term_counts, read_current};
use docent_corpus::walk::Walk;
use docent_rank::bm25::Bm25Query;
use docent_rank::statistics::Statistics;
use docent_rank::term_counts::TermCounts;
use docent_text::digest::{combine, digest};
use docent_text::matching::phrase::has_phrase;
use docent_text::time_budget::TimeBudget;
use docent_text::words::identifier;
use docent_tree::disk::{Directory, Disk};
use docent_tree::door::{Denied, Extent, Stamps};
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::path::RelPath;
use docent_tree::skips::{LeftOut, reason};

/// Result of scanning files for a query.
pub struct QueryScan {
    /// The traversal of the files.
    pub traversal: Traversal,
    /// Matches in documents.
    pub docs: GroupMatches,
    /// Matches in code.
    pub code: GroupMatches,
    /// Matches in settings and data.
    pub data: GroupMatches,
    /// Matches in files whose kind is unknown from their names.
    unknown: GroupMatches,
    /// Files of unknown kinds that turned out not to be text.
    left_out: LeftOut,
}

/// Origin of the candidates of a query scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateSource {
    /// They were ranked now.
    Ranked,
    /// A warm instance had them cached.
    Cache,
}

/// Matches in the files of all groups, while a traversal counts the terms of a query.
struct QueryMatches<'a> {
    kinds: FileKinds,
    query: &'a Bm25Query,
    docs: GroupMatches,
    code: GroupMatches,
    data: GroupMatches,
    unknown: GroupMatches,
    left_out: LeftOut,
}

impl QueryMatches<'_> {
    fn add(&mut self, path: &str, part: Option<&PartAddress>, counts: TermCounts) {
        let kind = FileKind::from_name(path.rsplit('/').next().unwrap_or(path));
        let group = match (kind, CandidateKind::File(kind).group()) {
            (FileKind::Other, _) => &mut self.unknown,
            (_, Group::Docs) => &mut self.docs,
            (_, Group::Code) => &mut self.code,
            (_, Group::Data) => &mut self.data,
        };
        // Files without a term count too. The rarity of a term is the share of files that lack
        // it, and the mean length is that of all files.
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
    /// Returns the number of occurrences of the query's terms in the walk's current file, or `None`
    /// if it is not searched.
    fn counts<T: Directory>(
        &self,
        walk: &mut Walk<'_, T>,
        kind: FileKind,
        time_budget: &mut TimeBudget<'_>,
    ) -> Result<Option<TermCounts>, SkipReason> {
        let is_code = CandidateKind::File(kind).group() == Group::Code;
        if !is_code || self.kinds.comments {
            return current_term_counts(walk, self.query, time_budget);
        }
        // The store has the counts of whole files. Without comments they differ, so the file is
        // read and counted again.
        let mut counts = None;
        read_current(walk, |walk, _, text, _| {
            let text = self.kinds.searchable(kind, text);
            counts = Some(counts_of(walk.path(), &text, self.query, time_budget)?);
            Ok(())
        })?;
        Ok(counts)
    }
}

impl FileVisitor for QueryMatches<'_> {
    const READS: bool = true;

    fn visit_named_file<T: Directory>(
        &mut self,
        store: &mut Store,
        named: &NamedFile<'_, T>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Result<u32, Unvisited> {
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
            .searchable(FileKind::from_name(&file.name), &decoded.text);
        let span = match named.part {
            None => 0..text.len(),
            Some(part) => resolve(path, &file.name, &decoded.text, part, time_budget)?.span,
        };
        let counts = counts_of(path, &text[span], self.query, time_budget)?;
        let words = counts.length;
        self.add(path, named.part, counts);
        Ok(words)
    }

    fn visit_named_directory(&mut self, _: &RelPath) {}

    fn visit_walked_file<T: Directory>(
        &mut self,
        walk: &mut Walk<'_, T>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Result<u32, SkipReason> {
        let kind = FileKind::from_name(walk.name());
        match self.counts(walk, kind, time_budget) {
            Ok(Some(counts)) => {
                let words = counts.length;
                self.add(walk.path(), None, counts);
                Ok(words)
            }
            Ok(None) => Ok(0),
            Err(reason) if kind == FileKind::Other && is_no_text(reason) => {
                self.left_out.add(reason);
                Ok(0)
            }
            Err(reason) => Err(reason),
        }
    }
}

/// Returns the occurrences of a query's terms in the text at a path.
///
/// # Errors
/// `too-slow` when the time is over.
fn counts_of(
    path: &str,
    text: &str,
    query: &Bm25Query,
    time_budget: &mut TimeBudget<'_>,
) -> Result<TermCounts, SkipReason> {
    let counts = if query.is_symbols() {
        TermCounts::from_symbols(text, query, time_budget)
    } else {
        let statistics = Statistics::new_within(path, text, time_budget);
        statistics.map(|statistics| TermCounts::new(&statistics, query))
    };
    counts.ok_or(SkipReason::TooSlow)
}

/// Files that a query scan keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retain {
    /// Files that contain a term of the query.
    Matches,
    /// All documents as well, since they may be semantic matches.
    Documents,
}

/// Scans a range of a subject's files for the terms of `query`.
///
/// # Errors
/// If the only path cannot be resolved.
pub fn scan_query<D: Disk>(
    rules: ScopeRules<'_, D>,
    store: &mut Store,
    subject: &Subject,
    query: &Bm25Query,
    (scan, retain): (&RangeScan, Retain),
    deadline: &Deadline,
) -> Result<QueryScan, Error> {
    let arguments = TraversalOptions {
        rules,
        paths: &subject.paths,
        is_document: &|name| subject.kinds.searches(FileKind::from_name(name)),
        // The depth is limited only when a directory is read. A search has to find a file at
        // any depth.
        depth: usize::MAX,
        tells_too_deep: false,
        scan,
        deadline,
    };
    let mut matches = QueryMatches {
        kinds: subject.kinds,
        query,
        docs: GroupMatches {
            others: (retain == Retain::Documents).then(Vec::new),
            ..GroupMatches::default()
        },
        code: GroupMatches::default(),
        data: GroupMatches::default(),
        unknown: GroupMatches::default(),
        left_out: LeftOut::default(),
    };
    Ok(QueryScan {
        traversal: traverse(&arguments, store, &mut matches)?,
        docs: matches.docs,
        code: matches.code,
        data: matches.data,
        unknown: matches.unknown,
        left_out: matches.left_out,
    })
}

impl QueryScan {
    /// Returns the counts of files that were not searched.
    pub fn unsearched_counts(&self) -> LeftOut {
        let mut left_out = self.traversal.skips.left_out;
        left_out.append(self.left_out);
        left_out
    }

    fn group(&self, group: Group) -> &GroupMatches {
        match group {
            Group::Docs => &self.docs,
            Group::Code => &self.code,
            Group::Data => &self.data,
        }
    }

    /// Returns the number of files that contain each of the first `terms` terms of the query.
    pub fn term_frequencies(&self, terms: usize) -> Vec<u32> {
        let groups = [&self.docs, &self.code, &self.data, &self.unknown];
        let files = |term| {
            let groups = groups.iter();
            groups
                .map(|group| group.collection.document_frequency(term))
                .sum()
        };
        (0..terms).map(files).collect()
    }

    /// Returns a digest of everything that determines the choice of candidates.
    fn basis(&self) -> u64 {
        let group = |start, group: &GroupMatches| {
            // Files without a term influence the weights only through their number and the mean
            // length, so these two represent them. Hashing each of them would visit every file
            // of the root.
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
        let sizes = combine(sizes, texts(&self.unknown));
        let groups = [&self.docs, &self.code, &self.data, &self.unknown];
        groups.into_iter().fold(sizes, group)
    }

    /// Returns the candidates of all groups, and their origin. `read` passes on the searched text
    /// of the file at a path, or nothing if it cannot be read, and breaks when the time of the
    /// phase is over.
    pub fn candidates(
        &self,
        subject: &Subject,
        query: &Bm25Query,
        cache: Option<&mut PackCache>,
        mut read: impl FnMut(&str, CallPhase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
    ) -> (Candidates, CandidateSource) {
        let key = subject.fingerprint().text();
        let basis = self.basis();
        if let Some(cache) = &cache
            && let Some(candidates) = cache.get(&key, basis)
        {
            return (candidates.clone(), CandidateSource::Cache);
        }
        let text = subject.query.as_deref().unwrap_or_default();
        // An identifier among other words is looked up in code only. A sentence asks documents
        // for an explanation, which the file with the name alone may not have.
        let name = identifier::find(text);
        let has_phrases = has_phrase(text);
        let role = match (identifier::parse_lone(text), name) {
            _ if has_phrases => Some(NameRole::Phrases),
            (Some(_), _) => Some(NameRole::Lone),
            (None, Some(_)) if identifier::asks_for_uses(text) => Some(NameRole::UsesAsked),
            (None, Some(_)) => Some(NameRole::AmongWords),
            (None, None) => None,
        };
        let mut is_late = false;
        let mut read = |path: &str, phase: CallPhase, receive: &mut dyn FnMut(&str)| {
            let flow = read(path, phase, receive);
            is_late |= flow.is_break();
            flow
        };
        let ranked = |group: &GroupMatches, name, needed, read: &mut _| {
            let by = RankedBy {
                text,
                query,
                name,
                needed,
                collection: &group.collection,
                best: 0.0,
            };
            group.rank(by, read)
        };
        let (code, in_code) = ranked(&self.code, name, None, &mut read);
        // If code contains the name, a document without it shares only the other words of the
        // query, as in `where is parse_config used`, and is not relevant.
        let held = name.filter(|_| code.iter().any(|candidate| candidate.holds_name));
        let (docs, in_docs) = ranked(&self.docs, None, held, &mut read);
        let (data, in_data) = ranked(&self.data, None, held, &mut read);
        let (unknown, in_unknown) = self.rank_unknown(text, query, held, &docs, &mut read);
        let mut candidates = Candidates {
            docs,
            code,
            data,
            // The name counts as found in the best spelling of any group.
            name: [in_code, in_docs, in_data, in_unknown]
                .into_iter()
                .flatten()
                .min()
                .unwrap_or_default(),
        };
        candidates.put_unknown(unknown);
        if held.is_some() {
            for candidate in candidates.docs.iter_mut().chain(&mut candidates.data) {
                candidate.holds_name = true;
            }
        }
        // No file was found with it as a name. It may still be a part of a longer word, and
        // only if no file contains it at all does the answer say so.
        let lacks_name = name.is_some_and(|name| {
            let is_use = |candidate: &Candidate| candidate.match_kind != MatchQuality::Words;
            let groups = [&self.docs, &self.code, &self.data, &self.unknown];
            !candidates.iter().any(is_use)
                && !groups
                    .iter()
                    .any(|group| group.may_hold(name, query, &mut read))
        });
        if lacks_name {
            candidates.name = NameFound::Nowhere;
        }
        if has_phrases && !candidates.has(MatchQuality::Use) {
            candidates.name = NameFound::NoPhrase;
        }
        candidates.settle(role);
        if role.is_none()
            && let Some(message) = Message::parse(text, query)
        {
            let counts = |group| self.group(group).counts();
            message.put_first(&mut candidates, counts, &mut read);
        }
        // A choice that the time cut short is not stored: a later call with more time would
        // repeat its gaps.
        if let Some(cache) = cache
            && !is_late
        {
            cache.set(key, basis, &candidates);
        }
        (candidates, CandidateSource::Ranked)
    }

    /// Returns the relevant files among those whose kind is unknown from their names, compared with
    /// the best of the documents `docs`: they are text too, and do not rank above them.
    fn rank_unknown(
        &self,
        text: &str,
        query: &Bm25Query,
        needed: Option<&str>,
        docs: &[Candidate],
        read: &mut impl FnMut(&str, CallPhase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
    ) -> (Vec<Candidate>, Option<NameFound>) {
        let has_documents = self.docs.collection.texts() > 0;
        let group = if has_documents {
            &self.docs
        } else {
            &self.unknown
        };
        let by = RankedBy {
            text,
            query,
            name: None,
            needed,
            collection: &group.collection,
            best: docs.first().and_then(|best| best.score).unwrap_or(0.0),
        };
        self.unknown.rank(by, read)
    }
}

/// Returns true if a file could not be read because it is not text, or is too large.
fn is_no_text(reason: SkipReason) -> bool {
    matches!(
        reason,
        SkipReason::Binary | SkipReason::NotText | SkipReason::TooLarge
    )
}
