//! Runs docent's component in wasmtime, with nothing but the directories that it is granted.
//!
//! [`Session`] runs calls in the calling thread and is what most embedders want; [`Engine`] runs
//! them on a bounded pool of threads for servers. Both map any function of the component to JSON,
//! and [`contract`] has the same functions with Rust types.
#![deny(missing_docs)]

mod adapter;
pub mod component;
pub mod contract;
mod fault;
pub mod grant;
mod guard;
mod limits;
pub mod render;
mod run;

pub use adapter::tools;
pub use fault::{CallError, Fault, Refusal};
pub use limits::Limits;
pub use run::{CallControl, Engine, LoadError, Progress, Session, Settings, State};
