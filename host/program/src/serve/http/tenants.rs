//! Services, one for each set of rights, created on first use. The memory of a component for one
//! set of rights is never available to another, whatever the component does.

use std::sync::{Arc, Mutex, PoisonError};

use docent_host::grant::{Grants, Right};
use docent_host::tools::Tool;
use docent_host::{Limits, LoadError, Pool, Settings};
use http_body_util::Full;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::serve::background_pool::BackgroundPool;
use crate::serve::caller::Caller;
use crate::serve::handler::Server;
use crate::serve::http::auth::access::RootRights;
use crate::serve::http::auth::gate::HostGate;
use crate::serve::http::embedder_config::EmbedderConfig;
use crate::serve::http::limits::{BODY_BYTES, KEEP_ALIVE, POOL_TIME, POOLS};
use crate::serve::http::reply::Reply;
use crate::serve::instructions::roots;
use crate::serve::recorder::Recorder;
use crate::serve::tool_service::{Answers, Observer, ToolService, ToolSet};
use crate::terminal::trace::Trace;

/// A function that loads a component: [`Pool::load`] for docent's own.
pub type Load = fn(Grants, Settings, Limits) -> Result<Pool, LoadError>;

/// The configuration of the services.
pub struct ServiceConfig {
    /// Function that loads the component.
    pub load: Load,
    /// All grants.
    pub grants: Grants,
    /// Settings of the component.
    pub settings: Settings,
    /// Limits of calls.
    pub limits: Limits,
    /// Selected tools of this component; those that write are offered if a root may be written.
    pub tools: Vec<&'static Tool>,
    /// Form of answers.
    pub answers: Answers,
    /// Trace of calls.
    pub trace: Trace,
    /// Recorder of calls, if they are recorded.
    pub recorder: Option<Arc<Recorder>>,
    /// Embedder; none for lexical ranking alone.
    pub meaning: Option<EmbedderConfig>,
}

/// A service, and its MCP endpoint.
pub struct TenantService {
    /// Service.
    pub tools: Arc<ToolService>,
    mcp: StreamableHttpService<Server, NeverSessionManager>,
}

impl TenantService {
    /// Answers an MCP message. Dropping the returned future cancels its call.
    pub async fn mcp(&self, request: http::Request<Full<bytes::Bytes>>) -> Reply {
        self.mcp.handle(request).await
    }
}

/// The services of a server.
pub struct TenantServices {
    plan: ServiceConfig,
    config: StreamableHttpServerConfig,
    observer: Observer,
    over: CancellationToken,
    /// Cancelled to stop background embedding.
    learning: CancellationToken,
    open: Mutex<Vec<TenantEntry>>,
}

struct TenantEntry {
    rights: RootRights,
    service: Arc<TenantService>,
    used: Instant,
}

impl TenantEntry {
    /// Returns true if nobody uses it.
    fn is_idle(&self) -> bool {
        // A request holds a reference to its service until its reply is sent, also while its
        // answer is streamed. A service is only closed if nothing but this list refers to it.
        Arc::strong_count(&self.service) == 1
    }
}

impl TenantServices {
    /// Creates an empty set of services. Calls stop when `over` is cancelled, and are reported to
    /// `observer`.
    pub fn new(
        plan: ServiceConfig,
        gate: &HostGate,
        observer: Observer,
        over: CancellationToken,
    ) -> Self {
        let config = StreamableHttpServerConfig::default()
            // There are no sessions: any replica can answer any request, and clients that
            // disappear leave no state behind.
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_sse_keep_alive(Some(KEEP_ALIVE))
            // The gate has already checked both for every path. rmcp checks them again, so that
            // a mistake in the order of checks does not open the endpoint.
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

    /// Returns the recorder of calls, if they are recorded.
    pub fn recorder(&self) -> Option<&Arc<Recorder>> {
        self.plan.recorder.as_ref()
    }

    /// Returns true if calls can be recorded, or need not be.
    pub fn can_record(&self) -> bool {
        self.recorder().is_none_or(|it| it.can_record())
    }

    /// Returns all grants.
    pub fn grants(&self) -> &Grants {
        &self.plan.grants
    }

    /// Returns the service for these rights; none if there are too many others.
    pub fn service(&self, rights: &RootRights) -> Option<Arc<TenantService>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = open.iter_mut().find(|entry| entry.rights == *rights) {
            entry.used = Instant::now();
            return Some(Arc::clone(&entry.service));
        }
        if open.len() >= POOLS {
            let idle = open.iter().enumerate().filter(|(_, entry)| entry.is_idle());
            let (oldest, _) = idle.min_by_key(|(_, entry)| entry.used)?;
            open.swap_remove(oldest);
        }
        let service = Arc::new(self.make(rights));
        open.push(TenantEntry {
            rights: rights.clone(),
            service: Arc::clone(&service),
            used: Instant::now(),
        });
        Some(service)
    }

    /// Returns the number of open services.
    pub fn count(&self) -> usize {
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    /// Closes the services that have been idle for long.
    pub fn tidy(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|entry| !entry.is_idle() || entry.used.elapsed() < POOL_TIME);
    }

    /// Stops background embedding.
    pub fn end_learning(&self) {
        self.learning.cancel();
    }

    /// Deletes the vectors for rights that are not among these, and closes their unused services,
    /// which may still be embedding.
    pub fn forget_all_but_ambient(&self, rights: &[RootRights]) {
        let given: Vec<RootRights> = rights.iter().flat_map(RootRights::ways).collect();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|entry| !entry.is_idle() || given.contains(&entry.rights));
        drop(open);
        if let Some(meaning) = &self.plan.meaning {
            meaning.forget_all_but_ambient(given.iter().map(|rights| self.grants_for(rights)));
        }
    }

    /// Returns the grants of these rights.
    fn grants_for(&self, rights: &RootRights) -> Grants {
        self.plan.grants.narrow(|root| rights.right(root))
    }

    fn make(&self, rights: &RootRights) -> TenantService {
        let plan = &self.plan;
        let grants = self.grants_for(rights);
        let mut granted = grants.all().iter();
        let may_write = granted.any(|grant| grant.right() == Right::ReadWrite);
        let mut tools = plan.tools.clone();
        tools.retain(|tool| tool.read_only || may_write);
        let offer = ToolSet {
            roots: roots(&grants),
            tools,
            answers: plan.answers,
            trace: plan.trace,
        };
        let (settings, limits) = (plan.settings.clone(), plan.limits.clone());
        let (load, trace) = (plan.load, plan.trace);
        let learning = self.learning.clone();
        let meaning = plan
            .meaning
            .as_ref()
            .map(|meaning| meaning.for_grants(&grants));
        let pool = BackgroundPool::start(move || {
            // The compiled code of the component is shared by all pools of the process and
            // loaded once.
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
        let tools = Arc::new(ToolService::new(
            offer,
            pool,
            Some(Arc::clone(&self.observer)),
            plan.recorder.clone(),
        ));
        let server = Server::new(Arc::clone(&tools), Caller::local(), self.over.clone());
        let mcp = StreamableHttpService::new(
            move || Ok(server.clone()),
            Arc::new(NeverSessionManager::default()),
            self.config.clone(),
        );
        TenantService { tools, mcp }
    }
}
