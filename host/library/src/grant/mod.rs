//! The directories that the person who starts docent grants, each with a name and a right.
//!
//! Every directory that a guest can reach was opened here, with the ambient authority of the
//! process.

mod above;
mod address;
mod state;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use unicode_normalization::UnicodeNormalization as _;

use crate::guard;
pub use crate::right::{Identity, Right};
pub(crate) use above::IgnoreFile;
pub(crate) use address::HostPaths;
pub(crate) use state::{StateIdentity, WriteHandles};

/// Maximum length of a root's name in bytes: the maximum of one path segment.
const NAME_BYTES: usize = 255;

/// Directories whose files hold secrets, whatever the files are called. The component skips them
/// below a root, but cannot see that the root itself lies in one.
const SENSITIVE: [&str; 5] = [".ssh", ".gnupg", ".aws", ".kube", ".docker"];

/// A directory that is to be granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootSpec {
    /// Name that callers use; none for the directory's own name.
    pub name: Option<String>,
    /// Path, absolute or relative to the current directory.
    pub path: PathBuf,
    /// Right to its files.
    pub right: Right,
    /// True if files that hold secrets may be opened, for a caller that names them and asks for it.
    /// Required for a directory that is or lies in one of those for secrets, such as `.ssh`.
    pub sensitive: bool,
}

/// The reason why a directory cannot be granted. The messages are for the person who starts the
/// host, and name paths as that person wrote them.
#[derive(Debug, Error)]
pub enum GrantError {
    /// No directory was given.
    #[error("no directory is granted")]
    Nothing,
    /// It does not exist, or may not be entered.
    #[error("root `{path}` cannot be opened: {source}")]
    Unreachable {
        /// Path as it was written.
        path: String,
        /// Error of the system.
        source: io::Error,
    },
    /// It is not a directory.
    #[error("root `{path}` is not a directory")]
    NotADirectory {
        /// Path as it was written.
        path: String,
    },
    /// It is `/` or holds the system's own files.
    #[error(
        "root `{path}` is a system directory, which is never granted; name a directory beneath it \
         that holds documents"
    )]
    System {
        /// Path as it was written.
        path: String,
    },
    /// It is or lies in a directory for secrets.
    #[error(
        "root `{path}` is or lies in `{directory}`, which holds secrets; name a directory \
         elsewhere, or grant it with `sensitive = true` in the configuration file"
    )]
    Sensitive {
        /// Path as it was written.
        path: String,
        /// Name of the directory for secrets.
        directory: String,
    },
    /// Two roots overlap.
    #[error("root `{inner}` lies within root `{outer}`; grant one of them")]
    Overlap {
        /// Path of the inner root, as it was written.
        inner: String,
        /// Path of the outer root, as it was written.
        outer: String,
    },
    /// Two roots have the same name.
    #[error("two roots are named `{name}`; give them different names with NAME=PATH")]
    SameName {
        /// Shared name.
        name: String,
    },
    /// A root's name is invalid.
    #[error(
        "`{name}` is not a root name; expected 1 to 255 bytes without `/`, `\\`, `=`, line breaks \
         or a leading dot"
    )]
    BadName {
        /// Rejected name.
        name: String,
    },
    /// The state directory, which holds the data for undo, cannot be used.
    #[error(
        "state directory `{path}` cannot be used: {source}; name another with `--state DIR`, or \
         none with `--no-state`"
    )]
    StateUnusable {
        /// Path of the state directory, or of one root's folder in it.
        path: String,
        /// Error of the system.
        source: io::Error,
    },
    /// The state directory lies in a root, or contains one.
    #[error(
        "state directory `{path}` and root `{root}` lie within one another; name another with \
         `--state DIR`, or none with `--no-state`"
    )]
    StateOverlap {
        /// Path of the state directory.
        path: String,
        /// Name of the root.
        root: String,
    },
    /// The default root is not one of the roots.
    #[error("default root `{default}` is not one of the roots: {names}")]
    UnknownDefault {
        /// Default root as it was written.
        default: String,
        /// Names of the roots.
        names: String,
    },
}

/// A granted directory.
#[derive(Clone, Debug)]
pub struct Grant {
    name: String,
    path: PathBuf,
    /// Absolute path as it was written, with its symbolic links.
    written: PathBuf,
    right: Right,
    sensitive: bool,
    /// Ignore files of its git repository that lie outside the directory.
    above: Vec<IgnoreFile>,
    /// Folder for the data for undo; none if nothing is kept.
    state: Option<PathBuf>,
}

/// The granted directories.
#[derive(Debug, Default)]
pub struct Grants {
    grants: Vec<Grant>,
    default: usize,
}

impl Grants {
    /// Resolves and checks the directories of `specs`. `default` names one of them by name or by
    /// path; without it the first is the default.
    ///
    /// # Errors
    /// [`GrantError`] names the directory that cannot be granted, and the reason.
    pub fn resolve_ambient(specs: &[RootSpec], default: Option<&str>) -> Result<Self, GrantError> {
        if specs.is_empty() {
            return Err(GrantError::Nothing);
        }
        let mut grants: Vec<Grant> = Vec::with_capacity(specs.len());
        for spec in specs {
            // Resolved, because symbolic links could hide that two roots overlap.
            let path = resolve(&spec.path)?;
            if let Some(directory) = sensitive_directory(&path)
                && !spec.sensitive
            {
                return Err(GrantError::Sensitive {
                    path: spec.path.display().to_string(),
                    directory,
                });
            }
            // Overlapping roots would show one file under two names, possibly with two rights:
            // `/srv` read-only and `/srv/notes` writable would make `srv/notes/a.md` and
            // `notes/a.md` one file.
            for (other, earlier) in grants.iter().zip(specs) {
                let (inner, outer) = if path.starts_with(&other.path) {
                    (spec, earlier)
                } else if other.path.starts_with(&path) {
                    (earlier, spec)
                } else {
                    continue;
                };
                return Err(GrantError::Overlap {
                    inner: inner.path.display().to_string(),
                    outer: outer.path.display().to_string(),
                });
            }
            let name = match &spec.name {
                // A name that was given explicitly is never changed: callers and tokens refer
                // to the root by it. Only a name that was derived from a path gets a number to
                // make it unique.
                Some(name) if grants.iter().any(|grant| grant.name == *name) => {
                    return Err(GrantError::SameName { name: name.clone() });
                }
                Some(name) if is_name(name) => name.clone(),
                Some(name) => return Err(GrantError::BadName { name: name.clone() }),
                None => name_for(&path, &grants, specs),
            };
            grants.push(Grant {
                name,
                above: above::ignore_files_ambient(&path),
                path,
                written: address::resolve_written_ambient(&spec.path),
                right: spec.right,
                sensitive: spec.sensitive,
                state: None,
            });
        }
        let default = match default {
            None => 0,
            Some(wanted) => position(&grants, wanted).ok_or_else(|| {
                let names: Vec<_> = grants
                    .iter()
                    .map(|grant| format!("`{}`", grant.name))
                    .collect();
                GrantError::UnknownDefault {
                    default: wanted.to_owned(),
                    names: names.join(", "),
                }
            })?,
        };
        Ok(Self { grants, default })
    }

    /// Returns the granted directories, in the order of the specs.
    #[must_use]
    pub fn all(&self) -> &[Grant] {
        &self.grants
    }

    /// Returns the root for requests that name none; none when nothing is granted.
    #[must_use]
    pub fn default_grant(&self) -> Option<&Grant> {
        self.grants.get(self.default)
    }

    /// Returns the directories to which `allowed` gives a right by their name, each with that right
    /// or its own, whichever is less. The default root stays the default; if it is not among them,
    /// the first root becomes the default.
    #[must_use]
    pub fn narrow(&self, allowed: impl Fn(&str) -> Option<Right>) -> Self {
        let mut narrowed = Self::default();
        for (index, grant) in self.grants.iter().enumerate() {
            let Some(right) = allowed(&grant.name) else {
                continue;
            };
            if index == self.default {
                narrowed.default = narrowed.grants.len();
            }
            let mut grant = grant.clone();
            if right == Right::ReadOnly {
                grant.right = Right::ReadOnly;
                grant.state = None;
            }
            narrowed.grants.push(grant);
        }
        narrowed
    }
}

impl Grant {
    /// Returns the name that callers use.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the path: absolute, without symbolic links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the right to its files.
    #[must_use]
    pub fn right(&self) -> Right {
        self.right
    }

    /// Returns true if files that hold secrets may be opened, for a caller that names them and asks
    /// for it.
    #[must_use]
    pub fn is_sensitive(&self) -> bool {
        self.sensitive
    }

    /// Returns the ignore files of its git repository that lie outside the directory, the nearest
    /// one last.
    pub(crate) fn ignore_files_above(&self) -> &[IgnoreFile] {
        &self.above
    }

    /// Returns the folder for the data for undo; none if nothing is kept.
    #[must_use]
    pub fn state(&self) -> Option<&Path> {
        self.state.as_deref()
    }

    /// Opens the lock and the state that writing to the open `root` needs; none if it is read-only.
    pub(crate) fn write_access_ambient(&self, root: &File) -> Option<io::Result<WriteHandles>> {
        if self.right == Right::ReadOnly {
            return None;
        }
        Some(match &self.state {
            Some(folder) => state::open_ambient(folder, &self.path),
            // Without a state directory there is no lock file, and docent must not create one
            // in the root, so the directory of the root itself is locked. Hosts that keep a
            // state lock another object: they and this one do not exclude each other.
            None => guard::lockable(root).map(|lock| WriteHandles { lock, state: None }),
        })
    }

    /// Returns the identity of the state that is in place now; none if nothing is kept, or it is
    /// gone.
    pub(crate) fn state_identity_ambient(&self) -> Option<StateIdentity> {
        self.state.as_deref().and_then(state::identity_ambient)
    }

    /// Opens the directory that is at the path now, and returns its identity.
    ///
    /// # Errors
    /// The error of the system when it is gone or no longer a directory.
    pub fn open_ambient(&self) -> io::Result<(File, Identity)> {
        let directory = guard::open_root_ambient(&self.path)?;
        // The identity is that of the open directory and not of the path. Another directory may
        // have taken the path between the two calls, and the instance would then be kept as
        // that of the wrong one.
        let identity = guard::identity(&directory)?;
        Ok((directory, identity))
    }

    /// Returns the identity of the directory that is at the path now; none if there is none.
    #[must_use]
    pub fn identity_ambient(&self) -> Option<Identity> {
        guard::identity_of_path_ambient(&self.path)
    }
}

/// Returns the absolute path, without symbolic links, of a directory that may be granted.
fn resolve(path: &Path) -> Result<PathBuf, GrantError> {
    let written = || path.display().to_string();
    let resolved = path
        .canonicalize()
        .map_err(|source| GrantError::Unreachable {
            path: written(),
            source,
        })?;
    if !resolved.is_dir() {
        return Err(GrantError::NotADirectory { path: written() });
    }
    // `/dev` is only refused itself, because `/dev/shm` holds ordinary files. `/proc` and
    // `/sys` are refused with everything beneath them, since they hold none.
    let is_system = resolved.parent().is_none()
        || resolved == Path::new("/dev")
        || ["/proc", "/sys"]
            .iter()
            .any(|system| resolved.starts_with(system));
    if is_system {
        Err(GrantError::System { path: written() })
    } else {
        Ok(resolved)
    }
}

/// Returns the name of the directory for secrets that `path` is or lies in.
fn sensitive_directory(path: &Path) -> Option<String> {
    path.iter().find_map(|segment| {
        let segment = segment.to_string_lossy();
        // Names are folded as case-insensitive file systems fold them, and as the component
        // does. `.SSH`, `.ssh.` and the full-width `．ｓｓｈ` open the same directory as `.ssh` on
        // some system, and must not bypass the list.
        let name: String = segment.nfkc().flat_map(char::to_lowercase).nfkc().collect();
        let name = name.trim_end_matches(['.', ' ']);
        SENSITIVE.contains(&name).then(|| segment.into_owned())
    })
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= NAME_BYTES
        && !name.starts_with('.')
        // A name is one segment of a path (`ROOT/PATH`), precedes `=` on the command line
        // (`NAME=PATH`), and has a line of its own in the variable `DOCENT_SENSITIVE_ROOTS`.
        && !name.contains(['/', '\\', '=', '\0', '\n', '\r'])
}

/// Returns a name derived from the path's last segment that no other root has or requests.
fn name_for(path: &Path, grants: &[Grant], specs: &[RootSpec]) -> String {
    let stem = path
        .file_name()
        .map(|name| {
            name.to_string_lossy()
                // `.notes` is named `notes`. A name that begins with a dot would be hidden from
                // listings, and `.docent-state` is the path of docent's own state.
                .trim_start_matches('.')
                .replace(['\\', '=', '\n', '\r'], "_")
        })
        .filter(|name| is_name(name))
        .unwrap_or_else(|| "root".to_owned());
    let taken = |name: &str| {
        grants.iter().any(|grant| grant.name == name)
            // Explicit names take precedence, also those of roots further down.
            || specs.iter().any(|spec| spec.name.as_deref() == Some(name))
    };
    let mut name = stem.clone();
    // `notes`, `notes-2`, as file managers count.
    let mut number = 2;
    while taken(&name) {
        name = format!("{stem}-{number}");
        number += 1;
    }
    name
}

/// Finds a root by name or by path.
fn position(grants: &[Grant], wanted: &str) -> Option<usize> {
    grants
        .iter()
        .position(|grant| grant.name == wanted)
        // Names are tried first, because callers know a root by its name.
        .or_else(|| {
            let path = Path::new(wanted).canonicalize().ok()?;
            grants.iter().position(|grant| grant.path == path)
        })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{GrantError, Grants, Right, RootSpec};

    fn spec(path: &std::path::Path) -> RootSpec {
        RootSpec {
            name: None,
            path: path.to_owned(),
            right: Right::ReadOnly,
            sensitive: false,
        }
    }

    #[test]
    fn roots_are_named_apart() {
        let temporary = tempfile::tempdir().unwrap();
        let (a, b) = (
            temporary.path().join("a/notes"),
            temporary.path().join("b/notes"),
        );
        fs::create_dir_all(&a).unwrap();
        fs::create_dir_all(&b).unwrap();
        let grants = Grants::resolve_ambient(&[spec(&a), spec(&b)], None).unwrap();
        let names: Vec<_> = grants.all().iter().map(super::Grant::name).collect();
        assert_eq!(names, ["notes", "notes-2"]);
        assert_eq!(grants.default_grant().unwrap().name(), "notes");
    }

    #[test]
    fn the_default_is_found_by_name_and_by_path() {
        let temporary = tempfile::tempdir().unwrap();
        let (a, b) = (temporary.path().join("a"), temporary.path().join("b"));
        fs::create_dir_all(&a).unwrap();
        fs::create_dir_all(&b).unwrap();
        let specs = [spec(&a), spec(&b)];
        for wanted in ["b".to_owned(), format!("{}/../b/", b.display())] {
            let grants = Grants::resolve_ambient(&specs, Some(&wanted)).unwrap();
            assert_eq!(grants.default_grant().unwrap().name(), "b", "{wanted}");
        }
        let error = Grants::resolve_ambient(&specs, Some("c")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "default root `c` is not one of the roots: `a`, `b`"
        );
    }

    #[test]
    fn narrowed_grants_have_no_more_than_either_side_gives() {
        let temporary = tempfile::tempdir().unwrap();
        let specs = ["a", "b", "c"].map(|name| {
            let path = temporary.path().join(name);
            fs::create_dir(&path).unwrap();
            let right = if name == "a" {
                Right::ReadOnly
            } else {
                Right::ReadWrite
            };
            RootSpec {
                right,
                ..spec(&path)
            }
        });
        let state = tempfile::tempdir().unwrap();
        let grants = Grants::resolve_ambient(&specs, Some("b")).unwrap();
        let grants = grants.keep_state_ambient(state.path()).unwrap();
        let narrowed = |allowed: &[(&str, Right)]| {
            let right = |name: &str| {
                let mut named = allowed.iter().filter(|(root, _)| *root == name);
                named.next().map(|(_, right)| *right)
            };
            let narrowed = grants.narrow(right);
            let all = narrowed.all().iter();
            let all = all.map(|it| (it.name().to_owned(), it.right(), it.state().is_some()));
            let default = narrowed.default_grant().map(|it| it.name().to_owned());
            (all.collect::<Vec<_>>(), default)
        };
        let (read, write) = (Right::ReadOnly, Right::ReadWrite);
        let a = ("a".to_owned(), read, false);
        assert_eq!(narrowed(&[]), (vec![], None));
        assert_eq!(narrowed(&[("x", write)]), (vec![], None));
        assert_eq!(
            narrowed(&[("a", write)]),
            (vec![a.clone()], Some("a".into()))
        );
        let (b, c) = (("b".to_owned(), read, false), ("c".to_owned(), write, true));
        assert_eq!(
            narrowed(&[("c", write), ("b", read), ("a", read)]),
            (vec![a, b, c], Some("b".to_owned()))
        );
    }

    #[test]
    fn what_cannot_be_granted_is_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let inner = temporary.path().join("inner");
        let file = temporary.path().join("file");
        fs::create_dir(&inner).unwrap();
        fs::write(&file, "").unwrap();
        let refused = |specs: &[RootSpec]| Grants::resolve_ambient(specs, None).unwrap_err();

        assert!(matches!(refused(&[]), GrantError::Nothing));
        assert!(matches!(
            refused(&[spec(&temporary.path().join("missing"))]),
            GrantError::Unreachable { .. }
        ));
        assert!(matches!(
            refused(&[spec(&file)]),
            GrantError::NotADirectory { .. }
        ));
        for pair in [
            [temporary.path(), &inner],
            [&inner, temporary.path()],
            [&inner, &inner],
        ] {
            let specs = pair.map(spec);
            assert!(
                matches!(refused(&specs), GrantError::Overlap { .. }),
                "{pair:?}"
            );
        }
        for system in ["/", "/dev", "/proc", "/sys", "/proc/self"] {
            let path = std::path::Path::new(system);
            if path.exists() {
                assert!(
                    matches!(refused(&[spec(path)]), GrantError::System { .. }),
                    "{system}"
                );
            }
        }
        for name in ["", ".hidden", "a/b", "a\\b", "a=b", "a\nb"] {
            let named = RootSpec {
                name: Some(name.to_owned()),
                ..spec(&inner)
            };
            assert!(
                matches!(refused(&[named]), GrantError::BadName { .. }),
                "{name:?}"
            );
        }
    }

    #[test]
    fn a_directory_for_secrets_is_granted_only_where_it_is_said() {
        let temporary = tempfile::tempdir().unwrap();
        for directory in [".ssh", ".SSH/keys", "home/.aws/a/b", ".kube.", ".docker"] {
            let path = temporary.path().join(directory);
            fs::create_dir_all(&path).unwrap();
            let refused = Grants::resolve_ambient(&[spec(&path)], None).unwrap_err();
            assert!(
                matches!(refused, GrantError::Sensitive { .. }),
                "{directory}: {refused}"
            );
            let said = RootSpec {
                sensitive: true,
                ..spec(&path)
            };
            assert!(
                Grants::resolve_ambient(&[said], None).is_ok(),
                "{directory}"
            );
        }
        for directory in ["ssh", ".sshx", ".github"] {
            let path = temporary.path().join(directory);
            fs::create_dir_all(&path).unwrap();
            assert!(
                Grants::resolve_ambient(&[spec(&path)], None).is_ok(),
                "{directory}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_made_anew_is_another_one() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("root");
        fs::create_dir(&path).unwrap();
        let grants = Grants::resolve_ambient(&[spec(&path)], None).unwrap();
        let grant = &grants.all()[0];
        let (_held, before) = grant.open_ambient().unwrap();
        assert_eq!(grant.identity_ambient(), Some(before));
        fs::rename(&path, temporary.path().join("moved")).unwrap();
        assert_eq!(grant.identity_ambient(), None);
        fs::create_dir(&path).unwrap();
        assert_ne!(grant.identity_ambient(), Some(before));
    }
}
