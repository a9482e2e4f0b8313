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

/// The front matter of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// Its fields: `None` if it cannot be parsed, and empty if there is no front matter.
    pub fields: Option<Fields>,
    /// Byte offset of the body.
    pub body: usize,
}
