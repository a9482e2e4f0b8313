//! Entry points of the commands that serve the tools: the part of `lib.rs` that decides on the
//! tools, the clients and the address.

use std::io::{self, IsTerminal as _};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use docent_host::grant::{Grants, Right};
use docent_host::tools::Tool;
use docent_host::{Limits, Pool};
use tokio_util::sync::CancellationToken;

use crate::commands;
use crate::commands::token::KnownRoots;
use crate::config::{self, Flags, Setup};
use crate::output::print;
use crate::recording::{recorder, running_roots};
use crate::serve::http;
use crate::serve::late::LatePool;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::tools::chosen;
use crate::tokens::TokenFile;
use crate::{Program, args, embedder, granted, learns, limits, serve, settings, surroundings};

impl Program {
    pub fn mcp(self, args: args::Mcp) -> Result<ExitCode, CommandError> {
        let mut flags = Flags::from(args.roots);
        flags.roots.extend(args.directories);
        let (setup, grants) = granted(&flags)?;
        let mut tools = offered(&args.offered, &grants)?;
        // A tool that could only refuse would cost every session its description.
        tools.retain(|tool| tool.read_only || may_write(&grants));
        // Without this note, a person who types `docent mcp` would see nothing at all.
        if io::stdin().is_terminal() {
            note("waiting for MCP messages; this command is meant to be started by a client");
        }
        say_where_texts_go(&setup);
        let roots = serve::roots(&grants);
        if args.logging.log.is_none() && (args.logging.log_exact || !args.logging.anchor.is_empty())
        {
            let problem = "there is no log; name one with `--log DIR`";
            return Err(CommandError::Usage(problem.to_owned()));
        }
        let one_call = args.logging.log_exact;
        let recorder = recorder(args.logging, None, &grants)?;
        let embedder = embedder(&setup)?;
        let learns = learns(&setup);
        // In the background: clients wait for the answer to `initialize`, which needs no component.
        let pool = LatePool::start(move || {
            let limits = Limits {
                one_call,
                ..limits(&setup)
            };
            let load = || Pool::load(grants, settings(&setup), limits);
            let pool = self.trace.timed("component loaded", load)?;
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
            if let Some(sink) = self.trace.sink() {
                pool.trace(sink);
            }
            Ok(pool)
        });
        serve::serve(
            serve::ToolSet {
                roots,
                tools,
                answers: answers(&args.offered),
                trace: self.trace,
            },
            pool,
            recorder,
        )
        .map_err(CommandError::Session)?;
        Ok(ExitCode::SUCCESS)
    }

    pub fn serve(self, args: args::Serve) -> Result<ExitCode, CommandError> {
        let (mut setup, grants) = granted(&args.roots.into())?;
        let tools = offered(&args.offered, &grants)?;
        let config::Listener {
            listen,
            allow_hosts,
            proxies,
            tokens,
        } = std::mem::take(&mut setup.listener);
        let named = args.tokens.tokens.or(tokens);
        let access = access(named, &grants)?;
        let listen = args.listen.or(listen).unwrap_or_default();
        let endpoint =
            http::Endpoint::open_ambient(&listen).map_err(|source| CommandError::Listen {
                listen: listen.to_string(),
                source,
            })?;
        if endpoint.reach == http::Reach::Others && access.is_open() {
            let problem = format!(
                "others can reach {}, and there are no tokens; make one: `docent token new NAME \
                 --root ROOT`",
                endpoint.address
            );
            return Err(CommandError::Usage(problem));
        }
        say_where_texts_go(&setup);
        let mut limits = limits(&setup);
        limits.one_call = args.logging.log_exact;
        let recorder = if args.no_log {
            None
        } else {
            let recorder = recorder(args.logging, Some(&setup.state), &grants)?;
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
        let embedder = embedder(&setup)?;
        if let Some((embedder, _)) = &embedder {
            embedder.begin();
        }
        let meaning = embedder.map(|(embedder, vectors)| http::EmbedderConfig {
            embedder: embedder.embedder(),
            // Outside all roots, not only those that a caller may read.
            vectors: vectors.and_then(|directory| grants.apart_ambient(&directory)),
            learns: learns(&setup),
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
                settings: settings(&setup),
                limits,
                tools,
                answers: answers(&args.offered),
                trace: self.trace,
                recorder,
                meaning,
            },
        })
        .map_err(CommandError::Session)?;
        Ok(ExitCode::SUCCESS)
    }
}

pub fn token(command: args::TokenCommand) -> Result<ExitCode, CommandError> {
    let now = chrono::Utc::now();
    match command {
        args::TokenCommand::New(args) => {
            let file = token_file(&args.tokens)?;
            let known = known_roots();
            let is_looked_for = args.unchecked || args.root.is_empty() || !known.is_empty();
            let secret = commands::token::new(args, &known, &file, now)?;
            if !is_looked_for {
                note(
                    "the roots could not be looked for: no server of yours runs that keeps a log, and \
                     the configuration file names none",
                );
            }
            note("keep it; it is shown this once");
            print(secret.text())
        }
        args::TokenCommand::List(args) => {
            let lines = commands::token::list(&token_file(&args.tokens)?, now)?;
            if lines.is_empty() {
                note("there are no tokens");
                return Ok(ExitCode::SUCCESS);
            }
            print(&lines)
        }
        args::TokenCommand::Revoke(args) => {
            commands::token::revoke(&args.name, &token_file(&args.tokens)?)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Returns the roots that a server of this person is known to have.
fn known_roots() -> KnownRoots {
    let surroundings = surroundings();
    // An invalid file names none; the server itself reports the error.
    let setup = config::setup(&config::Flags::default(), &surroundings).ok();
    let state = setup.as_ref().map(|it| &it.state);
    let standard = surroundings.standard_state();
    KnownRoots {
        running: running_roots(state.unwrap_or(&standard)),
        configured: setup.map_or_else(Vec::new, |setup| {
            let granted = Grants::resolve_ambient(&setup.roots, None);
            let names =
                |grants: Grants| grants.all().iter().map(|it| it.name().to_owned()).collect();
            granted.map_or_else(|_| Vec::new(), names)
        }),
    }
}

/// Returns the token file, which may not exist.
fn token_file(args: &args::TokensFile) -> Result<TokenFile, CommandError> {
    let path = args
        .tokens
        .clone()
        .or_else(|| surroundings().standard_tokens());
    path.map(TokenFile::new).ok_or_else(|| {
        let problem = "no endpoint for tokens; name one with `--tokens FILE`";
        CommandError::Usage(problem.to_owned())
    })
}

/// Returns the access of a server: by the tokens in the file that is named, or else in the standard
/// one.
fn access(named: Option<PathBuf>, grants: &Grants) -> Result<http::Access, CommandError> {
    let standard = || surroundings().standard_tokens();
    let file = named.clone().or_else(standard).map(TokenFile::new);
    let access = http::Access::new(file, grants)?;
    match named {
        // A token file that is named explicitly must exist.
        Some(file) if access.is_open() => {
            let file = file.display();
            Err(CommandError::Usage(format!(
                "token file `{file}` is not there; make a token: `docent token new NAME --root \
                 ROOT --tokens {file}`"
            )))
        }
        _ => Ok(access),
    }
}

/// Prints the embedder and the address to which texts are sent, if one is configured.
fn say_where_texts_go(setup: &Setup) {
    if let Some(spec) = &setup.embedder {
        let spec = spec.description();
        note(format_args!("what texts mean is told by {spec}"));
    }
}

fn may_write(grants: &Grants) -> bool {
    let mut all = grants.all().iter();
    all.any(|grant| grant.right() == Right::ReadWrite)
}

/// Returns the tools to offer.
fn offered(args: &args::Offered, grants: &Grants) -> Result<Vec<&'static Tool>, CommandError> {
    let tools = chosen(&args.tools)?;
    if !may_write(grants) && tools.iter().all(|tool| !tool.read_only) {
        let problem = "`--tools` names tools that write, and no root is granted for that; \
                       grant one with `--root PATH:rw`";
        return Err(CommandError::Usage(problem.to_owned()));
    }
    Ok(tools)
}

fn answers(args: &args::Offered) -> serve::Answers {
    if args.structured {
        serve::Answers::Structured
    } else {
        serve::Answers::Markdown
    }
}
