//! Runs docent's component in wasmtime, with access to nothing but the granted directories.
//!
//! [`Session`] runs calls in the calling thread and is what most integrators want; [`Pool`] runs
//! them on a bounded pool of threads for servers. Both map any function of the component to JSON,
//! and [`contract`] has the same functions with Rust types.
//!
//! The library has no terminal, protocol or configuration file, and knows no tool by name.
//!
//! * [`grant`]: the directories that a person grants. `grant/state.rs` has the state directory with
//!   the data for undo, `grant/above.rs` the ignore files of a root's repository above the root.
//!   `guard` is the filesystem of an instance, see `docs/design/guard.md`. Both depend on `right`.
//! * `run`: instances and calls.
//! * [`embedder`]: the trait of an embedder. The feature `encoder` adds an implementation, a model
//!   in a directory.
//! * `values`: conversion between JSON and WIT types. [`tools`] has the rest of the callers' view.
//!
//! Calls are limited in `run/instance.rs`; files are opened in `guard/linux`.
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
pub use docent_markdown as render;
pub use fault::{CallError, Fault, Refusal};
pub use guard::{FileUsage, OpenedFile, OpeningLog, Openings, Work};
pub use limits::Limits;
pub use run::{
    Cache, CallControl, CallTrace, InstanceOrigin, LoadError, Pool, Progress, Session, Settings,
    Stage, State, TraceSink, remove_vectors_ambient,
};

/// The tools that the component offers, and the aliases that callers may use for their arguments.
pub use docent_tool_catalog as tools;
