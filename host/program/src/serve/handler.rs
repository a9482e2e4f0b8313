//! The answers to what a client asks over MCP, whatever it comes by.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use docent_host::tools::{self, Tool};
use docent_host::{CallControl, CallError, Fault, Progress};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{Peer, ServerHandler};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::descriptions::descriptions;
use super::desk::{Answers, Called, Caller, Desk};
use crate::explain;

/// Calls shorter than this report no progress.
const QUIET: Duration = Duration::from_secs(1);

/// The methods whose malformed parameters are an error of parameters, not an unknown method.
const METHODS: [&str; 21] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "completion/complete",
    "logging/setLevel",
    "prompts/get",
    "prompts/list",
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

    async fn call(
        &self,
        tool: &'static Tool,
        request: Map<String, Value>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, CallError> {
        let caller = self.caller(&context);
        // Ends with the input as well as with the client's own cancellation.
        let cancel = self.over.child_token();
        // Unbounded, for the pool must not wait; it reports about twice a second.
        let (report, reports) = mpsc::unbounded_channel();
        let token = context.meta.get_progress_token();
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
        let form = move |desk: &Desk, request: &Map<String, Value>, called: Called<'_>| {
            formed(desk, tool, request, called.answer)
        };
        let call = self.desk.call(&caller, tool, &request, control, form);
        let attend = async {
            tokio::join!(
                async {
                    context.ct.cancelled().await;
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
        tokio::select! {
            result = &mut call => result,
            // Cancelled: the call ends by itself, and says so.
            _ = attend => call.await,
        }
    }
}

/// Returns an answer as it is sent.
fn formed(desk: &Desk, tool: &Tool, request: &Map<String, Value>, answer: Value) -> CallToolResult {
    match desk.offer.answers {
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
    }
}

/// Sends reports on, from [`QUIET`] after now.
async fn forward(
    peer: &Peer<RoleServer>,
    token: rmcp::model::ProgressToken,
    mut reports: mpsc::UnboundedReceiver<Progress>,
) {
    let start = Instant::now();
    let mut last = 0;
    while let Some(progress) = reports.recv().await {
        // The number must grow from report to report.
        if start.elapsed() < QUIET || progress.files <= last {
            continue;
        }
        last = progress.files;
        let message = format!(
            "{} files, {} MB read",
            progress.files,
            progress.bytes / 1_000_000
        );
        #[expect(
            clippy::cast_precision_loss,
            reason = "a count of files is far below 2^53"
        )]
        let number = progress.files as f64;
        let report = ProgressNotificationParam::new(token.clone(), number).with_message(message);
        // The session is over, which the call is told by other means.
        if peer.notify_progress(report).await.is_err() {
            return;
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut implementation = Implementation::new("docent", env!("CARGO_PKG_VERSION"));
        implementation.title = Some("docent".to_owned());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
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
            Err(error) => refused(explain::argument(tool, &error)),
            Ok(arguments) => self
                .call(tool, arguments, context)
                .await
                .unwrap_or_else(|error| {
                    // A call that was cancelled is what its caller wanted.
                    if let CallError::Fault(fault) = &error
                        && *fault != Fault::Cancelled
                    {
                        // A client may have closed stderr, which ends nothing.
                        let _ = writeln!(io::stderr(), "docent: {}: {fault}", tool.name);
                    }
                    refused(explain::call(&error))
                }),
        };
        Ok(result.into())
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
        Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            format!("unknown method `{}`", tools::quoted(&method)),
            None,
        ))
    }
}

fn refused(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}
