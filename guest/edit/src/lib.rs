//! Edits of one text: where they stand, what they make of it, and what mends one that does not fit.
//! It must never know a file beyond its name and bytes, another text, nor a type of the contract.
//!
//! Start at [`plan`]: the edits of one file and its text make the text afterwards, or reasons. An
//! edit is never applied where it is not certain what it means.
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
pub mod nearest;
pub mod numbered;
pub mod original;
pub mod plan;
pub mod replace;
pub mod search;
pub mod section;
pub mod source;
pub mod view;
