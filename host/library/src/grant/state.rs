//! The state directory: a folder for each root, with a lock and a directory for the data for undo,
//! which a guest is given. The lock is out of the guest's reach. Without a state directory the root
//! itself is locked.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::{Grant, GrantError, Grants, Identity};
use crate::guard;
use crate::right::Right;

/// The file that is locked. It contains the path of the root, for people and as a safeguard against
/// mistakes.
const LOCK: &str = "lock";

/// The directory that a guest is given.
const KEPT: &str = "kept";

/// Maximum bytes of a root's name in the name of its folder, by which people find it.
const STEM_BYTES: usize = 64;

/// The handles that an instance needs to write to a root.
#[derive(Debug)]
pub(crate) struct WriteHandles {
    /// File or directory that is locked. Each instance has an open file description of its own, so
    /// that instances exclude each other.
    pub(crate) lock: File,
    /// Directory of the data for undo; none if nothing is kept.
    pub(crate) state: Option<File>,
}

/// The identities of a state's lock and directory: after they are removed and created again, they
/// are different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateIdentity {
    lock: Identity,
    kept: Identity,
}

impl Grants {
    /// Keeps the data for undo in `directory`, in a folder for each writable root, and lets one
    /// host at a time write to such a root. Nothing is created if no root is writable.
    ///
    /// # Errors
    /// [`GrantError::StateUnusable`] and [`GrantError::StateOverlap`].
    pub fn keep_state_ambient(mut self, directory: &Path) -> Result<Self, GrantError> {
        let is_writable = |grant: &Grant| grant.right == Right::ReadWrite;
        if !self.grants.iter().any(is_writable) {
            return Ok(self);
        }
        let unusable = |path: &Path, source| GrantError::StateUnusable {
            path: path.display().to_string(),
            source,
        };
        // The directory is checked before it is created. `--state notes/.docent` would put
        // copies of replaced files where the guest could read them, also those of sensitive
        // files.
        let meant = resolve(directory).map_err(|source| unusable(directory, source))?;
        let overlaps =
            |grant: &&Grant| meant.starts_with(&grant.path) || grant.path.starts_with(&meant);
        if let Some(grant) = self.grants.iter().find(overlaps) {
            return Err(GrantError::StateOverlap {
                path: directory.display().to_string(),
                root: grant.name.clone(),
            });
        }
        for grant in self.grants.iter_mut().filter(|grant| is_writable(grant)) {
            let folder = folder(&meant, &grant.path);
            open_ambient(&folder, &grant.path).map_err(|source| unusable(&folder, source))?;
            grant.state = Some(folder);
        }
        Ok(self)
    }
}

impl Grants {
    /// Returns the path without symbolic links of a directory, which need not exist, if it neither
    /// lies in a root nor contains one.
    #[must_use]
    pub fn apart_ambient(&self, directory: &Path) -> Option<PathBuf> {
        let meant = resolve(directory).ok()?;
        let overlaps =
            |grant: &Grant| meant.starts_with(&grant.path) || grant.path.starts_with(&meant);
        (!self.grants.iter().any(overlaps)).then_some(meant)
    }
}

/// Returns the path without symbolic links; its last segments need not exist.
fn resolve(directory: &Path) -> io::Result<PathBuf> {
    let directory = std::path::absolute(directory)?;
    for there in directory.ancestors() {
        match there.canonicalize() {
            Ok(resolved) => {
                let missing = directory.strip_prefix(there).unwrap_or(Path::new(""));
                return Ok(if missing.as_os_str().is_empty() {
                    resolved
                } else {
                    resolved.join(missing)
                });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Returns the folder for the root at this path.
fn folder(directory: &Path, root: &Path) -> PathBuf {
    let stem = root.file_name().unwrap_or_default().to_string_lossy();
    let end = stem.floor_char_boundary(STEM_BYTES);
    let mut name = OsString::from(&stem[..end]);
    // The folder is named by the path of the root and not by its inode. A root that is restored
    // from a backup has another inode, and its undo data would no longer be found. The file
    // name in front is for people.
    name.push(format!("-{:016x}", fingerprint(root)));
    directory.join(name)
}

/// FNV-1a. It only has to be the same in every version.
fn fingerprint(path: &Path) -> u64 {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Opens the folder of the root at this path, and creates it if it is missing. Only its owner can
/// enter it.
pub(super) fn open_ambient(folder: &Path, root: &Path) -> io::Result<WriteHandles> {
    make_private(folder)?;
    let kept = folder.join(KEPT);
    make_private(&kept)?;
    let mut lock = private().open(folder.join(LOCK))?;
    let expected = root.as_os_str().as_encoded_bytes();
    let mut found = Vec::new();
    lock.read_to_end(&mut found)?;
    if found.is_empty() {
        lock.write_all(expected)?;
    // The fingerprint in the folder's name has 64 bits and is not cryptographic. If two roots
    // had the same, undoing in one would restore contents of the other; the path in the lock
    // file detects that.
    } else if found != expected {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it belongs to another root",
        ));
    }
    let state = Some(guard::open_root_ambient(&kept)?);
    Ok(WriteHandles { lock, state })
}

/// Returns the identities of the lock and the directory in a folder; none if one of them is
/// missing.
pub(super) fn identity_ambient(folder: &Path) -> Option<StateIdentity> {
    let lock = File::open(folder.join(LOCK)).ok()?;
    Some(StateIdentity {
        lock: guard::identity(&lock).ok()?,
        kept: guard::identity_of_path_ambient(&folder.join(KEPT))?,
    })
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)?;
    #[cfg(unix)]
    {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt as _;

        // The directory may already exist with other permissions, as after `cp -r` with a umask
        // of 022. It holds old contents of files that others may not be allowed to read.
        if directory.metadata()?.permissions().mode() & 0o077 != 0 {
            std::fs::set_permissions(directory, Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::grant::RootSpec;

    #[test]
    fn a_state_lies_in_no_root_and_no_root_in_it() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("root");
        fs::create_dir(&root).unwrap();
        let reading = RootSpec {
            name: None,
            path: root.clone(),
            right: Right::ReadOnly,
            sensitive: false,
        };
        let writable = RootSpec {
            right: Right::ReadWrite,
            ..reading.clone()
        };
        let granted =
            |spec: &RootSpec| Grants::resolve_ambient(std::slice::from_ref(spec), None).unwrap();
        for state in [
            root.clone(),
            root.join("new/state"),
            temporary.path().into(),
        ] {
            let refused = granted(&writable).keep_state_ambient(&state).unwrap_err();
            let is_overlap = matches!(&refused, GrantError::StateOverlap { .. });
            assert!(is_overlap, "{}: {refused}", state.display());
        }
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "nothing is made");
        let state = temporary.path().join("deep/state");
        let kept = granted(&reading).keep_state_ambient(&state).unwrap();
        assert_eq!(kept.all()[0].state(), None);
        assert!(!state.exists(), "nothing is written, so nothing is kept");
        let kept = granted(&writable).keep_state_ambient(&state).unwrap();
        let folder = kept.all()[0].state().unwrap();
        assert!(folder.starts_with(state.canonicalize().unwrap()));
    }

    #[test]
    fn roots_have_folders_of_their_own() {
        let state = Path::new("/state");
        let one = folder(state, Path::new("/a/notes"));
        assert_eq!(one, folder(state, Path::new("/a/notes")));
        assert_ne!(one, folder(state, Path::new("/b/notes")));
        let name = one.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("notes-") && name.len() == "notes-".len() + 16);
        let long = folder(state, Path::new(&format!("/{}", "\u{d55c}".repeat(85))));
        assert!(long.file_name().unwrap().len() < 100);
    }

    #[test]
    fn a_folder_belongs_to_one_root() {
        let temporary = tempfile::tempdir().unwrap();
        let base = temporary.path().canonicalize().unwrap();
        let folder = base.join("folder");
        for _ in 0..2 {
            open_ambient(&folder, Path::new("/a/notes")).unwrap();
        }
        let refused = open_ambient(&folder, Path::new("/b/notes")).unwrap_err();
        assert_eq!(refused.to_string(), "it belongs to another root");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_enters_it() {
        use std::os::unix::fs::PermissionsExt as _;

        let temporary = tempfile::tempdir().unwrap();
        let base = temporary.path().canonicalize().unwrap();
        let folder = base.join("folder");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for _ in 0..2 {
            open_ambient(&folder, Path::new("/a")).unwrap();
            assert_eq!(mode(&folder), 0o700);
            assert_eq!(mode(&folder.join(KEPT)), 0o700);
            assert_eq!(mode(&folder.join(LOCK)), 0o600);
            // As an unpacked backup may have it.
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    #[test]
    fn what_is_not_there_yet_is_resolved_as_well() {
        let temporary = tempfile::tempdir().unwrap();
        let base = temporary.path().canonicalize().unwrap();
        assert_eq!(resolve(&base.join("a/b")).unwrap(), base.join("a/b"));
        assert_eq!(resolve(&base).unwrap(), base);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&base, base.join("link")).unwrap();
            assert_eq!(resolve(&base.join("link/a")).unwrap(), base.join("a"));
        }
    }
}
