//! The configuration files of MCP clients: where each client keeps its own, and edits that add,
//! change or remove the entry `docent` and leave every other byte as it is.
//!
//! The crate reads no file and no environment variable: [`ClientEnvironment`] hands over variables,
//! and texts come in as arguments. It knows no tool of docent.
//!
//! Start at [`Client`] (the table of clients) and [`ConfigFormat`] (`find`, `insert`, `replace`,
//! `remove`). Both formats keep the same law: [`ConfigFormat::remove`] after
//! [`ConfigFormat::insert`] gives back the same bytes. There are two exceptions, because the result
//! of inserting looks the same with and without them: white space alone between the braces of an
//! object is lost, and an empty table of servers is removed.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod byte_edit;
mod client;
mod diff;
mod environment;
mod format;
mod json;
mod launch;
mod secrets;
mod toml_file;

pub use client::{Client, ClientPlaces};
pub use diff::unified;
pub use environment::{ClientEnvironment, HostPlatform};
pub use format::{ConfigFileError, ConfigFormat, ServerEntry};
pub use launch::Launch;
pub use secrets::mask_secrets;

/// The name under which clients know docent.
pub const NAME: &str = "docent";
