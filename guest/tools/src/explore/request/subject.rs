//! The subject of a request: its query or its paths, and everything else that determines its items.

use std::collections::BTreeSet;

use docent_api::pillars::{ExploreOptions, Intent};
use docent_api::types::{Error, ErrorCode};
use unicode_normalization::UnicodeNormalization as _;

use crate::explore::request::kinds::FileKinds;
use crate::limits::{EXPLORE_PATHS, QUERY_CHARS};
use crate::paging::cursor::Fingerprint;
use crate::part::AskedPath;
use crate::paths::globs::{is_glob, may_be_glob};
use docent_tree::error::{invalid, refuse};
use docent_tree::included::Inclusions;
use docent_tree::path::RelPath;

/// Subject of a pack: everything that determines its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The query in NFC with single spaces, or `None` if files are read.
    pub query: Option<String>,
    /// Included kinds of files.
    pub kinds: FileKinds,
    /// Name of the root.
    pub root: String,
    /// Paths and globs, each once, in the order given. A glob has the form of a path.
    pub paths: Vec<AskedPath>,
    /// Treatment of paths that may be globs.
    pub globs: GlobPolicy,
    /// Entries included although names and rules exclude them.
    pub included: Inclusions,
    /// The intent.
    pub intent: Intent,
}

/// Treatment of paths that may be globs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobPolicy {
    /// A path names a file or directory.
    Refused,
    /// A path that does not exist is tried as a glob.
    Allowed,
}

impl Subject {
    /// Parses the subject of a request for the root of this name.
    ///
    /// # Errors
    /// For a subject that can be neither searched for nor read.
    pub fn parse(options: &ExploreOptions, root: &str) -> Result<Self, Error> {
        let query = options.query.as_deref().map(normalize_query).transpose()?;
        let kinds = FileKinds::parse(options.include.as_ref())?;
        let policy = GlobPolicy::from(options.allow_globs.unwrap_or(false));
        let mut paths = scope_paths(options, policy)?;
        // The paths are counted after duplicates were removed, as these cost nothing.
        if paths.len() > EXPLORE_PATHS {
            return Err(invalid(
                format!(
                    "`paths` has {} entries; expected at most {EXPLORE_PATHS}",
                    paths.len()
                ),
                "Name their directory, or ask in several calls.",
            ));
        }
        let intent = options.intent.unwrap_or(Intent::Auto);
        if query.is_none() && paths.is_empty() {
            return Err(invalid(
                "there is nothing to search for; expected `query`, `paths` or `packId`",
                "Give a query to search, or paths to read.",
            ));
        }
        if intent == Intent::Find && query.is_none() {
            return Err(invalid(
                "`intent` is `find` without a `query`; expected one",
                "Give a query, or leave intent out to read the paths.",
            ));
        }
        if intent == Intent::Read && paths.is_empty() {
            return Err(invalid(
                "`intent` is `read` without `paths`; expected some",
                "Name what to read, or leave intent out to search.",
            ));
        }
        if query.is_some() && intent != Intent::Read {
            leave_out_root(&mut paths);
        }
        // Permission for globs has no effect if no path can be one. It is dropped, so that the
        // same paths with and without it are one subject, with one pack and one set of cursors.
        let may_be_globs = paths.iter().any(|path| may_be_glob(&path.to_string()));
        let globs = GlobPolicy::from(policy == GlobPolicy::Allowed && may_be_globs);
        Ok(Self {
            query,
            kinds,
            root: root.to_owned(),
            paths,
            globs,
            included: Inclusions {
                hidden: options.include_hidden.unwrap_or(false),
                ignored: options.include_ignored.unwrap_or(false),
            },
            intent,
        })
    }

    /// Returns true if the options given beside a pack match the pack's.
    pub fn agrees(&self, options: &ExploreOptions) -> Result<bool, Error> {
        // The query is normalized as in the pack, so that another spelling of it, such as two
        // spaces or decomposed accents, is the same subject.
        let query = options.query.as_deref().map(normalize_query).transpose()?;
        let mut paths = scope_paths(options, self.globs)?;
        if self.query.is_some() && self.intent != Intent::Read {
            leave_out_root(&mut paths);
        }
        let include = options.include.as_ref();
        let is_same = |asked: Option<bool>, own| asked.is_none_or(|asked| asked == own);
        Ok(
            query.is_none_or(|query| self.query.as_ref() == Some(&query))
                && (options.paths.is_none() || paths == self.paths)
                && (include.is_none() || FileKinds::parse(include)? == self.kinds)
                && options.intent.is_none_or(|intent| intent == self.intent)
                && is_same(options.include_hidden, self.included.hidden)
                && is_same(options.include_ignored, self.included.ignored),
        )
    }

    /// Returns a digest of it.
    pub fn fingerprint(&self) -> Fingerprint {
        let start = Fingerprint::new("explore")
            .with(&self.root)
            // A missing query needs a text of its own: every other text may be a query. Only a
            // query of this one control character, which no word contains, shares the digest.
            .with(self.query.as_deref().unwrap_or("\0"))
            .with(&self.kinds.bits().to_string())
            .with(letter(self.intent))
            .with(match self.globs {
                GlobPolicy::Allowed => "globs",
                GlobPolicy::Refused => "",
            });
        let start = match self.included.bits() {
            0 => start,
            bits => start.with(&format!("included {bits}")),
        };
        let paths = self.paths.iter();
        paths.fold(start, |digest, path| digest.with(&path.to_string()))
    }
}

/// Removes the root from the paths of a search if it is the only one: a search without paths covers
/// the root.
fn leave_out_root(paths: &mut Vec<AskedPath>) {
    if let [path] = &paths[..]
        && path.whole().is_some_and(|path| path.as_str().is_empty())
    {
        paths.clear();
    }
}

impl From<bool> for GlobPolicy {
    fn from(is_allowed: bool) -> Self {
        if is_allowed {
            Self::Allowed
        } else {
            Self::Refused
        }
    }
}

/// Returns the letter of an intent in a pack.
pub fn letter(intent: Intent) -> &'static str {
    // The letters are fixed here and not derived from the names of the variants: renaming one
    // must not invalidate packs and cursors that callers hold.
    match intent {
        Intent::Auto => "a",
        Intent::Find => "f",
        Intent::Read => "r",
        Intent::Evidence => "e",
    }
}

/// Returns the intent of a letter.
pub fn intent_of(text: &str) -> Option<Intent> {
    [Intent::Auto, Intent::Find, Intent::Read, Intent::Evidence]
        .into_iter()
        .find(|intent| letter(*intent) == text)
}

/// Returns the query in NFC, with one space between words, so that one question has one pack,
/// however it is typed.
fn normalize_query(query: &str) -> Result<String, Error> {
    let words: Vec<&str> = query.split_whitespace().collect();
    // Whitespace is the same in every normal form, so composing can come last.
    let query: String = words.join(" ").nfc().collect();
    let length = query.chars().count();
    if (1..=QUERY_CHARS).contains(&length) {
        return Ok(query);
    }
    Err(refuse(
        ErrorCode::InvalidQuery,
        format!("`query` has {length} characters after trimming; expected 1 to {QUERY_CHARS}"),
        "Ask in some words that the text may use.",
    ))
}

/// Returns the paths and globs of a request in normalized form, each once, in the given order.
fn scope_paths(options: &ExploreOptions, globs: GlobPolicy) -> Result<Vec<AskedPath>, Error> {
    let mut seen = BTreeSet::new();
    let mut paths = Vec::new();
    for path in options.paths.iter().flatten() {
        let path = scope_path(path, globs)?;
        if seen.insert(path.to_string()) {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// Returns a path or glob of the request in normalized form.
fn scope_path(path: &str, globs: GlobPolicy) -> Result<AskedPath, Error> {
    let path = AskedPath::parse(path)?;
    // After the path of a file these characters belong to the name of a part: `a.md#Why?` is
    // not a glob.
    if globs == GlobPolicy::Refused
        && let Some(file) = path.file().filter(|file| is_glob(file.as_str()))
    {
        return Err(no_globs(file));
    }
    Ok(path)
}

/// Returns the error for a glob in a request that does not allow globs.
pub fn no_globs(path: &RelPath) -> Error {
    invalid(
        format!("`paths` holds the glob `{path}`; expected files and directories"),
        "Set allowGlobs to true to use globs.",
    )
}
