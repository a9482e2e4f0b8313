//! Candidates: files, directories and parts that may become items, before their text is read.

use std::cmp::Ordering;
use std::ops::Range;

use crate::explore::request::group::Group;
use crate::explore::request::kinds::FileKind;
use crate::part::PartAddress;
use docent_text::digest::{combine, digest};
use docent_text::sort::sort_by;
use docent_tree::door::Consent;

/// Kind of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateKind {
    /// A file.
    File(FileKind),
    /// A directory.
    Directory,
}

/// Quality of a file's match with a search, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchQuality {
    /// It defines the identifier of the query.
    Definition,
    /// It contains that identifier, or the quoted phrases, exactly as written.
    Use,
    /// It contains the words of a message next to each other.
    Message,
    /// It mentions an identifier that other files define.
    Mention,
    /// It contains words of the query.
    Words,
}

/// Role of an identifier in a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRole {
    /// It is the whole query.
    Lone,
    /// The query asks for its uses.
    UsesAsked,
    /// It is one of several words.
    AmongWords,
    /// There is no identifier: the query asks for quoted phrases.
    Phrases,
}

/// A file or directory that may become an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Path as on disk. It is parsed only when the candidate becomes an item: a scan has thousands
    /// of candidates and a page some twenty items, and a name on disk may contain characters that
    /// the path of a request reads differently, such as `\`.
    pub path: String,
    /// Kind of the candidate.
    pub kind: CandidateKind,
    /// Relevance from 0 to 1, or `None` if there is no query.
    pub score: Option<f64>,
    /// Quality of the match; among equals the higher score is better.
    pub match_kind: MatchQuality,
    /// Digest of the state it was chosen by: the content of the file, or its size and time.
    pub source: u64,
    /// Consent of the person to open it even if it is sensitive.
    pub consent: Consent,
    /// True if it contains, or may contain, the identifier of the query, if any code contains it.
    pub holds_name: bool,
    /// True if it contains all words of the query.
    pub holds_all_words: bool,
    /// Requested part of the file, or `None` for the whole file.
    pub part: Option<PartAddress>,
    /// Byte range of the best semantic match, or `None` if none is known.
    pub semantic: Option<Range<usize>>,
}

/// The candidates of all groups, each in the order of the answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// Documents, directories and other files.
    pub docs: Vec<Candidate>,
    /// Code.
    pub code: Vec<Candidate>,
    /// Settings and data.
    pub data: Vec<Candidate>,
    /// Form in which the files contain the identifier of the query.
    pub name: NameFound,
}

/// Form in which files contain the identifier of a query, best first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameFound {
    /// Exactly as written; also if the query names none, or if that is unknown.
    #[default]
    AsWritten,
    /// Only in another case.
    OtherCase,
    /// They define it only in another case.
    DefinedInOtherCase,
    /// None of them contains it, for certain.
    Nowhere,
    /// None of them contains the quoted phrases of the query.
    NoPhrase,
}

impl Candidate {
    /// Returns true if the kind of the file cannot be inferred from its name.
    fn is_unknown(&self) -> bool {
        self.kind == CandidateKind::File(FileKind::Other)
    }
}

impl CandidateKind {
    /// Returns the group that it belongs to.
    pub fn group(self) -> Group {
        match self {
            Self::File(FileKind::Code(_)) => Group::Code,
            Self::File(FileKind::Data) => Group::Data,
            Self::File(FileKind::Document | FileKind::Log | FileKind::Other) | Self::Directory => {
                Group::Docs
            }
        }
    }
}

impl Candidates {
    /// Adds a candidate to its group.
    pub fn push(&mut self, candidate: Candidate) {
        match candidate.kind.group() {
            Group::Docs => self.docs.push(candidate),
            Group::Code => self.code.push(candidate),
            Group::Data => self.data.push(candidate),
        }
    }

    /// Orders the candidates by their match with an identifier, if code contains it.
    ///
    /// * `Lone`: matches of words alone are removed, and documents and data come after code that
    ///   defines the identifier.
    /// * `UsesAsked`: documents and data come after its uses too.
    /// * `Phrases`: matches of words alone are removed.
    /// * `AmongWords`: only its definition comes before better matches of all words.
    pub fn settle(&mut self, name: Option<NameRole>) {
        let is_defined = self.has(MatchQuality::Definition);
        let is_found = is_defined || self.has(MatchQuality::Use);
        match name {
            Some(NameRole::Lone) if is_found => {
                for group in [&mut self.docs, &mut self.code, &mut self.data] {
                    group.retain(|candidate| candidate.match_kind != MatchQuality::Words);
                }
                if is_defined {
                    for candidate in self.docs.iter_mut().chain(&mut self.data) {
                        candidate.match_kind = MatchQuality::Mention;
                    }
                }
            }
            Some(NameRole::UsesAsked) if is_found => {
                for candidate in self.docs.iter_mut().chain(&mut self.data) {
                    candidate.match_kind = MatchQuality::Mention;
                }
            }
            Some(NameRole::Phrases) if is_found => {
                for group in [&mut self.docs, &mut self.code, &mut self.data] {
                    group.retain(|candidate| candidate.match_kind == MatchQuality::Use);
                }
            }
            Some(NameRole::AmongWords) => {
                for candidate in &mut self.code {
                    if candidate.match_kind == MatchQuality::Use {
                        candidate.match_kind = MatchQuality::Words;
                    }
                }
                // The sort is stable: equal candidates stay in the order of their paths.
                sort_by(&mut self.code, compare);
            }
            _ => {}
        }
    }

    /// Returns true if one of them has this match kind.
    pub fn has(&self, kind: MatchQuality) -> bool {
        self.iter().any(|candidate| candidate.match_kind == kind)
    }

    /// Takes out the documents whose kind is unknown from their names.
    pub fn take_unknown(&mut self) -> Vec<Candidate> {
        let is_unknown = |candidate: &mut Candidate| candidate.is_unknown();
        self.docs.extract_if(.., is_unknown).collect()
    }

    /// Inserts such candidates after all documents whose match is as good.
    pub fn put_unknown(&mut self, unknown: Vec<Candidate>) {
        for candidate in unknown {
            let mut before = self.docs.iter();
            let last = before.rposition(|other| other.match_kind <= candidate.match_kind);
            self.docs.insert(last.map_or(0, |last| last + 1), candidate);
        }
    }

    /// Returns the candidates of a group.
    pub fn group(&self, group: Group) -> &[Candidate] {
        match group {
            Group::Docs => &self.docs,
            Group::Code => &self.code,
            Group::Data => &self.data,
        }
    }

    /// Returns the number of candidates in all groups.
    pub fn len(&self) -> usize {
        self.docs.len() + self.code.len() + self.data.len()
    }

    /// Returns true if they come from a search and are therefore ordered by relevance.
    pub fn are_ranked(&self) -> bool {
        self.iter().any(|candidate| candidate.score.is_some())
    }

    /// Returns all candidates, documents first.
    pub fn iter(&self) -> impl Iterator<Item = &Candidate> {
        self.docs.iter().chain(&self.code).chain(&self.data)
    }

    /// Returns a digest of the sources of all candidates, including their order.
    pub fn sources(&self) -> u64 {
        let group = |start, list: &[Candidate]| {
            list.iter().fold(start, |hash, candidate| {
                let path = digest(candidate.path.as_bytes());
                combine(combine(hash, path), candidate.source)
            })
        };
        // A number separates the groups, so that moving a file from one group to another
        // changes the digest, although the sequence of all files is the same.
        let code = group(combine(group(1, &self.docs), 2), &self.code);
        group(combine(code, 2), &self.data)
    }
}

/// Compares two candidates, the better one first: by match kind, then known file kinds before
/// unknown ones, then by score.
pub fn compare(a: &Candidate, b: &Candidate) -> Ordering {
    let score = |candidate: &Candidate| candidate.score.unwrap_or_default();
    let by_kind = a.match_kind.cmp(&b.match_kind);
    by_kind
        .then_with(|| a.is_unknown().cmp(&b.is_unknown()))
        .then_with(|| score(b).total_cmp(&score(a)))
}
