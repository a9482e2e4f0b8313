//! Texts to test on, real ones and tangled ones. It knows nothing of docent, so that the lowest of its crates can use it.
#![forbid(unsafe_code)]

pub mod commonmark;
pub mod registry;
pub mod tangles;
