//! `docent serve`: offers the tools over HTTP.

use std::net::IpAddr;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use docent_host::Pool;
use docent_host::grant::Grants;

use crate::app::App;
use crate::args::{Logging, Offered, Roots, TokensFile};
use crate::config::ListenerConfig;
use crate::serve::http::{self, AllowedHost, Listen};
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::tokens::TokenFile;

/// The arguments of `docent serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
MCP is at /mcp, for one root alone at /mcp/ROOT. ADDR is IP:PORT, unix:PATH (a socket that only \
you can reach), or systemd (the socket that it has opened). A request has to name the address that \
it is sent to, which browsers and clients do by themselves; other names, such as that of a proxy, \
are allowed with --allow-host.")]
pub struct ServeArgs {
    #[command(flatten)]
    roots: Roots,
    #[command(flatten)]
    offered: Offered,
    /// Address to listen on [default: 127.0.0.1:7780]
    #[arg(long, value_name = "ADDR")]
    listen: Option<Listen>,
    /// Accept requests for this host, NAME or NAME:PORT; repeatable
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<AllowedHost>,
    /// Treat this IP address as a proxy, which may use all connections; repeatable
    #[arg(long, value_name = "IP")]
    proxy: Vec<IpAddr>,
    /// On TERM, keep serving for SECONDS while /readyz reports the shutdown, so that load balancers
    /// stop sending requests
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=300))]
    drain_delay: u16,
    #[command(flatten)]
    tokens: TokensFile,
    #[command(flatten)]
    logging: Logging,
    /// Record nothing; otherwise the log is `log` in the state directory
    #[arg(long, conflicts_with_all = ["log", "log_exact", "anchor"])]
    no_log: bool,
}

/// Serves HTTP until a termination signal arrives.
///
/// # Errors
/// Returns an error if no directory can be granted, if there is no tool to offer, if the address
/// cannot be listened at or others could reach it without a token, or if the log cannot be written.
pub fn run(app: &App, args: ServeArgs) -> Result<ExitCode, CommandError> {
    let (mut setup, grants) = app.grant(&args.roots.into())?;
    let tools = args.offered.tools(&grants)?;
    let ListenerConfig {
        listen,
        allow_hosts,
        proxies,
        tokens,
    } = std::mem::take(&mut setup.listener);
    let named = args.tokens.tokens.or(tokens);
    let access = access(app, named, &grants)?;
    let listen = args.listen.or(listen).unwrap_or_default();
    let endpoint =
        http::Endpoint::open_ambient(&listen).map_err(|source| CommandError::Listen {
            listen: listen.to_string(),
            source,
        })?;
    if endpoint.reach == http::EndpointReach::Others && access.is_open() {
        let problem = format!(
            "others can reach {}, and there are no tokens; create one: `docent token new NAME \
             --root ROOT`",
            endpoint.address
        );
        return Err(CommandError::Usage(problem));
    }
    app.say_where_texts_go(&setup);
    let mut limits = app.limits(&setup);
    limits.one_call = args.logging.log_exact;
    let recorder = if args.no_log {
        None
    } else {
        let recorder = args.logging.recorder_ambient(Some(&setup.state), &grants)?;
        if recorder.is_none() {
            note("calls are not recorded: there is no place for a log; name one: `--log DIR`");
        }
        recorder
    };
    if setup.limits.threads.is_none() {
        // Several agents call concurrently, and no call should wait while a core is idle.
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        limits.threads = limits.threads.max(cores);
    }
    let embedder = app.embedder(&setup)?;
    if let Some((embedder, _)) = &embedder {
        embedder.begin();
    }
    let meaning = embedder.map(|(embedder, vectors)| http::EmbedderConfig {
        embedder: embedder.embedder(),
        // The vectors are kept outside all granted roots, not only those that a given caller
        // may read: docent writes nothing of its own into a root.
        vectors: vectors.and_then(|directory| grants.apart_ambient(&directory)),
        learns: app.learns(&setup),
    });
    http::serve(http::ServerConfig {
        endpoint,
        allowed_hosts: [args.allow_host, allow_hosts].concat(),
        proxies: [args.proxy, proxies].concat(),
        access,
        drain_delay: Duration::from_secs(args.drain_delay.into()),
        plan: http::ServiceConfig {
            load: Pool::load,
            grants,
            settings: app.settings(&setup),
            limits,
            tools,
            answers: args.offered.answers(),
            trace: app.trace(),
            recorder,
            meaning,
        },
    })
    .map_err(CommandError::Session)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the access of a server: by the tokens in the file that is named, or else in the standard
/// one.
fn access(
    app: &App,
    named: Option<PathBuf>,
    grants: &Grants,
) -> Result<http::Access, CommandError> {
    let standard = || app.surroundings().standard_tokens();
    let file = named.clone().or_else(standard).map(TokenFile::new);
    let access = http::Access::new(file, grants)?;
    match named {
        // A token file that is named explicitly must exist.
        Some(file) if access.is_open() => {
            let file = file.display();
            Err(CommandError::Usage(format!(
                "token file `{file}` does not exist; create a token: `docent token new NAME --root \
                 ROOT --tokens {file}`"
            )))
        }
        _ => Ok(access),
    }
}
