//! The program `docent`: finds, reads and edits documents in the directories it is given.
//!
//! Environment, files that are not documents, and the terminal are met here and nowhere else.

#![forbid(unsafe_code)]
// They panic when nobody reads any more; `terminal::notes` does not.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod args;
mod choice;
mod commands;
mod config;
mod editing;
mod embedder;
mod explain;
mod serve;
mod terminal;
mod tokens;
mod tree;

use std::env;
use std::fs;
use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser as _;
use docent_host::component;
use docent_host::grant::{Grants, Right, RootSpec};
use docent_host::tools::Tool;
use docent_host::{Limits, Pool, Session, Settings};

use args::{Cli, Color, Command};
use commands::call::AnswerForm;
use commands::doctor::{RootLooks, SelfTestError};
use commands::search::Printer;
use commands::{call, doctor, explore, find, query, search, summary, tags};
use config::{Flags, Setup, State, Surroundings};
use embedder::Endpoint;
use serve::http;
use serve::late::LatePool;
use terminal::error::CommandError;
use terminal::notes::{note, say};
use terminal::outcome::{Outcome, Reach};
use terminal::page::Page;
use terminal::place::{self, Found, Group, Kind, Parts, Place, Root};
use terminal::screen::Screen;
use terminal::style::{Layout, Paint, visible, visible_lines};
use terminal::trace::Trace;
use tokens::TokenFile;

/// The exit code when nothing was found, or a tool refused.
const NOTHING: u8 = 1;

/// The exit code when the command could not be carried out.
const TROUBLE: u8 = 2;

/// The look of paths that a program reads, on a terminal too.
const BARE: (Layout, Paint) = (Layout::Lines, Paint::Plain);

/// What of the state directory holds what an embedder said.
const VECTORS: &str = "vectors";

/// The block in which output is written.
const OUTPUT_BYTES: usize = 64 * 1024;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let program = Program {
        trace: if cli.trace { Trace::On } else { Trace::Off },
    };
    let done = match cli.command {
        Command::Search(args) => program.search(&args),
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
        Command::Mcp(args) => program.mcp(args),
        Command::Serve(args) => program.serve(args),
        Command::Token(command) => token(command),
        Command::Call(args) => program.call(args),
        Command::Tools(args) => print(&call::list(args.json)),
        Command::Doctor(args) => program.doctor(args.roots.into()),
        Command::Component => write_component(),
    };
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
    /// Returns a session for a single command, which gains nothing from a cache.
    fn session(self, setup: &Setup, grants: Grants) -> Result<Session, CommandError> {
        // Text that is kept for the next call is of no use where there is none.
        let limits = Limits {
            cache: 0,
            ..limits(setup)
        };
        let load = || Session::load(grants, settings(setup), limits);
        let session = self.trace.timed("component loaded", load)?;
        if let Some(spec) = &setup.embedder {
            session.embed_with(Arc::new(Endpoint::new(spec.clone())));
            if let State::Directory(state) = &setup.state {
                session.keep_vectors_ambient(&state.join(VECTORS));
            }
        }
        if let Some(sink) = self.trace.sink() {
            session.trace(sink);
        }
        Ok(session)
    }

    fn mcp(self, args: args::Mcp) -> Result<ExitCode, CommandError> {
        let (setup, grants) = granted(&args.roots.into())?;
        let mut tools = offered(&args.offered, &grants)?;
        // A tool that could only refuse would cost every session its description.
        tools.retain(|tool| tool.read_only || may_write(&grants));
        // Whoever types `docent mcp` would otherwise see nothing at all.
        if io::stdin().is_terminal() {
            note("waiting for MCP messages; this command is meant to be started by a client");
        }
        if let Some(spec) = &setup.embedder {
            note(format_args!(
                "questions and passages of documents go to {}, for their meaning",
                spec.address
            ));
        }
        let roots = serve::roots(&grants);
        // In the background: clients wait for the answer to `initialize`, which needs no component.
        let pool = LatePool::start(move || {
            let load = || Pool::load(grants, settings(&setup), limits(&setup));
            let pool = self.trace.timed("component loaded", load)?;
            if let Some(spec) = &setup.embedder {
                pool.embed_with(Arc::new(Endpoint::new(spec.clone())));
                if let State::Directory(state) = &setup.state {
                    pool.keep_vectors_ambient(&state.join(VECTORS));
                }
            }
            if let Some(sink) = self.trace.sink() {
                pool.trace(sink);
            }
            Ok(pool)
        });
        serve::serve(
            serve::Offer {
                roots,
                tools,
                answers: answers(&args.offered),
                trace: self.trace,
            },
            pool,
        )
        .map_err(CommandError::Session)?;
        Ok(ExitCode::SUCCESS)
    }

    fn serve(self, args: args::Serve) -> Result<ExitCode, CommandError> {
        let (mut setup, grants) = granted(&args.roots.into())?;
        let tools = offered(&args.offered, &grants)?;
        let config::Listener {
            listen,
            allow_hosts,
            tokens,
        } = std::mem::take(&mut setup.listener);
        let named = args.tokens.tokens.or(tokens);
        let access = access(named, &grants)?;
        let listen = args.listen.or(listen).unwrap_or_default();
        let place = http::Place::open_ambient(&listen).map_err(|source| CommandError::Listen {
            listen: listen.to_string(),
            source,
        })?;
        if place.reach == http::Reach::Others && access.is_open() {
            let problem = format!(
                "others can reach {}, and there are no tokens; make one: `docent token new NAME \
                 --root ROOT`",
                place.address
            );
            return Err(CommandError::Usage(problem));
        }
        if setup.embedder.is_some() {
            note("`docent serve` goes by words alone: the embedder is not asked");
        }
        let mut limits = limits(&setup);
        if setup.limits.threads.is_none() {
            // Several agents call at the same time, and none is to wait for a core that idles.
            let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
            limits.threads = limits.threads.max(cores);
        }
        http::serve(http::Serving {
            place,
            allowed_hosts: [args.allow_host, allow_hosts].concat(),
            access,
            drain_delay: Duration::from_secs(args.drain_delay.into()),
            plan: http::Plan {
                grants,
                settings: settings(&setup),
                limits,
                tools,
                answers: answers(&args.offered),
                trace: self.trace,
            },
        })
        .map_err(CommandError::Session)?;
        Ok(ExitCode::SUCCESS)
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

    fn search(self, args: &args::Search) -> Result<ExitCode, CommandError> {
        let surroundings = surroundings();
        let flags = Flags {
            config: args.output.config.clone(),
            ..Flags::default()
        };
        let setup = config::setup(&flags, &surroundings)?;
        let example = "docent search QUERY .";
        let (groups, reach) = groups(&setup, &args.paths, Parts::Refused, example)?;
        let (layout, paint) = if args.null { BARE } else { look(&args.output) };
        // Stdout by itself is written to at every line break.
        let printer = Printer::new(
            BufWriter::with_capacity(OUTPUT_BYTES, io::stdout().lock()),
            layout,
            paint,
        );
        let mut run = search::SearchRun::new(args, printer);
        for group in groups {
            // An instance keeps the directories that it was made with, so each group needs its own.
            let grants = granted_roots(&setup, &group.roots, None)?;
            let roots = Root::all(&grants);
            let mut session = self.session(&setup, grants)?;
            if run.search(&mut session, &roots, &group.places)?.is_break() {
                break;
            }
        }
        Ok(ended(reach, run.finish()?))
    }

    fn find(self, args: &args::Find) -> Result<ExitCode, CommandError> {
        // The clock is read once: `--from` and `--to` are counted from the same moment.
        let request =
            find::FindRequest::understand(args, &chrono::Local::now(), |path| path.exists())?;
        let mut found = find::FoundFiles::default();
        let reach = self.in_each_place(
            args.output.config.as_deref(),
            (&request.paths, Parts::Refused),
            "docent find GLOB .",
            |session, root, place| found.look(&request, session, root, place),
        )?;
        let (layout, paint) = if args.null { BARE } else { look(&args.output) };
        let mut output = BufWriter::with_capacity(OUTPUT_BYTES, io::stdout().lock());
        let outcome = found.print(&request, layout, paint, &chrono::Local, &mut output)?;
        Ok(ended(reach, outcome))
    }

    fn query(self, args: &args::Query) -> Result<ExitCode, CommandError> {
        let mut run = query::QueryRun::new(args, page(look(&args.output)));
        let reach = self.in_each_place(
            args.output.config.as_deref(),
            (&args.paths, Parts::Taken),
            "docent query QUESTION .",
            |session, root, place| run.ask(session, root, place),
        )?;
        Ok(ended(reach, run.finish()?))
    }

    fn explore(self, args: &args::Explore) -> Result<ExitCode, CommandError> {
        let (query, paths) = explore::query_and_paths(args, |path| path.exists());
        let page = page(look(&args.output));
        let mut run = explore::ExploreRun::new(args, query.as_deref(), page);
        let reach = self.in_each_place(
            args.output.config.as_deref(),
            (&paths, Parts::Taken),
            if query.is_some() {
                "docent explore WORDS ."
            } else {
                "docent explore ."
            },
            |session, root, place| run.look(session, root, place),
        )?;
        Ok(ended(reach, run.finish()?))
    }

    fn summary(self, args: &args::Summary) -> Result<ExitCode, CommandError> {
        let mut page = page(if args.json {
            (Layout::Json, Paint::Plain)
        } else {
            (Layout::Lines, Paint::Plain)
        });
        let mut is_first = true;
        let reach = self.in_each_place(
            args.config.as_deref(),
            (&args.paths, Parts::Refused),
            "docent summary NOTE.md",
            |session, root, place| {
                let is_first = std::mem::take(&mut is_first);
                summary::print(&mut page, is_first, session, root, place)
            },
        )?;
        // Here, where an error can be told; dropping the buffer would swallow it.
        page.output.flush()?;
        Ok(ended(reach, Outcome::Found))
    }

    fn tags(self, args: &args::Tags) -> Result<ExitCode, CommandError> {
        let request = tags::TagsRequest::understand(args, |path| path.exists())?;
        let paths = request.paths.clone();
        let mut run = tags::TagsRun::new(request, page(look(&args.output)));
        let reach = self.in_each_place(
            args.output.config.as_deref(),
            (&paths, Parts::Refused),
            "docent tags TAG .",
            |session, root, place| run.look(session, root, place),
        )?;
        Ok(ended(reach, run.finish()?))
    }

    /// Does `work` in each place that `paths` lead to, or in the configured roots where there are
    /// none. Returns whether some lead nowhere, which is told. `example` is a command that names a
    /// directory.
    fn in_each_place(
        self,
        config: Option<&Path>,
        (paths, parts): (&[PathBuf], Parts),
        example: &str,
        mut work: impl FnMut(&mut Session, &Root, &Place) -> Result<(), CommandError>,
    ) -> Result<Reach, CommandError> {
        let flags = Flags {
            config: config.map(Path::to_owned),
            ..Flags::default()
        };
        let setup = config::setup(&flags, &surroundings())?;
        let (groups, reach) = groups(&setup, paths, parts, example)?;
        for group in groups {
            let grants = granted_roots(&setup, &group.roots, None)?;
            let roots = Root::all(&grants);
            let mut session = self.session(&setup, grants)?;
            for place in &group.places {
                work(&mut session, &roots[place.root], place)?;
            }
        }
        Ok(reach)
    }

    fn doctor(self, flags: Flags) -> Result<ExitCode, CommandError> {
        // Not `?`: what is wrong with the setup is what doctor is asked about.
        let granted = granted(&flags);
        let grants = granted.as_ref().map(|(_, grants)| grants);
        let looks = match &granted {
            Ok((setup, _)) => self.look_into_roots(setup),
            Err(_) => Ok(Vec::new()),
        };
        // Where the roots are wrong, the limits may be right: what they do is told all the same.
        let limits = config::setup(&flags, &surroundings()).map(|setup| setup.limits);
        let setup = Setup {
            limits: limits.unwrap_or_default(),
            ..Setup::default()
        };
        let embedder = match &granted {
            Ok((setup, _)) => setup.embedder.as_ref(),
            Err(_) => None,
        };
        let report = doctor::report(grants, &looks, self.self_test(&setup), embedder);
        print(&report.text)?;
        Ok(if report.healthy {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(NOTHING)
        })
    }

    /// Looks through each granted root, in order.
    fn look_into_roots(self, setup: &Setup) -> RootLooks {
        let grants = Grants::resolve_ambient(&setup.roots, setup.default_root.as_deref())?;
        let roots = Root::all(&grants);
        let mut session = self.session(setup, grants)?;
        let looks = roots
            .iter()
            .map(|root| doctor::look_into(&mut session, root));
        Ok(looks.collect())
    }

    /// Grants a new directory with one document and searches it under the limits of `setup`.
    fn self_test(self, setup: &Setup) -> Result<(), SelfTestError> {
        let directory = env::temp_dir().join(format!("docent-doctor-{}", std::process::id()));
        // Fails where something stands already, a link too: in the temporary directory anyone may
        // have put it there.
        fs::create_dir(&directory)?;
        let tested = self.self_test_in(&directory, setup);
        // Whatever came of it: a failed test leaves nothing behind.
        fs::remove_dir_all(&directory)?;
        tested
    }

    fn self_test_in(self, directory: &Path, setup: &Setup) -> Result<(), SelfTestError> {
        fs::write(directory.join("note.md"), doctor::DOCUMENT)?;
        let root = RootSpec {
            name: None,
            path: directory.to_owned(),
            right: Right::ReadOnly,
            sensitive: false,
        };
        let grants = Grants::resolve_ambient(&[root], None).map_err(CommandError::from)?;
        // The person's limits, and not what they exclude, which could hide the document.
        doctor::test(&mut self.session(setup, grants)?)
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

fn token(command: args::TokenCommand) -> Result<ExitCode, CommandError> {
    let now = chrono::Utc::now();
    match command {
        args::TokenCommand::New(args) => {
            let file = token_file(&args.tokens)?;
            let secret = commands::token::new(args, &file, now)?;
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

/// Returns the file of tokens, which need not be there.
fn token_file(args: &args::TokensFile) -> Result<TokenFile, CommandError> {
    let path = args
        .tokens
        .clone()
        .or_else(|| surroundings().standard_tokens());
    path.map(TokenFile::new).ok_or_else(|| {
        let problem = "no place for tokens; name one with `--tokens FILE`";
        CommandError::Usage(problem.to_owned())
    })
}

/// Returns who may ask a server: by the tokens in the file that is named, else in the standard one.
fn access(named: Option<PathBuf>, grants: &Grants) -> Result<http::Access, CommandError> {
    let standard = || surroundings().standard_tokens();
    let file = named.clone().or_else(standard).map(TokenFile::new);
    let access = http::Access::new(file, grants)?;
    match named {
        // Whoever names one means that it is to be kept to.
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

fn may_write(grants: &Grants) -> bool {
    let mut all = grants.all().iter();
    all.any(|grant| grant.right() == Right::ReadWrite)
}

/// Returns the tools that are to be on offer.
fn offered(args: &args::Offered, grants: &Grants) -> Result<Vec<&'static Tool>, CommandError> {
    let tools = call::chosen(&args.tools)?;
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

fn settings(setup: &Setup) -> Settings {
    Settings {
        exclude: setup.exclude.clone(),
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

fn print(text: &str) -> Result<ExitCode, CommandError> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    // Answers end without a line break, and a shell's prompt would follow in their last line.
    if !text.ends_with('\n') {
        output.write_all(b"\n")?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns where `paths` lead, the configured roots where there are none, and whether some lead
/// nowhere, which is told. `example` is a command that names a directory.
fn groups(
    setup: &Setup,
    paths: &[PathBuf],
    parts: Parts,
    example: &str,
) -> Result<(Vec<Group>, Reach), CommandError> {
    let mut reach = Reach::All;
    if paths.is_empty() {
        if setup.roots.is_empty() {
            return Err(CommandError::Usage(format!(
                "no directory to search; name one: `{example}`"
            )));
        }
        return Ok((vec![configured(setup)?], reach));
    }
    let mut found = Vec::new();
    // As with grep, a path that leads nowhere does not keep the others from being searched.
    for path in paths {
        match located(path, parts) {
            Ok(place) => found.push(place),
            Err(error) => {
                let shown = path.display().to_string();
                let shown = visible(&shown);
                note(format_args!("`{shown}` cannot be searched: {error}"));
                reach = Reach::Some;
            }
        }
    }
    let groups = place::group(found).map_err(|path| {
        CommandError::Usage(format!(
            "`{}` cannot be searched: its name is not UTF-8",
            path.display()
        ))
    })?;
    Ok((groups, reach))
}

/// Returns where answers go.
fn page((layout, paint): (Layout, Paint)) -> Page<impl io::Write> {
    Page {
        output: BufWriter::with_capacity(OUTPUT_BYTES, io::stdout().lock()),
        layout,
        paint,
        screen: io::stdout().is_terminal().then(screen),
    }
}

/// Returns what the terminal behind stdout shows at once.
fn screen() -> Screen {
    #[cfg(unix)]
    let (columns, rows) = {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
        size.map_or((0, 0), |size| (size.ws_col, size.ws_row))
    };
    #[cfg(not(unix))]
    let (columns, rows) = (0_u16, 0_u16);
    // So shells tell it whose terminal does not.
    let told = |name| env::var(name).ok()?.parse().ok();
    let size = |own: u16, name, usual| {
        let own = Some(own.into()).filter(|size| *size > 0);
        own.or_else(|| told(name).filter(|size| *size > 0))
            .unwrap_or(usual)
    };
    Screen {
        columns: size(columns, "COLUMNS", Screen::USUAL.columns),
        rows: size(rows, "LINES", Screen::USUAL.rows),
    }
}

fn ended(reach: Reach, outcome: Outcome) -> ExitCode {
    match (reach, outcome) {
        // As with grep, an error counts for more than what was found.
        (Reach::Some, _) => ExitCode::from(TROUBLE),
        (Reach::All, Outcome::Nothing) => ExitCode::from(NOTHING),
        (Reach::All, Outcome::Found) => ExitCode::SUCCESS,
    }
}

/// Returns the configured roots as places, shown from where the person stands.
fn configured(setup: &Setup) -> Result<Group, CommandError> {
    // It may have been removed under the shell; then paths are shown absolute.
    let here = env::current_dir().and_then(fs::canonicalize).ok();
    let mut places = Vec::new();
    for (index, root) in setup.roots.iter().enumerate() {
        // A root that cannot be reached is refused when it is granted, with the system's reason.
        let resolved = fs::canonicalize(&root.path).unwrap_or_else(|_| root.path.clone());
        // Paths are shown as a person would type them from here, where that is possible.
        let beneath = here
            .as_ref()
            .and_then(|here| resolved.strip_prefix(here).ok());
        let shown = beneath.map_or_else(|| resolved.clone(), Path::to_owned);
        places.push(Place::root(index, shown));
    }
    Ok(Group {
        roots: setup.roots.clone(),
        places,
    })
}

/// Returns where a path leads, without links, and what is there.
fn located(path: &Path, parts: Parts) -> io::Result<Found> {
    let found = |written: &Path, resolved: PathBuf, kind| Found {
        written: written.to_owned(),
        resolved,
        kind,
    };
    // Links are followed here, by the person's own right, for the guard follows none.
    match path.canonicalize() {
        Ok(resolved) if resolved.is_dir() => Ok(found(path, resolved, Kind::Directory)),
        Ok(resolved) => Ok(found(path, resolved, Kind::File)),
        Err(error) if parts == Parts::Refused => Err(error),
        Err(error) => {
            let mut divisions = place::divisions(path);
            let part = divisions.find_map(|(file, part)| {
                let resolved = file.canonicalize().ok().filter(|path| path.is_file())?;
                Some(found(file, resolved, Kind::Part(part.to_owned())))
            });
            part.ok_or(error)
        }
    }
}

fn look(output: &args::Output) -> (Layout, Paint) {
    let is_terminal = io::stdout().is_terminal();
    // As no-color.org has it: the variable counts if it is set and not empty.
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    // So terminals call themselves that show escape sequences as text, as the shell of Emacs does.
    let is_dumb = env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    let layout = match (output.json, is_terminal) {
        (true, _) => Layout::Json,
        (false, true) => Layout::Headings,
        (false, false) => Layout::Lines,
    };
    let colored = match output.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => is_terminal && !is_set("NO_COLOR") && !is_dumb,
    };
    // `--color always` is for pagers, of which not all pass links on.
    let paint = match (colored, is_terminal) {
        (true, true) => Paint::Full,
        (true, false) => Paint::Colors,
        (false, _) => Paint::Plain,
    };
    (layout, paint)
}

fn write_component() -> Result<ExitCode, CommandError> {
    let mut output = io::stdout().lock();
    // Bytes that are no text can leave a terminal in a state that needs a reset.
    if output.is_terminal() {
        return Err(CommandError::Usage(
            "the component is binary; expected a file: `docent component > docent.wasm`".to_owned(),
        ));
    }
    output.write_all(component::wasm())?;
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
