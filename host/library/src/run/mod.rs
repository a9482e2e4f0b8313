//! Runs the component: loads it, creates instances of it and calls them.
//!
//! From the bottom up:
//!
//! 1. `instance`: any instance, its limits, and the signals that stop it.
//! 2. `extractor`: the readers, each document in an instance whose store has no directories.
//!    `embedding`: the embedder that the program provides, with the cache `vectors`. `encoder`: an
//!    embedder that runs here, one instance with a model, in a thread of its own.
//! 3. `state`: everything that the main component may access.
//! 4. `loaded_component`: links it, creates instances with the granted directories, and calls them.
//! 5. `session` in the calling thread, and `pool` on threads of its own, with
//!    `background_embedding` for the passages that are embedded between calls.
//!
//! Beside them are `root_health` (roots that answer), `call_record` (the data that both sides of a
//! call share), `image` (the components as the build compiled them), `imports` (the imports of any
//! guest), `no_files` (the filesystem of a guest without files), `ticker` and `trace`.

mod background_embedding;
mod call_record;
mod embedding;
#[cfg(feature = "encoder")]
pub(crate) mod encoder;
mod extractor;
mod image;
mod imports;
mod instance;
mod load_error;
mod loaded_component;
mod no_files;
mod pool;
mod root_health;
mod session;
mod state;
mod ticker;
mod trace;
mod vectors;

pub use load_error::LoadError;
pub use loaded_component::Settings;
pub use pool::{CallControl, Pool, Progress};
pub use session::Session;
pub use state::State;
pub use trace::{Cache, CallTrace, InstanceOrigin, Stage, TraceSink};
pub use vectors::remove_vectors_ambient;
