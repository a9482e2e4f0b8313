//! The tools over HTTP.
//!
//! A request passes a connection (`connection`) → `server`: the gate (`auth::gate`), which checks
//! `Host` and `Origin` for every path → `routes`, which lists the paths and authenticates the
//! sender (`auth::access`) → the service for its rights (`tenants`, with `embedder_config`: one
//! embedder for all, vectors apart) and the fair queue of calls (`scheduling`). `state` is what all
//! requests share; `health`, `metrics` and `recent_calls` are parts of it. `limits` holds the
//! numbers. `docs/decisions/http.md` gives the reasons against a framework.

mod auth;
mod body;
mod call_report;
mod connection;
mod embedder_config;
mod health;
mod limits;
mod metrics;
pub(super) mod query;
mod recent_calls;
mod reply;
mod routes;
mod scheduling;
mod server;
mod state;
mod tenants;

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use auth::gate::HostGate;
use connection::accept::Connections;
use health::Health;
use limits::{DRAIN_TIME, LOOK};
use metrics::Metrics;
use recent_calls::RecentCalls;
use scheduling::fair_queue::FairQueue;
use state::ServerState;
use tenants::TenantServices;

pub use auth::access::Access;
pub use auth::gate::AllowedHost;
pub use connection::listen::{Endpoint, EndpointReach, Listen};
pub use embedder_config::EmbedderConfig;
pub use tenants::ServiceConfig;

use crate::serve::recorder;
use crate::serve::tool_service::{CompletedCall, Delivery, DeliveryCallback, Observer};
use crate::terminal::notes::note;

/// Interval of the checks for unused pools.
const TIDY: Duration = Duration::from_secs(60);

/// The configuration of a server.
pub struct ServerConfig {
    /// Endpoint to listen on.
    pub endpoint: Endpoint,
    /// Hosts that requests may name besides the server's own.
    pub allowed_hosts: Vec<AllowedHost>,
    /// Addresses of proxies, which forward the requests of many clients.
    pub proxies: Vec<IpAddr>,
    /// Access policy.
    pub access: Access,
    /// Time for which the server keeps serving after a termination signal while it reports that it
    /// is not ready: until load balancers have noticed.
    pub drain_delay: Duration,
    /// Configuration of its services.
    pub plan: ServiceConfig,
}

/// Serves until a termination signal, then completes the running calls.
///
/// # Errors
/// Returns an error if the listener cannot be used.
pub fn serve(serving: ServerConfig) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(serving.plan.limits.threads.max(1))
        .thread_name("docent-http")
        .enable_all()
        .build()?;
    let address = serving.endpoint.address.clone();
    let recorder = serving.plan.recorder.clone();
    let ended = runtime.block_on(run(serving));
    address.remove_ambient();
    // A check of a root that never answers holds a blocking thread. It is not awaited;
    // otherwise the server could not be stopped while a network drive is down.
    runtime.shutdown_background();
    // The log is sealed after the last call. Entries after the stop would have to belong to
    // another start.
    if let Some(recorder) = recorder {
        recorder.seal();
    }
    ended
}

async fn run(serving: ServerConfig) -> io::Result<()> {
    let ServerConfig {
        endpoint,
        allowed_hosts,
        proxies,
        access,
        drain_delay,
        plan,
    } = serving;
    let over = CancellationToken::new();
    let closing = CancellationToken::new();
    let _ticking = plan.recorder.as_ref().map(recorder::start_ticking);
    let gate = HostGate::new(&endpoint.address, &allowed_hosts);
    let metrics = Arc::<Metrics>::default();
    // Recent calls are kept in memory only if no other machine can reach the server. A server
    // for a team would otherwise hold the queries and answers of many people.
    let calls = Arc::new(RecentCalls::new(
        plan.answers,
        endpoint.reach == EndpointReach::ThisMachine,
    ));
    let queue = FairQueue::new(plan.limits.threads);
    let observer: Observer = {
        let (metrics, calls) = (Arc::clone(&metrics), Arc::clone(&calls));
        Arc::new(move |call: &CompletedCall<'_>| -> DeliveryCallback {
            metrics.count_call(call);
            let (calls, record) = (Arc::clone(&calls), calls.record(call));
            Box::new(move |fate| {
                if let (Some(record), Delivery::Sent) = (record, fate) {
                    calls.keep(record);
                }
            })
        })
    };
    let state = Arc::new(ServerState {
        services: TenantServices::new(plan, &gate, observer, over.clone()),
        gate,
        access,
        queue,
        metrics,
        calls,
        health: Health::default(),
        over: over.clone(),
    });
    state.forget_ambient();
    let mut signals = TerminationSignals::new()?;
    let connections = Connections::new(Arc::clone(&state), proxies, closing.clone());
    note(format_args!("serving at {}", endpoint.address));
    let mut tidy = tokio::time::interval(TIDY);
    let mut looks = tokio::time::interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut accepting = tokio::spawn({
        let connections = connections.clone();
        async move { connections.accept(endpoint.listener).await }
    });
    loop {
        tokio::select! {
            accepted = &mut accepting => return accepted.map_err(io::Error::other)?,
            _ = tidy.tick() => {
                state.services.tidy();
                forget(&state);
            }
            // Each request checks the token file as well. But a token can be revoked while its
            // call runs, and the call must stop without another request of anybody.
            _ = looks.tick() => {
                let state = Arc::clone(&state);
                let _ = tokio::task::spawn_blocking(move || state.access.look_ambient()).await;
            }
            () = state.access.wait_for_change() => forget(&state),
            () = signals.receive() => break,
        }
    }
    state.services.end_learning();
    state.health.close();
    tokio::select! {
        () = tokio::time::sleep(drain_delay) => {}
        () = signals.receive() => {}
    }
    closing.cancel();
    tokio::select! {
        () = connections.wait_for_connections() => {}
        () = tokio::time::sleep(DRAIN_TIME) => {}
        // A second signal stops the server at once: whoever presses Ctrl+C again does not want
        // to wait for 30 s.
        () = signals.receive() => {}
    }
    over.cancel();
    if let Some(recorder) = state.services.recorder() {
        recorder.wait_until_recorded().await;
    }
    Ok(())
}

/// Deletes the vectors for rights that nobody holds any longer, while requests are answered.
fn forget(state: &Arc<ServerState>) {
    let state = Arc::clone(state);
    tokio::task::spawn_blocking(move || state.forget_ambient());
}

/// The termination signals of the process.
struct TerminationSignals {
    #[cfg(unix)]
    signals: [signal::unix::Signal; 2],
}

impl TerminationSignals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            signals: {
                use signal::unix::{SignalKind, signal};

                [
                    signal(SignalKind::terminate())?,
                    signal(SignalKind::interrupt())?,
                ]
            },
        })
    }

    #[cfg(unix)]
    async fn receive(&mut self) {
        let [terminate, interrupt] = &mut self.signals;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn receive(&mut self) {
        let _ = signal::ctrl_c().await;
    }
}
