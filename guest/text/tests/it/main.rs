//! The crate against references from outside: the tables and the texts of others.

mod korean;
#[path = "../../../document/tests/registry/mod.rs"]
mod registry;
mod tokens;
