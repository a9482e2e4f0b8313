//! The fields of front matter, whatever its language.

/// The value of a field at the outermost level; what has another form is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// One value.
    Text(String),
    /// Several.
    List(Vec<String>),
}

/// The fields of front matter, in order.
pub type Fields = Vec<(String, Field)>;
