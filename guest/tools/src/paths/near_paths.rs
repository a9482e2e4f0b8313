//! Suggestions for a path that does not exist: files and directories with similar names.

use docent_api::pillars::BlockedPath;
use docent_api::types::{Error, ErrorCode};
use docent_corpus::corpus::Corpus;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_text::sort::sort_by_key;
use docent_tree::archive::EnteredContainers;
use docent_tree::disk::Disk;
use docent_tree::included::Inclusions;
use docent_tree::locate::{Absence, TargetKind};
use docent_tree::path::RelPath;
use unicode_normalization::UnicodeNormalization as _;

use crate::lexical::similarity::dice_similarity;
use crate::limits::{NEAR_PATH_ENTRIES, NEAR_PATHS, NEAR_PATHS_NAMED};
use crate::part::AskedPath;
use crate::paths::request_paths::ResolvedPaths;

/// Minimum similarity of two names, in thousandths.
pub const ALIKE: usize = 600;

/// Similarity of equal names, in whatever directories they are.
const EQUAL: usize = 2_000;

/// Adds the nearest paths to the hint of an error if it says that one of the requested paths does
/// not exist.
pub fn with_near_paths<D: Disk>(
    corpus: &mut Corpus<D>,
    asked: &ResolvedPaths,
    error: Error,
) -> Error {
    if error.code != ErrorCode::DocumentNotFound {
        return error;
    }
    let Ok(root) = corpus.choose_root(asked.root.as_deref()) else {
        return error;
    };
    let mut paths = asked.paths.iter();
    let missing = paths.find_map(|path| missing(corpus, root.index, path));
    let near = missing.map_or_else(Vec::new, |path| near_paths(corpus, root.index, &path));
    let named: Vec<String> = near.iter().map(|path| format!("`{path}`")).collect();
    let hint = match &named[..] {
        [] => return error,
        [one] => format!("The nearest is {one}. {}", error.hint),
        [others @ .., last] => format!(
            "The nearest are {} and {last}. {}",
            others.join(", "),
            error.hint
        ),
    };
    Error { hint, ..error }
}

/// Adds the nearest paths to the hints of those blocked paths that do not exist.
pub fn complete_blocked<D: Disk>(
    corpus: &mut Corpus<D>,
    root: Option<&String>,
    blocked: &mut [BlockedPath],
) {
    let is_missing = |one: &&mut BlockedPath| one.code == ErrorCode::DocumentNotFound;
    for one in blocked.iter_mut().filter(is_missing).take(NEAR_PATHS) {
        let asked = ResolvedPaths {
            root: root.cloned(),
            paths: vec![one.file_path.clone()],
        };
        let error = Error {
            code: one.code,
            message: String::new(),
            hint: std::mem::take(&mut one.hint),
        };
        one.hint = with_near_paths(corpus, &asked, error).hint;
    }
}

/// Returns the path of a file or directory if it does not exist.
fn missing<D: Disk>(corpus: &Corpus<D>, root: usize, text: &str) -> Option<RelPath> {
    let asked = AskedPath::parse(text).ok()?;
    let is_missing = |path: &RelPath| {
        corpus.locate(root, path, TargetKind::Any).is_err()
            && corpus.absence(root, path) == Absence::Missing
    };
    asked.file().filter(|path| is_missing(path)).cloned()
}

/// Returns the paths whose names are most similar to the last name of `path`, nearest first.
fn near_paths<D: Disk>(corpus: &mut Corpus<D>, root: usize, path: &RelPath) -> Vec<String> {
    let Ok(start) = corpus.directory(root, &RelPath::default()) else {
        return Vec::new();
    };
    let wanted = NearPath::new(path.as_str());
    let reach = WalkOptions {
        is_document: &|_| true,
        exclude: &corpus.exclude,
        included: Inclusions::default(),
        depth: usize::MAX,
        containers: EnteredContainers::None,
        after: None,
    };
    let Ok(mut walk) = Walk::begin(&mut corpus.store, start, reach) else {
        return Vec::new();
    };
    let mut near: Vec<(usize, String)> = Vec::new();
    for _ in 0..NEAR_PATH_ENTRIES {
        let Some(step) = walk.advance() else {
            break;
        };
        let path = match step {
            WalkStep::Document | WalkStep::Directory => walk.path(),
        };
        if let Some(alike) = wanted.alike(path) {
            near.push((alike, path.to_owned()));
        }
    }
    // The sort is stable: equal paths stay in the order of the walk.
    sort_by_key(&mut near, |(alike, _)| std::cmp::Reverse(*alike));
    near.truncate(NEAR_PATHS_NAMED);
    near.into_iter().map(|(_, path)| path).collect()
}

/// A requested path, in the form in which paths are compared.
pub struct NearPath {
    path: String,
}

impl NearPath {
    /// Returns the path in the form used for comparison.
    pub fn new(path: &str) -> Self {
        Self {
            path: fold_path(path),
        }
    }

    /// Returns the same as [`NearPath::alike`], but skips unlikely names: those that begin with
    /// another letter, or are much longer or shorter. Meant for many paths.
    pub fn quick_alike(&self, path: &str) -> Option<usize> {
        let (wanted, name) = (last_name(&self.path), last_name(path));
        let first = |name: &str| name.chars().next().map(|c| c.to_ascii_lowercase());
        let is_like =
            wanted.len().abs_diff(name.len()) <= wanted.len() / 2 && first(wanted) == first(name);
        is_like.then(|| self.alike(path))?
    }

    /// Returns the similarity of a path, if it is similar at all: compared by its last name first.
    pub fn alike(&self, path: &str) -> Option<usize> {
        let path = fold_path(path);
        let (wanted, name) = (last_name(&self.path), last_name(&path));
        let by_name = if wanted == name {
            EQUAL
        } else {
            // Names of one kind end alike. With their extensions, `a.md` and `b.md` would be
            // half equal.
            dice_similarity(stem(wanted), stem(name))
        };
        (by_name >= ALIKE).then(|| 2 * by_name + dice_similarity(&self.path, &path))
    }
}

fn fold_path(path: &str) -> String {
    path.nfc().flat_map(char::to_lowercase).collect()
}

fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
