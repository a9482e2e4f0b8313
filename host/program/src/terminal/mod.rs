//! Parts shared by the commands for people: paths on the command line, calls of the component,
//! pages of output, their style.
//!
//! `place` splits the part of a file off its path. `call` calls the component, and `wording` puts
//! its refusals into the terms of the command line. `tools` finds tools by their names. `passage`
//! writes a text with the `words` of a query marked, folded by `fold` to the height of the
//! `screen`; `time` writes times. `notes` go to stderr, as does `trace`.

pub mod call;
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
pub mod time;
pub mod tools;
pub mod trace;
pub mod wording;
pub mod words;
