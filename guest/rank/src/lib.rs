//! Relevance of a text to a query, and the selection of passages within a budget. *Never:* a file,
//! the location of a text except its path, or a number that depends on the machine.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod bm25;
pub mod cutoff;
mod density;
pub mod embedder;
pub mod fences;
pub mod fusion;
pub mod key_points;
pub mod limits;
pub mod neighbours;
pub mod pages;
pub mod passage_counts;
pub mod passage_markdown;
pub mod passage_text;
pub mod passages;
pub mod rerank;
mod select;
pub mod shingles;
pub mod statistics;
mod tally;
pub mod term_counts;
