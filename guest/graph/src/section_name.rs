//! The names of a section by which links point to it.

/// The new name of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSection {
    /// Id of the section.
    pub id: String,
    /// Heading of the section.
    pub heading: String,
}
