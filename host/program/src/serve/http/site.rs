//! What a listener serves, and the way of every request: through the gate, to its route.

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

/// What a listener serves.
pub struct Site {
    /// Which requests are looked at.
    pub gate: Gate,
    /// Who may ask.
    pub access: Access,
    /// Where calls go.
    pub desks: Desks,
    /// Whose call is next.
    pub turns: Turns,
    /// What has happened so far.
    pub metrics: Arc<Metrics>,
    /// The calls of late, for people.
    pub calls: Arc<Calls>,
    /// Whether requests can be served.
    pub health: Health,
    /// Cancelled when everything that still runs is to end.
    pub over: CancellationToken,
}

impl Site {
    /// Returns the turn of a call.
    ///
    /// # Errors
    /// Why it has none.
    pub async fn turn(&self, principal: &Principal) -> Result<Turn, NoTurn> {
        let turn = self.turns.take(principal).await;
        if turn.is_err() {
            self.metrics.refused.fetch_add(1, Ordering::Relaxed);
        }
        turn
    }

    /// Forgets what was kept for rights that nobody has any more.
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
            // A connection that is closed while a request comes in loses that one; and what is kept
            // for health is for the next who asks for it.
            return reply::last(reply);
        }
        reply
    }
}

/// Lets whoever has called too often wait for the answer that says so: who goes on all the same gets
/// on no faster, and takes no time from others.
pub async fn hold_back() {
    tokio::time::sleep(TOO_OFTEN_WAIT).await;
}
