//! The limits of this crate: value, unit, and the reason for each.

/// Characters of a tag.
pub const TAG_CHARS: usize = 100;

/// Tags of one document that are known: no front matter has room for more.
pub const TAGS: usize = 10_000;

/// Bytes of front matter; what is longer is text between two rules.
pub const FRONT_MATTER_BYTES: usize = 64 << 10;

/// Bytes at a document's start in which headings are looked for; what follows belongs to the last
/// section found. A parser needs some hundred bytes of memory for each heading.
pub const HEADING_BYTES: usize = 2 << 20;

/// Sections that one document is divided into; the last one holds all the rest.
pub const SECTIONS: usize = 200_000;

/// Characters of a name, title or heading in an answer; the rest is cut.
pub const NAME_CHARS: usize = 300;

/// Characters of a heading that its slug is made of: more than anybody writes, so that the slug is
/// the one that links name.
pub const SLUG_CHARS: usize = 2_000;

/// Candidates for a first heading that are tried one by one before the whole document is parsed:
/// each try parses up to it, and the first nearly always is one.
pub const HEADING_TRIES: usize = 3;

/// Bytes of a document's beginning in which it is looked for what the document is about.
pub const ABOUT_BYTES: usize = 8 << 10;

/// Characters of the sentence that says what a document is about: two lines of a terminal.
pub const ABOUT_CHARS: usize = 160;

/// Bytes that such a sentence has at least; what is shorter takes the next one with it.
pub const ABOUT_LEAST_BYTES: usize = 12;
