//! The answer: the page with its statistics and status, and a hint if it is empty.

use docent_api::pillars::{
    Degradation, ExploreAnswer, ExploreData, ExploreNext, ExploreStats, ExploreStatus,
    Pack as ShownPack,
};
use docent_text::time::iso_8601_expanded;

use crate::explore::rendering::page::{Page, PageStop};
use crate::explore::request::pack::{Pack, start_of};
use crate::explore::selection::plan::AnswerPlan;
use crate::explore::selection::search::CandidateSource;
use crate::explore::selection::traversal::Traversal;
use crate::limits::PACK_HOURS;
use docent_text::saturating::saturating_u32;

/// Parts of an answer other than the page itself.
pub struct AnswerFrame {
    /// Name of the root, if more than one is granted.
    pub root: Option<String>,
    /// The pack.
    pub pack: Option<ShownPack>,
    /// Cursors of the next page.
    pub next: ExploreNext,
    /// Milliseconds since the call began.
    pub elapsed_ms: u64,
    /// True if it is the first answer of its subject.
    pub is_first: bool,
    /// Kind of result that the request asks for.
    pub query_kind: QueryKind,
    /// Hint about a name in the query that the files do not contain exactly as written.
    pub name_hint: Option<String>,
}

/// Kind of result that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// Files that contain words of the query.
    Words,
    /// Files.
    Files,
}

/// Returns a pack as an answer shows it, or `None` if its subject is too long for an id.
pub fn shown_pack(pack: &Pack, source: CandidateSource) -> Option<ShownPack> {
    pack.id().map(|pack_id| ShownPack {
        pack_id,
        hit: source == CandidateSource::Cache,
        created_at: iso_8601_expanded(start_of(pack.hour)),
        expires_at: iso_8601_expanded(start_of(pack.hour + PACK_HOURS)),
    })
}

/// Returns the answer of a page.
pub fn answer(plan: AnswerPlan, mut page: Page, frame: AnswerFrame) -> ExploreAnswer {
    let mut traversal = plan.traversal;
    let mut blocked = Vec::new();
    // Blocked paths of the request are the same on every page, so the first one lists them;
    // those of items belong to one page.
    if frame.is_first {
        blocked.append(&mut traversal.blocked);
    }
    blocked.append(&mut page.blocked);
    let is_empty = page.docs.is_empty() && page.code.is_empty() && page.data.is_empty();
    // An item that is only named, without its text, still counts. An empty page means that
    // there was no item at all.
    let status = match (is_empty, blocked.is_empty()) {
        (false, _) => ExploreStatus::Ok,
        (true, true) => ExploreStatus::NoResults,
        (true, false) => ExploreStatus::Blocked,
    };
    let hint = match status {
        ExploreStatus::NoResults => way_out(&traversal, &page, &frame).map(str::to_owned),
        ExploreStatus::Ok => frame.name_hint,
        ExploreStatus::Blocked => None,
    };
    let skipped = traversal.skips.finish();
    let reasons = reasons(plan.reasons, &page, skipped.count > 0);
    ExploreAnswer {
        root: frame.root,
        status,
        success: status != ExploreStatus::Blocked,
        matches: None,
        blocked,
        pack: frame.pack,
        next: frame.next,
        degraded: !reasons.is_empty(),
        reasons,
        stats: ExploreStats {
            files: traversal.files,
            docs: saturating_u32(plan.candidates.docs.len()),
            code: saturating_u32(plan.candidates.code.len()),
            chars: saturating_u32(page.chars),
            elapsed_ms: frame.elapsed_ms,
            skipped,
        },
        data: ExploreData {
            docs: page.docs,
            code: page.code,
            data: page.data,
        },
        hint,
    }
}

/// Returns the reasons for which the answer is incomplete, each once: the time may have ended the
/// scan, the choice and the page.
fn reasons(plan_reasons: Vec<Degradation>, page: &Page, has_skipped: bool) -> Vec<Degradation> {
    let mut reasons = Vec::new();
    let mut add = |applies: bool, reason| {
        if applies && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    for reason in plan_reasons {
        add(true, reason);
    }
    let mut items = page.docs.iter().chain(&page.code).chain(&page.data);
    let is_cut = items.any(|item| item.truncated);
    let is_full = page.end == Some(PageStop::Budget);
    add(is_full, Degradation::BudgetExceeded);
    add(is_cut, Degradation::Truncated);
    add(page.end == Some(PageStop::Time), Degradation::Timeout);
    add(has_skipped, Degradation::SkippedUnreadable);
    reasons
}

/// Returns a hint for an empty answer: the first of the known causes that applies.
fn way_out(traversal: &Traversal, page: &Page, frame: &AnswerFrame) -> Option<&'static str> {
    // The causes are ordered by how much is known. If the files could not be visited again in
    // time, nothing else can be concluded. If an item exists but does not fit, the words were
    // found. Only if all files were visited are the words of the query to blame, and if there
    // was no file, the paths are.
    if traversal.is_short {
        return Some(TOO_SHORT);
    }
    if page.end == Some(PageStop::Budget) {
        return Some(NO_ROOM);
    }
    if frame.next.items_cursor.is_some() {
        return Some(NOTHING_YET);
    }
    let nothing = match frame.query_kind {
        QueryKind::Words if traversal.files > 0 => NO_WORDS,
        // No file was visited, so the words are not the cause.
        QueryKind::Words | QueryKind::Files => NO_FILES,
    };
    // A later page without items is the end of a list that had some.
    frame.is_first.then_some(nothing)
}

const NO_FILES: &str = "No files match; check paths and include, or see what exists by exploring the \
                        path `.`.";

/// Hint if no file contains a word of the query.
pub const NO_WORDS: &str = "Nothing holds any of these words; try others, or see what exists by \
                        exploring the path `.`.";

const NOTHING_YET: &str = "Nothing so far; not all files were examined; continue with the \
                           cursor, or name a directory in paths.";

const TOO_SHORT: &str = "There was not enough time to read the matches again; raise \
                         limits.timeoutMs.";

const NO_ROOM: &str = "The next item does not fit; raise limits.maxChars.";
