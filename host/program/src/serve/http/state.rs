//! The shared state of a server.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio_util::sync::CancellationToken;

use crate::serve::http::auth::access::{Access, Principal};
use crate::serve::http::auth::gate::HostGate;
use crate::serve::http::health::Health;
use crate::serve::http::metrics::Metrics;
use crate::serve::http::recent_calls::RecentCalls;
use crate::serve::http::scheduling::fair_queue::{FairQueue, Permit, Rejected};
use crate::serve::http::tenants::TenantServices;

/// The shared state of a server.
pub struct ServerState {
    /// Check of hosts and origins.
    pub gate: HostGate,
    /// Access policy.
    pub access: Access,
    /// Services by rights.
    pub services: TenantServices,
    /// Fair queue of calls.
    pub queue: FairQueue,
    /// Metrics.
    pub metrics: Arc<Metrics>,
    /// Recent calls, for people.
    pub calls: Arc<RecentCalls>,
    /// Liveness and readiness.
    pub health: Health,
    /// Cancelled to stop everything that still runs.
    pub over: CancellationToken,
}

impl ServerState {
    /// Waits for the permit of a call.
    ///
    /// # Errors
    /// Returns the reason for a refusal.
    pub async fn permit(&self, principal: &Principal) -> Result<Permit, Rejected> {
        let permit = self.queue.take(principal.client()).await;
        if permit.is_err() {
            self.metrics.refused.fetch_add(1, Ordering::Relaxed);
        }
        permit
    }

    /// Deletes the vectors for rights that nobody holds any longer.
    pub fn forget_ambient(&self) {
        if let Some(rights) = self.access.all_rights_ambient() {
            self.services.forget_all_but_ambient(&rights);
        }
    }
}
