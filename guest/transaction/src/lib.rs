//! Transactions over files: several files are written all or none, even if the process is killed or
//! the power fails at any moment, and every change can be undone by its number.
//!
//! Never: the meaning of a file's content, the tool that writes, or a type of the contract.
//!
//! Begin at [`journal`]: a [`journal::Journal`] manages a root, and a state directory where the
//! host grants one. `transaction` holds the steps up to the commit point, `roll_forward` those
//! after it, `withdraw` those that take a refused commit back, and `recovery` those after a crash.
//! `record` is the format of a journal, `history` keeps the records, and `undo` is a transaction
//! like any other. `docs/decisions/writing.md` explains the order of the steps.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod contents;
mod directories;
pub mod error;
pub mod history;
pub mod journal;
pub mod limits;
mod objects;
pub mod record;
mod recovery;
mod replacement;
mod reserved;
mod roll_forward;
mod step;
#[cfg(test)]
mod tests;
mod transaction;
pub mod undo;
mod withdraw;
