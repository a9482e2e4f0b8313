//! The links of a document, their resolution by the names of a tree, and the rewrites that keep
//! them intact when files move.
//!
//! Never: a disk, a tool, or the text of another document than the one it is given.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod adoc;
pub mod anchors;
pub mod destination;
pub mod document_links;
mod document_path;
pub mod graph;
mod html;
pub mod imports;
pub mod limits;
pub mod link;
mod literal;
mod markdown;
mod myst;
pub mod names;
pub mod page;
mod paths;
mod pattern;
mod properties;
pub mod prose;
pub mod read;
pub mod resolve;
pub mod rewrite;
mod rst;
mod section_name;
mod signs;
pub mod sites;
mod sphinx;
mod style;
pub mod targets;
mod templates;
