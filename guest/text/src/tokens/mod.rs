//! Estimates of the token count of a text.

pub mod counter;
pub mod estimate;
pub mod piece;
mod split;
pub mod vocabulary;
