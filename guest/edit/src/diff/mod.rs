//! Differences of texts: read as people, git and models write them, applied by their text, and
//! written as git takes them.

pub mod apply;
mod header;
pub mod parse;
pub mod path_name;
pub mod script;
pub mod write;
