//! Ranking mode of a search, lexical or also semantic, and the handling of an embedder that is
//! missing, fails, or was missing for an earlier page.

use docent_api::sections::SmartMode;
use docent_api::types::{Error, ErrorCode};
use docent_rank::embedder::Failure;
use docent_rank::pages::PageScope;
use docent_tree::disk::Disk;
use docent_tree::error::refuse;

use super::documents::{DocumentMatches, DocumentRanking, LexicalDocuments};
use crate::paging::cursor::invalid_cursor;
use crate::paging::passage_pages::{PageStart, RankingOrder, SemanticStart};
use crate::semantic::ranker::{HybridRanking, SearchScope, SemanticRanker};
use docent_corpus::corpus::Corpus;

/// Ranking mode of a search.
pub enum RankingMode {
    /// Lexical, as requested.
    Lexical,
    /// Lexical, since no usable embedder is available.
    LexicalFallback(Failure),
    /// Lexical, as on the earlier pages.
    LexicalAsBefore,
    /// Lexical and semantic, or semantic only.
    Hybrid(SemanticRanker),
}

impl RankingMode {
    /// Returns the ranking mode of a call that has to end at `call_end` on the disk's clock.
    ///
    /// # Errors
    /// `semantic-search-unavailable` if only semantic ranking is requested and it is unavailable.
    pub fn for_call<D: Disk>(
        corpus: &Corpus<D>,
        mode: SmartMode,
        call_end: u64,
    ) -> Result<Self, Error> {
        if mode == SmartMode::Keyword {
            return Ok(Self::Lexical);
        }
        match SemanticRanker::for_call(corpus, mode, call_end) {
            Ok(ranker) if ranker.has_weight() => Ok(Self::Hybrid(ranker)),
            Ok(_) => Ok(Self::Lexical),
            Err(failure) if mode == SmartMode::Auto => Ok(Self::LexicalFallback(failure)),
            Err(failure) => Err(unavailable(failure)),
        }
    }

    /// Adopts the ranking mode of the earlier pages.
    ///
    /// # Errors
    /// `invalid-cursor` for a cursor of another order than the request's.
    pub fn adopt(&mut self, start: PageStart, has_cursor: bool) -> Result<(), Error> {
        match (&*self, start.order()) {
            (Self::Hybrid(_), RankingOrder::Semantic) => {}
            (_, RankingOrder::Semantic) => return Err(embedder_gone_error()),
            (Self::Hybrid(ranker), RankingOrder::Lexical) if has_cursor => {
                if ranker.is_alone() {
                    return Err(invalid_cursor());
                }
                *self = Self::LexicalAsBefore;
            }
            (_, RankingOrder::Lexical) => {}
        }
        Ok(())
    }

    /// Returns the documents that answer, best first, and the basis of their order unless it is
    /// purely lexical. The texts of those in `shown` are kept, see [`DocumentMatches::rank`].
    ///
    /// # Errors
    /// If the embedder fails and only semantic ranking is requested, or an earlier page used it.
    pub fn rank<D: Disk>(
        &mut self,
        corpus: &mut Corpus<D>,
        scope: &SearchScope<'_>,
        matches: &mut DocumentMatches<'_>,
        shown: (usize, usize),
        start: Option<SemanticStart>,
    ) -> Result<(DocumentRanking, Option<HybridRanking>), Error> {
        let Self::Hybrid(ranker) = &*self else {
            let ranking = matches.rank(corpus, scope.root, scope.query, shown);
            if ranking.reach == PageScope::All && matches!(self, Self::LexicalAsBefore) {
                *self = Self::Lexical;
            }
            return Ok((ranking, None));
        };
        let is_alone = ranker.is_alone();
        let mut ranking = if is_alone {
            matches.rank_lexical(corpus, scope.root)
        } else {
            matches.rank(corpus, scope.root, scope.query, shown)
        };
        // An identifier is matched as written, so it has no semantic matches.
        if ranking.reach == PageScope::All {
            return Ok((ranking, None));
        }
        let mut found = LexicalDocuments {
            matches,
            ranking: &mut ranking,
        };
        let moment = start.map(|start| start.moment);
        match ranker.rank(corpus, scope, &mut found, moment) {
            Ok(ranked) => {
                found.reorder(&ranked);
                Ok((ranking, Some(ranked)))
            }
            Err(_) if start.is_some() => Err(embedder_gone_error()),
            Err(failure) if is_alone => Err(unavailable(failure)),
            Err(failure) => {
                *self = Self::LexicalFallback(failure);
                Ok((ranking, None))
            }
        }
    }

    /// Returns true if documents without a word of the question may match.
    pub fn needs_others(&self) -> bool {
        matches!(self, Self::Hybrid(_))
    }

    /// Returns the reason for which the order is only lexical although more was requested: `auto`
    /// gives it as well if there is no embedder.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::LexicalFallback(failure) => Some(failure.to_string()),
            Self::LexicalAsBefore => Some("the first page was ranked lexically".to_owned()),
            Self::Lexical | Self::Hybrid(_) => None,
        }
    }

    /// Returns the name of the model, if one is used.
    pub fn model(&self) -> Option<String> {
        match self {
            Self::Hybrid(ranker) => Some(ranker.name().to_owned()),
            Self::Lexical | Self::LexicalFallback(_) | Self::LexicalAsBefore => None,
        }
    }
}

fn unavailable(failure: Failure) -> Error {
    refuse(
        ErrorCode::SemanticSearchUnavailable,
        format!("`mode` is `semantic` and {failure}; expected `auto` or `keyword`"),
        "Leave mode out to rank lexically.",
    )
}

/// Returns the error for a page of a semantic answer if there is no embedder now.
fn embedder_gone_error() -> Error {
    refuse(
        ErrorCode::InvalidCursor,
        "`cursor` belongs to a semantic answer, and the embedder does not answer now; expected none",
        "Leave cursor out to start again.",
    )
}
