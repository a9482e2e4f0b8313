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

/// A text has at least so many bytes for each that is none of its encoding: what has fewer is of
/// an encoding that is not known, or no text.
pub const REPLACED_SHARE: usize = 4;

/// A text some bytes of which are none has at least so many for each control character: what is
/// compressed or a picture has one in ten.
pub const CONTROL_SHARE: usize = 1_000;

/// Bytes of a run beyond ASCII that is UTF-8, for each that is damaged.
pub const UTF_8_RUN_SHARE: usize = 8;

/// A text is UTF-8 in which something else stands if for each byte in runs that are UTF-8 there are
/// at most so many in others: of legacy encodings, fewer than one in a hundred look so by chance.
pub const UTF_8_SHARE: usize = 10;

/// Bytes of Korean syllables in EUC-KR, in runs of nothing else, that are surely Korean. Of the
/// characters of Chinese text hardly more than half have such numbers, so that of eight in a row
/// one text in a hundred would look so.
pub const SURELY_KOREAN_BYTES: usize = 16;

/// Bytes beyond ASCII of a damaged text in a legacy encoding, for each that is none of it.
pub const DAMAGED_SHARE: usize = 8;

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
