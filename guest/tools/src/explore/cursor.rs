//! The two cursors: where further items begin, and where the rest of cut items does. Each is bound
//! to its subject and to the sources that the items were made from. Where the time or a limit ended
//! a call before it had seen all files, a cursor also holds which segment of them it counts in.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_api::types::{Error, ErrorCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cursor::Fingerprint;
use crate::explore::pack::hex;
use crate::limits::{CURSOR_CHARS, EXPLORE_CHARS};
use docent_tree::error::refuse;

const VERSION: u32 = 1;

/// A place in the two groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Documents before it.
    #[serde(rename = "d")]
    pub docs: u32,
    /// Items of code before it.
    #[serde(rename = "c")]
    pub code: u32,
}

/// Where the rest of a page's cut items goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rest {
    /// Where the page began.
    #[serde(rename = "a")]
    pub from: Place,
    /// Where it ended.
    #[serde(rename = "b")]
    pub to: Place,
    /// Characters that each item had.
    #[serde(rename = "m")]
    pub share: u32,
    /// Which item of the page goes on, in the order in which they are shown.
    #[serde(rename = "i")]
    pub item: u32,
    /// Bytes of its text that were given.
    #[serde(rename = "o")]
    pub given: u64,
}

/// Some of the files that a subject stands for: all of them, unless the time or a limit ended a call
/// before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Where it begins; none at the beginning.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Spot>,
    /// How many files, directories and paths it has; none up to the last file.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// How often as many of its files as may come at once have come before.
    #[serde(rename = "r", default, skip_serializing_if = "is_zero")]
    pub round: u32,
}

/// A place among the files that a subject stands for, in the order in which they are looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spot {
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

fn is_all(segment: &Segment) -> bool {
    *segment == Segment::default()
}

/// A cursor as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read<T> {
    /// Where to go on.
    pub at: T,
    /// The segment that this is in.
    pub segment: Segment,
    /// The sources it was made from; 0 where none of them was looked at yet.
    pub sources: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire<T> {
    v: u32,
    f: String,
    s: String,
    #[serde(default, skip_serializing_if = "is_all")]
    of: Segment,
    at: T,
}

/// Returns the cursor for a place in what `request` stands for.
pub fn encode<T: Serialize + Copy>(request: Fingerprint, to: &Read<T>) -> String {
    let json = |value: Result<String, serde_json::Error>| value.unwrap_or_default();
    let place = json(serde_json::to_string(&to.at));
    let segment = json(serde_json::to_string(&to.segment));
    let sources = hex(to.sources);
    let wire = Wire {
        v: VERSION,
        f: request.with(&sources).with(&segment).with(&place).text(),
        s: sources,
        of: to.segment.clone(),
        at: to.at,
    };
    URL_SAFE_NO_PAD.encode(json(serde_json::to_string(&wire)))
}

/// Returns where a cursor goes on.
///
/// # Errors
/// `invalid-cursor` for what [`encode`] did not give for the same request.
pub fn decode<T>(request: Fingerprint, name: &str, text: &str) -> Result<Read<T>, Error>
where
    T: Serialize + DeserializeOwned + Copy,
{
    let parse = || {
        if text.len() > CURSOR_CHARS {
            return None;
        }
        let wire: Wire<T> = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let read = Read {
            at: wire.at,
            segment: wire.of,
            sources: u64::from_str_radix(&wire.s, 16).ok()?,
        };
        let is_ours = wire.v == VERSION && encode(request, &read) == text;
        is_ours.then_some(read)
    };
    parse().ok_or_else(|| {
        refuse(
            ErrorCode::InvalidCursor,
            format!("`cursor` holds an `{name}` that does not belong to this request; expected that of an answer to the same arguments"),
            "Repeat the arguments of the first call or give its packId, or leave cursor out to start again.",
        )
    })
}

impl Rest {
    /// Whether it can be: the digest guards against mistakes, not against forgery.
    pub fn is_possible(&self) -> bool {
        (EXPLORE_CHARS.0..=EXPLORE_CHARS.1).contains(&self.share)
            && self.from.docs <= self.to.docs
            && self.from.code <= self.to.code
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request() -> Fingerprint {
        Fingerprint::new("explore")
    }

    const REST: Rest = Rest {
        from: Place { docs: 0, code: 2 },
        to: Place { docs: 20, code: 9 },
        share: 400,
        item: 3,
        given: 398,
    };

    fn read<T>(at: T, segment: Segment) -> Read<T> {
        Read {
            at,
            segment,
            sources: 7,
        }
    }

    #[test]
    fn come_back() {
        let places = [
            Segment::default(),
            Segment {
                from: Some(Spot {
                    path: 1,
                    after: "a/".to_owned(),
                }),
                steps: Some(3),
                round: 2,
            },
        ];
        for segment in places {
            let place = read(Place { docs: 3, code: 0 }, segment.clone());
            let text = encode(request(), &place);
            assert_eq!(decode(request(), "items", &text), Ok(place));
            let rest = read(REST, segment);
            let text = encode(request(), &rest);
            assert_eq!(decode(request(), "content", &text), Ok(rest));
            // One is not the other, nor another request's.
            assert!(decode::<Place>(request(), "items", &text).is_err());
            assert!(decode::<Rest>(request().with("x"), "content", &text).is_err());
        }
    }

    proptest! {
        #[test]
        fn every_changed_bit_is_refused(at: prop::sample::Index, bit in 0..8u8) {
            let mut bytes = encode(request(), &read(REST, Segment::default())).into_bytes();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            if let Ok(changed) = String::from_utf8(bytes) {
                prop_assert!(decode::<Rest>(request(), "content", &changed).is_err(), "{changed}");
            }
        }
    }
}
