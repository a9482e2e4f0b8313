//! Liveness and readiness of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;

/// Timeout for opening the roots: a network drive without its network never answers.
const LOOK_TIME: Duration = Duration::from_secs(2);

/// Time for which a result is cached for later checks.
const HOLDS: Duration = Duration::from_secs(1);

/// The readiness of the server.
#[derive(Default)]
pub struct Health {
    is_closing: AtomicBool,
    looked: Mutex<Option<Looked>>,
}

struct Looked {
    at: std::time::Instant,
    is_good: bool,
    /// Set when the checking thread returns: no other is started before.
    back: Arc<AtomicBool>,
}

impl Health {
    /// Marks the server as shutting down.
    pub fn close(&self) {
        self.is_closing.store(true, Ordering::Relaxed);
    }

    /// Returns true if the server is shutting down.
    pub fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }

    /// Returns true if `look`, which opens each root, succeeds within [`LOOK_TIME`]. A recent
    /// result is used again.
    pub async fn roots_open(&self, look: impl FnOnce() -> bool + Send + 'static) -> bool {
        let mut looked = self.looked.lock().await;
        if let Some(looked) = &*looked {
            if looked.at.elapsed() < HOLDS {
                return looked.is_good;
            }
            if !looked.back.load(Ordering::Acquire) {
                return false;
            }
        }
        let back = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&back);
        let look = tokio::task::spawn_blocking(move || {
            let is_good = look();
            done.store(true, Ordering::Release);
            is_good
        });
        let found = tokio::time::timeout(LOOK_TIME, look).await;
        let is_good = matches!(found, Ok(Ok(true)));
        *looked = Some(Looked {
            at: std::time::Instant::now(),
            is_good,
            back,
        });
        is_good
    }
}
