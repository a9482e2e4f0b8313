//! `query-document`: the sections of one document that answer a query.

use docent_api::sections::{QueryDocumentAnswer, QueryDocumentOptions, Section};
use docent_api::types::Error;

use crate::contract;
use crate::limits::FRAME_TOKENS;
use crate::part::{self, AskedPath, PartAddress};
use crate::question::{question_text, refuse_wordless, token_budget};
use docent_corpus::corpus::Corpus;
use docent_corpus::opened::Opened;
use docent_document::sections::{Section as DocumentSection, sections};
use docent_rank::bm25::Collection;
use docent_rank::passages::{Question, ScoredDocument};
use docent_text::saturating::saturating_u32;
use docent_text::tokens::estimate::{GrowingText, estimate};
use docent_tree::disk::Disk;

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
    let asked = AskedPath::parse(&path)?;
    let options = options.unwrap_or(QueryDocumentOptions {
        root: None,
        max_tokens: None,
        relevance: None,
    });
    let max_tokens = token_budget(options.max_tokens)?;
    let query = question_text(&query)?;
    let question = Question::new(query, options.relevance.map(contract::relevance));
    refuse_wordless(query, &question)?;
    let root = corpus.choose_root(options.root.as_deref())?;
    corpus.store.begin_call();
    let (opened, address) = part::open(corpus, root.index, &asked)?;
    let decoded = opened.decode(&mut corpus.store)?;
    let text: &str = &decoded.text;
    let asked = AskedSections::of(&opened, text, address)?;
    let document = ScoredDocument::of_sections(text, asked.sections, &question);
    // The one document is the collection: a term is rare that few of its sections hold.
    let mut collection = Collection::default();
    document.add_to(&mut collection);
    let scorer = question.scorer(&collection, collection.mean_length());
    let path = opened.path.to_string();
    // The path is the heading of the answer.
    let frame = FRAME_TOKENS + estimate(&path);
    let room = max_tokens.saturating_sub(frame);
    let (passages, used) = document.answer(&scorer, room);
    let in_document = |section: Section| Section {
        position: section.position + asked.before,
        ..section
    };
    let sections = passages.into_iter().map(contract::section);
    let sections: Vec<_> = sections.map(in_document).collect();
    let hint = sections
        .is_empty()
        .then(|| nothing_found(document.sections(), room));
    let used = frame + used + hint.as_deref().map_or(0, estimate);
    Ok(QueryDocumentAnswer {
        root: root.shown,
        hint,
        path,
        query: query.to_owned(),
        total_sections: asked.total,
        selected_sections: saturating_u32(sections.len()),
        // A hint that fits no budget is shown all the same.
        tokens_used: used.min(max_tokens),
        sections,
        max_tokens,
    })
}

/// The sections of a document that are asked.
struct AskedSections {
    /// How many stand before them.
    before: u32,
    /// How many the document has.
    total: u32,
    /// Cut to the part that is asked.
    sections: Vec<DocumentSection>,
}

impl AskedSections {
    fn of(opened: &Opened, text: &str, address: Option<PartAddress>) -> Result<Self, Error> {
        let mut all = sections(&opened.name, text);
        let total = saturating_u32(all.len());
        let mut before = 0;
        if let Some(address) = address {
            let span = part::resolve(opened.path.as_str(), &opened.name, text, &address)?.span;
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

/// Returns what to do when nothing was found: the table of contents, as much as `room` tokens hold.
fn nothing_found(sections: &[DocumentSection], room: u32) -> String {
    let begin = "Nothing here is about it, or it fits no such budget; its headings are ";
    let mut hint = GrowingText::default();
    for section in sections.iter().filter(|section| section.level > 0) {
        let more = format!(
            "{}`{}`",
            if hint.text().is_empty() { begin } else { ", " },
            section.heading
        );
        // The end of the sentence, and what tokens two texts may need more side by side.
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
