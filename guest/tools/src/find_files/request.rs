//! A request in valid form.

use docent_api::find::{FindFilesOptions, FindSort, TimeField};
use docent_api::types::{Error, ErrorCode};

use crate::find_files::best::MatchOrder;
use crate::limits::{
    FIND_DEPTH_DEFAULT, FIND_DIRECTORIES, FIND_DIRECTORIES_DEFAULT, FIND_FILES, FIND_FILES_DEFAULT,
    FIND_LIMIT, FIND_LIMIT_DEFAULT, FIND_TIMEOUT_MS, FIND_TIMEOUT_MS_DEFAULT,
};
use crate::paging::cursor::Fingerprint;
use docent_text::time::{UtcOffset, WrittenTime, parse_iso_8601_in};
use docent_tree::error::{check_range, refuse};
use docent_tree::glob::Glob;
use docent_tree::path::RelPath;

/// A request in valid form.
#[derive(Debug)]
pub struct FindRequest {
    /// Path at which the scan starts.
    pub path: RelPath,
    /// Window of matching times.
    pub window: TimeWindow,
    /// UTC offset in which times are shown.
    pub offset: UtcOffset,
    /// Time field that is compared.
    pub field: TimeField,
    /// Order of the answer.
    pub order: MatchOrder,
    /// Range of levels to scan.
    pub levels: Levels,
    /// Kinds of entries to find.
    pub kinds: EntryKinds,
    /// Treatment of names that start with a dot.
    pub hidden: Hidden,
    /// Treatment of entries that ignore files exclude.
    pub ignored: Ignored,
    /// The glob as the caller wrote it: cursors are bound to it.
    pub glob: Option<String>,
    /// The same glob, parsed.
    pub glob_matcher: Option<Glob>,
    /// Maximum number of matches on a page.
    pub limit: usize,
    /// Budget of this call.
    pub budget: Budget,
}

/// Window of times, from inclusive, to exclusive, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeWindow {
    from: Option<i64>,
    to: Option<i64>,
}

/// Range of levels to scan, counted from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// True if the start itself is included.
    pub start: bool,
    /// Number of levels below it.
    pub below: u32,
}

/// Kinds of entries to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryKinds {
    /// Files.
    pub files: bool,
    /// Directories.
    pub directories: bool,
}

/// Treatment of names that start with a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// Treated like any other.
    Inclusions,
    /// Treated as if they did not exist.
    LeftOut,
}

/// Treatment of entries that ignore files exclude. Exclusions of the configuration always apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Treated like any other.
    Inclusions,
    /// As if it were not there.
    LeftOut,
}

/// Budget of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Milliseconds since its start.
    pub milliseconds: u64,
    /// Maximum number of files reached.
    pub files: u32,
    /// Maximum number of directories listed.
    pub directories: u32,
}

impl TimeWindow {
    /// Returns true if a time is in the window.
    pub fn holds(self, time: i64) -> bool {
        self.from.is_none_or(|from| from <= time) && self.to.is_none_or(|to| time < to)
    }

    /// Returns true if no time is in the window.
    pub fn is_empty(self) -> bool {
        self.from.is_some() && self.from == self.to
    }
}

impl Hidden {
    /// Returns true if an entry of this name is excluded.
    pub fn leaves_out(self, name: &str) -> bool {
        self == Self::LeftOut && name.starts_with('.')
    }
}

impl FindRequest {
    /// Parses `options` for a host whose UTC offset is `local`; `working_ms` converts a timeout to
    /// the milliseconds that the call may use.
    ///
    /// # Errors
    /// `invalid-path` and `invalid-request`, for the first invalid argument.
    pub fn parse(
        options: &FindFilesOptions,
        local: Option<UtcOffset>,
        working_ms: impl FnOnce(u32) -> u64,
    ) -> Result<Self, Error> {
        let path = path(options.path.as_deref())?;
        let from = time("from", options.from.as_deref(), local)?;
        // An offset that is written in one of both times is meant for the other one as well.
        let local = from.map(|from| from.offset).or(local);
        let to = time("to", options.to.as_deref(), local)?;
        let window = TimeWindow {
            from: from.map(|from| from.milliseconds),
            to: to.map(|to| to.milliseconds),
        };
        // An empty window is a valid request without results. A reversed one is a mistake of
        // the caller.
        if let (Some(from), Some(to)) = (&options.from, &options.to)
            && window.from > window.to
        {
            return Err(refuse(
                ErrorCode::InvalidRequest,
                format!("`from` is `{from}`, after `to`, `{to}`; expected the earlier time first"),
                "Exchange from and to.",
            ));
        }
        let limit = check_range("limit", options.limit, FIND_LIMIT)?.unwrap_or(FIND_LIMIT_DEFAULT);
        let budget = Budget {
            milliseconds: working_ms(
                check_range("timeoutMs", options.timeout_ms, FIND_TIMEOUT_MS)?
                    .unwrap_or(FIND_TIMEOUT_MS_DEFAULT),
            ),
            files: check_range("maxFilesScanned", options.max_files_scanned, FIND_FILES)?
                .unwrap_or(FIND_FILES_DEFAULT),
            directories: check_range(
                "maxDirectoriesScanned",
                options.max_directories_scanned,
                FIND_DIRECTORIES,
            )?
            .unwrap_or(FIND_DIRECTORIES_DEFAULT),
        };
        let glob_matcher = options.glob.as_deref().map(Glob::parse).transpose()?;
        Ok(Self {
            path,
            window,
            offset: local.unwrap_or_default(),
            field: options.time_field.unwrap_or(TimeField::Modified),
            order: match options.sort {
                None | Some(FindSort::TimeDesc) => MatchOrder::Latest,
                Some(FindSort::TimeAsc) => MatchOrder::Earliest,
                Some(FindSort::PathAsc) => MatchOrder::Path,
            },
            levels: if options.recursive.unwrap_or(true) {
                Levels {
                    start: true,
                    below: options.max_depth.unwrap_or(FIND_DEPTH_DEFAULT),
                }
            } else {
                Levels {
                    start: false,
                    below: 1,
                }
            },
            kinds: EntryKinds {
                files: options.include_files.unwrap_or(true),
                directories: options.include_directories.unwrap_or(false),
            },
            hidden: if options.include_hidden.unwrap_or(false) {
                Hidden::Inclusions
            } else {
                Hidden::LeftOut
            },
            ignored: if options.include_ignored.unwrap_or(false) {
                Ignored::Inclusions
            } else {
                Ignored::LeftOut
            },
            glob: options.glob.clone(),
            glob_matcher,
            limit: limit as usize,
            budget,
        })
    }

    /// Returns true if nothing can match, whatever the tree contains.
    pub fn is_vain(&self) -> bool {
        self.window.is_empty() || !(self.kinds.files || self.kinds.directories)
    }

    /// Returns the fingerprint to which a cursor is bound: the whole request except the order,
    /// which is in the cursor, and the options that may change from page to page.
    pub fn fingerprint(&self, root: &str) -> Fingerprint {
        let Self {
            path,
            window,
            offset: _,
            field,
            order: _,
            levels,
            kinds,
            hidden,
            ignored,
            glob,
            glob_matcher: _,
            limit: _,
            budget: _,
        } = self;
        let time = |time: Option<i64>| time.map(|time| time.to_string());
        let word = |is_so: bool, word: &'static str| is_so.then_some(word);
        let fingerprint = Fingerprint::new("find-files")
            .with(root)
            .with(path.as_str())
            .with_optional(time(window.from).as_deref())
            .with_optional(time(window.to).as_deref())
            .with(match field {
                TimeField::Modified => "modified",
                TimeField::Created => "created",
                TimeField::Accessed => "accessed",
            })
            .with_optional(word(levels.start, "start"))
            .with(&levels.below.to_string())
            .with_optional(word(kinds.files, "files"))
            .with_optional(word(kinds.directories, "directories"))
            .with(match hidden {
                Hidden::Inclusions => "hidden-included",
                Hidden::LeftOut => "hidden-left-out",
            })
            .with_optional(glob.as_deref());
        match ignored {
            Ignored::Inclusions => fingerprint.with("ignored-included"),
            Ignored::LeftOut => fingerprint,
        }
    }
}

/// Unlike the tools that take names of documents, this one accepts no leading `/`.
fn path(text: Option<&str>) -> Result<RelPath, Error> {
    if let Some(text) = text.filter(|text| text.starts_with(['/', '\\'])) {
        return Err(refuse(
            ErrorCode::InvalidPath,
            format!(
                "`{text}` is an absolute path; expected one relative to the root, such as `guide`"
            ),
            "Leave out the leading slash; without path, or with `.`, it is the whole root.",
        ));
    }
    Ok(RelPath::parse_or_root(text)?)
}

/// Returns the time of an argument, in the offset `local` if it is written without one.
fn time(
    argument: &str,
    text: Option<&str>,
    local: Option<UtcOffset>,
) -> Result<Option<WrittenTime>, Error> {
    let Some(text) = text else {
        return Ok(None);
    };
    let refusal = || {
        refuse(
            ErrorCode::InvalidRequest,
            format!(
                "`{argument}` is `{text}`; expected an ISO 8601 date and time with an offset, such as `2025-12-15T09:00:00+09:00`"
            ),
            "Write date, time with seconds, and `Z` or an offset; work out relative times yourself.",
        )
    };
    parse_iso_8601_in(text, local).map(Some).ok_or_else(refusal)
}
