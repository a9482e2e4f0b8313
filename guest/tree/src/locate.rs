//! From a request's root and path to an open directory or a file in one.

use std::rc::Rc;

use docent_api::types::{Error, ErrorCode};
use unicode_normalization::UnicodeNormalization as _;

use crate::disk::{Directory, Disk, Failure, Kind, Metadata, Root};
use crate::door::{Consent, Denied, Extent, Stamps, Vetted};
use crate::error::refuse;
use crate::ignore::rules::{Chain, IGNORE_FILES, Rules};
use crate::limits::IGNORE_BYTES;
use crate::path::{RelPath, push_segment};
use crate::refusal::{not_found, sensitive};
use crate::sensitive::{is_sensitive_directory, is_sensitive_file};

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

/// What a tool takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A directory.
    Directory,
    /// A file.
    File,
    /// Either.
    Any,
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
    let index = match requested {
        None => default_root(&roots, configured),
        Some(name) => match roots.iter().position(|root| root.name == name) {
            Some(index) => index,
            None => return Err(unknown_root(name, &roots)),
        },
    };
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

/// Opens what `path` leads to in root `root`.
///
/// # Errors
/// `sensitive` by name alone; `document-not-found` for all that is missing, outside, forbidden,
/// hidden or left out; `invalid-request` when it is the other kind than the one wanted.
pub fn locate<D: Disk>(
    disk: &D,
    exclude: &Rules,
    root: usize,
    path: &RelPath,
    wanted: Wanted,
) -> Result<Located<D::Directory>, Error> {
    refuse_by_name(path, wanted)?;
    let directory = Vetted::root(disk, root, Consent::Withheld).map_err(|_| root_gone())?;
    let located = descend(directory, exclude, root, path, wanted);
    // Whether a file of a sensitive name is there is not told either.
    if located.is_err() && path.segments().next_back().is_some_and(is_sensitive_file) {
        return Err(sensitive(path));
    }
    located
}

/// Opens the sensitive file that `path` leads to in a root whose grant consents to that. What else
/// hides such a file, a leading dot or an ignore file, does not count.
///
/// # Errors
/// `document-not-found` for all that is missing, outside or forbidden.
pub fn locate_sensitive<D: Disk>(
    disk: &D,
    root: usize,
    path: &RelPath,
) -> Result<File<D::Directory>, Error> {
    let mut parent = Vetted::root(disk, root, Consent::Given).map_err(|_| root_gone())?;
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
        parent = parent.directory(segment).map_err(|_| not_found(path))?;
    }
    Err(not_found(path))
}

fn descend<T: Directory>(
    mut directory: Vetted<T>,
    exclude: &Rules,
    root: usize,
    path: &RelPath,
    wanted: Wanted,
) -> Result<Located<T>, Error> {
    let mut real = RelPath::default();
    let mut chain: Option<Rc<Chain>> = None;
    let mut segments = path.segments().peekable();
    while let Some(segment) = segments.next() {
        chain = own_rules(&directory, chain, real.as_str());
        let is_last = segments.peek().is_none();
        let name = real_name(&directory, segment).ok_or_else(|| not_found(path))?;
        let mut below = real.as_str().to_owned();
        push_segment(&mut below, &name);
        let ignores = |is_directory| {
            exclude.ignores(&below, is_directory)
                || chain
                    .as_ref()
                    .is_some_and(|c| c.ignores(&below, is_directory))
        };
        let kind = directory
            .metadata(&name)
            .map(|m| m.kind)
            .map_err(|_| not_found(path))?;
        match kind {
            Kind::Directory if !ignores(true) => {
                if is_last && wanted == Wanted::File {
                    return Err(not_a_document(path));
                }
                directory = directory
                    .directory(&name)
                    .map_err(|denied| shut(path, denied))?;
                real.push(&name);
            }
            Kind::File if is_last && !ignores(false) => {
                if is_sensitive_file(&name) {
                    return Err(sensitive(path));
                }
                if wanted == Wanted::Directory {
                    return Err(not_a_directory(path));
                }
                real.push(&name);
                return Ok(Located::File(File {
                    path: real,
                    parent: directory,
                    name,
                }));
            }
            _ => return Err(not_found(path)),
        }
    }
    if wanted == Wanted::File {
        return Err(not_a_document(path));
    }
    Ok(Located::Directory(Start {
        root,
        path: real,
        directory,
        chain,
    }))
}

/// Refuses what its name alone forbids, before anything is touched.
fn refuse_by_name(path: &RelPath, wanted: Wanted) -> Result<(), Error> {
    let is_sensitive = path.segments().any(is_sensitive_directory)
        || path.segments().next_back().is_some_and(|last| {
            is_sensitive_file(last) && (wanted == Wanted::File || last.starts_with('.'))
        });
    if is_sensitive {
        return Err(sensitive(path));
    }
    if path.segments().any(|segment| segment.starts_with('.')) {
        return Err(not_found(path));
    }
    Ok(())
}

/// Returns the name under which the directory holds `segment`: itself, or another normal form of
/// the same name.
fn real_name<T: Directory>(directory: &Vetted<T>, segment: &str) -> Option<String> {
    if segment.is_ascii() || directory.metadata(segment) != Err(Failure::NotFound) {
        return Some(segment.to_owned());
    }
    let entries = directory.entries().ok()?;
    let same = entries
        .named
        .into_iter()
        .filter(|entry| entry.name.nfc().eq(segment.nfc()));
    same.map(|entry| entry.name).min()
}

/// Returns the chain with the ignore files of a directory on the way, which is not listed.
pub fn own_rules<T: Directory>(
    directory: &Vetted<T>,
    parent: Option<Rc<Chain>>,
    path: &str,
) -> Option<Rc<Chain>> {
    let mut rules = Rules::default();
    for name in IGNORE_FILES {
        let read = directory.read(name, Extent::Whole(IGNORE_BYTES), Stamps::Unwanted);
        if let Ok(content) = read {
            rules.add_file(&content.bytes);
        }
    }
    if rules.is_empty() {
        return parent;
    }
    let base = if path.is_empty() { 0 } else { path.len() + 1 };
    Some(Rc::new(Chain::new(parent, rules, base)))
}

fn shut(path: &RelPath, denied: Denied) -> Error {
    match denied {
        Denied::Sensitive => sensitive(path),
        Denied::Failed(_) => not_found(path),
    }
}

/// Returns the error for a root that is not there any more.
pub fn root_gone() -> Error {
    refuse(
        ErrorCode::DocumentNotFound,
        "the root cannot be opened; expected the directory that was granted",
        "Ask the person whether the granted directory was moved or deleted.",
    )
}

fn not_a_document(path: &RelPath) -> Error {
    refuse(
        ErrorCode::InvalidRequest,
        format!("`{path}` is a directory; expected a document"),
        "List the directory to see which documents it holds, and name one of them.",
    )
}

fn not_a_directory(path: &RelPath) -> Error {
    refuse(
        ErrorCode::InvalidRequest,
        format!("`{path}` is a document; expected a directory"),
        "Read the document, or name the directory that holds it.",
    )
}
