//! How many tokens a text has for a model, about.

pub mod counter;
pub mod estimate;
pub mod piece;
pub mod vocabulary;
