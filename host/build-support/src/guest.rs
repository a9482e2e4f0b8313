//! Compilation of a guest package to a component.

use std::env;
use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use crate::progress::{Progress, QUIET};

/// The compilation target of components.
const TARGET: &str = "wasm32-wasip2";

/// The optimization effort for a component: the profiles in the workspace's `Cargo.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// For debug builds: only changed crates are compiled again.
    Debug,
    /// For release builds: the first build of a new user is short.
    Quick,
    /// For measured and published builds.
    Full,
}

impl Effort {
    /// Returns the effort for the build to which a script with the output directory `out` belongs.
    #[must_use]
    pub fn detect(out: &Path) -> Self {
        // `just profile` sets this variable to keep the names of functions.
        println!("cargo::rerun-if-env-changed=CARGO_PROFILE_GUEST_STRIP");
        // The profile is read from the path, TARGET/PROFILE/build/PACKAGE-HASH/out. The
        // variable `PROFILE` is `release` for every profile that inherits from it, and so for
        // `dist`.
        let profile = out.ancestors().nth(3).and_then(Path::file_name);
        match profile.and_then(|profile| profile.to_str()) {
            Some("debug") => Self::Debug,
            Some("release") => Self::Quick,
            _ => Self::Full,
        }
    }

    /// Returns the profile of components.
    fn profile(self) -> &'static str {
        match self {
            Self::Debug => "guest-dev",
            Self::Quick => "guest-quick",
            Self::Full => "guest",
        }
    }
}

/// The optimization priority of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// Speed.
    Speed,
    /// Size: the readers shrink to two thirds, without a noticeable slowdown.
    Size,
}

/// Makes cargo rerun this script when one of these paths below `directory` changes.
pub fn watch(directory: &Path, paths: &[&str]) {
    for path in paths {
        println!("cargo::rerun-if-changed={}", directory.join(path).display());
    }
}

/// Makes cargo rerun this script when the sources or the build configuration of a package below
/// `guest` change; changes of tests, benches and examples alone do not matter.
///
/// # Errors
/// If `guest` cannot be listed.
pub fn watch_packages(workspace: &Path) -> Result<(), Box<dyn Error>> {
    for directory in ["guest", "guest/components", "guest/vendor"] {
        for entry in fs::read_dir(workspace.join(directory))? {
            let package = entry?.path();
            if package.join("Cargo.toml").is_file() {
                watch(&package, &["Cargo.toml", "src"]);
            }
        }
    }
    // Packages are listed when this runs. A new one changes the manifest of the workspace,
    // which is watched.
    watch(
        workspace,
        &["wit", "Cargo.toml", "Cargo.lock", ".cargo/config.toml"],
    );
    Ok(())
}

/// Builds `package` of the workspace with the given effort, and returns the path of the component.
/// On a terminal and in a pipe it shows the crates that are being compiled.
///
/// # Errors
/// If the target cannot be installed or the package does not compile; cargo's output is printed.
pub fn build(
    workspace: &Path,
    out: &Path,
    package: &str,
    effort: Effort,
    priority: Priority,
) -> Result<PathBuf, Box<dyn Error>> {
    build_with(workspace, out, package, effort, priority, &[])
}

/// Builds a package as [`build`] does, with environment variables for its own build script.
///
/// # Errors
/// As [`build`].
pub fn build_with(
    workspace: &Path,
    out: &Path,
    package: &str,
    effort: Effort,
    priority: Priority,
    variables: &[(&str, &OsStr)],
) -> Result<PathBuf, Box<dyn Error>> {
    install_target()?;
    let profile = effort.profile();
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // The nested cargo has a target folder of its own. The running build holds the lock on its
    // folder until it ends, and it ends after this script: with one folder the two would wait
    // for each other.
    let target_dir = out
        .ancestors()
        .nth(4)
        .ok_or("OUT_DIR lies in a target folder")?
        .join("guest");
    let mut command = Command::new(cargo);
    command
        .current_dir(workspace)
        .args(["build", "--package", package])
        .args(["--target", TARGET, "--profile", profile, "--color", "never"])
        .arg("--target-dir")
        .arg(&target_dir)
        .stderr(Stdio::piped());
    // The setting is given for this build and not as a profile of its own: with another
    // profile, crates that run inside the build, such as those of procedural macros, would be
    // compiled again.
    if priority == Priority::Size && effort == Effort::Full {
        let smaller = format!("profile.{profile}.opt-level=\"s\"");
        command.args(["--config", &smaller]);
    }
    if effort == Effort::Full {
        command.arg("--config").arg(remapping()?);
    }
    // Flags and wrappers for the host's compiler do not suit the guest's: `-C
    // target-cpu=native` is for the processor of this machine, and the wrapper of clippy checks
    // instead of compiling. `.cargo/config.toml` has the right flags for the guest.
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_BUILD_TARGET",
        "CARGO_BUILD_RUSTFLAGS",
        "CARGO_TARGET_DIR",
        "RUSTC_WORKSPACE_WRAPPER",
        "CLIPPY_ARGS",
    ] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    let mut cargo = command.spawn()?;
    let mut said = String::new();
    if let Some(stderr) = cargo.stderr.take() {
        let mut progress = Progress::begin(package);
        // A reader of its own, so that this thread can wait for a line and for the time.
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let mut lines = BufReader::new(stderr).lines();
            lines.try_for_each(|line| sender.send(line).ok())
        });
        loop {
            match lines.recv_timeout(QUIET) {
                Ok(line) => {
                    let line = line?;
                    progress.show_step(&line);
                    said.push_str(&line);
                    said.push('\n');
                }
                Err(RecvTimeoutError::Timeout) => progress.show_elapsed("still compiling"),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }
    if !cargo.wait()?.success() {
        return Err(format!("the component `{package}` did not compile:\n{said}").into());
    }
    let file = format!("{}.wasm", package.replace('-', "_"));
    Ok(target_dir.join(TARGET).join(profile).join(file))
}

/// Returns the setting of cargo that makes a component independent of cargo's home directory,
/// whose path is in the messages of panics. Sources of the workspace have relative paths anyway.
fn remapping() -> Result<String, Box<dyn Error>> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    let home = home.ok_or("cargo has no home directory; expected it in CARGO_HOME")?;
    Ok(format!(
        "target.{TARGET}.rustflags=['--remap-path-prefix={}=/cargo']",
        home.display()
    ))
}

/// Installs [`TARGET`] if the toolchain lacks it.
fn install_target() -> Result<(), Box<dyn Error>> {
    if target_is_installed()? {
        return Ok(());
    }
    let rustup = Command::new("rustup")
        .args(["target", "add", TARGET])
        .output();
    match rustup {
        Ok(output) if output.status.success() && target_is_installed()? => Ok(()),
        Ok(output) => Err(format!(
            "docent needs the Rust target {TARGET}, and `rustup target add {TARGET}` failed:\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into()),
        Err(error) => Err(format!(
            "docent needs the Rust target {TARGET}, and rustup could not be run ({error}); \
             install the target with your toolchain's own tools"
        )
        .into()),
    }
}

fn target_is_installed() -> Result<bool, Box<dyn Error>> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()?;
    let directory = String::from_utf8(output.stdout)?;
    Ok(output.status.success() && Path::new(directory.trim()).is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_of_the_build_decides() {
        for (out, effort) in [
            ("/t/debug/build/x-1/out", Effort::Debug),
            ("/t/release/build/x-1/out", Effort::Quick),
            ("/t/dist/build/x-1/out", Effort::Full),
            (
                "/t/x86_64-unknown-linux-gnu/debug/build/x-1/out",
                Effort::Debug,
            ),
        ] {
            assert_eq!(Effort::detect(Path::new(out)), effort, "{out}");
        }
    }
}
