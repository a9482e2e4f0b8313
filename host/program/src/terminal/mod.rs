//! Parts shared by the commands for people: paths on the command line, pages of output, their
//! style.
//!
//! `place` splits the part of a file off its path. `passage` writes a text with the `words` of a
//! query marked, folded by `fold` to the height of the `screen`. `notes` go to stderr, as does
//! `trace`.

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
