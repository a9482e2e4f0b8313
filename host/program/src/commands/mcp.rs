//! `docent mcp`: offers the tools over MCP on stdin and stdout.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;
use docent_host::{Limits, Pool};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::args::{Logging, Offered, Roots, may_write};
use crate::config::Flags;
use crate::serve;
use crate::serve::background_pool::BackgroundPool;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;

/// The arguments of `docent mcp`.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Directories to grant, as with --root
    // Claude Desktop passes several directories in the place of one argument, without options
    // between them.
    #[arg(value_name = "[NAME=]PATH[:rw]")]
    directories: Vec<OsString>,
    #[command(flatten)]
    roots: Roots,
    #[command(flatten)]
    offered: Offered,
    #[command(flatten)]
    logging: Logging,
}

/// Serves MCP until the input ends.
///
/// # Errors
/// Returns an error if no directory can be granted, if there is no tool to offer, if the log cannot
/// be written, or if the session fails.
pub fn run(app: &App, args: McpArgs) -> Result<ExitCode, CommandError> {
    let mut flags = Flags::from(args.roots);
    flags.roots.extend(args.directories);
    let (setup, grants) = app.grant(&flags)?;
    let mut tools = args.offered.tools(&grants)?;
    // Tools that write are left out if no root may be written. They could only refuse, and
    // their descriptions would take tokens of every session.
    tools.retain(|tool| tool.read_only || may_write(&grants));
    // Without this note, a person who types `docent mcp` would see nothing at all.
    if app.stdin_is_terminal() {
        note("waiting for MCP messages; this command is meant to be started by a client");
    }
    app.say_where_texts_go(&setup);
    let roots = serve::roots(&grants);
    if args.logging.log.is_none() && (args.logging.log_exact || !args.logging.anchor.is_empty()) {
        let problem = "there is no log; name one with `--log DIR`";
        return Err(CommandError::Usage(problem.to_owned()));
    }
    let one_call = args.logging.log_exact;
    let recorder = args.logging.recorder_ambient(None, &grants)?;
    let embedder = app.embedder(&setup)?;
    let learns = app.learns(&setup);
    let app = *app;
    // The component is loaded in the background. Clients wait for the answer to `initialize`,
    // which does not need it.
    let pool = BackgroundPool::start(move || {
        let limits = Limits {
            one_call,
            ..app.limits(&setup)
        };
        let load = || Pool::load(grants, app.settings(&setup), limits);
        let pool = app.trace().time("component loaded", load)?;
        if let Some((embedder, vectors)) = embedder {
            embedder.begin();
            pool.embed_with(embedder.embedder());
            if let Some(directory) = vectors {
                pool.keep_vectors_ambient(&directory);
            }
            if learns {
                pool.learn_between_calls(CancellationToken::new());
            }
        }
        if let Some(sink) = app.trace().sink() {
            pool.trace(sink);
        }
        Ok(pool)
    });
    serve::serve(
        serve::ToolSet {
            roots,
            tools,
            answers: args.offered.answers(),
            trace: app.trace(),
        },
        pool,
        recorder,
    )
    .map_err(CommandError::Session)?;
    Ok(ExitCode::SUCCESS)
}
