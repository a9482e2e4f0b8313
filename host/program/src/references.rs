//! Parts shared by the commands about references between files: the tree that is granted, and the
//! paths in it.
//!
//! References to a file may be anywhere, so the directory is the one that a command granted for
//! writing would choose: a configured root, the git repository, the current directory; but it is
//! only read.

use std::path::PathBuf;

use docent_host::Session;
use docent_host::grant::{Right, RootSpec};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::args::OutputArgs;
use crate::config::Flags;
use crate::terminal::error::CommandError;
use crate::terminal::place::{PartPolicy, PathKind};
use crate::terminal::style::visible;
use crate::writing::command_root::CommandRoot;

/// Name of the component's function that follows references, and of its tool.
pub const FUNCTION: &str = "understand";

/// A tree that is granted for reading, and the paths of the command line in it.
pub struct GrantedTree {
    /// Directory of the tree.
    pub command_root: CommandRoot,
    /// Session of the tree.
    pub session: Session,
    /// Names of the paths for the component; empty if they are the whole tree.
    pub names: Vec<String>,
}

/// A path of the command line.
struct NamedPath {
    /// Path without links.
    resolved: PathBuf,
    is_directory: bool,
    /// Suffix after the path of a file: `#setup`.
    part: String,
}

impl GrantedTree {
    /// Grants the directory that contains all `paths`, for reading.
    ///
    /// # Errors
    /// Returns an error if a path does not exist or lies outside, if the directory cannot be
    /// granted, or if the component cannot be loaded.
    pub fn open(
        app: &App,
        output: &OutputArgs,
        root: Option<&PathBuf>,
        (paths, parts): (&[PathBuf], PartPolicy),
    ) -> Result<Self, CommandError> {
        let named = parse_path(app, paths, parts)?;
        let flags = Flags {
            config: output.config.clone(),
            ..Flags::default()
        };
        let setup = app.load_setup(&flags)?;
        let inside = |one: &NamedPath| match one.is_directory {
            // The directory is chosen by the parents of files. A made-up name in it makes a
            // directory count as its own parent.
            true => one.resolved.join("_"),
            false => one.resolved.clone(),
        };
        let inside: Vec<PathBuf> = named.iter().map(inside).collect();
        let chosen = match root {
            Some(directory) => Some(directory.clone()),
            None => app.choose_root(&setup, &inside).map(|root| root.path),
        };
        let Some(path) = chosen else {
            let message = "there is no current directory; name one with `--root DIR`";
            return Err(CommandError::Usage(message.to_owned()));
        };
        let root = RootSpec {
            name: None,
            path,
            right: Right::ReadOnly,
            sensitive: false,
        };
        let grants = app.grant_roots(&setup, &[root], None)?;
        let command_root = CommandRoot {
            root: grants.all()[0].path().to_owned(),
            here: app.current_directory(),
            is_usual: true,
        };
        let session = app.session_of_pages(&setup, grants)?;
        let names = names(&command_root, &named)?;
        Ok(Self {
            command_root,
            session,
            names,
        })
    }
}

fn parse_path(
    app: &App,
    paths: &[PathBuf],
    parts: PartPolicy,
) -> Result<Vec<NamedPath>, CommandError> {
    let named = paths.iter().map(|path| {
        let found = app.locate(path, parts).map_err(|error| {
            let shown = path.display().to_string();
            CommandError::Usage(format!("`{}` cannot be read: {error}", visible(&shown)))
        })?;
        Ok(NamedPath {
            resolved: found.resolved,
            is_directory: found.kind == PathKind::Directory,
            part: match found.kind {
                PathKind::Part(part) | PathKind::Member(part) => part,
                PathKind::Directory | PathKind::File => String::new(),
            },
        })
    });
    named.collect()
}

/// Returns the names of the paths for the component; empty if they are the whole tree.
fn names(command_root: &CommandRoot, named: &[NamedPath]) -> Result<Vec<String>, CommandError> {
    let files: Vec<PathBuf> = named.iter().map(|one| one.resolved.clone()).collect();
    let names = command_root.names(&files)?.into_iter().zip(named);
    let names: Vec<String> = names
        .map(|(name, one)| format!("{name}{}", one.part))
        .collect();
    if names.iter().any(String::is_empty) {
        return Ok(Vec::new());
    }
    Ok(names)
}

/// Returns the arguments of a call about these paths.
pub fn request(paths: &[String]) -> Map<String, Value> {
    let mut request = Map::new();
    if !paths.is_empty() {
        request.insert("paths".to_owned(), json!(paths));
    }
    request
}
