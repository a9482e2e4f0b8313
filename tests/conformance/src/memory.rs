//! A case's tree in memory.

use docent_tree::memory::{MODIFIED, MemoryDisk, Times};

use crate::case::Case;

/// Returns a disk with the tree of a case.
pub fn disk(case: &Case) -> MemoryDisk {
    let names: Vec<&str> = case.roots.iter().map(|root| name(root)).collect();
    let disk = MemoryDisk::with_roots(&names);
    for root in &case.roots {
        if let Some(name) = root.strip_suffix(":rw") {
            disk.set_writable(name);
        }
    }
    if case.state {
        disk.grant_state();
    }
    for entry in &case.tree {
        let root = entry.root.as_deref().unwrap_or(names[0]);
        let path = entry.path.as_str();
        if entry.dir {
            disk.make_directory(root, path);
        } else if entry.symlink.is_some() {
            disk.link(root, path);
        } else if entry.fifo {
            disk.make_fifo(root, path);
        } else {
            disk.write(root, path, &entry.content());
        }
        let times = Times {
            modified: Some(entry.modified()),
            created: Some(MODIFIED),
            accessed: Some(entry.accessed()),
        };
        disk.set_times(root, path, times);
        (0..entry.unnamed).for_each(|_| disk.add_unnamed(root, path));
    }
    disk
}

fn name(root: &str) -> &str {
    root.strip_suffix(":rw").unwrap_or(root)
}
