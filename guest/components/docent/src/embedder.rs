//! The imported embedder, as an implementation of the trait of the crates below.

use docent_api::embed;
use docent_rank::embedder::{
    Bounds, DocumentCounts, DocumentVersion, Embedder, EmbeddingText, Failure, Model, Nearest,
    PassageCount, Role,
};

/// The embedder that serves the import.
#[derive(Clone, Copy, Debug)]
pub struct Imported;

impl Embedder for Imported {
    fn describe(&self, milliseconds: u32) -> Result<Model, Failure> {
        let model = embed::describe(milliseconds).map_err(failure)?;
        Ok(Model {
            name: model.name,
            fingerprint: model.fingerprint,
            dimensions: model.dimensions as usize,
            max_bytes: model.max_bytes as usize,
            passages: model.passages as usize,
            weight: model.weight,
        })
    }

    fn embed(
        &self,
        role: Role,
        texts: &[EmbeddingText],
        bounds: Bounds,
    ) -> Result<Vec<i8>, Failure> {
        let role = match role {
            Role::Query => embed::Role::Query,
            Role::Passage => embed::Role::Passage,
        };
        let texts: Vec<embed::Text> = texts
            .iter()
            .map(|text| embed::Text {
                content: text.content.clone(),
                place: text.place.clone(),
            })
            .collect();
        let bounds = embed::Bounds {
            milliseconds: bounds.milliseconds,
            moment: bounds.moment,
        };
        embed::embed(role, &texts, bounds).map_err(failure)
    }

    fn nearest(&self, vector: &[i8], area: &str, most: usize, moment: Option<u64>) -> Nearest {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let embed::Neighbours { places, moment } = embed::nearest(vector, area, most, moment);
        Nearest { places, moment }
    }

    fn passage_counts(&self, asked: Option<&str>, documents: &[DocumentVersion]) -> DocumentCounts {
        let documents: Vec<embed::Document> = documents.iter().map(document).collect();
        let embed::Counts { of: counts, losses } = embed::counted(asked, &documents);
        let count = |count: embed::PassageCount| PassageCount {
            passages: count.passages,
            unknown: count.unknown,
        };
        let counts = counts.into_iter().map(|one| one.map(count)).collect();
        DocumentCounts { counts, losses }
    }

    fn store_passage_counts(&self, losses: u64, documents: &[(DocumentVersion, PassageCount)]) {
        let counted = |(one, count): &(DocumentVersion, PassageCount)| embed::CountedDocument {
            document: document(one),
            count: embed::PassageCount {
                passages: count.passages,
                unknown: count.unknown,
            },
        };
        let documents: Vec<_> = documents.iter().map(counted).collect();
        embed::count(losses, &documents);
    }
}

fn document(document: &DocumentVersion) -> embed::Document {
    embed::Document {
        place: document.place,
        version: document.version,
    }
}

fn failure(failure: embed::Failure) -> Failure {
    match failure {
        embed::Failure::NoneConfigured => Failure::NoneConfigured,
        embed::Failure::Unavailable => Failure::Unavailable,
        embed::Failure::Refused => Failure::Refused,
        embed::Failure::TooLong => Failure::TooLong,
        embed::Failure::TooSlow => Failure::TooSlow,
        embed::Failure::Broken => Failure::Broken,
    }
}
