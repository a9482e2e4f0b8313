//! The limits of this crate: value, unit, and the reason for each.

/// Divisor of the cache for its share of extracted texts of binary documents, which are cached by
/// content in addition to the rest.
pub const CACHE_EXTRACTED_SHARE: usize = 4;

/// Maximum bytes of a binary document. Two copies of it exist for a moment: one in the memory of
/// this component, and one in that of its reader.
pub const FOREIGN_BYTES: usize = 64 << 20;

/// Maximum bytes of the name of a format that is not read, as its reader tells it.
pub const FORMAT_NAME_BYTES: usize = 64;

/// Maximum bytes of text extracted from one document: several books, or a sheet of some hundred
/// thousand rows. It is held beside the document, and searched like any text.
pub const EXTRACTED_BYTES: usize = 32 << 20;

/// Maximum bytes of the unpacked parts of one document. Ten times the maximum text, for its markup;
/// a decompression bomb ends here after a second or two.
pub const UNPACKED_BYTES: u32 = 320 << 20;

/// Divisor of a call's time for the share of its readers together. The rest remains for the search
/// itself and for all other documents, so that a directory of slow documents does not end the call.
pub const READING_SHARE: u64 = 3;

/// Milliseconds of all readers of a call if the host sets no deadline: the same share of our host's
/// default.
pub const READING_MS: u64 = 20_000;

/// Divisor of the remaining reading time for one document. With half of what is left for each, a
/// slow document never takes all of it, and the next one still gets a share.
pub const ONE_READING_SHARE: u64 = 2;

/// Divisor of the reading time for the least that must remain to begin another document. Below
/// that, shares would be so short that ordinary documents fail as too slow.
pub const LEAST_READING_SHARE: u64 = 16;

/// Factor of the milliseconds in which a document could not be read: it is tried again only with
/// this many times as much. Otherwise a page of a search that continues after a slow document would
/// spend its time on the same document.
pub const SLOW_RETRY_FACTOR: u32 = 4;

/// Maximum documents remembered as slow: forty bytes each.
pub const SLOW_DOCUMENTS: usize = 1_000;

/// Maximum binary documents that one call reads: some hundredths of a second each, within the time
/// that hosts give to a call. The number counts cached documents too, so that the same request has
/// the same pages with and without a cache.
pub const FOREIGN_PER_CALL: u32 = 500;

/// Maximum depth of a walk below a root: each level holds a descriptor.
pub const WALK_DEPTH: usize = 256;

/// Maximum bytes of a path as JSON in a cursor, so that every cursor stays within the limits of
/// tools. The walk skips deeper paths, to which it could not return.
pub const CURSOR_PATH_BYTES: usize = 2_800;

/// Maximum bytes of one file name extension.
pub const EXTENSION_BYTES: usize = 32;

/// Maximum queries whose documents without hits are remembered in a warm instance.
pub const REMEMBERED_QUERIES: usize = 8;

/// Calls for which cached text is kept although it was not used. A scan over several pages is
/// several calls: with a smaller number, its later pages would evict the texts of its first ones,
/// and the next scan would read all of them again.
pub const CACHE_KEEP_CALLS: u64 = 64;

/// Bytes for which one known entry of a directory counts in the cache, in addition to its name.
pub const CACHE_ENTRY_BYTES: usize = 64;

/// Maximum file name extensions of one search.
pub const EXTENSIONS: usize = 64;

/// Maximum definitions of one file in the graph: the largest generated files have as many.
pub const SUMMARY_SYMBOLS: usize = 20_000;
