//! The program `docent`: finds and reads documents in the directories it is given.
//!
//! Environment, files that are not documents, and the terminal are met here and nowhere else.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod config;
mod explain;
mod serve;
mod terminal;

use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use docent_host::component;
use docent_host::grant::{Grants, Right, RootSpec};
use docent_host::{Engine, Limits, Session, Settings};

use args::{Cli, Color, Command};
use commands::search::{Outcome, Printer};
use commands::{call, doctor, explore, find, query, search, summary, tags};
use config::{Flags, Setup, Surroundings};
use serve::late::Late;
use terminal::error::CommandError;
use terminal::page::Page;
use terminal::place::{self, Group, Kind, Place, Root};
use terminal::style::{Layout, Paint};

/// The exit code when nothing was found, or a tool refused.
const NOTHING: u8 = 1;

/// The exit code when the command could not be carried out.
const TROUBLE: u8 = 2;

/// The block in which output is written.
const OUTPUT_BYTES: usize = 64 * 1024;

type Failure = Box<dyn Error>;

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Search(args) => search(&args),
        Command::Find(args) => find(&args),
        Command::Explore(args) => explore(&args),
        Command::Query(args) => query(&args),
        Command::Summary(args) => summary(&args),
        Command::Tags(args) => tags(&args),
        Command::Mcp(args) => mcp(args),
        Command::Call(args) => call(args),
        Command::Tools(args) => print(&call::list(args.json)),
        Command::Doctor(args) => doctor(args.roots.into()),
        Command::Component => write_component(),
    };
    done.unwrap_or_else(|failure| {
        if is_unread(failure.as_ref()) {
            return ExitCode::SUCCESS;
        }
        eprintln!("docent: {failure}");
        ExitCode::from(TROUBLE)
    })
}

/// Whether a failure only means that the reader of the output had enough.
fn is_unread(failure: &(dyn Error + 'static)) -> bool {
    let error = match failure.downcast_ref::<CommandError>() {
        Some(CommandError::Output(error)) => Some(error),
        _ => failure.downcast_ref::<io::Error>(),
    };
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn surroundings() -> Surroundings<'static> {
    Surroundings {
        variable: &|name| env::var_os(name),
        read: &|path| fs::read_to_string(path),
    }
}

/// Returns the setup and what it grants, which is at least one directory.
fn granted(flags: &Flags) -> Result<(Setup, Grants), Failure> {
    let surroundings = surroundings();
    let setup = config::setup(flags, &surroundings)?;
    if setup.roots.is_empty() {
        return Err(config::no_roots(&surroundings).into());
    }
    let grants = Grants::resolve_ambient(&setup.roots, setup.default_root.as_deref())?;
    Ok((setup, grants))
}

fn settings(setup: &Setup) -> Settings {
    Settings {
        exclude: setup.exclude.clone(),
    }
}

fn limits(setup: &Setup) -> Limits {
    let set = &setup.limits;
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
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

/// Returns a session for a single command, which gains nothing from a cache.
fn session(setup: &Setup, grants: Grants) -> Result<Session, Failure> {
    Ok(Session::load(
        grants,
        settings(setup),
        Limits {
            cache: 0,
            ..limits(setup)
        },
    )?)
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        output.write_all(b"\n")?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn mcp(args: args::Mcp) -> Result<ExitCode, Failure> {
    let mut tools = call::chosen(&args.tools)?;
    let (setup, grants) = granted(&args.roots.into())?;
    let may_write = grants
        .all()
        .iter()
        .any(|grant| grant.right() == Right::ReadWrite);
    tools.retain(|tool| tool.read_only || may_write);
    let answers = if args.structured {
        serve::Answers::Structured
    } else {
        serve::Answers::Markdown
    };
    if io::stdin().is_terminal() {
        eprintln!(
            "docent: waiting for MCP messages; this command is meant to be started by a client"
        );
    }
    let roots = serve::roots(&grants);
    let late = Late::start(move || Engine::load(grants, settings(&setup), limits(&setup)));
    serve::serve(
        serve::Offer {
            roots,
            tools,
            answers,
        },
        late,
    )?;
    Ok(ExitCode::SUCCESS)
}

fn call(args: args::Call) -> Result<ExitCode, Failure> {
    let tool = call::find(&args.tool)?;
    let request = match call::request(tool, &args.arguments) {
        Ok(request) => request,
        Err(problem) => {
            eprintln!("{problem}");
            return Ok(ExitCode::from(TROUBLE));
        }
    };
    let (setup, grants) = granted(&args.roots.into())?;
    match call::run(&mut session(&setup, grants)?, tool, request, args.json) {
        Ok(text) => print(&text),
        Err(error) => {
            eprintln!("{}", explain::call(&error));
            Ok(ExitCode::from(NOTHING))
        }
    }
}

fn search(args: &args::Search) -> Result<ExitCode, Failure> {
    let surroundings = surroundings();
    let flags = Flags {
        config: args.output.config.clone(),
        ..Flags::default()
    };
    let setup = config::setup(&flags, &surroundings)?;
    let (groups, trouble) = groups(&setup, &args.paths, "docent search QUERY .")?;
    let (layout, paint) = look(&args.output);
    let printer = Printer::new(
        BufWriter::with_capacity(OUTPUT_BYTES, io::stdout().lock()),
        layout,
        paint,
    );
    let mut run = search::Run::new(args, printer);
    for group in groups {
        let grants = Grants::resolve_ambient(&group.roots, None)?;
        let roots = Root::all(&grants);
        if !run.search(&mut session(&setup, grants)?, &roots, &group.places)? {
            break;
        }
    }
    let outcome = run.finish()?;
    Ok(match outcome {
        _ if trouble => ExitCode::from(TROUBLE),
        Outcome::Found => ExitCode::SUCCESS,
        Outcome::Nothing => ExitCode::from(NOTHING),
    })
}

/// Returns where `paths` lead, the configured roots where there are none, and whether some lead
/// nowhere, which is told. `example` is a command that names a directory.
fn groups(setup: &Setup, paths: &[PathBuf], example: &str) -> Result<(Vec<Group>, bool), Failure> {
    let mut trouble = false;
    if paths.is_empty() {
        if setup.roots.is_empty() {
            return Err(format!("no directory to search; name one: `{example}`").into());
        }
        return Ok((vec![configured(setup)?], trouble));
    }
    let mut found = Vec::new();
    for path in paths {
        match located(path) {
            Ok((resolved, kind)) => found.push((path.clone(), resolved, kind)),
            Err(error) => {
                eprintln!("docent: `{}` cannot be searched: {error}", path.display());
                trouble = true;
            }
        }
    }
    let groups = place::group(found).map_err(|path| {
        format!(
            "`{}` cannot be searched: its name is not UTF-8",
            path.display()
        )
    })?;
    Ok((groups, trouble))
}

fn find(args: &args::Find) -> Result<ExitCode, Failure> {
    let asked = find::Asked::understand(args, &chrono::Local::now(), |path| path.exists())?;
    let mut found = find::Found::default();
    let trouble = in_each_place(
        args.output.config.as_deref(),
        &asked.paths,
        "docent find GLOB .",
        |session, root, place| found.look(&asked, session, root, place),
    )?;
    let (layout, paint) = look(&args.output);
    let mut output = BufWriter::with_capacity(OUTPUT_BYTES, io::stdout().lock());
    let is_empty = found.print(&asked, layout, paint, &chrono::Local, &mut output)?;
    Ok(ended(trouble, is_empty))
}

fn query(args: &args::Query) -> Result<ExitCode, Failure> {
    let mut run = query::Run::new(args, page(look(&args.output)));
    let trouble = in_each_place(
        args.output.config.as_deref(),
        &args.paths,
        "docent query QUESTION .",
        |session, root, place| run.ask(session, root, place),
    )?;
    Ok(ended(trouble, run.finish()?))
}

fn explore(args: &args::Explore) -> Result<ExitCode, Failure> {
    let layout = if args.json {
        Layout::Json
    } else {
        Layout::Lines
    };
    let mut run = explore::Run::new(args, page((layout, Paint::Plain)));
    let trouble = in_each_place(
        args.config.as_deref(),
        &args.paths,
        "docent explore .",
        |session, root, place| run.look(session, root, place),
    )?;
    Ok(ended(trouble, run.finish()?))
}

fn summary(args: &args::Summary) -> Result<ExitCode, Failure> {
    let mut page = page(if args.json {
        (Layout::Json, Paint::Plain)
    } else {
        (Layout::Lines, Paint::Plain)
    });
    let mut is_first = true;
    let trouble = in_each_place(
        args.config.as_deref(),
        &args.paths,
        "docent summary NOTE.md",
        |session, root, place| {
            let is_first = std::mem::take(&mut is_first);
            summary::print(&mut page, is_first, session, root, place)
        },
    )?;
    page.output.flush()?;
    Ok(ended(trouble, false))
}

fn tags(args: &args::Tags) -> Result<ExitCode, Failure> {
    let asked = tags::Asked::understand(args, |path| path.exists())?;
    let paths = asked.paths.clone();
    let mut run = tags::Run::new(asked, page(look(&args.output)));
    let trouble = in_each_place(
        args.output.config.as_deref(),
        &paths,
        "docent tags TAG .",
        |session, root, place| run.look(session, root, place),
    )?;
    Ok(ended(trouble, run.finish()?))
}

/// Returns where answers go.
fn page((layout, paint): (Layout, Paint)) -> Page<impl io::Write> {
    Page {
        output: BufWriter::with_capacity(OUTPUT_BYTES, io::stdout().lock()),
        layout,
        paint,
    }
}

/// Does `work` in each place that `paths` lead to, or in the configured roots where there are none.
/// Returns whether some lead nowhere, which is told. `example` is a command that names a directory.
fn in_each_place(
    config: Option<&Path>,
    paths: &[PathBuf],
    example: &str,
    mut work: impl FnMut(&mut Session, &Root, &Place) -> Result<(), CommandError>,
) -> Result<bool, Failure> {
    let flags = Flags {
        config: config.map(Path::to_owned),
        ..Flags::default()
    };
    let setup = config::setup(&flags, &surroundings())?;
    let (groups, trouble) = groups(&setup, paths, example)?;
    for group in groups {
        let grants = Grants::resolve_ambient(&group.roots, None)?;
        let roots = Root::all(&grants);
        let mut session = session(&setup, grants)?;
        for place in &group.places {
            work(&mut session, &roots[place.root], place)?;
        }
    }
    Ok(trouble)
}

fn ended(trouble: bool, is_empty: bool) -> ExitCode {
    match (trouble, is_empty) {
        (true, _) => ExitCode::from(TROUBLE),
        (false, true) => ExitCode::from(NOTHING),
        (false, false) => ExitCode::SUCCESS,
    }
}

/// Returns the configured roots as places, shown from where the person stands.
fn configured(setup: &Setup) -> Result<Group, Failure> {
    let here = env::current_dir().and_then(fs::canonicalize).ok();
    let mut places = Vec::new();
    for (index, root) in setup.roots.iter().enumerate() {
        let resolved = fs::canonicalize(&root.path).unwrap_or_else(|_| root.path.clone());
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
fn located(path: &Path) -> io::Result<(PathBuf, Kind)> {
    let resolved = path.canonicalize()?;
    let kind = if resolved.is_dir() {
        Kind::Directory
    } else {
        Kind::File
    };
    Ok((resolved, kind))
}

fn look(output: &args::Output) -> (Layout, Paint) {
    let is_terminal = io::stdout().is_terminal();
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
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
    let paint = match (colored, is_terminal) {
        (true, true) => Paint::Full,
        (true, false) => Paint::Colors,
        (false, _) => Paint::Plain,
    };
    (layout, paint)
}

fn doctor(flags: Flags) -> Result<ExitCode, Failure> {
    let granted = granted(&flags);
    let grants = granted
        .as_ref()
        .map(|(_, grants)| grants)
        .map_err(AsRef::as_ref);
    let report = doctor::report(grants, self_test());
    print(&report.text)?;
    Ok(if report.healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(NOTHING)
    })
}

/// Grants a new directory with one document and searches it.
fn self_test() -> Result<(), Failure> {
    let directory = env::temp_dir().join(format!("docent-doctor-{}", std::process::id()));
    fs::create_dir(&directory)?;
    let tested = fs::write(directory.join("note.md"), doctor::DOCUMENT)
        .map_err(Failure::from)
        .and_then(|()| {
            let root = RootSpec {
                name: None,
                path: directory.clone(),
                right: Right::ReadOnly,
                sensitive: false,
            };
            let grants = Grants::resolve_ambient(&[root], None)?;
            doctor::test(&mut session(&Setup::default(), grants)?)
        });
    fs::remove_dir_all(&directory)?;
    tested
}

fn write_component() -> Result<ExitCode, Failure> {
    let mut output = io::stdout().lock();
    if output.is_terminal() {
        return Err(
            "the component is binary; expected a file: `docent component > docent.wasm`".into(),
        );
    }
    output.write_all(component::wasm())?;
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
