//! The access log: who called which tool, with which outcome, and which files that opened. A reader
//! can verify afterwards that the log is what was written.
//!
//! A log is a directory. Its entries are lines of JSON in *segments*, each with its number and the
//! hash of the line before (`line`). They are the leaves of the Merkle tree of RFC 6962 (`tree`),
//! whose root is signed regularly: a *checkpoint*, in the form of C2SP's `tlog-checkpoint`, signed
//! as a `signed-note` with Ed25519 (`note`, `key`). Whoever keeps checkpoints in a place of their
//! own, an *anchor*, can detect a change of anything before them, even by somebody who has the key.
//!
//! Bottom up: `hash` ← `tree` ← `key` ← `line`, `note` ← `sequence` (the order of entries), `store`
//! (the files of the directory) ← `writer`, `verify`, `proof`, `withhold`.
//!
//! Never: tools or HTTP. Functions that use the process's own rights end in `_ambient`.
#![deny(missing_docs)]

pub mod anchor;
pub mod checkpoint;
pub mod entry;
mod hash;
pub mod key;
mod line;
pub mod proof;
mod sequence;
mod store;
mod tree;
pub mod verify;
pub mod withhold;
mod writer;

pub use hash::Hash;
pub use store::{
    StoreError, StoredLine, last_checkpoint_ambient, lines_ambient, running_program_ambient,
};
pub use writer::{Log, LogError};
