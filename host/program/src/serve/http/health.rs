//! Liveness and readiness of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use docent_host::grant::Grants;
use http::StatusCode;
use tokio::sync::Mutex;

use super::reply::{self, Reply};
use super::site::Site;

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

    async fn roots_open(&self, site: &Arc<Site>) -> bool {
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
        let (site, done) = (Arc::clone(site), Arc::clone(&back));
        let look = tokio::task::spawn_blocking(move || {
            let is_good = all_open(site.desks.grants());
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

fn all_open(grants: &Grants) -> bool {
    grants.all().iter().all(|root| root.open_ambient().is_ok())
}

/// Reports that the process is alive. Accesses nothing.
pub fn alive() -> Reply {
    reply::text(StatusCode::OK, "ok")
}

/// Reports readiness: each root opens, calls can be recorded if they must be, and the server is not
/// shutting down.
pub async fn ready(site: &Arc<Site>) -> Reply {
    let not = |why| reply::text(StatusCode::SERVICE_UNAVAILABLE, why);
    if site.health.is_closing() {
        return not("not ready: about to end");
    }
    // The failing root is not public; `docent doctor` names it.
    if !site.health.roots_open(site).await {
        return not("not ready: a root cannot be opened");
    }
    if !site.desks.can_record() {
        return not("not ready: the log cannot be written");
    }
    reply::text(StatusCode::OK, "ready")
}
