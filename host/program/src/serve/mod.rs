//! The tools over MCP, on stdin and stdout.
//!
//! Everything that a client sees of a tool comes from the tool table; nothing here knows one.

use std::io::{self, BufReader, Write as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use docent_host::grant::{Grant, Grants, Right};
use docent_host::render::Renderer;
use docent_host::tools::{self, Tool, ToolSelection};
use docent_host::{CallControl, CallError, Progress};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError};
use rmcp::{Peer, ServerHandler};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::explain;
use crate::terminal::trace::Trace;

mod batch;
mod concise;
pub mod late;
mod stdio;

use late::LatePool;
use stdio::{Lines, Signals};

/// How long calls that run when the input ends may take to finish: enough for a script that writes
/// its requests and closes the pipe, little enough that no client waits.
const GRACE: Duration = Duration::from_secs(1);

/// Calls shorter than this report no progress.
const QUIET: Duration = Duration::from_secs(1);

/// The longest instructions, in bytes. Clients cut longer ones, and every session pays for them.
const INSTRUCTIONS_BYTES: usize = 2048;

/// What a root that may not be written to is called.
const READ_ONLY: &str = "read-only";

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

/// What the server offers, and how.
pub struct Offer {
    /// The roots, the default one first: `name` and `right` of each.
    pub roots: Vec<Value>,
    /// The tools on offer.
    pub tools: Vec<&'static Tool>,
    /// How answers are sent.
    pub answers: Answers,
    /// Whether it is said what is done.
    pub trace: Trace,
}

/// How answers are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// As Markdown text.
    Markdown,
    /// As structured content, and nothing else.
    Structured,
}

struct Server {
    offer: Offer,
    renderer: Renderer,
    instructions: String,
    pool: Arc<LatePool>,
    /// Cancelled some time after the input has ended.
    over: CancellationToken,
}

/// Serves MCP until the input ends.
///
/// # Errors
/// When the session breaks off for another reason.
pub fn serve(offer: Offer, pool: Arc<LatePool>) -> io::Result<()> {
    // One thread is enough, without a driver for input and output: what computes or blocks has
    // threads of its own, in the pool and in the transport.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let renderer = Renderer::new();
    let instructions = instructions(&renderer, &offer);
    let over = CancellationToken::new();
    let server = Server {
        offer,
        renderer,
        instructions,
        pool,
        over: over.clone(),
    };
    let ended = runtime.block_on(session(server, over));
    // Calls that ignored their cancellation are not waited for.
    runtime.shutdown_background();
    ended
}

async fn session(server: Server, over: CancellationToken) -> io::Result<()> {
    let signals = Signals::default();
    // Buffered once more: of stdin only the lock is `BufRead`, which cannot go to another thread.
    let lines = Lines::new(BufReader::new(io::stdin()), io::stdout(), signals.clone());
    tokio::spawn({
        let ended = signals.ended.clone();
        async move {
            ended.cancelled().await;
            // A script may close the pipe right behind its last request.
            tokio::time::sleep(GRACE).await;
            over.cancel();
        }
    });
    // When nobody reads the answers any more the session ends, whatever is still running.
    let started = rmcp::service::serve_server_with_ct(server, lines, signals.unread.clone()).await;
    // From here on rmcp understands what is no request.
    signals.begun.store(true, Ordering::Relaxed);
    match started {
        Ok(service) => service.waiting().await.map(drop).map_err(io::Error::other),
        // A client that goes away before it has begun is no error.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Returns the instructions, with as many roots as fit.
fn instructions(renderer: &Renderer, offer: &Offer) -> String {
    let tools: Vec<_> = offer.tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut roots = offer.roots.clone();
    let all = roots.len();
    loop {
        // Roots are dropped until it fits; what is said of tools matters more than a full list.
        let text = renderer.instructions(&tools, &roots, all - roots.len());
        // From the end, for the default root stands first.
        if text.len() < INSTRUCTIONS_BYTES || roots.pop().is_none() {
            return text;
        }
    }
}

/// Returns what a model is told of the roots, the default one first.
pub fn roots(grants: &Grants) -> Vec<Value> {
    let described = |grant: &Grant| {
        let right = match grant.right() {
            Right::ReadOnly => READ_ONLY,
            Right::ReadWrite => "read-write",
        };
        // Without its path: where a root lies on the machine is none of a client's business.
        json!({"name": grant.name(), "right": right})
    };
    let default = grants.default_grant().map(Grant::name);
    let (first, rest): (Vec<_>, Vec<_>) = grants
        .all()
        .iter()
        .partition(|grant| Some(grant.name()) == default);
    first.into_iter().chain(rest).map(described).collect()
}

impl Server {
    fn find(&self, name: &str) -> Result<&'static Tool, ErrorData> {
        let mut offered = self.offer.tools.iter();
        let found = offered.find(|tool| tool.name == name);
        // The protocol has an unknown tool as an error of its own, not as a tool's answer.
        found.copied().ok_or_else(|| {
            let unknown = format!(
                "unknown tool `{}`; {}",
                tools::quoted(name),
                self.expected(name)
            );
            ErrorData::invalid_params(unknown, None)
        })
    }

    /// Says what was expected in the place of a tool that is not on offer.
    fn expected(&self, name: &str) -> String {
        let may_only_read = self.offer.roots.iter().all(|it| it["right"] == READ_ONLY);
        if may_only_read
            && tools::table()
                .find(name)
                .is_some_and(|tool| !tool.read_only)
        {
            return "it writes, and every root was granted for reading only".to_owned();
        }
        let names = self.offer.tools.iter().map(|tool| tool.name.as_str());
        match tools::nearest(name, names.clone()) {
            Some(nearest) => format!("expected `{nearest}`, which is the nearest"),
            None => {
                let names: Vec<_> = names.collect();
                format!("expected one of `{}`", names.join("`, `"))
            }
        }
    }

    async fn call(
        &self,
        tool: &'static Tool,
        request: Map<String, Value>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, CallError> {
        let pool = self.pool.get().await?;
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
        };
        // The request is kept for the answer, whose last line names the next call.
        let call = pool.call(&tool.function, request.clone(), control);
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
        let answer = tokio::select! {
            answer = &mut call => answer?,
            // Cancelled: the call ends by itself, and says so.
            _ = attend => call.await?,
        };
        Ok(match self.offer.answers {
            Answers::Markdown => {
                let render = || self.renderer.answer(tool.names(), &request, &answer);
                let text = self.offer.trace.timed("answer rendered", render);
                CallToolResult::success(vec![ContentBlock::text(text)])
            }
            Answers::Structured => {
                // No text beside it: some clients would hide that from the model, others show both.
                let mut result = CallToolResult::success(Vec::new());
                result.structured_content = Some(answer);
                result
            }
        })
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
            .with_instructions(&self.instructions)
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
        Ok(ListToolsResult::with_all_items(descriptions(&self.offer)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.find(&request.name)?;
        // Wrong arguments are an answer of the tool, which the model reads and can mend; errors of
        // the protocol are for its client.
        let result = match tool.arguments(request.arguments.unwrap_or_default()) {
            Err(error) => refused(explain::argument(tool, &error)),
            Ok(arguments) => self
                .call(tool, arguments, context)
                .await
                .unwrap_or_else(|error| {
                    if let CallError::Fault(fault) = &error {
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
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, .. } = request;
        // rmcp takes a request whose parameters it cannot read for one that it does not know.
        if METHODS.contains(&method.as_str()) {
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

/// Returns what clients are told of the tools on offer.
fn descriptions(offer: &Offer) -> Vec<rmcp::model::Tool> {
    let selection = ToolSelection::new(tools::table(), &offer.tools);
    let described = |tool: &&'static Tool| {
        let annotations = ToolAnnotations::with_title(tool.title.as_str()).open_world(false);
        // What only reads cannot destroy: the protocol has the other hints mean nothing there, and
        // takes a tool for one that writes unless it says otherwise.
        let annotations = if tool.read_only {
            annotations.read_only(true)
        } else {
            annotations
                .destructive(tool.destructive)
                .idempotent(tool.idempotent)
        };
        let described = rmcp::model::Tool::new(
            tool.name.as_str(),
            selection.prose(&tool.description),
            concise::schema(&selection.schema(&tool.input_schema)),
        )
        // With the title among them, where clients of every revision look for one.
        .with_annotations(annotations);
        // A tool that is described with a schema of its answer has to answer by it.
        match offer.answers {
            Answers::Markdown => described,
            Answers::Structured => {
                let schema = selection.schema(&tool.output_schema);
                described.with_raw_output_schema(Arc::new(schema))
            }
        }
    };
    offer.tools.iter().map(described).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(roots: usize, name: &str) -> String {
        let roots = (0..roots)
            .map(|number| json!({"name": format!("{name}{number}"), "right": "read-only"}));
        let tools = tools::table().tools.iter().collect();
        let offer = Offer {
            roots: roots.collect(),
            tools,
            answers: Answers::Markdown,
            trace: Trace::Off,
        };
        instructions(&Renderer::new(), &offer)
    }

    #[test]
    fn instructions_stay_short_and_say_what_they_leave_out() {
        let few = told(2, "docs");
        assert!(
            few.contains("- docs0 (read-only, default)\n- docs1 (read-only)\n"),
            "{few}"
        );
        assert!(!few.contains(" more; "), "{few}");
        let many = told(300, &"n".repeat(100));
        assert!(many.len() < INSTRUCTIONS_BYTES, "{}", many.len());
        assert!(many.contains(" more; `get_config` lists them"), "{many}");
    }

    /// Returns the names of tools in `text` that are none of `offered`. A name of one word, such as
    /// `explore`, is a name in backticks only.
    fn missing<'a>(text: &str, offered: &[&'static Tool]) -> Vec<&'a str> {
        let all = tools::table().tools.iter().map(|tool| tool.name.as_str());
        let is_named = |name: &&str| {
            let kebab = name.replace('_', "-");
            text.contains(&format!("`{name}`"))
                || text.contains(&format!("`{kebab}`"))
                || name.contains('_') && text.contains(*name)
        };
        all.filter(is_named)
            .filter(|name| offered.iter().all(|tool| tool.name != **name))
            .collect()
    }

    #[test]
    fn nothing_that_is_told_at_the_start_names_a_tool_that_is_not_on_offer() {
        let table = tools::table();
        let mut sets: Vec<Vec<&'static Tool>> = ["pillars", "documents", "all"]
            .map(|set| crate::commands::call::chosen(&[set.to_owned()]).unwrap())
            .to_vec();
        // Each tool alone, and all without it.
        for tool in &table.tools {
            sets.push(vec![tool]);
            let others = table.tools.iter().filter(|other| other.name != tool.name);
            sets.push(others.collect());
        }
        for tools in sets {
            for answers in [Answers::Markdown, Answers::Structured] {
                let roots = (0..300).map(|n| json!({"name": n.to_string(), "right": "read-only"}));
                let offer = Offer {
                    roots: roots.collect(),
                    tools: tools.clone(),
                    answers,
                    trace: Trace::Off,
                };
                let instructions = instructions(&Renderer::new(), &offer);
                assert_eq!(missing(&instructions, &tools), [""; 0], "{instructions}");
                for tool in descriptions(&offer) {
                    let text = serde_json::to_string(&tool).unwrap();
                    assert_eq!(missing(&text, &tools), [""; 0], "{text}");
                    let description = tool.description.unwrap_or_default();
                    assert!(description.len() > 80, "{}: {description}", tool.name);
                }
            }
        }
    }

    #[test]
    fn with_all_tools_on_offer_they_are_described_as_the_contract_has_it() {
        let table = tools::table();
        let offer = Offer {
            roots: Vec::new(),
            tools: table.tools.iter().collect(),
            answers: Answers::Structured,
            trace: Trace::Off,
        };
        for (tool, described) in table.tools.iter().zip(descriptions(&offer)) {
            assert_eq!(described.description.as_deref(), Some(&*tool.description));
            let concise = concise::schema(&tool.input_schema);
            assert_eq!(*described.input_schema, concise);
            assert_eq!(
                described.output_schema.as_deref(),
                Some(&tool.output_schema)
            );
        }
    }
}
