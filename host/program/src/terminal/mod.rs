//! What all commands for people share: places on the command line, pages of output, their look.

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
