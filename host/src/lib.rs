//! Runs docent's component in wasmtime, with nothing but the directories that it is granted.
//!
//! [`Session`] runs calls in the calling thread and is what most embedders want; [`Engine`] runs
//! them on a bounded pool of threads for servers. Both map any function of the component to JSON,
//! and [`contract`] has the same functions with Rust types.
#![deny(missing_docs)]

pub mod component;
pub mod contract;
mod engine;
mod extractor;
mod fault;
pub mod grant;
mod guard;
mod image;
mod instance;
mod limits;
mod pool;
pub mod render;
mod session;
mod spelling;
mod ticker;
pub mod tools;
mod tuning;
mod values;

pub use engine::{LoadError, Settings};
pub use fault::{CallError, Fault, Refusal};
pub use instance::State;
pub use limits::Limits;
pub use pool::{CallControl, Engine, Progress};
pub use session::Session;
