//! The program `docent`: finds, reads and edits documents in the directories that it is given. It
//! is a library so that tests can serve other components through the same code.
//!
//! The environment, files that are not documents, and the terminal are accessed here and in the
//! modules that start a family of commands: `reading`, `editing`, `embedding`, `offering` (the
//! servers), `recording` (the log), `checking` (`doctor`), `generating` (for packages), with
//! `output` for stdout. Beside these, `serve/http/connection/listen.rs` opens sockets,
//! `tokens/file.rs` the token file, and `embedder` connections.
//!
//! * `args` and `config`: the arguments and the configuration file. `choice` takes names in any
//!   style, `spelling` file names in any normal form.
//! * `commands`: one in each file or folder. `writing` has the parts shared by those that write.
//! * `terminal`: the parts shared by all commands: paths on the command line, calls of the
//!   component, pages of output, errors, notes on stderr, the trace.
//! * `tokens`: the tokens of HTTP clients.
//! * `embedder`: the configured embedder.
//! * `explain`: messages of refusals and faults.
//! * `serve`: MCP, on stdin and stdout and over HTTP.
//!
//! A new command goes to `commands`, a new transport to `serve`.

#![forbid(unsafe_code)]
// They panic if the reader has gone; `terminal::notes` does not.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod args;
mod checking;
mod choice;
mod commands;
mod config;
mod editing;
mod embedder;
mod embedding;
mod explain;
mod generating;
mod offering;
mod output;
mod reading;
mod recording;
mod serve;
mod spelling;
mod terminal;
mod tokens;
mod tree;
mod writing;

use std::env;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use docent_host::component;
use docent_host::grant::{Grants, RootSpec};
use docent_host::{Limits, Session, Settings};

use args::{Cli, Command};
use commands::call::{self, AnswerForm};
use commands::{help, setup};
use config::{Flags, Setup, State, Surroundings};
use embedder::{Background, Named};
use offering::token;
use output::print;
use terminal::error::CommandError;
use terminal::notes::{note, say};
use terminal::style::{visible, visible_lines};
use terminal::tools::find;
use terminal::trace::Trace;

/// Exit code if nothing was found, or if a tool refused.
const NOTHING: u8 = 1;

/// Exit code if the command could not be carried out.
const TROUBLE: u8 = 2;

/// Name of the directory of vectors in the state directory.
const VECTORS: &str = "vectors";

/// The HTTP server, for programs that bring a component of their own.
pub mod http {
    pub use crate::serve::Answers;
    pub use crate::serve::http::{Access, Endpoint, Listen, ServerConfig, ServiceConfig, serve};
    pub use crate::terminal::trace::Trace;
}

/// The configured embedder, exposed for the evaluation harness.
pub mod meaning {
    use std::error::Error;
    use std::path::PathBuf;
    use std::sync::Arc;

    use docent_host::embedder::Embedder;

    use crate::config::{self, Flags};
    use crate::surroundings;

    /// Returns the embedder that `--embedder` names, or else the configuration file, which is that
    /// of `--config` or the standard one; none if neither names one.
    ///
    /// # Errors
    /// Returns an error if one of them is malformed, or names a model whose files are missing.
    pub fn embedder_ambient(
        embedder: Option<String>,
        config: Option<PathBuf>,
    ) -> Result<Option<Arc<dyn Embedder>>, Box<dyn Error>> {
        let flags = Flags {
            embedder,
            config,
            ..Flags::default()
        };
        let spec = config::setup(&flags, &surroundings())?.embedder;
        let embedder = spec.map(|spec| Ok(spec.named()?.embedder()));
        embedder.transpose()
    }
}

/// Runs the command line, and returns the exit code.
#[must_use]
pub fn run() -> ExitCode {
    if env::args_os().len() == 1 && io::stdout().is_terminal() {
        return finish(print(help::FIRST_STEPS));
    }
    let cli = Cli::parse();
    let program = Program {
        trace: if cli.trace { Trace::On } else { Trace::Off },
    };
    finish(match cli.command {
        Command::Search(args) => program.search(&args),
        Command::Grep(args) => program.grep(&args),
        Command::Find(args) => program.find(&args),
        Command::Explore(args) => program.explore(&args),
        Command::Query(args) => program.query(&args),
        Command::Understand(args) => program.understand(&args),
        Command::Links(args) => program.links(&args),
        Command::Summary(args) => program.summary(&args),
        Command::Tags(args) => program.tags(&args),
        Command::Edit(args) => program.edit(&args),
        Command::Apply(args) => program.apply(&args),
        Command::Write(args) => program.write(args),
        Command::Mv(args) => program.mv(&args),
        Command::History(args) => program.history(&args),
        Command::Undo(args) => program.undo(&args),
        Command::Redo(args) => program.redo(&args),
        Command::Embed(args) => program.embed(args),
        Command::Mcp(args) => program.mcp(args),
        Command::Serve(args) => program.serve(args),
        Command::Token(command) => token(command),
        Command::Log(command) => recording::log(command),
        Command::Call(args) => program.call(args),
        Command::Tools(args) => print(&call::list(args.json)),
        Command::Doctor(args) => program.doctor(args.roots.into()),
        Command::Component(args) => write_component(&args),
        Command::Setup(args) => setup::run(&args),
        Command::Help(args) => help::run(&args),
        Command::Generate(command) => generating::generate(&command),
    })
}

/// Returns the exit code of a command, and reports its failure.
fn finish(done: Result<ExitCode, CommandError>) -> ExitCode {
    done.unwrap_or_else(|failure| {
        // `docent search x | head` ends this way, as intended.
        if failure.is_unread() {
            return ExitCode::SUCCESS;
        }
        note(visible_lines(&failure.to_string()));
        ExitCode::from(TROUBLE)
    })
}

/// The program, as it was started.
#[derive(Clone, Copy)]
struct Program {
    trace: Trace,
}

impl Program {
    /// Creates a session for a single call, which gains nothing from a cache.
    fn session(self, setup: &Setup, grants: Grants) -> Result<Session, CommandError> {
        // Without another call, cached text is useless.
        let limits = Limits {
            cache: 0,
            ..limits(setup)
        };
        self.session_within(setup, grants, limits)
    }

    /// Creates a session for a command that reads the same files in several pages.
    fn session_of_pages(self, setup: &Setup, grants: Grants) -> Result<Session, CommandError> {
        self.session_within(setup, grants, limits(setup))
    }

    fn session_within(
        self,
        setup: &Setup,
        grants: Grants,
        limits: Limits,
    ) -> Result<Session, CommandError> {
        let load = || Session::load(grants, settings(setup), limits);
        let session = self.trace.timed("component loaded", load)?;
        if let Some((embedder, vectors)) = embedder(setup)? {
            session.embed_with(embedder.embedder());
            if let Some(directory) = vectors {
                session.keep_vectors_ambient(&directory);
            }
        }
        if let Some(sink) = self.trace.sink() {
            session.trace(sink);
        }
        Ok(session)
    }

    fn call(self, args: args::Call) -> Result<ExitCode, CommandError> {
        let tool = find(&args.tool)?;
        let request = match call::request(tool, &args.arguments) {
            Ok(request) => request,
            Err(error) => {
                let error = error.to_string();
                say(format_args!("{}\n{}", visible(&error), tool.usage()));
                return Ok(ExitCode::from(TROUBLE));
            }
        };
        let (setup, grants) = granted(&args.roots.into())?;
        let form = if args.json {
            AnswerForm::Json
        } else {
            AnswerForm::Markdown
        };
        let mut session = self.session(&setup, grants)?;
        match call::run(&mut session, tool, request, form, self.trace) {
            // Piped output is unchanged; on a terminal, control characters would take effect.
            Ok(text) if io::stdout().is_terminal() => print(&visible_lines(&text)),
            Ok(text) => print(&text),
            Err(error) => {
                say(explain::call(&error));
                Ok(ExitCode::from(NOTHING))
            }
        }
    }
}

fn surroundings() -> Surroundings<'static> {
    Surroundings {
        variable: &|name| env::var_os(name),
        read: &|path| fs::read_to_string(path),
    }
}

/// Returns the setup and its grants, at least one directory.
fn granted(flags: &Flags) -> Result<(Setup, Grants), CommandError> {
    let surroundings = surroundings();
    let setup = config::setup(flags, &surroundings)?;
    if setup.roots.is_empty() {
        return Err(config::no_roots(&surroundings).into());
    }
    let grants = granted_roots(&setup, &setup.roots, setup.default_root.as_deref())?;
    Ok((setup, grants))
}

/// Grants these roots. Even read-only roots are granted their state directory: an interrupted write
/// is completed first.
fn granted_roots(
    setup: &Setup,
    roots: &[RootSpec],
    default: Option<&str>,
) -> Result<Grants, CommandError> {
    let grants = Grants::resolve_ambient(roots, default)?;
    Ok(match &setup.state {
        State::Directory(directory) => grants.keep_state_ambient(directory)?,
        State::None => grants,
    })
}

/// Returns true if passages without vectors are embedded between calls.
fn learns(setup: &Setup) -> bool {
    let spec = setup.embedder.as_ref();
    spec.is_some_and(|spec| spec.background() == Background::Embeds)
}

/// Returns the embedder, and the directory of its vectors.
///
/// # Errors
/// Returns an error if it is a model whose files are missing.
fn embedder(setup: &Setup) -> Result<Option<(Named, Option<PathBuf>)>, CommandError> {
    let Some(spec) = &setup.embedder else {
        return Ok(None);
    };
    let vectors = match &setup.state {
        State::Directory(state) => Some(state.join(VECTORS)),
        State::None => None,
    };
    Ok(Some((spec.named()?, vectors)))
}

fn settings(setup: &Setup) -> Settings {
    // Read once, at the start: a service keeps its offset over a change of the clocks.
    let offset = chrono::Local::now().offset().local_minus_utc();
    Settings {
        exclude: setup.exclude.clone(),
        utc_offset_minutes: Some(offset / 60),
    }
}

fn limits(setup: &Setup) -> Limits {
    let set = &setup.limits;
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    // More than this machine can address is equivalent to no limit.
    let mib = |number: u64| count(number.saturating_mul(1 << 20));
    let built_in = Limits::default();
    Limits {
        timeout: set
            .timeout_ms
            .map_or(built_in.timeout, Duration::from_millis),
        memory: set.memory_mb.map_or(built_in.memory, mib),
        cache: set.cache_mb.map_or(built_in.cache, mib),
        threads: set.threads.map_or(built_in.threads, count),
        ..built_in
    }
}

fn write_component(args: &args::Component) -> Result<ExitCode, CommandError> {
    let mut output = io::stdout().lock();
    // Bytes that are not text can leave a terminal in a state that needs a reset.
    if output.is_terminal() {
        return Err(CommandError::Usage(
            "the component is binary; expected a file: `docent component > docent.wasm`".to_owned(),
        ));
    }
    if args.open {
        output.write_all(&component::open())?;
    } else {
        output.write_all(component::wasm())?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
