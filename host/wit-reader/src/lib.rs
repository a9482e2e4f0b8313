//! The contract in `wit/`, parsed for build scripts, and the tool table derived from it.

mod contract;
mod schema;

pub use contract::Contract;
