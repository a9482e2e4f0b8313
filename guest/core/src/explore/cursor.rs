//! The two cursors: where further items begin, and where the rest of cut items does. Each is bound
//! to its subject and to the sources that the items were made from.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_api::types::{Error, ErrorCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::pack::hex;
use crate::cursor::Fingerprint;
use crate::limits::{CURSOR_CHARS, EXPLORE_CHARS};
use crate::refusal::refuse;

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

/// A cursor as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read<T> {
    /// Where to go on.
    pub at: T,
    /// The sources it was made from.
    pub sources: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire<T> {
    v: u32,
    f: String,
    s: String,
    at: T,
}

/// Returns the cursor for `at` in what `request` stands for.
pub fn encode<T: Serialize>(request: Fingerprint, sources: u64, at: T) -> String {
    let place = serde_json::to_string(&at).unwrap_or_default();
    let wire = Wire {
        v: VERSION,
        f: request.with(&hex(sources)).with(&place).text(),
        s: hex(sources),
        at,
    };
    URL_SAFE_NO_PAD.encode(serde_json::to_string(&wire).unwrap_or_default())
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
        let sources = u64::from_str_radix(&wire.s, 16).ok()?;
        let is_ours = wire.v == VERSION && encode(request, sources, wire.at) == text;
        is_ours.then_some(Read {
            at: wire.at,
            sources,
        })
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

    #[test]
    fn come_back() {
        let place = Place { docs: 3, code: 0 };
        let text = encode(request(), 7, place);
        assert_eq!(
            decode(request(), "items", &text),
            Ok(Read {
                at: place,
                sources: 7
            })
        );
        let text = encode(request(), 7, REST);
        assert_eq!(
            decode(request(), "content", &text).map(|read| read.at),
            Ok(REST)
        );
        // One is not the other, nor another request's.
        assert!(decode::<Place>(request(), "items", &text).is_err());
        assert!(decode::<Rest>(request().with("x"), "content", &text).is_err());
    }

    proptest! {
        #[test]
        fn every_changed_bit_is_refused(at: prop::sample::Index, bit in 0..8u8) {
            let mut bytes = encode(request(), 7, REST).into_bytes();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            if let Ok(changed) = String::from_utf8(bytes) {
                prop_assert!(decode::<Rest>(request(), "content", &changed).is_err(), "{changed}");
            }
        }
    }
}
