//! The scope of a request: what each of its paths leads to.

use docent_api::pillars::BlockedPath;
use docent_api::types::{Error, ErrorCode};

use crate::explore::request::{GlobPolicy, is_glob, may_be_glob, no_globs};
use crate::part::{AskedPath, PartAddress};
use docent_tree::disk::Disk;
use docent_tree::door::Consent;
use docent_tree::error::invalid;
use docent_tree::glob::Glob;
use docent_tree::ignore::excluded::Excluded;
use docent_tree::included::Included;
use docent_tree::locate::{
    File, LocateError, LocateRules, Located, Start, TargetKind, locate, locate_sensitive,
};
use docent_tree::path::RelPath;
use docent_tree::refusal::not_found;

/// What a path of a request leads to.
pub enum Scope<T> {
    /// A file; where consent is given, it may be sensitive.
    File(File<T>, Consent),
    /// A part of such a file.
    Part(File<T>, Consent, PartAddress),
    /// A directory.
    Directory(Start<T>),
    /// All files whose path matches, below the root.
    Glob(Box<Glob>, Start<T>),
}

/// What becomes of sensitive files that are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensitiveFiles {
    /// They stay closed, whatever a caller asks for.
    Closed,
    /// The person allows to open them, and this call does not ask for it.
    ClosedUnlessAsked,
    /// They are opened.
    Open,
}

impl SensitiveFiles {
    /// Returns what becomes of them where the person's grant and the call say this.
    pub fn of(grant: Consent, call: Consent) -> Self {
        match (grant, call) {
            (Consent::Withheld, _) => Self::Closed,
            (Consent::Given, Consent::Withheld) => Self::ClosedUnlessAsked,
            (Consent::Given, Consent::Given) => Self::Open,
        }
    }
}

/// Where paths are looked for, and which of them may lead somewhere.
pub struct ScopeRules<'a, D> {
    /// The disk.
    pub disk: &'a D,
    /// What the configuration leaves out.
    pub exclude: &'a Excluded,
    /// Index of the root.
    pub root: usize,
    /// Whether paths may be globs.
    pub globs: GlobPolicy,
    /// What is looked at although names and rules leave it out.
    pub included: Included,
    /// What becomes of sensitive files that are named.
    pub sensitive: SensitiveFiles,
}

impl<D: Disk> ScopeRules<'_, D> {
    /// Returns what a path leads to; the whole root where there is none.
    ///
    /// # Errors
    /// Why it leads nowhere.
    pub fn find(&self, path: Option<&AskedPath>) -> Result<Scope<D::Directory>, Error> {
        let Some(path) = path else {
            return self.whole();
        };
        let found = path.find(|reading| self.named(&reading.path));
        match (found, path.whole()) {
            (Ok((Scope::File(file, consent), Some(part))), _) => {
                Ok(Scope::Part(file, consent, part.clone()))
            }
            (Ok((Scope::Directory(start), Some(_))), _) => {
                Err(LocateError::NotADocument(start.path).into())
            }
            (Ok((scope, _)), _) => Ok(scope),
            // Only now: `pages/[id].tsx` is a file where there is one of that name.
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

    /// Returns the file or directory that is called so.
    fn named(&self, path: &RelPath) -> Result<Scope<D::Directory>, Error> {
        // Nothing of that name is looked for: files are hardly ever called so.
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

    /// Returns the root, which a glob goes through as well: it may match at any depth.
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
            // Not converted: that would word it for the argument `glob` of other tools.
            invalid(
                format!("`{path}` {error}"),
                "Mend the glob in paths, or name files and directories.",
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

/// Returns the entry that tells why a path was not opened.
pub fn blocked(path: &str, error: Error) -> BlockedPath {
    BlockedPath {
        file_path: path.to_owned(),
        code: error.code,
        message: error.message,
        hint: error.hint,
    }
}
