//! Build script that records the versions of the main libraries for `docent doctor`.

use std::env;
use std::error::Error;
use std::path::PathBuf;

/// The libraries, and the environment variables that hold their versions during compilation.
const LIBRARIES: [(&str, &str); 2] = [("wasmtime", "WASMTIME_VERSION"), ("rmcp", "RMCP_VERSION")];

fn main() -> Result<(), Box<dyn Error>> {
    let lock_file = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock_file.display());
    Ok(docent_build_support::versions::tell(
        &lock_file, &LIBRARIES,
    )?)
}
