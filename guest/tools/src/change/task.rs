//! Tasks: the effect of each edit on each file.

use docent_api::types::Error;
use docent_edit::diff::file_patch::Hunk;
use docent_edit::plan;
use docent_tree::path::RelPath;

use crate::change::planned::LinkPolicy;

/// Effect of one edit on one file.
#[derive(Debug)]
pub struct Task<'e> {
    /// The edit's index in the request.
    pub index: usize,
    /// The file as requested.
    pub path: RelPath,
    /// Operation on the file.
    pub op: TaskOp<'e>,
    /// Warning about changes that are left out.
    pub warning: Option<String>,
}

/// Operation on a file.
#[derive(Debug)]
pub enum TaskOp<'e> {
    /// An edit of the text.
    Edit(plan::Edit<'e>),
    /// A part of a diff is applied.
    Hunks(Vec<Hunk>),
    /// It moves to another path.
    Move(MoveTarget),
    /// It is created with this text.
    Create(String),
    /// It is deleted: if the part of a diff leaves nothing of it, or unconditionally without one.
    Delete(Option<Vec<Hunk>>),
}

/// Destination of a move.
#[derive(Debug)]
pub struct MoveTarget {
    /// New path.
    pub path: RelPath,
    /// Treatment of links.
    pub links: LinkPolicy,
    /// Object that moves.
    pub subject: MoveSubject,
}

/// Object that moves.
#[derive(Debug)]
pub enum MoveSubject {
    /// A file.
    File,
    /// A file or a directory. If the paths are written as those of a directory, such as `docs/`,
    /// this is the error in case there is no such directory.
    FileOrDirectory(Option<Error>),
    /// A file of a directory that moves, which is reported instead.
    DirectoryMember,
}

impl Task<'_> {
    /// Returns the move of one file of a directory that this task moves.
    pub fn for_file(&self, path: RelPath, to: RelPath, links: LinkPolicy) -> Self {
        Self {
            index: self.index,
            path,
            op: TaskOp::Move(MoveTarget {
                path: to,
                links,
                subject: MoveSubject::DirectoryMember,
            }),
            warning: None,
        }
    }
}
