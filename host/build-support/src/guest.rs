//! Compilation of a guest package to a component.

use std::env;
use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The compilation target of components.
const TARGET: &str = "wasm32-wasip2";

/// The optimization effort for a component: the profiles in the workspace's `Cargo.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// For debug builds: only changed crates are compiled again.
    Debug,
    /// For release builds: the first build of a new user is short.
    Quick,
    /// For measured and published builds, and for continuous integration.
    Full,
}

impl Effort {
    /// Returns the effort for the build to which a script with the output directory `out` belongs.
    #[must_use]
    pub fn detect(out: &Path) -> Self {
        println!("cargo::rerun-if-env-changed=CI");
        // `just profile` sets this variable to keep the names of functions.
        println!("cargo::rerun-if-env-changed=CARGO_PROFILE_GUEST_STRIP");
        if env::var_os("CI").is_some_and(|value| !value.is_empty()) {
            return Self::Full;
        }
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
    if priority == Priority::Size && effort != Effort::Debug {
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
        let mut terminal = Terminal::open(package);
        for line in BufReader::new(stderr).lines() {
            let line = line?;
            terminal.show(&line);
            said.push_str(&line);
            said.push('\n');
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

/// The output of the build that a person or a log sees. Cargo captures the output of a build
/// script, so without this nothing new would be shown for minutes.
struct Terminal<'a> {
    /// None where neither a terminal nor a pipe can be found.
    output: Option<ProgressOutput>,
    package: &'a str,
}

/// The place where progress lines are written.
enum ProgressOutput {
    /// The terminal, where cargo's progress bar is overwritten; it is drawn again below.
    Device(File),
    /// The pipe into which cargo writes its own progress.
    Pipe(File),
}

impl<'a> Terminal<'a> {
    fn open(package: &'a str) -> Self {
        let device = File::options().write(true).open("/dev/tty").ok();
        let output = device.map(ProgressOutput::Device);
        Self {
            output: output.or_else(|| parent_pipe().map(ProgressOutput::Pipe)),
            package,
        }
    }

    /// Shows a progress line of the nested cargo.
    fn show(&mut self, line: &str) {
        let words = line.trim_start();
        let is_step = ["Compiling ", "Finished "]
            .iter()
            .any(|step| words.starts_with(step));
        if !is_step {
            return;
        }
        let package = self.package;
        let written = match &mut self.output {
            None => return,
            Some(ProgressOutput::Device(device)) => {
                writeln!(device, "\r\x1b[K   {package}: {words}")
            }
            Some(ProgressOutput::Pipe(pipe)) => writeln!(pipe, "   {package}: {words}"),
        };
        if written.is_err() {
            self.output = None;
        }
    }
}

/// Returns the standard error of cargo, which runs the build script, if it is a pipe. A file is not
/// written to: cargo's own position in it would not move.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
fn parent_pipe() -> Option<File> {
    use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
    use std::os::unix::process::parent_id;

    /// Opening a pipe that nobody reads any more fails with it, and would otherwise never end.
    const O_NONBLOCK: i32 = 0o4000;

    let path = format!("/proc/{}/fd/2", parent_id());
    let is_pipe = fs::metadata(&path).ok()?.file_type().is_fifo();
    let mut options = File::options();
    options.write(true).custom_flags(O_NONBLOCK);
    is_pipe.then(|| options.open(&path).ok()).flatten()
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
fn parent_pipe() -> Option<File> {
    None
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
        // If `CI` is set, as in continuous integration, every build is a full one.
        let is_ci = env::var_os("CI").is_some_and(|value| !value.is_empty());
        for (out, effort) in [
            ("/t/debug/build/x-1/out", Effort::Debug),
            ("/t/release/build/x-1/out", Effort::Quick),
            ("/t/dist/build/x-1/out", Effort::Full),
            (
                "/t/x86_64-unknown-linux-gnu/debug/build/x-1/out",
                Effort::Debug,
            ),
        ] {
            let expected = if is_ci { Effort::Full } else { effort };
            assert_eq!(Effort::detect(Path::new(out)), expected, "{out}");
        }
    }
}
