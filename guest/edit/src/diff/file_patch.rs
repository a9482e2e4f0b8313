//! The changes that a diff makes to a file, and their hunks.

/// The changes that a diff makes to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePatch {
    /// Old name; `None` if the file is new or the diff does not say.
    pub old: Option<String>,
    /// New name; `None` if the file is deleted or the diff does not say.
    pub new: Option<String>,
    /// Operation on the file as a whole.
    pub op: FileOp,
    /// Changes of its lines.
    pub hunks: Vec<Hunk>,
    /// Changes that this crate cannot apply.
    pub unsupported: Vec<UnsupportedChange>,
}

/// A change of a file other than of its name or its lines of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedChange {
    /// The file is a copy of another one.
    Copy,
    /// The file is binary, and its bytes are left out or encoded.
    Binary,
    /// The file is a link or a submodule.
    Irregular,
    /// The file's mode changes, or it is new and executable.
    Mode,
}

/// The operation on a file as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileOp {
    /// It keeps its name.
    #[default]
    Stays,
    /// It is created.
    Created,
    /// It is deleted, with the lines listed in the hunks.
    Deleted,
    /// It is deleted with any content: `*** Delete File: old.txt` in the patch of a model does not
    /// list the lines.
    Dropped,
    /// It is renamed, and its lines may change.
    Renamed,
}

/// A range of a file's lines and its replacement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Lines that occur somewhere above the hunk, in order.
    pub anchors: Vec<String>,
    /// Line at which the hunk begins, from 1, as its header says. It is not reliable, since lines
    /// may have been added above it since the diff was made. So it only selects between several
    /// places of the old lines.
    pub line: Option<u32>,
    /// Old lines: context and removed lines. The last one has no LF if the diff says that the file
    /// ends without one.
    pub old: String,
    /// New lines: context and added lines.
    pub new: String,
    /// True if the diff says that the hunk ends the file.
    pub is_last: bool,
    /// Number of context lines before the first change and after the last one. A diff has three on
    /// each side unless the file begins or ends there, so that a missing side means that edge of
    /// the file.
    pub context: (usize, usize),
}
