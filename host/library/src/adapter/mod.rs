//! Between the component's types and what callers write and read: tools, their arguments, JSON.

pub mod tools;
pub(crate) mod values;
