//! The files of a group that contain words of a query.

use std::collections::BTreeMap;

use crate::explore::request::kinds::FileKind;
use crate::explore::selection::candidate::{Candidate, CandidateKind, MatchQuality};
use crate::limits::GENERATED_THOUSANDTHS;
use crate::part::PartAddress;
use crate::paths::path_lookup::PathLookup;
use docent_data::is_generated;
use docent_rank::bm25::{Collection, Ranking};
use docent_rank::neighbours::PositionedDocument;
use docent_rank::term_counts::TermCounts;
use docent_tree::door::Consent;

/// The files of one group.
#[derive(Default)]
pub struct GroupMatches {
    /// All of them.
    pub collection: Collection,
    /// Files that contain a term, in the order of the walk.
    pub(super) files: Vec<MatchedFile>,
    /// Whole files without a term, if they are kept.
    pub(super) others: Option<Vec<OtherFile>>,
}

/// A file that contains no term of the query.
pub(super) struct OtherFile {
    pub(super) path: String,
    pub(super) kind: FileKind,
    pub(super) digest: u64,
}

/// A file that contains a term of the query.
pub(super) struct MatchedFile {
    pub(super) path: String,
    /// Part of the file that is searched, or `None` for the whole file.
    pub(super) part: Option<PartAddress>,
    /// Index of the file within its group.
    pub(super) place: u32,
    pub(super) kind: FileKind,
    pub(super) held: TermCounts,
}

impl MatchedFile {
    /// Returns the factor by which its score is multiplied.
    fn kind_weight(&self) -> f64 {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        let may_be_generated = matches!(self.kind, FileKind::Code(_) | FileKind::Data);
        if may_be_generated && is_generated(name) {
            return f64::from(GENERATED_THOUSANDTHS) / 1000.0;
        }
        1.0
    }

    /// Returns its path, index and score, for ranking.
    pub(super) fn to_positioned(&self, ranking: &Ranking) -> PositionedDocument<'_> {
        PositionedDocument {
            path: &self.path,
            place: self.place,
            score: ranking.document_score(&self.held) * self.kind_weight(),
        }
    }
}

impl GroupMatches {
    /// Returns the counts of all terms in each file that contains one.
    pub(super) fn counts(&self) -> BTreeMap<&str, &[u32]> {
        let files = self.files.iter();
        files
            .map(|file| (file.path.as_str(), &*file.held.counts))
            .collect()
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

    /// Returns the whole files at these paths as candidates, each with its requested value; only
    /// files that were visited and kept.
    pub fn find<T>(&self, mut lookup: PathLookup<T>) -> Vec<(Candidate, T)> {
        let whole = self.files.iter().filter(|file| file.part.is_none());
        let matched = whole.map(|file| (&file.path, file.kind, file.held.digest));
        let others = self.others.iter().flatten();
        let others = others.map(|file| (&file.path, file.kind, file.digest));
        let mut found = Vec::new();
        for (path, kind, source) in matched.chain(others) {
            if let Some(what) = lookup.take(path) {
                let candidate = Candidate {
                    path: path.clone(),
                    kind: CandidateKind::File(kind),
                    score: Some(0.0),
                    match_kind: MatchQuality::Words,
                    source,
                    consent: Consent::Withheld,
                    holds_name: false,
                    holds_all_words: false,
                    part: None,
                    semantic: None,
                };
                found.push((candidate, what));
            }
        }
        found
    }
}
