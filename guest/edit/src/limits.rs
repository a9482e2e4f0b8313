//! The limits of this crate: value, unit, and the reason for each.

/// Characters of what is said of one edit: enough for three regions of a file, and little enough
/// that several failed edits can be read.
pub const EXPLANATION_CHARS: usize = 2_000;

/// Places that are named where a text stands at several.
pub const PLACES_SHOWN: usize = 20;

/// Headings that are named where one is not there.
pub const HEADINGS_SHOWN: usize = 10;

/// Regions that are shown where a text is not there.
pub const REGIONS_SHOWN: usize = 3;

/// Lines of a region that are shown; of a longer one those round the first difference.
pub const REGION_LINES: usize = 12;

/// Characters of a line that are shown.
pub const LINE_CHARS: usize = 160;

/// Lines between a hint and the nearest place, from which on the hint means none of several.
pub const HINT_LINES: u32 = 200;

/// Lines of a file from which on it is worth a warning when more than half of them go away.
pub const WARN_LINES: usize = 200;

/// Lines of a file that one may be equal to and still tell where a text belongs. A line that stands
/// more often, such as a closing brace, says nothing.
pub const RARE_LINES: usize = 8;

/// The same for words, where no line is equal.
pub const RARE_WORDS: usize = 32;

/// Words of a text that are looked up in a file: more do not make its place surer.
pub const WORDS_LOOKED_UP: usize = 512;

/// Lines of a text that is not there with which it is looked for. The rest of a longer one stands
/// where its beginning does.
pub const LINES_LOOKED_UP: usize = 2_000;

/// Regions that are compared line by line, of those that share rare lines or words.
pub const CANDIDATES: usize = 24;

/// Lines that two texts may differ by where the shortest way between them is sought. Its cost is
/// their product with the length; beyond it, the whole stretch is one change.
pub const DIFFERENCES: usize = 256;

/// Comparisons for each line in the search for that way, before the stretch is one change: texts of
/// many equal lines would cost much more.
pub const COMPARISONS_PER_LINE: usize = 64;

/// How often a stretch between lines that both texts have once is divided again by such lines.
pub const DIVISIONS: usize = 8;

/// Lines of context round a change, as git and diff have it.
pub const CONTEXT_LINES: usize = 3;

/// Blanks that one tab may stand for where an indentation is shifted.
pub const TAB_BLANKS: usize = 8;
