//! The links of a document, where they lead by the names of a tree, and what keeps them leading
//! there when files move. It must never know a disk, a tool, or what another document holds but by
//! what it is given.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod anchors;
pub mod destination;
mod html;
pub mod imports;
pub mod lead;
pub mod limits;
pub mod link;
mod markdown;
mod markup;
pub mod names;
pub mod rewrite;
pub mod targets;
