//! Between the component's types and what callers write and read: tools, their arguments, JSON.

mod argument_value;
pub(crate) mod arguments;
mod habits;
mod object_schema;
pub(crate) mod prose;
pub(crate) mod tool_table;
pub(crate) mod values;
