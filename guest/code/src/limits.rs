//! Every limit of this crate: its value, its unit, and the reason for it.

/// Characters of a signature that are kept; a longer one is data in disguise.
pub const SIGNATURE_CHARS: usize = 600;

/// Characters of a signature that a skeleton shows: two lines of a terminal.
pub const SHOWN_SIGNATURE_CHARS: usize = 160;

/// Characters of a comment's first sentence that a skeleton shows: one line.
pub const SHOWN_DOC_CHARS: usize = 100;

/// Characters of a symbol's name and of an import's text that are kept.
pub const NAME_CHARS: usize = 200;

/// Characters of the line of a skeleton that names the imports.
pub const SHOWN_IMPORTS_CHARS: usize = 200;

/// Lines of code between two imports that stand together: `try:`, `#if`, an attribute or two.
pub const LINES_BETWEEN_IMPORTS: usize = 3;

/// Characters of a constant's value that stand in its signature; a longer one is a body.
pub const VALUE_CHARS: usize = 40;

/// Levels of definitions within definitions. Each costs a frame of the stack; people stop at five.
pub const NESTED_SYMBOLS: usize = 24;

/// Nesting that is given to a parser, in the units of `weight::weight`, of which a bracket is
/// eight. What is deeper goes to the scanner, which needs no stack: in the component a full stack
/// is a trap. Written code stays below half of this.
pub const PARSED_WEIGHT: usize = 8 * 100;

/// Definitions found by a scanner of one line of plain text or one file; more than this is data.
pub const SYMBOLS: usize = 50_000;

/// Quotes, number signs or letters that a string begins with at most. Nobody writes ten, and each
/// place is looked at so many times.
pub const STRING_SIGNS: usize = 255;

/// Levels of `end` in Ruby among which the definition round another is looked for.
pub const ENDS: usize = 200;

/// A preview is at most one part in so many of a long file.
pub const PREVIEW_PART: usize = 10;

/// Bytes that the preview of a short file may have all the same; less says nothing.
pub const PREVIEW_FLOOR: usize = 1_500;

/// Lines from which a file is long: no floor for its preview then.
pub const LONG_FILE_LINES: usize = 1_000;
