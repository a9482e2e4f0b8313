//! The tools as callers see them: their names, their descriptions, the accepted forms of their
//! arguments, and the wording of refusals.
//!
//! This crate knows no tool by name, and does not access the component, files or the machine: all
//! of it is generated from `wit/` at build time. It also compiles to WebAssembly, for hosts other
//! than docent's.
//!
//! * `tool_table`: the tools.
//! * `arguments`: the accepted forms of arguments, with `aliases` for names from other tools.
//! * `prose`: descriptions that name only tools on offer; [`concise`]: schemas without redundant
//!   parts; `instructions`: the text at the beginning of a session.
//! * `refusal`: the wording of refusals.
#![deny(missing_docs)]

mod aliases;
mod argument_error;
mod argument_value;
mod arguments;
pub mod concise;
mod instructions;
mod nearest;
mod object_schema;
mod prose;
pub mod refusal;
mod tool_table;
mod visible;

pub use argument_error::{ArgumentError, quote};
pub use docent_spelling::camel_case;
pub use instructions::instructions;
pub use nearest::nearest;
pub use prose::ToolSelection;
pub use tool_table::{Tool, ToolTable, table};
pub use visible::{visible, visible_lines};
