//! Entry points of the commands about a whole tree: the part of `lib.rs` that chooses the directory
//! to grant.
//!
//! References to a file may be anywhere, so the directory is the one that a command granted for
//! writing would choose: a configured root, the git repository, the current directory; but it is
//! only read.

use std::path::PathBuf;
use std::process::ExitCode;

use docent_host::Session;
use docent_host::grant::{Right, RootSpec};

use crate::args::{self, Output};
use crate::commands::understand;
use crate::config::{self, Flags};
use crate::editing::{chosen_ambient, here_ambient};
use crate::output::{ended, look, page};
use crate::reading::located;
use crate::terminal::error::CommandError;
use crate::terminal::outcome::Reach;
use crate::terminal::place::{Kind, Parts};
use crate::terminal::style::visible;
use crate::writing::ground::Ground;
use crate::{NOTHING, Program, granted_roots, surroundings};

/// A path of the command line.
struct Named {
    /// Path without links.
    resolved: PathBuf,
    is_directory: bool,
    /// Suffix after the path of a file: `#setup`.
    part: String,
}

impl Program {
    pub fn understand(self, args: &args::Understand) -> Result<ExitCode, CommandError> {
        let named = named(&args.paths, Parts::Taken)?;
        let (ground, mut session) = self.tree(&args.output, args.root.as_ref(), &named)?;
        let names = names(&ground, &named)?;
        let page = page(look(&args.output));
        let outcome = understand::print(page, &mut session, &ground, &names, args)?;
        Ok(ended(Reach::All, outcome))
    }

    pub fn links(self, args: &args::Links) -> Result<ExitCode, CommandError> {
        let named = named(&args.paths, Parts::Refused)?;
        let (ground, mut session) = self.tree(&args.output, args.root.as_ref(), &named)?;
        let names = names(&ground, &named)?;
        let page = page(look(&args.output));
        let is_broken = understand::print_links(page, &mut session, &ground, &names, args)?;
        Ok(if is_broken {
            ExitCode::from(NOTHING)
        } else {
            ExitCode::SUCCESS
        })
    }

    /// Grants the directory that contains all named paths, for reading.
    fn tree(
        self,
        output: &Output,
        root: Option<&PathBuf>,
        named: &[Named],
    ) -> Result<(Ground, Session), CommandError> {
        let flags = Flags {
            config: output.config.clone(),
            ..Flags::default()
        };
        let setup = config::setup(&flags, &surroundings())?;
        let inside = |one: &Named| match one.is_directory {
            // The choice is by the directories that contain files.
            true => one.resolved.join("_"),
            false => one.resolved.clone(),
        };
        let inside: Vec<PathBuf> = named.iter().map(inside).collect();
        let chosen = match root {
            Some(directory) => Some(directory.clone()),
            None => chosen_ambient(&setup, &inside).map(|root| root.path),
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
        let grants = granted_roots(&setup, &[root], None)?;
        let ground = Ground {
            root: grants.all()[0].path().to_owned(),
            here: here_ambient(),
            is_usual: true,
        };
        Ok((ground, self.session_of_pages(&setup, grants)?))
    }
}

fn named(paths: &[PathBuf], parts: Parts) -> Result<Vec<Named>, CommandError> {
    let named = paths.iter().map(|path| {
        let found = located(path, parts).map_err(|error| {
            let shown = path.display().to_string();
            CommandError::Usage(format!("`{}` cannot be read: {error}", visible(&shown)))
        })?;
        Ok(Named {
            resolved: found.resolved,
            is_directory: found.kind == Kind::Directory,
            part: match found.kind {
                Kind::Part(part) => part,
                Kind::Directory | Kind::File => String::new(),
            },
        })
    });
    named.collect()
}

/// Returns the names of the paths for the component; empty if they are the whole tree.
fn names(ground: &Ground, named: &[Named]) -> Result<Vec<String>, CommandError> {
    let files: Vec<PathBuf> = named.iter().map(|one| one.resolved.clone()).collect();
    let names = ground.names(&files)?.into_iter().zip(named);
    let names: Vec<String> = names
        .map(|(name, one)| format!("{name}{}", one.part))
        .collect();
    if names.iter().any(String::is_empty) {
        return Ok(Vec::new());
    }
    Ok(names)
}
