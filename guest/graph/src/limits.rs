//! The limits of this crate: value, unit, and the reason for each.

/// Links of one document that are known: the largest list of links on the web has half as many.
pub const LINKS: usize = 100_000;

/// Passes over a graph after which its ranks are taken as they are. Each pass makes what is wrong
/// with them smaller by 0.85, and so 130 passes come to a thousandth of a millionth.
pub const PAGE_RANK_PASSES: u32 = 200;

/// How much all ranks together may still change in a pass that ends them.
pub const PAGE_RANK_PRECISION: f64 = 1e-9;

/// Bytes of a destination behind `[[text]]`, which no parser bounds: no path is longer.
pub const DESTINATION_BYTES: usize = 4096;

/// Lines of a statement of MDX that imports: as many names as a page takes of one module.
pub const IMPORT_LINES: usize = 64;

/// Bytes of a line before a template's tag that are looked at to tell whether it is a heading.
pub const HEADING_LINE: usize = 256;

/// Files that are named of those that a wikilink may mean. A longer list helps nobody to choose,
/// and a hundred thousand links may each have one.
pub const CANDIDATES: usize = 20;

/// Bytes of an attribute of AsciiDoc that goes into ids or paths: it is repeated in each of them.
pub const ATTRIBUTE_BYTES: usize = 256;

/// Bytes of the settings of a site: the largest that people write have a tenth.
pub const SETTINGS_BYTES: usize = 1 << 20;

/// Folders that the settings of a site name: each is tried for each link that begins with `/`.
/// Sites in thirty languages have as many.
pub const FOLDERS: usize = 48;

/// Bytes of a manifest that is read: what people write has some kilobytes.
pub const MANIFEST_BYTES: usize = 1 << 20;

/// Settings of one manifest that are read; the longest lists of exports have some thousands.
pub const MANIFEST_SETTINGS: usize = 20_000;

/// Files that one import leads to. Packages of Go and Java have some hundreds at most, but for
/// those that were generated.
pub const FILES_OF_IMPORT: usize = 500;

/// Files that are named of those that an import may mean: nobody looks through more.
pub const IMPORT_CANDIDATES: usize = 50;

/// Files that one module of Rust may be, and modules that may declare one file: one a platform or a
/// crate, mostly.
pub const MODULE_PLACES: usize = 16;

/// Levels of modules above a file of Rust, and modules that are looked at for its crate.
pub const MODULE_LEVELS: usize = 256;

/// Configurations that one of TypeScript extends, one through the other.
pub const EXTENDED_CONFIGS: usize = 32;

/// Patterns with a star of one manifest, each of which is tried for each import: large workspaces
/// have one a package.
pub const PATTERNS: usize = 1_000;

/// Globs of one workspace, each of which is tried for each package below it.
pub const WORKSPACE_GLOBS: usize = 200;

/// Source roots of Python that are tried for one import.
pub const SOURCE_ROOTS: usize = 16;

/// Documents that one pattern of a `toctree` matches: the largest books have some thousands in all.
pub const FILES_OF_PATTERN: usize = 1_000;

/// Patterns of one document that are followed: each is tried for each document below its directory.
pub const DOCUMENT_PATTERNS: usize = 50;
