//! `query-document`: the sections of one document that answer a query.

use docent_api::sections::{QueryDocumentAnswer, QueryDocumentOptions, Section};
use docent_api::types::Error;
use serde_json::Value;

use crate::contract;
use crate::lexical::near_words::{near_sentence, near_words_of};
use crate::paging::cursor::Fingerprint;
use crate::paging::passage_pages::{
    NO_ROOM, PageRoom, PageStart, RankingOrder, next_call_tokens, page,
};
use crate::part::{self, AskedPath, PartAddress};
use crate::question::{question_text, refuse_wordless, token_budget};
use docent_corpus::corpus::Corpus;
use docent_corpus::opened::OpenedDocument;
use docent_document::sections::{Section as DocumentSection, sections};
use docent_rank::bm25::Collection;
use docent_rank::pages::{PageScope, PagedDocument, Pages};
use docent_rank::passages::{Question, ScoredDocument};
use docent_text::content_hash::ContentHash;
use docent_text::saturating::saturating_u32;
use docent_text::time_budget::TimeBudget;
use docent_text::tokens::estimate::{GrowingText, charge, count_parts, estimate};
use docent_tree::disk::Disk;

/// Finds the sections of a document that answer; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served, and for a document that cannot be read.
pub fn query_document<D: Disk>(
    corpus: &mut Corpus<D>,
    path: String,
    query: String,
    options: QueryDocumentOptions,
) -> Result<QueryDocumentAnswer, Error> {
    let asked = AskedPath::parse(&path)?;
    let max_tokens = token_budget(options.max_tokens)?;
    let words = question_text(&query)?;
    let question = Question::new(words, options.relevance.map(contract::relevance));
    refuse_wordless(words, &question)?;
    let root = corpus.choose_root(options.root.as_deref())?;
    let fingerprint = Fingerprint::new("query-document")
        .with(&root.name)
        .with(&path)
        .with(words)
        .with(&max_tokens.to_string())
        .with_optional(options.relevance.map(contract::relevance_name));
    let start = PageStart::decode(fingerprint, options.cursor.as_deref())?;
    corpus.store.begin_call();
    let (opened, address) = part::open(corpus, root.index, &asked)?;
    let decoded = opened.decode(&mut corpus.store)?;
    let text: &str = &decoded.text;
    let asked = AskedSections::select(&opened, text, address)?;
    let document = ScoredDocument::from_sections(text, asked.sections, &question);
    // The document itself is the collection: a term is rare if few of its sections contain it.
    let mut collection = Collection::default();
    document.add_to(&mut collection);
    let scorer = question.scorer(&collection, collection.mean_length());

    let shown_path = opened.path.as_str();
    let hash = ContentHash::new(&opened.bytes).short();
    let first_lines = first_lines(shown_path, &hash, root.shown.as_deref(), asked.total);
    let next_call = next_call_tokens(
        "query_document",
        &arguments(&path, &query, &options),
        max_tokens,
        RankingOrder::Lexical,
    );
    let whole = max_tokens.saturating_sub(first_lines);
    let room = PageRoom::new(whole, next_call);
    let paged = PagedDocument {
        document: &document,
        score: 1.0,
        heading: 0,
        path: estimate(shown_path),
        named: 0,
    };
    let mut pages = Pages::new(vec![paged], &scorer, PageScope::All);
    let (page, next) = page(&mut pages, start, (room, room), None)?;

    let in_document = |section: Section| Section {
        position: section.position + asked.before,
        ..section
    };
    let sections = page.passages.into_iter();
    let sections = sections.map(|passage| contract::section(passage, |_| shown_path));
    let sections: Vec<_> = sections.map(in_document).collect();
    let used = first_lines + page.used + if next.is_some() { next_call } else { 0 };
    let hint = match (sections.is_empty(), page.has_more && next.is_none()) {
        (true, true) => Some(NO_ROOM.to_owned()),
        (true, false) if start != PageStart::default() => Some(NOTHING_MORE.to_owned()),
        (true, false) => Some(nothing_found(document.sections(), text, words, whole)),
        (false, true) => Some(NO_ROOM.to_owned()),
        (false, false) => None,
    };
    let used = used + hint.as_deref().map_or(0, estimate);
    Ok(QueryDocumentAnswer {
        root: root.shown,
        hint,
        path: opened.path.to_string(),
        hash,
        query: words.to_owned(),
        total_sections: asked.total,
        selected_sections: saturating_u32(sections.len()),
        // A hint is shown even if it exceeds the budget, but the answer does not claim to have
        // used more.
        tokens_used: used.min(max_tokens),
        sections,
        max_tokens,
        next_cursor: next.map(|next| next.encode(fingerprint)),
    })
}

/// Returns the tokens of the first lines of an answer's Markdown.
fn first_lines(path: &str, hash: &str, root: Option<&str>, sections: u32) -> u32 {
    let place = root.map_or(String::new(), |root| format!(" in root {root}"));
    let lines = format!(
        "# {path} #{hash}{place}\n\n{sections} of {sections} sections. What stands between fences is \
         the document's text.\n"
    );
    charge(count_parts(&lines))
}

/// Returns the arguments of a request as received.
fn arguments<'a>(
    path: &str,
    query: &str,
    options: &QueryDocumentOptions,
) -> [(&'a str, Option<Value>); 5] {
    let relevance = options.relevance.map(contract::relevance_name);
    [
        ("path", Some(Value::from(path))),
        ("query", Some(Value::from(query))),
        ("root", options.root.as_deref().map(Value::from)),
        ("maxTokens", options.max_tokens.map(Value::from)),
        ("relevance", relevance.map(Value::from)),
    ]
}

/// Options with the default for everything.
pub const NO_OPTIONS: QueryDocumentOptions = QueryDocumentOptions {
    root: None,
    max_tokens: None,
    relevance: None,
    cursor: None,
};

const NOTHING_MORE: &str = "Nothing more here is about it.";

/// The searched sections of a document.
struct AskedSections {
    /// Number of sections before them.
    before: u32,
    /// Number of sections in the document.
    total: u32,
    /// Sections, cut to the requested part.
    sections: Vec<DocumentSection>,
}

impl AskedSections {
    fn select(
        opened: &OpenedDocument,
        text: &str,
        address: Option<PartAddress>,
    ) -> Result<Self, Error> {
        let mut all = sections(&opened.name, text);
        let total = saturating_u32(all.len());
        let mut before = 0;
        if let Some(address) = address {
            let (path, time_budget) = (opened.path.as_str(), &mut TimeBudget::unlimited());
            let span = part::resolve(path, &opened.name, text, &address, time_budget)?.span;
            before = all.partition_point(|section| section.span.end <= span.start);
            all.drain(..before);
            all.truncate(all.partition_point(|section| section.span.start < span.end));
            for section in &mut all {
                let own = &section.span;
                section.span = own.start.max(span.start)..own.end.min(span.end);
            }
        }
        Ok(Self {
            before: saturating_u32(before),
            total,
            sections: all,
        })
    }
}

/// Returns the hint of a search without results: words similar to those of the query, and as much
/// of the table of contents as fits into `room` tokens.
fn nothing_found(sections: &[DocumentSection], text: &str, query: &str, room: u32) -> String {
    let mut hint = GrowingText::default();
    hint.push("Nothing here is about it");
    let near = near_sentence(&near_words_of(text, query));
    let begin = if near.is_empty() {
        "; its headings are ".to_owned()
    } else {
        hint.push(&format!(".{near}"));
        " Its headings are ".to_owned()
    };
    let mut begin = Some(begin);
    for section in sections.iter().filter(|section| section.level > 0) {
        let lead = begin.as_deref().unwrap_or(", ");
        let more = format!("{lead}`{}`", section.heading);
        // Five tokens are reserved for the end of the sentence, and for tokens that arise where
        // two texts meet.
        if hint.estimate() + estimate(&more) + 5 > room {
            break;
        }
        hint.push(&more);
        begin = None;
    }
    match begin {
        None => format!("{}.", hint.text()),
        Some(_) if near.is_empty() => {
            "Nothing here is about it; try other words, or read the document.".to_owned()
        }
        Some(_) => hint.text().to_owned(),
    }
}
