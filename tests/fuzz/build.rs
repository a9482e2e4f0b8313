//! Writes the list of the templates that answers are rendered with, as the build of the host does.

use std::path::{Path, PathBuf};
use std::{env, io};

#[path = "../../host/library/build/templates.rs"]
mod templates;

fn main() -> io::Result<()> {
    let out = env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    templates::write(Path::new("../../host/templates"), &out)
}
