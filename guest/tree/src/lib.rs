//! Directories and files below granted roots: valid paths, access checks, and exclusions. *Never:*
//! the content of a file, or tools; and nothing above this crate opens anything.
//!
//! Begin at [`door`]: a [`door::Vetted`] proves the right to read the files of a directory, a
//! [`door::Visible`] the right to see names and times. The right to write has a proof of its own,
//! [`write::Writable`]; nothing else creates, replaces or removes anything.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod archive;
mod descent;
pub mod disk;
pub mod door;
pub mod error;
pub mod extractor;
pub mod glob;
pub mod ignore;
pub mod included;
pub mod limits;
pub mod listing;
pub mod locate;
#[cfg(any(test, feature = "memory"))]
pub mod memory;
pub mod open_directories;
pub mod path;
pub mod refusal;
pub mod reserved;
pub mod sensitive;
pub mod skips;
pub mod unpack_failure;
pub mod write;
