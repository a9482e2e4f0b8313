//! The limits of this crate: value, unit, and the reason for each.

/// Bytes of a glob; longer ones are lists of names rather than patterns.
pub const GLOB_BYTES: usize = 1024;

/// Bytes of the automaton that a glob is turned into. The longest glob of letters takes a tenth.
pub const GLOB_AUTOMATON_BYTES: usize = 1 << 20;

/// Bytes in which the states of that automaton are kept as they are met; when they are used up, it
/// begins anew.
pub const GLOB_CACHE_BYTES: usize = 1 << 20;

/// Bytes of one document that is opened for searching or for reading a part. The guest holds one
/// at a time, beside its decoded form, within the memory that hosts grant.
pub const DOCUMENT_BYTES: usize = 64 << 20;

/// Bytes of a longer file that are read at once.
pub const PIECE_BYTES: usize = 1 << 20;

/// Bytes of one ignore file; rules beyond it would cost more than the walk.
pub const IGNORE_BYTES: usize = 64 << 10;

/// Patterns of the ignore files of a directory and of those above it: each is asked of each entry.
/// The longest that people write have some hundred.
pub const IGNORE_PATTERNS: usize = 5_000;

/// Directories that stay open while files in them are opened one after another; hosts bear more.
pub const DIRECTORIES_KEPT_OPEN: usize = 100;

/// Bytes of a path in a request.
pub const PATH_BYTES: usize = 4096;

/// Bytes of one segment of a path; what file systems allow.
pub const SEGMENT_BYTES: usize = 255;

/// Entries of `skipped` that are shown; the rest is counted.
pub const SKIPPED_SHOWN: usize = 20;
