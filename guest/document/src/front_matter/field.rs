//! Fields of front matter in any language.

/// The value of a top-level field; values of other shapes are omitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// A scalar.
    Text(String),
    /// A list of scalars.
    List(Vec<String>),
}

/// Fields of front matter, in order.
pub type Fields = Vec<(String, Field)>;
