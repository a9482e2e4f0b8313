//! Entry point of `docent embed`: resolves its roots and the paths in them.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use docent_host::grant::{Right, RootSpec};

use crate::commands::embed::{self, Target};
use crate::config::{self, Flags, State};
use crate::terminal::error::CommandError;
use crate::terminal::place::Root;
use crate::terminal::style::visible;
use crate::{Program, VECTORS, args, granted_roots, surroundings};

impl Program {
    pub fn embed(self, args: args::Embed) -> Result<ExitCode, CommandError> {
        let surroundings = surroundings();
        let mut setup = config::setup(&Flags::from(args.roots), &surroundings)?;
        let mut paths = args.paths;
        if setup.roots.is_empty() {
            setup.roots = paths.drain(..).map(root).collect();
        }
        if setup.roots.is_empty() {
            return Err(config::no_roots(&surroundings).into());
        }
        let grants = granted_roots(&setup, &setup.roots, setup.default_root.as_deref())?;
        let has_place = match &setup.state {
            State::Directory(state) => grants.apart_ambient(&state.join(VECTORS)).is_some(),
            State::None => false,
        };
        if !has_place {
            let problem = "there is no place to keep vectors; name a directory outside the roots: \
                           `--state DIR`";
            return Err(CommandError::Usage(problem.to_owned()));
        }
        let roots = Root::all(&grants);
        let targets = if paths.is_empty() {
            let whole = |root| Target { root, path: None };
            roots.iter().map(whole).collect()
        } else {
            let found = paths.iter().map(|path| target(path, &roots));
            found.collect::<Result<Vec<_>, _>>()?
        };
        let mut session = self.session(&setup, grants)?;
        let mut output = io::stdout().lock();
        for target in &targets {
            embed::run(&mut output, &mut session, target)?;
        }
        Ok(ExitCode::SUCCESS)
    }
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
fn target<'a>(path: &Path, roots: &'a [Root]) -> Result<Target<'a>, CommandError> {
    let shown = path.display().to_string();
    let shown = visible(&shown);
    // Links are followed here, with the person's own rights, because the guard follows none.
    let resolved = path
        .canonicalize()
        .map_err(|error| CommandError::Usage(format!("`{shown}` cannot be embedded: {error}")))?;
    for root in roots {
        if let Ok(inside) = resolved.strip_prefix(&root.directory) {
            let inside = inside.to_str().ok_or_else(|| {
                let problem = format!("`{shown}` cannot be embedded: its name is not UTF-8");
                CommandError::Usage(problem)
            })?;
            let path = (!inside.is_empty()).then(|| inside.replace('\\', "/"));
            return Ok(Target { root, path });
        }
    }
    Err(CommandError::Usage(format!(
        "`{shown}` lies in no granted root; grant it: `docent embed --root {shown}`"
    )))
}
