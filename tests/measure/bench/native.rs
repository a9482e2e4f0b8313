//! The core without a sandbox: the difference to the component is the sandbox's cost.

use std::error::Error;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use docent_fs::NativeDisk;
use docent_tools::{Docent, ToolSettings};
use docent_tree::disk::Root;

/// Returns a native docent over `directory` with a cache of `cache_bytes`.
///
/// # Errors
/// If the directory cannot be opened.
pub fn docent(directory: &Path, cache_bytes: usize) -> Result<Docent<NativeDisk>, Box<dyn Error>> {
    let root = Root {
        name: "docs".to_owned(),
        writable: false,
        path: None,
    };
    let opened = Dir::open_ambient_dir(directory, ambient_authority())?;
    let settings = ToolSettings {
        cache_bytes,
        ..ToolSettings::default()
    };
    let disk = NativeDisk::new(vec![(root, opened)]).with_stamps();
    Ok(Docent::new(disk, settings))
}
