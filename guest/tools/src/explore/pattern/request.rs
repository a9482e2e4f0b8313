//! A parsed request for every line that a pattern matches.

use std::cell::RefCell;

use docent_api::patterns::GrepOptions;
use docent_api::pillars::{ExploreOptions, PatternOutput};
use docent_api::types::Error;
use docent_corpus::corpus::Corpus;
use docent_tree::disk::Disk;
use docent_tree::error::{check_range, invalid};
use docent_tree::glob::Glob;
use docent_tree::included::Inclusions;

use super::limits::{CONTEXT, LINE_BYTES};
use super::matcher::{Matcher, Syntax};
use crate::explore::request::call_limits::CallLimits;
use crate::explore::request::cursor::{DecodedCursor, decode, parse};
use crate::explore::request::kinds::{FileKind, FileKinds};
use crate::explore::request::subject::GlobPolicy;
use crate::limits::{
    EXPLORE_CHARS, EXPLORE_PATHS, EXPLORE_TIMEOUT_MS, EXPLORE_TIMEOUT_MS_DEFAULT, SEARCH_CHARS,
};
use crate::paging::cursor::{Fingerprint, invalid_cursor};
use crate::part::AskedPath;

/// A request for the lines that a pattern matches.
pub struct PatternRequest {
    /// Index of the root.
    pub root: usize,
    /// Name of the root, if more than one is granted.
    pub shown_root: Option<String>,
    /// Compiled pattern.
    pub matcher: Matcher,
    /// The pattern with all of its options, as the key by which texts without a match are cached.
    pub key: Vec<char>,
    /// Output made of the matching lines.
    pub output: PatternOutput,
    /// Number of context lines before and after each match.
    pub context: u32,
    /// Searched paths; empty for the whole root.
    pub paths: Vec<AskedPath>,
    /// Treatment of paths that may be globs.
    pub globs: GlobPolicy,
    /// Filter for the files of directories; its automaton keeps a state.
    pub glob: RefCell<Option<FileFilter>>,
    /// Entries included although names and rules exclude them.
    pub included: Inclusions,
    /// Kinds of searched files.
    pub kinds: SearchedKinds,
    /// Maximum bytes of lines in an answer.
    pub room: usize,
    /// Maximum bytes shown of a line.
    pub line_bytes: usize,
    /// Time limit in milliseconds.
    pub timeout_ms: u32,
    /// Fingerprint to which cursors are bound.
    pub fingerprint: Fingerprint,
    /// Position at which to continue, or `None` to begin.
    pub cursor: Option<DecodedCursor<u32>>,
}

/// Kinds of files in which a pattern is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchedKinds {
    /// Kinds that a search by words includes.
    pub known: FileKinds,
    /// Files of all other kinds.
    pub others: bool,
}

impl SearchedKinds {
    /// Files of every kind.
    const ALL: Self = Self {
        known: FileKinds {
            docs: true,
            code: true,
            comments: true,
            logs: true,
            data: true,
        },
        others: true,
    };

    /// Returns true if files of this kind are searched.
    pub fn has(self, kind: FileKind) -> bool {
        match kind {
            FileKind::Other => self.others,
            kind => self.known.has(kind),
        }
    }
}

/// Arguments that `explore` with a pattern and `grep` share.
struct PatternArguments<'a> {
    root: Option<&'a str>,
    pattern: &'a str,
    literal: Option<bool>,
    ignore_case: Option<bool>,
    multiline: Option<bool>,
    output: Option<PatternOutput>,
    context: Option<u32>,
    paths: &'a [String],
    glob: Option<&'a str>,
    include_hidden: Option<bool>,
    include_ignored: Option<bool>,
    kinds: SearchedKinds,
    /// Maximum bytes of lines in an answer.
    room: Option<usize>,
    /// Maximum bytes shown of a line.
    line_bytes: Option<usize>,
    timeout_ms: u32,
}

impl PatternRequest {
    /// Parses a request to `explore` with `pattern`.
    ///
    /// # Errors
    /// For options that are incompatible, and for patterns that cannot be searched for.
    pub fn from_explore<D: Disk>(
        corpus: &Corpus<D>,
        pattern: &str,
        options: &ExploreOptions,
    ) -> Result<Self, Error> {
        refuse_others(options)?;
        let limits = CallLimits::parse(options.limits)?;
        let mut request = Self::new(
            corpus,
            &PatternArguments {
                root: options.root.as_deref(),
                pattern,
                literal: options.literal,
                ignore_case: options.ignore_case,
                multiline: options.multiline,
                output: options.output,
                context: options.context,
                paths: options.paths.as_deref().unwrap_or_default(),
                glob: options.glob.as_deref(),
                include_hidden: options.include_hidden,
                include_ignored: options.include_ignored,
                kinds: kinds(options)?,
                room: limits.chars,
                line_bytes: limits.item_chars,
                timeout_ms: limits.timeout_ms,
            },
        )?;
        let cursor = options.cursor.as_ref();
        request.cursor = cursor
            .and_then(|cursor| cursor.items.as_deref())
            .map(|text| decode(request.fingerprint, "items", text))
            .transpose()?;
        Ok(request)
    }

    /// Parses a request to `grep`.
    ///
    /// # Errors
    /// For options outside their ranges, and for patterns that cannot be searched for.
    pub fn from_grep<D: Disk>(
        corpus: &Corpus<D>,
        pattern: &str,
        options: &GrepOptions,
    ) -> Result<Self, Error> {
        let chars = |name, given| {
            let chars = check_range(name, given, EXPLORE_CHARS)?;
            Ok::<_, Error>(chars.map(|chars| chars as usize))
        };
        let room = chars("maxChars", options.max_chars)?;
        let line_bytes = chars("maxLineChars", options.max_line_chars)?;
        let timeout_ms = check_range("timeoutMs", options.timeout_ms, EXPLORE_TIMEOUT_MS)?;
        let mut request = Self::new(
            corpus,
            &PatternArguments {
                root: options.root.as_deref(),
                pattern,
                literal: options.literal,
                ignore_case: options.ignore_case,
                multiline: options.multiline,
                output: options.output,
                context: options.context,
                paths: options.paths.as_deref().unwrap_or_default(),
                glob: options.glob.as_deref(),
                include_hidden: options.include_hidden,
                include_ignored: options.include_ignored,
                kinds: SearchedKinds::ALL,
                room,
                line_bytes,
                timeout_ms: timeout_ms.unwrap_or(EXPLORE_TIMEOUT_MS_DEFAULT),
            },
        )?;
        let cursor = options.cursor.as_deref();
        request.cursor = cursor
            .map(|text| parse(request.fingerprint, text).ok_or_else(invalid_cursor))
            .transpose()?;
        Ok(request)
    }

    /// Returns the request for these arguments, without a cursor.
    fn new<D: Disk>(corpus: &Corpus<D>, arguments: &PatternArguments<'_>) -> Result<Self, Error> {
        let root = corpus.choose_root(arguments.root)?;
        let pattern = arguments.pattern;
        let syntax = Syntax {
            literal: arguments.literal.unwrap_or(false),
            ignore_case: arguments.ignore_case,
            multiline: arguments.multiline.unwrap_or(false),
        };
        let matcher = Matcher::new(pattern, syntax)?;
        let output = arguments.output.unwrap_or(PatternOutput::Lines);
        let context = check_range("context", arguments.context, CONTEXT)?.unwrap_or(0);
        let paths = paths(arguments.paths)?;
        let included = Inclusions {
            hidden: arguments.include_hidden.unwrap_or(false),
            ignored: arguments.include_ignored.unwrap_or(false),
        };
        let kinds = arguments.kinds;
        let glob = arguments.glob.map(FileFilter::parse).transpose()?;
        let key = format!("\0{syntax:?}\0{pattern}");
        let fingerprint = Fingerprint::new("explore pattern")
            .with(&root.name)
            .with(&key)
            .with(&format!("{output:?} {context} {included:?} {kinds:?}"))
            .with_optional(arguments.glob)
            .with_list(arguments.paths.iter().map(String::as_str));
        Ok(Self {
            root: root.index,
            shown_root: root.shown,
            matcher,
            key: key.chars().collect(),
            output,
            context,
            paths,
            // A caller that sends a regular expression is assumed to know globs, so `*` in a
            // path is one without `allowGlobs`.
            globs: GlobPolicy::Allowed,
            glob: RefCell::new(glob),
            included,
            kinds,
            room: arguments.room.unwrap_or(SEARCH_CHARS),
            line_bytes: arguments.line_bytes.unwrap_or(LINE_BYTES),
            timeout_ms: arguments.timeout_ms,
            fingerprint,
            cursor: None,
        })
    }
}

/// Refuses arguments that have no meaning together with a pattern.
///
/// # Errors
/// `invalid-request` for the first of them.
fn refuse_others(options: &ExploreOptions) -> Result<(), Error> {
    let others = [
        (options.query.is_some(), "query"),
        (options.pack_id.is_some(), "packId"),
        (options.section.is_some(), "section"),
        (options.full_paths.is_some(), "fullPaths"),
    ];
    match others.iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, name)) => Err(invalid(
            format!("`pattern` and `{name}` are both given; expected one of them"),
            "Use pattern for every line that matches, query for the best places.",
        )),
    }
}

/// Refuses options that require a pattern in a request without one.
///
/// # Errors
/// `invalid-request` for the first of them.
pub fn refuse_without_pattern(options: &ExploreOptions) -> Result<(), Error> {
    let given = [
        (options.literal.is_some(), "literal"),
        (options.ignore_case.is_some(), "ignoreCase"),
        (options.multiline.is_some(), "multiline"),
        (options.output.is_some(), "output"),
        (options.context.is_some(), "context"),
        (options.glob.is_some(), "glob"),
    ];
    match given.iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, name)) => Err(invalid(
            format!("`{name}` is given without `pattern`; expected both or neither"),
            "Give what to look for as pattern, with literal true where it is plain text.",
        )),
    }
}

fn paths(texts: &[String]) -> Result<Vec<AskedPath>, Error> {
    let mut paths: Vec<AskedPath> = Vec::new();
    for text in texts {
        let path = AskedPath::parse(text)?;
        let is_root = path.whole().is_some_and(|path| path.as_str().is_empty());
        if !is_root
            && !paths
                .iter()
                .any(|known| known.to_string() == path.to_string())
        {
            paths.push(path);
        } else if is_root {
            return Ok(Vec::new());
        }
    }
    if paths.len() > EXPLORE_PATHS {
        return Err(invalid(
            format!(
                "`paths` has {} entries; expected at most {EXPLORE_PATHS}",
                paths.len()
            ),
            "Name their directory, or narrow the search by glob.",
        ));
    }
    Ok(paths)
}

fn kinds(options: &ExploreOptions) -> Result<SearchedKinds, Error> {
    let include = options.include.as_ref();
    let mut known = FileKinds::parse(include)?;
    // Every occurrence is wanted here, so logs are searched unless the request excludes them. A
    // search by words leaves them out by default, since their lines repeat.
    known.logs = include.and_then(|include| include.logs).unwrap_or(true);
    Ok(SearchedKinds {
        known,
        others: known.docs,
    })
}

/// Filter of the files of a request by their paths.
pub struct FileFilter {
    glob: Glob,
    /// True if the glob excludes files.
    excludes: bool,
}

impl FileFilter {
    /// Parses the filter of a glob: without `/` it is a name at any depth, and after `!` it
    /// excludes files, as in `rg`.
    ///
    /// # Errors
    /// For an invalid glob.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let (pattern, excludes) = match text.strip_prefix('!') {
            Some(left_out) => (left_out, true),
            None => (text, false),
        };
        let whole = match pattern.strip_prefix('/') {
            Some(anchored) => anchored.to_owned(),
            None if pattern.contains('/') => pattern.to_owned(),
            None => format!("**/{pattern}"),
        };
        let glob = Glob::parse(&whole).map_err(|error| {
            invalid(
                format!("`glob` {error}"),
                "Give a name such as `*.rs`, a path such as `src/**/*.rs`, or `!*.md` for all others.",
            )
        })?;
        Ok(Self { glob, excludes })
    }

    /// Returns true if a file at this path is searched.
    pub fn matches(&mut self, path: &str) -> bool {
        self.glob.matches_path(path) != self.excludes
    }
}
