//! Writes the list of embedded Markdown templates, one for each file in `templates/`, to
//! `templates.rs`: an expression of pairs of name and text, sorted by name.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let templates = here.join("templates");
    println!("cargo::rerun-if-changed={}", templates.display());
    let mut paths = fs::read_dir(templates)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    let mut list = String::from("&[\n");
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let path = path.canonicalize()?;
        let _ = writeln!(
            list,
            "({name:?}, include_str!({:?})),",
            path.to_string_lossy()
        );
    }
    list.push_str("]\n");
    fs::write(out.join("templates.rs"), list)?;
    Ok(())
}
