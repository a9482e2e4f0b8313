//! Diffs of texts: parsing those of people, git and models, applying them by their text, and
//! writing diffs that git accepts.

pub mod apply;
pub mod file_patch;
mod header;
pub mod parse;
pub mod path_name;
pub mod script;
pub mod write;
