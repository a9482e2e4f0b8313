//! Everything that the commands for people share: places on the command line, pages of output,
//! their look.
//!
//! `place` splits the part of a file off its path. `passage` is a text with the `words` of a query
//! marked, folded by `fold` at the height of the `screen`. `notes` go to stderr, as does `trace`.

pub mod error;
mod fold;
pub mod notes;
pub mod outcome;
pub mod page;
pub mod passage;
pub mod place;
pub mod screen;
pub mod skipped;
pub mod style;
pub mod trace;
pub mod words;
