//! The tools as callers see them: what there is to call, how it is described, what may be written
//! for arguments, and refusals in words.
//!
//! Nothing here knows a tool, the component, a file or the machine: all of it is made from `wit/`
//! at build time. It compiles to WebAssembly as well, for hosts other than docent's.
//!
//! * `tool_table`: the tools.
//! * `arguments`: the arguments that callers may write, with `habits` for names from other tools.
//! * `prose`: descriptions that name only tools on offer; [`concise`]: schemas without what a
//!   session need not pay for; `instructions`: the text that a session begins with.
//! * `refusal`: refusals in words.
#![deny(missing_docs)]

mod argument_value;
mod arguments;
pub mod concise;
mod habits;
mod instructions;
mod object_schema;
mod prose;
pub mod refusal;
mod tool_table;
mod visible;

pub use arguments::{ArgumentError, quoted};
pub use docent_build::spelling::camel_case;
pub use instructions::instructions;
pub use prose::ToolSelection;
pub use tool_table::{Tool, ToolTable, nearest, table};
pub use visible::{visible, visible_lines};
