//! How well a text answers a query, and which of its passages to show within a budget. It must
//! never know where a text lies, nor use a number that depends on the machine.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod bm25;
pub mod cliff;
pub mod closeness;
mod density;
pub mod embedded;
pub mod embedder;
pub mod fences;
pub mod fusion;
pub mod key_points;
pub mod limits;
pub mod neighbours;
pub mod pages;
pub mod passage_counts;
pub mod passages;
mod select;
pub mod shingles;
pub mod shown;
pub mod statistics;
mod tally;
pub mod term_counts;
