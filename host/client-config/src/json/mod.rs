//! JSON, with and without comments: a parser that knows which bytes everything comes from, and the
//! edits of one entry.

mod edit;
mod parse;
mod style;
#[cfg(test)]
mod tests;

pub use edit::JsonConfig;

/// The JSON that a client reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonDialect {
    /// RFC 8259.
    Strict,
    /// The same with `//` and `/* */` comments, and trailing commas.
    WithComments,
}
