//! Reading: expansion of the paths of a request, with directories and globs as their newest files.

use std::collections::VecDeque;

use docent_api::types::{Error, SkipReason};

use crate::explore::request::DirectoryItems;
use crate::explore::request::deadline::Deadline;
use crate::explore::request::kinds::{FileKind, FileKinds};
use crate::explore::request::scope::ScopeRules;
use crate::explore::request::subject::Subject;
use crate::explore::selection::candidate::{Candidate, CandidateKind, Candidates, MatchQuality};
use crate::explore::selection::traversal::{
    FileVisitor, NamedFile, RangeScan, Traversal, TraversalOptions, Unvisited, traverse,
};
use crate::limits::{EXPLORE_DEPTH, EXPLORE_PREFERRED_SHARE};
use docent_corpus::store::Store;
use docent_corpus::walk::Walk;
use docent_text::digest::{combine, digest};
use docent_text::sort::sort_by;
use docent_text::time_budget::TimeBudget;
use docent_tree::disk::{Directory, Disk, Metadata};
use docent_tree::door::Consent;
use docent_tree::path::RelPath;
use docent_tree::skips::reason;

/// Expansion of the paths of a request.
#[derive(Default)]
pub struct Expansion {
    /// The traversal of the files.
    pub traversal: Traversal,
    /// The candidates.
    pub candidates: Candidates,
    /// The round that returns more files of directories and globs, or `None` if this one returns
    /// the last of them.
    pub next_round: Option<u32>,
    /// Hash of all files that the paths include, shown or not.
    pub sources: u64,
}

/// A file of a directory.
struct DirectoryMember {
    modified: Option<i128>,
    path: String,
    kind: FileKind,
    source: u64,
}

/// The files of some paths, while a traversal lists them.
struct PathMembers {
    kinds: FileKinds,
    /// Files and directories that are named themselves.
    named: Vec<Candidate>,
    /// Files of directories and globs.
    members: Vec<DirectoryMember>,
    sources: u64,
}

/// Expands the paths of a subject: files and directories that are named themselves in the given
/// order, then the files of all directories and globs.
///
/// # Errors
/// If the only path cannot be resolved.
pub fn expand<D: Disk>(
    rules: ScopeRules<'_, D>,
    store: &mut Store,
    subject: &Subject,
    items: DirectoryItems,
    scan: &RangeScan,
    deadline: &Deadline,
) -> Result<Expansion, Error> {
    let arguments = TraversalOptions {
        rules,
        paths: &subject.paths,
        // A caller that names a directory wants to know what it contains, so files of every
        // kind are candidates.
        is_document: &|_| true,
        depth: EXPLORE_DEPTH,
        // If the files of a directory are not requested, none of them is missing.
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
    let traversal = traverse(&arguments, store, &mut paths)?;
    let mut expansion = Expansion {
        traversal,
        sources: paths.sources,
        ..Expansion::default()
    };
    let round = scan.range.round;
    // Later rounds add files of directories only; entries that are named themselves came with
    // the first one.
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
                match_kind: MatchQuality::Words,
                holds_name: false,
                holds_all_words: false,
                source: member.source,
                consent: Consent::Withheld,
                part: None,
                semantic: None,
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

    fn visit_named_file<T: Directory>(
        &mut self,
        _: &mut Store,
        named: &NamedFile<'_, T>,
        _: &mut TimeBudget<'_>,
    ) -> Result<u32, Unvisited> {
        let file = named.file;
        // An unreadable file is not reported here: its item reads it and reports the error.
        let source = source(file.parent.metadata(&file.name).ok().as_ref());
        self.add_source(file.path.as_str(), source);
        self.named.push(Candidate {
            source,
            path: file.path.to_string(),
            kind: CandidateKind::File(FileKind::from_name(&file.name)),
            score: None,
            match_kind: MatchQuality::Words,
            holds_name: false,
            holds_all_words: false,
            consent: named.consent,
            part: named.part.cloned(),
            semantic: None,
        });
        Ok(0)
    }

    fn visit_named_directory(&mut self, path: &RelPath) {
        self.named.push(Candidate {
            path: path.to_string(),
            kind: CandidateKind::Directory,
            score: None,
            match_kind: MatchQuality::Words,
            holds_name: false,
            holds_all_words: false,
            // The entries of a directory are not part of its source. A new file must not
            // invalidate the packs that name the directory; its files are candidates of their
            // own.
            source: 0,
            consent: Consent::Withheld,
            part: None,
            semantic: None,
        });
    }

    fn visit_walked_file<T: Directory>(
        &mut self,
        walk: &mut Walk<'_, T>,
        _: &mut TimeBudget<'_>,
    ) -> Result<u32, SkipReason> {
        let kind = FileKind::from_name(walk.name());
        // Files of unknown kinds are always candidates, as no choice of kinds names them.
        if kind != FileKind::Other && !self.kinds.has(kind) {
            return Ok(0);
        }
        let metadata = walk.metadata().map_err(reason)?;
        let source = source(Some(&metadata));
        // Every file counts, whether it is shown or not: a pack has the same sources under
        // every view and limit.
        self.add_source(walk.path(), source);
        self.members.push(DirectoryMember {
            modified: metadata.modified,
            path: walk.path().to_owned(),
            kind,
            source,
        });
        Ok(0)
    }
}

/// Returns a digest of the time and size of a file.
pub fn source(metadata: Option<&Metadata>) -> u64 {
    let Some(metadata) = metadata else {
        return 0;
    };
    // The digest has the time and size, not the content: a directory is listed without reading
    // its files.
    let modified = metadata.modified.unwrap_or_default().to_le_bytes();
    combine(digest(&modified), metadata.size)
}

/// Returns the files of a round, and true if it is the last one. A round consists of the newest
/// `most` files that no earlier round had, newest first and equals by path. A share of its places
/// is reserved for the preferred kinds: if they are not among the newest, they replace the oldest
/// of the others.
///
/// Without that share, a directory of code among pictures might yield only pictures as its newest
/// twenty files.
fn choose(
    mut members: Vec<DirectoryMember>,
    most: usize,
    round: u32,
    kinds: FileKinds,
) -> (Vec<DirectoryMember>, bool) {
    sort_by(&mut members, |a, b| {
        b.modified
            .cmp(&a.modified)
            .then_with(|| a.path.cmp(&b.path))
    });
    // Both lists have indices into the sorted members, so a smaller index is a newer file.
    let (mut preferred, mut others): (VecDeque<usize>, VecDeque<usize>) =
        (0..members.len()).partition(|&index| kinds.has(members[index].kind));
    let mut chosen = Vec::new();
    // No call remembers the earlier rounds, so they are chosen again. The same files give the
    // same rounds, and the digest in the cursor detects other files.
    for _ in 0..=round {
        // A cursor may claim any number of rounds, and repeating four billion of them would
        // never end. When nothing is left, no later round has anything either.
        if preferred.is_empty() && others.is_empty() {
            chosen.clear();
            break;
        }
        let room = most.min(preferred.len() + others.len());
        let mut preferred_count = 0;
        while preferred_count < preferred.len() {
            // Number of the other files that are newer than the next preferred one.
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
    // Sorted by index, preferred and other files are in one order again, the newest first.
    chosen.sort_unstable();
    let is_last = preferred.is_empty() && others.is_empty();
    let mut members: Vec<Option<DirectoryMember>> = members.into_iter().map(Some).collect();
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
    fn members(names: &[&str]) -> Vec<DirectoryMember> {
        let all = (0i128..).zip(names).map(|(age, name)| DirectoryMember {
            modified: Some(-age),
            path: (*name).to_owned(),
            kind: FileKind::from_name(name),
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
        // One of them is already among the newest.
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
