//! Conversions between the types of the contract and those of the crates below, which do not know
//! the contract.

use docent_api::context::Para;
use docent_api::sections::{Relevance, Section, SmartMode, TocEntry};
use docent_document::metadata::Category;
use docent_document::toc;
use docent_rank::pages::{AnswerPassage, Place};
use docent_rank::passages;

/// Returns the category named in a request.
pub fn category(para: Para) -> Category {
    match para {
        Para::Projects => Category::Projects,
        Para::Areas => Category::Areas,
        Para::Resources => Category::Resources,
        Para::Archives => Category::Archives,
    }
}

/// Returns the category of a document in the form of an answer.
pub fn para(category: Category) -> Para {
    match category {
        Category::Projects => Para::Projects,
        Category::Areas => Para::Areas,
        Category::Resources => Para::Resources,
        Category::Archives => Para::Archives,
    }
}

/// Returns the relevance named in a request.
pub fn relevance(relevance: Relevance) -> passages::Relevance {
    match relevance {
        Relevance::Bm25 => passages::Relevance::Bm25,
        Relevance::Density => passages::Relevance::Density,
    }
}

/// Returns the name of a relevance in requests.
pub fn relevance_name(relevance: Relevance) -> &'static str {
    match relevance {
        Relevance::Bm25 => "bm25",
        Relevance::Density => "density",
    }
}

/// Returns the name of a mode in requests.
pub fn mode_name(mode: SmartMode) -> &'static str {
    match mode {
        SmartMode::Auto => "auto",
        SmartMode::Semantic => "semantic",
        SmartMode::Keyword => "keyword",
    }
}

/// Returns a passage in the form of an answer; `path` returns the path of a document by its index.
pub fn section<'p>(passage: AnswerPassage, path: impl Fn(usize) -> &'p str) -> Section {
    let place = |place: &Place| {
        let lines = (place.first_line, place.last_line);
        format!("{}:{}-{}", path(place.document), lines.0, lines.1)
    };
    Section {
        also_in: passage.same.iter().map(place).collect(),
        heading: passage.heading,
        level: passage.level.into(),
        heading_path: passage.heading_path,
        id: passage.id,
        position: passage.position,
        first_line: passage.first_line,
        last_line: passage.last_line,
        tokens: passage.tokens,
        score: passage.score,
        content: passage.content,
        part: passage.part.map(|part| part.number),
        parts: passage.part.map(|part| part.parts),
    }
}

/// Returns an entry of a table of contents in the form of an answer.
pub fn toc_entry(entry: toc::TocEntry) -> TocEntry {
    TocEntry {
        level: entry.level.into(),
        text: entry.text,
        anchor: entry.anchor,
        line: entry.line,
        tokens: entry.tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_come_back() {
        for name in [Para::Projects, Para::Areas, Para::Resources, Para::Archives] {
            assert_eq!(para(category(name)), name);
        }
    }
}
