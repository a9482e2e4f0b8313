//! The options for the log of calls, and the places that they name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use docent_access_log::anchor::Anchor;
use docent_access_log::entry::Program;
use docent_access_log::{Hash, Log, LogError, StoreError, running_program_ambient};
use docent_host::component;
use docent_host::grant::Grants;

use crate::app::App;
use crate::config::StatePlace;
use crate::serve;
use crate::serve::recorder::Recorder;
use crate::terminal::error::CommandError;

/// Name of the log in the state directory.
const LOG: &str = "log";

/// Extension of the key file beside its log.
const KEY: &str = "key";

/// The options that record calls.
#[derive(Debug, Args)]
pub struct Logging {
    /// Record every call, with the files that it opened, in the log in DIR
    #[arg(long, value_name = "DIR")]
    pub log: Option<PathBuf>,
    /// Serve each call with an instance of its own, so that an answer depends only on files that
    /// its call opened
    #[arg(long)]
    pub log_exact: bool,
    /// Keep checkpoints of the log elsewhere too: file:PATH, exec:PROGRAM, git:DIR or syslog;
    /// repeatable
    #[arg(long, value_name = "ANCHOR")]
    pub anchor: Vec<Anchor>,
}

impl Logging {
    /// Returns the recorder of calls if a log is named, or if there is one in `state`.
    ///
    /// # Errors
    /// Returns an error if the log is in a root, or cannot be written.
    pub fn recorder_ambient(
        self,
        state: Option<&StatePlace>,
        grants: &Grants,
    ) -> Result<Option<Arc<Recorder>>, CommandError> {
        let usual = match state {
            Some(StatePlace::Directory(state)) => Some(state.join(LOG)),
            Some(StatePlace::None) | None => None,
        };
        let Some(directory) = self.log.or(usual) else {
            return Ok(None);
        };
        let Some(directory) = grants.apart_ambient(&directory) else {
            return Err(CommandError::Usage(format!(
                "the log `{}` is inside a root, or contains one; name another directory with \
                 `--log DIR`",
                directory.display()
            )));
        };
        let rights = serve::roots(grants);
        let text =
            |root: &serde_json::Value, name: &str| root[name].as_str().unwrap_or("").to_owned();
        let program = Program {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            component: Hash::from_sha256(component::sha256()),
            roots: rights
                .iter()
                .map(|root| (text(root, "name"), text(root, "right")))
                .collect(),
            exact: self.log_exact,
        };
        let log = Log::open_ambient(&directory, &key_path(&directory), self.anchor, program);
        let log = log.map_err(|error| match error {
            LogError::Store(StoreError::Busy(_)) => CommandError::Usage(format!(
                "{error}, such as another `docent serve` of yours; give this one a log of its own \
                 with `--log DIR`"
            )),
            LogError::Store(StoreError::Io(..)) => {
                CommandError::Usage(format!("{error}; name another place with `--log DIR`"))
            }
            error => error.into(),
        })?;
        Ok(Some(Arc::new(Recorder::new(log))))
    }
}

/// The log that a command reads.
#[derive(Debug, Args)]
pub struct LogPlace {
    /// Log directory [default: docent/log in $XDG_STATE_HOME]
    #[arg(long, value_name = "DIR")]
    pub log: Option<PathBuf>,
}

impl LogPlace {
    /// Returns the directory of the log.
    ///
    /// # Errors
    /// Returns an error if none is named and this machine has no place for it.
    pub fn directory(&self, app: &App) -> Result<PathBuf, CommandError> {
        if let Some(directory) = &self.log {
            return Ok(std::path::absolute(directory)?);
        }
        match app.surroundings().standard_state() {
            StatePlace::Directory(state) => Ok(state.join(LOG)),
            StatePlace::None => Err(CommandError::Usage(
                "no place for a log; name one with `--log DIR`".to_owned(),
            )),
        }
    }
}

/// Returns the roots of the running program, usually a server, that writes to the log in `state`;
/// none if there is no such program.
pub fn running_roots_ambient(state: &StatePlace) -> Option<Vec<String>> {
    let StatePlace::Directory(state) = state else {
        return None;
    };
    // An unreadable log is treated as one without a running program.
    let start = running_program_ambient(&state.join(LOG)).ok()??;
    Some(start.roots.into_keys().collect())
}

/// Returns the path of the key of the log in a directory.
pub fn key_path(directory: &Path) -> PathBuf {
    let mut name = directory.as_os_str().to_owned();
    name.push(".");
    name.push(KEY);
    name.into()
}
