//! Programs on this machine: docent's own path, and those by which clients are found.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use docent_client_config::{Client, ClientEnvironment, NAME};

use crate::terminal::error::CommandError;

/// Returns the absolute path of this program for a client's configuration: its path on PATH if it
/// has one, else its own place. On PATH there may be a link that a package manager keeps pointing
/// at the newest version.
///
/// # Errors
/// Returns an error if the path is unknown or not UTF-8.
pub fn own_path_ambient(environment: &ClientEnvironment<'_>) -> Result<String, CommandError> {
    let own = env::current_exe()?;
    let real = fs::canonicalize(&own).ok();
    let on_path = on_path_ambient(NAME, environment);
    let on_path = on_path.filter(|path| real.is_some() && fs::canonicalize(path).ok() == real);
    let path = on_path.unwrap_or(own);
    path.to_str().map(str::to_owned).ok_or_else(|| {
        CommandError::Usage(format!(
            "`{}` is not UTF-8, and cannot be written to a configuration file",
            path.display()
        ))
    })
}

/// Returns true if the client's configuration file, its directory or its program is there.
pub fn is_installed_ambient(client: Client, environment: &ClientEnvironment<'_>) -> bool {
    let places = client.places(environment);
    let has_files =
        places.is_some_and(|places| places.config.exists() || places.directory.exists());
    let mut programs = client.programs().iter();
    has_files || programs.any(|name| on_path_ambient(name, environment).is_some())
}

/// Returns the path of a program on PATH.
pub fn on_path_ambient(name: &str, environment: &ClientEnvironment<'_>) -> Option<PathBuf> {
    let path = (environment.variable)("PATH")?;
    // Relative entries of PATH are passed over: a client starts its servers in a directory of
    // its own, where `./bin/docent` is another program or none.
    let directories = env::split_paths(&path).filter(|directory| directory.is_absolute());
    let endings: &[&str] = if cfg!(windows) {
        &[".exe", ".cmd", ".bat"]
    } else {
        &[""]
    };
    let names = endings.iter().map(|ending| format!("{name}{ending}"));
    let names: Vec<_> = names.collect();
    directories
        .flat_map(|directory| names.iter().map(move |name| directory.join(name)))
        .find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
