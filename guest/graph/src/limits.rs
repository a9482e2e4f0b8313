//! The limits of this crate: value, unit, and the reason for each.

/// Links of one document that are known: the largest list of links on the web has half as many.
pub const LINKS: usize = 100_000;

/// Passes over a graph after which its ranks are taken as they are. Each pass makes what is wrong
/// with them smaller by 0.85, and so 130 passes come to a thousandth of a millionth.
pub const PAGE_RANK_PASSES: u32 = 200;

/// How much all ranks together may still change in a pass that ends them.
pub const PAGE_RANK_PRECISION: f64 = 1e-9;

/// Files that are named of those that a wikilink may mean. A longer list helps nobody to choose,
/// and a hundred thousand links may each have one.
pub const CANDIDATES: usize = 20;

/// Bytes of an attribute of AsciiDoc that goes into ids or paths: it is repeated in each of them.
pub const ATTRIBUTE_BYTES: usize = 256;

/// Bytes of the settings of a site: the largest that people write have a tenth.
pub const SETTINGS_BYTES: usize = 1 << 20;

/// Folders that the settings of a site name: each is tried for each link that begins with `/`.
pub const FOLDERS: usize = 16;
