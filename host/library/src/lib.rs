//! Runs docent's component in wasmtime, with nothing but the directories that it is granted.
//!
//! [`Session`] runs calls in the calling thread and is what most embedders want; [`Pool`] runs
//! them on a bounded pool of threads for servers. Both map any function of the component to JSON,
//! and [`contract`] has the same functions with Rust types.
#![deny(missing_docs)]

mod clock;
pub mod component;
pub mod contract;
pub mod embedder;
#[cfg(feature = "encoder")]
pub mod encoder;
mod fault;
pub mod grant;
mod guard;
mod limits;
mod right;
mod run;
mod values;

pub use clock::Clock;
pub use docent_render as render;
pub use fault::{CallError, Fault, Refusal};
pub use guard::{FileUsage, OpenedFile, OpeningLog, Openings, Work};
pub use limits::Limits;
pub use run::{
    Cache, CallControl, CallTrace, InstanceOrigin, LoadError, Pool, Progress, Session, Settings,
    Stage, State, TraceSink, remove_vectors_ambient,
};

/// The tools that the component offers, and what callers may write for their arguments.
pub use docent_adapter as tools;
