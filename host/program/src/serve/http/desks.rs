//! One desk for each set of rights, made when it is first needed. What a component remembers for
//! one set of rights is never there for another, whatever the component does.

use std::sync::{Arc, Mutex, PoisonError};

use docent_host::grant::{Grants, Right};
use docent_host::tools::Tool;
use docent_host::{Limits, LoadError, Pool, Settings};
use http_body_util::Full;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::access::RootRights;
use super::gate::Gate;
use super::limits::{BODY_BYTES, KEEP_ALIVE, POOL_TIME, POOLS};
use super::meaning::Meaning;
use super::reply::Reply;
use crate::serve::desk::{Answers, Caller, Desk, Observer, Offer};
use crate::serve::handler::Server;
use crate::serve::instructions::roots;
use crate::serve::late::LatePool;
use crate::serve::recorder::Recorder;
use crate::terminal::trace::Trace;

/// How a component is loaded: [`Pool::load`] for docent's own.
pub type Load = fn(Grants, Settings, Limits) -> Result<Pool, LoadError>;

/// What desks are made of.
pub struct Plan {
    /// How the component is loaded.
    pub load: Load,
    /// All that is granted.
    pub grants: Grants,
    /// What the component is told.
    pub settings: Settings,
    /// What calls may use.
    pub limits: Limits,
    /// The tools that were chosen, of this component; those that write are on offer where a root may
    /// be written.
    pub tools: Vec<&'static Tool>,
    /// How answers are sent.
    pub answers: Answers,
    /// Whether it is said what is done.
    pub trace: Trace,
    /// What calls are recorded in, if they are.
    pub recorder: Option<Arc<Recorder>>,
    /// Who tells what texts mean; none where words have to do.
    pub meaning: Option<Meaning>,
}

/// A desk, and MCP at it.
pub struct HttpDesk {
    /// The desk.
    pub desk: Arc<Desk>,
    mcp: StreamableHttpService<Server, NeverSessionManager>,
}

impl HttpDesk {
    /// Answers a message of MCP. Dropping what this returns cancels the call that it waits for.
    pub async fn mcp(&self, request: http::Request<Full<bytes::Bytes>>) -> Reply {
        self.mcp.handle(request).await
    }
}

/// The desks there are.
pub struct Desks {
    plan: Plan,
    config: StreamableHttpServerConfig,
    observer: Observer,
    over: CancellationToken,
    /// Cancelled when nothing is made known any more between calls.
    learning: CancellationToken,
    open: Mutex<Vec<Entry>>,
}

struct Entry {
    rights: RootRights,
    desk: Arc<HttpDesk>,
    used: Instant,
}

impl Entry {
    /// Whether nobody is there.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.desk) == 1
    }
}

impl Desks {
    /// Returns no desks yet. Calls end when `over` is cancelled, and are told to `observer`.
    pub fn new(plan: Plan, gate: &Gate, observer: Observer, over: CancellationToken) -> Self {
        let config = StreamableHttpServerConfig::default()
            // Any replica can answer any request, and nothing is left behind by clients that go.
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_sse_keep_alive(Some(KEEP_ALIVE))
            // The gate has looked already; this is the second lock.
            .with_allowed_hosts(gate.hosts())
            .with_allowed_origins(gate.origins_with_ports())
            .with_max_request_body_bytes(BODY_BYTES)
            .with_cancellation_token(over.clone());
        Self {
            plan,
            config,
            observer,
            over,
            learning: CancellationToken::new(),
            open: Mutex::default(),
        }
    }

    /// Returns what calls are recorded in, if they are.
    pub fn recorder(&self) -> Option<&Arc<Recorder>> {
        self.plan.recorder.as_ref()
    }

    /// Whether calls can be recorded, where they have to be.
    pub fn can_record(&self) -> bool {
        self.recorder().is_none_or(|it| it.can_record())
    }

    /// Returns what everything is granted from.
    pub fn grants(&self) -> &Grants {
        &self.plan.grants
    }

    /// Returns the desk for those who have these rights; none when there are too many others.
    pub fn desk(&self, rights: &RootRights) -> Option<Arc<HttpDesk>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = open.iter_mut().find(|entry| entry.rights == *rights) {
            entry.used = Instant::now();
            return Some(Arc::clone(&entry.desk));
        }
        if open.len() >= POOLS {
            let idle = open.iter().enumerate().filter(|(_, entry)| entry.is_idle());
            let (oldest, _) = idle.min_by_key(|(_, entry)| entry.used)?;
            open.swap_remove(oldest);
        }
        let desk = Arc::new(self.make(rights));
        open.push(Entry {
            rights: rights.clone(),
            desk: Arc::clone(&desk),
            used: Instant::now(),
        });
        Some(desk)
    }

    /// Returns how many desks are open.
    pub fn count(&self) -> usize {
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    /// Closes the desks that nobody has used for long.
    pub fn tidy(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|entry| !entry.is_idle() || entry.used.elapsed() < POOL_TIME);
    }

    /// Has nothing made known any more between calls.
    pub fn end_learning(&self) {
        self.learning.cancel();
    }

    /// Forgets what was known by meaning for rights that are none of these, and closes their desks, at
    /// which something may still be made known.
    pub fn forget_all_but_ambient(&self, rights: &[RootRights]) {
        let given: Vec<RootRights> = rights.iter().flat_map(RootRights::ways).collect();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|entry| !entry.is_idle() || given.contains(&entry.rights));
        drop(open);
        if let Some(meaning) = &self.plan.meaning {
            meaning.forget_all_but_ambient(given.iter().map(|rights| self.granted(rights)));
        }
    }

    /// Returns what those are granted who have these rights.
    fn granted(&self, rights: &RootRights) -> Grants {
        self.plan.grants.narrowed(|root| rights.right(root))
    }

    fn make(&self, rights: &RootRights) -> HttpDesk {
        let plan = &self.plan;
        let grants = self.granted(rights);
        let mut granted = grants.all().iter();
        let may_write = granted.any(|grant| grant.right() == Right::ReadWrite);
        let mut tools = plan.tools.clone();
        tools.retain(|tool| tool.read_only || may_write);
        let offer = Offer {
            roots: roots(&grants),
            tools,
            answers: plan.answers,
            trace: plan.trace,
        };
        let (settings, limits) = (plan.settings.clone(), plan.limits.clone());
        let (load, trace) = (plan.load, plan.trace);
        let learning = self.learning.clone();
        let meaning = plan.meaning.as_ref().map(|meaning| meaning.of(&grants));
        let pool = LatePool::start(move || {
            // The component's code is the same for all; it is loaded once.
            let pool = load(grants, settings, limits)?;
            if let Some(meaning) = meaning {
                pool.embed_with(meaning.embedder);
                if let Some(directory) = meaning.vectors {
                    pool.keep_vectors_ambient(&directory);
                }
                if meaning.learns {
                    pool.learn_between_calls(learning);
                }
            }
            if let Some(sink) = trace.sink() {
                pool.trace(sink);
            }
            Ok(pool)
        });
        let desk = Arc::new(Desk::new(
            offer,
            pool,
            Some(Arc::clone(&self.observer)),
            plan.recorder.clone(),
        ));
        let server = Server::new(Arc::clone(&desk), Caller::local(), self.over.clone());
        let mcp = StreamableHttpService::new(
            move || Ok(server.clone()),
            Arc::new(NeverSessionManager::default()),
            self.config.clone(),
        );
        HttpDesk { desk, mcp }
    }
}
