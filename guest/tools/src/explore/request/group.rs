//! The groups of an answer.

/// The groups of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Documents, directories and other files.
    Docs,
    /// Code.
    Code,
    /// Settings and data.
    Data,
}

impl Group {
    /// All groups, in the order of equal candidates.
    pub const ALL: [Self; 3] = [Self::Docs, Self::Code, Self::Data];

    /// Returns the group after this one, cyclically.
    pub fn next(self) -> Self {
        match self {
            Self::Docs => Self::Code,
            Self::Code => Self::Data,
            Self::Data => Self::Docs,
        }
    }
}
