//! Candidates: what may become an item, before its text is looked at.

use std::cmp::Ordering;
use std::ops::Range;

use crate::explore::kinds::FileKind;
use crate::part::PartAddress;
use docent_text::digest::{combine, digest};
use docent_tree::door::Consent;

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateKind {
    /// A file.
    File(FileKind),
    /// A directory.
    Directory,
}

/// The groups of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Documents, directories and other files.
    Docs,
    /// Code.
    Code,
    /// Settings and data.
    Data,
}

/// How well a file answers a search, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchKind {
    /// It defines the identifier that is looked for.
    Definition,
    /// It holds that identifier, or phrases between quotes, as they are written.
    Use,
    /// It holds the words of a message as they stand together in it.
    Message,
    /// It speaks of an identifier that other files define.
    Mention,
    /// It holds words of the query.
    Words,
}

/// What an identifier is in a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRole {
    /// All of it.
    Lone,
    /// The query asks where it is used.
    UsesAsked,
    /// One of its words.
    AmongWords,
    /// None of it: phrases between quotes are asked for.
    Phrases,
}

/// A file or directory that may become an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its path as it is on disk. It stays a string until an item is made of it: a scan has
    /// thousands of candidates and a page some twenty items, and a name on disk may hold what a
    /// path of a request reads otherwise, such as `\`.
    pub path: String,
    /// What it is.
    pub kind: CandidateKind,
    /// How relevant it is, 0 to 1; none where nothing was looked for.
    pub score: Option<f64>,
    /// How well it answers; of equals the one with the higher score is better.
    pub match_kind: MatchKind,
    /// Digest of what it was chosen by: its content, or its size and time.
    pub source: u64,
    /// Whether it may be sensitive, with the person's consent.
    pub consent: Consent,
    /// Whether it holds the identifier that the query names, or may, where code holds that.
    pub holds_name: bool,
    /// True if it holds all words of the query.
    pub holds_all_words: bool,
    /// The part of the file that is asked for; none for the file.
    pub part: Option<PartAddress>,
    /// What of its text answers by meaning, in bytes; none where nothing is known to.
    pub meant: Option<Range<usize>>,
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
    /// How the files hold the identifier that the query names.
    pub name: NameFound,
}

/// How files hold the identifier that a query names, best first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameFound {
    /// As it is written there; or none is named, or that cannot be told.
    #[default]
    AsWritten,
    /// In another case only.
    OtherCase,
    /// They do not define it; in another case they do.
    DefinedInOtherCase,
    /// Surely none of them does.
    Nowhere,
    /// None of them holds the phrases that the query puts between quotes.
    NoPhrase,
}

impl Candidate {
    /// Returns whether the name of its file does not tell what that is.
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

impl Group {
    /// All of them, in the order in which equals come.
    pub const ALL: [Self; 3] = [Self::Docs, Self::Code, Self::Data];

    /// Returns the one whose turn comes next.
    pub fn next(self) -> Self {
        match self {
            Self::Docs => Self::Code,
            Self::Code => Self::Data,
            Self::Data => Self::Docs,
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

    /// Puts what holds an identifier in its place, where code holds it. `Lone`: what is there for
    /// words alone is left out, and documents and data stand back behind code that defines it.
    /// `UsesAsked`: they stand back behind its uses too. `Phrases`: what is there for words alone is
    /// left out.
    /// `AmongWords`: only its definition comes before what answers better by all words.
    pub fn settle(&mut self, name: Option<NameRole>) {
        let is_defined = self.has(MatchKind::Definition);
        let is_found = is_defined || self.has(MatchKind::Use);
        match name {
            Some(NameRole::Lone) if is_found => {
                for group in [&mut self.docs, &mut self.code, &mut self.data] {
                    group.retain(|candidate| candidate.match_kind != MatchKind::Words);
                }
                if is_defined {
                    for candidate in self.docs.iter_mut().chain(&mut self.data) {
                        candidate.match_kind = MatchKind::Mention;
                    }
                }
            }
            Some(NameRole::UsesAsked) if is_found => {
                for candidate in self.docs.iter_mut().chain(&mut self.data) {
                    candidate.match_kind = MatchKind::Mention;
                }
            }
            Some(NameRole::Phrases) if is_found => {
                for group in [&mut self.docs, &mut self.code, &mut self.data] {
                    group.retain(|candidate| candidate.match_kind == MatchKind::Use);
                }
            }
            Some(NameRole::AmongWords) => {
                for candidate in &mut self.code {
                    if candidate.match_kind == MatchKind::Use {
                        candidate.match_kind = MatchKind::Words;
                    }
                }
                // Stable: equals stay in the order of their paths.
                self.code.sort_by(compare);
            }
            _ => {}
        }
    }

    /// Returns whether one of them answers so.
    pub fn has(&self, kind: MatchKind) -> bool {
        self.iter().any(|candidate| candidate.match_kind == kind)
    }

    /// Takes out what files hold whose names do not tell what they are.
    pub fn take_unknown(&mut self) -> Vec<Candidate> {
        let is_unknown = |candidate: &mut Candidate| candidate.is_unknown();
        self.docs.extract_if(.., is_unknown).collect()
    }

    /// Puts what such files hold behind all documents that answer as they do.
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

    /// Whether they are those of a search, which go by how well they answer.
    pub fn are_ranked(&self) -> bool {
        self.iter().any(|candidate| candidate.score.is_some())
    }

    /// Returns all candidates, documents first.
    pub fn iter(&self) -> impl Iterator<Item = &Candidate> {
        self.docs.iter().chain(&self.code).chain(&self.data)
    }

    /// Returns a digest of what the lists were made from, order included.
    pub fn sources(&self) -> u64 {
        let group = |start, list: &[Candidate]| {
            list.iter().fold(start, |hash, candidate| {
                let path = digest(candidate.path.as_bytes());
                combine(combine(hash, path), candidate.source)
            })
        };
        // The 2s between them: a file that changes its group changes the digest.
        let code = group(combine(group(1, &self.docs), 2), &self.code);
        group(combine(code, 2), &self.data)
    }
}

/// Compares two candidates, the better one first: by how well they answer, whether the names of their
/// files tell what these are, then by score.
pub fn compare(a: &Candidate, b: &Candidate) -> Ordering {
    let score = |candidate: &Candidate| candidate.score.unwrap_or_default();
    let by_kind = a.match_kind.cmp(&b.match_kind);
    by_kind
        .then_with(|| a.is_unknown().cmp(&b.is_unknown()))
        .then_with(|| score(b).total_cmp(&score(a)))
}
