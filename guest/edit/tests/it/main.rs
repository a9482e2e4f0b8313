//! Edits against models of them, against git and patch, and against what spoils them.

mod any;
mod bytes;
mod diffs;
mod forms;
mod hostile;
mod messages;
mod patches;
mod random;
mod sections;
mod spoiled;
mod support;
