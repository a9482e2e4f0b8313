//! Several files written all or none, also when the process is killed or the power goes at any
//! moment, and every change undone by its id. It must never know what a file holds, which tool
//! writes, nor a type of the contract.
//!
//! Begin at [`journal`]: a [`journal::Journal`] stands over a root, and over a state directory
//! where the host grants one. `transaction` is the way to the commit point, `forward` what follows
//! it, `recovery` what is done after a crash. `record` is what a journal says, `history` what is
//! kept of it, `undo` a transaction like any other. Why the steps come in this order is told in
//! `docs/decisions/writing.md`.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod contents;
mod directories;
pub mod error;
mod forward;
pub mod history;
pub mod journal;
pub mod limits;
mod objects;
mod places;
mod placing;
pub mod record;
mod recovery;
mod step;
#[cfg(test)]
mod tests;
mod transaction;
pub mod undo;
mod withdraw;
