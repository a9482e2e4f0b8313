//! Tests of edits against models of them, against git and patch, and against damaged input.

mod any;
mod bytes;
mod damage;
mod diffs;
mod forms;
mod hostile;
mod messages;
mod patches;
mod random;
mod sections;
mod support;
