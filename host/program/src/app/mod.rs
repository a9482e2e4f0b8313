//! The rights of the process as a value: the environment, files that are not documents, the
//! terminal and the clock.
//!
//! `lib.rs` makes the [`App`] and passes it to the command that runs. A function that is not given
//! one, and whose name does not end in `_ambient`, has none of these rights.
//!
//! `session` configures, grants and loads; `places` resolves the paths of commands that find and
//! read, `files` those of others, with `spelling` for names in another normal form; `stdout` knows
//! the terminal.

mod files;
mod places;
mod session;
mod spelling;
mod stdout;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use chrono::{DateTime, Local};

use crate::config::ConfigSources;
use crate::terminal::trace::Trace;

pub use files::Last;
pub use session::VECTORS;

/// The program, as it was started, with the rights of the process.
#[derive(Clone, Copy)]
pub struct App {
    trace: Trace,
}

impl App {
    /// Creates the value.
    pub fn new_ambient(trace: Trace) -> Self {
        Self { trace }
    }

    /// Returns the state of tracing.
    pub fn trace(&self) -> Trace {
        self.trace
    }

    /// Returns the sources of the configuration besides flags.
    pub fn surroundings(&self) -> ConfigSources<'static> {
        ConfigSources {
            variable: &|name| env::var_os(name),
            read: &|path| fs::read_to_string(path),
        }
    }

    /// Returns an environment variable.
    pub fn variable(&self, name: &str) -> Option<OsString> {
        env::var_os(name)
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is not UTF-8.
    pub fn read(&self, path: &Path) -> io::Result<String> {
        fs::read_to_string(path)
    }

    /// Returns the time.
    pub fn now(&self) -> DateTime<Local> {
        Local::now()
    }

    /// Returns the time zone of this machine.
    pub fn zone(&self) -> Local {
        Local
    }
}
