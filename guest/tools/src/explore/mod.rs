//! `explore`: finding and reading in one call. A subject becomes two lists of candidates, a
//! candidate an item with a text, and a page of items is cut to a budget of characters.
//!
//! A call goes request → resume (the content of its cursors) → plan (a traversal of the files,
//! which chooses candidates) → check of the cursors against the plan → page → answer.
//!
//! Imports run one way, from each of these to those before it:
//!
//! * `request` parses the subject, the limits, the cursors and the pack, and resolves the paths.
//! * `selection` collects candidates of all groups: `search`, with `definitions` (the file that
//!   defines a name) and `semantic` (the hybrid order of documents if there is an embedder), or
//!   `expand`; `plan` is all of them.
//! * `rendering` makes the answer: `render` turns a candidate into an item with its whole text,
//!   where `best` chooses the part of a file, which `document`, `code`, `data` or `part` renders;
//!   `page` puts items in their order within the `room` for texts, and removes duplicate texts.
//! * `resume` validates the cursors of a call and makes those of its answer.
//! * `pattern` answers a request for the lines that a pattern matches, by the `request` and the
//!   traversal of the `selection`.

mod pattern;
mod rendering;
mod request;
mod resume;
mod selection;

pub use pattern::NO_GREP_OPTIONS;

use docent_api::patterns::{GrepAnswer, GrepOptions};
use docent_api::pillars::{Degradation, ExploreAnswer, ExploreOptions};
use docent_api::types::Error;

use crate::explore::rendering::answer::{AnswerFrame, NO_WORDS, QueryKind, answer, shown_pack};
use crate::explore::rendering::context::{RenderContext, SearchContext};
use crate::explore::rendering::literal::Literal;
use crate::explore::rendering::render::CorpusItems;
use crate::explore::request::ExploreRequest;
use crate::explore::request::deadline::Deadline;
use crate::explore::request::kinds::FileKind;
use crate::explore::request::pack::hour_of;
use crate::explore::request::query_syntax::unused_syntax;
use crate::explore::request::shape::Shape;
use crate::explore::resume::{Freshness, Resume};
use crate::explore::selection::candidate::NameFound;
use crate::explore::selection::pack_cache::PackCache;
use crate::explore::selection::plan::AnswerPlan;
use crate::lexical::near_words::{near_sentence, near_words};
use crate::lexical::word_hits::QueryWords;
use crate::limits::{NEAR_MS, NEAR_PATHS};
use crate::settings::ToolSettings;
use docent_corpus::corpus::Corpus;
use docent_rank::passages::Question;
use docent_text::matching::phrase::Phrase;
use docent_text::words::identifier;
use docent_tree::disk::Disk;
use docent_tree::path::RelPath;

/// Options of an empty request.
pub const NO_OPTIONS: ExploreOptions = ExploreOptions {
    query: None,
    pattern: None,
    literal: None,
    ignore_case: None,
    multiline: None,
    output: None,
    context: None,
    glob: None,
    include_hidden: None,
    include_ignored: None,
    line_numbers: None,
    paths: None,
    intent: None,
    view: None,
    section: None,
    pack_id: None,
    cursor: None,
    include: None,
    full_paths: None,
    allow_sensitive: None,
    allow_binary: None,
    allow_globs: None,
    limits: None,
    root: None,
};

/// Caches of a warm instance.
#[derive(Debug, Default)]
pub struct ExploreCaches {
    packs: PackCache,
    lists: pattern::PagedListCache,
}

/// Finds every line that a pattern matches; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; never for a file that cannot be read.
pub fn grep<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    caches: &mut ExploreCaches,
    pattern: &str,
    options: &GrepOptions,
) -> Result<GrepAnswer, Error> {
    pattern::grep(corpus, settings, &mut caches.lists, pattern, options)
}

/// Finds and reads; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; never for a file that cannot be read.
pub fn explore<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    ExploreCaches { packs, lists }: &mut ExploreCaches,
    options: ExploreOptions,
) -> Result<ExploreAnswer, Error> {
    if let Some(pattern) = &options.pattern {
        return pattern::explore_pattern(corpus, settings, lists, pattern, &options);
    }
    pattern::refuse_without_pattern(&options)?;
    let started_ms = corpus.disk.monotonic_ms();
    let hour = hour_of(corpus.disk.unix_ms());
    let request = ExploreRequest::parse(corpus, options, hour)?;
    let working_ms = settings.working_ms(request.limits.timeout_ms);
    let deadline = Deadline::new(&corpus.disk, working_ms);
    let mut resume = Resume::decode(&request)?;

    corpus.store.begin_call_within(working_ms);
    let query = request.subject.query.as_deref();
    let question = query.map(|query| Question::new(query, None));
    let scan = &resume.scan;
    let mut plan = match &question {
        Some(question) => {
            let scan = (scan, resume.order);
            AnswerPlan::for_query(corpus, settings, packs, &request, question, scan, &deadline)?
        }
        None => AnswerPlan::for_paths(corpus, settings, &request, scan, &deadline)?,
    };
    if let Shape::Full(paths) = &request.shape {
        plan.refuse_unknown(paths, &scan.range)?;
    }

    if resume.validate_against(&plan, request.pack.as_ref()) == Freshness::Changed {
        plan.reasons.push(Degradation::SourcesChanged);
        resume.restart();
    }

    // The rest of cut items uses the room of their first page, not that of this call. A content
    // cursor holds the room in which its page was laid out, since that determines how much of
    // each item was shown. With another room, the same items would be cut at other places, and
    // lines between both places would be shown twice or never.
    let room = resume.room().unwrap_or(request.room);
    // The words of the query and their literal text are computed once here, and not for each
    // item.
    let words = question
        .as_ref()
        .map(|question| QueryWords::new(query.unwrap_or_default(), &question.query));
    let literal = query.and_then(Literal::parse);
    let search = question.as_ref().zip(words.as_ref());
    let search = search.map(|(question, words)| SearchContext {
        query: query.unwrap_or_default(),
        question,
        words,
        literal: literal.as_ref(),
        collection: &plan.collection,
    });
    let context = RenderContext::new(&request, search, room, &deadline, &plan.documents);
    let mut items = CorpusItems {
        corpus,
        context: &context,
    };
    let mut page = resume.page(&plan, &context, &mut items)?;
    if request.is_repeat && !plan.reasons.contains(&Degradation::SourcesChanged) {
        page.name_all();
    }

    let next = resume.next(&plan, &page);
    // The deadline is checked after the page: reading and rendering the items may have used up
    // the rest of the time, and the answer has to say so.
    if deadline.was_over() {
        plan.reasons.push(Degradation::Timeout);
    }
    let pack = plan.pack(&request, &resume.scan.range, hour);
    let frame = AnswerFrame {
        pack: shown_pack(&pack, plan.candidate_source),
        root: request.shown_root.clone(),
        next,
        elapsed_ms: corpus.disk.monotonic_ms().saturating_sub(started_ms),
        is_first: resume.is_first(),
        query_kind: match question {
            Some(_) => QueryKind::Words,
            None => QueryKind::Files,
        },
        name_hint: query_hint(&plan, query, words.as_ref(), &resume),
    };
    let unsearched = std::mem::take(&mut plan.unsearched);
    let unknown = plan.unknown.take();
    let mut answer = answer(plan, page, frame);
    if answer.hint.as_deref() == Some(NO_WORDS) {
        let near = near_hint(corpus, &request, started_ms.saturating_add(working_ms));
        let hint = near.unwrap_or_else(|| NO_WORDS.to_owned());
        answer.hint = Some(format!("{hint}{unsearched}"));
    }
    if let Some(unknown) = unknown {
        let before = answer.hint.map_or(String::new(), |hint| hint + " ");
        answer.hint = Some(format!("{before}Of documents, {unknown}."));
    }
    Ok(answer)
}

/// Returns hints about the query that precede its results: names and words without a match, and
/// query syntax that had no effect.
fn query_hint(
    plan: &AnswerPlan,
    query: Option<&str>,
    words: Option<&QueryWords<'_>>,
    resume: &Resume,
) -> Option<String> {
    let missing = || missing_words(plan, words?, resume);
    let unheld = name_hint(plan, query, resume).or_else(missing);
    let unused = query.filter(|_| resume.is_first()).and_then(unused_syntax);
    let hints: Vec<String> = unheld.into_iter().chain(unused).collect();
    (!hints.is_empty()).then(|| hints.join(" "))
}

/// Returns a hint if the files contain a name of the query only in another spelling, or not at all;
/// only on the first page, and only if all files were searched.
fn name_hint(plan: &AnswerPlan, query: Option<&str>, resume: &Resume) -> Option<String> {
    let query = query.filter(|_| has_seen_all(plan, resume))?;
    let unsearched = &plan.unsearched;
    if plan.candidates.name == NameFound::NoPhrase {
        let phrases = Phrase::parse_all(query);
        let phrases: Vec<String> = phrases
            .iter()
            .map(|phrase| format!("\"{}\"", phrase.text()))
            .collect();
        return Some(format!(
            "Nothing holds {} as a whole; the results hold its words.{unsearched}",
            phrases.join(" with ")
        ));
    }
    let name = identifier::find(query).or_else(|| identifier::name(query))?;
    match plan.candidates.name {
        NameFound::AsWritten | NameFound::NoPhrase => None,
        NameFound::OtherCase => Some(format!(
            "Nothing holds `{name}` in this case; the results hold it in another.{unsearched}"
        )),
        NameFound::DefinedInOtherCase => Some(format!(
            "Nothing defines `{name}` in this case; the first result does in another."
        )),
        NameFound::Nowhere => Some(format!(
            "Nothing holds `{name}`; the results hold words of it.{unsearched}"
        )),
    }
}

/// Returns a hint about words of the query that no file contains.
fn missing_words(plan: &AnswerPlan, words: &QueryWords<'_>, resume: &Resume) -> Option<String> {
    if !has_seen_all(plan, resume) || plan.candidates.len() == 0 {
        return None;
    }
    let missing = words.missing(&plan.term_frequencies);
    let missing: Vec<String> = missing.iter().map(|word| format!("`{word}`")).collect();
    let unsearched = &plan.unsearched;
    let are_any = !missing.is_empty();
    are_any.then(|| format!("Nothing holds {}.{unsearched}", missing.join(" or ")))
}

/// Returns true if an answer is the first one and made from all of the files.
fn has_seen_all(plan: &AnswerPlan, resume: &Resume) -> bool {
    plan.traversal.next.is_none() && !plan.traversal.is_short && resume.is_first()
}

/// Returns a hint that replaces [`NO_WORDS`] if the files contain words similar to those of the
/// query; reads files until `end_ms` on the disk's clock at most.
fn near_hint<D: Disk>(
    corpus: &mut Corpus<D>,
    request: &ExploreRequest,
    end_ms: u64,
) -> Option<String> {
    let subject = &request.subject;
    let whole = subject.paths.iter().filter_map(|path| path.whole());
    let mut paths: Vec<RelPath> = whole.cloned().collect();
    if paths.is_empty() {
        paths.push(RelPath::default());
    }
    let end_ms = end_ms.min(corpus.disk.monotonic_ms() + NEAR_MS);
    // Only files whose names tell their kind are read for a hint. Whether an unknown file is
    // text shows only in its bytes, and reading a directory of archives for that would use the
    // time in which the similar words could be found.
    let is_searched = |name: &str| subject.kinds.has(FileKind::from_name(name));
    let query = subject.query.as_deref()?;
    // Only the first path with similar words: a hint is short.
    let words = paths
        .iter()
        .map(|path| near_words(corpus, request.root, path, &is_searched, query, end_ms));
    let words = words.take(NEAR_PATHS).find(|words| !words.is_empty())?;
    Some(format!(
        "Nothing holds any of these words.{}",
        near_sentence(&words)
    ))
}
