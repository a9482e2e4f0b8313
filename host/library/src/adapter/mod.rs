//! Between the component's types and what callers write and read: tools, their arguments, JSON.

pub(crate) mod arguments;
pub(crate) mod prose;
pub(crate) mod tool_table;
pub(crate) mod values;
