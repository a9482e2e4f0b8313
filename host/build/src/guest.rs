//! Compiles a guest package to a component.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What components are compiled to.
const TARGET: &str = "wasm32-wasip2";

/// Has cargo run this script again when something at these paths below `directory` changes.
pub fn watch(directory: &Path, paths: &[&str]) {
    for path in paths {
        println!("cargo:rerun-if-changed={}", directory.join(path).display());
    }
}

/// Builds `package` of the workspace in one of its profiles and returns where the component lies.
///
/// # Errors
/// When the target cannot be installed or the package does not compile; what cargo said is printed.
pub fn build(
    workspace: &Path,
    out: &Path,
    package: &str,
    profile: &str,
) -> Result<PathBuf, Box<dyn Error>> {
    install_target()?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // A folder of its own: cargo holds a lock on the one that this script is being built in.
    let target_dir = out
        .ancestors()
        .nth(4)
        .ok_or("OUT_DIR lies in a target folder")?
        .join("guest");
    let mut command = Command::new(cargo);
    command
        .current_dir(workspace)
        .args([
            "build",
            "--package",
            package,
            "--target",
            TARGET,
            "--profile",
            profile,
        ])
        .arg("--target-dir")
        .arg(&target_dir);
    // Flags and wrappers meant for the host's compiler do not fit the guest's; `.cargo/config.toml`
    // holds what does.
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
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!(
            "the component did not compile:\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into());
    }
    let file = format!("{}.wasm", package.replace('-', "_"));
    Ok(target_dir.join(TARGET).join(profile).join(file))
}

/// Sees to it that the toolchain can compile to [`TARGET`].
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
