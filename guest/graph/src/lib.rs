//! The links of a document, where they lead by the names of a tree, and what keeps them leading
//! there when files move. It must never know a disk, a tool, or what another document holds but by
//! what it is given.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod adoc;
pub mod anchors;
pub mod destination;
pub mod facts;
pub mod graph;
mod html;
pub mod imports;
pub mod lead;
pub mod limits;
pub mod link;
mod literal;
mod markdown;
mod myst;
pub mod names;
mod paths;
mod pattern;
mod properties;
pub mod prose;
pub mod rewrite;
mod rst;
pub mod sites;
mod sphinx;
mod style;
pub mod targets;
mod templates;
