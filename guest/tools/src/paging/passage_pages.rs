//! The pages of an answer made of passages: the start of each, and the line that names the next.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_api::types::{Error, ErrorCode};
use docent_rank::pages::{Page, Pages};
use docent_text::saturating::saturating_u32;
use docent_text::tokens::estimate::{charge, count_parts};
use docent_tree::error::refuse;
use serde_json::Value;

use crate::limits::{CURSOR_CHAR_TOKENS, NEXT_CALL_BYTES, PASSAGE_PAGES};
use crate::paging::cursor::{Fingerprint, invalid_cursor};

/// Order of the documents that a cursor counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankingOrder {
    /// Lexical.
    Lexical,
    /// Lexical and semantic.
    Semantic,
}

impl RankingOrder {
    /// Returns the first byte of a cursor.
    fn version(self) -> u8 {
        match self {
            Self::Lexical => 1,
            Self::Semantic => 2,
        }
    }

    /// Returns the number of bytes of a cursor: its version, its numbers, and a digest of these and
    /// the request. A multiple of three, so that each cursor has only one encoding.
    fn bytes(self) -> usize {
        match self {
            Self::Lexical => 15,
            Self::Semantic => 27,
        }
    }

    fn characters(self) -> usize {
        self.bytes() / 3 * 4
    }
}

/// Start of a page. Pages are rebuilt from the first one, so that a cursor need not hold their
/// content; a digest verifies that they are unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageStart {
    /// Index in the ranking of the first document of the answer, from 0.
    pub first: u32,
    /// Number of pages given so far from these documents.
    pub pages: u16,
    /// Digest of these pages.
    pub digest: u32,
    /// Basis of the semantic ranking, if any.
    pub semantic: Option<SemanticStart>,
}

/// Basis of a semantic ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemanticStart {
    /// Number of vectors that the embedder knew.
    pub moment: u64,
    /// Digest of the ranking.
    pub ranking: u32,
}

impl PageStart {
    /// Returns the order of the documents that it counts.
    pub fn order(self) -> RankingOrder {
        if self.semantic.is_some() {
            RankingOrder::Semantic
        } else {
            RankingOrder::Lexical
        }
    }

    /// Decodes the start of a cursor's page, which is the beginning without a cursor.
    ///
    /// # Errors
    /// `invalid-cursor` if [`PageStart::encode`] did not return it for the same fingerprint.
    pub fn decode(fingerprint: Fingerprint, cursor: Option<&str>) -> Result<Self, Error> {
        let Some(cursor) = cursor else {
            return Ok(Self::default());
        };
        let start = parse(cursor).filter(|start| {
            let is_within = start.pages < PASSAGE_PAGES && *start != Self::default();
            // Encoding it again verifies that it belongs to this request, and that it is the
            // only encoding.
            is_within && start.encode(fingerprint) == cursor
        });
        start.ok_or_else(invalid_cursor)
    }

    /// Returns the cursor for this start, which is not the very beginning.
    pub fn encode(self, fingerprint: Fingerprint) -> String {
        let order = self.order();
        let mut bytes = Vec::with_capacity(order.bytes());
        bytes.push(order.version());
        bytes.extend(self.first.to_be_bytes());
        bytes.extend(self.pages.to_be_bytes());
        bytes.extend(self.digest.to_be_bytes());
        if let Some(SemanticStart { moment, ranking }) = self.semantic {
            bytes.extend(moment.to_be_bytes());
            bytes.extend(ranking.to_be_bytes());
        }
        let own = URL_SAFE_NO_PAD.encode(&bytes);
        let check = fingerprint.with(&own).bytes();
        bytes.extend(&check[..order.bytes() - bytes.len()]);
        URL_SAFE_NO_PAD.encode(bytes)
    }
}

fn parse(cursor: &str) -> Option<PageStart> {
    // The length determines the order, and is checked before anything is allocated for the
    // text.
    let order = [RankingOrder::Lexical, RankingOrder::Semantic]
        .into_iter()
        .find(|order| order.characters() == cursor.len())?;
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (version, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first_chunk()?;
    let (pages, rest) = rest.split_first_chunk()?;
    let (digest, rest) = rest.split_first_chunk()?;
    let semantic = match order {
        RankingOrder::Lexical => None,
        RankingOrder::Semantic => {
            let (moment, rest) = rest.split_first_chunk()?;
            let (ranking, _) = rest.split_first_chunk()?;
            Some(SemanticStart {
                moment: u64::from_be_bytes(*moment),
                ranking: u32::from_be_bytes(*ranking),
            })
        }
    };
    (*version == order.version()).then_some(PageStart {
        first: u32::from_be_bytes(*first),
        pages: u16::from_be_bytes(*pages),
        digest: u32::from_be_bytes(*digest),
        semantic,
    })
}

/// Hint if the rest fits on no page.
pub const NO_ROOM: &str = "The rest does not fit into this budget; raise maxTokens.";

/// Tokens of a page available for passages.
#[derive(Clone, Copy, Debug)]
pub struct PageRoom {
    /// Room if it is the last page.
    pub whole: u32,
    /// Room if it names the next call.
    pub cut: u32,
    /// Room if it says that the rest does not fit.
    pub last: u32,
}

impl PageRoom {
    /// Returns the room of a page of `whole` tokens; naming the next call takes `next_call`.
    pub fn new(whole: u32, next_call: u32) -> Self {
        let no_room = charge(count_parts("\n") + count_parts(NO_ROOM));
        Self {
            whole,
            cut: whole.saturating_sub(next_call),
            last: whole.saturating_sub(no_room),
        }
    }
}

/// Returns the page that starts at `start`, and the start of the next one. The first page of the
/// documents has the room `first`, the others have `later`. `behind` is the start of other
/// documents after the end of these.
///
/// # Errors
/// `invalid-cursor` if the earlier pages have changed.
pub fn page(
    pages: &mut Pages<'_>,
    start: PageStart,
    (first, later): (PageRoom, PageRoom),
    behind: Option<PageStart>,
) -> Result<(Page, Option<PageStart>), Error> {
    // Pages are rebuilt from the first one to find where this page begins, since the cursor has
    // no room for what was shown. If the digest of the rebuilt pages differs, a document has
    // changed, and the page would repeat or omit passages: the caller is told to start again.
    for number in 0..start.pages {
        let room = if number == 0 { first } else { later };
        pages.pass(room.whole, room.cut);
    }
    if start.pages > 0 && short(pages.digest()) != start.digest {
        return Err(changed_error());
    }
    let room = if start.pages == 0 { first } else { later };
    let page = pages.page(room.whole, room.cut, room.last, behind.is_some());
    let next = if !page.names_next {
        None
    } else if !page.has_more {
        behind
    } else if page.passages.is_empty() || start.pages + 1 >= PASSAGE_PAGES {
        None
    } else {
        Some(PageStart {
            first: start.first,
            pages: start.pages + 1,
            digest: short(pages.digest()),
            semantic: start.semantic,
        })
    };
    Ok((page, next))
}

/// Returns the error for a cursor whose documents have changed.
pub fn changed_error() -> Error {
    refuse(
        ErrorCode::InvalidCursor,
        "`cursor` belongs to documents that have changed since; expected one from a newer answer",
        "Leave cursor out to start again.",
    )
}

/// Returns the digest in the form used by cursors.
pub fn short(digest: u64) -> u32 {
    // The upper half, into which the lower one has been mixed.
    (digest >> 32) as u32
}

/// Returns the tokens of the line that names the next call, after an empty line: exactly the text
/// that templates write with `next_page`, except for the cursor.
pub fn next_call_tokens(
    tool: &str,
    arguments: &[(&str, Option<Value>)],
    max_tokens: u32,
    order: RankingOrder,
) -> u32 {
    let given = arguments
        .iter()
        .filter_map(|(name, value)| Some(format!("\"{name}\":{}", value.as_ref()?)));
    let cursor = format!("\"cursor\":\"{}\"", "A".repeat(order.characters()));
    let given: Vec<String> = given.chain([cursor.clone()]).collect();
    let mut line = format!("Next: {tool} {{{}}}", given.join(","));
    if line.len() > NEXT_CALL_BYTES.min(max_tokens) as usize {
        line = format!("Next: {tool} with the same arguments and {{{cursor}}}");
    }
    let line = line.replace("AAAA", "");
    charge(count_parts("\n") + count_parts(&line))
        + saturating_u32(order.characters()) * CURSOR_CHAR_TOKENS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request() -> Fingerprint {
        Fingerprint::new("smart-search").with("word")
    }

    fn start() -> impl Strategy<Value = PageStart> {
        let semantic = (any::<u64>(), any::<u32>())
            .prop_map(|(moment, ranking)| SemanticStart { moment, ranking });
        let semantic = proptest::option::of(semantic);
        (any::<u32>(), 0..PASSAGE_PAGES, any::<u32>(), semantic).prop_map(
            |(first, pages, digest, semantic)| PageStart {
                first,
                pages,
                digest,
                semantic,
            },
        )
    }

    #[test]
    fn without_a_cursor_it_is_the_beginning() {
        assert_eq!(PageStart::decode(request(), None), Ok(PageStart::default()));
        // Which has no cursor.
        let cursor = PageStart::default().encode(request());
        assert!(PageStart::decode(request(), Some(&cursor)).is_err());
    }

    #[test]
    fn a_long_call_is_named_by_what_changes() {
        let query = |length: usize| [("query", Some(Value::from("word ".repeat(length))))];
        let tokens = |length, most| {
            next_call_tokens("smart_search", &query(length), most, RankingOrder::Lexical)
        };
        assert!(tokens(20, 2000) > tokens(2, 2000));
        assert_eq!(tokens(100, 2000), tokens(60, 2000));
        assert_eq!(tokens(20, 100), tokens(100, 2000));
        assert!(tokens(100, 2000) < 50, "{}", tokens(100, 2000));
    }

    proptest! {
        #[test]
        fn comes_back_to_its_request(start in start()) {
            prop_assume!(start != PageStart::default());
            let cursor = start.encode(request());
            prop_assert_eq!(cursor.len(), start.order().characters());
            prop_assert_eq!(PageStart::decode(request(), Some(&cursor)), Ok(start));
            prop_assert!(PageStart::decode(request().with(""), Some(&cursor)).is_err());
        }

        #[test]
        fn every_flipped_bit_is_refused(start in start(), at in 0usize..36, bit in 0..8u8) {
            let mut bytes = start.encode(request()).into_bytes();
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            if let Ok(flipped) = String::from_utf8(bytes) {
                prop_assert!(PageStart::decode(request(), Some(&flipped)).is_err());
            }
        }
    }
}
