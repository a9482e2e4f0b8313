//! Resolution of a request's root and path to the start of the scan.
//!
//! Sensitive names are included, unlike in the tools that read, since only directories are opened.

use std::rc::Rc;

use crate::find_files::request::Ignored;
use docent_tree::disk::{Disk, Kind};
use docent_tree::door::{Consent, Vetted, Visible};
use docent_tree::ignore::excluded::Exclusions;
use docent_tree::ignore::rules::RuleChain;
use docent_tree::locate::{LocateError, own_rules};
use docent_tree::path::{RelPath, push_segment};

/// Start of a scan.
#[derive(Debug)]
pub enum StartPoint<T> {
    /// In a directory.
    Directory(StartDirectory<T>),
    /// At a file, and ends there.
    File {
        /// Its path on disk.
        path: RelPath,
        /// Directory that contains it.
        parent: Visible<T>,
        /// Its name there.
        name: String,
    },
}

/// A directory to start from.
#[derive(Debug)]
pub struct StartDirectory<T> {
    /// Index of the root.
    pub root: usize,
    /// Its path, as it is on disk.
    pub path: RelPath,
    /// The directory.
    pub directory: Visible<T>,
    /// The ignore rules of the directories above it.
    pub chain: Option<Rc<RuleChain>>,
}

/// Opens the start at `path` in root `root`.
///
/// # Errors
/// `document-not-found` for any entry that is missing, outside the root, forbidden or excluded by
/// the configuration; `invalid-path` for one that ignore files exclude.
pub fn open_start<D: Disk>(
    disk: &D,
    exclude: &Exclusions,
    root: usize,
    path: &RelPath,
    ignored: Ignored,
) -> Result<StartPoint<D::Directory>, LocateError> {
    let not_found = || LocateError::hidden_error(path);
    let failed = |failure| LocateError::disk_error(path, failure);
    let opened = Vetted::root(disk, root, Consent::Withheld).map_err(LocateError::RootGone)?;
    let mut directory = Visible::Vetted(opened);
    let mut real = RelPath::default();
    let mut chain = match ignored {
        Ignored::Inclusions => None,
        Ignored::LeftOut => exclude.above(root),
    };
    let mut segments = path.segments().peekable();
    while let Some(segment) = segments.next() {
        // In a sensitive directory such as `.ssh` no ignore file is opened: of what is there,
        // only names and times may be seen.
        if ignored == Ignored::LeftOut
            && let Some(vetted) = directory.vet()
        {
            chain = own_rules(vetted, chain, real.as_str());
        }
        let name = directory.real_name(segment).ok_or_else(not_found)?;
        let mut below = real.as_str().to_owned();
        push_segment(&mut below, &name);
        let kind = directory.stat(&name).map_err(failed)?.kind;
        let is_directory = kind == Kind::Directory;
        // An entry that the person excludes in the settings has to appear not to exist. The
        // answer for it is therefore the one for a missing entry, and names no rule; only
        // entries excluded by ignore files are reported as such.
        if exclude.ignores(&below, is_directory) {
            return Err(not_found());
        }
        if is_ignored(exclude, chain.as_deref(), &below, is_directory) {
            let mut rule = real;
            rule.push(&name);
            return Err(LocateError::Ignored {
                path: path.clone(),
                rule,
            });
        }
        match kind {
            Kind::Directory => {
                directory = directory.directory(&name).map_err(failed)?;
                real.push(&name);
            }
            Kind::File if segments.peek().is_none() => {
                real.push(&name);
                return Ok(StartPoint::File {
                    path: real,
                    parent: directory,
                    name,
                });
            }
            Kind::File | Kind::Symlink | Kind::Other => return Err(not_found()),
        }
    }
    Ok(StartPoint::Directory(StartDirectory {
        root,
        path: real,
        directory,
        chain,
    }))
}

/// Returns true if ignore rules or the configuration exclude the entry at `path`.
pub fn is_ignored(
    exclude: &Exclusions,
    chain: Option<&RuleChain>,
    path: &str,
    is_directory: bool,
) -> bool {
    exclude.ignores(path, is_directory)
        || chain.is_some_and(|chain| chain.ignores(path, is_directory))
}
