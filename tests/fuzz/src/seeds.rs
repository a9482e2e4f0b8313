//! The seed inputs of a target. A target generates them itself when it starts, from the fixtures
//! and cases of the repository, so that none has to be stored.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The environment variable with the directory of the seeds, which `just fuzz` sets.
const DIRECTORY: &str = "FUZZ_SEEDS";

/// Writes the seeds of a target to the directory in the environment variable, if it is set.
///
/// # Panics
/// If they cannot be written.
pub fn write(seeds: impl IntoIterator<Item = Vec<u8>>) {
    let Some(directory) = env::var_os(DIRECTORY).map(PathBuf::from) else {
        return;
    };
    for (number, seed) in seeds.into_iter().enumerate() {
        let path = directory.join(format!("{number:04}"));
        if let Err(error) = fs::write(&path, seed) {
            panic!("{}: {error}", path.display());
        }
    }
}

/// Returns the names and texts of the files in a directory of the repository, sorted by name,
/// without files that are not UTF-8.
///
/// # Panics
/// If there is no such directory.
pub fn files(directory: &str) -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(directory);
    let entries = match fs::read_dir(&directory) {
        Ok(entries) => entries,
        Err(error) => panic!("{}: {error}", directory.display()),
    };
    let mut files: Vec<(String, String)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_str()?.to_owned();
            Some((name, fs::read_to_string(&path).ok()?))
        })
        .collect();
    files.sort();
    files
}
