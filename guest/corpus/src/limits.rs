//! The limits of this crate: value, unit, and the reason for each.

/// The part of the cache, one in so many, that texts of documents which are not text may take
/// beside the rest, by their content.
pub const CACHE_EXTRACTED_SHARE: usize = 4;

/// Bytes of one document that is not text: it is held twice for a moment, once by its reader.
pub const FOREIGN_BYTES: usize = 64 << 20;

/// Bytes of text that a reader makes of one document: several books, or a sheet of some hundred
/// thousand rows. It is held beside the document, and searched like any text.
pub const EXTRACTED_BYTES: usize = 32 << 20;

/// Bytes that the compressed parts of one document may have when they are unpacked. Ten times the
/// text that they may give, for its markup; a bomb ends here after a second or two.
pub const UNPACKED_BYTES: u32 = 320 << 20;

/// The part of a call's time, one in so many, that its readers may take together, so that slow
/// documents leave time for all others.
pub const READING_SHARE: u64 = 3;

/// Milliseconds that they may take where the host does not say how long a call may take: that part
/// of what ours gives.
pub const READING_MS: u64 = 20_000;

/// The part of what is left of that, one in so many, that one document may take: behind a slow one
/// there is time for the next.
pub const ONE_READING_SHARE: u64 = 2;

/// The part of it, one in so many, below which no further document is begun.
pub const LEAST_READING_SHARE: u64 = 16;

/// How many times the milliseconds in which a document could not be read it takes to try again.
pub const SLOW_RETRY_FACTOR: u32 = 4;

/// Documents that are remembered to be slow: forty bytes each.
pub const SLOW_DOCUMENTS: usize = 1_000;

/// Documents that are not text which one call reads: some hundredths of a second each, within the
/// time that hosts give to a call.
pub const FOREIGN_PER_CALL: u32 = 500;

/// Levels of directories below a root that are walked: each level holds a descriptor.
pub const WALK_DEPTH: usize = 256;

/// Bytes of a path as JSON in a cursor, so that every cursor stays within what tools take. The
/// walk goes no deeper than it can come back to.
pub const CURSOR_PATH_BYTES: usize = 2_800;

/// Bytes of one file name extension.
pub const EXTENSION_BYTES: usize = 32;

/// Queries whose documents without hits are remembered in a warm instance.
pub const REMEMBERED_QUERIES: usize = 8;

/// Calls for which cached text is kept although it was not used, so that a scan over several pages
/// does not push out its own beginning.
pub const CACHE_KEEP_CALLS: u64 = 64;

/// Bytes that one known entry of a directory counts for in the cache, beside its name.
pub const CACHE_ENTRY_BYTES: usize = 64;

/// File name extensions that one search may name.
pub const EXTENSIONS: usize = 64;

/// Definitions of one file that are known to the graph: the largest generated files have as many.
pub const FACT_SYMBOLS: usize = 20_000;
