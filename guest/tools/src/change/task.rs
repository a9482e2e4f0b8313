//! Tasks: the effect of each edit on each file.

use docent_edit::diff::file_patch::Hunk;
use docent_tree::path::RelPath;

use crate::change::form::EditForm;
use crate::change::planned::LinkPolicy;

/// Effect of one edit on one file.
#[derive(Debug)]
pub struct Task {
    /// The edit's index in the request.
    pub index: usize,
    /// The file as requested.
    pub path: RelPath,
    /// Operation on the file.
    pub op: TaskOp,
    /// Warning about changes that are left out.
    pub warning: Option<String>,
}

/// Operation on a file.
#[derive(Debug)]
pub enum TaskOp {
    /// The edit of the request, in this form.
    Edit(EditForm),
    /// A part of a diff is applied.
    Hunks(Vec<Hunk>),
    /// It moves to another path.
    Move(Target),
    /// It is created with this text.
    Create(String),
    /// It is deleted: if the part of a diff leaves nothing of it, or unconditionally without one.
    Delete(Option<Vec<Hunk>>),
}

/// Destination of a move.
#[derive(Debug)]
pub struct Target {
    /// New path.
    pub path: RelPath,
    /// Treatment of links.
    pub links: LinkPolicy,
    /// True if it moves with its directory, which is reported instead.
    pub is_with_directory: bool,
}

impl Task {
    /// Returns the move of one file of a directory that this task moves.
    pub fn for_file(&self, path: RelPath, to: RelPath, links: LinkPolicy) -> Self {
        Self {
            index: self.index,
            path,
            op: TaskOp::Move(Target {
                path: to,
                links,
                is_with_directory: true,
            }),
            warning: None,
        }
    }
}
