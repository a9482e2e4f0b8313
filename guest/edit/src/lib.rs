//! Edits of one text: locating them, applying them, and explaining those that cannot be applied.
//!
//! Never: a file beyond its name and bytes, another text, or a type of the contract.
//!
//! Begin at [`plan`]: it takes the edits of one file and its text, and returns the text afterwards
//! or the reasons for refusing them. An edit is never applied where its meaning is not certain: a
//! wrong edit may go unnoticed, while a refused one costs a second call with the text as it is.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod diff;
pub mod endings;
pub mod error;
pub mod explain;
pub mod find_text;
pub mod indentation;
pub mod insert;
pub mod limits;
pub mod line_range;
pub mod near_miss;
pub mod nearest;
pub mod notebook;
pub mod numbered;
pub mod original;
pub mod plan;
pub mod replace;
pub mod search;
pub mod section;
pub mod source;
pub mod text_match;
pub mod view;
pub mod warning;
