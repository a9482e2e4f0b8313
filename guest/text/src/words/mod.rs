//! Words: where they begin and end, and which of them count as the same.

pub mod terms;

mod ascii;
pub(crate) mod blocks;
mod initials;
mod scripts;
mod term;

pub mod identifier;
pub mod importance;
pub mod korean;
pub mod near;
pub mod stem;
pub mod symbols;
