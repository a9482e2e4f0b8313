//! Real texts to test on. It knows nothing of docent, so that the lowest of its crates can use it.
#![forbid(unsafe_code)]

pub mod commonmark;
pub mod registry;
