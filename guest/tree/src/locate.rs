//! Resolution of a request's root and path to an open directory or a file in one.

use std::rc::Rc;

use docent_api::types::{Error, ErrorCode};

use crate::archive::{container_above, container_name};
use crate::descent::{DirectoryLevel, ResolvedEntry};
use crate::disk::{Directory, Disk, Failure, Kind, Root};
use crate::door::{Consent, Denied, Stamps, Vetted};
use crate::error::refuse;
use crate::ignore::excluded::Exclusions;
use crate::ignore::files::{IgnoreFiles, UNLISTED};
use crate::ignore::rules::RuleChain;
use crate::included::Inclusions;
use crate::path::RelPath;
use crate::sensitive::{is_sensitive_directory, is_sensitive_file, is_version_control};
use crate::unpack_failure::UnpackFailure;

/// A file with its open directory.
#[derive(Debug)]
pub struct File<T> {
    /// Path, as on disk.
    pub path: RelPath,
    /// Directory that contains it.
    pub parent: Vetted<T>,
    /// Name in that directory.
    pub name: String,
}

/// A directory to start a walk from.
#[derive(Debug)]
pub struct WalkStart<T> {
    /// Index of the root.
    pub root: usize,
    /// Path of the start.
    pub path: RelPath,
    /// Directory of the start.
    pub directory: Vetted<T>,
    /// Rules of the directories above it.
    pub chain: Option<Rc<RuleChain>>,
}

/// The entry at a path.
#[derive(Debug)]
pub enum Located<T> {
    /// A directory.
    Directory(WalkStart<T>),
    /// A regular file.
    File(File<T>),
}

/// The kind of entry that a tool accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A directory.
    Directory,
    /// A file.
    File,
    /// Either.
    Any,
}

/// The reason that a path leads to nothing that a tool can use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocateError {
    /// Its name alone is on the list of sensitive ones.
    #[error("`{0}` is of a sensitive kind; expected a document without secrets")]
    Sensitive(RelPath),
    /// It is missing, outside, forbidden, or excluded by the configuration. The error does not
    /// distinguish these: otherwise callers could learn which names exist in a directory that they
    /// may not see.
    #[error("`{path}` is not there; expected a document or directory of this root")]
    NotFound {
        /// Requested path.
        path: RelPath,
        /// Failure of the disk; `None` if the disk was not asked.
        #[source]
        cause: Option<Failure>,
    },
    /// Ignore files exclude the entry `rule`, which is at the path or above it.
    #[error(
        "`{path}` is not served: ignore files exclude `{rule}`; expected an entry that they do not exclude"
    )]
    Ignored {
        /// Requested path.
        path: RelPath,
        /// Path of the entry that a rule is about.
        rule: RelPath,
    },
    /// The container on the way to it cannot be opened.
    #[error("`{container}` {failure}")]
    Container {
        /// Path of the container.
        container: RelPath,
        /// Reason.
        failure: UnpackFailure,
    },
    /// It is in a container, and cannot be unpacked.
    #[error("`{path}` {failure}")]
    Member {
        /// Requested path.
        path: RelPath,
        /// Reason.
        failure: UnpackFailure,
    },
    /// It is within the internals of version control.
    #[error("`{0}` belongs to version control; expected a file of the tree")]
    Versioned(RelPath),
    /// The root can no longer be opened.
    #[error("the root cannot be opened; expected the directory that was granted")]
    RootGone(#[source] Failure),
    /// It is a directory.
    #[error("`{0}` is a directory; expected a document")]
    NotADocument(RelPath),
    /// It is a document.
    #[error("`{0}` is a document; expected a directory")]
    NotADirectory(RelPath),
}

impl LocateError {
    /// Returns the error for an entry that is hidden from callers, whatever the disk would report.
    pub fn hidden_error(path: &RelPath) -> Self {
        let path = path.clone();
        Self::NotFound { path, cause: None }
    }

    /// Returns the error for a failure of the disk: that of a missing entry, unless a container
    /// causes it. A caller that gets to a container knows that it exists.
    pub fn disk_error(path: &RelPath, failure: Failure) -> Self {
        let path = path.clone();
        match failure {
            Failure::Container(failure) => Self::Container {
                container: container_above(&path),
                failure,
            },
            Failure::Member(failure) => Self::Member { path, failure },
            failure => Self::NotFound {
                path,
                cause: Some(failure),
            },
        }
    }

    pub(crate) fn denied_error(path: &RelPath, denied: Denied) -> Self {
        match denied {
            Denied::Sensitive => Self::Sensitive(path.clone()),
            Denied::Failed(failure) => Self::disk_error(path, failure),
        }
    }
}

/// The root that a request names.
#[derive(Debug)]
pub struct ChosenRoot {
    /// Index.
    pub index: usize,
    /// Name.
    pub name: String,
    /// Name, if more than one root is granted.
    pub shown: Option<String>,
}

/// Returns the index of the default root: the configured one, else the first.
pub fn default_root(roots: &[Root], configured: Option<&str>) -> usize {
    let named = configured.and_then(|name| roots.iter().position(|root| root.name == name));
    named.unwrap_or(0)
}

/// Returns the root that a request names.
///
/// # Errors
/// `service-not-initialized` if there is no root at all, `not-granted` for an unknown name.
pub fn choose_root(
    disk: &impl Disk,
    configured: Option<&str>,
    requested: Option<&str>,
) -> Result<ChosenRoot, Error> {
    let mut roots = disk.roots();
    if roots.is_empty() {
        return Err(refuse(
            ErrorCode::ServiceNotInitialized,
            "no directory was granted; expected at least one",
            "Ask the person to grant a directory when starting docent.",
        ));
    }
    // Names of roots are compared literally, in case and normal form: the person has chosen them,
    // and they are not paths.
    let index = match requested {
        None => default_root(&roots, configured),
        Some(name) => match roots.iter().position(|root| root.name == name) {
            Some(index) => index,
            None => return Err(unknown_root(name, &roots)),
        },
    };
    // The name of a single root carries no information, and answers omit it.
    let is_one_of_many = roots.len() > 1;
    let name = roots.swap_remove(index).name;
    let shown = is_one_of_many.then(|| name.clone());
    Ok(ChosenRoot { index, name, shown })
}

fn unknown_root(name: &str, roots: &[Root]) -> Error {
    let known: Vec<String> = roots
        .iter()
        .map(|root| format!("`{}`", root.name))
        .collect();
    refuse(
        ErrorCode::NotGranted,
        format!("`{name}` is not granted; expected the name of a granted root"),
        format!(
            "Leave root out for the default, or name one of {}.",
            known.join(", ")
        ),
    )
}

/// The rules that decide which entries of a tree may be named.
#[derive(Clone, Copy, Debug)]
pub struct LocateRules<'a> {
    /// Exclusions of the configuration.
    pub exclude: &'a Exclusions,
    /// Entries that are served although ignore files exclude them. Hidden entries are always
    /// served: a caller that names one knows that it exists, while a walk would show it to callers
    /// that do not.
    pub included: Inclusions,
}

impl<'a> LocateRules<'a> {
    /// Creates the rules of a tree whose ignore files apply.
    pub fn new(exclude: &'a Exclusions) -> Self {
        Self {
            exclude,
            included: Inclusions::default(),
        }
    }

    /// Returns the reason that an entry is not served, or `None` if it is. `path` is the requested
    /// path, `real` that of the entry, and `chain` the rules of its directory.
    pub(crate) fn refusal(
        self,
        path: &RelPath,
        real: &RelPath,
        is_directory: bool,
        chain: Option<&RuleChain>,
    ) -> Option<LocateError> {
        // An entry that the configuration excludes seems not to exist, as the person decided it,
        // and its error is that of a missing one. An ignore file is part of the tree that the
        // caller reads, so that its effect may be named, with the argument that lifts it.
        if self.exclude.ignores(real.as_str(), is_directory) {
            return Some(LocateError::hidden_error(path));
        }
        let is_ignored = !self.included.ignored
            && chain.is_some_and(|chain| chain.ignores(real.as_str(), is_directory));
        is_ignored.then(|| LocateError::Ignored {
            path: path.clone(),
            rule: real.clone(),
        })
    }
}

/// Opens the entry at `path` in root `root`.
///
/// # Errors
/// [`LocateError::Sensitive`] and [`LocateError::Versioned`] by name alone;
/// [`LocateError::NotFound`] for entries that are missing, outside, forbidden or excluded by the
/// configuration; [`LocateError::Ignored`]; [`LocateError::Container`]; the others if the entry is
/// not of the kind of `target`.
pub fn locate<D: Disk>(
    disk: &D,
    rules: LocateRules<'_>,
    root: usize,
    path: &RelPath,
    target: TargetKind,
) -> Result<Located<D::Directory>, LocateError> {
    let located = locate_as_parsed(disk, rules, root, path, target);
    let is_missing = matches!(located, Err(LocateError::NotFound { .. }));
    // A `\` is read as `/` first, because callers may write paths in the form of Windows. Elsewhere
    // `a\b.md` may be the name of a file, and a listing shows it so; the path is therefore tried
    // literally if nothing exists at the other one. If both fail, the first error is kept.
    let Some(literal) = path.literal().filter(|_| is_missing) else {
        return located;
    };
    match locate_as_parsed(disk, rules, root, &literal, target) {
        Err(LocateError::NotFound { .. }) => located,
        found => found,
    }
}

/// The reason that a path is not served to callers that name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// Nothing exists there, or nothing that may be revealed.
    Missing,
    /// A rule of an ignore file excludes it or a directory above it.
    Ignored,
    /// It is a link, or its path contains one.
    Link,
    /// It is neither a file nor a directory.
    Special,
}

/// Returns the reason that a path is not served. A path with a sensitive name, and one that the
/// settings exclude, count as missing, because the reason would reveal that an entry exists.
pub fn absence<D: Disk>(disk: &D, exclude: &Exclusions, root: usize, path: &RelPath) -> Absence {
    let Ok(mut directory) = Vetted::root(disk, root, Consent::Withheld) else {
        return Absence::Missing;
    };
    if refuse_sensitive(path, TargetKind::File).is_err() {
        return Absence::Missing;
    }
    let mut chain = exclude.above(root);
    let mut real = RelPath::default();
    for segment in path.segments() {
        let Ok(Some(name)) = directory.real_name(segment) else {
            return Absence::Missing;
        };
        chain = own_rules(&directory, chain, real.as_str());
        real.push(&name);
        let kind = match directory.metadata(&name) {
            Ok(metadata) => metadata.kind,
            Err(Failure::Symlink) => return Absence::Link,
            Err(Failure::WrongKind) => return Absence::Special,
            Err(_) => return Absence::Missing,
        };
        let is_directory = kind == Kind::Directory;
        // The settings hide an entry without a trace. An ignore file does not: whoever reads the
        // directory sees its rules.
        if exclude.ignores(real.as_str(), is_directory) {
            return Absence::Missing;
        }
        if chain
            .as_ref()
            .is_some_and(|chain| chain.ignores(real.as_str(), is_directory))
        {
            return Absence::Ignored;
        }
        match kind {
            Kind::Directory => {}
            Kind::Symlink => return Absence::Link,
            Kind::File => return Absence::Missing,
            Kind::Other => return Absence::Special,
        }
        match directory.directory(&name) {
            Ok(below) => directory = below,
            Err(_) => return Absence::Missing,
        }
    }
    Absence::Missing
}

/// Opens the entry at `path`, in which each `\` was read as `/`.
fn locate_as_parsed<D: Disk>(
    disk: &D,
    rules: LocateRules<'_>,
    root: usize,
    path: &RelPath,
    target: TargetKind,
) -> Result<Located<D::Directory>, LocateError> {
    refuse_by_name(path, target)?;
    let directory = Vetted::root(disk, root, Consent::Withheld).map_err(LocateError::RootGone)?;
    let located = descend(directory, rules, root, path, target);
    // Every failure is reported as a sensitive name. Otherwise `server.key` would be refused as
    // sensitive if such a file exists and as missing if not, so that the error would reveal its
    // existence.
    if located.is_err() && path.segments().next_back().is_some_and(is_sensitive_file) {
        return Err(LocateError::Sensitive(path.clone()));
    }
    located
}

/// Opens the sensitive file at `path` in a root whose grant consents to that. Other reasons to hide
/// it, a leading dot or an ignore file, do not apply.
///
/// # Errors
/// [`LocateError::NotFound`] for all that is missing, outside or forbidden;
/// [`LocateError::Container`].
pub fn locate_sensitive<D: Disk>(
    disk: &D,
    root: usize,
    path: &RelPath,
) -> Result<File<D::Directory>, LocateError> {
    let mut parent = Vetted::root(disk, root, Consent::Given).map_err(LocateError::RootGone)?;
    let mut segments = path.segments().peekable();
    while let Some(segment) = segments.next() {
        if segments.peek().is_none() {
            let metadata = parent.metadata(segment);
            let metadata = metadata.map_err(|failure| LocateError::disk_error(path, failure))?;
            if metadata.kind != Kind::File {
                break;
            }
            return Ok(File {
                path: path.clone(),
                parent,
                name: segment.to_owned(),
            });
        }
        // With consent no name is refused, so that a denial always comes from the disk and the
        // error is that of a missing entry.
        parent = parent
            .directory(segment)
            .map_err(|denied| LocateError::denied_error(path, denied))?;
    }
    Err(LocateError::hidden_error(path))
}

/// Descends from the root, one name at a time, and gathers the ignore rules of each directory on
/// the way: nothing in an ignored directory is served, however it is named.
fn descend<T: Directory>(
    directory: Vetted<T>,
    rules: LocateRules<'_>,
    root: usize,
    path: &RelPath,
    target: TargetKind,
) -> Result<Located<T>, LocateError> {
    let mut level = DirectoryLevel::root(directory, rules.exclude.above(root));
    let mut segments = path.segments().peekable();
    while let Some(segment) = segments.next() {
        let entered = level.enter();
        let last = segments.peek().is_none().then_some(target);
        match entered.step(rules, path, segment, last)? {
            ResolvedEntry::Down(below) => level = below,
            ResolvedEntry::File { real, name } => {
                return Ok(Located::File(File {
                    path: real,
                    parent: entered.directory,
                    name,
                }));
            }
        }
    }
    // A requested file ends in the loop, and so does a directory at its path. Only an empty path,
    // which is the root, gets here with a file requested.
    if target == TargetKind::File {
        return Err(LocateError::NotADocument(path.clone()));
    }
    Ok(Located::Directory(WalkStart {
        root,
        path: level.real,
        directory: level.directory,
        chain: level.above,
    }))
}

/// Refuses paths that are forbidden by name alone, before anything is touched.
pub(crate) fn refuse_by_name(path: &RelPath, target: TargetKind) -> Result<(), LocateError> {
    refuse_sensitive(path, target)?;
    // Version control programs execute hooks and settings in these directories, so that a write
    // there could run a command. Their files also contain paths outside of the root, such as those
    // of worktrees.
    if path.segments().any(is_version_control) {
        return Err(LocateError::Versioned(path.clone()));
    }
    Ok(())
}

/// Refuses a path with a sensitive name.
fn refuse_sensitive(path: &RelPath, target: TargetKind) -> Result<(), LocateError> {
    // The last name of a path may be that of a directory called `server.key`, and its kind is not
    // known before it is looked up. A name that is only sensitive for a file is therefore admitted
    // if a directory may be meant, unless it begins with a dot, as `.env` does: hardly any
    // directory is called so.
    let is_in_sensitive = |name: &str| {
        is_sensitive_directory(name) || container_name(name).is_some_and(is_sensitive_file)
    };
    let is_sensitive = path.segments().any(is_in_sensitive)
        || path.segments().next_back().is_some_and(|last| {
            is_sensitive_file(last) && (target == TargetKind::File || last.starts_with('.'))
        });
    if is_sensitive {
        return Err(LocateError::Sensitive(path.clone()));
    }
    Ok(())
}

/// Returns the chain with the ignore files of a directory on the way to another one. Listing the
/// directory for their names would cost more than three attempts at opening them.
pub fn own_rules<T: Directory>(
    directory: &Vetted<T>,
    parent: Option<Rc<RuleChain>>,
    path: &str,
) -> Option<Rc<RuleChain>> {
    // An unreadable ignore file is reported by the walk of its directory. A request for a single
    // file below has no place for such a report and would repeat it each time.
    let files = IgnoreFiles::read(
        directory,
        UNLISTED,
        parent.as_deref(),
        Stamps::Unwanted,
        |_, _| (),
    );
    files.extend(parent, path)
}
