//! The tools over HTTP.
//!
//! A request passes `listen` (sockets) → `connections` (each with its `pulse`, which closes those
//! that are idle or slow, and in a `room`, which bounds their number) → `site` → `gate` (`Host` and
//! `Origin`, for every path) → `routes`, which lists the paths → `access` (authentication) →
//! `desks` (a service for each set of rights, with `meaning`: one embedder for all, vectors apart)
//! and `turns` (a fair queue of calls, with `rate`) → `mcp`, `context`, `metrics`, `health` or
//! `page`. `limits` holds the numbers. `docs/decisions/http.md` gives the reasons against a
//! framework.

mod access;
mod body;
mod connections;
mod context;
mod desks;
mod gate;
mod health;
mod limits;
mod listen;
mod mcp;
mod meaning;
mod metrics;
mod page;
mod pulse;
pub(super) mod query;
mod rate;
mod reply;
mod room;
mod routes;
mod site;
mod turns;

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use connections::Connections;
use desks::Desks;
use gate::Gate;
use health::Health;
use limits::{DRAIN_TIME, LOOK};
use metrics::Metrics;
use page::Calls;
use site::Site;
use turns::Turns;

pub use access::Access;
pub use desks::Plan;
pub use gate::AllowedHost;
pub use listen::{Listen, Place, Reach};
pub use meaning::Meaning;

use crate::serve::desk::{Ended, Fate, Observer, Told};
use crate::serve::recorder;
use crate::terminal::notes::note;

/// Interval of the checks for unused pools.
const TIDY: Duration = Duration::from_secs(60);

/// The configuration of a server.
pub struct Serving {
    /// Endpoint to listen on.
    pub place: Place,
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
    pub plan: Plan,
}

/// Serves until a termination signal, then completes the running calls.
///
/// # Errors
/// Returns an error if the listener cannot be used.
pub fn serve(serving: Serving) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(serving.plan.limits.threads.max(1))
        .thread_name("docent-http")
        .enable_all()
        .build()?;
    let address = serving.place.address.clone();
    let recorder = serving.plan.recorder.clone();
    let ended = runtime.block_on(run(serving));
    address.remove_ambient();
    // A check of a root that never answers is not awaited.
    runtime.shutdown_background();
    // After the last call: later entries belong to another start.
    if let Some(recorder) = recorder {
        recorder.seal();
    }
    ended
}

async fn run(serving: Serving) -> io::Result<()> {
    let Serving {
        place,
        allowed_hosts,
        proxies,
        access,
        drain_delay,
        plan,
    } = serving;
    let over = CancellationToken::new();
    let closing = CancellationToken::new();
    let _ticking = plan.recorder.as_ref().map(recorder::ticking);
    let gate = Gate::new(&place.address, &allowed_hosts);
    let metrics = Arc::<Metrics>::default();
    // If other machines can reach the server, it would keep the calls of many people in memory.
    let calls = Arc::new(Calls::new(plan.answers, place.reach == Reach::ThisMachine));
    let turns = Turns::new(plan.limits.threads);
    let observer: Observer = {
        let (metrics, calls) = (Arc::clone(&metrics), Arc::clone(&calls));
        Arc::new(move |call: &Ended<'_>| -> Told {
            metrics.ended(call);
            let (calls, record) = (Arc::clone(&calls), calls.record(call));
            Box::new(move |fate| {
                if let (Some(record), Fate::Sent) = (record, fate) {
                    calls.keep(record);
                }
            })
        })
    };
    let site = Arc::new(Site {
        desks: Desks::new(plan, &gate, observer, over.clone()),
        gate,
        access,
        turns,
        metrics,
        calls,
        health: Health::default(),
        over: over.clone(),
    });
    site.forget_ambient();
    let mut ends = Ends::new()?;
    let connections = Connections::new(Arc::clone(&site), proxies, closing.clone());
    note(format_args!("serving at {}", place.address));
    let mut tidy = tokio::time::interval(TIDY);
    let mut looks = tokio::time::interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut accepting = tokio::spawn({
        let connections = connections.clone();
        async move { connections.accept(place.listener).await }
    });
    loop {
        tokio::select! {
            accepted = &mut accepting => return accepted.map_err(io::Error::other)?,
            _ = tidy.tick() => {
                site.desks.tidy();
                forget(&site);
            }
            // Requests check the tokens too, but running calls must also stop without another
            // request.
            _ = looks.tick() => {
                let site = Arc::clone(&site);
                let _ = tokio::task::spawn_blocking(move || site.access.look_ambient()).await;
            }
            () = site.access.changed() => forget(&site),
            () = ends.told() => break,
        }
    }
    site.desks.end_learning();
    site.health.close();
    tokio::select! {
        () = tokio::time::sleep(drain_delay) => {}
        () = ends.told() => {}
    }
    closing.cancel();
    tokio::select! {
        () = connections.ended() => {}
        () = tokio::time::sleep(DRAIN_TIME) => {}
        // A second signal stops the server at once.
        () = ends.told() => {}
    }
    over.cancel();
    if let Some(recorder) = site.desks.recorder() {
        recorder.settled().await;
    }
    Ok(())
}

/// Deletes the vectors for rights that nobody holds any longer, while requests are answered.
fn forget(site: &Arc<Site>) {
    let site = Arc::clone(site);
    tokio::task::spawn_blocking(move || site.forget_ambient());
}

/// The termination signals of the process.
struct Ends {
    #[cfg(unix)]
    signals: [signal::unix::Signal; 2],
}

impl Ends {
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
    async fn told(&mut self) {
        let [terminate, interrupt] = &mut self.signals;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn told(&mut self) {
        let _ = signal::ctrl_c().await;
    }
}
