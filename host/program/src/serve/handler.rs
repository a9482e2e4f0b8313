//! The answers to what a client asks over MCP, whatever it comes by.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use docent_host::tools::{self, Tool};
use docent_host::{CallControl, CallError, Fault, Progress, Refusal};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, ErrorData, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{Peer, ServerHandler};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::descriptions::descriptions;
use super::desk::{Answers, Called, Caller, Desk};
use super::recorder::Sent;
use super::resources::{self, Calls};
use crate::explain;

/// Calls shorter than this report no progress.
const QUIET: Duration = Duration::from_secs(1);

/// The methods whose malformed parameters are an error of parameters, not an unknown method.
const METHODS: [&str; 19] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "completion/complete",
    "logging/setLevel",
    "resources/directory/read",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "subscriptions/listen",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
    "skills/list",
    "skills/get",
];

/// The first revision without a handshake, and the methods of older ones that it has no more.
const MODERN: &str = "2026-07-28";
const REMOVED: [&str; 4] = [
    "initialize",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
];

/// The first revision in which resources say when they last changed.
const DETAILED: &str = "2025-06-18";

/// A desk as rmcp asks it.
#[derive(Clone)]
pub struct Server {
    desk: Arc<Desk>,
    /// Who calls, where the request does not say.
    caller: Caller,
    /// Cancelled when calls that still run are to end.
    over: CancellationToken,
}

impl Server {
    /// Returns what answers at `desk`, to `caller` unless a request brings a [`Caller`] along,
    /// until `over` is cancelled.
    pub fn new(desk: Arc<Desk>, caller: Caller, over: CancellationToken) -> Self {
        Self { desk, caller, over }
    }

    /// Returns who makes a request.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let parts = context.extensions.get::<::http::request::Parts>();
        let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
        let mut caller = caller.unwrap_or(&self.caller).clone();
        // Over HTTP it is asked anew with each request, and that tells nothing of the client.
        if parts.is_none() && caller.client.is_none() {
            let info = context.peer.peer_info();
            let name = info.map(|info| info.client_info.name.clone());
            caller.client = name.filter(|name| !name.is_empty()).map(Into::into);
        }
        // Said with the request it is newer than what its transport says.
        if let Some(client) = context.meta.client_info() {
            caller.client = Some(client.name.into());
        }
        caller
    }

    /// Calls a tool for a request of the client, which is told how far the call is where it gave a
    /// token for that.
    async fn call<T: Sent>(
        &self,
        tool: &'static Tool,
        request: &Map<String, Value>,
        context: &RequestContext<RoleServer>,
        token: Option<ProgressToken>,
        form: impl FnOnce(&Desk, &Map<String, Value>, Called<'_>) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        let caller = self.caller(context);
        let revoked = revoked(context);
        // Ends with the input as well as with the client's own cancellation.
        let cancel = self.over.child_token();
        // Unbounded, for the pool must not wait; it reports about twice a second.
        let (report, reports) = mpsc::unbounded_channel();
        let progress = token
            .is_some()
            .then(|| -> Arc<dyn Fn(Progress) + Send + Sync> {
                Arc::new(move |progress| {
                    // Reports are forwarded while the session lasts, which a call may outlive.
                    let _ = report.send(progress);
                })
            });
        let control = CallControl {
            cancel: cancel.clone(),
            progress,
            openings: None,
        };
        let call = self.desk.call(&caller, tool, request, control, form);
        let attend = async {
            tokio::join!(
                async {
                    tokio::select! {
                        () = context.ct.cancelled() => {}
                        () = revoked.cancelled() => {}
                    }
                    cancel.cancel();
                },
                async {
                    if let Some(token) = token {
                        forward(&context.peer, token, reports).await;
                    }
                },
            )
        };
        tokio::pin!(call);
        let outcome = tokio::select! {
            outcome = &mut call => outcome,
            // Cancelled: the call ends by itself, and says so.
            _ = attend => call.await,
        };
        // A call that was cancelled is what its caller wanted.
        if let Err(CallError::Fault(fault)) = &outcome
            && *fault != Fault::Cancelled
        {
            // A client may have closed stderr, which ends nothing.
            let _ = writeln!(io::stderr(), "docent: {}: {fault}", tool.name);
        }
        outcome
    }

    /// Returns what calls tools for a request about resources.
    fn calls<'a>(&'a self, context: &'a RequestContext<RoleServer>) -> RequestCalls<'a> {
        RequestCalls {
            server: self,
            context,
        }
    }
}

/// Cancelled when whoever makes a request may no longer ask.
#[derive(Clone)]
pub struct Revocation(pub CancellationToken);

/// Returns what tells that a request is nobody's any more; what is never told, where it came from
/// whoever started docent.
fn revoked(context: &RequestContext<RoleServer>) -> CancellationToken {
    let parts = context.extensions.get::<::http::request::Parts>();
    let revocation = parts.and_then(|parts| parts.extensions.get::<Revocation>());
    revocation.map_or_else(CancellationToken::new, |it| it.0.clone())
}

/// Returns an answer as it is sent.
fn formed(desk: &Desk, tool: &Tool, request: &Map<String, Value>, answer: Value) -> CallToolResult {
    let is_withheld = tools::refusal::is_withheld(&answer);
    let mut result = match desk.offer.answers {
        Answers::Markdown => {
            // With the request: the answer's last line names the next call.
            let render = || desk.renderer.answer(tool.names(), request, &answer);
            let text = desk.offer.trace.timed("answer rendered", render);
            CallToolResult::success(vec![ContentBlock::text(text)])
        }
        Answers::Structured => {
            // No text beside it: some clients would hide that from the model, others show both.
            let mut result = CallToolResult::success(Vec::new());
            result.structured_content = Some(answer);
            result
        }
    };
    if is_withheld {
        result.is_error = Some(true);
    }
    result
}

/// The calls that one request about resources makes.
struct RequestCalls<'a> {
    server: &'a Server,
    context: &'a RequestContext<RoleServer>,
}

impl Calls for RequestCalls<'_> {
    async fn call(&self, name: &'static str, arguments: Value) -> Result<Value, CallError> {
        let tool = tools::table()
            .find(name)
            .ok_or_else(|| Fault::NoFunction(name.to_owned()))?;
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        let request = tool.arguments(arguments).map_err(|error| {
            // What it is made of came with the request: a cursor that is too long, for example.
            CallError::Refused(Refusal {
                code: "invalid-request".to_owned(),
                message: error.to_string(),
                hint: String::new(),
            })
        })?;
        // Several calls make one answer, and what is reported has to grow.
        let form = |_: &Desk, _: &Map<String, Value>, called: Called<'_>| called.answer;
        self.server
            .call(tool, &request, self.context, None, form)
            .await
    }

    fn is_on_offer(&self, tool: &str) -> bool {
        self.server.desk.find(tool).is_ok()
    }

    fn roots(&self) -> Vec<&str> {
        let roots = self.server.desk.offer.roots.iter();
        roots.filter_map(|root| root["name"].as_str()).collect()
    }
}

/// Sends reports on, from [`QUIET`] after now.
async fn forward(
    peer: &Peer<RoleServer>,
    token: ProgressToken,
    mut reports: mpsc::UnboundedReceiver<Progress>,
) {
    let start = Instant::now();
    let mut last = 0;
    while let Some(progress) = reports.recv().await {
        // A file may have so many passages that their vectors take longer than to read it.
        let done = progress.files + progress.passages;
        // The number must grow from report to report.
        if start.elapsed() < QUIET || done <= last {
            continue;
        }
        last = done;
        #[expect(
            clippy::cast_precision_loss,
            reason = "a count of files and passages is far below 2^53"
        )]
        let number = done as f64;
        let report =
            ProgressNotificationParam::new(token.clone(), number).with_message(said(progress));
        // The session is over, which the call is told by other means.
        if peer.notify_progress(report).await.is_err() {
            return;
        }
    }
}

/// Returns how far a call is in words. Nobody knows how much is left before all was looked at.
fn said(progress: Progress) -> String {
    let Progress {
        files,
        bytes,
        passages,
    } = progress;
    let mut said = format!("{files} files, {} MB read", bytes / 1_000_000);
    if passages > 0 {
        // A string takes everything.
        let _ = write!(said, ", {passages} passages known by meaning");
    }
    said
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut implementation = Implementation::new("docent", env!("CARGO_PKG_VERSION"));
        implementation.title = Some("docent".to_owned());
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(implementation)
            .with_instructions(&self.desk.instructions)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            let message = "unknown `cursor`; expected none, for all tools are on the first page";
            return Err(ErrorData::invalid_params(message, None));
        }
        Ok(ListToolsResult::with_all_items(descriptions(
            &self.desk.offer,
        )))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // The protocol has an unknown tool as an error of its own, not as a tool's answer.
        let found = self.desk.find(&request.name);
        let tool = found.map_err(|problem| ErrorData::invalid_params(problem, None))?;
        // Wrong arguments are an answer of the tool, which the model reads and can mend; errors of
        // the protocol are for its client.
        let result = match tool.arguments(request.arguments.unwrap_or_default()) {
            Err(error) => refused(explain::argument(&error)),
            Ok(mut request) => {
                if self.desk.offer.answers == Answers::Structured {
                    tool.lift_budget(&mut request);
                }
                let token = context.meta.get_progress_token();
                let form = move |desk: &Desk, request: &Map<String, Value>, called: Called<'_>| {
                    formed(desk, tool, request, called.answer)
                };
                match self.call(tool, &request, &context, token, form).await {
                    Ok(result) => result,
                    Err(error) => refused(explain::call(&error)),
                }
            }
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let version = context.protocol_version();
        let is_detailed = version.is_some_and(|version| version.as_str() >= DETAILED);
        let cursor = request.and_then(|request| request.cursor);
        resources::list(&self.calls(&context), cursor.as_deref(), is_detailed).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            let message =
                "unknown `cursor`; expected none, for all templates are on the first page";
            return Err(ErrorData::invalid_params(message, None));
        }
        let templates = resources::templates();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = resources::read(&self.calls(&context), &request.uri).await?;
        Ok(read.into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        // None are offered; an empty list would say that they are.
        Err(unknown_method("prompts/list"))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        resources::complete(&self.calls(&context), &request).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, .. } = request;
        let version = context.meta.protocol_version();
        let is_modern = version.is_some_and(|version| version.as_str() >= MODERN);
        let is_removed = is_modern && REMOVED.contains(&method.as_str());
        // rmcp takes a request whose parameters it cannot read for one that it does not know.
        if METHODS.contains(&method.as_str()) && !is_removed {
            let message =
                format!("malformed parameters of `{method}`; expected those of the protocol");
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(unknown_method(&method))
    }
}

fn unknown_method(method: &str) -> ErrorData {
    let message = format!("unknown method `{}`", tools::quoted(method));
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

fn refused(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}
