//! The crate against references from outside: the tables and the texts of others.

mod korean;
mod tokens;
