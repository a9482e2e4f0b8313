//! `smart-search`: the documents, and their sections, that answer a query.
//!
//! A call goes request → `documents` (ranked lexically; `ranking_mode` selects semantic ranking as
//! well, and handles a failing embedder) → pages of their sections. The shown text and everything
//! around it fit the budget; the other documents are named.

mod documents;
mod ranking_mode;

use std::ops::Range;

use docent_api::sections::{RelevantDocument, SmartMode, SmartSearchAnswer, SmartSearchOptions};
use docent_api::types::Error;
use serde_json::Value;

use self::documents::DocumentMatches;
use self::ranking_mode::RankingMode;
use crate::contract;
use crate::lexical::near_words::{near_sentence, near_words};
use crate::lexical::word_hits::QueryWords;
use crate::limits::{
    NAMES_SHARE, NEAR_MS, SKIPPED_FRAME_TOKENS, SMART_LIMIT, SMART_LIMIT_DEFAULT, SMART_MS,
    UNKNOWN_TOKENS,
};
use crate::paging::cursor::Fingerprint;
use crate::paging::passage_pages::{
    NO_ROOM, PageRoom, PageStart, RankingOrder, SemanticStart, changed_error, next_call_tokens,
    page,
};
use crate::question::{question_text, refuse_wordless, token_budget};
use crate::semantic::ranker::SearchScope;
use crate::semantic::read_text::ReadText;
use crate::settings::ToolSettings;
use crate::unsearched::{CODE_AND_DATA, describe_unsearched};
use docent_corpus::corpus::Corpus;
use docent_corpus::extensions::Extensions;
use docent_document::headings;
use docent_rank::bm25::{Collection, rounded_score};
use docent_rank::embedder::Failure;
use docent_rank::pages::{Page, PageScope, PagedDocument, Pages};
use docent_rank::passages::{Question, ScoredDocument};
use docent_text::saturating::saturating_u32;
use docent_text::tokens::estimate::{charge, count_parts, estimate};
use docent_tree::disk::Disk;
use docent_tree::error::check_range;
use docent_tree::locate::ChosenRoot;
use docent_tree::path::RelPath;

/// A request in valid form.
struct SmartRequest<'q> {
    query: &'q str,
    question: Question,
    path: RelPath,
    mode: SmartMode,
    /// Documents.
    limit: usize,
    max_tokens: u32,
}

/// A document to answer from.
struct AnswerDocument {
    read: ReadText,
    /// Byte range of the best semantic match.
    semantic: Option<Range<usize>>,
    /// Content hash in the form of an answer.
    hash: String,
    score: f64,
    /// Words of the query that it contains, unless it contains all.
    held: Vec<String>,
}

/// The documents from which a page is made.
struct DocumentBatch {
    documents: Vec<AnswerDocument>,
    reach: PageScope,
    /// Number of documents that answer, including these.
    total: usize,
    /// Start of the next page, or `None` if there is none.
    behind: Option<PageStart>,
    /// Basis of the semantic order, or `None` if the order is lexical.
    semantic: Option<SemanticStart>,
    /// Reason for which the order is incomplete.
    missing: Option<String>,
    /// Description of the documents not embedded yet, empty if there are none, or `None` if
    /// unknown.
    unknown: Option<String>,
}

/// Finds the documents that answer a query; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served; never for a document that cannot be read.
pub fn smart_search<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    query: String,
    options: SmartSearchOptions,
) -> Result<SmartSearchAnswer, Error> {
    let request = SmartRequest::parse(&query, &options)?;
    let call_end = corpus.disk.monotonic_ms() + settings.working_ms(SMART_MS);
    let mut ranking_mode = RankingMode::for_call(corpus, request.mode, call_end)?;
    let root = corpus.choose_root(options.root.as_deref())?;
    let fingerprint = request.fingerprint(&options, &root);
    let start = PageStart::decode(fingerprint, options.cursor.as_deref())?;
    ranking_mode.adopt(start, options.cursor.is_some())?;
    corpus.store.begin_call();
    let mut matches = if ranking_mode.needs_others() {
        DocumentMatches::with_others(&request.question.query)
    } else {
        DocumentMatches::new(&request.question.query)
    };
    let skips = corpus.visit(root.index, &request.path, &mut matches)?;
    let batch = DocumentBatch::read(
        corpus,
        &root,
        &request,
        &mut ranking_mode,
        &mut matches,
        start,
    )?;
    let start = PageStart {
        semantic: batch.semantic,
        ..start
    };
    let left_out = skips.left_out;
    let skipped = skips.finish();
    let reason = batch.missing.clone().or_else(|| ranking_mode.reason());
    let unknown = batch.unknown.clone().filter(|unknown| !unknown.is_empty());
    let model_info = batch.semantic.and_then(|_| ranking_mode.model());
    let note = note(model_info.as_deref(), reason.as_deref());
    let frame = SmartFrame::new(
        &query,
        &request,
        &options,
        &root,
        &batch,
        (&note, skipped.count),
    );
    let answer = frame.answer(&request, &batch, &matches.collection, start)?;
    let hint = if batch.documents.is_empty() {
        let nothing = nothing_found(corpus, &root, &request);
        Some(nothing + &describe_unsearched(&left_out, CODE_AND_DATA))
    } else {
        answer.hint()
    };
    Ok(SmartSearchAnswer {
        query: request.query.to_owned(),
        root: root.shown,
        mode: match batch.semantic {
            Some(_) => SmartMode::Semantic,
            None => SmartMode::Keyword,
        },
        model_info,
        degraded: reason.is_some() || unknown.is_some(),
        reasons: reason.into_iter().chain(unknown).collect(),
        documents_found: saturating_u32(batch.total),
        tokens_used: answer.used + hint.as_deref().map_or(0, estimate),
        next_cursor: answer.next.map(|next| next.encode(fingerprint)),
        hint,
        documents: answer.documents,
        max_tokens: request.max_tokens,
        skipped,
    })
}

/// Returns the note about the ranking of an answer in Markdown, unless it is lexical because no
/// embedder is configured: callers of a semantic search need to know the mode, and others should
/// not pay for it.
fn note(model: Option<&str>, reason: Option<&str>) -> String {
    let none = Failure::NoneConfigured.to_string();
    let model = model.map_or(String::new(), |model| format!("Meaning by {model}. "));
    let reason = reason.filter(|reason| *reason != none);
    let reason = reason.map_or(String::new(), |reason| {
        format!("Less than asked: {reason}.")
    });
    let note = format!("{model}{reason}");
    if note.is_empty() {
        note
    } else {
        format!("\n{note}\n")
    }
}

impl<'q> SmartRequest<'q> {
    fn parse(query: &'q str, options: &SmartSearchOptions) -> Result<Self, Error> {
        let path = RelPath::parse_or_root(options.path.as_deref())?;
        let max_tokens = token_budget(options.max_tokens)?;
        let limit =
            check_range("limit", options.limit, SMART_LIMIT)?.unwrap_or(SMART_LIMIT_DEFAULT);
        let query = question_text(query)?;
        let question = Question::new(query, options.relevance.map(contract::relevance));
        refuse_wordless(query, &question)?;
        Ok(Self {
            query,
            question,
            path,
            mode: options.mode.unwrap_or(SmartMode::Auto),
            limit: limit as usize,
            max_tokens,
        })
    }

    /// Returns the fingerprint to which a cursor is bound.
    fn fingerprint(&self, options: &SmartSearchOptions, root: &ChosenRoot) -> Fingerprint {
        // Every option is taken by name: one that is added later does not compile until it is
        // handled here, and so cannot be missing in the binding of a cursor.
        let SmartSearchOptions {
            root: _,
            path: _,
            mode: _,
            max_tokens: _,
            limit: _,
            relevance,
            cursor: _,
        } = options;
        Fingerprint::new("smart-search")
            .with(&root.name)
            .with(self.path.as_str())
            .with(self.query)
            .with(&self.max_tokens.to_string())
            .with(&self.limit.to_string())
            .with_optional(relevance.map(contract::relevance_name))
    }
}

impl DocumentBatch {
    /// Reads the documents of the page that starts at `start`.
    ///
    /// # Errors
    /// `invalid-cursor` if there are no longer so many, or if the ranking has changed; those of
    /// [`RankingMode::rank`].
    fn read<D: Disk>(
        corpus: &mut Corpus<D>,
        root: &ChosenRoot,
        request: &SmartRequest<'_>,
        ranking_mode: &mut RankingMode,
        matches: &mut DocumentMatches<'_>,
        start: PageStart,
    ) -> Result<Self, Error> {
        let first = start.first as usize;
        let scope = SearchScope {
            root: root.index,
            root_name: &root.name,
            path: &request.path,
            query: request.query,
            question: &request.question,
        };
        let shown = (first, request.limit);
        let (mut ranking, ranked) =
            ranking_mode.rank(corpus, &scope, matches, shown, start.semantic)?;
        let semantic = ranked.as_ref().map(|ranked| ranked.start);
        let (missing, unknown) = ranked.map_or((None, None), |it| (it.missing, it.unknown));
        // A semantic order depends on the vectors that were known. If it is not that of the
        // first page, `first` counts documents of another list, and the page would repeat some
        // and omit others.
        if start
            .semantic
            .is_some_and(|before| Some(before) != semantic)
        {
            return Err(changed_error());
        }
        let root = root.index;
        let total = ranking.documents.len();
        if first > 0 && first >= total {
            return Err(changed_error());
        }
        let words = QueryWords::new(request.query, &request.question.query);
        let mut documents = Vec::new();
        let mut end = first;
        // Documents are read one by one: those that cannot be read now are skipped, and those
        // after the limit are never opened.
        for ranked in &mut ranking.documents[first..] {
            if documents.len() == request.limit {
                break;
            }
            end += 1;
            if let Some(read) = matches.text(corpus, root, ranked) {
                documents.push(AnswerDocument {
                    hash: read.hash().short(),
                    read,
                    semantic: ranked.semantic.clone(),
                    score: ranked.score,
                    held: words.words_in_counts(matches.counts(ranked), &matches.collection),
                });
            }
        }
        let behind = PageStart {
            first: saturating_u32(end),
            semantic,
            ..PageStart::default()
        };
        Ok(Self {
            documents,
            reach: ranking.reach,
            total,
            behind: (end < total).then_some(behind),
            semantic,
            missing,
            unknown,
        })
    }
}

/// Part of the budget used by everything but the sections of the documents.
struct SmartFrame {
    max_tokens: u32,
    /// Tokens of the first line.
    first_line: u32,
    /// Tokens of the skipped entries.
    skips: u32,
    next_call: u32,
    /// Tokens of the line for each document that can be named.
    names: Vec<u32>,
}

/// A page of an answer.
struct SmartAnswer {
    documents: Vec<RelevantDocument>,
    used: u32,
    next: Option<PageStart>,
    /// True if a part of the rest does not fit on any page.
    is_stuck: bool,
}

impl SmartFrame {
    fn new(
        query: &str,
        request: &SmartRequest<'_>,
        options: &SmartSearchOptions,
        root: &ChosenRoot,
        batch: &DocumentBatch,
        (note, skipped): (&str, u32),
    ) -> Self {
        let place = root
            .shown
            .as_ref()
            .map_or(String::new(), |root| format!(" in root {root}"));
        let first_line = format!(
            "{} documents found{place}. What stands between fences is the documents' text.\n{note}",
            batch.total
        );
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        let relevance = options
            .relevance
            .map(contract::relevance_name)
            .map(Value::from);
        let arguments = [
            ("query", Some(Value::from(query))),
            ("root", text(&options.root)),
            ("path", text(&options.path)),
            (
                "mode",
                options
                    .mode
                    .map(|mode| Value::from(contract::mode_name(mode))),
            ),
            ("maxTokens", options.max_tokens.map(Value::from)),
            ("limit", options.limit.map(Value::from)),
            ("relevance", relevance),
        ];
        let order = batch
            .semantic
            .map_or(RankingOrder::Lexical, |_| RankingOrder::Semantic);
        let most = request.max_tokens / NAMES_SHARE;
        let names = batch.documents.iter().scan(0, |sum, document| {
            let tokens = document.name_tokens();
            *sum += tokens;
            // The list ends here, even if a shorter name further down fits: the answer is the
            // top of the ranking.
            (*sum <= most).then_some(tokens)
        });
        Self {
            max_tokens: request.max_tokens,
            first_line: charge(count_parts(&first_line))
                + batch.unknown.as_ref().map_or(0, |_| UNKNOWN_TOKENS),
            skips: if skipped > 0 { SKIPPED_FRAME_TOKENS } else { 0 },
            next_call: next_call_tokens("smart_search", &arguments, request.max_tokens, order),
            names: names.collect(),
        }
    }

    /// Returns the budget left for text, with names of so many tokens.
    fn room(&self, names: u32) -> PageRoom {
        let whole = self
            .max_tokens
            .saturating_sub(self.first_line + self.skips + names);
        PageRoom::new(whole, self.next_call)
    }

    /// Returns the page that starts at `start`.
    ///
    /// # Errors
    /// `invalid-cursor` if the documents have changed.
    fn answer(
        &self,
        request: &SmartRequest<'_>,
        batch: &DocumentBatch,
        collection: &Collection,
        start: PageStart,
    ) -> Result<SmartAnswer, Error> {
        let scored: Vec<ScoredDocument<'_>> = batch
            .documents
            .iter()
            .map(|document| {
                let semantic = document.semantic.clone().unwrap_or_default();
                let AnswerDocument { read, .. } = document;
                ScoredDocument::new(&read.name, &read.text, &request.question)
                    .with_semantic_match(semantic)
            })
            .collect();
        // The rarity of a term is judged among all documents of the tree; the mean length of a
        // section among those of the answering documents, since no others were divided.
        let mut sections = Collection::default();
        for document in &scored {
            document.add_to(&mut sections);
        }
        let scorer = request.question.scorer(collection, sections.mean_length());
        let paged = scored.iter().zip(&batch.documents).enumerate();
        let paged = paged.map(|(index, (scored, document))| PagedDocument {
            document: scored,
            score: document.score,
            heading: document.heading_tokens(),
            path: estimate(document.path()),
            named: self.names.get(index).copied().unwrap_or(0),
        });
        let mut pages = Pages::new(paged.collect(), &scorer, batch.reach);
        let rooms = (self.room(self.names.iter().sum()), self.room(0));
        let (page, next) = page(&mut pages, start, rooms, batch.behind)?;
        Ok(self.answer_page(page, next, batch, start))
    }

    fn answer_page(
        &self,
        page: Page,
        next: Option<PageStart>,
        batch: &DocumentBatch,
        start: PageStart,
    ) -> SmartAnswer {
        let mut used = self.skips + page.used;
        used += if next.is_some() { self.next_call } else { 0 };
        let mut passages = page.passages.into_iter().peekable();
        let mut documents = Vec::new();
        for (index, document) in batch.documents.iter().enumerate() {
            let mut sections = Vec::new();
            while let Some(passage) = passages.next_if(|passage| passage.document == index) {
                let path = |index: usize| batch.documents[index].path();
                sections.push(contract::section(passage, path));
            }
            // Documents that later pages do not show were named on the first one.
            let name = self.names.get(index).filter(|_| start.pages == 0);
            if sections.is_empty() && name.is_none() {
                continue;
            }
            let mut held = Vec::new();
            if let (true, Some(tokens)) = (sections.is_empty(), name) {
                used += tokens;
                held.clone_from(&document.held);
            }
            documents.push(RelevantDocument {
                path: document.path().to_owned(),
                hash: document.hash.clone(),
                name: headings::name(&document.read.name, &document.read.text),
                score: rounded_score(document.score),
                held,
                sections,
            });
        }
        // If nothing is shown, the answer is only a hint.
        if !documents.is_empty() {
            used += self.first_line;
        }
        SmartAnswer {
            documents,
            used,
            is_stuck: next.is_none() && (page.has_more || batch.behind.is_some()),
            next,
        }
    }
}

impl SmartAnswer {
    /// Returns a hint if the rest does not fit on any page.
    fn hint(&self) -> Option<String> {
        let hint = if self.is_stuck { NO_ROOM } else { NOTHING_MORE };
        (self.is_stuck || self.documents.is_empty()).then(|| hint.to_owned())
    }
}

impl AnswerDocument {
    fn path(&self) -> &str {
        self.read.path.as_str()
    }

    /// Returns the tokens of the line above its sections, including an empty line before it.
    fn heading_tokens(&self) -> u32 {
        charge(count_parts(&format!(
            "\n## {} #{}\n",
            self.path(),
            self.hash
        )))
    }

    /// Returns the tokens of the line that names it.
    fn name_tokens(&self) -> u32 {
        // The empty line before the whole list is counted with each.
        let held = self.held.join(", ");
        charge(count_parts(&format!("\nalso: {} ({held})\n", self.path())))
    }
}

/// Returns the hint of a search without results.
fn nothing_found<D: Disk>(
    corpus: &mut Corpus<D>,
    root: &ChosenRoot,
    request: &SmartRequest<'_>,
) -> String {
    let extensions = Extensions::default();
    let end_ms = corpus.disk.monotonic_ms() + NEAR_MS;
    let words = near_words(
        corpus,
        root.index,
        &request.path,
        &|name| extensions.has(name),
        request.query,
        end_ms,
    );
    if words.is_empty() {
        return format!("{NOTHING_FOUND} {TRY_OTHERS}");
    }
    format!("{NOTHING_FOUND}{}", near_sentence(&words))
}

/// Options with the default for everything.
pub const NO_OPTIONS: SmartSearchOptions = SmartSearchOptions {
    root: None,
    path: None,
    mode: None,
    max_tokens: None,
    limit: None,
    relevance: None,
    cursor: None,
};

const NOTHING_FOUND: &str = "No document holds any of these words.";

const TRY_OTHERS: &str = "Try others, or list the directory to see what exists.";

const NOTHING_MORE: &str = "Nothing more.";
