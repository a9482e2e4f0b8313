//! The contract in `wit/`, read for build scripts, and what hosts show of it.

mod contract;
mod schema;

pub use contract::Contract;
