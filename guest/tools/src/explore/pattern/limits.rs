//! Limits of `explore` with a pattern, each with the reason for it.

/// Maximum characters of a pattern.
pub const CHARS: usize = 1_000;

/// Maximum bytes of the automata of a pattern: enough for some hundred repetitions of a class of
/// letters, and as much as an instance can spare in addition to its texts.
pub const NFA_BYTES: usize = 2 << 20;
/// The same for the states that are created during a search.
pub const DFA_BYTES: usize = 2 << 20;

/// Least bytes of a literal whose lines alone are matched: shorter ones are in too many lines.
pub const LITERAL_BYTES: usize = 3;

/// Bytes of a text that are searched for a pattern at once. Between chunks the clock is consulted;
/// each chunk restarts the search for the pattern's literals.
pub const CHUNK_BYTES: usize = 64 << 10;

/// Least and most lines of context around a matching line.
pub const CONTEXT: (u32, u32) = (0, 20);

/// Bytes of a matching line that are shown: one of a minified file would fill the answer.
pub const LINE_BYTES: usize = 300;

/// Maximum number of different values counted for one pattern, and of their bytes: beyond that,
/// memory use would be unbounded.
pub const VALUES: usize = 100_000;
/// See [`VALUES`].
pub const VALUE_BYTES: usize = 4 << 20;

/// Maximum bytes of the counts that are kept for the next page of a pattern's matches: those of
/// 150 000 files, of which an instance for a smaller tree needs as little as that tree has.
pub const CACHE_BYTES: usize = 16 << 20;

/// Least and most milliseconds for which a page repeats the totals of an earlier one, and between
/// these, the multiple of the time that counting took. A reader who asks later gets new totals.
pub const FRESH_MS: (u64, u64) = (2_000, 30_000);
/// See [`FRESH_MS`].
pub const FRESH_SCANS: u64 = 8;

/// Files that are named with the number of lines that an answer does not show.
pub const REST_FILES: usize = 10;
