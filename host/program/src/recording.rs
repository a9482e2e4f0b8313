//! Entry points of recording and of `docent log`: the part of `lib.rs` that resolves the directory
//! of the log.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use docent_access_log::anchor::notes;
use docent_access_log::entry::{Entry, Program};
use docent_access_log::key::{Signer, Verifier};
use docent_access_log::note::Checkpoint;
use docent_access_log::proof::{Proof, prove_ambient};
use docent_access_log::verify::Witnesses;
use docent_access_log::withhold::{drop_ambient, erase_ambient};
use docent_access_log::{
    Hash, Log, LogError, StoreError, last_checkpoint_ambient, running_program_ambient,
};
use docent_host::component;
use docent_host::grant::Grants;

use crate::args::{LogCommand, LogPlace, Logging, VerifyLog};
use crate::commands::log::{self, Checked};
use crate::config::State;
use crate::output::print;
use crate::serve::recorder::Recorder;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::{NOTHING, TROUBLE, serve, surroundings};

/// Name of the log in the state directory.
const LOG: &str = "log";

/// Extension of the key file beside its log.
const KEY: &str = "key";

/// Returns the recorder of calls if a log is named, or if there is one in `state`.
///
/// # Errors
/// Returns an error if the log is in a root, or cannot be written.
pub fn recorder(
    args: Logging,
    state: Option<&State>,
    grants: &Grants,
) -> Result<Option<Arc<Recorder>>, CommandError> {
    let usual = match state {
        Some(State::Directory(state)) => Some(state.join(LOG)),
        Some(State::None) | None => None,
    };
    let Some(directory) = args.log.or(usual) else {
        return Ok(None);
    };
    let Some(directory) = grants.apart_ambient(&directory) else {
        return Err(CommandError::Usage(format!(
            "the log `{}` lies in a root, or holds one; name another place with `--log DIR`",
            directory.display()
        )));
    };
    let rights = serve::roots(grants);
    let text = |root: &serde_json::Value, name: &str| root[name].as_str().unwrap_or("").to_owned();
    let program = Program {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        component: Hash::from_sha256(component::sha256()),
        roots: rights
            .iter()
            .map(|root| (text(root, "name"), text(root, "right")))
            .collect(),
        exact: args.log_exact,
    };
    let log = Log::open_ambient(&directory, &key_of(&directory), args.anchor, program);
    let log = log.map_err(|error| match error {
        LogError::Store(StoreError::Busy(_)) => CommandError::Usage(format!(
            "{error}, such as another `docent serve` of yours; give this one a log of its own with \
             `--log DIR`"
        )),
        LogError::Store(StoreError::Io(..)) => {
            CommandError::Usage(format!("{error}; name another place with `--log DIR`"))
        }
        error => error.into(),
    })?;
    Ok(Some(Arc::new(Recorder::new(log))))
}

/// Returns the roots of the running program, usually a server, that writes to the log in `state`;
/// none if there is no such program.
pub fn running_roots(state: &State) -> Option<Vec<String>> {
    let State::Directory(state) = state else {
        return None;
    };
    // An unreadable log is treated as one without a running program.
    let start = running_program_ambient(&state.join(LOG)).ok()??;
    Some(start.roots.into_keys().collect())
}

/// Returns the path of the key of the log in a directory.
fn key_of(directory: &Path) -> PathBuf {
    let mut name = directory.as_os_str().to_owned();
    name.push(".");
    name.push(KEY);
    name.into()
}

/// Returns the log that the arguments name.
fn place(args: &LogPlace) -> Result<PathBuf, CommandError> {
    if let Some(directory) = &args.log {
        return Ok(std::path::absolute(directory)?);
    }
    match surroundings().standard_state() {
        State::Directory(state) => Ok(state.join(LOG)),
        State::None => Err(CommandError::Usage(
            "no place for a log; name one with `--log DIR`".to_owned(),
        )),
    }
}

pub fn log(command: LogCommand) -> Result<ExitCode, CommandError> {
    match command {
        LogCommand::Verify(args) => verify(&args),
        LogCommand::Show(args) => {
            let text = log::show(&args, &place(&args.place)?)?;
            if text.is_empty() {
                return Ok(ExitCode::from(NOTHING));
            }
            print(&text)
        }
        LogCommand::Prove(args) => {
            let proof = prove_ambient(&place(&args.place)?, args.entry)?;
            print(&serde_json::to_string_pretty(&proof).map_err(CommandError::Answer)?)
        }
        LogCommand::Key(args) => {
            let directory = place(&args)?;
            print(&own_key(&directory)?.to_string())
        }
        LogCommand::Anchor(args) => {
            let directory = place(&args.place)?;
            let last = last_checkpoint_ambient(&directory)?;
            let checkpoint = last.ok_or_else(|| {
                CommandError::Usage("nothing of the log is signed yet".to_owned())
            })?;
            // A checkpoint that this machine has not signed is not passed on.
            Checkpoint::parse_verified(&checkpoint, &own_key(&directory)?)
                .map_err(|error| CommandError::Usage(format!("the last checkpoint: {error}")))?;
            for anchor in &args.anchors {
                anchor.keep_ambient(&checkpoint)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        LogCommand::Erase(args) => {
            let is_meant = |line: &docent_access_log::Line| {
                let has_path = |path: &String| match &line.entry {
                    Some(Entry::Call(call)) => call.files.has(path),
                    Some(Entry::Begin(begin)) => begin.names(path),
                    _ => false,
                };
                log::is_meant(line, args.who.as_deref(), args.call)
                    && args.path.as_ref().is_none_or(has_path)
            };
            let erased = erase_ambient(&place(&args.place)?, is_meant)?;
            note(format_args!("{erased} entries erased"));
            Ok(if erased > 0 {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(NOTHING)
            })
        }
        LogCommand::Drop(args) => {
            let time = log::time(&args.before, chrono::Utc::now())?;
            let dropped = drop_ambient(&place(&args.place)?, &time)?;
            note(format_args!("{dropped} entries dropped"));
            Ok(if dropped > 0 {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(NOTHING)
            })
        }
    }
}

fn verify(args: &VerifyLog) -> Result<ExitCode, CommandError> {
    let named = args.key.as_deref().map(named_key).transpose()?;
    let (text, checked) = match (&args.proof, &named) {
        (Some(path), Some(key)) => {
            let proof: Proof = serde_json::from_str(&read(path)?).map_err(|error| {
                CommandError::Usage(format!("`{}` is no proof: {error}", path.display()))
            })?;
            log::check_proof(&proof, key)
        }
        _ => {
            let directory = place(&args.place)?;
            let mut witnesses = Witnesses {
                // Without one, the key in the log detects accidental changes at least.
                key: named.or_else(|| own_key(&directory).ok()),
                anchored: Vec::new(),
            };
            for path in &args.against {
                let found = notes(&read(path)?);
                if found.is_empty() {
                    let problem = format!("`{}` holds no checkpoint", path.display());
                    return Err(CommandError::Usage(problem));
                }
                witnesses.anchored.extend(found);
            }
            log::verify(&directory, &witnesses)?
        }
    };
    print(&text)?;
    Ok(match checked {
        Checked::Intact => ExitCode::SUCCESS,
        Checked::Tampered => ExitCode::from(NOTHING),
        Checked::Unknown => ExitCode::from(TROUBLE),
    })
}

/// Parses a key, given literally or by the name of a file.
fn named_key(text: &str) -> Result<Verifier, CommandError> {
    let path = Path::new(text);
    let read = if path.exists() {
        Verifier::read_ambient(path)
    } else {
        Verifier::parse(text)
    };
    read.map_err(|error| CommandError::Usage(format!("`--key`: {error}")))
}

/// Returns the public key of this machine for the log in a directory.
fn own_key(directory: &Path) -> Result<Verifier, CommandError> {
    let path = key_of(directory);
    let signer = Signer::read_ambient(&path)
        .map_err(|error| CommandError::Usage(format!("`{}`: {error}", path.display())))?;
    Ok(signer.verifier().clone())
}

fn read(path: &Path) -> Result<String, CommandError> {
    fs::read_to_string(path).map_err(|error| {
        CommandError::Usage(format!("`{}` cannot be read: {error}", path.display()))
    })
}
