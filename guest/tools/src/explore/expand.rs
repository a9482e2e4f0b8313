//! Reading: what the paths of a request stand for, directories and globs as their newest files.

use std::collections::VecDeque;

use docent_api::types::{Error, SkipReason};

use crate::explore::candidate::{Candidate, Candidates, What};
use crate::explore::cursor::Segment;
use crate::explore::deadline::Deadline;
use crate::explore::kinds::{Kind, Kinds};
use crate::explore::request::Subject;
use crate::explore::scope::Places;
use crate::explore::tour::{Means, Tour, Visitor};
use crate::limits::{EXPLORE_DEPTH, EXPLORE_PREFERRED_SHARE};
use docent_corpus::store::Store;
use docent_corpus::walk::Walk;
use docent_text::digest::{combine, digest};
use docent_tree::disk::{Directory, Disk, Metadata};
use docent_tree::locate::File;
use docent_tree::path::RelPath;
use docent_tree::skips::reason;

/// What the paths of a request came to.
#[derive(Default)]
pub struct Expansion {
    /// How the files were looked at.
    pub tour: Tour,
    /// The candidates.
    pub candidates: Candidates,
    /// Whether directories and globs stand for more files than those.
    pub is_cut: bool,
    /// Digest of all files that the paths stand for, shown or not.
    pub sources: u64,
}

/// How directories are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taking {
    /// As themselves.
    pub directories: bool,
    /// As the files in them, at most so many in all.
    pub files: Option<usize>,
}

/// A file of a directory.
struct Member {
    modified: Option<i128>,
    path: String,
    kind: Kind,
    source: u64,
}

/// Who collects the files.
struct Collector {
    kinds: Kinds,
    /// What is named itself.
    named: Vec<Candidate>,
    members: Vec<Member>,
    sources: u64,
}

impl Expansion {
    /// Returns what the paths of a subject stand for: what is named itself in that order, then the
    /// files of all directories and globs.
    ///
    /// # Errors
    /// When the only path leads nowhere.
    pub fn take<D: Disk>(
        places: Places<'_, D>,
        store: &mut Store,
        subject: &Subject,
        taking: Taking,
        (segment, is_again): (&Segment, bool),
        deadline: &Deadline,
    ) -> Result<Self, Error> {
        let means = Means {
            places,
            paths: &subject.paths,
            is_document: &|_| true,
            depth: EXPLORE_DEPTH,
            deadline,
            is_again,
        };
        let mut collector = Collector {
            kinds: subject.kinds,
            named: Vec::new(),
            members: Vec::new(),
            sources: 0,
        };
        let tour = Tour::take(&means, store, segment, &mut collector)?;
        let mut expansion = Self {
            tour,
            sources: collector.sources,
            ..Self::default()
        };
        if segment.round == 0 {
            for named in collector.named {
                if taking.directories || named.what != What::Directory {
                    expansion.candidates.push(named);
                }
            }
        }
        if let Some(most) = taking.files {
            let (chosen, is_cut) = choose(collector.members, most, segment.round, subject.kinds);
            expansion.is_cut = is_cut;
            for member in chosen {
                expansion.candidates.push(Candidate {
                    path: member.path,
                    what: What::File(member.kind),
                    score: None,
                    source: member.source,
                    consented: false,
                });
            }
        }
        Ok(expansion)
    }
}

impl Collector {
    fn add_source(&mut self, path: &str, source: u64) {
        self.sources = combine(combine(self.sources, digest(path.as_bytes())), source);
    }
}

impl Visitor for Collector {
    const READS: bool = false;

    fn file<T: Directory>(
        &mut self,
        _: &mut Store,
        file: &File<T>,
        consented: bool,
    ) -> Result<u32, SkipReason> {
        let source = source(file.parent.metadata(&file.name).ok().as_ref());
        self.add_source(file.path.as_str(), source);
        self.named.push(Candidate {
            source,
            path: file.path.to_string(),
            what: What::File(Kind::of(&file.name)),
            score: None,
            consented,
        });
        Ok(0)
    }

    fn directory(&mut self, path: &RelPath) {
        self.named.push(Candidate {
            path: path.to_string(),
            what: What::Directory,
            score: None,
            source: 0,
            consented: false,
        });
    }

    fn found<T: Directory>(&mut self, walk: &mut Walk<'_, T>) -> Result<u32, SkipReason> {
        let kind = Kind::of(walk.name());
        if kind != Kind::Other && !self.kinds.has(kind) {
            return Ok(0);
        }
        let metadata = walk.metadata().map_err(reason)?;
        let source = source(Some(&metadata));
        // Whatever of them is shown: a pack is the same under every view and limit.
        self.add_source(walk.path(), source);
        self.members.push(Member {
            modified: metadata.modified,
            path: walk.path().to_owned(),
            kind,
            source,
        });
        Ok(0)
    }
}

/// Returns a digest of when a file changed and how large it is.
pub fn source(metadata: Option<&Metadata>) -> u64 {
    let Some(metadata) = metadata else {
        return 0;
    };
    let modified = metadata.modified.unwrap_or_default().to_le_bytes();
    combine(digest(&modified), metadata.size)
}

/// Returns the files that come in a round, and whether there are more after it. A round is the newest
/// `most` of those that no earlier one had, newest first and equals by path; but a share of its places
/// is for the preferred kinds, and where they are not among the newest, the oldest others give way.
fn choose(mut members: Vec<Member>, most: usize, round: u32, kinds: Kinds) -> (Vec<Member>, bool) {
    members.sort_by(|a, b| {
        b.modified
            .cmp(&a.modified)
            .then_with(|| a.path.cmp(&b.path))
    });
    let (mut own, mut other): (VecDeque<usize>, VecDeque<usize>) =
        (0..members.len()).partition(|&at| kinds.has(members[at].kind));
    let mut chosen = Vec::new();
    for _ in 0..=round {
        let room = most.min(own.len() + other.len());
        let mut of_own = 0;
        while of_own < own.len() {
            // How many of the others are newer than the next one.
            let newer = other.partition_point(|at| *at < own[of_own]);
            if of_own + newer >= room {
                break;
            }
            of_own += 1;
        }
        let of_own = of_own
            .max((most / EXPLORE_PREFERRED_SHARE).min(own.len()))
            .min(room);
        chosen = own.drain(..of_own).collect();
        chosen.extend(other.drain(..room - of_own));
    }
    chosen.sort_unstable();
    let is_cut = !own.is_empty() || !other.is_empty();
    let mut members: Vec<Option<Member>> = members.into_iter().map(Some).collect();
    let chosen = chosen.into_iter().filter_map(|at| members[at].take());
    (chosen.collect(), is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rounds of the names, the newest first.
    fn rounds(names: &[&str], most: usize) -> Vec<Vec<String>> {
        let kinds = Kinds {
            docs: true,
            code: true,
            comments: true,
            logs: false,
        };
        let members = || {
            let all = (0i128..).zip(names).map(|(age, name)| Member {
                modified: Some(-age),
                path: (*name).to_owned(),
                kind: Kind::of(name),
                source: 0,
            });
            all.collect()
        };
        let mut all = Vec::new();
        for round in 0.. {
            let (chosen, is_cut) = choose(members(), most, round, kinds);
            all.push(chosen.into_iter().map(|member| member.path).collect());
            if !is_cut {
                break;
            }
        }
        all
    }

    #[test]
    fn the_newest_with_a_share_for_the_preferred() {
        let names = [
            "1.png", "2.png", "3.png", "4.png", "5.png", "6.png", "7.md", "8.md", "9.png",
        ];
        // A fifth of five is one place.
        assert_eq!(
            rounds(&names, 5),
            [
                vec!["1.png", "2.png", "3.png", "4.png", "7.md"],
                vec!["5.png", "6.png", "8.md", "9.png"],
            ]
        );
        assert_eq!(
            rounds(&names, 4),
            [
                vec!["1.png", "2.png", "3.png", "4.png"],
                vec!["5.png", "6.png", "7.md", "8.md"],
                vec!["9.png"],
            ]
        );
        assert_eq!(rounds(&names, 9), [names.to_vec()]);
        let names = ["1.md", "2.png", "3.png", "4.png", "5.png", "6.md"];
        // One is among the newest already.
        assert_eq!(
            rounds(&names, 5),
            [
                vec!["1.md", "2.png", "3.png", "4.png", "5.png"],
                vec!["6.md"]
            ]
        );
        assert_eq!(
            rounds(&["1.png", "2.png", "3.png"], 2),
            [vec!["1.png", "2.png"], vec!["3.png"]]
        );
    }
}
