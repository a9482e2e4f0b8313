//! The environment, and the files that it names.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::StatePlace;

/// The sources of values besides flags.
pub struct ConfigSources<'a> {
    /// Returns an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// Reads a whole file.
    pub read: &'a dyn Fn(&Path) -> io::Result<String>,
}

impl ConfigSources<'_> {
    /// Returns an environment variable that is set and not blank.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let value = (self.variable)(name)?.into_string().ok()?;
        (!value.trim().is_empty()).then_some(value)
    }

    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        (self.variable)(name)
            // The XDG specification treats an empty variable as unset.
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    }

    /// Expands a leading `~/`, because clients start docent without a shell.
    pub(super) fn at_home(&self, path: PathBuf) -> PathBuf {
        // The path is compared by whole segments: `~ann/docs` is in another person's home and
        // remains unchanged.
        match (path.strip_prefix("~"), self.path("HOME")) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => path,
        }
    }

    pub(super) fn standard_file(&self) -> Option<PathBuf> {
        let directory = self.xdg("XDG_CONFIG_HOME", ".config")?;
        Some(directory.join("docent").join("config.toml"))
    }

    /// Returns the default path of the token file; none without a home directory.
    pub fn standard_tokens(&self) -> Option<PathBuf> {
        Some(self.standard_file()?.with_file_name("tokens.json"))
    }

    /// Returns the default state directory.
    pub fn standard_state(&self) -> StatePlace {
        let directory = self
            .xdg("XDG_STATE_HOME", ".local/state")
            // Windows keeps this directory on the machine, while `APPDATA` may be synced to
            // others. The state belongs to the paths of this machine.
            .or_else(|| self.path("LOCALAPPDATA"));
        directory.map_or(StatePlace::None, |it| {
            StatePlace::Directory(it.join("docent"))
        })
    }

    /// Returns the directory that a variable names, or the usual one below the home directory.
    fn xdg(&self, variable: &str, usual: &str) -> Option<PathBuf> {
        self.path(variable)
            // The XDG specification requires relative paths to be ignored.
            .filter(|path| path.is_absolute())
            .or_else(|| Some(self.path("HOME")?.join(usual)))
    }
}
