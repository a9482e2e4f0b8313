//! Fields of front matter in any language.

/// The value of a top-level field. Values of other shapes, such as a mapping or a list of lists,
/// are omitted: tags, dates, a category and a title need none of them, and the three languages
/// differ in how they write them.
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
