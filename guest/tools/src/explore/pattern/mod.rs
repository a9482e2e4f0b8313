//! `explore` with a pattern: every line of any text file that a regular expression matches.
//!
//! A call goes request → traversal of the files (each matching line is counted, and kept if it fits
//! into the answer) → answer. Every page has the totals of all files, so that the number of omitted
//! lines is known; a cursor holds the number of entries before the next page, and is valid as long
//! as the counts before them are the same.

mod matcher;
mod matches;
mod request;

use docent_api::pillars::{
    Degradation, ExploreAnswer, ExploreData, ExploreNext, ExploreOptions, ExploreStats,
    ExploreStatus, PatternMatches,
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

pub use self::request::refuse_without_pattern;

use self::matches::{Lists, MatchedFiles};
use self::request::{FileFilter, PatternRequest, SearchedKinds};
use crate::explore::cursor::{DecodedCursor, ScanRange, encode};
use crate::explore::deadline::Deadline;
use crate::explore::kinds::FileKind;
use crate::explore::plan::LEFT_OUT_KINDS;
use crate::explore::scope::{ScopeRules, SensitiveFiles};
use crate::explore::sources::SourcesDigest;
use crate::explore::traversal::{
    FileVisitor, NamedFile, RangeScan, ScanPass, Traversal, TraversalOptions, Unvisited, traverse,
};
use crate::limits::WORD_BYTES;
use crate::part::resolve;
use crate::settings::Settings;
use crate::unsearched::describe_unsearched;

/// Visitor that searches the files of a request for a pattern.
struct PatternVisitor<'a> {
    found: MatchedFiles<'a>,
    memo: MemoId,
    kinds: SearchedKinds,
    glob: Option<FileFilter>,
    left_out: LeftOut,
}

/// Returns every line that a pattern matches; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; never for a file that cannot be read.
pub fn every_place<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &Settings,
    pattern: &str,
    options: &ExploreOptions,
) -> Result<ExploreAnswer, Error> {
    let started_ms = corpus.disk.monotonic_ms();
    let mut request = PatternRequest::parse(corpus, pattern, options)?;
    let working_ms = settings.working_ms(request.limits.timeout_ms);
    // Lines are rendered during the scan, so visiting files has all of the time.
    let deadline = Deadline::for_scan(&corpus.disk, working_ms);
    corpus.store.begin_call_within(working_ms);
    let before = request.cursor.as_ref().map_or(0, |cursor| cursor.position);
    let scan = scan(request.cursor.as_ref());
    let glob = request.glob.take();
    let mut scanned = scan_files(corpus, &request, before, glob, &scan, &deadline)?;
    let mut reasons = Vec::new();
    let digest = SourcesDigest::new(scanned.found.digest());
    let expected = request.cursor.as_ref().and_then(|cursor| cursor.sources);
    if expected.is_some() && expected != digest && before > 0 {
        // Positions in the old list mean nothing in the new one.
        reasons.push(Degradation::SourcesChanged);
        let glob = options.glob.as_deref().map(FileFilter::parse).transpose()?;
        scanned = scan_files(corpus, &request, 0, glob, &RangeScan::default(), &deadline)?;
    }
    let elapsed_ms = corpus.disk.monotonic_ms().saturating_sub(started_ms);
    Ok(answer(&request, &scan.range, scanned, reasons, elapsed_ms))
}

/// Result of visiting files.
struct PatternScan<'a> {
    found: MatchedFiles<'a>,
    traversal: Traversal,
    left_out: LeftOut,
}

fn scan_files<'a, D: Disk>(
    corpus: &mut Corpus<D>,
    request: &'a PatternRequest,
    before: u32,
    glob: Option<FileFilter>,
    scan: &RangeScan,
    deadline: &Deadline,
) -> Result<PatternScan<'a>, Error> {
    let kinds = request.kinds;
    let memo = corpus
        .store
        .memo(&request.key, docent_text::matching::finder::Case::Sensitive);
    let mut visitor = PatternVisitor {
        found: MatchedFiles::new(
            &request.matcher,
            request.output,
            request.context,
            before,
            (request.room, request.line_bytes),
        ),
        memo,
        kinds,
        glob,
        left_out: LeftOut::default(),
    };
    let arguments = TraversalOptions {
        rules: ScopeRules {
            disk: &corpus.disk,
            exclude: &corpus.exclude,
            root: request.root,
            globs: request.globs,
            included: request.included,
            // A pattern could reveal a key letter by letter.
            sensitive: SensitiveFiles::from_consents(Consent::Withheld, Consent::Withheld),
        },
        paths: &request.paths,
        // Excluded files are visited too, in order to count them.
        is_document: &|_| true,
        depth: usize::MAX,
        tells_too_deep: false,
        scan,
        deadline,
    };
    let traversal = traverse(&arguments, &mut corpus.store, &mut visitor)?;
    let mut left_out = traversal.skips.left_out;
    left_out.append(visitor.left_out);
    Ok(PatternScan {
        found: visitor.found,
        left_out,
        traversal,
    })
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

fn answer(
    request: &PatternRequest,
    range: &ScanRange,
    scanned: PatternScan<'_>,
    mut reasons: Vec<Degradation>,
    elapsed_ms: u64,
) -> ExploreAnswer {
    let PatternScan {
        found,
        mut traversal,
        left_out,
    } = scanned;
    let (lines, files) = found.totals();
    let digest = SourcesDigest::new(found.digest());
    let different_values = found.different_values();
    let is_counted = !found.has_more_values();
    let Lists {
        found,
        rest,
        unnamed_files,
        unnamed_lines,
        values,
        next,
    } = found.lists();
    let is_whole = traversal.next.is_none() && !traversal.is_short;
    let cursor = next_cursor(range, &traversal, next, digest);
    if next.is_some() {
        reasons.push(Degradation::BudgetExceeded);
    }
    reasons.extend(traversal.end_reason);
    let skipped = std::mem::take(&mut traversal.skips).finish();
    if skipped.count > 0 {
        reasons.push(Degradation::SkippedUnreadable);
    }
    let blocked = std::mem::take(&mut traversal.blocked);
    let status = match (lines, blocked.is_empty()) {
        (1.., _) => ExploreStatus::Ok,
        (0, true) => ExploreStatus::NoResults,
        (0, false) => ExploreStatus::Blocked,
    };
    let left_out = describe_unsearched(&left_out, LEFT_OUT_KINDS);
    let hint = (status == ExploreStatus::NoResults).then(|| {
        let what = if is_whole {
            "No line matches."
        } else {
            "No line matches so far, and not all files were looked at."
        };
        what.to_owned()
    });
    ExploreAnswer {
        root: request.shown_root.clone(),
        status,
        success: status != ExploreStatus::Blocked,
        data: ExploreData {
            docs: Vec::new(),
            code: Vec::new(),
            data: Vec::new(),
        },
        matches: Some(PatternMatches {
            output: request.output,
            lines,
            files,
            complete: is_whole && is_counted,
            found,
            rest,
            unnamed_files,
            unnamed_lines,
            values,
            different_values,
            left_out: (!left_out.is_empty()).then(|| left_out.trim_start().to_owned()),
        }),
        blocked,
        pack: None,
        next: ExploreNext {
            items_cursor: cursor.map(|cursor| encode(request.fingerprint, &cursor)),
            content_cursor: None,
            less_relevant: false,
        },
        degraded: !reasons.is_empty(),
        reasons,
        stats: ExploreStats {
            files: traversal.files,
            docs: 0,
            code: 0,
            chars: 0,
            elapsed_ms,
            skipped,
        },
        hint,
    }
}

/// Returns the cursor of the next page: after `next` entries of the same files, or at the files not
/// visited yet.
fn next_cursor(
    range: &ScanRange,
    traversal: &Traversal,
    next: Option<u32>,
    digest: Option<SourcesDigest>,
) -> Option<DecodedCursor<u32>> {
    if let Some(position) = next {
        let end = traversal.next.as_ref().map(|_| traversal.steps);
        return Some(DecodedCursor {
            position,
            range: ScanRange {
                steps: range.steps.or(end),
                ..range.clone()
            },
            sources: digest,
            moment: None,
        });
    }
    traversal.next.clone().map(|from| DecodedCursor {
        position: 0,
        range: ScanRange {
            from: Some(from),
            ..ScanRange::default()
        },
        sources: None,
        moment: None,
    })
}

impl FileVisitor for PatternVisitor<'_> {
    const READS: bool = true;

    fn named_file<T: Directory>(
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
        self.found
            .search(path, &text, span, time_budget)
            .ok_or(SkipReason::TooSlow)?;
        Ok(saturating_u32(text.len() / WORD_BYTES))
    }

    fn named_directory(&mut self, _: &RelPath) {}

    fn walked_file<T: Directory>(
        &mut self,
        walk: &mut Walk<'_, T>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Result<u32, SkipReason> {
        if let Some(glob) = &mut self.glob
            && !glob.matches(walk.path())
        {
            return Ok(0);
        }
        let kind = FileKind::from_name(walk.name());
        if !self.kinds.has(kind) {
            self.left_out.other_kinds = self.left_out.other_kinds.saturating_add(1);
            return Ok(0);
        }
        let (found, kinds) = (&mut self.found, self.kinds.known);
        let mut words = 0;
        let path = walk.path().to_owned();
        let scanned = search_current_text(walk, self.memo, |text| {
            let text = kinds.searchable(kind, text);
            words = saturating_u32(text.len() / WORD_BYTES);
            let held = found.search(&path, &text, 0..text.len(), time_budget);
            held.ok_or(SkipReason::TooSlow)
        });
        match scanned {
            Ok(()) => Ok(words),
            Err(SkipReason::Binary) => {
                self.left_out.add(SkipReason::Binary);
                Ok(0)
            }
            Err(reason) => Err(reason),
        }
    }
}
