//! The limits of this crate: value, unit, and the reason for each.

/// Maximum bytes of a glob; longer ones are lists of names rather than patterns.
pub const GLOB_BYTES: usize = 1024;

/// Maximum bytes of the automaton of a glob before its states are computed. The longest glob of
/// letters takes a tenth; a glob that needs more than all is refused as too intricate.
pub const GLOB_AUTOMATON_BYTES: usize = 1 << 20;

/// Bytes of the cache for the states of that automaton, which are computed on demand. It is cleared
/// when it is full and filled again, so that memory stays bounded whatever the names are, at the
/// cost of time.
pub const GLOB_CACHE_BYTES: usize = 1 << 20;

/// Maximum bytes of one document that is opened for searching or for reading a part. The guest
/// holds one at a time, beside its decoded form, within the memory that hosts grant.
pub const DOCUMENT_BYTES: usize = 64 << 20;

/// Maximum members of one container that are read. Directories of that many files are read as fast
/// as others.
pub const MEMBERS: usize = 500;

/// Maximum bytes of the members of one container that are unpacked at once, which are in memory
/// while a walk is in it; so also of one member.
pub const MEMBERS_BYTES: u32 = 64 << 20;

/// Maximum bytes of the members that are unpacked at once if all of them together exceed
/// [`MEMBERS_BYTES`]: the container is then in memory beside them.
pub const BATCH_BYTES: u32 = 16 << 20;

/// Maximum milliseconds in which members are unpacked.
pub const MEMBERS_MS: u32 = 2_000;

/// Bytes of a longer file read at once. A file that exceeds [`DOCUMENT_BYTES`] is searched piece by
/// piece and never held as a whole.
pub const PIECE_BYTES: usize = 1 << 20;

/// Maximum bytes of one ignore file; a larger one would cost more than the walk.
pub const IGNORE_BYTES: usize = 64 << 10;

/// Maximum patterns of the ignore files of a directory and of those above it: each is tested
/// against each entry. The longest that people write have some hundred.
pub const IGNORE_PATTERNS: usize = 5_000;

/// Maximum directories kept open while files in them are opened one after another; hosts allow
/// more.
pub const DIRECTORIES_KEPT_OPEN: usize = 100;

/// Maximum bytes of a path in a request.
pub const PATH_BYTES: usize = 4096;

/// Maximum bytes of one segment of a path, as in file systems.
pub const SEGMENT_BYTES: usize = 255;

/// Maximum entries shown in `skipped`; the rest are counted.
pub const SKIPPED_SHOWN: usize = 20;
