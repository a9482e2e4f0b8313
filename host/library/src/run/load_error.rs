//! The error of a component that cannot be loaded.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

use thiserror::Error as Failure;

/// The reason why the component cannot be loaded: its image does not fit this machine, it imports
/// an interface that docent does not provide, or the system has no resources.
#[derive(Clone, Debug, Failure)]
#[error("the component cannot be loaded: {}", ErrorChain(.cause.as_ref()))]
pub struct LoadError {
    // Shared, because a component is loaded once for the whole program: each load that follows
    // a failed one returns the same error.
    #[source]
    cause: Arc<dyn Error + Send + Sync>,
}

impl From<wasmtime::Error> for LoadError {
    fn from(error: wasmtime::Error) -> Self {
        Self {
            cause: Arc::from(Box::<dyn Error + Send + Sync>::from(error)),
        }
    }
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> Self {
        Self {
            cause: Arc::new(error),
        }
    }
}

/// An error with its chain of causes: `a: b: c`.
struct ErrorChain<'a>(&'a dyn Error);

impl fmt::Display for ErrorChain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut error = self.0;
        while let Some(cause) = error.source() {
            write!(f, ": {cause}")?;
            error = cause;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_caused_it_is_shown_and_kept() {
        let cause = wasmtime::Error::msg("no such import").context("linking");
        let error = LoadError::from(cause);
        assert_eq!(
            error.to_string(),
            "the component cannot be loaded: linking: no such import"
        );
        let source = error.source().expect("the cause is kept");
        assert_eq!(source.to_string(), "linking");
        assert_eq!(
            source.source().map(ToString::to_string).as_deref(),
            Some("no such import")
        );
    }
}
