//! Words: where they begin and end, and which of them count as the same.

pub(crate) mod blocks;
pub mod identifier;
pub mod korean;
pub mod stem;
pub mod terms;
