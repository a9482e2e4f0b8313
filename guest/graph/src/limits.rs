//! The limits of this crate: value, unit, and the reason for each.

/// Links of one document that are known: the largest list of links on the web has half as many.
pub const LINKS: usize = 100_000;

/// Bytes of a destination behind `[[text]]`, which no parser bounds: no path is longer.
pub const DESTINATION_BYTES: usize = 4096;

/// Files that are named of those that a wikilink may mean. A longer list helps nobody to choose,
/// and a hundred thousand links may each have one.
pub const CANDIDATES: usize = 20;

/// Bytes of an attribute of AsciiDoc that goes into ids or paths: it is repeated in each of them.
pub const ATTRIBUTE_BYTES: usize = 256;

/// Bytes of the settings of a site: the largest that people write have a tenth.
pub const SETTINGS_BYTES: usize = 1 << 20;

/// Folders that the settings of a site name: each is tried for each link that begins with `/`.
pub const FOLDERS: usize = 16;
