//! Writes the list of Markdown templates that the host embeds, one for each file in `templates/`.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

/// Writes `templates.rs` into `out`: an expression of pairs of name and text, by name.
///
/// # Errors
/// When `templates` cannot be listed or `out` cannot be written to.
pub fn write(templates: &Path, out: &Path) -> io::Result<()> {
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
    fs::write(out.join("templates.rs"), list)
}
