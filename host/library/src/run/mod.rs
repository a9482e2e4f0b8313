//! Runs the component: loads it, makes instances of it, calls them.

pub(crate) mod engine;
pub(crate) mod extractor;
pub(crate) mod image;
pub(crate) mod instance;
pub(crate) mod pool;
pub(crate) mod session;
pub(crate) mod ticker;

pub use engine::{LoadError, Settings};
pub use instance::State;
pub use pool::{CallControl, Engine, Progress};
pub use session::Session;
