//! Runs the component: loads it, makes instances of it, calls them.

mod call_record;
mod embedding;
#[cfg(feature = "encoder")]
pub(crate) mod encoder;
mod extractor;
mod image;
mod imports;
mod instance;
mod learning;
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
