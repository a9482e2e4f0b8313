//! From a request's root and path to an open directory or a file in one.

use std::rc::Rc;

use docent_api::types::{Error, ErrorCode};

use crate::disk::{Directory, Disk, Failure, Kind, Metadata, Root};
use crate::door::{Consent, Denied, Stamps, Vetted};
use crate::error::refuse;
use crate::ignore::excluded::Excluded;
use crate::ignore::files::{IgnoreFiles, UNLISTED};
use crate::ignore::rules::Chain;
use crate::included::Included;
use crate::path::RelPath;
use crate::sensitive::{is_sensitive_directory, is_sensitive_file, is_version_control};

/// A file in its directory.
#[derive(Debug)]
pub struct File<T> {
    /// Its path, as it is on disk.
    pub path: RelPath,
    /// The directory that holds it.
    pub parent: Vetted<T>,
    /// Its name there.
    pub name: String,
}

/// A directory to start from.
#[derive(Debug)]
pub struct Start<T> {
    /// Index of the root.
    pub root: usize,
    /// The start's path.
    pub path: RelPath,
    /// The start itself.
    pub directory: Vetted<T>,
    /// The rules of the directories above it.
    pub chain: Option<Rc<Chain>>,
}

/// What a path leads to.
#[derive(Debug)]
pub enum Located<T> {
    /// A directory.
    Directory(Start<T>),
    /// A regular file.
    File(File<T>),
}

/// What a tool takes a path to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A directory.
    Directory,
    /// A file.
    File,
    /// Either.
    Any,
}

/// Why a path leads to nothing that a tool can use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocateError {
    /// Its name alone is on the list of sensitive ones.
    #[error("`{0}` is of a sensitive kind; expected a document without secrets")]
    Sensitive(RelPath),
    /// It is missing, outside, forbidden, or left out by the configuration; callers are not told
    /// which.
    #[error("`{path}` is not there; expected a document or directory of this root")]
    NotFound {
        /// The path that was asked for.
        path: RelPath,
        /// What the disk said; none where it was not asked.
        #[source]
        cause: Option<Failure>,
    },
    /// Ignore files leave out the entry `rule`, which it leads to or through.
    #[error(
        "`{path}` is not served: ignore files leave `{rule}` out; expected an entry that they keep"
    )]
    Ignored {
        /// The path that was asked for.
        path: RelPath,
        /// The path of the entry that a rule is about.
        rule: RelPath,
    },
    /// It leads into what version control keeps for itself.
    #[error("`{0}` belongs to version control; expected a file of the tree")]
    Versioned(RelPath),
    /// The root cannot be opened any more.
    #[error("the root cannot be opened; expected the directory that was granted")]
    RootGone(#[source] Failure),
    /// It leads to a directory.
    #[error("`{0}` is a directory; expected a document")]
    NotADocument(RelPath),
    /// It leads to a document.
    #[error("`{0}` is a document; expected a directory")]
    NotADirectory(RelPath),
}

impl LocateError {
    /// Returns the error for what hides from callers, whatever the disk would say of it.
    pub fn nowhere(path: &RelPath) -> Self {
        let path = path.clone();
        Self::NotFound { path, cause: None }
    }

    /// Returns the error for what the disk does not give.
    pub fn failed(path: &RelPath, failure: Failure) -> Self {
        Self::NotFound {
            path: path.clone(),
            cause: Some(failure),
        }
    }

    fn denied(path: &RelPath, denied: Denied) -> Self {
        match denied {
            Denied::Sensitive => Self::Sensitive(path.clone()),
            Denied::Failed(failure) => Self::failed(path, failure),
        }
    }
}

/// A root that a request means.
#[derive(Debug)]
pub struct ChosenRoot {
    /// Its index.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its name, where more than one is granted.
    pub shown: Option<String>,
}

/// Returns the index of the default root: the configured one, else the first.
pub fn default_root(roots: &[Root], configured: Option<&str>) -> usize {
    let named = configured.and_then(|name| roots.iter().position(|root| root.name == name));
    named.unwrap_or(0)
}

/// Returns the root that a request means.
///
/// # Errors
/// `service-not-initialized` when there is none at all, `not-granted` for an unknown name.
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
    // Names are compared as they are: the person has chosen them, and they are no paths.
    let index = match requested {
        None => default_root(&roots, configured),
        Some(name) => match roots.iter().position(|root| root.name == name) {
            Some(index) => index,
            None => return Err(unknown_root(name, &roots)),
        },
    };
    // With one root its name tells nothing, and answers leave it out.
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

/// What decides what of a tree may be named.
#[derive(Clone, Copy, Debug)]
pub struct LocateRules<'a> {
    /// What the configuration leaves out.
    pub exclude: &'a Excluded,
    /// What is served although ignore files leave it out. Hidden entries always are: who names one
    /// knows that it is there.
    pub included: Included,
}

impl<'a> LocateRules<'a> {
    /// Returns the rules of a tree whose ignore files hold.
    pub fn new(exclude: &'a Excluded) -> Self {
        Self {
            exclude,
            included: Included::default(),
        }
    }

    /// Returns why an entry is not served; none where it is. `path` is what was asked for, `real`
    /// leads to the entry, and `chain` are the rules of its directory.
    fn refusal(
        self,
        path: &RelPath,
        real: &RelPath,
        is_directory: bool,
        chain: Option<&Chain>,
    ) -> Option<LocateError> {
        // What the person has left out of the settings looks as if it were not there.
        if self.exclude.ignores(real.as_str(), is_directory) {
            return Some(LocateError::nowhere(path));
        }
        let is_ignored = !self.included.ignored
            && chain.is_some_and(|chain| chain.ignores(real.as_str(), is_directory));
        is_ignored.then(|| LocateError::Ignored {
            path: path.clone(),
            rule: real.clone(),
        })
    }
}

/// Opens what `path` leads to in root `root`.
///
/// # Errors
/// [`LocateError::Sensitive`] and [`LocateError::Versioned`] by name alone;
/// [`LocateError::NotFound`] for all that is missing, outside, forbidden or left out by the
/// configuration; [`LocateError::Ignored`]; the others when it is not of the kind of `target`.
pub fn locate<D: Disk>(
    disk: &D,
    rules: LocateRules<'_>,
    root: usize,
    path: &RelPath,
    target: TargetKind,
) -> Result<Located<D::Directory>, LocateError> {
    let located = locate_as_parsed(disk, rules, root, path, target);
    let is_missing = matches!(located, Err(LocateError::NotFound { .. }));
    // As it is listed: `a\b.md` may be a name.
    let Some(literal) = path.literal().filter(|_| is_missing) else {
        return located;
    };
    match locate_as_parsed(disk, rules, root, &literal, target) {
        Err(LocateError::NotFound { .. }) => located,
        found => found,
    }
}

/// Why nothing at a path is served to those who name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// Nothing is there, or nothing that may be told of.
    Missing,
    /// A rule of an ignore file, or of the settings, leaves it or a directory above it out.
    Ignored,
    /// It is a link, or lies behind one.
    Link,
    /// It is neither a file nor a directory.
    Special,
}

/// Returns why nothing is served at a path whose names tell of no secret.
pub fn absence<D: Disk>(disk: &D, exclude: &Excluded, root: usize, path: &RelPath) -> Absence {
    let Ok(mut directory) = Vetted::root(disk, root, Consent::Withheld) else {
        return Absence::Missing;
    };
    if refuse_sensitive(path, TargetKind::File).is_err() {
        return Absence::Missing;
    }
    let mut chain = exclude.above(root);
    let mut real = RelPath::default();
    for segment in path.segments() {
        let Some(name) = directory.real_name(segment) else {
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
        let ignores = |rules: &dyn Fn(&str, bool) -> bool| rules(real.as_str(), is_directory);
        if ignores(&|path, is| exclude.ignores(path, is))
            || chain
                .as_ref()
                .is_some_and(|chain| ignores(&|path, is| chain.ignores(path, is)))
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

/// Opens what `path` leads to, `\` in a request having been read as `/`.
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
    // Whether a file of a sensitive name is there is not told either.
    if located.is_err() && path.segments().next_back().is_some_and(is_sensitive_file) {
        return Err(LocateError::Sensitive(path.clone()));
    }
    located
}

/// Opens the sensitive file that `path` leads to in a root whose grant consents to that. What else
/// hides such a file, a leading dot or an ignore file, does not count.
///
/// # Errors
/// [`LocateError::NotFound`] for all that is missing, outside or forbidden.
pub fn locate_sensitive<D: Disk>(
    disk: &D,
    root: usize,
    path: &RelPath,
) -> Result<File<D::Directory>, LocateError> {
    let mut parent = Vetted::root(disk, root, Consent::Given).map_err(LocateError::RootGone)?;
    let mut segments = path.segments().peekable();
    while let Some(segment) = segments.next() {
        if segments.peek().is_none() {
            let is_file = |metadata: Metadata| metadata.kind == Kind::File;
            if !parent.metadata(segment).is_ok_and(is_file) {
                break;
            }
            return Ok(File {
                path: path.clone(),
                parent,
                name: segment.to_owned(),
            });
        }
        // With the person's consent no name is refused, so a denial is always the disk's.
        parent = parent
            .directory(segment)
            .map_err(|denied| LocateError::denied(path, denied))?;
    }
    Err(LocateError::nowhere(path))
}

/// Goes down from the root, one name at a time, and gathers the ignore rules of each directory on
/// the way: nothing in an ignored directory is served, however it is named.
fn descend<T: Directory>(
    directory: Vetted<T>,
    rules: LocateRules<'_>,
    root: usize,
    path: &RelPath,
    target: TargetKind,
) -> Result<Located<T>, LocateError> {
    let mut level = Level::root(directory, rules.exclude.above(root));
    let mut segments = path.segments().peekable();
    while let Some(segment) = segments.next() {
        let entered = level.enter();
        let last = segments.peek().is_none().then_some(target);
        match entered.step(rules, path, segment, last)? {
            Step::Down(below) => level = below,
            Step::File { real, name } => {
                return Ok(Located::File(File {
                    path: real,
                    parent: entered.directory,
                    name,
                }));
            }
        }
    }
    // Only the root comes here as a directory where a file was wanted: others ended in the loop.
    if target == TargetKind::File {
        return Err(LocateError::NotADocument(path.clone()));
    }
    Ok(Located::Directory(Start {
        root,
        path: level.real,
        directory: level.directory,
        chain: level.above,
    }))
}

/// A directory on the way.
pub(crate) struct Level<T> {
    directory: Vetted<T>,
    /// The rules of the directories above it.
    above: Option<Rc<Chain>>,
    /// Its path, as it is on disk.
    real: RelPath,
}

/// A directory on the way whose ignore files were read.
pub(crate) struct Entered<T> {
    pub(crate) directory: Vetted<T>,
    rules: Option<Rc<Chain>>,
    real: RelPath,
}

/// Where a name leads.
pub(crate) enum Step<T> {
    /// To a directory.
    Down(Level<T>),
    /// To a file.
    File {
        /// Its path, as it is on disk.
        real: RelPath,
        /// Its name there.
        name: String,
    },
}

impl<T: Directory> Level<T> {
    pub(crate) fn root(directory: Vetted<T>, above: Option<Rc<Chain>>) -> Self {
        Self {
            directory,
            above,
            real: RelPath::default(),
        }
    }

    pub(crate) fn enter(self) -> Entered<T> {
        let rules = own_rules(&self.directory, self.above, self.real.as_str());
        Entered {
            directory: self.directory,
            rules,
            real: self.real,
        }
    }
}

impl<T: Directory> Entered<T> {
    /// Returns where the next name of `path` leads; of the last one, with what `last` wants.
    pub(crate) fn step(
        &self,
        rules: LocateRules<'_>,
        path: &RelPath,
        segment: &str,
        last: Option<TargetKind>,
    ) -> Result<Step<T>, LocateError> {
        let directory = &self.directory;
        let name = directory
            .real_name(segment)
            .ok_or_else(|| LocateError::nowhere(path))?;
        // Rules and answers go by the name on disk, refusals by the one that was asked for.
        let mut real = self.real.clone();
        real.push(&name);
        let kind = directory
            .metadata(&name)
            .map(|metadata| metadata.kind)
            .map_err(|failure| LocateError::failed(path, failure))?;
        let is_directory = kind == Kind::Directory;
        let refusal = rules.refusal(path, &real, is_directory, self.rules.as_deref());
        match kind {
            Kind::Directory => {
                if let Some(refusal) = refusal {
                    return Err(refusal);
                }
                if last == Some(TargetKind::File) {
                    return Err(LocateError::NotADocument(path.clone()));
                }
                let below = directory
                    .directory(&name)
                    .map_err(|denied| LocateError::denied(path, denied))?;
                Ok(Step::Down(Level {
                    directory: below,
                    above: self.rules.clone(),
                    real,
                }))
            }
            Kind::File if last.is_some() => {
                // Asked again, for the name on disk may be another normal form of what was asked
                // for.
                if is_sensitive_file(&name) {
                    return Err(LocateError::Sensitive(path.clone()));
                }
                if let Some(refusal) = refusal {
                    return Err(refusal);
                }
                if last == Some(TargetKind::Directory) {
                    return Err(LocateError::NotADirectory(path.clone()));
                }
                Ok(Step::File { real, name })
            }
            // Links and devices look as if they were not there.
            _ => Err(LocateError::nowhere(path)),
        }
    }
}

/// Refuses what its name alone forbids, before anything is touched.
pub(crate) fn refuse_by_name(path: &RelPath, target: TargetKind) -> Result<(), LocateError> {
    refuse_sensitive(path, target)?;
    // Its programs run what is in it, and it tells of paths outside.
    if path.segments().any(is_version_control) {
        return Err(LocateError::Versioned(path.clone()));
    }
    Ok(())
}

/// Refuses what its name says to be sensitive.
fn refuse_sensitive(path: &RelPath, target: TargetKind) -> Result<(), LocateError> {
    // A directory may be called `server.key`. So a last name that only a file would be sensitive by
    // is let through where a directory may be meant, unless it begins with a dot, as `.env` does:
    // hardly any directory is called so.
    let is_sensitive = path.segments().any(is_sensitive_directory)
        || path.segments().next_back().is_some_and(|last| {
            is_sensitive_file(last) && (target == TargetKind::File || last.starts_with('.'))
        });
    if is_sensitive {
        return Err(LocateError::Sensitive(path.clone()));
    }
    Ok(())
}

/// Returns the chain with the ignore files of a directory on the way to another one. To list it for
/// their names would cost more than three attempts at opening them.
pub fn own_rules<T: Directory>(
    directory: &Vetted<T>,
    parent: Option<Rc<Chain>>,
    path: &str,
) -> Option<Rc<Chain>> {
    // One that cannot be read is named where its directory is walked, not on the way.
    let files = IgnoreFiles::read(
        directory,
        UNLISTED,
        parent.as_deref(),
        Stamps::Unwanted,
        |_, _| (),
    );
    files.extend(parent, path)
}
