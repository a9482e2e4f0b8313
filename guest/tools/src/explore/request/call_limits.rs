//! The limits of a call, and the room for its texts.

use docent_api::pillars::ExploreLimits;
use docent_api::types::Error;
use docent_tree::error::check_range;

use crate::explore::request::group::Group;
use crate::explore::request::shape::Shape;
use crate::explore::request::unit::Unit;
use crate::limits::{
    EXPLORE_BYTES, EXPLORE_BYTES_DEFAULT, EXPLORE_CHARS, EXPLORE_CHARS_DEFAULT, EXPLORE_FILES,
    EXPLORE_FILES_DEFAULT, EXPLORE_RESULTS, EXPLORE_RESULTS_DEFAULT, EXPLORE_TIMEOUT_MS,
    EXPLORE_TIMEOUT_MS_DEFAULT, SEARCH_BEST_CHARS, SEARCH_CHARS, SEARCH_ITEM_CHARS, SEARCH_RESULTS,
};

/// The room for the texts of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Maximum for all texts of a page.
    pub page: usize,
    /// Maximum for the text of one item.
    pub item: usize,
    /// Unit in which both are counted.
    pub unit: Unit,
}

/// The caps of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallLimits {
    /// Maximum number of items of a group, or `None` if the caller sets none.
    pub results: Option<usize>,
    /// Maximum characters of all texts, or `None` if the caller sets none.
    pub chars: Option<usize>,
    /// Maximum characters of an item, or `None` if the caller sets none.
    pub item_chars: Option<usize>,
    /// Maximum bytes of a whole file.
    pub bytes: u64,
    /// True if the caller sets the maximum bytes.
    pub has_own_bytes: bool,
    /// Maximum number of files from directories and globs.
    pub files: usize,
    /// Time limit in milliseconds.
    pub timeout_ms: u32,
}

impl CallLimits {
    /// Parses the limits of a request, with defaults for those it omits.
    ///
    /// # Errors
    /// `invalid-request` for a number outside its range.
    pub fn parse(limits: Option<ExploreLimits>) -> Result<Self, Error> {
        let limits = limits.unwrap_or(ExploreLimits {
            max_results: None,
            max_chars: None,
            max_item_chars: None,
            max_bytes: None,
            max_files: None,
            timeout_ms: None,
        });
        let results = check_range("maxResults", limits.max_results, EXPLORE_RESULTS)?;
        let chars = check_range("maxChars", limits.max_chars, EXPLORE_CHARS)?;
        let item_chars = check_range("maxItemChars", limits.max_item_chars, EXPLORE_CHARS)?;
        let bytes = check_range("maxBytes", limits.max_bytes, EXPLORE_BYTES)?;
        let files = check_range("maxFiles", limits.max_files, EXPLORE_FILES)?;
        let timeout_ms = check_range("timeoutMs", limits.timeout_ms, EXPLORE_TIMEOUT_MS)?;
        Ok(Self {
            results: results.map(|results| results as usize),
            chars: chars.map(|chars| chars as usize),
            item_chars: item_chars.map(|chars| chars as usize),
            has_own_bytes: bytes.is_some(),
            bytes: bytes.unwrap_or(EXPLORE_BYTES_DEFAULT).into(),
            files: files.unwrap_or(EXPLORE_FILES_DEFAULT) as usize,
            timeout_ms: timeout_ms.unwrap_or(EXPLORE_TIMEOUT_MS_DEFAULT),
        })
    }

    /// Returns true if the caller asks for more room for texts than the defaults give.
    pub fn are_raised(&self) -> bool {
        let over = |asked: Option<usize>, most: usize| asked.is_some_and(|asked| asked > most);
        over(self.chars, SEARCH_CHARS)
            || over(self.item_chars, SEARCH_ITEM_CHARS)
            || over(self.results, EXPLORE_RESULTS_DEFAULT)
    }

    /// Returns the maximum number of items of a group on a page.
    pub fn group_results(&self) -> usize {
        self.results.unwrap_or(EXPLORE_RESULTS_DEFAULT)
    }

    /// Returns the maximum number of items of all groups on a page of a search.
    pub fn all_results(&self) -> usize {
        match self.results {
            Some(results) => results.saturating_mul(Group::ALL.len()),
            None => SEARCH_RESULTS,
        }
    }
}

impl Room {
    /// Returns the room for a request of this shape.
    pub fn new(limits: &CallLimits, shape: &Shape) -> Self {
        let is_search = matches!(shape, Shape::Best);
        let is_own = limits.chars.is_some() || limits.item_chars.is_some();
        let (page, item) = if is_search {
            (SEARCH_CHARS, SEARCH_ITEM_CHARS)
        } else {
            (EXPLORE_CHARS_DEFAULT, usize::MAX)
        };
        let page = limits.chars.unwrap_or(page);
        Self {
            page,
            item: limits.item_chars.unwrap_or(item).min(page),
            unit: if is_search && !is_own {
                Unit::Bytes
            } else {
                Unit::Chars
            },
        }
    }

    /// Returns the same room with a lower maximum for items.
    pub fn at_most(self, item: usize) -> Self {
        Self {
            item: self.item.min(item),
            ..self
        }
    }

    /// Returns the maximum size of the best item of a search.
    pub fn best_item(&self) -> usize {
        match self.unit {
            Unit::Bytes => self.item.max(SEARCH_BEST_CHARS).min(self.page),
            // The caller has set a maximum, which applies to every item.
            Unit::Chars => self.item,
        }
    }
}
