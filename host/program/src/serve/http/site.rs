//! The shared state of a server, and the path of every request: through the gate, to its route.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::{Request, StatusCode};
use hyper::body::Incoming;
use tokio_util::sync::CancellationToken;

use super::access::{Access, Principal};
use super::connections::Peer;
use super::desks::Desks;
use super::gate::Gate;
use super::health::Health;
use super::limits::TOO_OFTEN_WAIT;
use super::metrics::Metrics;
use super::page::Calls;
use super::reply::{self, Reply};
use super::room::Service;
use super::routes;
use super::turns::{NoTurn, Turn, Turns};

/// The shared state of a server.
pub struct Site {
    /// Check of hosts and origins.
    pub gate: Gate,
    /// Access policy.
    pub access: Access,
    /// Services by rights.
    pub desks: Desks,
    /// Fair queue of calls.
    pub turns: Turns,
    /// Metrics.
    pub metrics: Arc<Metrics>,
    /// Recent calls, for people.
    pub calls: Arc<Calls>,
    /// Liveness and readiness.
    pub health: Health,
    /// Cancelled to stop everything that still runs.
    pub over: CancellationToken,
}

impl Site {
    /// Waits for the permit of a call.
    ///
    /// # Errors
    /// Returns the reason for a refusal.
    pub async fn turn(&self, principal: &Principal) -> Result<Turn, NoTurn> {
        let turn = self.turns.take(principal).await;
        if turn.is_err() {
            self.metrics.refused.fetch_add(1, Ordering::Relaxed);
        }
        turn
    }

    /// Deletes the vectors for rights that nobody holds any longer.
    pub fn forget_ambient(&self) {
        if let Some(rights) = self.access.all_rights_ambient() {
            self.desks.forget_all_but_ambient(&rights);
        }
    }

    /// Answers a request.
    pub async fn answer(
        self: &Arc<Self>,
        request: Request<Incoming>,
        peer: Peer,
        service: Service,
    ) -> Reply {
        let (parts, body) = request.into_parts();
        if service == Service::Health && !routes::is_health(&parts) {
            let problem = "too many connections; try again in a moment";
            let reply = reply::text(StatusCode::SERVICE_UNAVAILABLE, problem);
            return reply::last(reply::sealed(reply::retry_after(reply, 1)));
        }
        let reply = match self.gate.check(&parts) {
            Ok(()) => routes::answer(self, parts, body, peer).await,
            Err(refused) => reply::text(StatusCode::FORBIDDEN, &refused.to_string()),
        };
        match reply.status() {
            StatusCode::UNAUTHORIZED => {
                self.metrics.unauthorized.fetch_add(1, Ordering::Relaxed);
            }
            StatusCode::TOO_MANY_REQUESTS => hold_back().await,
            _ => {}
        }
        let reply = reply::sealed(reply);
        if self.health.is_closing() || service == Service::Health {
            // Announced to the client, because closing without notice could lose its next request;
            // and a connection reserved for health checks becomes free for the next one.
            return reply::last(reply);
        }
        reply
    }
}

/// Delays the reply that refuses too frequent calls, so that a client that ignores it gains
/// nothing, and takes no time from others.
pub async fn hold_back() {
    tokio::time::sleep(TOO_OFTEN_WAIT).await;
}
