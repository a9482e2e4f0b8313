//! The limits of this crate: value, unit, and the reason for each.

/// Maximum characters of a tag.
pub const TAG_CHARS: usize = 100;

/// Maximum tags of one document: front matter has no room for more.
pub const TAGS: usize = 10_000;

/// Maximum bytes of front matter; a longer block is text between two rules.
pub const FRONT_MATTER_BYTES: usize = 64 << 10;

/// Bytes at the start of a document searched for headings; the rest belongs to the last section
/// found. A parser needs some hundred bytes of memory for each heading, so that a text of `#` lines
/// would need many times its size.
pub const HEADING_BYTES: usize = 2 << 20;

/// Maximum sections of one document; the last one contains the rest.
pub const SECTIONS: usize = 200_000;

/// Maximum bytes of a title as written, with its markup, in formats other than Markdown. A title
/// that does not end within it is none, which bounds the search for the end of each.
pub const TITLE_BYTES: usize = 2 << 10;

/// Bytes at the start of a manual page searched for its title: those that Perl makes begin with
/// 5 KB of definitions.
pub const MAN_HEAD_BYTES: usize = 16 << 10;

/// Maximum characters of a name, title or heading in an answer; longer ones are truncated.
pub const NAME_CHARS: usize = 300;

/// Characters of a heading used for its slug: more than any real heading has, so that the slug
/// equals the one that links use. The limit only concerns a text whose first line is a megabyte
/// long.
pub const SLUG_CHARS: usize = 2_000;

/// Candidates for a first heading tried one by one before the whole document is parsed. Each try
/// parses up to its candidate, and the first nearly always succeeds; a document with many lines
/// such as `# remark` in code would otherwise be parsed once for each of them.
pub const HEADING_TRIES: usize = 3;

/// Bytes at the start of a document searched for its description.
pub const ABOUT_BYTES: usize = 8 << 10;

/// Maximum characters of the description of a document: two lines of a terminal.
pub const ABOUT_CHARS: usize = 160;

/// Minimum bytes of a description; a shorter sentence is joined with the next one.
pub const ABOUT_LEAST_BYTES: usize = 12;

/// Maximum depth of a value in a notebook. Python reads no more than a thousand levels; a file that
/// nests deeper is text.
pub const NOTEBOOK_DEPTH: usize = 500;

/// Maximum cells of a notebook whose sources are edited as they are shown: ten times as many as the
/// longest have. Each takes 24 bytes.
pub const NOTEBOOK_CELLS: usize = 100_000;

/// Maximum bytes of the source of a cell, as it is written in the file, that is edited as it is
/// shown. Each of its lines takes 32 bytes, and a line of nothing has three.
pub const CELL_SOURCE_BYTES: usize = 4 << 20;
