//! Position of the next page of a search.
//!
//! The tree is searched in the order of its paths, a range at a time. Within a range the
//! documents with most hits are listed first, over as many pages as that takes: each page searches
//! the range again, and a digest of the documents listed by earlier pages detects whether they
//! are still the same and the first. If so, they are omitted; otherwise the range is listed again
//! in the order of its paths. So a document that changes between two pages may be listed twice, and
//! is never lost.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_api::types::Error;

use crate::limits::CURSOR_CHARS;
use crate::paging::cursor::{self, Fingerprint, is_place};

/// The form of [`cursor`] itself has version 1.
const VERSION: u32 = 2;

/// Start of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchPosition {
    /// Path after which its range begins, or `None` for the beginning.
    pub after: Option<String>,
    /// Documents of the range listed so far, or `None` if there are none.
    pub listed: Option<ListedDocuments>,
}

/// Documents of a range that earlier pages have listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDocuments {
    /// Number of documents, those with most hits.
    pub number: u32,
    /// Digest of their paths and counts.
    pub digest: String,
    /// Last path of the range, or `None` if it extends to the end.
    pub until: Option<String>,
}

impl SearchPosition {
    /// Returns the position at the beginning of a range.
    pub fn after(path: String) -> Self {
        Self {
            after: Some(path),
            listed: None,
        }
    }

    /// Decodes the position of a request's cursor.
    ///
    /// # Errors
    /// `invalid-cursor` if [`SearchPosition::encode`] did not return it for the same fingerprint.
    pub fn decode(fingerprint: Fingerprint, cursor: Option<&str>) -> Result<Self, Error> {
        let Some(cursor) = cursor else {
            return Ok(Self::default());
        };
        match decode_range(fingerprint, cursor) {
            Some(position) => Ok(position),
            None => cursor::decode(fingerprint, cursor).map(Self::after),
        }
    }

    /// Returns the cursor for this position, which is not the very beginning.
    pub fn encode(&self, fingerprint: Fingerprint) -> String {
        let after = self.after.as_deref().unwrap_or_default();
        let Some(listed) = &self.listed else {
            return cursor::encode(fingerprint, after);
        };
        let until = listed.until.as_deref().unwrap_or_default();
        let cursor = encode_range(fingerprint, listed, after, until);
        if cursor.len() <= CURSOR_CHARS {
            return cursor;
        }
        // Two paths of the maximum length do not fit into a cursor. The end of the range is
        // left out then, and the next page searches beyond it. If it finds documents with more
        // hits there, those listed are no longer the first, and the range is listed again:
        // documents may be repeated, but none is lost.
        encode_range(fingerprint, listed, after, "")
    }
}

/// The version, the digest of the rest, the number listed and their digest, `after` and `until`; an
/// empty text stands for no path.
type RangeCursor<'a> = (u32, &'a str, u32, &'a str, &'a str, &'a str);

fn encode_range(
    fingerprint: Fingerprint,
    listed: &ListedDocuments,
    after: &str,
    until: &str,
) -> String {
    let own = own_digest(fingerprint, listed.number, &listed.digest, after, until);
    let digest = listed.digest.as_str();
    let cursor: RangeCursor<'_> = (VERSION, &own, listed.number, digest, after, until);
    // An array of numbers and strings can always be serialized as JSON.
    URL_SAFE_NO_PAD.encode(serde_json::to_string(&cursor).unwrap_or_default())
}

fn decode_range(fingerprint: Fingerprint, text: &str) -> Option<SearchPosition> {
    // The length is checked before decoding, which allocates.
    if text.len() > CURSOR_CHARS {
        return None;
    }
    let json = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (version, own, number, digest, after, until): (u32, String, u32, String, String, String) =
        serde_json::from_slice(&json).ok()?;
    let is_ours = version == VERSION
        && number > 0
        && [&after, &until]
            .into_iter()
            .all(|path| path.is_empty() || is_place(path))
        && own == own_digest(fingerprint, number, &digest, &after, &until);
    let place = |path: String| (!path.is_empty()).then_some(path);
    let position = SearchPosition {
        after: place(after),
        listed: Some(ListedDocuments {
            number,
            digest,
            until: place(until),
        }),
    };
    // Encoding it again verifies that no other text is accepted as the same cursor.
    (is_ours && position.encode(fingerprint) == text).then_some(position)
}

fn own_digest(
    fingerprint: Fingerprint,
    number: u32,
    digest: &str,
    after: &str,
    until: &str,
) -> String {
    fingerprint
        .with(&number.to_string())
        .with(digest)
        .with(after)
        .with(until)
        .text()
}

#[cfg(test)]
mod tests {
    use docent_api::types::ErrorCode;
    use proptest::prelude::*;

    use super::*;

    fn request() -> Fingerprint {
        Fingerprint::new("search-documents").with("word")
    }

    fn position(after: &str, until: &str) -> SearchPosition {
        let place = |path: &str| (!path.is_empty()).then(|| path.to_owned());
        SearchPosition {
            after: place(after),
            listed: Some(ListedDocuments {
                number: 7,
                digest: request().text(),
                until: place(until),
            }),
        }
    }

    #[test]
    fn comes_back() {
        for position in [
            position("", ""),
            position("a/", ""),
            position("", "z.md"),
            position("한글/é \"q\".md", "z/"),
            SearchPosition::after("a.md".to_owned()),
        ] {
            let cursor = position.encode(request());
            assert_eq!(
                SearchPosition::decode(request(), Some(&cursor)),
                Ok(position)
            );
        }
    }

    #[test]
    fn belongs_to_its_request() {
        let cursor = position("a.md", "").encode(request());
        let other = SearchPosition::decode(request().with(""), Some(&cursor));
        assert_eq!(other.map_err(|e| e.code), Err(ErrorCode::InvalidCursor));
    }

    #[test]
    fn two_long_paths_fit() {
        let long = "x".repeat(docent_corpus::limits::CURSOR_PATH_BYTES);
        let cursor = position(&long, &long).encode(request());
        assert!(cursor.len() <= CURSOR_CHARS);
        let decoded = SearchPosition::decode(request(), Some(&cursor));
        assert_eq!(decoded, Ok(position(&long, "")));
    }

    proptest! {
        #[test]
        fn every_flipped_bit_is_refused(
            after in "[a-z가-힣]{0,20}",
            until in "[a-z]{0,20}",
            at: prop::sample::Index,
            bit in 0..8u8,
        ) {
            let cursor = position(&after, &until).encode(request());
            let mut bytes = cursor.clone().into_bytes();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            if let Ok(flipped) = String::from_utf8(bytes) {
                let decoded = SearchPosition::decode(request(), Some(&flipped));
                prop_assert!(decoded.is_err(), "{} {}", cursor, flipped);
            }
        }
    }
}
