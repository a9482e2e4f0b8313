//! Build script that joins the components, documents them and compiles them ahead of time.
//!
//! It writes to `OUT_DIR`:
//!
//! - `docent.wasm.zlib`: the published component, that is the main component with the readers and
//!   the no-embedder component plugged in; compressed, because the program itself never runs it
//! - `identity.rs`: its length in bytes and its SHA-256
//! - `open.rs`: the byte ranges of `docent.wasm` that hold the component before an embedder was
//!   plugged in
//! - `docent.cwasm`, `extract.cwasm` and, with the feature `encoder`, `embed.cwasm`: the main
//!   component, the readers and the encoder, compiled for this target

mod artifact;
mod image;

use std::env;
use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use docent_build_support::guest::Effort;
use docent_build_support::{guest, progress, script};
use docent_compose::{add_documentation, add_names, plug};
use docent_wit_reader::Contract;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha2::{Digest as _, Sha256};

fn main() -> ExitCode {
    script::exit_code(run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let workspace = script::workspace(2)?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    guest::watch(&workspace, &["host/library/build", "wit", "Cargo.lock"]);

    let contract = Contract::read(&workspace.join("wit"), "docent")?;
    // The build script of `docent-build-components` builds the components and reruns when their
    // sources change. This script reruns when a built component changes.
    let built = |variable| -> Result<Vec<u8>, Box<dyn Error>> {
        let path = env::var(variable)?;
        println!("cargo::rerun-if-changed={path}");
        Ok(fs::read(path)?)
    };
    let main = add_names(&built("DEP_DOCENT_BUILD_COMPONENTS_MAIN")?)?;
    let extractor = built("DEP_DOCENT_BUILD_COMPONENTS_READERS")?;
    let embedder = built("DEP_DOCENT_BUILD_COMPONENTS_EMBEDDER")?;
    // The component is published whole, for hosts that know nothing of readers and embedders.
    // This library loads the parts instead: it runs the readers in instances of their own,
    // where a malicious document reaches nothing, and calls an embedder itself.
    let open = plug(&main, &[("docent:extractor", &extractor)])?;
    let whole = plug(&open, &[("docent:embedder", &embedder)])?;
    let component = add_documentation(&whole, &contract)?;
    write_published(&out, &component)?;
    let open = docent_compose::socket(&component)?;
    artifact::check_open(&open.clone().map(|part| &component[part]).concat())?;
    fs::write(out.join("open.rs"), format!("{open:?}"))?;
    fs::write(out.join("interface.txt"), artifact::interface(&component)?)?;

    let target = env::var("TARGET")?;
    let mut images = vec![("docent.cwasm", main), ("extract.cwasm", extractor)];
    if env::var_os("CARGO_FEATURE_ENCODER").is_some() {
        images.push(("embed.cwasm", built("DEP_DOCENT_BUILD_COMPONENTS_ENCODER")?));
    }
    for (name, component) in images {
        let compile = || image::compile(&component, &target);
        let image = progress::during(name, "compiling to native code", compile)?;
        fs::write(out.join(name), image)?;
    }
    Ok(())
}

fn write_published(out: &Path, component: &[u8]) -> Result<(), Box<dyn Error>> {
    // The best compression takes seconds, and saves a third of what the fastest leaves.
    let level = match Effort::detect(out) {
        Effort::Full => Compression::best(),
        Effort::Debug | Effort::Quick => Compression::fast(),
    };
    let mut encoder = ZlibEncoder::new(Vec::new(), level);
    encoder.write_all(component)?;
    fs::write(out.join("docent.wasm.zlib"), encoder.finish()?)?;
    let digest: [u8; 32] = Sha256::digest(component).into();
    fs::write(
        out.join("identity.rs"),
        format!("({}, {digest:?})", component.len()),
    )?;
    Ok(())
}
