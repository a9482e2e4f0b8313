//! The reasons for which there is no text, or no more.

/// The reason for which there is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The file is damaged, truncated, or in another format.
    Malformed,
    /// It requires a password.
    Encrypted,
    /// It exceeds the limits.
    TooLarge,
    /// Its pages contain no text, only pictures.
    NoText,
    /// Its pages contain text, but the file does not give any of its characters.
    UnknownGlyphs(UnknownGlyphs),
    /// It is of a format that is not read. The name completes the sentence "it is …": "an HWP 3
    /// document".
    Unsupported(&'static str),
}

/// Glyphs on the pages of a file that does not give their characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownGlyphs {
    /// Number of the glyphs.
    pub glyphs: u32,
    /// Number of the pages that contain any of them.
    pub pages: u32,
}

/// The reason for which reading ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyStop {
    /// The text has reached its limit.
    Full,
    /// There is no text.
    Failed(Failure),
}
