//! The paths of a request, in the forms used by callers, converted to paths below one root.
//!
//! Callers know absolute paths, write `notes/a.md` for `a.md` in the root `notes`, and use
//! `/guide/a.md` for a path from the root. A path is interpreted in one of these forms only if its
//! target shows that this is intended: a file created in the root by mistake, such as
//! `home/ann/notes/a.md`, would never be found.

use docent_api::types::{Error, ErrorCode};
use docent_corpus::corpus::Corpus;
use docent_graph::destination::percent_decode;
use docent_tree::disk::{Disk, Root};
use docent_tree::error::refuse;
use docent_tree::locate::{Absence, LocateError, Located, TargetKind};
use docent_tree::path::RelPath;
use unicode_normalization::UnicodeNormalization as _;

use crate::part::AskedPath;
use crate::paths::globs::may_be_glob;

/// The scheme of addresses that name a root and a path below it: `docent://notes/guide/a.md`.
const SCHEME: &str = "docent://";

/// A path of a request, to be converted to one below a root.
pub struct PathArgument<'a> {
    /// Its text.
    text: &'a mut String,
    use_: PathUse,
}

/// Purpose of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathUse {
    /// It names an existing entry, or a part of it.
    Existing,
    /// The same, except that a leading `/` does not stand for the root.
    Strict,
    /// It may name a file to be created.
    New,
}

impl<'a> PathArgument<'a> {
    /// Returns the path of an existing entry, or of a part of it.
    pub fn from_existing(text: &'a mut String) -> Self {
        let use_ = PathUse::Existing;
        Self { text, use_ }
    }

    /// Returns the path of an existing entry, for a tool in which a leading `/` does not stand for
    /// the root.
    pub fn strict(text: &'a mut String) -> Self {
        let use_ = PathUse::Strict;
        Self { text, use_ }
    }

    /// Returns the path of a file that may not exist yet.
    pub fn new(text: &'a mut String) -> Self {
        let use_ = PathUse::New;
        Self { text, use_ }
    }
}

/// A path, taken apart.
enum PathForm {
    /// A path below the root of the request.
    Relative,
    /// This path below that root, written with a leading `/`.
    Own(String),
    /// This path below the root with this index, which the path itself names.
    Below(usize, String),
}

/// The paths of a request below one root.
#[derive(Clone, Debug, Default)]
pub struct ResolvedPaths {
    /// Name of the root, or `None` for the default one.
    pub root: Option<String>,
    /// The paths, in the order of the request.
    pub paths: Vec<String>,
}

/// Converts every path of a request to one below a root, and sets `requested` to the name of that
/// root if it is not the default one.
///
/// # Errors
/// `invalid-path` for an absolute path outside the granted roots, and for paths in several roots;
/// `not-granted` for an address of an unknown root.
pub fn resolve<'a, D: Disk>(
    corpus: &Corpus<D>,
    requested: &mut Option<String>,
    paths: impl IntoIterator<Item = PathArgument<'a>>,
) -> Result<ResolvedPaths, Error> {
    let mut resolved = ResolvedPaths::default();
    // The tool itself reports an invalid root.
    let Ok(base) = corpus.choose_root(requested.as_deref()) else {
        return Ok(resolved);
    };
    let resolver = PathResolver {
        corpus,
        roots: corpus.disk.roots(),
        base: base.index,
        is_requested: requested.is_some(),
    };
    // The root that some paths name, and true if other paths name none.
    let (mut named, mut has_unnamed) = (None, false);
    for path in paths {
        match resolver.form(path.text, path.use_)? {
            PathForm::Relative => has_unnamed = true,
            PathForm::Own(text) => {
                has_unnamed = true;
                *path.text = text;
            }
            PathForm::Below(root, text) => {
                resolver.check_root(path.text, root, named)?;
                named = Some(root);
                *path.text = text;
            }
        }
        resolved.paths.push(path.text.clone());
    }
    if let Some(root) = named.filter(|root| *root != resolver.base) {
        if has_unnamed {
            return Err(resolver.in_two_roots(resolver.base, root));
        }
        *requested = Some(resolver.roots[root].name.clone());
    }
    resolved.root.clone_from(requested);
    Ok(resolved)
}

/// Returns the path of a file that may not exist yet, as one below the root of that name.
///
/// # Errors
/// Those of [`resolve`].
pub fn in_root<D: Disk>(corpus: &Corpus<D>, root: &str, text: &str) -> Result<String, Error> {
    let mut text = text.to_owned();
    let requested = &mut Some(root.to_owned());
    resolve(corpus, requested, [PathArgument::new(&mut text)])?;
    Ok(text)
}

/// Resolver of the paths of one request.
struct PathResolver<'a, D> {
    corpus: &'a Corpus<D>,
    roots: Vec<Root>,
    /// Index of the root that is used if the paths of the request name none.
    base: usize,
    /// True if the request names that root.
    is_requested: bool,
}

impl<D: Disk> PathResolver<'_, D> {
    fn form(&self, text: &str, use_: PathUse) -> Result<PathForm, Error> {
        if let Some(address) = without_prefix(text, SCHEME) {
            return self.address(address);
        }
        if without_prefix(text, "file:").is_some() {
            return Err(self.outside(text));
        }
        let slashed = text.replace('\\', "/");
        if let Some(inner) = slashed.strip_prefix('/') {
            // The parser of paths refuses names of networks, devices and drives, such as
            // `//server/share`. They are passed on unchanged, so that its error is the answer.
            if AskedPath::parse(text).is_err() {
                return Ok(PathForm::Relative);
            }
            return self.absolute(text, inner, use_);
        }
        let (first, rest) = slashed.split_once('/').unwrap_or((&slashed, ""));
        if first == "~" && !self.is_there(self.base, first, PathUse::Existing) {
            return Err(self.outside(text));
        }
        Ok(self.root_named(first, rest, &slashed, use_))
    }

    /// Resolves the part of an address after `docent://`.
    fn address(&self, address: &str) -> Result<PathForm, Error> {
        let (name, path) = address.split_once('/').unwrap_or((address, ""));
        let name = percent_decode(name);
        let root = self.corpus.choose_root(Some(&name))?;
        Ok(PathForm::Below(
            root.index,
            whole_if_empty(percent_decode(path)),
        ))
    }

    /// Resolves a path with a leading `/`; `inner` is the path after it.
    fn absolute(&self, text: &str, inner: &str, use_: PathUse) -> Result<PathForm, Error> {
        let is_own = use_ != PathUse::Strict && self.is_there(self.base, inner, use_);
        if is_own {
            return Ok(PathForm::Own(whole_if_empty(inner.to_owned())));
        }
        // The host tells by which path a root is known to the person. An agent outside the
        // sandbox knows only such paths, `/home/ann/notes/a.md`, and never the one by which the
        // component sees the root.
        let below = self.roots.iter().enumerate().find_map(|(index, root)| {
            let rest = below(text, root.path.as_deref()?)?;
            Some(PathForm::Below(index, whole_if_empty(rest.to_owned())))
        });
        match below {
            Some(form) => Ok(form),
            // The tool itself reports the expected form.
            None if use_ == PathUse::Strict => Ok(PathForm::Relative),
            None => Err(self.outside(text)),
        }
    }

    /// Resolves a path whose first segment may be the name of a root.
    fn root_named(&self, first: &str, rest: &str, slashed: &str, use_: PathUse) -> PathForm {
        // A file is created in a root, never in place of one, so a lone name is never that of a
        // root here.
        if use_ == PathUse::New && rest.is_empty() {
            return PathForm::Relative;
        }
        let is_named = |root: &Root| root.name.nfc().eq(first.nfc());
        let named = self.roots.iter().position(is_named);
        let named = named.filter(|&index| !self.is_requested || index == self.base);
        let Some(index) = named else {
            return PathForm::Relative;
        };
        // `notes/a.md` may mean `a.md` in the root `notes`, or a file in a directory `notes` of
        // the base root. The directory takes precedence, since its path is exact. So does a
        // file of that name, unless a file is to be created below it, which is impossible.
        let is_taken = match self.locate(self.base, first) {
            Some(Located::Directory(_)) => true,
            Some(Located::File(_)) => use_ != PathUse::New,
            None => slashed.len() > first.len() && self.is_hidden_there(first),
        };
        if is_taken {
            return PathForm::Relative;
        }
        PathForm::Below(index, whole_if_empty(rest.to_owned()))
    }

    /// Returns true if `text` resolves to an entry in a root or, for a file to be created, to a
    /// place in an existing directory.
    fn is_there(&self, root: usize, text: &str, use_: PathUse) -> bool {
        // For a glob, the directory that contains all possible matches has to exist.
        let text = match text.find(['*', '?']) {
            Some(at) if may_be_glob(text) => text[..at].rsplit_once('/').map_or("", |it| it.0),
            _ => text,
        };
        let Ok(asked) = AskedPath::parse(text) else {
            // Its parser reports the error.
            return true;
        };
        let found = asked.find(|reading| self.look(root, &reading.path));
        match found {
            Ok(_) => true,
            Err(error) if error.code != ErrorCode::DocumentNotFound => true,
            Err(_) if use_ == PathUse::New => {
                let above = text.trim_end_matches('/').rsplit_once('/');
                let above = above.map_or("", |(above, _)| above);
                matches!(self.locate(root, above), Some(Located::Directory(_)))
            }
            Err(_) => false,
        }
    }

    /// Locates an entry at a path; succeeds also for entries that exist but are withheld.
    fn look(&self, root: usize, path: &RelPath) -> Result<(), Error> {
        match self.corpus.locate(root, path, TargetKind::Any) {
            Err(LocateError::NotFound { .. })
                if self.corpus.absence(root, path) != Absence::Missing =>
            {
                Ok(())
            }
            located => Ok(located.map(drop)?),
        }
    }

    fn is_hidden_there(&self, first: &str) -> bool {
        RelPath::parse(first).is_ok_and(|path| self.look(self.base, &path).is_ok())
    }

    fn locate(&self, root: usize, text: &str) -> Option<Located<D::Directory>> {
        let path = RelPath::parse(text).ok()?;
        self.corpus.locate(root, &path, TargetKind::Any).ok()
    }

    /// Checks that a path may be in `root`, given that earlier paths are in `named`.
    fn check_root(&self, text: &str, root: usize, named: Option<usize>) -> Result<(), Error> {
        if self.is_requested && root != self.base {
            return Err(self.not_in_requested(text, root));
        }
        match named {
            Some(other) if other != root => Err(self.in_two_roots(other, root)),
            _ => Ok(()),
        }
    }

    fn names(&self) -> String {
        let names = self.roots.iter().map(|root| format!("`{}`", root.name));
        names.collect::<Vec<_>>().join(", ")
    }

    fn outside(&self, text: &str) -> Error {
        let noun = match self.roots.len() {
            1 => "the root",
            _ => "one of the roots",
        };
        let hint = match text.trim_start_matches(['/', '\\', '~']) {
            inner if inner.len() < text.len() && !text.starts_with('~') => {
                format!("For a path below the root leave the leading slash out: `{inner}`.")
            }
            _ => "Give a path relative to the root, such as `guide/setup.md`.".to_owned(),
        };
        refuse(
            ErrorCode::InvalidPath,
            format!(
                "`{text}` is outside the granted directories; expected a path below {noun} {}",
                self.names()
            ),
            hint,
        )
    }

    fn not_in_requested(&self, text: &str, root: usize) -> Error {
        let (named, requested) = (&self.roots[root].name, &self.roots[self.base].name);
        refuse(
            ErrorCode::InvalidPath,
            format!("`{text}` is in the root `{named}`; expected a path below `{requested}`"),
            "Leave root out, or name the root that holds the path.",
        )
    }

    fn in_two_roots(&self, one: usize, other: usize) -> Error {
        let (one, other) = (&self.roots[one].name, &self.roots[other].name);
        refuse(
            ErrorCode::InvalidPath,
            format!("the paths are in the roots `{one}` and `{other}`; expected one root a call"),
            "Make a call for each root.",
        )
    }
}

/// Returns the rest of `text` after `prefix`, which is compared without regard to case.
fn without_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix)
        .then(|| &text[prefix.len()..])
}

/// Returns the rest of the absolute path `text` after that of a directory, or `None` if it is not
/// below it.
fn below<'t>(text: &'t str, directory: &str) -> Option<&'t str> {
    let mut rest = text;
    for segment in directory.split(['/', '\\']) {
        if matches!(segment, "" | ".") {
            continue;
        }
        rest = rest.trim_start_matches(['/', '\\']);
        let end = rest.find(['/', '\\']).unwrap_or(rest.len());
        if !rest[..end].nfc().eq(segment.nfc()) {
            return None;
        }
        rest = &rest[end..];
    }
    Some(rest.trim_start_matches(['/', '\\']))
}

/// Returns a path, or that of the root for an empty one.
fn whole_if_empty(path: String) -> String {
    if path.is_empty() {
        ".".to_owned()
    } else {
        path
    }
}
