//! The program `docent`: finds, reads and edits documents in the directories it is given. It is a
//! library so that tests can serve other components than docent's as the program serves its own.
//!
//! Environment, files that are not documents, and the terminal are met here and in the modules
//! beside this one that each start a family of commands: `reading`, `editing`, `embedding`,
//! `offering` (the servers), `recording` (the log), `checking` (`doctor`), with `output` for
//! stdout. Beside these, `serve/http/listen.rs` opens sockets, `tokens/file.rs` the file of tokens,
//! and `embedder` connections.
//!
//! * `args` and `config`: the arguments and the configuration file. `choice` takes names in any
//!   style, `spelling` file names in any normal form.
//! * `commands`: one a file or a folder. `commands/writing` has what those share that write.
//! * `terminal`: everything that commands share: places on the command line, pages of output,
//!   errors, notes on stderr, the trace.
//! * `tokens`: who may ask over HTTP.
//! * `embedder`: the embedder that the person has named.
//! * `explain`: refusals and faults in words.
//! * `serve`: MCP, on stdin and stdout and over HTTP.
//!
//! A new command goes to `commands`, a new transport to `serve`.

#![forbid(unsafe_code)]
// They panic when nobody reads any more; `terminal::notes` does not.
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
mod offering;
mod output;
mod reading;
mod recording;
mod serve;
mod spelling;
mod terminal;
mod tokens;
mod tree;

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
use terminal::trace::Trace;

/// The exit code when nothing was found, or a tool refused.
const NOTHING: u8 = 1;

/// The exit code when the command could not be carried out.
const TROUBLE: u8 = 2;

/// What of the state directory holds what an embedder said.
const VECTORS: &str = "vectors";

/// What serves tools over HTTP, for a program that brings a component of its own.
pub mod http {
    pub use crate::serve::Answers;
    pub use crate::serve::http::{Access, Listen, Place, Plan, Serving, serve};
    pub use crate::terminal::trace::Trace;
}

/// Whom a person asks what texts mean, for a program that measures that.
pub mod meaning {
    use std::error::Error;
    use std::path::PathBuf;
    use std::sync::Arc;

    use docent_host::embedder::Embedder;

    use crate::config::{self, Flags};
    use crate::surroundings;

    /// Returns the embedder that `--embedder` names, else the configuration file, which is that of
    /// `--config` or docent's own; none where neither names one.
    ///
    /// # Errors
    /// When one of them cannot be understood, or is a model whose files are not there.
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

/// Does what the command line asks for, and returns how it ended.
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
    })
}

/// Returns the exit code of a command, and reports a failure.
fn finish(done: Result<ExitCode, CommandError>) -> ExitCode {
    done.unwrap_or_else(|failure| {
        // `docent search x | head` ends so, as it was meant to.
        if failure.is_unread() {
            return ExitCode::SUCCESS;
        }
        note(visible_lines(&failure.to_string()));
        ExitCode::from(TROUBLE)
    })
}

/// The program as it was started.
#[derive(Clone, Copy)]
struct Program {
    trace: Trace,
}

impl Program {
    /// Returns a session for a single call, which gains nothing from a cache.
    fn session(self, setup: &Setup, grants: Grants) -> Result<Session, CommandError> {
        // Text that is kept for the next call is of no use where there is none.
        let limits = Limits {
            cache: 0,
            ..limits(setup)
        };
        self.session_within(setup, grants, limits)
    }

    /// Returns a session for the calls of one command that go through the same files, page by page.
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
        let tool = call::find(&args.tool)?;
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
            // A program that reads the answer gets it as it is; a terminal would obey it.
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

/// Returns the setup and what it grants, which is at least one directory.
fn granted(flags: &Flags) -> Result<(Setup, Grants), CommandError> {
    let surroundings = surroundings();
    let setup = config::setup(flags, &surroundings)?;
    if setup.roots.is_empty() {
        return Err(config::no_roots(&surroundings).into());
    }
    let grants = granted_roots(&setup, &setup.roots, setup.default_root.as_deref())?;
    Ok((setup, grants))
}

/// Grants these roots. What is kept of them belongs to it also where they are only read: a write
/// that was cut off is finished before.
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

/// Whether what is not known by meaning is embedded between calls.
fn learns(setup: &Setup) -> bool {
    let spec = setup.embedder.as_ref();
    spec.is_some_and(|spec| spec.background() == Background::Embeds)
}

/// Returns who is asked what texts mean, and the directory where what it said is kept.
///
/// # Errors
/// When that is a model whose files are not there.
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
    // Once, at the start: a service that runs over a change of the clocks goes on in one offset.
    let offset = chrono::Local::now().offset().local_minus_utc();
    Settings {
        exclude: setup.exclude.clone(),
        utc_offset_minutes: Some(offset / 60),
    }
}

fn limits(setup: &Setup) -> Limits {
    let set = &setup.limits;
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    // What is more than this machine can address is the same as no limit.
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
    // Bytes that are no text can leave a terminal in a state that needs a reset.
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
