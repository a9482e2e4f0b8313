//! Compiles the main component, the readers, the no-embedder component and, if it is wanted, the
//! encoder, and passes on their paths.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use docent_build_support::guest::{self, Effort, Priority};
use docent_build_support::script;

fn main() -> ExitCode {
    script::exit_code(run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let workspace = script::workspace(2)?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    guest::watch_packages(&workspace)?;
    let effort = Effort::detect(&out);
    let build = |package, priority| guest::build(&workspace, &out, package, effort, priority);
    let main = build("docent-component", Priority::Speed)?;
    let readers = build("docent-extract-component", Priority::Size)?;
    let embedder = build("docent-no-embedder-component", Priority::Size)?;
    if env::var_os("CARGO_FEATURE_ENCODER").is_some() {
        let encoder = build("docent-embed-component", Priority::Speed)?;
        println!("cargo::metadata=encoder={}", encoder.display());
    }
    // Cargo passes these to the build scripts of packages that depend on this one. That of
    // `docent-host` reads them as `DEP_DOCENT_BUILD_COMPONENTS_MAIN`, `…_READERS`, `…_EMBEDDER`
    // and `…_ENCODER`; the names follow from `links` in the manifest.
    println!("cargo::metadata=main={}", main.display());
    println!("cargo::metadata=readers={}", readers.display());
    println!("cargo::metadata=embedder={}", embedder.display());
    Ok(())
}
