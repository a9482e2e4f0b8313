//! Reading: what the paths of a request stand for, directories and globs as their newest files.

use std::collections::BTreeSet;

use docent_api::pillars::BlockedPath;
use docent_api::types::Error;

use super::candidate::{Candidate, Candidates, What};
use super::kinds::Kind;
use super::page::Deadline;
use super::request::Subject;
use super::scope::{Places, Scope, blocked};
use crate::digest::{digest, with};
use crate::disk::{Directory, Disk, Metadata};
use crate::extensions::Extensions;
use crate::find::glob::Glob;
use crate::limits::{EXPLORE_DEPTH, EXPLORE_PREFERRED_SHARE};
use crate::refusal::not_found;
use crate::skips::{Skips, reason};
use crate::store::Store;
use crate::walk::{Found, Reach, Start, Walk};

/// What the paths of a request came to.
#[derive(Default)]
pub struct Expansion {
    /// The candidates.
    pub candidates: Candidates,
    /// What could not be examined.
    pub skips: Skips,
    /// Paths that lead nowhere, or must not be opened.
    pub blocked: Vec<BlockedPath>,
    /// Files that were looked at.
    pub files: u32,
    /// Whether a directory or glob stands for more files than it may.
    pub is_cut: bool,
    /// Whether the time was over before all were seen.
    pub timed_out: bool,
    seen: BTreeSet<String>,
    /// Digest of all files that the paths stand for, shown or not.
    pub sources: u64,
    /// Files that directories and globs stand for.
    expanded: usize,
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

impl Expansion {
    /// Returns what the paths of a subject stand for.
    ///
    /// # Errors
    /// When the only path leads nowhere.
    pub fn take<D: Disk>(
        places: &Places<'_, D>,
        store: &mut Store,
        subject: &Subject,
        taking: Taking,
        deadline: &Deadline,
    ) -> Result<Self, Error> {
        let mut expansion = Self::default();
        for path in &subject.paths {
            let added = places.find(store, path).and_then(|scope| match scope {
                Scope::File(file, consented) => {
                    let metadata = file.parent.metadata(&file.name).ok();
                    expansion.files += 1;
                    expansion.add_source(file.path.as_str(), source(metadata.as_ref()));
                    expansion.add(Candidate {
                        source: source(metadata.as_ref()),
                        path: file.path.to_string(),
                        what: What::File(Kind::of(&file.name)),
                        score: None,
                        consented,
                    });
                    Ok(())
                }
                Scope::Directory(start) => {
                    expansion.add_directory(start, None, store, places, subject, taking, deadline)
                }
                Scope::Glob(glob, start) => {
                    let glob = Some(glob);
                    expansion.add_directory(start, glob, store, places, subject, taking, deadline)
                }
            });
            if let Err(error) = added {
                if subject.paths.len() == 1 && !is_withheld(&error) {
                    return Err(error);
                }
                expansion.blocked.push(blocked(path, error));
            }
        }
        Ok(expansion)
    }

    fn add_source(&mut self, path: &str, source: u64) {
        self.sources = with(with(self.sources, digest(path.as_bytes())), source);
    }

    fn add(&mut self, candidate: Candidate) {
        if self.seen.insert(candidate.path.clone()) {
            self.candidates.push(candidate);
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "what a walk goes by, and where it adds"
    )]
    fn add_directory<D: Disk>(
        &mut self,
        start: Start<D::Directory>,
        mut glob: Option<Box<Glob>>,
        store: &mut Store,
        places: &Places<'_, D>,
        subject: &Subject,
        taking: Taking,
        deadline: &Deadline,
    ) -> Result<(), Error> {
        let path = start.path.clone();
        let is_glob = glob.is_some();
        let extensions = Extensions::all();
        let reach = Reach {
            extensions: &extensions,
            exclude: places.exclude,
            // A glob says itself how deep it goes.
            depth: if is_glob { usize::MAX } else { EXPLORE_DEPTH },
            after: None,
        };
        let mut members = Vec::new();
        let mut walk = Walk::begin(store, start, reach).map_err(|_| not_found(&path))?;
        walk.skips = std::mem::take(&mut self.skips);
        while let Some(found) = walk.advance() {
            if deadline.is_over(places.disk) {
                self.timed_out = true;
                break;
            }
            if found == Found::Document
                && glob
                    .as_mut()
                    .is_none_or(|glob| glob.matches_path(walk.path()))
            {
                self.files += 1;
                members.extend(member(&mut walk, subject));
            }
        }
        self.skips = std::mem::take(&mut walk.skips);
        // Whatever of them is shown: a pack is the same under every view and limit.
        for member in &members {
            self.add_source(&member.path, member.source);
        }
        if taking.directories && !is_glob {
            self.add(Candidate {
                path: path.to_string(),
                what: What::Directory,
                score: None,
                source: 0,
                consented: false,
            });
        }
        let Some(most) = taking.files else {
            return Ok(());
        };
        let most = most.saturating_sub(self.expanded);
        let (chosen, is_cut) = choose(members, most, subject);
        self.is_cut |= is_cut;
        self.expanded += chosen.len();
        for member in chosen {
            self.add(Candidate {
                path: member.path,
                what: What::File(member.kind),
                score: None,
                source: member.source,
                consented: false,
            });
        }
        Ok(())
    }
}

/// Whether an error says that something may be there and is not given.
fn is_withheld(error: &Error) -> bool {
    error.code == docent_api::types::ErrorCode::Sensitive
}

/// Returns a digest of when a file changed and how large it is.
pub fn source(metadata: Option<&Metadata>) -> u64 {
    let Some(metadata) = metadata else {
        return 0;
    };
    let modified = metadata.modified.unwrap_or_default().to_le_bytes();
    with(digest(&modified), metadata.size)
}

/// Returns the file that the walk found last, unless its kind takes no part.
fn member<T: Directory>(walk: &mut Walk<'_, T>, subject: &Subject) -> Option<Member> {
    let kind = Kind::of(walk.name());
    if kind != Kind::Other && !subject.kinds.has(kind) {
        return None;
    }
    match walk.metadata() {
        Ok(metadata) => Some(Member {
            modified: metadata.modified,
            path: walk.path().to_owned(),
            kind,
            source: source(Some(&metadata)),
        }),
        Err(failure) => {
            walk.skip(reason(failure));
            None
        }
    }
}

/// Returns the newest `most` files, newest first and equals by path, a share of them kept for the
/// preferred kinds; and whether there are more.
fn choose(mut members: Vec<Member>, most: usize, subject: &Subject) -> (Vec<Member>, bool) {
    members.sort_by(|a, b| {
        b.modified
            .cmp(&a.modified)
            .then_with(|| a.path.cmp(&b.path))
    });
    if members.len() <= most {
        return (members, false);
    }
    let is_preferred = |member: &Member| subject.kinds.has(member.kind);
    let kept = most / EXPLORE_PREFERRED_SHARE;
    let among_newest = members[..most].iter().filter(|m| is_preferred(m)).count();
    let wanted = kept.saturating_sub(among_newest);
    let later: BTreeSet<usize> = (most..members.len())
        .filter(|&index| is_preferred(&members[index]))
        .take(wanted)
        .collect();
    // As many others give way, the oldest first.
    let giving_way: BTreeSet<usize> = (0..most)
        .rev()
        .filter(|&index| !is_preferred(&members[index]))
        .take(later.len())
        .collect();
    let chosen = members
        .into_iter()
        .enumerate()
        .filter(|(index, _)| {
            (*index < most && !giving_way.contains(index)) || later.contains(index)
        })
        .map(|(_, member)| member)
        .collect();
    (chosen, true)
}

#[cfg(test)]
mod tests {
    use super::super::kinds::Kinds;
    use super::*;
    use docent_api::pillars::Intent;

    fn chosen(names: &[&str], most: usize) -> Vec<String> {
        let subject = Subject {
            query: None,
            kinds: Kinds {
                docs: true,
                code: true,
                comments: true,
                logs: false,
            },
            root: String::new(),
            paths: Vec::new(),
            globs: false,
            intent: Intent::Auto,
        };
        let members = (0i128..)
            .zip(names)
            .map(|(age, name)| Member {
                modified: Some(-age),
                path: (*name).to_owned(),
                kind: Kind::of(name),
                source: 0,
            })
            .collect();
        let (members, _) = choose(members, most, &subject);
        members.into_iter().map(|member| member.path).collect()
    }

    #[test]
    fn the_newest_with_a_share_for_the_preferred() {
        let names = [
            "1.png", "2.png", "3.png", "4.png", "5.png", "6.png", "7.md", "8.md", "9.png",
        ];
        // A fifth of five is one place.
        assert_eq!(
            chosen(&names, 5),
            ["1.png", "2.png", "3.png", "4.png", "7.md"]
        );
        assert_eq!(chosen(&names, 4), ["1.png", "2.png", "3.png", "4.png"]);
        assert_eq!(chosen(&names, 9).len(), 9);
        let names = ["1.md", "2.png", "3.png", "4.png", "5.png", "6.md"];
        // One is among the newest already.
        assert_eq!(
            chosen(&names, 5),
            ["1.md", "2.png", "3.png", "4.png", "5.png"]
        );
        assert_eq!(chosen(&["1.png", "2.png", "3.png"], 2), ["1.png", "2.png"]);
    }
}
