//! Entry points of the commands that write: the part of `lib.rs` that chooses the directory to
//! grant and reads their input.

use std::env;
use std::fmt::Display;
use std::fs;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use docent_host::Session;
use docent_host::grant::{Grants, Right, RootSpec};
use serde_json::{Map, json};

use crate::args::{self, Kept, Output, Writing};
use crate::commands::undo::{Direction, Target};
use crate::commands::{edit, history, undo};
use crate::config::{self, Flags, Setup, State};
use crate::output::{ended, look, page};
use crate::spelling::as_listed_ambient;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::Reach;
use crate::terminal::style::visible;
use crate::writing::ground::{Candidates, Ground};
use crate::writing::{Done, Mode, Request};
use crate::{NOTHING, Program, TROUBLE, surroundings, writing};

/// Maximum bytes of a text on the command line or in a file: more than any file that docent writes.
const TEXT_BYTES: u64 = 64 << 20;

/// The treatment of the last segment of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Its target, with links followed.
    Target,
    /// The entry itself, even if it is a link.
    Name,
}

impl Program {
    pub fn edit(self, args: &args::Edit) -> Result<ExitCode, CommandError> {
        let file = existing_ambient(&args.file)?;
        let mut fields = edit::fields(args, &read_ambient)?;
        self.written(&args.writing, &[file], |names| {
            fields.insert("path".to_owned(), json!(names[0]));
            Request::for_edit(fields)
        })
    }

    pub fn apply(self, args: &args::Apply) -> Result<ExitCode, CommandError> {
        let mut fields = Map::new();
        fields.insert("diff".to_owned(), json!(read_ambient(&args.patch)?));
        // The patch names its files, relative to the root.
        self.written(&args.writing, &[], |_| Request::for_edit(fields))
    }

    pub fn write(self, args: args::Write) -> Result<ExitCode, CommandError> {
        let file = resolved_ambient(&args.file, Last::Target)?;
        let content = match (args.content, args.template.is_some()) {
            (None, false) => {
                let from = args.from.as_deref().unwrap_or(Path::new("-"));
                Some(read_ambient(from)?)
            }
            (content, _) => content,
        };
        self.written(&args.writing, &[file], |names| {
            let mut request = Map::new();
            request.insert("path".to_owned(), json!(names[0]));
            if let Some(template) = args.template {
                let variable =
                    |(name, value): (String, String)| json!({"name": name, "value": value});
                let variables: Vec<_> = args.set.into_iter().map(variable).collect();
                request.insert("template".to_owned(), json!(template));
                request.insert("variables".to_owned(), json!(variables));
            }
            if let Some(content) = content {
                request.insert("content".to_owned(), json!(content));
            }
            if args.overwrite {
                request.insert("ifExists".to_owned(), json!("overwrite"));
            }
            if let Some(hash) = args.hash {
                request.insert("expectHash".to_owned(), json!(hash));
            }
            Request::for_file(request)
        })
    }

    pub fn mv(self, args: &args::Mv) -> Result<ExitCode, CommandError> {
        // A link is not followed: its target would be moved, and the link would break.
        let metadata = fs::symlink_metadata(as_listed_ambient(&args.old))
            .map_err(|error| unusable(&args.old, format_args!("cannot be opened: {error}")))?;
        let old = resolved_ambient(&args.old, Last::Name)?;
        let new = if args.new.is_dir() {
            let directory = resolved_ambient(&args.new, Last::Target)?;
            directory.join(old.file_name().unwrap_or_default())
        } else if metadata.is_dir() {
            // The new path of a directory may end with a slash.
            resolved_ambient(&args.new.components().collect::<PathBuf>(), Last::Name)?
        } else {
            resolved_ambient(&args.new, Last::Name)?
        };
        self.written(&args.writing, &[old, new], |names| {
            let mut fields = Map::new();
            fields.insert("path".to_owned(), json!(names[0]));
            fields.insert("move".to_owned(), json!(names[1]));
            Request::for_edit(fields)
        })
    }

    pub fn history(self, args: &args::History) -> Result<ExitCode, CommandError> {
        let file = args.file.as_deref().map(named_ambient).transpose()?;
        let files: Vec<PathBuf> = file.into_iter().collect();
        let (ground, mut session) = self.ground(&args.kept, &args.output, &files)?;
        let names = ground.names(&files)?;
        let page = page(look(&args.output));
        let what = (names.first().map(String::as_str), args.limit);
        let outcome = history::print(page, &mut session, &ground, what, &chrono::Local)?;
        Ok(ended(Reach::All, outcome))
    }

    pub fn undo(self, args: &args::Undo) -> Result<ExitCode, CommandError> {
        let target = args.target.as_deref();
        self.take_back(Direction::Undo, target, &args.kept, &args.output)
    }

    pub fn redo(self, args: &args::Redo) -> Result<ExitCode, CommandError> {
        let target = args.target.as_deref();
        self.take_back(Direction::Redo, target, &args.kept, &args.output)
    }

    fn take_back(
        self,
        direction: Direction,
        target: Option<&Path>,
        kept: &Kept,
        output: &Output,
    ) -> Result<ExitCode, CommandError> {
        let (number, files) = match Target::from_argument(target) {
            Target::Latest => (None, Vec::new()),
            Target::Number(number) => (Some(number.to_owned()), Vec::new()),
            Target::File(file) => (None, vec![named_ambient(file)?]),
        };
        let (ground, mut session) = self.ground(kept, output, &files)?;
        // Marked as a path, because the name of a file may be a number.
        let name = ground.names(&files)?.pop().map(|name| format!("./{name}"));
        let target = number.or(name);
        let page = page(look(output));
        undo::run(page, &mut session, &ground, direction, target.as_deref())?;
        Ok(ExitCode::SUCCESS)
    }

    /// Makes the call that `ask` returns for the names of `files`, and prints its outcome.
    fn written(
        self,
        writing: &Writing,
        files: &[PathBuf],
        ask: impl FnOnce(&[String]) -> Request,
    ) -> Result<ExitCode, CommandError> {
        let mode = if writing.apply {
            Mode::Apply
        } else {
            Mode::DryRun
        };
        let (ground, mut session) = self.ground(&writing.kept, &writing.output, files)?;
        let request = ask(&ground.names(files)?);
        let written = request.ask(&mut session, mode, writing.note.as_deref())?;
        let page = page(look(&writing.output));
        Ok(match writing::print(page, &written, &ground, mode)? {
            Done::All => ExitCode::SUCCESS,
            Done::Nothing => ExitCode::from(NOTHING),
            Done::Part => ExitCode::from(TROUBLE),
        })
    }

    /// Grants the directory that a command about `files` writes to. A dry run is granted the same
    /// one: an interrupted write is completed before anything is read, so that the diff shown is
    /// the one that would be written.
    fn ground(
        self,
        kept: &Kept,
        output: &Output,
        files: &[PathBuf],
    ) -> Result<(Ground, Session), CommandError> {
        let flags = Flags {
            state: kept.state(),
            config: output.config.clone(),
            ..Flags::default()
        };
        let setup = config::setup(&flags, &surroundings())?;
        let usual = chosen_ambient(&setup, &[]);
        let root = match &kept.root {
            Some(directory) => Some(writable(directory.clone())),
            None => chosen_ambient(&setup, files),
        };
        let Some(root) = root else {
            let message = "there is no current directory; name one with `--root DIR`";
            return Err(CommandError::Usage(message.to_owned()));
        };
        let mut grants = Grants::resolve_ambient(&[root], None)?;
        if let State::Directory(directory) = &setup.state {
            grants = grants.keep_state_ambient(directory)?;
        }
        let root = grants.all()[0].path().to_owned();
        let ground = Ground {
            is_usual: usual.is_some_and(|usual| usual.path == root),
            root,
            here: here_ambient(),
        };
        Ok((ground, self.session(&setup, grants)?))
    }
}

/// Returns the directory to which a command about `files` writes.
pub fn chosen_ambient(setup: &Setup, files: &[PathBuf]) -> Option<RootSpec> {
    let configured = setup.roots.iter().filter_map(|root| {
        let path = root.path.canonicalize().ok()?;
        Some(RootSpec {
            path,
            ..root.clone()
        })
    });
    let state = match &setup.state {
        State::Directory(directory) => resolved_ambient(directory, Last::Target).ok(),
        State::None => None,
    };
    let configured: Vec<RootSpec> = configured.collect();
    Candidates {
        files,
        here: here_ambient().as_deref(),
        configured: &configured,
        state: state.as_deref(),
        // `.git` is a directory, and a file in additional work trees.
        is_repository: &|directory| directory.join(".git").exists(),
        device: &device_ambient,
    }
    .choose()
}

fn writable(path: PathBuf) -> RootSpec {
    RootSpec {
        name: None,
        path,
        right: Right::ReadWrite,
        sensitive: false,
    }
}

/// Returns the device of a directory; of its nearest existing ancestor if it does not exist.
#[cfg(unix)]
fn device_ambient(directory: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = directory
        .ancestors()
        .find_map(|there| there.metadata().ok());
    metadata.map(|metadata| metadata.dev())
}

/// Returns nothing: on these systems, only the guard can detect another file system.
#[cfg(not(unix))]
fn device_ambient(_: &Path) -> Option<u64> {
    None
}

/// Returns the current directory without links; none if it was removed.
pub fn here_ambient() -> Option<PathBuf> {
    env::current_dir().and_then(fs::canonicalize).ok()
}

/// Resolves the path of a file that must exist.
fn existing_ambient(path: &Path) -> Result<PathBuf, CommandError> {
    let listed = as_listed_ambient(path);
    let path = &*listed;
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(unusable(path, "is a directory; expected a file")),
        Ok(_) => resolved_ambient(path, Last::Target),
        Err(error) => Err(unusable(path, format_args!("cannot be opened: {error}"))),
    }
}

/// Resolves the path of a file in the history, which may no longer exist.
fn named_ambient(path: &Path) -> Result<PathBuf, CommandError> {
    let listed = as_listed_ambient(path);
    let path = &*listed;
    if path.is_dir() {
        return Err(unusable(
            path,
            "is a directory; expected a file, or `--root DIR` for all of its history",
        ));
    }
    resolved_ambient(path, Last::Target)
}

/// Resolves a path that need not exist: absolute, with the links of its existing part followed.
fn resolved_ambient(path: &Path, last: Last) -> Result<PathBuf, CommandError> {
    let listed = as_listed_ambient(path);
    let path = &*listed;
    let no_file = || unusable(path, "names no file");
    if last == Last::Target
        && let Ok(target) = path.canonicalize()
    {
        return Ok(target);
    }
    // A name with a trailing slash would be created as a file.
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.ends_with(b"/") && !path.is_dir() {
        return Err(unusable(path, "is no directory that is there"));
    }
    let absolute = std::path::absolute(path).map_err(|error| unusable(path, error))?;
    let mut names = Vec::new();
    let mut above = absolute.as_path();
    // `..` after a missing entry has no meaning, and is not a file name.
    while let (Some(parent), Some(name)) = (above.parent(), above.file_name()) {
        names.push(name);
        match parent.canonicalize() {
            Ok(directory) => return Ok(directory.join(names.iter().rev().collect::<PathBuf>())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => above = parent,
            Err(error) => return Err(unusable(path, format_args!("cannot be reached: {error}"))),
        }
    }
    Err(no_file())
}

/// Reads the text of a file, or of stdin for `-`.
fn read_ambient(path: &Path) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            note("the text is read from the terminal; Ctrl-D ends it");
        }
        stdin.lock().take(TEXT_BYTES + 1).read_to_end(&mut bytes)
    } else {
        let file = fs::File::open(path);
        file.and_then(|file| file.take(TEXT_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| unusable(path, format_args!("cannot be read: {error}")))?;
    if bytes.len() as u64 > TEXT_BYTES {
        return Err(unusable(
            path,
            format_args!("is longer than a text may be, {TEXT_BYTES} bytes"),
        ));
    }
    String::from_utf8(bytes).map_err(|_| unusable(path, "is not UTF-8; expected a text"))
}

fn unusable(path: &Path, problem: impl Display) -> CommandError {
    let shown = path.display().to_string();
    CommandError::Usage(format!("`{}` {problem}", visible(&shown)))
}
