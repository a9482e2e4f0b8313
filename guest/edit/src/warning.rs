//! Warnings about edits that can be made.

/// A warning about a plan that can be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// More than half of the lines of a long file are removed.
    MostGoesAway {
        /// Number of lines that the new text no longer contains.
        removed: usize,
        /// Number of lines in the file.
        of: usize,
    },
    /// A diff removes or adds a byte order mark, which is not part of the text that is edited.
    MarkStays,
    /// The definitions with these labels, in a section that is replaced or deleted, are used
    /// elsewhere and kept.
    DefinitionsStay(Vec<String>),
    /// The encoding of the file can no longer be detected from its bytes, or is mistaken for
    /// another: if `한글 a` in EUC-KR becomes `가 b`, two bytes are left to detect it by. Other
    /// programs may then show other characters.
    EncodingUncertain(&'static str),
}
