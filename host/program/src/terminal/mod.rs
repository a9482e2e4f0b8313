//! What all commands for people share: places on the command line, pages of output, their look.

pub mod error;
pub mod notes;
pub mod outcome;
pub mod page;
pub mod place;
pub mod skipped;
pub mod style;
pub mod trace;
