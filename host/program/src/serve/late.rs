//! The pool, made in the background while the first messages are exchanged.

use std::sync::Arc;
use std::thread;

use docent_host::{Fault, LoadError, Pool};
use tokio::sync::watch;

/// A pool, or why there can be none; none while it is being made.
type Outcome = Option<Result<Arc<Pool>, LoadError>>;

/// A pool that is being made, or was.
pub struct LatePool {
    outcome: watch::Receiver<Outcome>,
}

impl LatePool {
    /// Starts making a pool in a thread of its own.
    pub fn start(make: impl FnOnce() -> Result<Pool, LoadError> + Send + 'static) -> Arc<Self> {
        // A watch keeps what it was sent last, so that calls which come later find it too.
        let (done, outcome) = watch::channel(None);
        thread::spawn(move || done.send_replace(Some(make().map(Arc::new))));
        Arc::new(Self { outcome })
    }

    /// Returns the pool as soon as there is one.
    ///
    /// # Errors
    /// [`Fault::Unavailable`] with what making it failed at.
    pub async fn get(&self) -> Result<Arc<Pool>, Fault> {
        let mut outcome = self.outcome.clone();
        let outcome = match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone(),
            // The thread that was to make it has ended without a word.
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
        let late = LatePool::start(make);
        // Every call is told, not only the first.
        let [first, second] =
            [0, 1].map(|_| executor.block_on(late.get()).map(|_| ()).unwrap_err());
        assert_eq!(first, second);
        assert!(matches!(first, Fault::Unavailable(_)), "{first:?}");
        explain::call(&CallError::from(first))
    }

    #[test]
    fn a_component_that_cannot_be_loaded_is_unavailable() {
        assert_eq!(
            told(|| Err(LoadError::from(io::Error::other("no such image")))),
            "[ERR_MCP_500] internal-error: the component cannot be loaded: no such image\n\
             Nothing was called; `docent doctor` tells more."
        );
        assert_eq!(
            told(|| panic!("the thread ends")),
            "[ERR_MCP_500] internal-error: the component could not be loaded\n\
             Nothing was called; `docent doctor` tells more."
        );
    }
}
