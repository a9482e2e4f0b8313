//! Directories that move: each file below them is moved as if it were named.

use std::collections::BTreeSet;

use docent_api::types::{Error, ErrorCode};
use docent_corpus::corpus::Corpus;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_transaction::limits::FILES;
use docent_tree::disk::WriteDisk;
use docent_tree::error::refuse;
use docent_tree::locate::{Located, TargetKind, WalkStart};
use docent_tree::path::RelPath;
use docent_tree::refusal::unavailable;

use crate::change::planned::LinkPolicy;
use crate::change::refusals::EditRefusal;
use crate::change::task::{MoveSubject, Task, TaskOp};
use crate::writing::file::is_hidden;
use crate::writing::path_state::{HiddenNames, PathState, exists};
use crate::writing::root::WritableRoot;

/// A directory that moves.
pub struct Moving {
    /// Its path.
    pub from: String,
    /// Its path afterwards.
    pub to: String,
    /// Treatment of links to it and into it.
    pub links: LinkPolicy,
    /// The directories that may be empty afterwards, the innermost first: itself and its
    /// subdirectories.
    pub emptied: Vec<RelPath>,
}

/// Tasks after expansion, none of which moves a directory.
#[derive(Default)]
pub struct Expanded<'e> {
    /// The tasks, each of one file.
    pub tasks: Vec<Task<'e>>,
    /// The directories that move.
    pub moving: Vec<Moving>,
    /// The moves that cannot be.
    pub refusals: Vec<EditRefusal>,
}

/// Returns the tasks with a move of each file in place of that of its directory.
pub fn expand<'e, D: WriteDisk>(
    corpus: &mut Corpus<D>,
    root: &WritableRoot<D::Directory>,
    tasks: Vec<Task<'e>>,
) -> Expanded<'e> {
    let mut expanded = Expanded::default();
    for task in tasks {
        let TaskOp::Move(target) = &task.op else {
            expanded.tasks.push(task);
            continue;
        };
        // A `rename from` of a patch names a file, as Git knows no directories. Its path is not
        // looked up as a directory here: if there is one, opening the file fails later with an
        // error that names the edit.
        let MoveSubject::FileOrDirectory(error) = &target.subject else {
            expanded.tasks.push(task);
            continue;
        };
        let located = corpus.locate(root.chosen.index, &task.path, TargetKind::Directory);
        let Ok(Located::Directory(start)) = located else {
            match error.clone() {
                None => expanded.tasks.push(task),
                Some(error) => expanded.refuse(&task, error),
            }
            continue;
        };
        match Moving::new(corpus, root, start, target.path.clone(), target.links) {
            Ok((moving, files)) => {
                let of_file = |path: RelPath| {
                    let below = &path.as_str()[moving.from.len()..];
                    let to = RelPath::parse(&format!("{}{below}", moving.to))?;
                    Ok(task.for_file(path, to, moving.links))
                };
                match files
                    .into_iter()
                    .map(of_file)
                    .collect::<Result<Vec<_>, Error>>()
                {
                    Ok(tasks) => {
                        expanded.tasks.extend(tasks);
                        expanded.moving.push(moving);
                    }
                    Err(error) => expanded.refuse(&task, error),
                }
            }
            Err(error) => expanded.refuse(&task, error),
        }
    }
    // The count is of all files of the call, those of several directories together. Opening and
    // planning them would cost most of the time of the call, only for the transaction to refuse
    // more than `FILES` files at its end. Dropping all tasks ends the call with this one error.
    if expanded.tasks.len() > FILES {
        let count = expanded.tasks.len();
        if let Some(task) = expanded.tasks.pop() {
            expanded.refuse(&task, too_many(count));
        }
        expanded.tasks.clear();
    }
    expanded
}

impl Expanded<'_> {
    fn refuse(&mut self, task: &Task<'_>, error: Error) {
        let refusal = EditRefusal::from_error(task.index, task.path.as_str(), error);
        self.refusals.push(refusal);
    }
}

impl Moving {
    /// Returns the directory `start` on its way to `target`, and the paths of all its files.
    fn new<D: WriteDisk>(
        corpus: &mut Corpus<D>,
        root: &WritableRoot<D::Directory>,
        start: WalkStart<D::Directory>,
        target: RelPath,
        links: LinkPolicy,
    ) -> Result<(Self, Vec<RelPath>), Error> {
        let from = start.path.to_string();
        let is_below = |path: &RelPath| {
            let rest = path.as_str().strip_prefix(from.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if is_below(&target) {
            return Err(into_itself(&from, &target));
        }
        // A hidden directory may be moved to a hidden path; a visible one must not become
        // hidden. Searches and listings skip hidden names, so `docs` moved to `.docs` would
        // disappear for every tool and every caller that does not already know the path.
        let hidden = match is_hidden(&start.path) {
            true => HiddenNames::Allowed,
            false => HiddenNames::Refused,
        };
        let to = match PathState::resolve_with(corpus, root.chosen.index, &target, hidden)? {
            PathState::Free(place) => place.to_string(),
            PathState::Taken(place) => {
                let hint = "Give a path where nothing is: directories are not merged.";
                return Err(exists(&place, hint));
            }
        };
        let path = start.path.clone();
        let mut files = Vec::new();
        let mut emptied = vec![path.clone()];
        let Corpus { exclude, store, .. } = corpus;
        store.begin_call();
        let mut walk = Walk::begin(store, start, WalkOptions::all_files(exclude))
            .map_err(|failure| unavailable(&path, failure))?;
        while let Some(step) = walk.advance() {
            match step {
                WalkStep::Directory => emptied.push(RelPath::parse(walk.path())?),
                WalkStep::Document => files.push(RelPath::parse(walk.path())?),
            }
            if files.len() > FILES {
                return Err(too_many(files.len()));
            }
        }
        if files.is_empty() {
            return Err(empty(&path));
        }
        // Only directories that held a moved file are removed afterwards. The history records
        // files, so undoing the move recreates the directories of these files, and no others. A
        // directory that was empty before would be lost for good; it stays where it is, and the
        // warning says so.
        let mut holding = BTreeSet::new();
        for file in &files {
            let ends = file.as_str().match_indices('/').map(|(end, _)| end);
            let mut above = ends.rev().map(|end| &file.as_str()[..end]);
            // The directories above a known one are known too, so the loop stops at the first
            // one that is already in the set. Each directory is inserted once, however many
            // files it contains.
            while above.next().is_some_and(|above| holding.insert(above)) {}
        }
        emptied.retain(|directory| holding.contains(directory.as_str()));
        emptied.reverse();
        let moving = Self {
            from,
            to,
            links,
            emptied,
        };
        Ok((moving, files))
    }

    /// Returns the warning for the move.
    pub fn warning(&self) -> String {
        let links = match self.links {
            LinkPolicy::Follow => String::new(),
            LinkPolicy::Stay => format!(
                "; links to what is in `{}`, and in it, stay as they are",
                self.from
            ),
        };
        format!(
            "hidden, ignored and sensitive files, links and empty directories in `{}` stay; \
             directories left empty are deleted{links}",
            self.from
        )
    }
}

fn into_itself(from: &str, target: &RelPath) -> Error {
    refuse(
        ErrorCode::InvalidRequest,
        format!("`{target}` is `{from}` or inside it; expected a path outside of it"),
        "Give a path that does not begin with that of the directory.",
    )
}

fn empty(path: &RelPath) -> Error {
    refuse(
        ErrorCode::InvalidRequest,
        format!("`{path}` holds no file that could be moved; expected one at least"),
        "Hidden and ignored files, and links, are not moved.",
    )
}

fn too_many(count: usize) -> Error {
    refuse(
        ErrorCode::LimitReached,
        format!("{count} files or more would move; expected at most {FILES} in a call"),
        "Nothing was written. Move the directories in it one by one.",
    )
}
