//! The limits of this crate: value, unit, and the reason for each.

/// Bytes at the start of a file searched for a NUL byte. Binary files have one near the start. A
/// later one, as a crash leaves in a log, does not make a text unreadable, and a search of the
/// whole file would refuse it.
pub const BINARY_PROBE_BYTES: usize = 8 << 10;

/// Minimum non-ASCII bytes for a certain detection of a legacy encoding: two Korean syllables.
/// Fewer fit several encodings.
pub const LEGACY_EVIDENCE_BYTES: usize = 4;

/// Bytes from the first non-ASCII byte on that encoding detection examines. More would not improve
/// the result, and the whole text is then decoded without an error or not at all.
pub const LEGACY_PROBE_BYTES: usize = 256 << 10;

/// Minimum bytes of a text for each invalid one. A file with more invalid bytes is in an unknown
/// encoding, or not text.
pub const REPLACED_SHARE: usize = 4;

/// Minimum bytes of a damaged text for each control character. In compressed data and images, one
/// byte in ten is a control character.
pub const CONTROL_SHARE: usize = 1_000;

/// Minimum bytes of a non-ASCII UTF-8 run for each damaged one. A run in another encoding is
/// invalid far more often, so that a run with less damage is UTF-8 of which a byte was lost.
pub const UTF_8_RUN_SHARE: usize = 8;

/// Maximum bytes in other runs for each byte in UTF-8 runs, in a text that counts as UTF-8 with
/// insertions. Of legacy encodings, fewer than one in a hundred look so by chance.
pub const UTF_8_SHARE: usize = 10;

/// Minimum bytes of EUC-KR syllables, in runs of nothing else, that are certainly Korean. Hardly
/// more than half of the characters of Chinese text fall into that range, so eight in a row occur
/// in one text of a hundred.
pub const SURELY_KOREAN_BYTES: usize = 16;

/// Minimum non-ASCII bytes of a damaged legacy text for each invalid one.
pub const DAMAGED_SHARE: usize = 8;

/// Bytes examined on either side of a position to decide if a grapheme cluster spans it. Clusters
/// in real text are far shorter; without a bound, a hostile one would cost its length at each hit.
pub const CLUSTER_BYTES: usize = 256;

/// Bytes of a long text processed between two checks of the time budget: about a millisecond.
/// Checks at every line would call the host's clock far more often than is useful, and without any
/// a single file of 64 MiB could exceed the time of its call.
pub const SLICE_BYTES: usize = 64 << 10;

/// Minimum and maximum letters of a query word that has near words. Shorter words have too many.
pub const NEAR_LETTERS: (usize, usize) = (4, 40);

/// Minimum letters of a word whose near words may be two edits away instead of one.
pub const NEAR_LONG_LETTERS: usize = 8;

/// Maximum words of a query for which near words are collected.
pub const NEAR_WORDS: usize = 8;

/// Maximum near words kept for one word of a query. A text may consist of them, such as a list of
/// generated names, and each takes memory until the end of the search.
pub const NEAR_CANDIDATES: usize = 64;

/// Maximum near words reported.
pub const NEAR_SHOWN: usize = 5;

/// Maximum bytes of a quotation or parenthesis that suppresses sentence ends. An opening sign with
/// a longer content is just a sign: a quote or a bracket that is never closed would otherwise make
/// all the rest of a paragraph one sentence.
pub const QUOTED_BYTES: usize = 500;
