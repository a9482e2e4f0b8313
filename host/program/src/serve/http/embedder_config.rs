//! The embedder of a server, and the storage of its vectors.
//!
//! The embedder is shared by all services: it receives texts, and only the description of its model
//! is cached. Vectors are kept apart by rights, in memory and on disk. Each is stored with the
//! position of its text, and the component searches for the nearest positions. In a shared store, a
//! misbehaving component could therefore learn the names of files in other roots and, by timing,
//! the presence of a text in one of them. The cost is that a text readable with several sets of
//! rights is embedded once for each.
//!
//! The folder of rights that nobody holds any longer is removed after a day without use. A folder's
//! name does not tell whose rights they were: another server with the same state directory may give
//! them, by other tokens or roots, and may be stopped at the moment.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use docent_host::embedder::Embedder;
use docent_host::grant::{Grants, Right};
use docent_host::remove_vectors_ambient;
use sha2::{Digest as _, Sha256};

use crate::serve::http::limits::UNUSED_TIME;
use crate::terminal::notes::note;

/// Name of the folder with one subfolder for each set of rights, beside the vectors of other
/// commands.
const SERVED: &str = "served";

/// An embedder, and the directory of its vectors.
pub struct EmbedderConfig {
    /// Embedder.
    pub embedder: Arc<dyn Embedder>,
    /// Directory outside all roots; none if vectors are dropped with their service.
    pub vectors: Option<PathBuf>,
    /// True if passages without vectors are embedded between calls.
    pub learns: bool,
}

impl EmbedderConfig {
    /// Returns the same embedder, with the folder for these grants.
    pub fn for_grants(&self, grants: &Grants) -> Self {
        let folder = |vectors: &PathBuf| vectors.join(SERVED).join(folder(grants));
        Self {
            embedder: Arc::clone(&self.embedder),
            vectors: self.vectors.as_ref().map(folder),
            learns: self.learns,
        }
    }

    /// Removes the folders for other grants that have not been used for [`UNUSED_TIME`].
    pub fn forget_all_but_ambient(&self, given: impl Iterator<Item = Grants>) {
        let Some(vectors) = &self.vectors else {
            return;
        };
        let given: HashSet<String> = given.map(|grants| folder(&grants)).collect();
        let is_needless = |name: &str| is_folder(name) && !given.contains(name);
        let since = SystemTime::now().checked_sub(UNUSED_TIME);
        let since = since.unwrap_or(SystemTime::UNIX_EPOCH);
        match remove_vectors_ambient(&vectors.join(SERVED), is_needless, since) {
            Ok(0) => {}
            Ok(removed) => note(format_args!(
                "removed vectors of rights that no token has now: {removed}"
            )),
            Err(error) => note(format_args!("old vectors cannot be found: {error}")),
        }
    }
}

/// Returns true for a name in the format of [`folder`].
fn is_folder(name: &str) -> bool {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    name.len() == 32 && name.bytes().all(is_digit)
}

/// Returns a name that is unique for the roots, their locations and the rights to them.
fn folder(grants: &Grants) -> String {
    let mut hash = Sha256::new();
    for grant in grants.all() {
        let path = grant.path().as_os_str().as_encoded_bytes();
        for part in [grant.name().as_bytes(), path] {
            // The length marks the end of each part. Without it, the root `ab` at `c` and the
            // root `a` at `bc` would share a folder, and so their vectors.
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        hash.update([u8::from(grant.right() == Right::ReadWrite)]);
    }
    hash.finalize()[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use docent_host::grant::RootSpec;

    use super::*;

    #[test]
    fn each_set_of_rights_has_a_folder_of_its_own() {
        let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let spec = |name: &str, directory: &tempfile::TempDir, right: Right| RootSpec {
            name: Some(name.to_owned()),
            path: directory.path().to_owned(),
            right,
            sensitive: false,
        };
        let name = |specs: &[RootSpec]| folder(&Grants::resolve_ambient(specs, None).unwrap());
        let sets = [
            vec![spec("a", &a, Right::ReadOnly)],
            vec![spec("a", &a, Right::ReadWrite)],
            vec![spec("a", &b, Right::ReadOnly)],
            vec![spec("b", &a, Right::ReadOnly)],
            vec![
                spec("a", &a, Right::ReadOnly),
                spec("b", &b, Right::ReadOnly),
            ],
        ];
        let names: std::collections::BTreeSet<String> = sets.iter().map(|set| name(set)).collect();
        assert_eq!(names.len(), sets.len());
        assert_eq!(name(&sets[0]), name(&sets[0]));
        assert!(names.iter().all(|name| is_folder(name)));
        for other in ["", "a", &"A".repeat(32), &"g".repeat(32), &"a".repeat(33)] {
            assert!(!is_folder(other), "{other}");
        }
    }
}
