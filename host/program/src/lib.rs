//! The program `docent`: finds, reads and edits documents in the directories that it is given. It
//! is a library so that tests can serve other components through the same code.
//!
//! The environment, files that are not documents, the terminal and the clock are in `app`, whose
//! `App` this file makes and passes to the command. Beside it, functions whose names end in
//! `_ambient` act by themselves, `serve/http/connection/listen.rs` opens sockets, `tokens/file.rs`
//! the token file, and `embedder` connections.
//!
//! * `app`: the rights of the process.
//! * `commands`: one in each file or folder, with its arguments.
//! * `args` and `config`: the arguments that several commands share, and the configuration file.
//!   `choice` takes names in any style.
//! * `writing`: the parts shared by the commands that write; `references`: by those about a tree.
//! * `terminal`: the parts shared by all commands: paths on the command line, calls of the
//!   component, pages of output, errors, notes on stderr, the trace.
//! * `tokens`: the tokens of HTTP clients.
//! * `embedder`: the configured embedder.
//! * `explain`: messages of refusals and faults.
//! * `serve`: MCP, on stdin and stdout and over HTTP.
//!
//! A new command goes to `commands`, a new transport to `serve`.

#![forbid(unsafe_code)]
// `println!` and `eprintln!` panic if the reader has gone, as in `docent search x | head`, or
// when a client closes stderr. `terminal::notes` does not.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod app;
mod args;
mod choice;
mod commands;
mod config;
mod embedder;
mod explain;
mod references;
mod serve;
mod terminal;
mod tokens;
mod writing;

use std::env;
use std::process::ExitCode;

use clap::Parser as _;

use app::App;
use args::Cli;
use commands::Command;
use terminal::error::CommandError;
use terminal::notes::note;
use terminal::outcome::TROUBLE;
use terminal::style::visible_lines;
use terminal::trace::Trace;

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

    use crate::app::App;
    use crate::config::Flags;
    use crate::terminal::trace::Trace;

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
        let spec = App::new_ambient(Trace::Off).load_setup(&flags)?.embedder;
        let embedder = spec.map(|spec| Ok(spec.create()?.embedder()));
        embedder.transpose()
    }
}

/// Runs the command line, and returns the exit code.
#[must_use]
pub fn run() -> ExitCode {
    if env::args_os().len() == 1 {
        let app = App::new_ambient(Trace::Off);
        if app.stdout_is_terminal() {
            return finish(app.print(commands::help::FIRST_STEPS));
        }
    }
    let cli = Cli::parse();
    let app = &App::new_ambient(if cli.trace { Trace::On } else { Trace::Off });
    finish(match cli.command {
        Command::Search(args) => commands::search::run(app, &args),
        Command::Grep(args) => commands::grep::run(app, &args),
        Command::Find(args) => commands::find::run(app, &args),
        Command::Explore(args) => commands::explore::run(app, &args),
        Command::Query(args) => commands::query::run(app, &args),
        Command::Understand(args) => commands::understand::run(app, &args),
        Command::Links(args) => commands::links::run(app, &args),
        Command::Summary(args) => commands::summary::run(app, &args),
        Command::Tags(args) => commands::tags::run(app, &args),
        Command::Edit(args) => commands::edit::run(app, &args),
        Command::Apply(args) => commands::apply::run(app, &args),
        Command::Write(args) => commands::write::run(app, args),
        Command::Mv(args) => commands::mv::run(app, &args),
        Command::History(args) => commands::history::run(app, &args),
        Command::Undo(args) => commands::undo::run(app, &args),
        Command::Redo(args) => commands::redo::run(app, &args),
        Command::Embed(args) => commands::embed::run(app, args),
        Command::Mcp(args) => commands::mcp::run(app, args),
        Command::Serve(args) => commands::serve::run(app, args),
        Command::Token(command) => commands::token::run(app, command),
        Command::Log(command) => commands::log::run(app, command),
        Command::Call(args) => commands::call::run(app, args),
        Command::Tools(args) => commands::tools::run(app, &args),
        Command::Doctor(args) => commands::doctor::run(app, args),
        Command::Component(args) => commands::component::run(app, &args),
        Command::Setup(args) => commands::setup::run(app, &args),
        Command::Help(args) => commands::help::run(app, &args),
        Command::Generate(command) => commands::generate::run(app, &command),
    })
}

/// Returns the exit code of a command, and reports its failure.
fn finish(done: Result<ExitCode, CommandError>) -> ExitCode {
    done.unwrap_or_else(|failure| {
        // The reader has closed the pipe, as `docent search x | head` does on purpose. That is
        // not a failure.
        if failure.is_unread() {
            return ExitCode::SUCCESS;
        }
        note(visible_lines(&failure.to_string()));
        ExitCode::from(TROUBLE)
    })
}
