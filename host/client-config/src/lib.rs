//! The configuration files of MCP clients: their paths, and edits that add, change or remove the
//! entry `docent` and leave every other byte unchanged.
//!
//! The crate reads no files or environment variables: [`ClientEnvironment`] provides variables, and
//! texts are arguments. It does not depend on docent's tools.
//!
//! Start at [`Client`] (the table of clients) and [`ConfigFormat`] (`find`, `insert`, `replace`,
//! `remove`). Both formats obey the same law: [`ConfigFormat::remove`] after
//! [`ConfigFormat::insert`] restores the same bytes. There are two exceptions, because the result
//! of inserting is the same with and without them: white space alone between the braces of an
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
pub use diff::unified_diff;
pub use environment::{ClientEnvironment, HostPlatform};
pub use format::{ConfigFileError, ConfigFormat, ServerEntry};
pub use launch::Launch;
pub use secrets::mask_secrets;

/// The name under which clients know docent.
pub const NAME: &str = "docent";
