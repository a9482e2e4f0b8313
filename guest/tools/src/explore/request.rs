//! A request to `explore`, understood.

use docent_api::pillars::{ExploreLimits, ExploreOptions, Intent, SectionChoice, View};
use docent_api::types::{Error, ErrorCode};
use unicode_normalization::UnicodeNormalization as _;

use crate::cursor::Fingerprint;
use crate::explore::kinds::Kinds;
use crate::limits::{
    EXPLORE_BYTES, EXPLORE_BYTES_DEFAULT, EXPLORE_CHARS, EXPLORE_CHARS_DEFAULT, EXPLORE_FILES,
    EXPLORE_FILES_DEFAULT, EXPLORE_ITEM_CHARS, EXPLORE_PATHS, EXPLORE_RESULTS,
    EXPLORE_RESULTS_DEFAULT, EXPLORE_TIMEOUT_MS, EXPLORE_TIMEOUT_MS_DEFAULT, HEADING_PATH,
    QUERY_CHARS,
};
use docent_tree::error::{out_of_range, refuse};
use docent_tree::path::RelPath;

/// What a pack is about: all that decides which items there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The query in NFC with single spaces; none where files are read.
    pub query: Option<String>,
    /// The kinds of files that take part.
    pub kinds: Kinds,
    /// Name of the root.
    pub root: String,
    /// Paths and globs, each once, in the order given.
    pub paths: Vec<String>,
    /// Whether paths may be globs.
    pub globs: bool,
    /// The intent.
    pub intent: Intent,
}

/// A section that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// By its id.
    Id(String),
    /// By its heading and those above it.
    Path(Vec<String>),
}

/// How much of each item comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The best section of a document, the best definition of code.
    Best,
    /// What stands for the file.
    Preview,
    /// One section, with or without all that stands below it.
    Section(Choice, bool),
    /// The whole file; where paths are named, only these.
    Full(Vec<String>),
}

/// The caps of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Items of a group.
    pub results: usize,
    /// Characters of all text.
    pub chars: usize,
    /// Characters of an item; none where the caller names no number.
    pub item_chars: Option<usize>,
    /// Bytes of a whole file.
    pub bytes: u64,
    /// Files that directories and globs stand for.
    pub files: usize,
    /// Milliseconds.
    pub timeout_ms: u32,
}

impl Limits {
    /// Returns what `given` says.
    ///
    /// # Errors
    /// `invalid-request` for a number outside its range.
    pub fn parse(given: Option<ExploreLimits>) -> Result<Self, Error> {
        let given = given.unwrap_or(ExploreLimits {
            max_results: None,
            max_chars: None,
            max_item_chars: None,
            max_bytes: None,
            max_files: None,
            timeout_ms: None,
        });
        let within = |name, value: Option<u32>, range: (u32, u32)| match value {
            Some(number) if !(range.0..=range.1).contains(&number) => {
                Err(out_of_range(name, number, range))
            }
            value => Ok(value),
        };
        let results = within("maxResults", given.max_results, EXPLORE_RESULTS)?;
        let chars = within("maxChars", given.max_chars, EXPLORE_CHARS)?;
        let item_chars = within("maxItemChars", given.max_item_chars, EXPLORE_CHARS)?;
        let bytes = within("maxBytes", given.max_bytes, EXPLORE_BYTES)?;
        let files = within("maxFiles", given.max_files, EXPLORE_FILES)?;
        let timeout_ms = within("timeoutMs", given.timeout_ms, EXPLORE_TIMEOUT_MS)?;
        Ok(Self {
            results: results.unwrap_or(EXPLORE_RESULTS_DEFAULT) as usize,
            chars: chars.unwrap_or(EXPLORE_CHARS_DEFAULT) as usize,
            item_chars: item_chars.map(|chars| chars as usize),
            bytes: bytes.unwrap_or(EXPLORE_BYTES_DEFAULT).into(),
            files: files.unwrap_or(EXPLORE_FILES_DEFAULT) as usize,
            timeout_ms: timeout_ms.unwrap_or(EXPLORE_TIMEOUT_MS_DEFAULT),
        })
    }

    /// Returns the characters of one item among so many: what the caller says, else its share.
    pub fn share(&self, items: usize) -> usize {
        let share = (self.chars / items.max(1)).max(EXPLORE_ITEM_CHARS as usize);
        self.item_chars.unwrap_or(share).min(self.chars)
    }
}

impl Subject {
    /// Returns the subject of a request for the root of this name.
    ///
    /// # Errors
    /// What cannot be looked for or read.
    pub fn parse(options: &ExploreOptions, root: &str) -> Result<Self, Error> {
        let query = options.query.as_deref().map(normalised).transpose()?;
        let kinds = Kinds::parse(options.include.as_ref())?;
        let allowed = options.allow_globs.unwrap_or(false);
        let mut paths = Vec::new();
        for path in options.paths.iter().flatten() {
            let path = scope(path, allowed)?;
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
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
                "there is nothing to look for; expected `query`, `paths` or `packId`",
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
        let globs = allowed && paths.iter().any(|path| may_be_glob(path));
        Ok(Self {
            query,
            kinds,
            root: root.to_owned(),
            paths,
            globs,
            intent,
        })
    }

    /// Whether what a request says beside a pack is the pack's.
    pub fn agrees(&self, options: &ExploreOptions) -> Result<bool, Error> {
        let query = options.query.as_deref().map(normalised).transpose()?;
        let mut paths = Vec::new();
        for path in options.paths.iter().flatten() {
            paths.push(scope(path, self.globs)?);
        }
        paths.dedup();
        let include = options.include.as_ref();
        Ok(
            query.is_none_or(|query| self.query.as_ref() == Some(&query))
                && (options.paths.is_none() || paths == self.paths)
                && (include.is_none() || Kinds::parse(include)? == self.kinds)
                && options.intent.is_none_or(|intent| intent == self.intent),
        )
    }

    /// Returns a digest of it.
    pub fn fingerprint(&self) -> Fingerprint {
        let start = Fingerprint::new("explore")
            .with(&self.root)
            .with(self.query.as_deref().unwrap_or("\0"))
            .with(&self.kinds.bits().to_string())
            .with(letter(self.intent))
            .with(if self.globs { "globs" } else { "" });
        let paths = self.paths.iter();
        paths.fold(start, |digest, path| digest.with(path))
    }
}

/// Returns the letter that stands for an intent in a pack.
pub fn letter(intent: Intent) -> &'static str {
    match intent {
        Intent::Auto => "a",
        Intent::Find => "f",
        Intent::Read => "r",
        Intent::Evidence => "e",
    }
}

/// Returns the intent that a letter stands for.
pub fn intent_of(text: &str) -> Option<Intent> {
    [Intent::Auto, Intent::Find, Intent::Read, Intent::Evidence]
        .into_iter()
        .find(|intent| letter(*intent) == text)
}

impl Shape {
    /// Returns what a request asks for of each item of `subject`.
    ///
    /// # Errors
    /// `invalid-request` for what does not go together.
    pub fn parse(options: &ExploreOptions, subject: &Subject) -> Result<Self, Error> {
        let view = options.view.unwrap_or(View::Auto);
        if options.full_paths.is_some() && view != View::Full {
            return Err(invalid(
                "`fullPaths` is given and `view` is not `full`; expected both or neither",
                "Add view `full`, or leave fullPaths out.",
            ));
        }
        if let Some(section) = &options.section {
            let (choice, with_subsections) = choice(section)?;
            if matches!(view, View::Preview | View::Full) {
                return Err(invalid(
                    "`section` is given with another `view`; expected `auto` or `section`",
                    "Leave view out to read the section.",
                ));
            }
            if subject.query.is_some() || subject.paths.len() != 1 {
                return Err(invalid(
                    "`section` needs exactly one document in `paths` and no `query`",
                    "Name the document of the section, and nothing else.",
                ));
            }
            return Ok(Self::Section(choice, with_subsections));
        }
        Ok(match view {
            View::Preview => Self::Preview,
            View::Full => {
                let mut paths = Vec::new();
                for path in options.full_paths.iter().flatten() {
                    paths.push(RelPath::parse(path)?.to_string());
                }
                Self::Full(paths)
            }
            View::Auto | View::Section if subject.query.is_some() => Self::Best,
            View::Auto => Self::Preview,
            View::Section => {
                return Err(invalid(
                    "`view` is `section` without `section` or `query`; expected one of them",
                    "Name the section, or give a query that it answers.",
                ));
            }
        })
    }

    /// Returns a digest of what decides the texts of items.
    pub fn add_to(&self, digest: Fingerprint) -> Fingerprint {
        match self {
            Self::Best => digest.with("best"),
            Self::Preview => digest.with("preview"),
            Self::Section(choice, with_subsections) => {
                let digest = digest.with(if *with_subsections { "below" } else { "own" });
                match choice {
                    Choice::Id(id) => digest.with("id").with(id),
                    Choice::Path(path) => {
                        path.iter().fold(digest, |digest, part| digest.with(part))
                    }
                }
            }
            Self::Full(paths) => paths
                .iter()
                .fold(digest.with("full"), |digest, path| digest.with(path)),
        }
    }
}

fn choice(given: &SectionChoice) -> Result<(Choice, bool), Error> {
    let below = given.include_subsections.unwrap_or(false);
    match (&given.section_id, &given.heading_path) {
        (Some(id), None) => Ok((Choice::Id(id.trim().to_owned()), below)),
        (None, Some(path)) if (1..=HEADING_PATH).contains(&path.len()) => {
            Ok((Choice::Path(path.clone()), below))
        }
        (None, Some(path)) => Err(invalid(
            format!(
                "`headingPath` has {} headings; expected 1 to {HEADING_PATH}",
                path.len()
            ),
            "Name the section's heading, and those above it where it needs them.",
        )),
        (Some(_), Some(_)) | (None, None) => Err(invalid(
            "`section` holds both or neither of `sectionId` and `headingPath`; expected one of them",
            "Take the section's id or heading from a preview.",
        )),
    }
}

/// Returns the query in NFC, with one space between words.
fn normalised(query: &str) -> Result<String, Error> {
    let words: Vec<&str> = query.split_whitespace().collect();
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

/// Returns a path or glob of the request in its one form.
fn scope(path: &str, globs: bool) -> Result<String, Error> {
    let parsed = RelPath::parse(path)?.to_string();
    if is_glob(&parsed) && !globs {
        return Err(no_globs(&parsed));
    }
    Ok(parsed)
}

/// Whether a path is surely a glob: names of files hardly ever hold these.
pub fn is_glob(path: &str) -> bool {
    path.contains(['*', '?'])
}

/// Whether a path may be a glob where no file is called so.
pub fn may_be_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// Returns the error for a glob that was not announced.
pub fn no_globs(path: &str) -> Error {
    invalid(
        format!("`paths` holds the glob `{path}`; expected files and directories"),
        "Set allowGlobs to true to use globs.",
    )
}

/// Returns the error for arguments that cannot be met.
pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Error {
    refuse(ErrorCode::InvalidRequest, message, hint)
}
