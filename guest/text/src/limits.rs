//! The limits of this crate: value, unit, and the reason for each.

/// Bytes at a file's start that are looked through for a NUL byte. What is not text has one near
/// its beginning; one further on, as a crash leaves it in a log, does not make a text unreadable.
pub const BINARY_PROBE_BYTES: usize = 8 << 10;

/// Bytes outside ASCII that a legacy encoding has to show before its detection counts as certain:
/// two syllables of Korean. Fewer fit several encodings.
pub const LEGACY_EVIDENCE_BYTES: usize = 4;

/// Bytes from the first one outside ASCII on that the detection of an encoding looks at. More does
/// not make it surer, and the whole text is decoded afterwards without an error or not at all.
pub const LEGACY_PROBE_BYTES: usize = 256 << 10;

/// Bytes of a text in UTF-8 in which one place may be damaged: what has more such places is of
/// another encoding, or no text.
pub const DAMAGE_EVERY_BYTES: usize = 1_000;

/// Bytes that a text in UTF-8 has at least if it is known for one in spite of a damaged place. A
/// line or two: fewer bytes fit several encodings.
pub const DAMAGED_BYTES: usize = 64;

/// Characters beyond ASCII for each damaged place that make it certain that a text is UTF-8, and
/// that no other encoding need be tried.
pub const CERTAIN_CHARACTERS: usize = 8;

/// Bytes looked at on either side of a place to tell whether a grapheme cluster spans it. Clusters
/// in real text are far shorter; without a bound a hostile one would cost its length at each hit.
pub const CLUSTER_BYTES: usize = 256;

/// Bytes of a long text that are worked on between two questions whether there is time for more:
/// about a millisecond.
pub const SLICE_BYTES: usize = 64 << 10;

/// Least and most letters of a word that others may be near to: of shorter ones too many are.
pub const NEAR_LETTERS: (usize, usize) = (4, 40);

/// Letters from which on a word may be two edits away and not one.
pub const NEAR_LONG_LETTERS: usize = 8;

/// Words of a query that near ones are looked for to.
pub const NEAR_WORDS: usize = 8;

/// Words that are kept as near to one of a query: a text may be made of such.
pub const NEAR_CANDIDATES: usize = 64;

/// Near words that are named.
pub const NEAR_SHOWN: usize = 5;

/// Bytes that a quotation or an aside has at most that no sentence ends in. A sign that opens one
/// and is longer alone is just a sign.
pub const QUOTED_BYTES: usize = 500;
