//! The target of an import.

use docent_code::Source;

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportTarget {
    /// These files, in order, without the importing one. Several if a package or several names are
    /// imported; none if everything it names is in the importing file or in a package without a
    /// file. At most the first 500.
    Files(Vec<String>),
    /// Not in the tree: a library, or a path that leaves the tree.
    External,
    /// Missing: the tree should contain it, by its name.
    Missing,
    /// Ambiguous: one of these files. At most the first 50.
    Several(Vec<String>),
}

/// The target of an import, and the certainty of the resolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedImport {
    /// Target of the import.
    pub imported: ImportTarget,
    /// [`Source::Parsed`] if the import was parsed and resolved by the rules of the language;
    /// [`Source::Heuristic`] if either is only likely.
    pub known_by: Source,
}
