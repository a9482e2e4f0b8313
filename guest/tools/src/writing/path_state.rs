//! Places for files that do not exist yet.

use docent_api::types::{Error, ErrorCode};
use docent_corpus::corpus::Corpus;
use docent_tree::disk::{Directory, Disk, Failure, Kind};
use docent_tree::door::{Consent, Denied, Vetted};
use docent_tree::error::refuse;
use docent_tree::locate::{LocateError, own_rules};
use docent_tree::path::RelPath;
use docent_tree::refusal::{sensitive, unavailable};
use docent_tree::sensitive::{is_sensitive_directory, is_sensitive_file, is_version_control};

use crate::writing::file::{is_hidden, refuse_in_container};

/// State of a path.
#[derive(Debug, PartialEq, Eq)]
pub enum PathState {
    /// It does not exist; directories above it may be missing as well.
    Free(RelPath),
    /// It exists.
    Taken(RelPath),
}

/// Permission for names that begin with a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenNames {
    /// They are allowed, except those reserved by version control.
    Allowed,
    /// They are refused.
    Refused,
}

impl PathState {
    /// Resolves a path, with the names of existing components as they are on disk.
    ///
    /// # Errors
    /// `sensitive` and `invalid-path` for names that must not be written, or that no tool would
    /// show: hidden and ignored names.
    pub fn resolve<D: Disk>(
        corpus: &Corpus<D>,
        root: usize,
        path: &RelPath,
    ) -> Result<Self, Error> {
        Self::resolve_with(corpus, root, path, HiddenNames::Refused)
    }

    /// The same, for a path that may be hidden.
    ///
    /// # Errors
    /// Those of [`PathState::resolve`].
    pub fn resolve_with<D: Disk>(
        corpus: &Corpus<D>,
        root: usize,
        path: &RelPath,
        hidden: HiddenNames,
    ) -> Result<Self, Error> {
        refuse_by_name(path, hidden)?;
        let top = Vetted::root(&corpus.disk, root, Consent::Withheld)
            .map_err(|failure| unavailable(path, failure))?;
        let mut directory = Some(top);
        let mut chain = corpus.exclude.above(root);
        let mut real = RelPath::default();
        let mut segments = path.segments().peekable();
        while let Some(segment) = segments.next() {
            let is_last = segments.peek().is_none();
            let mut name = segment.to_owned();
            let mut kind = None;
            // Ignore files are read in every existing directory on the way down, before the
            // next name is checked. A file that is created below an ignored directory, such as
            // `target/`, would be invisible to every tool that could correct it afterwards.
            // Below the first missing directory there are no further rules, and the remaining
            // names are only checked against those collected.
            if let Some(directory) = &directory {
                chain = own_rules(directory, chain, real.as_str());
                (name, kind) = find_entry(directory, segment, path)?;
            }
            real.push(&name);
            let is_ignored = corpus.exclude.ignores(real.as_str(), !is_last)
                || chain
                    .as_ref()
                    .is_some_and(|chain| chain.ignores(real.as_str(), !is_last));
            if is_ignored {
                return Err(ignored_error(path, &real));
            }
            directory = match (is_last, kind, directory) {
                (true, None, _) => return Ok(Self::Free(real)),
                (true, Some(_), _) => return Ok(Self::Taken(real)),
                (false, Some(Kind::Directory), Some(above)) => {
                    Some(above.directory(&name).map_err(|denied| match denied {
                        Denied::Sensitive => sensitive(path),
                        Denied::Failed(failure) => unavailable(path, failure),
                    })?)
                }
                (false, Some(_), _) => return Err(no_directory(path, &real)),
                (false, None, _) => None,
            };
        }
        Ok(Self::Taken(real))
    }
}

/// Returns the name of an entry on disk and its kind, or `None` if it does not exist.
fn find_entry<T: Directory>(
    directory: &Vetted<T>,
    segment: &str,
    path: &RelPath,
) -> Result<(String, Option<Kind>), Error> {
    let name = directory
        .real_name(segment)
        .map_err(|failure| unavailable(path, failure))?
        .unwrap_or_else(|| segment.to_owned());
    match directory.metadata(&name) {
        Ok(metadata) => Ok((name, Some(metadata.kind))),
        Err(Failure::NotFound) => Ok((name, None)),
        // An entry exists, whatever its kind: a symbolic link, a device, or a mount point. The
        // path is taken; creating a file there would follow or replace something that docent
        // does not serve.
        Err(Failure::Symlink | Failure::WrongKind | Failure::MountPoint) => {
            Ok((name, Some(Kind::Other)))
        }
        Err(failure) => Err(unavailable(path, failure)),
    }
}

fn refuse_by_name(path: &RelPath, hidden: HiddenNames) -> Result<(), Error> {
    let is_sensitive = path.segments().any(is_sensitive_directory)
        || path.segments().next_back().is_some_and(is_sensitive_file);
    if is_sensitive {
        return Err(sensitive(path));
    }
    // `.git/hooks/pre-commit` is executed at the next commit, and `.git/config` can name
    // programs to run, so writing there is running code as the person. These directories are
    // refused even to tools that may edit hidden files, and no tool would show what was
    // written.
    if path.segments().any(is_version_control) {
        return Err(LocateError::Versioned(path.clone()).into());
    }
    refuse_in_container(path)?;
    if hidden == HiddenNames::Refused && is_hidden(path) {
        return Err(refuse(
            ErrorCode::InvalidPath,
            format!("`{path}` is hidden; expected names that do not begin with a dot"),
            "Give another path, or ask the person to create the file.",
        ));
    }
    Ok(())
}

fn ignored_error(path: &RelPath, rule: &RelPath) -> Error {
    refuse(
        ErrorCode::InvalidPath,
        format!("`{path}` is not visible: ignore rules exclude `{rule}`; expected another path"),
        "Give a path that no ignore rule excludes, or ask the person to create the file.",
    )
}

fn no_directory(path: &RelPath, above: &RelPath) -> Error {
    refuse(
        ErrorCode::InvalidPath,
        format!("`{above}` is not a directory; expected one above `{path}`"),
        "Give a path below directories.",
    )
}

/// Returns the refusal of a path that exists.
pub fn exists(path: &RelPath, hint: &str) -> Error {
    refuse(
        ErrorCode::DocumentExists,
        format!("`{path}` already exists; expected a path that does not exist"),
        hint,
    )
}
