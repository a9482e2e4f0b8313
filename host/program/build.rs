//! Tells `docent doctor` which versions of its main libraries the program is built with.

use std::io;
use std::path::Path;

/// The libraries, and the environment variables that hold their versions during compilation.
const LIBRARIES: [(&str, &str); 2] = [("wasmtime", "WASMTIME_VERSION"), ("rmcp", "RMCP_VERSION")];

fn main() -> io::Result<()> {
    let lock_file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock_file.display());
    docent_build::versions::tell(&lock_file, &LIBRARIES)
}
