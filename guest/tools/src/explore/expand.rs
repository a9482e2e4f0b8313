//! Reading: what the paths of a request stand for, directories and globs as their newest files.

use std::collections::VecDeque;

use docent_api::types::{Error, SkipReason};

use crate::explore::candidate::{Candidate, CandidateKind, Candidates, MatchKind};
use crate::explore::deadline::Deadline;
use crate::explore::kinds::{FileKind, FileKinds};
use crate::explore::request::{DirectoryItems, Subject};
use crate::explore::scope::ScopeRules;
use crate::explore::tour::{
    FileVisitor, NamedFile, RangeScan, Tour, TourArguments, Unvisited, tour,
};
use crate::limits::{EXPLORE_DEPTH, EXPLORE_PREFERRED_SHARE};
use docent_corpus::store::Store;
use docent_corpus::walk::Walk;
use docent_text::digest::{combine, digest};
use docent_text::patience::Pace;
use docent_tree::disk::{Directory, Disk, Metadata};
use docent_tree::door::Consent;
use docent_tree::path::RelPath;
use docent_tree::skips::reason;

/// What the paths of a request came to.
#[derive(Default)]
pub struct Expansion {
    /// How the files were looked at.
    pub tour: Tour,
    /// The candidates.
    pub candidates: Candidates,
    /// The round that brings more of the files of directories and globs; none where this one brings
    /// the last of them.
    pub next_round: Option<u32>,
    /// Hash of all files that the paths stand for, shown or not.
    pub sources: u64,
}

/// A file of a directory.
struct Member {
    modified: Option<i128>,
    path: String,
    kind: FileKind,
    source: u64,
}

/// The files that paths stand for, while a tour lists them.
struct PathMembers {
    kinds: FileKinds,
    /// What is named itself.
    named: Vec<Candidate>,
    /// What directories and globs hold.
    members: Vec<Member>,
    sources: u64,
}

/// Returns what the paths of a subject stand for: what is named itself in that order, then the
/// files of all directories and globs.
///
/// # Errors
/// When the only path leads nowhere.
pub fn expand<D: Disk>(
    rules: ScopeRules<'_, D>,
    store: &mut Store,
    subject: &Subject,
    items: DirectoryItems,
    scan: &RangeScan,
    deadline: &Deadline,
) -> Result<Expansion, Error> {
    let arguments = TourArguments {
        rules,
        paths: &subject.paths,
        // Any file: who names a directory wants to know what is in it.
        is_document: &|_| true,
        depth: EXPLORE_DEPTH,
        // Where its files are not asked for, none is missing.
        tells_too_deep: items.most_files.is_some(),
        scan,
        deadline,
    };
    let mut paths = PathMembers {
        kinds: subject.kinds,
        named: Vec::new(),
        members: Vec::new(),
        sources: 0,
    };
    let tour = tour(&arguments, store, &mut paths)?;
    let mut expansion = Expansion {
        tour,
        sources: paths.sources,
        ..Expansion::default()
    };
    let round = scan.range.round;
    // Later rounds bring more files of directories; what is named itself came with the first.
    if round == 0 {
        for candidate in paths.named {
            if items.itself || candidate.kind != CandidateKind::Directory {
                expansion.candidates.push(candidate);
            }
        }
    }
    if let Some(most) = items.most_files {
        let (chosen, is_last) = choose(paths.members, most, round, subject.kinds);
        expansion.next_round = (!is_last).then_some(round + 1);
        for member in chosen {
            expansion.candidates.push(Candidate {
                path: member.path,
                kind: CandidateKind::File(member.kind),
                score: None,
                match_kind: MatchKind::Words,
                holds_name: false,
                holds_all_words: false,
                source: member.source,
                consent: Consent::Withheld,
                part: None,
                meant: None,
            });
        }
    }
    Ok(expansion)
}

impl PathMembers {
    fn add_source(&mut self, path: &str, source: u64) {
        self.sources = combine(combine(self.sources, digest(path.as_bytes())), source);
    }
}

impl FileVisitor for PathMembers {
    const READS: bool = false;

    fn named_file<T: Directory>(
        &mut self,
        _: &mut Store,
        named: &NamedFile<'_, T>,
        _: &mut Pace<'_>,
    ) -> Result<u32, Unvisited> {
        let file = named.file;
        // No error here: what is wrong with the file is told by its item, which reads it.
        let source = source(file.parent.metadata(&file.name).ok().as_ref());
        self.add_source(file.path.as_str(), source);
        self.named.push(Candidate {
            source,
            path: file.path.to_string(),
            kind: CandidateKind::File(FileKind::of(&file.name)),
            score: None,
            match_kind: MatchKind::Words,
            holds_name: false,
            holds_all_words: false,
            consent: named.consent,
            part: named.part.cloned(),
            meant: None,
        });
        Ok(0)
    }

    fn named_directory(&mut self, path: &RelPath) {
        self.named.push(Candidate {
            path: path.to_string(),
            kind: CandidateKind::Directory,
            score: None,
            match_kind: MatchKind::Words,
            holds_name: false,
            holds_all_words: false,
            // Its entries are no part of it: a new file must not end the packs of its directory.
            source: 0,
            consent: Consent::Withheld,
            part: None,
            meant: None,
        });
    }

    fn walked_file<T: Directory>(
        &mut self,
        walk: &mut Walk<'_, T>,
        _: &mut Pace<'_>,
    ) -> Result<u32, SkipReason> {
        let kind = FileKind::of(walk.name());
        // Others are shown with every choice of kinds: they belong to none that could be left out.
        if kind != FileKind::Other && !self.kinds.has(kind) {
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
    // Not the content: a directory is listed without a look into its files.
    let modified = metadata.modified.unwrap_or_default().to_le_bytes();
    combine(digest(&modified), metadata.size)
}

/// Returns the files that come in a round, and whether it is the last. A round is the newest `most`
/// of those that no earlier one had, newest first and equals by path; but a share of its places is
/// for the preferred kinds, and where they are not among the newest, the oldest others give way.
///
/// Asked for a directory of code among pictures, the newest twenty would else be pictures alone.
fn choose(
    mut members: Vec<Member>,
    most: usize,
    round: u32,
    kinds: FileKinds,
) -> (Vec<Member>, bool) {
    members.sort_by(|a, b| {
        b.modified
            .cmp(&a.modified)
            .then_with(|| a.path.cmp(&b.path))
    });
    // Both lists hold indices into the sorted members, so a smaller one is a newer file.
    let (mut preferred, mut others): (VecDeque<usize>, VecDeque<usize>) =
        (0..members.len()).partition(|&index| kinds.has(members[index].kind));
    let mut chosen = Vec::new();
    // Earlier rounds are dealt out again, for no call remembers what they held.
    for _ in 0..=round {
        // A cursor may claim any number of rounds; behind the last one there is nothing to deal out.
        if preferred.is_empty() && others.is_empty() {
            chosen.clear();
            break;
        }
        let room = most.min(preferred.len() + others.len());
        let mut preferred_count = 0;
        while preferred_count < preferred.len() {
            // How many of the others are newer than the next one.
            let newer = others.partition_point(|index| *index < preferred[preferred_count]);
            if preferred_count + newer >= room {
                break;
            }
            preferred_count += 1;
        }
        let preferred_count = preferred_count
            .max((most / EXPLORE_PREFERRED_SHARE).min(preferred.len()))
            .min(room);
        chosen = preferred.drain(..preferred_count).collect();
        chosen.extend(others.drain(..room - preferred_count));
    }
    // By index, so preferred and others stand in one order again, the newest first.
    chosen.sort_unstable();
    let is_last = preferred.is_empty() && others.is_empty();
    let mut members: Vec<Option<Member>> = members.into_iter().map(Some).collect();
    let chosen = chosen.into_iter().filter_map(|index| members[index].take());
    (chosen.collect(), is_last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: FileKinds = FileKinds {
        docs: true,
        code: true,
        comments: true,
        logs: false,
        data: true,
    };

    /// Returns files of these names, the newest first.
    fn members(names: &[&str]) -> Vec<Member> {
        let all = (0i128..).zip(names).map(|(age, name)| Member {
            modified: Some(-age),
            path: (*name).to_owned(),
            kind: FileKind::of(name),
            source: 0,
        });
        all.collect()
    }

    /// Returns the rounds of the names, the newest first.
    fn rounds(names: &[&str], most: usize) -> Vec<Vec<String>> {
        let mut all = Vec::new();
        for round in 0.. {
            let (chosen, is_last) = choose(members(names), most, round, KINDS);
            all.push(chosen.into_iter().map(|member| member.path).collect());
            if is_last {
                break;
            }
        }
        all
    }

    #[test]
    fn behind_the_last_round_there_is_nothing() {
        let (chosen, is_last) = choose(members(&["1.md", "2.md"]), 1, u32::MAX, KINDS);
        assert_eq!((chosen.len(), is_last), (0, true));
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
