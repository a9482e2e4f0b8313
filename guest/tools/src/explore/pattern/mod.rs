//! `grep`, and `explore` with a pattern: every line of any text file that a regular expression
//! matches.
//!
//! A call goes request → traversal of the files (each matching line is counted, and kept if it fits
//! into the answer) → answer. Every page has the totals of all files, so that the number of omitted
//! lines is known; a cursor holds the number of entries before the next page, and is valid as long
//! as the counts before them are the same.
//!
//! Without a cache of texts, as in a command, every page of a long list would cost a scan of all
//! files. So a page whose instance has just answered the previous one begins where that ended, with
//! the totals of its scan. Files whose lines are no longer those that were counted end that, and
//! all are scanned again.

mod cache;
mod counts;
mod limits;
mod literal;
mod matcher;
mod matches;
mod page;
mod request;

use std::cell::{Cell, RefMut};

use docent_api::patterns::{GrepAnswer, GrepOptions};
use docent_api::pillars::{
    Degradation, ExploreAnswer, ExploreData, ExploreNext, ExploreOptions, ExploreStats,
    ExploreStatus, PatternFile, PatternMatches, PatternOutput, PatternValue,
};
use docent_api::types::{Error, SkipReason};
use docent_corpus::corpus::Corpus;
use docent_corpus::store::{MemoId, Store};
use docent_corpus::visit::{read_named_text, search_current_text};
use docent_corpus::walk::Walk;
use docent_text::saturating::saturating_u32;
use docent_text::time_budget::TimeBudget;
use docent_tree::disk::{Directory, Disk};
use docent_tree::door::Consent;
use docent_tree::path::RelPath;
use docent_tree::skips::LeftOut;

pub use self::cache::PagedListCache;
pub use self::request::refuse_without_pattern;

use self::cache::{CachedList, LinesPageStart, ScanTime, ScannedFiles};
use self::counts::{RestFiles, SortedValues};
use self::matcher::Matcher;
use self::matches::{ContinuedSearch, CountingSearch, FileSearch, is_of_lines};
use self::page::LinePage;
use self::request::{FileFilter, PatternRequest, SearchedKinds};
use crate::explore::request::cursor::{DecodedCursor, ScanRange, encode};
use crate::explore::request::deadline::Deadline;
use crate::explore::request::kinds::FileKind;
use crate::explore::request::scope::{ScopeRules, SensitiveFiles};
use crate::explore::request::sources::SourcesDigest;
use crate::explore::selection::plan::LEFT_OUT_KINDS;
use crate::explore::selection::traversal::{
    Demand, FileVisitor, NamedFile, RangeScan, ScanPass, Traversal, TraversalOptions, Unvisited,
    traverse,
};
use crate::limits::WORD_BYTES;
use crate::part::resolve;
use crate::settings::ToolSettings;
use crate::unsearched::describe_unsearched;

/// Visitor that passes the texts of a request's files to a search.
struct PatternVisitor<'a, S> {
    search: S,
    matcher: &'a Matcher,
    memo: MemoId,
    kinds: SearchedKinds,
    glob: RefMut<'a, Option<FileFilter>>,
    left_out: LeftOut,
}

/// Options of a request to `grep` with a pattern alone.
pub const NO_GREP_OPTIONS: GrepOptions = GrepOptions {
    paths: None,
    glob: None,
    literal: None,
    ignore_case: None,
    multiline: None,
    output: None,
    context: None,
    include_hidden: None,
    include_ignored: None,
    max_chars: None,
    max_line_chars: None,
    timeout_ms: None,
    root: None,
    cursor: None,
};

/// Returns every line that a pattern matches, as an answer of `explore`; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; never for a file that cannot be read.
pub fn explore_pattern<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    lists: &mut PagedListCache,
    pattern: &str,
    options: &ExploreOptions,
) -> Result<ExploreAnswer, Error> {
    let started_ms = corpus.disk.monotonic_ms();
    let request = PatternRequest::from_explore(corpus, pattern, options)?;
    let answer = find_lines(corpus, settings, lists, &request)?;
    let elapsed_ms = corpus.disk.monotonic_ms().saturating_sub(started_ms);
    Ok(explore_answer(answer, elapsed_ms))
}

/// Returns every line that a pattern matches; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; never for a file that cannot be read.
pub fn grep<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    lists: &mut PagedListCache,
    pattern: &str,
    options: &GrepOptions,
) -> Result<GrepAnswer, Error> {
    let request = PatternRequest::from_grep(corpus, pattern, options)?;
    find_lines(corpus, settings, lists, &request)
}

fn find_lines<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    lists: &mut PagedListCache,
    request: &PatternRequest,
) -> Result<GrepAnswer, Error> {
    let started_ms = corpus.disk.monotonic_ms();
    let working_ms = settings.working_ms(request.timeout_ms);
    // Lines are rendered during the scan, so visiting files may use all of the time; a search
    // by words reserves a part of it for its page.
    let deadline = Deadline::for_scan(&corpus.disk, working_ms);
    corpus.store.begin_call_within(working_ms);
    let cursor = request.cursor.as_ref();
    let mut reasons = Vec::new();
    let cached = lists.take(request.fingerprint, cursor, started_ms);
    let continued = match cached {
        Some(list) => continue_list(corpus, request, list, &deadline)?,
        None => None,
    };
    let mut range = cursor.map_or_else(ScanRange::default, |cursor| cursor.range.clone());
    let listed = match continued {
        Some(listed) => listed,
        None => {
            let before = position(request);
            let mut listed = scan_files(corpus, request, before, &scan(cursor), &deadline)?;
            let expected = cursor.and_then(|cursor| cursor.sources);
            let is_changed = expected.is_some() && expected != listed.digest();
            if is_changed && before > 0 {
                // The counts before the position differ from those of the earlier page:
                // positions in the old list mean nothing in the new one. The list begins again
                // at its first page, with the reason in the answer, rather than continue at a
                // line that was perhaps shown already.
                reasons.push(Degradation::SourcesChanged);
                range = ScanRange::default();
                listed = scan_files(corpus, request, 0, &RangeScan::default(), &deadline)?;
            }
            listed
        }
    };
    // A store of texts makes another scan cheap, and its totals are those of now. Only an
    // instance without one, such as a command of the program, keeps the counts of the last
    // scan: without them each page of `docent grep the` over 10 000 files cost a scan of all
    // files, 195 times the CPU of `rg` for the list.
    let cache = (!corpus.store.is_on()).then_some(lists);
    Ok(answer(request, &range, listed, cache, reasons))
}

/// Returns the number of entries on earlier pages.
fn position(request: &PatternRequest) -> u32 {
    let cursor = request.cursor.as_ref();
    cursor.map_or(0, |cursor| cursor.position)
}

/// The scan of all files, with the lines of one page.
struct ListedPage {
    list: CachedList,
    /// Number of entries on earlier pages.
    before: u32,
    /// Files whose lines are shown.
    found: Vec<PatternFile>,
    /// Number of matching lines shown.
    shown: u32,
}

impl ListedPage {
    fn digest(&self) -> Option<SourcesDigest> {
        SourcesDigest::new(self.list.scanned.counts.digest)
    }
}

/// Counts the matches of all files, and collects the lines after the first `before`.
fn scan_files<D: Disk>(
    corpus: &mut Corpus<D>,
    request: &PatternRequest,
    before: u32,
    scan: &RangeScan,
    deadline: &Deadline,
) -> Result<ListedPage, Error> {
    let start_ms = corpus.disk.monotonic_ms();
    let page = LinePage::new(request.context, request.room, request.line_bytes);
    let search = CountingSearch::new(&request.matcher, request.output, before, page);
    let (visitor, traversal) = visit_files(corpus, request, search, scan, deadline)?;
    let CountingSearch {
        mut counts,
        values,
        page,
        end,
        ..
    } = visitor.search;
    if request.output == PatternOutput::Files {
        counts.sort_by_lines();
    }
    let mut left_out = traversal.skips.left_out;
    left_out.append(visitor.left_out);
    let start = end.zip(traversal.page_end);
    let end_ms = corpus.disk.monotonic_ms();
    Ok(ListedPage {
        list: CachedList {
            scanned: ScannedFiles {
                counts,
                values: (request.output == PatternOutput::Values).then(|| values.into_sorted()),
                left_out,
                skipped: traversal.skips.finish(),
                blocked: traversal.blocked,
                files: traversal.files,
                steps: traversal.steps,
                next: traversal.next,
                end_reason: traversal.end_reason,
                is_short: traversal.is_short,
            },
            start: start.map(|(line, scan)| LinesPageStart { scan, line }),
            time: ScanTime {
                start_ms,
                duration_ms: end_ms.saturating_sub(start_ms),
            },
        },
        before,
        shown: page.lines(),
        found: page.into_files(),
    })
}

/// Collects the lines of the next page of a list without counting all of them again. Returns
/// `None` if files have changed since, or if no line was reached.
fn continue_list<D: Disk>(
    corpus: &mut Corpus<D>,
    request: &PatternRequest,
    mut list: CachedList,
    deadline: &Deadline,
) -> Result<Option<ListedPage>, Error> {
    let before = position(request);
    if !is_of_lines(request.output) {
        return Ok(Some(ListedPage {
            list,
            before,
            found: Vec::new(),
            shown: 0,
        }));
    }
    let Some(LinesPageStart { scan, line }) = list.start.take() else {
        return Ok(None);
    };
    let scan = RangeScan {
        range: ScanRange {
            from: Some(scan),
            ..ScanRange::default()
        },
        pass: ScanPass::First,
    };
    let page = LinePage::new(request.context, request.room, request.line_bytes);
    let counts = &list.scanned.counts;
    let search = ContinuedSearch::new(&request.matcher, request.output, counts, line, page);
    let (visitor, traversal) = visit_files(corpus, request, search, &scan, deadline)?;
    let search = visitor.search;
    let start = match (search.is_at_end(), search.page.is_full()) {
        (true, _) => None,
        (false, true) => traversal.page_end,
        (false, false) => traversal.next,
    };
    // The traversal ended, but files with counted lines were not met: they were deleted or
    // renamed. A list that silently ends early would contradict its own totals, so all files
    // are scanned again.
    let is_lost = start.is_none() && !search.is_at_end();
    let shown = search.page.lines();
    if search.is_changed || is_lost || shown == 0 {
        return Ok(None);
    }
    let line = search.position;
    let found = search.page.into_files();
    list.start = start.map(|scan| LinesPageStart { scan, line });
    Ok(Some(ListedPage {
        list,
        before,
        found,
        shown,
    }))
}

/// Passes the files of a range to a search.
fn visit_files<'a, D: Disk, S: FileSearch>(
    corpus: &mut Corpus<D>,
    request: &'a PatternRequest,
    search: S,
    scan: &RangeScan,
    deadline: &Deadline,
) -> Result<(PatternVisitor<'a, S>, Traversal), Error> {
    let memo = corpus
        .store
        .memo(&request.key, docent_text::matching::finder::Case::Sensitive);
    let mut visitor = PatternVisitor {
        search,
        matcher: &request.matcher,
        memo,
        kinds: request.kinds,
        glob: request.glob.borrow_mut(),
        left_out: LeftOut::default(),
    };
    let arguments = TraversalOptions {
        rules: ScopeRules {
            disk: &corpus.disk,
            exclude: &corpus.exclude,
            root: request.root,
            globs: request.globs,
            included: request.included,
            // A search in a file of secrets would reveal it letter by letter: `^KEY=a`,
            // `^KEY=b` and so on, by whether there is a match. Sensitive files are therefore
            // excluded from patterns, whatever consent there is; they can only be read.
            sensitive: SensitiveFiles::from_consents(Consent::Withheld, Consent::Withheld),
        },
        paths: &request.paths,
        // Files whose kind is excluded are visited too, so that the answer can say how many
        // were not searched.
        is_document: &|_| true,
        depth: usize::MAX,
        tells_too_deep: false,
        scan,
        deadline,
    };
    let traversal = traverse(&arguments, &mut corpus.store, &mut visitor)?;
    Ok((visitor, traversal))
}

/// Returns the range of files to search.
fn scan(cursor: Option<&DecodedCursor<u32>>) -> RangeScan {
    let Some(cursor) = cursor else {
        return RangeScan::default();
    };
    RangeScan {
        range: cursor.range.clone(),
        pass: match cursor.sources {
            Some(_) => ScanPass::Repeat,
            None => ScanPass::First,
        },
    }
}

/// The lists of an answer.
#[derive(Default)]
struct Lists {
    /// Files whose lines are shown, or whose counts are.
    found: Vec<PatternFile>,
    /// Files whose lines are not shown.
    rest: RestFiles,
    values: Vec<PatternValue>,
    /// Number of entries, from the first of all, on this page and earlier ones, or `None` if these
    /// are all.
    next: Option<u32>,
}

/// Returns the lists of a page, and the scan from which they were made.
fn lists_of(request: &PatternRequest, listed: ListedPage) -> (Lists, CachedList) {
    let ListedPage {
        list,
        before,
        found,
        shown,
    } = listed;
    let counts = &list.scanned.counts;
    let next =
        |told: usize, is_all: bool| (!is_all).then(|| before.saturating_add(saturating_u32(told)));
    let lists = match (request.output, &list.scanned.values) {
        (PatternOutput::Values, Some(values)) => {
            let (values, is_all) = values.within(before, request.room, request.line_bytes);
            Lists {
                next: next(values.len(), is_all),
                values,
                ..Lists::default()
            }
        }
        (PatternOutput::Files, _) => {
            let (found, is_all) = counts.files_within(before, request.room);
            Lists {
                next: next(found.len(), is_all),
                found,
                ..Lists::default()
            }
        }
        (PatternOutput::Lines | PatternOutput::Matches, _) => {
            let told = before.min(counts.lines).saturating_add(shown);
            Lists {
                found,
                rest: counts.rest(told),
                next: (told < counts.lines).then_some(told),
                ..Lists::default()
            }
        }
        (PatternOutput::Count | PatternOutput::Values, _) => Lists::default(),
    };
    (lists, list)
}

fn answer(
    request: &PatternRequest,
    range: &ScanRange,
    listed: ListedPage,
    cache: Option<&mut PagedListCache>,
    mut reasons: Vec<Degradation>,
) -> GrepAnswer {
    let (lists, list) = lists_of(request, listed);
    let scanned = &list.scanned;
    let (lines, files) = (scanned.counts.lines, scanned.counts.files.len());
    let values = scanned.values.as_ref();
    let is_whole = scanned.next.is_none() && !scanned.is_short;
    let cursor = next_cursor(range, scanned, lists.next);
    if lists.next.is_some() {
        reasons.push(Degradation::BudgetExceeded);
    }
    reasons.extend(scanned.end_reason);
    if scanned.skipped.count > 0 {
        reasons.push(Degradation::SkippedUnreadable);
    }
    let left_out = describe_unsearched(&scanned.left_out, LEFT_OUT_KINDS);
    let hint = (lines == 0 && scanned.blocked.is_empty()).then(|| {
        let what = if is_whole {
            "No line matches."
        } else {
            "No line matches so far; not all files were examined."
        };
        what.to_owned()
    });
    let answer = GrepAnswer {
        root: request.shown_root.clone(),
        matches: PatternMatches {
            output: request.output,
            lines,
            files: saturating_u32(files),
            complete: is_whole && values.is_none_or(|values| values.is_complete),
            found: lists.found,
            rest: lists.rest.named,
            unnamed_files: lists.rest.unnamed_files,
            unnamed_lines: lists.rest.unnamed_lines,
            values: lists.values,
            different_values: values.map_or(0, SortedValues::len),
            left_out: (!left_out.is_empty()).then(|| left_out.trim_start().to_owned()),
        },
        blocked: scanned.blocked.clone(),
        next_cursor: cursor
            .as_ref()
            .map(|cursor| encode(request.fingerprint, cursor)),
        reasons,
        files: scanned.files,
        skipped: scanned.skipped.clone(),
        hint,
    };
    if let Some(cache) = cache
        && let Some(cursor) = cursor.filter(|_| lists.next.is_some())
    {
        cache.set(request.fingerprint, cursor, list);
    }
    answer
}

/// Converts an answer of `grep` to one of `explore`.
fn explore_answer(answer: GrepAnswer, elapsed_ms: u64) -> ExploreAnswer {
    let status = match (answer.matches.lines, answer.blocked.is_empty()) {
        (1.., _) => ExploreStatus::Ok,
        (0, true) => ExploreStatus::NoResults,
        (0, false) => ExploreStatus::Blocked,
    };
    ExploreAnswer {
        root: answer.root,
        status,
        success: status != ExploreStatus::Blocked,
        data: ExploreData {
            docs: Vec::new(),
            code: Vec::new(),
            data: Vec::new(),
        },
        matches: Some(answer.matches),
        blocked: answer.blocked,
        pack: None,
        next: ExploreNext {
            items_cursor: answer.next_cursor,
            content_cursor: None,
            less_relevant: false,
        },
        degraded: !answer.reasons.is_empty(),
        reasons: answer.reasons,
        stats: ExploreStats {
            files: answer.files,
            docs: 0,
            code: 0,
            chars: 0,
            elapsed_ms,
            skipped: answer.skipped,
        },
        hint: answer.hint,
    }
}

/// Returns the cursor of the next page: after `next` entries of the same files, or at the files not
/// visited yet.
fn next_cursor(
    range: &ScanRange,
    scanned: &ScannedFiles,
    next: Option<u32>,
) -> Option<DecodedCursor<u32>> {
    if let Some(position) = next {
        let end = scanned.next.as_ref().map(|_| scanned.steps);
        return Some(DecodedCursor {
            position,
            range: ScanRange {
                steps: range.steps.or(end),
                ..range.clone()
            },
            sources: SourcesDigest::new(scanned.counts.digest),
            moment: None,
        });
    }
    scanned.next.clone().map(|from| DecodedCursor {
        position: 0,
        range: ScanRange {
            from: Some(from),
            ..ScanRange::default()
        },
        sources: None,
        moment: None,
    })
}

impl<S: FileSearch> FileVisitor for PatternVisitor<'_, S> {
    const READS: bool = true;

    fn visit_named_file<T: Directory>(
        &mut self,
        store: &mut Store,
        named: &NamedFile<'_, T>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Result<u32, Unvisited> {
        let file = named.file;
        let path = file.path.as_str();
        let Some(text) = read_named_text(store, file)? else {
            return Ok(0);
        };
        let span = match named.part {
            None => 0..text.len(),
            Some(part) => resolve(path, &file.name, &text, part, time_budget)?.span,
        };
        self.search
            .search(path, &text, span, time_budget)
            .ok_or(SkipReason::TooSlow)?;
        Ok(saturating_u32(text.len() / WORD_BYTES))
    }

    fn visit_named_directory(&mut self, _: &RelPath) {}

    fn visit_walked_file<T: Directory>(
        &mut self,
        walk: &mut Walk<'_, T>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Result<u32, SkipReason> {
        if let Some(glob) = self.glob.as_mut()
            && !glob.matches(walk.path())
        {
            return Ok(0);
        }
        let kind = FileKind::from_name(walk.name());
        if !self.kinds.has(kind) {
            self.left_out.other_kinds = self.left_out.other_kinds.saturating_add(1);
            return Ok(0);
        }
        let (search, kinds) = (&mut self.search, self.kinds.known);
        // The size is counted even for a text in which nothing is matched. The clock is
        // consulted after so many words; when texts excluded by their literal counted as none,
        // a directory of large files could use more than the time of the call.
        let words = Cell::new(0);
        let count = |bytes: usize| words.set(saturating_u32(bytes / WORD_BYTES));
        let path = walk.path().to_owned();
        let matcher = self.matcher;
        let is_absent = |bytes: &[u8]| {
            count(bytes.len());
            matcher.is_absent_from_ascii(bytes)
        };
        let scanned = search_current_text(walk, self.memo, is_absent, |text| {
            let text = kinds.searchable(kind, text);
            count(text.len());
            let held = search.search(&path, &text, 0..text.len(), time_budget);
            held.ok_or(SkipReason::TooSlow)
        });
        match scanned {
            Ok(()) => Ok(words.get()),
            Err(SkipReason::Binary) => {
                self.left_out.add(SkipReason::Binary);
                Ok(0)
            }
            Err(reason) => Err(reason),
        }
    }

    fn demand(&self) -> Demand {
        self.search.demand()
    }
}
