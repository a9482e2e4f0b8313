//! Candidates: what may become an item, before its text is looked at.

use crate::explore::kinds::Kind;
use docent_text::digest::{combine, digest};

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A file.
    File(Kind),
    /// A directory.
    Directory,
}

/// A file or directory that may become an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its path as it is on disk.
    pub path: String,
    /// What it is.
    pub what: What,
    /// How relevant it is, 0 to 1; none where nothing was looked for.
    pub score: Option<f64>,
    /// Digest of what it was chosen by: its content, or its size and time.
    pub source: u64,
    /// Whether it may be sensitive, with the person's consent.
    pub consented: bool,
}

/// The candidates of both groups, each in the order of the answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// Documents, directories and other files.
    pub docs: Vec<Candidate>,
    /// Code.
    pub code: Vec<Candidate>,
}

impl Candidates {
    /// Adds a candidate to its group.
    pub fn push(&mut self, candidate: Candidate) {
        match candidate.what {
            What::File(kind) if kind.is_code() => self.code.push(candidate),
            What::File(_) | What::Directory => self.docs.push(candidate),
        }
    }

    /// Returns the number of candidates in both groups.
    pub fn len(&self) -> usize {
        self.docs.len() + self.code.len()
    }

    /// Returns a digest of what both lists were made from, order included.
    pub fn sources(&self) -> u64 {
        let group = |start, list: &[Candidate]| {
            list.iter().fold(start, |hash, candidate| {
                combine(
                    combine(hash, digest(candidate.path.as_bytes())),
                    candidate.source,
                )
            })
        };
        group(combine(group(1, &self.docs), 2), &self.code)
    }
}
