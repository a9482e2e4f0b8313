//! Who tells a server what texts mean, and where what it said is kept.
//!
//! The embedder is one for all: it is sent texts and remembers nothing here but which model it is.
//! Vectors are kept apart by rights, in memory and on disk. Beside its vector each has the place
//! where its text stood, and the component asks for the nearest places: from a store that others
//! share, a component that does what it should not could learn what files of other roots are
//! called, and, from how fast an answer comes, whether a text stands in one of them. What that costs
//! is that a text that several sets of rights can read is embedded for each.
//!
//! The folder of rights that nobody has any more is removed once it was of no use for a day. A name
//! does not tell whose rights they were: with the same state directory another server may give
//! others, by other tokens or roots, and is not running just now.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use docent_host::embedder::Embedder;
use docent_host::grant::{Grants, Right};
use docent_host::remove_vectors_ambient;
use sha2::{Digest as _, Sha256};

use super::limits::UNUSED_TIME;
use crate::terminal::notes::note;

/// The folder that holds one for each set of rights, beside what other commands keep.
const SERVED: &str = "served";

/// An embedder, and where vectors are kept.
pub struct Meaning {
    /// Who is asked.
    pub embedder: Arc<dyn Embedder>,
    /// A directory outside all roots; none where vectors are forgotten with their desk.
    pub vectors: Option<PathBuf>,
    /// Whether what is not known is embedded between calls.
    pub learns: bool,
}

impl Meaning {
    /// Returns the same embedder, and the folder for those who are granted this.
    pub fn of(&self, grants: &Grants) -> Self {
        let folder = |vectors: &PathBuf| vectors.join(SERVED).join(folder(grants));
        Self {
            embedder: Arc::clone(&self.embedder),
            vectors: self.vectors.as_ref().map(folder),
            learns: self.learns,
        }
    }

    /// Removes the folders that are for none of these grants and were of no use for long.
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
                "removed what was known by meaning for rights that nobody has any more: {removed}"
            )),
            Err(error) => note(format_args!("old vectors cannot be looked for: {error}")),
        }
    }
}

/// Whether a name is one that [`folder`] returns.
fn is_folder(name: &str) -> bool {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    name.len() == 32 && name.bytes().all(is_digit)
}

/// Returns a name that is another for other roots, other places of them and other rights.
fn folder(grants: &Grants) -> String {
    let mut hash = Sha256::new();
    for grant in grants.all() {
        let path = grant.path().as_os_str().as_encoded_bytes();
        for part in [grant.name().as_bytes(), path] {
            // The length says where a part ends.
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
