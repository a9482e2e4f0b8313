//! What is not said by flags: the environment, and files by it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::State;

/// Where values that are not flags come from.
pub struct Surroundings<'a> {
    /// Returns an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// Reads a file whole.
    pub read: &'a dyn Fn(&Path) -> io::Result<String>,
}

impl Surroundings<'_> {
    /// Returns an environment variable that is set and not blank.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let value = (self.variable)(name)?.into_string().ok()?;
        (!value.trim().is_empty()).then_some(value)
    }

    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        (self.variable)(name)
            // The XDG specification takes an empty variable for one that is not set.
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    }

    /// Replaces a leading `~/`, which no shell has replaced in a client's configuration.
    pub(super) fn at_home(&self, path: PathBuf) -> PathBuf {
        // By whole segments: `~ann/docs` is in another person's home, and stays as it is.
        match (path.strip_prefix("~"), self.path("HOME")) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => path,
        }
    }

    pub(super) fn standard_file(&self) -> Option<PathBuf> {
        let directory = self.xdg("XDG_CONFIG_HOME", ".config")?;
        Some(directory.join("docent").join("config.toml"))
    }

    /// Returns where tokens are kept unless another file is named; none where nobody is at home.
    pub fn standard_tokens(&self) -> Option<PathBuf> {
        Some(self.standard_file()?.with_file_name("tokens.json"))
    }

    /// Returns where what docent keeps lies unless another directory is named.
    pub fn standard_state(&self) -> State {
        let directory = self
            .xdg("XDG_STATE_HOME", ".local/state")
            // Of what stands there Windows copies nothing to other machines.
            .or_else(|| self.path("LOCALAPPDATA"));
        directory.map_or(State::None, |it| State::Directory(it.join("docent")))
    }

    /// Returns the directory that a variable names, or the usual one beneath the person's home.
    fn xdg(&self, variable: &str, usual: &str) -> Option<PathBuf> {
        self.path(variable)
            // The XDG specification has relative ones ignored.
            .filter(|path| path.is_absolute())
            .or_else(|| Some(self.path("HOME")?.join(usual)))
    }
}
