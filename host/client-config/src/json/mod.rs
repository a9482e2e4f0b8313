//! JSON, with and without comments: a parser that keeps the byte range of each value, and the edits
//! of one entry.

mod edit;
mod parse;
mod style;
#[cfg(test)]
mod tests;

pub use edit::JsonConfig;

/// A dialect of JSON that a client accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonDialect {
    /// RFC 8259.
    Strict,
    /// RFC 8259 with `//` and `/* */` comments, and trailing commas.
    WithComments,
}
