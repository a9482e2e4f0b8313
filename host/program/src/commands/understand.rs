//! `docent understand`: the structure and the dependencies of files.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use docent_host::Session;
use docent_host::render::Renderer;
use docent_host::tools;
use serde_json::{Value, json};

use crate::app::App;
use crate::args::OutputArgs;
use crate::references::{FUNCTION, GrantedTree, request};
use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::outcome::{PathPresence, ResultPresence, exit_code};
use crate::terminal::page::Page;
use crate::terminal::place::PartPolicy;
use crate::terminal::style::{DIM, Layout};
use crate::terminal::wording;
use crate::writing::command_root::CommandRoot;

/// Lists of an answer whose entries name a file.
const LISTS: [&str; 5] = ["structure", "dependencies", "impact", "hotSpots", "summary"];

/// The arguments of `docent understand`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without a PATH or --symbol, the answer is about the whole tree: the purpose of each directory, and \
the files with the most references. For a file it is its structure, what it refers to, and what \
refers to it by links, imports and names. The tree is the configured root, otherwise the git \
repository, otherwise the current directory. Exit status: 0 when something is shown, 1 when no \
symbol has this name, 2 on an error.")]
pub struct UnderstandArgs {
    /// Files, directories, sections (`guide.md#setup`) or definitions (`app.py#run`)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Definition, in any file: `parse_config`, `Reader.read`
    #[arg(short = 's', long, value_name = "NAME")]
    symbol: Option<String>,
    /// Purpose of the request: matching content comes first if not everything fits
    #[arg(short = 'g', long, value_name = "TEXT")]
    goal: Option<String>,
    /// Aspects to show, separated by commas [default: those that fit the PATH]
    #[arg(
        long = "aspect",
        value_enum,
        value_delimiter = ',',
        value_name = "ASPECT"
    )]
    aspects: Vec<Aspect>,
    /// Depth to follow: 1, 2 or 5 steps or levels [default: standard]
    #[arg(short = 'd', long, value_enum)]
    depth: Option<ReferenceDepth>,
    /// Maximum bytes shown, 500 to 200000 [default: 8000]
    #[arg(short = 'c', long, value_name = "N")]
    max_chars: Option<u32>,
    /// Continue to the end, in pages of --max-chars bytes
    #[arg(short = 'a', long)]
    all: bool,
    /// Root of the tree
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// An aspect that `docent understand` shows.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Aspect {
    /// Its parts
    Structure,
    /// Files it depends on
    Dependencies,
    /// Files that refer to it
    Impact,
    /// Files with the most references
    HotSpots,
    /// Summary of each file
    Summary,
}

/// The depth to which `docent understand` follows references.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ReferenceDepth {
    /// 1 step
    Shallow,
    /// 2 steps
    Standard,
    /// 5 steps
    Deep,
}

impl Aspect {
    /// Returns its name in requests.
    fn name(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Dependencies => "dependencies",
            Self::Impact => "impact",
            Self::HotSpots => "hot-spots",
            Self::Summary => "summary",
        }
    }
}

impl ReferenceDepth {
    /// Returns its name in requests.
    fn name(self) -> &'static str {
        match self {
            Self::Shallow => "shallow",
            Self::Standard => "standard",
            Self::Deep => "deep",
        }
    }
}

/// Shows what the paths on the command line consist of, need and are needed by.
///
/// # Errors
/// Returns an error if the tree cannot be granted, if the component refuses or fails, or if the
/// output cannot be written.
pub fn run(app: &App, args: &UnderstandArgs) -> Result<ExitCode, CommandError> {
    let paths = (args.paths.as_slice(), PartPolicy::Taken);
    let mut tree = GrantedTree::open(app, &args.output, args.root.as_ref(), paths)?;
    let page = app.page(&args.output);
    let outcome = print(
        page,
        &mut tree.session,
        &tree.command_root,
        &tree.names,
        args,
    )?;
    Ok(exit_code(PathPresence::All, outcome))
}

/// Prints the dependencies of `paths`.
///
/// # Errors
/// Returns an error if the component refuses or fails, or if the output cannot be written.
fn print<W: Write>(
    mut page: Page<W>,
    session: &mut Session,
    command_root: &CommandRoot,
    paths: &[String],
    args: &UnderstandArgs,
) -> Result<ResultPresence, CommandError> {
    let mut request = request(paths);
    if let Some(symbol) = &args.symbol {
        request.insert("symbol".to_owned(), json!(symbol));
    }
    if let Some(goal) = &args.goal {
        request.insert("goal".to_owned(), json!(goal));
    }
    if !args.aspects.is_empty() {
        let aspects = args.aspects.iter().map(|aspect| aspect.name());
        request.insert("aspects".to_owned(), aspects.collect());
    }
    if let Some(depth) = args.depth {
        request.insert("depth".to_owned(), json!(depth.name()));
    }
    if let Some(chars) = args.max_chars {
        request.insert("limits".to_owned(), json!({ "maxChars": chars }));
    }
    let mut outcome = ResultPresence::Nothing;
    for pages in 0.. {
        let mut answer: Value = call(session, FUNCTION, request.clone())?;
        if answer["status"] != "no-results" {
            outcome = ResultPresence::Found;
        }
        let next = answer["nextCursor"].take();
        let continues = next.is_string() && args.all;
        for list in LISTS {
            for entry in answer[list].as_array_mut().into_iter().flatten() {
                rename(entry, command_root);
            }
        }
        if let Some(hint) = answer["hint"].as_str() {
            answer["hint"] = json!(wording::hint(FUNCTION, hint));
        }
        if page.layout == Layout::Json {
            page.object("answer", &answer)?;
        } else {
            if pages > 0 {
                writeln!(page.output)?;
            }
            let tool = tools::table().find(FUNCTION);
            let text = tool.map(|tool| Renderer::new().answer(tool.names(), &request, &answer));
            page.text(text.unwrap_or_default().trim_end())?;
        }
        if !continues {
            if next.is_string() && page.layout != Layout::Json {
                let more = page.paint.style(DIM, "There is more: --all shows it.");
                writeln!(page.output, "\n{more}")?;
            }
            break;
        }
        request.insert("cursor".to_owned(), next);
    }
    page.output.flush()?;
    Ok(outcome)
}

/// Rewrites the paths of an entry relative to the person's directory.
fn rename(entry: &mut Value, command_root: &CommandRoot) {
    for field in ["path", "to"] {
        if let Some(path) = entry[field].as_str() {
            entry[field] = json!(command_root.show(path));
        }
    }
    for path in entry["candidates"].as_array_mut().into_iter().flatten() {
        if let Some(text) = path.as_str() {
            *path = json!(command_root.show(text));
        }
    }
}
