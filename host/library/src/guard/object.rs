//! The objects of a filesystem, and the ways in which they are opened and renamed.

use std::fs::File;

use wasmtime_wasi::p2::bindings::sync::filesystem::types::DescriptorType;

use super::stamp::StatFields;

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Regular,
    Directory,
    Link,
    /// Never opened.
    Other(DescriptorType),
}

/// An opened object.
#[derive(Debug)]
pub(crate) enum Opened {
    /// A directory, used to open objects beneath it.
    Directory(File),
    /// A regular file.
    Regular(File),
}

/// The kind of object that a caller expects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedKind {
    /// A directory and nothing else.
    Directory,
    /// A regular file or a directory.
    Anything,
}

/// The options for opening a file for writing.
#[derive(Clone, Copy)]
pub(crate) struct WriteOptions {
    pub(crate) access: WriteAccess,
    pub(crate) creation: Creation,
    pub(crate) content: OldContent,
    pub(crate) readers: Readers,
}

/// The permissions of a created file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Readable by its owner only, on systems with owners.
    Owner,
    /// Readable by the users who may read the person's other files.
    Usual,
}

/// The treatment of a rename's target and of the file that it moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renaming {
    pub(crate) replacing: ReplaceCondition,
    pub(crate) alone: ModeAlone,
}

/// The mode of a moved file that replaces none. A file that replaces another takes over its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModeAlone {
    /// The mode that it had.
    Kept,
    /// The mode of the person's other files: it was private only while it was written.
    Usual,
}

/// The targets that a rename may replace.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReplaceCondition {
    /// Any target that a rename can replace, except symbolic links and objects that are never
    /// opened.
    Anything,
    /// No target: the name must be free.
    Nothing,
    /// The target that was seen, which may be none, and only in the state in which it was seen.
    Seen(Option<StatFields>),
}

/// Returns the mode of a file that the person creates without setting a mode.
#[cfg(unix)]
pub(super) fn usual_mode() -> rustix::fs::Mode {
    use rustix::fs::Mode;

    static MODE: std::sync::OnceLock<Mode> = std::sync::OnceLock::new();
    *MODE.get_or_init(|| {
        // The umask is a property of the process and can only be read by setting it. The mask
        // in between is the strictest one: a file that another thread creates at that moment is
        // more private than it would be, never less. The value is read once, so this can happen
        // once in a process.
        let mask = rustix::process::umask(Mode::from_raw_mode(0o077));
        rustix::process::umask(mask);
        Mode::from_raw_mode(0o666).difference(mask)
    })
}

/// The access with which a file is opened for writing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteAccess {
    /// Write only.
    Write,
    /// Read and write.
    ReadWrite,
}

/// The treatment of a missing file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Creation {
    /// The file must exist.
    Never,
    /// The file is created if it is missing.
    IfMissing,
    /// The file must not exist.
    Exclusive,
}

/// The treatment of a file's old content.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OldContent {
    /// The content stays.
    Kept,
    /// The content is truncated.
    Truncated,
}

/// The status of an object. Times are seconds and nanoseconds since 1970.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) kind: ObjectKind,
    pub(crate) links: u64,
    pub(crate) size: u64,
    pub(crate) accessed: Option<(i64, u32)>,
    pub(crate) modified: Option<(i64, u32)>,
    /// Time of its creation; none if the file system does not keep it.
    pub(crate) born: Option<(i64, u32)>,
}

/// An entry of a directory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListedEntry {
    /// Name of the entry; none if it is not UTF-8.
    pub(crate) name: Option<String>,
    pub(crate) kind: ObjectKind,
}
