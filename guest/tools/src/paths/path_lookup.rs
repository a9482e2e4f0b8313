//! Values requested for a few of many documents: each of the many is looked up, and most are not
//! among them.

use std::collections::{BTreeMap, BTreeSet};

/// Values requested for documents, by their paths.
#[derive(Debug)]
pub struct PathLookup<T> {
    by_path: BTreeMap<String, T>,
    /// Last bytes of these paths, by which nearly all other paths are excluded quickly, since paths
    /// often differ only at their ends.
    ends: BTreeSet<[u8; 8]>,
}

impl<T: Default> PathLookup<T> {
    /// Returns the value of the document at a path.
    pub fn entry(&mut self, path: &str) -> &mut T {
        self.ends.insert(end(path));
        self.by_path.entry(path.to_owned()).or_default()
    }
}

impl<T> PathLookup<T> {
    /// Takes out the value of the document at a path.
    pub fn take(&mut self, path: &str) -> Option<T> {
        if self.by_path.is_empty() || !self.ends.contains(&end(path)) {
            return None;
        }
        self.by_path.remove(path)
    }
}

impl<T> Default for PathLookup<T> {
    fn default() -> Self {
        Self {
            by_path: BTreeMap::new(),
            ends: BTreeSet::new(),
        }
    }
}

/// Returns the last bytes of a path.
fn end(path: &str) -> [u8; 8] {
    let bytes = path.as_bytes();
    bytes.last_chunk().copied().unwrap_or_else(|| {
        let mut end = [0; 8];
        end[..bytes.len()].copy_from_slice(bytes);
        end
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_is_taken_once() {
        let mut lookup = PathLookup::<Vec<u32>>::default();
        let paths = ["a.md", "b.md", "dir/long-name.md", "", "12345678"];
        for (number, path) in (0..).zip(paths.into_iter().cycle().take(10)) {
            lookup.entry(path).push(number);
        }
        for path in ["c.md", "a/long-name.md", "x12345678", "long-name.md"] {
            assert_eq!(lookup.take(path), None, "{path}");
        }
        for (number, path) in (0..).zip(paths) {
            assert_eq!(lookup.take(path), Some(vec![number, number + 5]), "{path}");
            assert_eq!(lookup.take(path), None, "{path}");
        }
    }
}
