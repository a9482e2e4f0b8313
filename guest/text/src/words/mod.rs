//! Words: their boundaries, and which of them count as equal.

pub mod terms;

mod ascii;
pub(crate) mod blocks;
mod initials;
pub(crate) mod lone_identifier;
mod scripts;
mod term;

pub mod identifier;
pub mod importance;
pub mod korean;
pub mod near;
pub mod stem;
pub mod symbols;
