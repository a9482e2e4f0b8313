//! The two cursors: where further items begin, and where the rest of cut items does. Each is bound
//! to its subject and to the sources that the items were made from.
//!
//! Where the time or a limit ended a call before it had seen all files, a cursor also holds in
//! which range of them it counts:
//!
//! ```text
//! files in the order of the scan   a b c d e f g h i j k l m n …
//! ScanRange                              |<-- steps -->|            one call's share of them
//! ScanPosition                           ^ from: path 0, after `c`
//!
//! the range's candidates, ranked   docs  g d  |  f i                code  h  |  e
//! ItemPosition                            ^ docs: 2                        ^ code: 1
//! CutItem                          g d h  were shown: `d` (item 2, after g and h) was cut at byte
//!                                  `offset` of its text, and had `share` characters
//! ```
//!
//! Within a range items are ranked, so a page is a position in two lists that a later call makes
//! again by looking at the same range; when the lists are used up, the next range begins where this
//! one ends. Why: `docs/decisions/scan-segments.md`, where a range is called a segment.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_api::types::{Error, ErrorCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cursor::Fingerprint;
use crate::explore::call_limits::Room;
use crate::explore::candidate::Group;
use crate::explore::sources::SourcesDigest;
use crate::explore::text::Unit;
use crate::limits::{CURSOR_CHARS, EXPLORE_CHARS};
use docent_tree::error::refuse;

const VERSION: u8 = 2;

/// A position in the lists of both groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemPosition {
    /// Documents before it.
    #[serde(rename = "d", default, skip_serializing_if = "is_zero")]
    pub docs: u32,
    /// Items of code before it.
    #[serde(rename = "c", default, skip_serializing_if = "is_zero")]
    pub code: u32,
    /// Items of settings and data before it.
    #[serde(rename = "t", default, skip_serializing_if = "is_zero")]
    pub data: u32,
}

/// The cut item of a page at which the rest of its cut items goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CutItem {
    /// Where the page began.
    #[serde(rename = "a")]
    pub from: ItemPosition,
    /// Where it ended.
    #[serde(rename = "b")]
    pub to: ItemPosition,
    /// What the texts of the page could take.
    #[serde(rename = "w")]
    pub page: u32,
    /// What the text of each item could take.
    #[serde(rename = "m")]
    pub share: u32,
    /// Whether both are counted in bytes, else in characters.
    #[serde(rename = "y", default, skip_serializing_if = "is_false")]
    pub in_bytes: bool,
    /// Which item of the page goes on, in the order in which they are shown.
    #[serde(rename = "i")]
    pub item: u32,
    /// Where it goes on in its text, in bytes.
    #[serde(rename = "o")]
    pub offset: u64,
}

/// A range of the files that a subject stands for: all of them, unless the time or a limit ended a
/// call before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScanRange {
    /// Where it begins; none at the beginning.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ScanPosition>,
    /// How many files, directories and paths it has; none up to the last file.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// How often as many of its files as may come at once have come before.
    #[serde(rename = "r", default, skip_serializing_if = "is_zero")]
    pub round: u32,
}

/// A position among the files that a subject stands for, in the order in which they are looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScanPosition {
    /// Index of the subject's path that is under way.
    #[serde(rename = "p")]
    pub path: u32,
    /// What was looked at last of it, a directory with `/` behind it; empty before its beginning.
    #[serde(rename = "a")]
    pub after: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl ScanRange {
    /// Whether it is all files.
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }
}

/// A decoded cursor: a position, the range of files that it counts in, and the digest of what the
/// items before it were made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedCursor<T> {
    /// Where to go on.
    pub position: T,
    /// The range that this is in.
    pub range: ScanRange,
    /// The sources it was made from; none where the range was not looked at yet.
    pub sources: Option<SourcesDigest>,
    /// How much the embedder knew that the order goes by; none where it goes by words.
    pub moment: Option<u64>,
}

/// What a cursor holds behind its version and its two digests.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body<T> {
    /// Left out where it is all files, as it nearly always is: cursors go through a model's
    /// context.
    #[serde(default, skip_serializing_if = "ScanRange::is_all")]
    of: ScanRange,
    /// How much the embedder knew; left out where the order goes by words.
    #[serde(rename = "k", default, skip_serializing_if = "Option::is_none")]
    moment: Option<u64>,
    at: T,
}

/// Bytes of a cursor before its body: the version, the fingerprint and the sources.
const HEAD_BYTES: usize = 1 + 8 + 8;

/// Returns the cursor for a position in what `request` stands for.
pub fn encode<T: Serialize + Copy>(request: Fingerprint, cursor: &DecodedCursor<T>) -> String {
    let body = Body {
        of: cursor.range.clone(),
        moment: cursor.moment,
        at: cursor.position,
    };
    // A record of numbers and strings has no form that JSON lacks. Bound by their JSON, so that a
    // field that is added later is bound as well.
    let body = serde_json::to_string(&body).unwrap_or_default();
    let sources = SourcesDigest::number(cursor.sources).to_be_bytes();
    let fingerprint = request
        .with(&SourcesDigest::to_hex(cursor.sources))
        .with(&body);
    let bytes = [
        &[VERSION][..],
        &fingerprint.bytes(),
        &sources,
        body.as_bytes(),
    ]
    .concat();
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the position and range that a cursor holds.
///
/// # Errors
/// `invalid-cursor` for what [`encode`] did not give for the same request.
pub fn decode<T>(request: Fingerprint, name: &str, text: &str) -> Result<DecodedCursor<T>, Error>
where
    T: Serialize + DeserializeOwned + Copy,
{
    parse(request, text).ok_or_else(|| {
        refuse(
            ErrorCode::InvalidCursor,
            format!(
                "`cursor.{name}` does not belong to this request; expected that of an answer to \
                 the same arguments"
            ),
            "Repeat the arguments of the first call or give its packId, or leave cursor out to start again.",
        )
    })
}

fn parse<T>(request: Fingerprint, text: &str) -> Option<DecodedCursor<T>>
where
    T: Serialize + DeserializeOwned + Copy,
{
    // Before anything is allocated for it: the text is whatever a model made of a cursor.
    if text.len() > CURSOR_CHARS {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (head, body) = bytes.split_at_checked(HEAD_BYTES)?;
    let (_, sources) = head.split_last_chunk::<8>()?;
    let body: Body<T> = serde_json::from_slice(body).ok()?;
    let cursor = DecodedCursor {
        position: body.at,
        range: body.of,
        sources: SourcesDigest::new(u64::from_be_bytes(*sources)),
        moment: body.moment,
    };
    // Encoding it again checks the version and the fingerprint, and that no second text means the
    // same cursor.
    (encode(request, &cursor) == text).then_some(cursor)
}

impl ItemPosition {
    /// Returns how many items of a group are before it.
    pub fn of(self, group: Group) -> u32 {
        match group {
            Group::Docs => self.docs,
            Group::Code => self.code,
            Group::Data => self.data,
        }
    }

    /// Goes behind the next item of a group.
    pub fn advance(&mut self, group: Group) {
        match group {
            Group::Docs => self.docs += 1,
            Group::Code => self.code += 1,
            Group::Data => self.data += 1,
        }
    }
}

impl CutItem {
    /// Returns the room that the texts of the page had.
    pub fn room(&self) -> Room {
        Room {
            page: self.page as usize,
            item: self.share as usize,
            unit: if self.in_bytes {
                Unit::Bytes
            } else {
                Unit::Chars
            },
        }
    }

    /// Whether it can be: the digest guards against mistakes, not against forgery.
    pub fn is_possible(&self) -> bool {
        let is_room = |room| (EXPLORE_CHARS.0..=EXPLORE_CHARS.1).contains(room);
        is_room(&self.share)
            && is_room(&self.page)
            && self.from.docs <= self.to.docs
            && self.from.code <= self.to.code
            && self.from.data <= self.to.data
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request() -> Fingerprint {
        Fingerprint::new("explore")
    }

    const CUT: CutItem = CutItem {
        from: ItemPosition {
            docs: 0,
            code: 2,
            data: 0,
        },
        to: ItemPosition {
            docs: 20,
            code: 9,
            data: 1,
        },
        page: 4000,
        share: 400,
        in_bytes: true,
        item: 3,
        offset: 398,
    };

    fn cursor<T>(position: T, range: ScanRange) -> DecodedCursor<T> {
        let moment = range.from.as_ref().map(|_| 40);
        DecodedCursor {
            position,
            range,
            sources: SourcesDigest::new(7),
            moment,
        }
    }

    #[test]
    fn come_back() {
        let ranges = [
            ScanRange::default(),
            ScanRange {
                from: Some(ScanPosition {
                    path: 1,
                    after: "a/".to_owned(),
                }),
                steps: Some(3),
                round: 2,
            },
        ];
        for range in ranges {
            let position = cursor(
                ItemPosition {
                    docs: 3,
                    code: 0,
                    data: 0,
                },
                range.clone(),
            );
            let text = encode(request(), &position);
            assert_eq!(decode(request(), "items", &text), Ok(position));
            let rest = cursor(CUT, range);
            let text = encode(request(), &rest);
            assert_eq!(decode(request(), "content", &text), Ok(rest));
            // One is not the other, nor another request's.
            assert!(decode::<ItemPosition>(request(), "items", &text).is_err());
            assert!(decode::<CutItem>(request().with("x"), "content", &text).is_err());
        }
    }

    proptest! {
        #[test]
        fn every_changed_bit_is_refused(at: prop::sample::Index, bit in 0..8u8) {
            let mut bytes = encode(request(), &cursor(CUT, ScanRange::default())).into_bytes();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            if let Ok(changed) = String::from_utf8(bytes) {
                prop_assert!(decode::<CutItem>(request(), "content", &changed).is_err(), "{changed}");
            }
        }
    }
}
