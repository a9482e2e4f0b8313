//! A parsed request to `explore`.

use std::collections::BTreeSet;

use docent_api::pillars::{ExploreCursor, ExploreOptions, Intent, SectionChoice, View};
use docent_api::types::{Error, ErrorCode};
use unicode_normalization::UnicodeNormalization as _;

use crate::explore::call_limits::{CallLimits, Room};
use crate::explore::kinds::FileKinds;
use crate::explore::pack::Pack;
use crate::explore::text::Numbers;
use crate::limits::{EXPLORE_PATHS, HEADING_PATH, QUERY_CHARS};
use crate::paging::cursor::Fingerprint;
use crate::part::AskedPath;
use crate::paths::globs::{is_glob, may_be_glob};
use docent_corpus::corpus::Corpus;
use docent_tree::disk::Disk;
use docent_tree::door::Consent;
use docent_tree::error::{invalid, refuse};
use docent_tree::included::Inclusions;
use docent_tree::path::RelPath;

/// A request with its pack, if one is given.
pub struct Request {
    /// Index of the root.
    pub root: usize,
    /// Name of the root, if more than one is granted.
    pub shown_root: Option<String>,
    /// Subject of the request.
    pub subject: Subject,
    /// Pack that it continues.
    pub pack: Option<Pack>,
    /// Extent of each item.
    pub shape: Shape,
    /// Limits of the call.
    pub limits: CallLimits,
    /// The room for texts.
    pub room: Room,
    /// Expansion of directories that are named.
    pub directory_items: DirectoryItems,
    /// The caller's consent to open sensitive files that it names; the person's is needed as well.
    pub caller_consent: Consent,
    /// True if binaries are allowed, as base64.
    pub allows_binary: bool,
    /// Display of line numbers.
    pub numbers: Numbers,
    /// True if a file that is named comes whole if it fits.
    pub shows_short_files: bool,
    /// Cursors at which to continue.
    pub cursor: Option<ExploreCursor>,
    /// True if a pack is requested again with neither a larger room nor another view, so that its
    /// items were already shown.
    pub is_repeat: bool,
}

/// Expansion of directories that are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectoryItems {
    /// True if the directory is an item itself.
    pub itself: bool,
    /// Maximum total number of files from directories and globs, or `None` to list none of them.
    pub most_files: Option<usize>,
}

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

/// Address of a section in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionAddress {
    /// By its id.
    Id(String),
    /// By its heading and those above it.
    Path(Vec<String>),
}

/// Extent of each item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The best section of a document, or the best definition of code.
    Best,
    /// A preview of the file.
    Preview,
    /// One section.
    Section(SectionAddress, Subsections),
    /// The whole file; if paths are given, only for these.
    Full(Vec<RelPath>),
}

/// Inclusion of subsections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subsections {
    /// Its own text alone.
    Exclusions,
    /// With the sections below it.
    Inclusions,
}

impl Request {
    /// Parses a request made in the hour `hour`.
    ///
    /// # Errors
    /// For options that are incompatible, and for subjects that can be neither searched for nor
    /// read.
    pub fn parse<D: Disk>(
        corpus: &Corpus<D>,
        options: ExploreOptions,
        hour: u64,
    ) -> Result<Self, Error> {
        let limits = CallLimits::parse(options.limits)?;
        let pack = options
            .pack_id
            .as_deref()
            .map(|id| Pack::parse(id, hour))
            .transpose()?;
        let root_name = options.root.as_deref();
        if let (Some(pack), Some(root)) = (&pack, root_name)
            && pack.subject.root != root
        {
            return Err(invalid(
                format!("`packId` is of another root than `{root}`; expected one of the same"),
                "Leave root out: the pack knows its own.",
            ));
        }
        let root_name = root_name.or(pack.as_ref().map(|pack| pack.subject.root.as_str()));
        let root = corpus.choose_root(root_name)?;
        let subject = match &pack {
            None => Subject::parse(&options, &root.name)?,
            // Models repeat the arguments of the first call together with its packId.
            Some(pack) if pack.subject.agrees(&options)? => pack.subject.clone(),
            Some(_) => {
                return Err(invalid(
                    "`packId` is of another subject than the other arguments; expected the same or none",
                    "Give packId alone, or leave it out to begin a new subject.",
                ));
            }
        };
        let shape = Shape::parse(&options, &subject)?;
        let is_preview = options.view == Some(View::Preview);
        // Evidence consists of sections and previews, unless a whole file is requested.
        let is_evidence = subject.intent == Intent::Evidence;
        let is_repeat = pack.is_some()
            && options.cursor.is_none()
            && options.section.is_none()
            && matches!(options.view, None | Some(View::Auto))
            && !limits.are_raised();
        Ok(Self {
            root: root.index,
            shown_root: root.shown,
            subject,
            pack,
            directory_items: DirectoryItems {
                itself: matches!(shape, Shape::Preview),
                // For a preview of a directory, its entries are enough.
                most_files: (!is_preview).then_some(limits.files),
            },
            caller_consent: if options.allow_sensitive.unwrap_or(false) {
                Consent::Given
            } else {
                Consent::Withheld
            },
            allows_binary: options.allow_binary.unwrap_or(false),
            shows_short_files: shape == Shape::Preview && !is_preview && !is_evidence,
            numbers: match options.line_numbers {
                Some(false) => Numbers::LeftOut,
                _ => Numbers::Shown,
            },
            cursor: options.cursor,
            room: Room::new(&limits, &shape),
            shape,
            limits,
            is_repeat,
        })
    }
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
        // Counted after removing duplicates, which cost nothing.
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
        if query.is_some() && intent != Intent::Read {
            leave_out_root(&mut paths);
        }
        // Compared as in a pack: permission for globs without any glob does not make another
        // subject.
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
        // Normalized as in the pack, so that another spelling is not another subject.
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
            // A query is never equal to this text, so no query and an empty one differ.
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
    // Fixed here: renaming a variant must not invalidate packs and cursors already issued.
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

impl Shape {
    /// Parses the extent of each item of `subject`.
    ///
    /// # Errors
    /// `invalid-request` for options that are incompatible.
    pub fn parse(options: &ExploreOptions, subject: &Subject) -> Result<Self, Error> {
        let view = options.view.unwrap_or(View::Auto);
        if options.full_paths.is_some() && view != View::Full {
            return Err(invalid(
                "`fullPaths` is given and `view` is not `full`; expected both or neither",
                "Add view `full`, or leave fullPaths out.",
            ));
        }
        if let Some(section) = &options.section {
            let (address, subsections) = section_address(section)?;
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
            return Ok(Self::Section(address, subsections));
        }
        Ok(match view {
            View::Preview => Self::Preview,
            View::Full => {
                let mut paths = Vec::new();
                for path in options.full_paths.iter().flatten() {
                    paths.push(RelPath::parse(path)?);
                }
                Self::Full(paths)
            }
            // The best section is the one that answers the query.
            View::Auto | View::Section if subject.query.is_some() => Self::Best,
            // Never the whole file, which comes only on request.
            View::Auto => Self::Preview,
            // A part is shown verbatim under every view.
            View::Section if subject.paths.iter().any(AskedPath::may_be_part) => Self::Preview,
            View::Section => {
                return Err(invalid(
                    "`view` is `section` without `section` or `query`; expected one of them",
                    "Name the section, as in `guide.md#setup`, or give a query that it answers.",
                ));
            }
        })
    }

    /// Adds everything that determines the texts of items to a digest.
    pub fn add_to(&self, digest: Fingerprint) -> Fingerprint {
        match self {
            Self::Best => digest.with("best"),
            Self::Preview => digest.with("preview"),
            Self::Section(address, subsections) => {
                let digest = digest.with(match subsections {
                    Subsections::Inclusions => "below",
                    Subsections::Exclusions => "own",
                });
                match address {
                    SectionAddress::Id(id) => digest.with("id").with(id),
                    SectionAddress::Path(path) => {
                        path.iter().fold(digest, |digest, part| digest.with(part))
                    }
                }
            }
            Self::Full(paths) => paths.iter().fold(digest.with("full"), |digest, path| {
                digest.with(&path.to_string())
            }),
        }
    }
}

fn section_address(choice: &SectionChoice) -> Result<(SectionAddress, Subsections), Error> {
    let subsections = if choice.include_subsections.unwrap_or(false) {
        Subsections::Inclusions
    } else {
        Subsections::Exclusions
    };
    match (&choice.section_id, &choice.heading_path) {
        (Some(id), None) => Ok((SectionAddress::Id(id.trim().to_owned()), subsections)),
        (None, Some(path)) if (1..=HEADING_PATH).contains(&path.len()) => {
            Ok((SectionAddress::Path(path.clone()), subsections))
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

/// Returns the query in NFC, with one space between words, so that one question has one pack,
/// however it is typed.
fn normalize_query(query: &str) -> Result<String, Error> {
    let words: Vec<&str> = query.split_whitespace().collect();
    // Composed last: whitespace is the same in every normal form.
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
    // After the path of a file these characters belong to a name: `a.md#Why?`.
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
