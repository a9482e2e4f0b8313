//! The scope of a request: resolution of its paths.

use docent_api::pillars::BlockedPath;
use docent_api::types::{Error, ErrorCode};

use crate::explore::request::subject::{GlobPolicy, no_globs};
use crate::part::{AskedPath, PartAddress};
use crate::paths::globs::{is_glob, may_be_glob};
use docent_tree::disk::Disk;
use docent_tree::door::Consent;
use docent_tree::error::invalid;
use docent_tree::glob::Glob;
use docent_tree::ignore::excluded::Exclusions;
use docent_tree::included::Inclusions;
use docent_tree::locate::{
    File, LocateError, LocateRules, Located, TargetKind, WalkStart, locate, locate_sensitive,
};
use docent_tree::path::RelPath;
use docent_tree::refusal::not_found;

/// Resolution of a path of a request.
pub enum Scope<T> {
    /// A file, which may be sensitive if consent is given.
    File(File<T>, Consent),
    /// A part of such a file.
    Part(File<T>, Consent, PartAddress),
    /// A directory.
    Directory(WalkStart<T>),
    /// All files below the root that match a glob.
    Glob(Box<Glob>, WalkStart<T>),
}

/// Treatment of sensitive files that are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensitiveFiles {
    /// They stay closed, regardless of the caller's request.
    Closed,
    /// The person allows them, but this call does not request them.
    ClosedUnlessAsked,
    /// They are opened.
    Open,
}

impl SensitiveFiles {
    /// Returns the treatment that follows from the person's grant and the call.
    pub fn from_consents(grant: Consent, call: Consent) -> Self {
        match (grant, call) {
            (Consent::Withheld, _) => Self::Closed,
            (Consent::Given, Consent::Withheld) => Self::ClosedUnlessAsked,
            (Consent::Given, Consent::Given) => Self::Open,
        }
    }
}

/// Rules by which paths are resolved.
pub struct ScopeRules<'a, D> {
    /// The disk.
    pub disk: &'a D,
    /// Exclusions of the configuration.
    pub exclude: &'a Exclusions,
    /// Index of the root.
    pub root: usize,
    /// Treatment of paths that may be globs.
    pub globs: GlobPolicy,
    /// Entries included although names and rules exclude them.
    pub included: Inclusions,
    /// Treatment of sensitive files that are named.
    pub sensitive: SensitiveFiles,
}

impl<D: Disk> ScopeRules<'_, D> {
    /// Resolves a path, or the whole root if there is none.
    ///
    /// # Errors
    /// For a path that cannot be resolved.
    pub fn find(&self, path: Option<&AskedPath>) -> Result<Scope<D::Directory>, Error> {
        let Some(path) = path else {
            return self.whole();
        };
        let found = path.find(|reading| self.locate_exact(&reading.path));
        match (found, path.whole()) {
            (Ok((Scope::File(file, consent), Some(part))), _) => {
                Ok(Scope::Part(file, consent, part.clone()))
            }
            (Ok((Scope::Directory(start), Some(_))), _) => {
                Err(LocateError::NotADocument(start.path).into())
            }
            (Ok((scope, _)), _) => Ok(scope),
            // A path is tried as a glob only if no file has that name. `pages/[id].tsx` is the
            // name of a file in projects with routes by file, and a valid glob for
            // `pages/i.tsx` as well.
            (Err(error), Some(whole))
                if error.code == ErrorCode::DocumentNotFound && may_be_glob(whole.as_str()) =>
            {
                match self.globs {
                    GlobPolicy::Allowed => self.glob(whole),
                    GlobPolicy::Refused => Err(no_globs(whole)),
                }
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Returns the file or directory with this path.
    fn locate_exact(&self, path: &RelPath) -> Result<Scope<D::Directory>, Error> {
        // No similar names are searched for: names of files hardly ever contain these
        // characters, and a hint about one would lead away from the glob.
        if is_glob(path.as_str()) {
            return Err(not_found(path));
        }
        match self.locate(path) {
            Ok(Located::File(file)) => Ok(Scope::File(file, Consent::Withheld)),
            Ok(Located::Directory(start)) => Ok(Scope::Directory(start)),
            Err(error @ LocateError::Sensitive(_)) => match self.sensitive {
                SensitiveFiles::Open => {
                    let file = locate_sensitive(self.disk, self.root, path)?;
                    Ok(Scope::File(file, Consent::Given))
                }
                SensitiveFiles::ClosedUnlessAsked => Err(Error {
                    hint: ASK_FOR_SENSITIVE.to_owned(),
                    ..error.into()
                }),
                SensitiveFiles::Closed => Err(error.into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the root, which is also the start of a glob: it may match at any depth.
    fn whole(&self) -> Result<Scope<D::Directory>, Error> {
        match self.locate(&RelPath::default())? {
            Located::Directory(start) => Ok(Scope::Directory(start)),
            Located::File(file) => Ok(Scope::File(file, Consent::Withheld)),
        }
    }

    fn locate(&self, path: &RelPath) -> Result<Located<D::Directory>, LocateError> {
        let rules = LocateRules {
            exclude: self.exclude,
            included: self.included,
        };
        locate(self.disk, rules, self.root, path, TargetKind::Any)
    }

    fn glob(&self, path: &RelPath) -> Result<Scope<D::Directory>, Error> {
        let glob = Glob::parse(path.as_str()).map_err(|error| {
            // The error is not converted, since its message would then be about the argument
            // `glob` of other tools.
            invalid(
                format!("`{path}` {error}"),
                "Fix the glob in paths, or name files and directories.",
            )
        })?;
        match self.whole()? {
            Scope::Directory(start) => Ok(Scope::Glob(Box::new(glob), start)),
            other => Ok(other),
        }
    }
}

const ASK_FOR_SENSITIVE: &str = "The person allows it in this root: name the file in paths, \
                                 without a query, and set allowSensitive to true.";

/// Returns the entry with the reason for which a path was not opened.
pub fn blocked_path(path: &str, error: Error) -> BlockedPath {
    BlockedPath {
        file_path: path.to_owned(),
        code: error.code,
        message: error.message,
        hint: error.hint,
    }
}
