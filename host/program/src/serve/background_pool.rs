//! A pool that loads in the background during the first messages.

use std::sync::Arc;
use std::thread;

use docent_host::{Fault, LoadError, Pool};
use tokio::sync::watch;

/// The loaded pool, or the error; none while it loads.
type Outcome = Option<Result<Arc<Pool>, LoadError>>;

/// A pool that is loading or loaded.
pub struct BackgroundPool {
    outcome: watch::Receiver<Outcome>,
}

impl BackgroundPool {
    /// Starts loading a pool in a thread of its own.
    pub fn start(make: impl FnOnce() -> Result<Pool, LoadError> + Send + 'static) -> Arc<Self> {
        // A watch channel keeps its last value. All calls, also those that come later, receive
        // the pool or the error from it, and nothing is loaded twice.
        let (done, outcome) = watch::channel(None);
        thread::spawn(move || done.send_replace(Some(make().map(Arc::new))));
        Arc::new(Self { outcome })
    }

    /// Waits for the pool.
    ///
    /// # Errors
    /// Returns [`Fault::Unavailable`] with the error of loading.
    pub async fn get(&self) -> Result<Arc<Pool>, Fault> {
        let mut outcome = self.outcome.clone();
        let outcome = match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone(),
            // The loading thread has panicked.
            Err(_) => None,
        };
        match outcome {
            Some(Ok(pool)) => Ok(pool),
            Some(Err(error)) => Err(Fault::Unavailable(error.to_string())),
            None => Err(Fault::Unavailable(
                "the component could not be loaded".to_owned(),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use docent_host::CallError;

    use super::*;
    use crate::explain;

    fn told(make: impl FnOnce() -> Result<Pool, LoadError> + Send + 'static) -> String {
        let executor = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let pool = BackgroundPool::start(make);
        // Every call receives the error, not only the first.
        let [first, second] =
            [0, 1].map(|_| executor.block_on(pool.get()).map(|_| ()).unwrap_err());
        assert_eq!(first, second);
        assert!(matches!(first, Fault::Unavailable(_)), "{first:?}");
        explain::call(&CallError::from(first))
    }

    #[test]
    fn a_component_that_cannot_be_loaded_is_unavailable() {
        assert_eq!(
            told(|| Err(LoadError::from(io::Error::other("no such image")))),
            "[ERR_MCP_500] internal-error: the component cannot be loaded: no such image\n\
             No call was made; see `docent doctor`."
        );
        assert_eq!(
            told(|| panic!("the thread ends")),
            "[ERR_MCP_500] internal-error: the component could not be loaded\n\
             No call was made; see `docent doctor`."
        );
    }
}
