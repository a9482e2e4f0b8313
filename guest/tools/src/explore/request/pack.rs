//! Packs: a subject as an opaque id that needs no memory, and its cached results in a warm
//! instance.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_api::types::{Error, ErrorCode};
use serde::{Deserialize, Serialize};

use crate::explore::request::kinds::FileKinds;
use crate::explore::request::sources::SourcesDigest;
use crate::explore::request::subject::{GlobPolicy, Subject, intent_of, letter};
use crate::limits::{CURSOR_CHARS, EXPLORE_PATHS, PACK_HOURS, QUERY_CHARS};
use crate::part::AskedPath;
use docent_tree::error::refuse;
use docent_tree::included::Inclusions;
use docent_tree::path::PathError;

const VERSION: u32 = 1;

/// Milliseconds of an hour.
const HOUR_MS: u64 = 3_600_000;

/// A subject, the time of its first request, and the digest of its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// The subject.
    pub subject: Subject,
    /// Hour of the first request about the subject, since 1970.
    pub hour: u64,
    /// Digest of the sources, or `None` if no answer has seen all of them yet.
    pub sources: Option<SourcesDigest>,
}

/// Content of a pack id, with short names, since it goes through the context of models.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    v: u32,
    /// The root.
    r: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    q: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    p: Vec<String>,
    /// 1 if paths may be globs.
    #[serde(default, skip_serializing_if = "is_zero")]
    g: u8,
    /// Entries included although names and rules exclude them.
    #[serde(default, skip_serializing_if = "is_zero")]
    h: u8,
    /// The kinds.
    k: u8,
    /// The intent.
    i: String,
    /// Hours since 1970.
    t: u64,
    /// The sources.
    s: String,
    /// Digest of all that.
    d: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &u8) -> bool {
    *number == 0
}

impl Pack {
    /// Returns its id, or `None` if the subject is too long for one.
    pub fn id(&self) -> Option<String> {
        let id = self.encode();
        (id.len() <= CURSOR_CHARS).then_some(id)
    }

    fn encode(&self) -> String {
        let subject = &self.subject;
        let wire = Wire {
            v: VERSION,
            r: subject.root.clone(),
            q: subject.query.clone(),
            p: subject.paths.iter().map(AskedPath::to_string).collect(),
            g: (subject.globs == GlobPolicy::Allowed).into(),
            h: subject.included.bits(),
            k: subject.kinds.bits(),
            i: letter(subject.intent).to_owned(),
            t: self.hour,
            s: SourcesDigest::to_hex(self.sources),
            d: self.digest(),
        };
        // A record of numbers and strings can always be serialized as JSON.
        URL_SAFE_NO_PAD.encode(serde_json::to_string(&wire).unwrap_or_default())
    }

    fn digest(&self) -> String {
        // It is the digest of cursors, so a change of the form of a subject invalidates packs
        // and cursors together.
        let subject = self.subject.fingerprint();
        let times = subject.with(&self.hour.to_string());
        times.with(&SourcesDigest::to_hex(self.sources)).text()
    }

    /// Decodes the pack of an id.
    ///
    /// # Errors
    /// `invalid-cursor` if [`Pack::id`] did not return the id, or if the pack has expired at
    /// `hour`.
    pub fn parse(id: &str, hour: u64) -> Result<Self, Error> {
        let pack = decode(id).ok_or_else(|| {
            refuse(
                ErrorCode::InvalidCursor,
                "`packId` is damaged or from another version; expected the `packId` of an answer",
                "Copy the id whole, or ask again with query or paths.",
            )
        })?;
        // The absolute difference is compared. A clock that is set back by an hour makes packs
        // that were issued an hour ahead, and these must stay valid.
        if hour.abs_diff(pack.hour) >= PACK_HOURS {
            return Err(refuse(
                ErrorCode::InvalidCursor,
                "`packId` has expired; expected one of the last 24 hours",
                "Ask again with query or paths.",
            ));
        }
        Ok(pack)
    }
}

fn decode(id: &str) -> Option<Pack> {
    // The length is checked before anything is allocated.
    if id.len() > CURSOR_CHARS {
        return None;
    }
    let wire: Wire = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(id).ok()?).ok()?;
    // The digest protects against mistakes, not against forgery: anybody can compute it. Every
    // value that a request cannot have, such as a thousand paths or an empty query, is
    // therefore refused here as well, so that an id is not a way around the limits of a
    // request.
    let is_usable = wire.v == VERSION
        && wire.p.len() <= EXPLORE_PATHS
        && wire
            .q
            .as_ref()
            .is_none_or(|query| (1..=QUERY_CHARS).contains(&query.chars().count()))
        && (wire.q.is_some() || !wire.p.is_empty());
    // A path on disk may have a first segment such as `c:`, which the parser would refuse as a
    // drive of Windows. The prefix `./` makes it a relative path, as the request that created
    // the pack wrote it.
    let paths = wire
        .p
        .iter()
        .map(|path| AskedPath::parse(&format!("./{path}")));
    let paths: Result<Vec<AskedPath>, PathError> = paths.collect();
    let pack = Pack {
        subject: Subject {
            query: wire.q,
            kinds: FileKinds::from_bits(wire.k)?,
            root: wire.r,
            paths: paths.ok()?,
            globs: GlobPolicy::from(wire.g == 1),
            included: Inclusions::from_bits(wire.h)?,
            intent: intent_of(&wire.i)?,
        },
        hour: wire.t,
        sources: SourcesDigest::from_hex(&wire.s).ok()?,
    };
    // Encoding the pack again verifies that it has the only form in which answers encode it:
    // JSON has many encodings of one value, such as its fields in another order.
    (is_usable && wire.d == pack.digest() && pack.encode() == id).then_some(pack)
}

/// Returns the hour of a time in milliseconds since 1970.
pub fn hour_of(milliseconds: i64) -> u64 {
    u64::try_from(milliseconds).unwrap_or(0) / HOUR_MS
}

/// Returns the beginning of an hour, in milliseconds since 1970.
pub fn start_of(hour: u64) -> i64 {
    i64::try_from(hour.saturating_mul(HOUR_MS)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use docent_api::pillars::Intent;
    use proptest::prelude::*;

    use super::*;

    fn paths(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<AskedPath> {
        let texts = texts.into_iter();
        texts
            .flat_map(|text| AskedPath::parse(text.as_ref()))
            .collect()
    }

    fn pack() -> Pack {
        Pack {
            subject: Subject {
                query: Some("설정 값".to_owned()),
                kinds: FileKinds {
                    docs: true,
                    code: true,
                    comments: true,
                    logs: false,
                    data: true,
                },
                root: "docs".to_owned(),
                paths: paths(["guide", "a.md"]),
                globs: GlobPolicy::Refused,
                included: Inclusions {
                    hidden: true,
                    ignored: false,
                },
                intent: Intent::Auto,
            },
            hour: 490_000,
            sources: SourcesDigest::new(0x1234),
        }
    }

    fn id() -> String {
        pack().id().unwrap_or_default()
    }

    #[test]
    fn comes_back_within_a_day() {
        for hour in [489_977, 490_000, 490_023] {
            assert_eq!(Pack::parse(&id(), hour), Ok(pack()));
        }
        for hour in [489_976, 490_024, u64::MAX] {
            let refused = Pack::parse(&id(), hour).map_err(|error| error.code);
            assert_eq!(refused, Err(ErrorCode::InvalidCursor));
        }
    }

    #[test]
    fn a_subject_that_is_too_long_has_no_id() {
        let mut long = pack();
        let names = (0..40).map(|n| format!("{n}{}", "x".repeat(100)));
        long.subject.paths = paths(names);
        assert_eq!(long.id(), None);
    }

    #[test]
    fn hours() {
        assert_eq!(hour_of(3_600_000 * 5 + 1), 5);
        assert_eq!(start_of(5), 3_600_000 * 5);
        assert_eq!(hour_of(-1), 0);
    }

    proptest! {
        #[test]
        fn every_changed_bit_is_refused(at: prop::sample::Index, bit in 0..8u8) {
            let mut bytes = id().into_bytes();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            if let Ok(changed) = String::from_utf8(bytes) {
                prop_assert!(Pack::parse(&changed, 490_000).is_err(), "{changed}");
            }
        }

        #[test]
        fn anything_else_is_refused(text in ".{0,200}") {
            prop_assert!(Pack::parse(&text, 490_000).is_err());
        }
    }
}
