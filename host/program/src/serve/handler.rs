//! The handler of MCP requests, for every transport.

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

use super::caller::Caller;
use super::descriptions::descriptions;
use super::pictures;
use super::recorder::RecordedBytes;
use super::resources::{self, Calls};
use super::tool_service::{Answer, Answers, ToolService};
use crate::explain;

/// Calls shorter than this report no progress.
const QUIET: Duration = Duration::from_secs(1);

/// Methods whose malformed parameters are an error of parameters, rather than an unknown method.
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

/// First revision without a handshake, and the older methods that it removed.
const MODERN: &str = "2026-07-28";
const REMOVED: [&str; 4] = [
    "initialize",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
];

/// First revision in which resources have a time of modification.
const DETAILED: &str = "2025-06-18";

/// The handler that rmcp calls.
#[derive(Clone)]
pub struct Server {
    service: Arc<ToolService>,
    /// Caller of requests that carry none.
    caller: Caller,
    /// Cancelled to stop calls that still run.
    over: CancellationToken,
}

impl Server {
    /// Creates a handler for `service`. Calls are attributed to `caller` unless a request carries a
    /// [`Caller`], and stop when `over` is cancelled.
    pub fn new(service: Arc<ToolService>, caller: Caller, over: CancellationToken) -> Self {
        Self {
            service,
            caller,
            over,
        }
    }

    /// Returns the caller of a request.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let parts = context.extensions.get::<::http::request::Parts>();
        let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
        let mut caller = caller.unwrap_or(&self.caller).clone();
        // The handshake names the client on stdio only. Over HTTP there is no session: each
        // request carries a handshake of its own, which does not identify the client.
        if parts.is_none() && caller.client.is_none() {
            let info = context.peer.peer_info();
            let name = info.map(|info| info.client_info.name.clone());
            caller.client = name.filter(|name| !name.is_empty()).map(Into::into);
        }
        // The client named in the request is newer than the one of its transport.
        if let Some(client) = context.meta.client_info() {
            caller.client = Some(client.name.into());
        }
        caller
    }

    /// Calls a tool for a request of the client, and reports progress if the request has a progress
    /// token.
    async fn call<T: RecordedBytes>(
        &self,
        tool: &'static Tool,
        request: &Map<String, Value>,
        context: &RequestContext<RoleServer>,
        token: Option<ProgressToken>,
        form: impl FnOnce(&ToolService, &Map<String, Value>, Answer<'_>) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        let caller = self.caller(context);
        let revoked = revocation_token(context);
        // A child of the session's token: the call ends when the client cancels it, and also
        // when the input ends or the server shuts down.
        let cancel = self.over.child_token();
        // The channel is unbounded, because the pool calls this from the future that watches
        // the call and must not wait for a client that does not read. It reports about twice a
        // second, so the channel cannot grow large within the time limit of a call.
        let (report, reports) = mpsc::unbounded_channel();
        let progress = token
            .is_some()
            .then(|| -> Arc<dyn Fn(Progress) + Send + Sync> {
                Arc::new(move |progress| {
                    // Reports are forwarded during the session, which a call may outlive.
                    let _ = report.send(progress);
                })
            });
        let control = CallControl {
            cancel: cancel.clone(),
            progress,
            openings: None,
        };
        let call = self.service.call(&caller, tool, request, control, form);
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
            // Cancelled. The call is awaited and not dropped: it stops by itself and returns
            // `Cancelled`, and its outcome is recorded.
            _ = attend => call.await,
        };
        // A cancelled call is not reported, because its caller intended it.
        if let Err(CallError::Fault(fault)) = &outcome
            && *fault != Fault::Cancelled
        {
            // A client may have closed stderr, which is harmless.
            let _ = writeln!(io::stderr(), "docent: {}: {fault}", tool.name);
        }
        outcome
    }

    /// Reads one picture, with a call that [`pictures::calls`] returned. There is no block for a
    /// picture that models do not accept, and one of text for a picture that is gone by now.
    async fn picture(
        &self,
        tool: &'static Tool,
        call: &Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Vec<ContentBlock> {
        let form = |_: &ToolService, _: &Map<String, Value>, mut called: Answer<'_>| {
            pictures::take(&mut called.answer)
        };
        match self.call(tool, call, context, None, form).await {
            Ok(blocks) => blocks,
            Err(error) => vec![ContentBlock::text(explain::call(&error))],
        }
    }

    /// Returns the calls of tools for a request about resources.
    fn calls<'a>(&'a self, context: &'a RequestContext<RoleServer>) -> RequestCalls<'a> {
        RequestCalls {
            server: self,
            context,
        }
    }
}

/// A token that is cancelled when the caller of a request loses access.
#[derive(Clone)]
pub struct Revocation(pub CancellationToken);

/// Returns the token that is cancelled when the caller of a request loses access; one that is never
/// cancelled for the person who started docent.
fn revocation_token(context: &RequestContext<RoleServer>) -> CancellationToken {
    let parts = context.extensions.get::<::http::request::Parts>();
    let revocation = parts.and_then(|parts| parts.extensions.get::<Revocation>());
    revocation.map_or_else(CancellationToken::new, |it| it.0.clone())
}

/// An answer in the form in which it is sent.
struct FormattedAnswer {
    result: CallToolResult,
    /// Calls that read the pictures of the answer.
    pictures: Vec<Map<String, Value>>,
}

impl RecordedBytes for FormattedAnswer {
    fn content(&self) -> Vec<u8> {
        self.result.content()
    }
}

/// Converts an answer to the form in which it is sent.
fn format_result(
    service: &ToolService,
    tool: &Tool,
    request: &Map<String, Value>,
    mut answer: Value,
) -> FormattedAnswer {
    let is_withheld = tools::refusal::is_withheld(&answer);
    let mut pictures = Vec::new();
    let mut result = match service.offer.answers {
        Answers::Markdown => {
            pictures = pictures::calls(request, &answer);
            let shown = pictures::take(&mut answer);
            // Rendered with the request, because the answer's last line names the next call.
            let render = || service.renderer.answer(tool.names(), request, &answer);
            let text = service.offer.trace.time("answer rendered", render);
            let mut content = vec![ContentBlock::text(text)];
            content.extend(shown);
            CallToolResult::success(content)
        }
        Answers::Structured => {
            // No text is added beside the structured content, although the protocol recommends
            // it. Some clients would show only one of the two to the model, others both, which
            // doubles the tokens of every answer.
            let mut result = CallToolResult::success(Vec::new());
            result.structured_content = Some(answer);
            result
        }
    };
    if is_withheld {
        result.is_error = Some(true);
    }
    FormattedAnswer { result, pictures }
}

/// The calls of tools for one request about resources.
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
            // Its arguments came with the request: a cursor that is too long, for example.
            CallError::Refused(Refusal {
                code: "invalid-request".to_owned(),
                message: error.to_string(),
                hint: String::new(),
            })
        })?;
        // No progress is reported. A request for resources makes several calls, each of which
        // counts from zero, and the protocol requires the progress of a request to increase.
        let form = |_: &ToolService, _: &Map<String, Value>, called: Answer<'_>| called.answer;
        self.server
            .call(tool, &request, self.context, None, form)
            .await
    }

    fn is_on_offer(&self, tool: &str) -> bool {
        self.server.service.find(tool).is_ok()
    }

    fn roots(&self) -> Vec<&str> {
        let roots = self.server.service.offer.roots.iter();
        roots.filter_map(|root| root["name"].as_str()).collect()
    }
}

/// Forwards progress reports, from [`QUIET`] after now.
async fn forward(
    peer: &Peer<RoleServer>,
    token: ProgressToken,
    mut reports: mpsc::UnboundedReceiver<Progress>,
) {
    let start = Instant::now();
    let mut last = 0;
    while let Some(progress) = reports.recv().await {
        // The vectors of a file's passages may take longer than reading it.
        let done = progress.files + progress.passages;
        // The protocol requires the number to increase from report to report.
        if start.elapsed() < QUIET || done <= last {
            continue;
        }
        last = done;
        #[expect(
            clippy::cast_precision_loss,
            reason = "a count of files and passages is far below 2^53"
        )]
        let number = done as f64;
        let report = ProgressNotificationParam::new(token.clone(), number)
            .with_message(progress_message(progress));
        // The session has ended, which stops the call by other means.
        if peer.notify_progress(report).await.is_err() {
            return;
        }
    }
}

/// Describes the progress of a call. The total is unknown until everything was examined.
fn progress_message(progress: Progress) -> String {
    let Progress {
        files,
        bytes,
        passages,
    } = progress;
    let mut said = format!("{files} files, {} MB read", bytes / 1_000_000);
    if passages > 0 {
        // Writing to a string cannot fail.
        let _ = write!(said, ", {passages} passages embedded");
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
            .with_instructions(&self.service.instructions)
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
            &self.service.offer,
        )))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // An unknown tool is an error of the protocol, which the client handles. It does not
        // reach the model as an answer.
        let found = self.service.find(&request.name);
        let tool = found.map_err(|problem| ErrorData::invalid_params(problem, None))?;
        // Invalid arguments are an answer of the tool, marked as an error: the model reads it
        // and can correct them. A protocol error would go to the client, and many clients show
        // it to nobody.
        let result = match tool.arguments(request.arguments.unwrap_or_default()) {
            Err(error) => error_result(explain::argument(&error)),
            Ok(mut request) => {
                if self.service.offer.answers == Answers::Structured {
                    tool.lift_budget(&mut request);
                }
                let token = context.meta.get_progress_token();
                let form = move |service: &ToolService,
                                 request: &Map<String, Value>,
                                 called: Answer<'_>| {
                    format_result(service, tool, request, called.answer)
                };
                match self.call(tool, &request, &context, token, form).await {
                    Ok(FormattedAnswer {
                        mut result,
                        pictures,
                    }) => {
                        for picture in pictures {
                            let blocks = self.picture(tool, &picture, &context).await;
                            result.content.extend(blocks);
                        }
                        result
                    }
                    Err(error) => error_result(explain::call(&error)),
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
        // No prompts exist; an empty list would advertise the capability.
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
        // rmcp parses a request into a type for each method. If the parameters do not fit, as
        // in a `tools/call` without `name`, it passes the request on as a custom one. Without
        // this check, the answer would be that `tools/call` is an unknown method.
        if METHODS.contains(&method.as_str()) && !is_removed {
            let message =
                format!("malformed parameters of `{method}`; expected those of the protocol");
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(unknown_method(&method))
    }
}

fn unknown_method(method: &str) -> ErrorData {
    let message = format!("unknown method `{}`", tools::quote(method));
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

fn error_result(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}
