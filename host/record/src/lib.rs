//! The access log: who called what, with which outcome, and which files that opened. Whoever reads it
//! afterwards can tell whether it is what was written.
//!
//! A log is a directory. Its entries are lines of JSON in *segments*, each with its number and the
//! hash of the line before (`line`); all of them are the leaves of the Merkle tree of RFC 6962
//! (`tree`), whose root is signed every so often: a *checkpoint*, in the form of C2SP's
//! `tlog-checkpoint`, signed as a `signed-note` with Ed25519 (`note`, `key`). Whoever has a
//! checkpoint in a place of their own, an *anchor*, can tell that nothing before it was changed,
//! even by somebody who has the key.
//!
//! Bottom up: `hash` ← `tree` ← `key` ← `line`, `note` ← `course` (what may follow what), `store` (the
//! files of the directory) ← `writer`, `verify`, `proof`, `withhold`. Nothing here knows of tools or of HTTP. What uses the
//! process's own rights ends in `_ambient`.
#![deny(missing_docs)]

pub mod anchor;
mod course;
pub mod entry;
mod hash;
pub mod key;
mod line;
pub mod note;
pub mod proof;
mod store;
mod tree;
pub mod verify;
pub mod withhold;
mod writer;

pub use hash::Hash;
pub use store::{
    Line, StoreError, last_checkpoint_ambient, lines_ambient, running_program_ambient,
};
pub use writer::{Log, LogError};
