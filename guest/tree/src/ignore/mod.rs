//! What is left out of a tree: ignore files and configured patterns.

mod pattern;
pub mod rules;
