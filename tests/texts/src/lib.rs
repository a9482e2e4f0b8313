//! Real and tangled texts for tests. The crate does not depend on docent, so that docent's lowest
//! crates can use it.
#![forbid(unsafe_code)]

pub mod commonmark;
pub mod registry;
pub mod tangles;
