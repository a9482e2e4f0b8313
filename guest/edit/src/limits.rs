//! Limits of this crate: value, unit, and the reason for each.

/// Maximum characters of an edit's explanation: enough for three regions of a file, and few enough
/// that the explanations of several edits can be read.
pub const EXPLANATION_CHARS: usize = 2_000;

/// Maximum places listed for a text that occurs at several.
pub const PLACES_SHOWN: usize = 20;

/// Maximum headings listed for one that does not exist.
pub const HEADINGS_SHOWN: usize = 10;

/// Maximum regions shown for a text that does not occur.
pub const REGIONS_SHOWN: usize = 3;

/// Maximum lines of a region that are shown; of a longer one those around the first difference.
pub const REGION_LINES: usize = 12;

/// Maximum characters of a line that are shown.
pub const LINE_CHARS: usize = 160;

/// Maximum distance in lines between a hinted line and the nearest of several places. A hint
/// further away selects none of them, because the nearest place may then be another copy of the
/// intended block.
pub const HINT_LINES: u32 = 200;

/// Minimum lines of a file for a warning that more than half of them are removed.
pub const WARN_LINES: usize = 200;

/// Maximum occurrences in a file of a line that indicates where a text belongs. A more frequent
/// line, such as a closing brace, indicates nothing.
pub const RARE_LINES: usize = 8;

/// Maximum occurrences in a file of a word that indicates where a text belongs, if no line of the
/// text is in the file.
pub const RARE_WORDS: usize = 32;

/// Maximum words of a text that are looked up in a file: more do not make its place more certain.
pub const WORDS_LOOKED_UP: usize = 512;

/// Maximum lines that are looked up of a text that does not occur. The rest of a longer text
/// belongs where its beginning does.
pub const LINES_LOOKED_UP: usize = 2_000;

/// Maximum regions that are compared line by line, of those that share rare lines or words. Only
/// [`REGIONS_SHOWN`] are shown, but the one with the most votes need not be the most similar.
pub const CANDIDATES: usize = 24;

/// Maximum differences in the search for the shortest edit script. Its cost grows with their
/// product with the length, and its memory with their square; beyond this number the whole range
/// becomes one change.
pub const DIFFERENCES: usize = 256;

/// Maximum comparisons per line in that search, beyond which the range is one change. Without this
/// limit each of 500 diagonals could compare the whole of a text with many equal lines.
pub const COMPARISONS_PER_LINE: usize = 64;

/// Maximum depth to which a range between unique lines is divided again by such lines.
pub const DIVISIONS: usize = 8;

/// Lines of context around a change, as in git and diff.
pub const CONTEXT_LINES: usize = 3;

/// Maximum blanks that one tab may represent when an indentation is adapted.
pub const TAB_BLANKS: usize = 8;
