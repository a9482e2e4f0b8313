//! Checks of liveness and readiness.

use std::sync::Arc;

use docent_host::grant::Grants;
use http::StatusCode;

use crate::serve::http::reply::{self, Reply};
use crate::serve::http::state::ServerState;

/// Reports that the process is alive. Accesses nothing.
pub fn alive() -> Reply {
    reply::text(StatusCode::OK, "ok")
}

/// Reports readiness: each root opens, calls can be recorded if they must be, and the server is not
/// shutting down.
pub async fn ready(state: &Arc<ServerState>) -> Reply {
    let not = |why| reply::text(StatusCode::SERVICE_UNAVAILABLE, why);
    if state.health.is_closing() {
        return not("not ready: shutting down");
    }
    // Checks need no token, so the reply does not name the failing root; `docent doctor` does.
    let looking = Arc::clone(state);
    let look = move || all_open(looking.services.grants());
    if !state.health.roots_open(look).await {
        return not("not ready: a root cannot be opened");
    }
    if !state.services.can_record() {
        return not("not ready: the log cannot be written");
    }
    reply::text(StatusCode::OK, "ready")
}

fn all_open(grants: &Grants) -> bool {
    grants.all().iter().all(|root| root.open_ambient().is_ok())
}
