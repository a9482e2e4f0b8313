//! `docent embed`: embeds all passages before the first query.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use docent_host::Session;
use docent_host::grant::{Right, RootSpec};
use serde::Deserialize;
use serde_json::{Map, json};

use crate::app::{App, VECTORS};
use crate::args::Roots;
use crate::config::{self, Flags, StatePlace};
use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::place::GrantedRoot;
use crate::terminal::style::{count_noun, visible};

/// Function of the component that creates vectors.
const FUNCTION: &str = "manage";

/// The arguments of `docent embed`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent embed --root ~/notes --embedder http://127.0.0.1:11434/v1#bge-m3

This command is optional: semantic search computes the vectors that it needs, and stores them. \
With all vectors it also finds passages that share no word with the query. The command can be \
stopped at any time; the next run continues from there. Use the same root names as the server that \
will answer queries. Exit status: 0 when all is embedded, 2 on an error.")]
pub struct EmbedArgs {
    /// Files and directories in the granted roots, or directories where none is granted
    paths: Vec<PathBuf>,
    #[command(flatten)]
    roots: Roots,
}

/// Embeds the passages of the paths on the command line, or of all roots.
///
/// # Errors
/// Returns an error if a path is in no granted root, if there is no place to keep vectors, if there
/// is no embedder or it fails, if the component refuses or fails, or if the output cannot be
/// written.
pub fn run(app: &App, args: EmbedArgs) -> Result<ExitCode, CommandError> {
    let mut setup = app.load_setup(&Flags::from(args.roots))?;
    let mut paths = args.paths;
    if setup.roots.is_empty() {
        setup.roots = paths.drain(..).map(root).collect();
    }
    if setup.roots.is_empty() {
        return Err(config::no_roots(&app.surroundings()).into());
    }
    let grants = app.grant_roots(&setup, &setup.roots, setup.default_root.as_deref())?;
    let has_place = match &setup.state {
        StatePlace::Directory(state) => grants.apart_ambient(&state.join(VECTORS)).is_some(),
        StatePlace::None => false,
    };
    if !has_place {
        let problem = "there is no place to keep vectors; name a directory outside the roots: \
                       `--state DIR`";
        return Err(CommandError::Usage(problem.to_owned()));
    }
    let roots = GrantedRoot::all(&grants);
    let targets = if paths.is_empty() {
        let whole = |root| EmbedTarget { root, path: None };
        roots.iter().map(whole).collect()
    } else {
        let found = paths.iter().map(|path| target(app, path, &roots));
        found.collect::<Result<Vec<_>, _>>()?
    };
    let mut session = app.session(&setup, grants)?;
    let mut output = app.stdout();
    for target in &targets {
        embed(&mut output, &mut session, target)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns a directory as a root of its own.
fn root(path: PathBuf) -> RootSpec {
    RootSpec {
        name: None,
        path,
        right: Right::ReadOnly,
        sensitive: false,
    }
}

/// Resolves a path in the roots.
///
/// # Errors
/// Returns an error if the path does not exist, or is in none of them.
fn target<'a>(
    app: &App,
    path: &Path,
    roots: &'a [GrantedRoot],
) -> Result<EmbedTarget<'a>, CommandError> {
    let shown = path.display().to_string();
    let shown = visible(&shown);
    // Links are followed here, with the person's own rights, because the guard follows none.
    let resolved = app
        .canonicalize(path)
        .map_err(|error| CommandError::Usage(format!("`{shown}` cannot be embedded: {error}")))?;
    for root in roots {
        if let Ok(inside) = resolved.strip_prefix(&root.directory) {
            let inside = inside.to_str().ok_or_else(|| {
                let problem = format!("`{shown}` cannot be embedded: its name is not UTF-8");
                CommandError::Usage(problem)
            })?;
            let path = (!inside.is_empty()).then(|| inside.replace('\\', "/"));
            return Ok(EmbedTarget { root, path });
        }
    }
    Err(CommandError::Usage(format!(
        "`{shown}` is not in a granted root; grant it: `docent embed --root {shown}`"
    )))
}

/// A target to embed: a root, or a file or directory in it.
struct EmbedTarget<'a> {
    /// The root.
    root: &'a GrantedRoot,
    /// Path in the root; none for the whole root.
    path: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EmbedAnswer {
    model: Option<String>,
    vectors: Option<EmbedCounts>,
    next_cursor: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EmbedCounts {
    documents: u64,
    passages: u64,
    made: u64,
    left_out: u64,
}

impl EmbedCounts {
    fn add(&mut self, other: Self) {
        self.documents += other.documents;
        self.passages += other.passages;
        self.made += other.made;
        self.left_out += other.left_out;
    }

    fn count_passages(self) -> String {
        let passages = count_noun(self.passages, "passage");
        format!("{passages} of {}", count_noun(self.documents, "document"))
    }
}

/// Embeds all passages of a target that have no vector yet, and prints a line with the totals.
///
/// # Errors
/// Returns an error if there is no embedder or it fails, if the vectors would not be kept, if the
/// component refuses or fails, or if the output cannot be written.
fn embed(
    output: &mut impl Write,
    session: &mut Session,
    target: &EmbedTarget<'_>,
) -> Result<(), CommandError> {
    let mut all = EmbedCounts::default();
    let mut cursor = None;
    let model = loop {
        let mut request = Map::new();
        request.insert("command".to_owned(), json!("reindex"));
        request.insert("root".to_owned(), json!(target.root.name));
        for (name, value) in [("target", &target.path), ("cursor", &cursor)] {
            if let Some(value) = value {
                request.insert(name.to_owned(), json!(value));
            }
        }
        let answer: EmbedAnswer = call(session, FUNCTION, request)?;
        let (Some(model), Some(made)) = (answer.model, answer.vectors) else {
            let problem = "no embedder is named; name one: `docent embed --embedder URL#MODEL`";
            return Err(CommandError::Usage(problem.to_owned()));
        };
        if !session.keeps_vectors() {
            let problem = format!(
                "the vectors of {} would not be kept: another docent writes to its file, or the state \
                 directory cannot be written to; stop the other one",
                visible(&model)
            );
            return Err(CommandError::Usage(problem));
        }
        all.add(made);
        if answer.next_cursor.is_none() {
            break model;
        }
        // A tree may take hours, in calls of a few seconds each, so progress is shown.
        note(format_args!(
            "{}, {} of them new",
            all.count_passages(),
            all.made
        ));
        cursor = answer.next_cursor;
    };
    let name = visible(&target.root.name);
    let model = visible(&model);
    let (counted, new) = (all.count_passages(), all.made);
    writeln!(output, "{name}: {counted}, {new} of them new to {model}")?;
    output.flush()?;
    if all.left_out > 0 {
        note(format_args!("{model} rejects {} of them", all.left_out));
    }
    if session.vectors_are_full() {
        note(format_args!(
            "not all of them are kept: the file for {model} holds {} MB at most",
            session.limits().vector_file >> 20
        ));
    }
    Ok(())
}
