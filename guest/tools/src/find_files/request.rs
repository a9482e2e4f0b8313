//! A request in valid form.

use docent_api::find::{FindFilesOptions, FindSort, TimeField};
use docent_api::types::{Error, ErrorCode};

use crate::cursor::Fingerprint;
use crate::find_files::best::Order;
use crate::limits::{
    FIND_DEPTH_DEFAULT, FIND_DIRECTORIES, FIND_DIRECTORIES_DEFAULT, FIND_FILES, FIND_FILES_DEFAULT,
    FIND_LIMIT, FIND_LIMIT_DEFAULT, FIND_TIMEOUT_MS, FIND_TIMEOUT_MS_DEFAULT,
};
use docent_text::time::{UtcOffset, WrittenTime, parse_iso_8601_in};
use docent_tree::error::{refuse, within};
use docent_tree::glob::Glob;
use docent_tree::path::RelPath;

/// What is looked for, where, and how far.
#[derive(Debug)]
pub struct FindRequest {
    /// Where to look.
    pub path: RelPath,
    /// The times that count.
    pub window: Window,
    /// The offset in which times are shown.
    pub offset: UtcOffset,
    /// Which time is meant.
    pub field: TimeField,
    /// The order of the answer.
    pub order: Order,
    /// The levels that are looked at.
    pub levels: Levels,
    /// What may be found.
    pub kinds: EntryKinds,
    /// Whether names that start with a dot count.
    pub hidden: Hidden,
    /// True if what ignore files leave out counts.
    pub ignored: Ignored,
    /// The glob, as the caller wrote it: a cursor belongs to it.
    pub glob: Option<String>,
    /// What paths have to match: the same, parsed.
    pub glob_matcher: Option<Glob>,
    /// Matches of a page.
    pub limit: usize,
    /// What this call may cost.
    pub budget: Budget,
}

/// From when, inclusive, to when, exclusive, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    from: Option<i64>,
    to: Option<i64>,
}

/// The levels below the start that are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// Whether the start itself may be found.
    pub start: bool,
    /// So many levels below it.
    pub below: u32,
}

/// What may be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryKinds {
    /// Files.
    pub files: bool,
    /// Directories.
    pub directories: bool,
}

/// Whether names that start with a dot count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// As any other.
    Included,
    /// As if they were not there.
    LeftOut,
}

/// True if what ignore files leave out counts. What the configuration leaves out never does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// As any other.
    Included,
    /// As if it were not there.
    LeftOut,
}

/// What a call may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Milliseconds from its start.
    pub milliseconds: u64,
    /// Files that it comes to.
    pub files: u32,
    /// Directories that it lists.
    pub directories: u32,
}

impl Window {
    /// Whether a time counts.
    pub fn holds(self, time: i64) -> bool {
        self.from.is_none_or(|from| from <= time) && self.to.is_none_or(|to| time < to)
    }

    /// Whether no time counts.
    pub fn is_empty(self) -> bool {
        self.from.is_some() && self.from == self.to
    }
}

impl Hidden {
    /// Whether an entry of this name is left out.
    pub fn leaves_out(self, name: &str) -> bool {
        self == Self::LeftOut && name.starts_with('.')
    }
}

impl FindRequest {
    /// Returns what `options` asks for of a host of the offset `local`; `working_ms` says how many of
    /// its milliseconds it gets.
    ///
    /// # Errors
    /// `invalid-path` and `invalid-request`, for the first argument that cannot be used.
    pub fn parse(
        options: &FindFilesOptions,
        local: Option<UtcOffset>,
        working_ms: impl FnOnce(u32) -> u64,
    ) -> Result<Self, Error> {
        let path = path(options.path.as_deref())?;
        let from = time("from", options.from.as_deref(), local)?;
        // Whoever writes the one with an offset means it for both.
        let local = from.map(|from| from.offset).or(local);
        let to = time("to", options.to.as_deref(), local)?;
        let window = Window {
            from: from.map(|from| from.milliseconds),
            to: to.map(|to| to.milliseconds),
        };
        // An empty window is one that asks for nothing; one that is turned round is a slip.
        if let (Some(from), Some(to)) = (&options.from, &options.to)
            && window.from > window.to
        {
            return Err(refuse(
                ErrorCode::InvalidRequest,
                format!("`from` is `{from}`, after `to`, `{to}`; expected the earlier time first"),
                "Exchange from and to.",
            ));
        }
        let limit = within("limit", options.limit, FIND_LIMIT)?.unwrap_or(FIND_LIMIT_DEFAULT);
        let budget = Budget {
            milliseconds: working_ms(
                within("timeoutMs", options.timeout_ms, FIND_TIMEOUT_MS)?
                    .unwrap_or(FIND_TIMEOUT_MS_DEFAULT),
            ),
            files: within("maxFilesScanned", options.max_files_scanned, FIND_FILES)?
                .unwrap_or(FIND_FILES_DEFAULT),
            directories: within(
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
                None | Some(FindSort::TimeDesc) => Order::Latest,
                Some(FindSort::TimeAsc) => Order::Earliest,
                Some(FindSort::PathAsc) => Order::Path,
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
                Hidden::Included
            } else {
                Hidden::LeftOut
            },
            ignored: if options.include_ignored.unwrap_or(false) {
                Ignored::Included
            } else {
                Ignored::LeftOut
            },
            glob: options.glob.clone(),
            glob_matcher,
            limit: limit as usize,
            budget,
        })
    }

    /// Whether nothing can match, whatever there is.
    pub fn is_vain(&self) -> bool {
        self.window.is_empty() || !(self.kinds.files || self.kinds.directories)
    }

    /// Returns the digest of what a cursor belongs to: all but the order, which stands in the
    /// cursor, and what may change from page to page.
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
                Hidden::Included => "hidden-included",
                Hidden::LeftOut => "hidden-left-out",
            })
            .with_optional(glob.as_deref());
        match ignored {
            Ignored::Included => fingerprint.with("ignored-included"),
            Ignored::LeftOut => fingerprint,
        }
    }
}

/// Unlike the tools that take names of documents, this one takes no leading `/`.
fn path(text: Option<&str>) -> Result<RelPath, Error> {
    if let Some(text) = text.filter(|text| text.starts_with(['/', '\\'])) {
        return Err(refuse(
            ErrorCode::InvalidPath,
            format!(
                "`{text}` is an absolute path; expected one relative to the root, such as `guide`"
            ),
            "Leave out the leading slash; without path, or with `.`, the whole root is meant.",
        ));
    }
    Ok(RelPath::parse_or_root(text)?)
}

/// Returns the time of an argument, in the offset `local` where it is written without one.
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
