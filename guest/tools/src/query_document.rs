//! `query-document`: the sections of one document that answer a query.

use docent_api::sections::{QueryDocumentAnswer, QueryDocumentOptions};
use docent_api::types::{Error, ErrorCode};

use crate::limits::{FRAME_TOKENS, QUESTION_CHARS, TOKENS, TOKENS_DEFAULT};
use docent_corpus::corpus::Corpus;
use docent_document::sections::Section;
use docent_rank::bm25::Collection;
use docent_rank::passages::{Document, Question};
use docent_text::saturating::saturating_u32;
use docent_text::tokens::estimate::{GrowingText, estimate};
use docent_tree::disk::Disk;
use docent_tree::error::{out_of_range, refuse};
use docent_tree::path::RelPath;

/// Finds the sections of a document that answer; see `wit/world.wit`.
///
/// # Errors
/// A request that cannot be met, and a document that cannot be read.
pub fn query_document<D: Disk>(
    corpus: &mut Corpus<D>,
    path: String,
    query: String,
    options: Option<QueryDocumentOptions>,
) -> Result<QueryDocumentAnswer, Error> {
    let path = RelPath::parse(&path)?;
    let given = options.unwrap_or(QueryDocumentOptions {
        root: None,
        max_tokens: None,
        relevance: None,
    });
    let max_tokens = budget(given.max_tokens)?;
    let query = question(&query)?;
    let asked = Question::new(query, given.relevance);
    refuse_wordless(query, &asked)?;
    let root = corpus.choose_root(given.root.as_deref())?;
    corpus.store.begin_call();
    let opened = corpus.open(root.index, &path)?;
    let decoded = opened.decode(&mut corpus.store)?;
    let document = Document::new(&opened.name, &decoded.text, &asked);
    let mut collection = Collection::default();
    document.add_to(&mut collection);
    let measure = asked.measure(&collection, collection.mean_length());
    let path = opened.path.to_string();
    let frame = FRAME_TOKENS + estimate(&path);
    let (sections, _) = document.answer(&measure, max_tokens.saturating_sub(frame));
    Ok(QueryDocumentAnswer {
        root: root.shown,
        hint: sections
            .is_empty()
            .then(|| nothing_found(document.sections(), max_tokens.saturating_sub(frame))),
        path,
        query: query.to_owned(),
        total_sections: saturating_u32(document.sections().len()),
        selected_sections: saturating_u32(sections.len()),
        tokens_used: sections.iter().map(|section| section.tokens).sum(),
        sections,
        max_tokens,
    })
}

/// Returns the budget that a request means.
///
/// # Errors
/// `invalid-request` outside its range.
pub fn budget(given: Option<u32>) -> Result<u32, Error> {
    let tokens = given.unwrap_or(TOKENS_DEFAULT);
    if (TOKENS.0..=TOKENS.1).contains(&tokens) {
        Ok(tokens)
    } else {
        Err(out_of_range("maxTokens", tokens, TOKENS))
    }
}

/// Returns the query, trimmed.
///
/// # Errors
/// `invalid-query` when it is empty or too long.
pub fn question(query: &str) -> Result<&str, Error> {
    let query = query.trim();
    let length = query.chars().count();
    if (1..=QUESTION_CHARS).contains(&length) {
        return Ok(query);
    }
    Err(refuse(
        ErrorCode::InvalidQuery,
        format!("`query` has {length} characters after trimming; expected 1 to {QUESTION_CHARS}"),
        "Ask in some words that the text may use.",
    ))
}

/// Refuses a query that holds nothing to look for.
///
/// # Errors
/// `query-too-short`.
pub fn refuse_wordless(query: &str, asked: &Question) -> Result<(), Error> {
    if !asked.query.is_empty() {
        return Ok(());
    }
    Err(refuse(
        ErrorCode::QueryTooShort,
        format!("`query` is `{query}`; expected at least one word"),
        "Ask in words; search for the exact text to find signs and punctuation.",
    ))
}

/// Returns what to do when nothing was found: the table of contents, as much as `room` tokens hold.
fn nothing_found(sections: &[Section], room: u32) -> String {
    let begin = "Nothing here is about it, or it fits no such budget; its headings are ";
    let mut hint = GrowingText::default();
    for section in sections.iter().filter(|section| section.level > 0) {
        let more = format!(
            "{}`{}`",
            if hint.text().is_empty() { begin } else { ", " },
            section.heading
        );
        if hint.estimate() + estimate(&more) + 5 > room {
            break;
        }
        hint.push(&more);
    }
    if hint.text().is_empty() {
        return "Nothing here is about it; try other words, or read the document.".to_owned();
    }
    format!("{}.", hint.text())
}
