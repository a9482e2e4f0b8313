//! Letters, lines, words and tokens of a text, and finding a query in it. It must never know what a
//! document, a file or a tool is, nor a type of the contract: it depends on no other crate of ours.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod content_hash;
pub mod decode;
pub mod digest;
pub mod equal;
pub mod fold;
pub mod limits;
pub mod lines;
pub mod matching;
pub mod patience;
pub mod saturating;
pub mod sentences;
pub mod time;
pub mod tokens;
pub mod width;
pub mod words;
