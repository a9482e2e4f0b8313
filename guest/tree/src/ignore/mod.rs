//! Exclusions from a tree: ignore files and configured patterns.

pub mod excluded;
pub mod files;
mod pattern;
pub mod rules;
