//! The search: which documents and which files of code hold the query, best first.

use std::collections::BTreeSet;
use std::rc::Rc;

use docent_api::pillars::BlockedPath;
use docent_api::types::{Error, SkipReason};

use super::candidate::{Candidate, Candidates, What};
use super::kinds::{Kind, Kinds};
use super::known::KnownPacks;
use super::request::Subject;
use super::scope::{Places, Scope, blocked};
use crate::bm25::{Collection, Query};
use crate::digest::{digest, with};
use crate::disk::{Directory, Disk};
use crate::door::{Denied, Extent, Stamps};
use crate::explore::page::Deadline;
use crate::extensions::Extensions;
use crate::find::glob::Glob;
use crate::finder::{Case, Finder};
use crate::identifier;
use crate::limits::{DOCUMENT_BYTES, IDENTIFIER_DOCUMENTS, RELEVANT_THOUSANDTHS};
use crate::locate::File;
use crate::refusal::not_found;
use crate::skips::{Skips, reason};
use crate::statistics::Statistics;
use crate::store::Store;
use crate::tools::{read_found, statistics};
use crate::walk::{Found, Reach, Start, Walk};

/// What a search came to.
pub struct Survey {
    /// What documents hold.
    pub docs: Group,
    /// What code holds.
    pub code: Group,
    /// What could not be examined.
    pub skips: Skips,
    /// Paths that lead nowhere.
    pub blocked: Vec<BlockedPath>,
    /// Files that were looked at.
    pub files: u32,
    /// Whether the time was over before all were.
    pub timed_out: bool,
    seen: BTreeSet<String>,
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

impl Survey {
    /// Looks through the scope of a subject for the terms of `query`.
    ///
    /// # Errors
    /// When no path of the scope leads anywhere.
    pub fn take<D: Disk>(
        places: &Places<'_, D>,
        store: &mut Store,
        subject: &Subject,
        query: &Query,
        deadline: &Deadline,
    ) -> Result<Self, Error> {
        let mut survey = Self {
            docs: Group::default(),
            code: Group::default(),
            skips: Skips::default(),
            blocked: Vec::new(),
            files: 0,
            timed_out: false,
            seen: BTreeSet::new(),
        };
        if subject.paths.is_empty() {
            let whole = places.whole(store)?;
            survey.look_at(whole, store, places, subject, query, deadline)?;
            return Ok(survey);
        }
        let mut first = None;
        for path in &subject.paths {
            let found = places.find(store, path);
            let looked = found
                .and_then(|scope| survey.look_at(scope, store, places, subject, query, deadline));
            if let Err(error) = looked {
                first.get_or_insert_with(|| error.clone());
                survey.blocked.push(blocked(path, error));
            }
        }
        match first {
            Some(error) if survey.blocked.len() == subject.paths.len() => Err(error),
            _ => Ok(survey),
        }
    }

    fn look_at<D: Disk>(
        &mut self,
        scope: Scope<D::Directory>,
        store: &mut Store,
        places: &Places<'_, D>,
        subject: &Subject,
        query: &Query,
        deadline: &Deadline,
    ) -> Result<(), Error> {
        match scope {
            Scope::File(file, _) => {
                self.look_at_file(store, &file, subject.kinds, query);
                Ok(())
            }
            Scope::Directory(start) => {
                self.walk(start, None, store, places, subject, query, deadline)
            }
            Scope::Glob(glob, start) => {
                self.walk(start, Some(glob), store, places, subject, query, deadline)
            }
        }
    }

    fn look_at_file<T: Directory>(
        &mut self,
        store: &mut Store,
        file: &File<T>,
        kinds: Kinds,
        query: &Query,
    ) {
        let path = file.path.as_str();
        if !self.seen.insert(path.to_owned()) {
            return;
        }
        self.files += 1;
        let extent = Extent::Whole(DOCUMENT_BYTES);
        match file.parent.read(&file.name, extent, Stamps::Unwanted) {
            Err(Denied::Failed(failure)) => self.skips.add(path, reason(failure)),
            Err(Denied::Sensitive) => {}
            Ok(content) => match store.decode(&file.name, &content.bytes) {
                Err(reason) => self.skips.add(path, reason),
                Ok(decoded) => {
                    let text = kinds.searched(Kind::of(&file.name), &decoded.text);
                    self.add(path, &Statistics::new(path, &text), query);
                }
            },
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "what a walk goes by, and where it adds"
    )]
    fn walk<D: Disk>(
        &mut self,
        start: Start<D::Directory>,
        mut glob: Option<Box<Glob>>,
        store: &mut Store,
        places: &Places<'_, D>,
        subject: &Subject,
        query: &Query,
        deadline: &Deadline,
    ) -> Result<(), Error> {
        let extensions = Extensions::from(subject.kinds);
        let path = start.path.clone();
        let reach = Reach {
            extensions: &extensions,
            exclude: places.exclude,
            depth: usize::MAX,
            after: None,
        };
        let mut walk = Walk::begin(store, start, reach).map_err(|_| not_found(&path))?;
        walk.skips = std::mem::take(&mut self.skips);
        let is_alone = subject.paths.len() < 2;
        while let Some(found) = walk.advance() {
            if deadline.is_over(places.disk) {
                self.timed_out = true;
                break;
            }
            let is_wanted = found == Found::Document
                && glob
                    .as_mut()
                    .is_none_or(|glob| glob.matches_path(walk.path()))
                && (is_alone || self.seen.insert(walk.path().to_owned()));
            if !is_wanted {
                continue;
            }
            self.files += 1;
            if !walk.admit() {
                walk.skip(SkipReason::TooMany);
                continue;
            }
            let kind = Kind::of(walk.name());
            let found = if kind.is_code() && !subject.kinds.comments {
                // What is kept of a file counts its comments.
                let mut read = None;
                read_found(&mut walk, |walk, _, text, _| {
                    let text = subject.kinds.searched(kind, text);
                    read = Some(Rc::new(Statistics::new(walk.path(), &text)));
                    Ok(())
                })
                .map(|()| read)
            } else {
                statistics(&mut walk)
            };
            match found {
                Ok(Some(statistics)) => self.add(walk.path(), &statistics, query),
                Ok(None) => {}
                Err(reason) => walk.skip(reason),
            }
        }
        self.skips = std::mem::take(&mut walk.skips);
        Ok(())
    }

    fn add(&mut self, path: &str, statistics: &Statistics, query: &Query) {
        let kind = Kind::of(path.rsplit('/').next().unwrap_or(path));
        let group = if kind.is_code() {
            &mut self.code
        } else {
            &mut self.docs
        };
        let terms = query.terms().iter();
        let counts: Box<[u32]> = terms.map(|term| statistics.count(term.key)).collect();
        group.collection.add(statistics.length, &counts);
        if counts.iter().any(|count| *count > 0) {
            group.holders.push(Holder {
                path: path.to_owned(),
                kind,
                digest: statistics.digest,
                length: statistics.length,
                counts,
            });
        }
    }

    /// Returns a digest of all that the choice of candidates is made from.
    pub fn basis(&self) -> u64 {
        let group = |start, group: &Group| {
            group.holders.iter().fold(
                with(start, group.collection.mean_length().to_bits()),
                |hash, holder| with(with(hash, digest(holder.path.as_bytes())), holder.digest),
            )
        };
        let counts = |group: &Group| u64::from(group.collection.texts());
        let sizes = with(counts(&self.docs), counts(&self.code));
        group(group(sizes, &self.docs), &self.code)
    }

    /// Returns the candidates of both groups, and whether they were remembered. `holds` tells
    /// whether a file holds an identifier.
    pub fn candidates(
        &self,
        subject: &Subject,
        query: &Query,
        known: Option<&mut KnownPacks>,
        mut holds: impl FnMut(&str, &Finder) -> bool,
    ) -> (Candidates, bool) {
        let key = subject.fingerprint().text();
        let basis = self.basis();
        if let Some(known) = &known
            && let Some(candidates) = known.get(&key, basis)
        {
            return (candidates.clone(), true);
        }
        let text = subject.query.as_deref().unwrap_or_default();
        let candidates = Candidates {
            docs: self.docs.ranked(text, query, &mut holds),
            code: self.code.ranked(text, query, &mut holds),
        };
        if let Some(known) = known
            && !self.timed_out
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
        holds: &mut impl FnMut(&str, &Finder) -> bool,
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
/// case; none where none does.
fn exactly<'a>(
    name: &str,
    query: &Query,
    ranked: &[(f64, &'a Holder)],
    holds: &mut impl FnMut(&str, &Finder) -> bool,
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
        let held: Vec<(f64, &Holder)> = likely
            .iter()
            .filter(|(_, holder)| holds(&holder.path, &finder))
            .copied()
            .collect();
        if !held.is_empty() {
            return Some(held);
        }
    }
    None
}
