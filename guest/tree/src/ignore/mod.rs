//! What is left out of a tree: ignore files and configured patterns.

pub mod files;
mod pattern;
pub mod rules;
