//! An item with its whole text, as it is rendered from a candidate.

use std::rc::Rc;

use docent_api::pillars::{BlockedPath, ExploreItem, ItemKind, ItemMetadata, LineRange};
use docent_code::Outline;
use docent_corpus::opened::OpenedDocument;

use crate::explore::rendering::source::Source;
use crate::explore::rendering::text::ItemText;
use crate::explore::selection::candidate::Candidate;
use docent_rank::bm25::rounded_score;
use docent_text::time::iso_8601;

/// Reason shown for a document that contains few of the words, if any.
pub const NEAR_IN_MEANING: &str = "near in meaning";

/// An item with its whole text.
pub struct RenderedItem {
    /// The item, still without text.
    pub item: ExploreItem,
    /// Its text.
    pub text: ItemText,
    /// Form of its text.
    pub form: ItemForm,
    /// Lines of the section or definition that its text is taken from, if any.
    pub scope: Option<LineRange>,
    /// Words of the query that its text contains.
    pub held: Vec<String>,
    /// Text and scope that replace its own if it is the best item of a search: the same section
    /// continued with the sections below its heading.
    pub read_on: Option<(ItemText, Option<LineRange>)>,
    /// Maximum for its text, if lower than the general one.
    pub most: Option<usize>,
    /// True if its heading or title equals the query, or the query names its file.
    pub is_asked_for: bool,
    /// Outline from which the text was made, if it can be made to another length.
    pub outline: Option<Outline>,
    /// The file as read, for its hash, or `None` if no hash is shown.
    pub hashed: Option<Rc<OpenedDocument>>,
}

/// Form of the text of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemForm {
    /// It represents the file.
    Preview,
    /// It is a requested, verbatim part of the file.
    Section,
    /// It is the whole file, and comes complete or not at all: a truncated file looks complete to a
    /// model, which then edits text it has not seen.
    WholeFile,
}

/// Outcome of rendering a candidate.
pub enum Outcome {
    /// An item.
    Item(Box<RenderedItem>),
    /// It is withheld.
    Blocked(BlockedPath),
    /// It could not be read.
    Gone,
}

impl RenderedItem {
    /// Returns an item without any optional properties.
    pub fn new(item: ExploreItem, text: ItemText, form: ItemForm) -> Self {
        Self {
            item,
            text,
            form,
            scope: None,
            held: Vec::new(),
            read_on: None,
            most: None,
            is_asked_for: false,
            outline: None,
            hashed: None,
        }
    }

    /// Sets the source from which it was made.
    pub(super) fn with_source(self, source: Source) -> Self {
        Self {
            hashed: Some(source.opened),
            ..self
        }
    }
}
pub(super) fn item(candidate: &Candidate, source: &Source, kind: ItemKind) -> ExploreItem {
    let mut item = blank(candidate, kind);
    let metadata = source.metadata;
    item.title.clone_from(&source.opened.name);
    // Without metadata, the size is the number of bytes read.
    item.metadata.size =
        Some(metadata.map_or(source.opened.bytes.len() as u64, |metadata| metadata.size));
    item.metadata.modified = metadata
        .and_then(|metadata| metadata.modified)
        .and_then(iso_8601);
    item
}

pub(super) fn blank(candidate: &Candidate, kind: ItemKind) -> ExploreItem {
    ExploreItem {
        // The rank is set when the item is placed on a page.
        rank: 0,
        kind,
        file_path: candidate.path.clone(),
        title: String::new(),
        score: candidate.score.map(rounded_score),
        range: None,
        preview: None,
        content: None,
        truncated: false,
        only_named: false,
        scope: None,
        numbered: Vec::new(),
        also_in: Vec::new(),
        metadata: ItemMetadata {
            size: None,
            modified: None,
            language: None,
            media_type: None,
            section_id: None,
            heading_path: Vec::new(),
            tokens: None,
            hash: None,
        },
        why: Vec::new(),
    }
}

/// Returns a number with the noun it counts, or `None` for 0.
pub(super) fn count_phrase(number: usize, one: &str, many: &str) -> Option<String> {
    (number > 0).then(|| format!("{number} {}", if number == 1 { one } else { many }))
}
