//! The path of every request: through the gate, to its route.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::{Request, StatusCode};
use hyper::body::Incoming;

use crate::serve::http::connection::capacity::Service;
use crate::serve::http::connection::listen::Peer;
use crate::serve::http::reply::{self, Reply};
use crate::serve::http::routes;
use crate::serve::http::state::ServerState;

/// Answers a request.
pub async fn answer(
    state: &Arc<ServerState>,
    request: Request<Incoming>,
    peer: Peer,
    service: Service,
) -> Reply {
    let (parts, body) = request.into_parts();
    if service == Service::Health && !routes::is_health(&parts) {
        let problem = "too many connections; try again in a moment";
        let reply = reply::text(StatusCode::SERVICE_UNAVAILABLE, problem);
        return reply::last(reply::seal(reply::retry_after(reply, 1)));
    }
    let reply = match state.gate.check(&parts) {
        Ok(()) => routes::answer(state, parts, body, peer).await,
        Err(refused) => reply::text(StatusCode::FORBIDDEN, &refused.to_string()),
    };
    match reply.status() {
        StatusCode::UNAUTHORIZED => {
            state.metrics.unauthorized.fetch_add(1, Ordering::Relaxed);
        }
        StatusCode::TOO_MANY_REQUESTS => reply::hold_back().await,
        _ => {}
    }
    let reply = reply::seal(reply);
    if state.health.is_closing() || service == Service::Health {
        // `Connection: close` announces the end. If the connection were closed without it, a
        // client that has just sent its next request could not tell whether it was received. A
        // connection in the reserve for health checks is closed as well, and becomes free for
        // the next one.
        return reply::last(reply);
    }
    reply
}
