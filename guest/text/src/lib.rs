//! Letters, lines, words and tokens of a text, and the search for a query in it. *Never:*
//! documents, files, tools or types of the contract; the crate depends on no other crate of the
//! workspace.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod bytes;
pub mod content_hash;
pub mod decode;
pub mod digest;
pub mod equal;
pub mod fold;
pub mod limits;
pub mod lines;
pub mod matching;
pub mod saturating;
pub mod sentences;
pub mod sort;
pub mod time;
pub mod time_budget;
pub mod tokens;
pub mod width;
pub mod words;
