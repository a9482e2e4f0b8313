//! The engine, made in the background while the first messages are exchanged.

use std::sync::Arc;
use std::thread;

use docent_host::{CallError, Engine, Fault, LoadError};
use tokio::sync::watch;

/// What became of making the engine; none while it is being made.
type Made = Option<Result<Arc<Engine>, String>>;

/// An engine that is being made, or was.
pub struct Late {
    made: watch::Receiver<Made>,
}

impl Late {
    /// Starts making an engine in a thread of its own.
    pub fn start(make: impl FnOnce() -> Result<Engine, LoadError> + Send + 'static) -> Arc<Self> {
        let (done, made) = watch::channel(None);
        thread::spawn(move || {
            let engine = make().map(Arc::new).map_err(|error| error.to_string());
            done.send_replace(Some(engine));
        });
        Arc::new(Self { made })
    }

    /// Returns the engine as soon as there is one.
    ///
    /// # Errors
    /// What making it failed at.
    pub async fn get(&self) -> Result<Arc<Engine>, CallError> {
        let mut made = self.made.clone();
        let made = made
            .wait_for(Option::is_some)
            .await
            .map(|made| made.clone());
        match made {
            Ok(Some(Ok(engine))) => Ok(engine),
            Ok(Some(Err(error))) => Err(CallError::Fault(Fault::Trap(error))),
            Ok(None) | Err(_) => Err(CallError::Fault(Fault::Trap(
                "the engine could not be made".to_owned(),
            ))),
        }
    }
}
