//! Ranking mode of a search, lexical or also semantic, and the handling of an embedder that is
//! missing, fails, or was missing for an earlier page.

use docent_api::sections::SmartMode;
use docent_api::types::{Error, ErrorCode};
use docent_rank::embedder::Failure;
use docent_rank::pages::PageScope;
use docent_tree::disk::Disk;
use docent_tree::error::refuse;

use super::documents::{DocumentMatches, DocumentRanking, FoundByWords};
use crate::cursor::invalid_cursor;
use crate::meaning::{Ground, Meaning, Ranked};
use crate::passage_pages::{MeantStart, Order, PageStart};
use docent_corpus::corpus::Corpus;

/// Ranking mode of a search.
pub enum Means {
    /// Lexical, as requested.
    Words,
    /// Lexical, since no usable embedder is available.
    WordsAlone(Failure),
    /// Lexical, as on the earlier pages.
    WordsAgain,
    /// Lexical and semantic, or semantic only.
    Both(Meaning),
}

impl Means {
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
            return Ok(Self::Words);
        }
        match Meaning::for_call(corpus, mode, call_end) {
            Ok(meaning) if meaning.has_weight() => Ok(Self::Both(meaning)),
            Ok(_) => Ok(Self::Words),
            Err(failure) if mode == SmartMode::Auto => Ok(Self::WordsAlone(failure)),
            Err(failure) => Err(unavailable(failure)),
        }
    }

    /// Adopts the ranking mode of the earlier pages.
    ///
    /// # Errors
    /// `invalid-cursor` for a cursor of another order than the request's.
    pub fn heed(&mut self, start: PageStart, has_cursor: bool) -> Result<(), Error> {
        match (&*self, start.order()) {
            (Self::Both(_), Order::Meaning) => {}
            (_, Order::Meaning) => return Err(gone()),
            (Self::Both(meaning), Order::Words) if has_cursor => {
                if meaning.is_alone() {
                    return Err(invalid_cursor());
                }
                *self = Self::WordsAgain;
            }
            (_, Order::Words) => {}
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
        ground: &Ground<'_>,
        matches: &mut DocumentMatches<'_>,
        shown: (usize, usize),
        start: Option<MeantStart>,
    ) -> Result<(DocumentRanking, Option<Ranked>), Error> {
        let Self::Both(meaning) = &*self else {
            let ranking = matches.rank(corpus, ground.root, ground.query, shown);
            if ranking.reach == PageScope::All && matches!(self, Self::WordsAgain) {
                *self = Self::Words;
            }
            return Ok((ranking, None));
        };
        let is_alone = meaning.is_alone();
        let mut ranking = if is_alone {
            matches.rank_by_words(corpus, ground.root)
        } else {
            matches.rank(corpus, ground.root, ground.query, shown)
        };
        // An identifier is matched as written.
        if ranking.reach == PageScope::All {
            return Ok((ranking, None));
        }
        let mut found = FoundByWords {
            matches,
            ranking: &mut ranking,
        };
        let moment = start.map(|start| start.moment);
        match meaning.rank(corpus, ground, &mut found, moment) {
            Ok(ranked) => {
                found.reorder(&ranked);
                Ok((ranking, Some(ranked)))
            }
            Err(_) if start.is_some() => Err(gone()),
            Err(failure) if is_alone => Err(unavailable(failure)),
            Err(failure) => {
                *self = Self::WordsAlone(failure);
                Ok((ranking, None))
            }
        }
    }

    /// Returns true if documents without a word of the question may match.
    pub fn needs_others(&self) -> bool {
        matches!(self, Self::Both(_))
    }

    /// Returns the reason for which the order is only lexical although more was requested: `auto`
    /// gives it as well if there is no embedder.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::WordsAlone(failure) => Some(failure.to_string()),
            Self::WordsAgain => Some("the first page was found by words".to_owned()),
            Self::Words | Self::Both(_) => None,
        }
    }

    /// Returns the name of the model, if one is used.
    pub fn model(&self) -> Option<String> {
        match self {
            Self::Both(meaning) => Some(meaning.name().to_owned()),
            Self::Words | Self::WordsAlone(_) | Self::WordsAgain => None,
        }
    }
}

fn unavailable(failure: Failure) -> Error {
    refuse(
        ErrorCode::SemanticSearchUnavailable,
        format!("`mode` is `semantic` and {failure}; expected `auto` or `keyword`"),
        "Leave mode out to search by words.",
    )
}

/// Returns the error for a page of a semantic answer if there is no embedder now.
fn gone() -> Error {
    refuse(
        ErrorCode::InvalidCursor,
        "`cursor` is of an answer by meaning, and the embedder does not answer now; expected none",
        "Leave cursor out to start again.",
    )
}
