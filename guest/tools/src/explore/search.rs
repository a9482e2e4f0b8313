//! The search: which documents and which files of code hold the query, best first.

use docent_api::types::{Error, SkipReason};

use crate::explore::candidate::{Candidate, Candidates, What};
use crate::explore::cursor::Segment;
use crate::explore::deadline::Deadline;
use crate::explore::kinds::{Kind, Kinds};
use crate::explore::known::KnownPacks;
use crate::explore::request::Subject;
use crate::explore::scope::Places;
use crate::explore::tour::{Means, Tour, Visitor};
use crate::limits::IDENTIFIER_DOCUMENTS;
use docent_corpus::store::Store;
use docent_corpus::visit::{holding, read_found};
use docent_corpus::walk::Walk;
use docent_rank::bm25::{Collection, Query};
use docent_rank::limits::RELEVANT_THOUSANDTHS;
use docent_rank::statistics::Statistics;
use docent_rank::term_counts::TermCounts;
use docent_text::digest::{combine, digest};
use docent_text::matching::finder::{Case, Finder};
use docent_text::words::identifier;
use docent_tree::disk::{Directory, Disk};
use docent_tree::door::{Denied, Extent, Stamps};
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::locate::File;
use docent_tree::path::RelPath;
use docent_tree::skips::reason;

/// What a search came to.
pub struct Survey {
    /// How the files were looked at.
    pub tour: Tour,
    /// What documents hold.
    pub docs: Group,
    /// What code holds.
    pub code: Group,
}

/// Who looks through the files.
struct Reader<'a> {
    kinds: Kinds,
    query: &'a Query,
    docs: Group,
    code: Group,
}

/// The files of one group.
#[derive(Default)]
pub struct Group {
    /// All of them.
    pub collection: Collection,
    /// Those that hold a term, in the order of the walk.
    pub holders: Vec<Holder>,
}

/// A file that holds a term of the query.
pub struct Holder {
    path: String,
    kind: Kind,
    digest: u64,
    length: u32,
    counts: Box<[u32]>,
}

impl Reader<'_> {
    fn add(&mut self, path: &str, holding: TermCounts) {
        let kind = Kind::of(path.rsplit('/').next().unwrap_or(path));
        let group = if kind.is_code() {
            &mut self.code
        } else {
            &mut self.docs
        };
        group.collection.add(holding.length, &holding.counts);
        if !holding.counts.is_empty() {
            group.holders.push(Holder {
                path: path.to_owned(),
                kind,
                digest: holding.digest,
                length: holding.length,
                counts: holding.counts,
            });
        }
    }
}

impl Visitor for Reader<'_> {
    const READS: bool = true;

    fn file<T: Directory>(
        &mut self,
        store: &mut Store,
        file: &File<T>,
        _: bool,
    ) -> Result<u32, SkipReason> {
        let path = file.path.as_str();
        let extent = Extent::Whole(DOCUMENT_BYTES);
        let content = match file.parent.read(&file.name, extent, Stamps::Unwanted) {
            Ok(content) => content,
            Err(Denied::Failed(failure)) => return Err(reason(failure)),
            Err(Denied::Sensitive) => return Ok(0),
        };
        let decoded = store.decode(&file.name, &content.bytes)?;
        let text = self.kinds.searched(Kind::of(&file.name), &decoded.text);
        let holding = TermCounts::new(&Statistics::new(path, &text), self.query);
        let length = holding.length;
        self.add(path, holding);
        Ok(length)
    }

    fn directory(&mut self, _: &RelPath) {}

    fn found<T: Directory>(&mut self, walk: &mut Walk<'_, T>) -> Result<u32, SkipReason> {
        let kind = Kind::of(walk.name());
        let found = if kind.is_code() && !self.kinds.comments {
            // What is kept of a file counts its comments.
            let mut read = None;
            read_found(walk, |walk, _, text, _| {
                let text = self.kinds.searched(kind, text);
                let statistics = Statistics::new(walk.path(), &text);
                read = Some(TermCounts::new(&statistics, self.query));
                Ok(())
            })?;
            read
        } else {
            holding(walk, self.query)?
        };
        let Some(holding) = found else {
            return Ok(0);
        };
        let length = holding.length;
        self.add(walk.path(), holding);
        Ok(length)
    }
}

impl Survey {
    /// Looks through a segment of a subject's files for the terms of `query`.
    ///
    /// # Errors
    /// When the only path leads nowhere.
    pub fn take<D: Disk>(
        places: Places<'_, D>,
        store: &mut Store,
        subject: &Subject,
        query: &Query,
        (segment, is_again): (&Segment, bool),
        deadline: &Deadline,
    ) -> Result<Self, Error> {
        let means = Means {
            places,
            paths: &subject.paths,
            is_document: &|name| subject.kinds.has(Kind::of(name)),
            depth: usize::MAX,
            deadline,
            is_again,
        };
        let mut reader = Reader {
            kinds: subject.kinds,
            query,
            docs: Group::default(),
            code: Group::default(),
        };
        store.select_terms(query);
        let tour = Tour::take(&means, store, segment, &mut reader)?;
        Ok(Self {
            tour,
            docs: reader.docs,
            code: reader.code,
        })
    }

    /// Returns a digest of all that the choice of candidates is made from.
    pub fn basis(&self) -> u64 {
        let group = |start, group: &Group| {
            group.holders.iter().fold(
                combine(start, group.collection.mean_length().to_bits()),
                |hash, holder| {
                    combine(combine(hash, digest(holder.path.as_bytes())), holder.digest)
                },
            )
        };
        let counts = |group: &Group| u64::from(group.collection.texts());
        let sizes = combine(counts(&self.docs), counts(&self.code));
        group(group(sizes, &self.docs), &self.code)
    }

    /// Returns the candidates of both groups, and whether they were remembered. `holds` tells
    /// whether a file holds an identifier; none when there is no more time to look.
    pub fn candidates(
        &self,
        subject: &Subject,
        query: &Query,
        known: Option<&mut KnownPacks>,
        mut holds: impl FnMut(&str, &Finder) -> Option<bool>,
    ) -> (Candidates, bool) {
        let key = subject.fingerprint().text();
        let basis = self.basis();
        if let Some(known) = &known
            && let Some(candidates) = known.get(&key, basis)
        {
            return (candidates.clone(), true);
        }
        let text = subject.query.as_deref().unwrap_or_default();
        let mut is_late = false;
        let mut holds = |path: &str, finder: &Finder| {
            let held = holds(path, finder);
            is_late |= held.is_none();
            held
        };
        let candidates = Candidates {
            docs: self.docs.ranked(text, query, &mut holds),
            code: self.code.ranked(text, query, &mut holds),
        };
        if let Some(known) = known
            && !is_late
        {
            known.set(key, basis, &candidates);
        }
        (candidates, false)
    }
}

impl Group {
    /// Returns the relevant files, best first, equals by path: for a lone identifier those that hold
    /// it, else those that hold all terms or come near the best.
    fn ranked(
        &self,
        text: &str,
        query: &Query,
        holds: &mut impl FnMut(&str, &Finder) -> Option<bool>,
    ) -> Vec<Candidate> {
        let ranking = self.collection.rank(query, self.collection.mean_length());
        let mut ranked: Vec<(f64, &Holder)> = self
            .holders
            .iter()
            .map(|holder| (ranking.score(holder.length, &holder.counts), holder))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
        let exact = identifier::lone(text).and_then(|name| exactly(name, query, &ranked, holds));
        let ranked = exact.unwrap_or_else(|| {
            let best = ranked.first().map_or(0.0, |(score, _)| *score);
            let least = best * f64::from(RELEVANT_THOUSANDTHS) / 1000.0;
            let is_relevant = |(score, holder): &(f64, &Holder)| {
                *score >= least || holder.counts.iter().all(|count| *count > 0)
            };
            ranked.into_iter().filter(is_relevant).collect()
        });
        let candidate = |(score, holder): (f64, &Holder)| Candidate {
            path: holder.path.clone(),
            what: What::File(holder.kind),
            score: Some(score),
            source: holder.digest,
            consented: false,
        };
        ranked.into_iter().map(candidate).collect()
    }
}

/// Returns the files that hold an identifier as it is written, else those that hold it in another
/// case; none where none does, or where the time does not suffice to tell.
fn exactly<'a>(
    name: &str,
    query: &Query,
    ranked: &[(f64, &'a Holder)],
    holds: &mut impl FnMut(&str, &Finder) -> Option<bool>,
) -> Option<Vec<(f64, &'a Holder)>> {
    let parts = Query::new(&identifier::parts(name));
    let needed: Vec<usize> = (0..query.terms().len())
        .filter(|&index| parts.terms().contains(&query.terms()[index]))
        .collect();
    let may_hold =
        |(_, holder): &&(f64, &Holder)| needed.iter().all(|&index| holder.counts[index] > 0);
    let likely: Vec<(f64, &Holder)> = ranked
        .iter()
        .filter(may_hold)
        .take(IDENTIFIER_DOCUMENTS)
        .copied()
        .collect();
    for case in [Case::Sensitive, Case::Ignored] {
        let finder = Finder::new(name, case);
        let mut held = Vec::new();
        for one in &likely {
            if holds(&one.1.path, &finder)? {
                held.push(*one);
            }
        }
        if !held.is_empty() {
            return Some(held);
        }
    }
    None
}
