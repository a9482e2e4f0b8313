//! Limits of this crate: value, unit, and the reason for each.

/// Maximum links of one document: the largest list of links on the web has half as many.
pub const LINKS: usize = 100_000;

/// Maximum iterations of PageRank. Each one reduces the error by a factor of 0.85, so 130 of them
/// reach a thousandth of a millionth.
pub const PAGE_RANK_PASSES: u32 = 200;

/// Total change of all ranks in an iteration below which PageRank ends.
pub const PAGE_RANK_PRECISION: f64 = 1e-9;

/// Maximum bytes of a destination after `[[text]]`, which no parser limits: no path is longer.
pub const DESTINATION_BYTES: usize = 4096;

/// Maximum lines of an import statement in MDX: as many names as a page imports from one module.
pub const IMPORT_LINES: usize = 64;

/// Maximum bytes of a line before a template tag that are examined to see whether it is a heading.
pub const HEADING_LINE: usize = 256;

/// Maximum files listed for an ambiguous wikilink. A longer list helps nobody to choose, and a
/// hundred thousand links may each have one.
pub const CANDIDATES: usize = 20;

/// Maximum bytes of an AsciiDoc attribute that becomes part of ids or paths: it is repeated in each
/// of them.
pub const ATTRIBUTE_BYTES: usize = 256;

/// Maximum bytes of a site's settings: the largest that people write have a tenth of it.
pub const SETTINGS_BYTES: usize = 1 << 20;

/// Maximum folders in the settings of a site: each is tried for each link that begins with `/`.
/// Sites in thirty languages have as many.
pub const FOLDERS: usize = 48;

/// Maximum bytes of a manifest: those that people write have a few kilobytes.
pub const MANIFEST_BYTES: usize = 1 << 20;

/// Maximum settings of one manifest; the longest lists of exports have some thousands.
pub const MANIFEST_SETTINGS: usize = 20_000;

/// Maximum files that one import resolves to. Packages of Go and Java have some hundreds at most,
/// unless they are generated.
pub const FILES_OF_IMPORT: usize = 500;

/// Maximum files listed for an ambiguous import: nobody looks through more.
pub const IMPORT_CANDIDATES: usize = 50;

/// Maximum files of one Rust module, and maximum modules that declare one file: usually one per
/// platform or crate.
pub const MODULE_PLACES: usize = 16;

/// Maximum levels of modules above a Rust file, and maximum modules examined to find its crate.
pub const MODULE_LEVELS: usize = 256;

/// Maximum TypeScript configurations in a chain of `extends`.
pub const EXTENDED_CONFIGS: usize = 32;

/// Maximum patterns with a star in one manifest, each of which is tried for each import: large
/// workspaces have one per package.
pub const PATTERNS: usize = 1_000;

/// Maximum globs of one workspace, each of which is tried for each package below it.
pub const WORKSPACE_GLOBS: usize = 200;

/// Maximum Python source roots that are tried for one import.
pub const SOURCE_ROOTS: usize = 16;

/// Maximum documents that one pattern of a `toctree` matches: the largest books have some thousands
/// in all.
pub const FILES_OF_PATTERN: usize = 1_000;

/// Maximum patterns of one document: each is tried for each document below its directory.
pub const DOCUMENT_PATTERNS: usize = 50;
