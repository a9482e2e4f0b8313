//! Runs docent's component in wasmtime, with nothing but the directories that it is granted.
//!
//! [`Session`] runs calls in the calling thread and is what most integrators want; [`Pool`] runs
//! them on a bounded pool of threads for servers. Both map any function of the component to JSON,
//! and [`contract`] has the same functions with Rust types.
//!
//! There is no terminal, no protocol and no configuration file here, and no tool by name.
//!
//! * [`grant`]: the directories that a person gives. `grant/state.rs` has the place of what undoing
//!   needs, `grant/above.rs` the ignore files of a root's repository above the root. `guard` is the
//!   filesystem of an instance, see `docs/design/guard.md`. Both stand on `right`.
//! * `run`: instances and calls.
//! * [`embedder`]: what a program implements that has an embedder. The feature `encoder` adds such
//!   a one, a model in a directory.
//! * `values`: JSON to WIT types and back. [`tools`] has the rest of what callers see.
//!
//! A call is bounded in `run/instance.rs`; a file is opened in `guard/linux.rs`.
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
