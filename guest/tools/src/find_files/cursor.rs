//! Cursors of `find-files`: the position at which the scan continues, or the segment to scan again.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_api::find::StopReason;
use docent_api::types::{Error, ErrorCode};
use serde::{Deserialize, Serialize};

use crate::find_files::best::{MatchKey, MatchOrder};
use crate::limits::CURSOR_CHARS;
use crate::paging::cursor::{Fingerprint, invalid_cursor};
use docent_tree::error::refuse;
use docent_tree::limits::{PATH_BYTES, SEGMENT_BYTES};

const VERSION: u32 = 1;

/// Content of the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextPage {
    /// Matches of a scan that starts after this position.
    ScanOn(String),
    /// The rest of a segment.
    ShowMore(ScanSegment),
}

/// A part of a scan whose best matches were shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanSegment {
    /// The match that was shown last.
    pub behind: MatchKey,
    /// Position at which the segment begins, or `None` for the beginning of the scan.
    pub after: Option<String>,
    /// End of the segment, or `None` for the end of the scan.
    pub end: Option<SegmentEnd>,
}

/// End of a segment before the end of the scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentEnd {
    /// Its position.
    pub position: String,
    /// Reason for the end.
    pub stopped_by: StopReason,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CursorForm {
    v: u32,
    /// The order.
    s: String,
    /// Time of the match shown last; null if the scan continues.
    t: Option<i64>,
    /// Path of that match, or the position at which the scan continues.
    p: String,
    /// Position at which the segment begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    a: Option<String>,
    /// Position at which the segment ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    e: Option<String>,
    /// Reason for which the segment ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    b: Option<String>,
    /// Digest of the request and of all other fields.
    f: String,
}

const STOPS: [(&str, StopReason); 3] = [
    ("timeout", StopReason::Timeout),
    ("files", StopReason::Files),
    ("directories", StopReason::Directories),
];

/// Returns the cursor for the next page of the request of `fingerprint` in `order`.
///
/// # Errors
/// `limit-reached` if it would be too long.
pub fn encode(
    fingerprint: Fingerprint,
    order: MatchOrder,
    resume: &NextPage,
) -> Result<String, Error> {
    let mut form = match resume {
        NextPage::ScanOn(position) => CursorForm {
            p: position.clone(),
            ..CursorForm::default()
        },
        NextPage::ShowMore(segment) => CursorForm {
            t: Some(segment.behind.time),
            p: segment.behind.path.clone(),
            a: segment.after.clone(),
            e: segment.end.as_ref().map(|end| end.position.clone()),
            b: segment.end.as_ref().and_then(|end| {
                let named = STOPS.iter().find(|(_, stop)| *stop == end.stopped_by);
                named.map(|(name, _)| (*name).to_owned())
            }),
            ..CursorForm::default()
        },
    };
    form.v = VERSION;
    form.s = name(order).to_owned();
    form.f = form.digest(fingerprint);
    let text = form.text();
    if text.len() > CURSOR_CHARS {
        return Err(refuse(
            ErrorCode::LimitReached,
            format!(
                "the cursor to the next page takes {} characters; expected at most {CURSOR_CHARS}",
                text.len()
            ),
            "Paths are too long here for a cursor: name a deeper directory in path, or raise limit \
             and the scan's caps.",
        ));
    }
    Ok(text)
}

/// Decodes the content of the page of `cursor`, in a scan that starts at the path `start`.
///
/// # Errors
/// `invalid-cursor` if [`encode`] did not return it for the same fingerprint and order.
pub fn decode(
    fingerprint: Fingerprint,
    order: MatchOrder,
    start: &str,
    cursor: &str,
) -> Result<NextPage, Error> {
    parse(fingerprint, order, start, cursor).ok_or_else(invalid_cursor)
}

fn parse(fingerprint: Fingerprint, order: MatchOrder, start: &str, text: &str) -> Option<NextPage> {
    // The length is checked before decoding, which allocates.
    if text.len() > CURSOR_CHARS {
        return None;
    }
    let json = URL_SAFE_NO_PAD.decode(text).ok()?;
    let form: CursorForm = serde_json::from_slice(&json).ok()?;
    // JSON and base64 have many encodings of one value, such as other spaces between the
    // fields. Only the encoding that was issued is accepted, so that equal cursors are equal
    // texts.
    let is_ours = form.v == VERSION
        && form.s == name(order)
        && form.f == form.digest(fingerprint)
        && form.text() == text;
    let is_valid = |position: &Option<String>| {
        let position = position.as_deref();
        position.is_none_or(|position| is_position(position, start))
    };
    if !is_ours || !is_valid(&form.a) || !is_valid(&form.e) {
        return None;
    }
    // Without a time it is a position, and must not have any field of a segment.
    let Some(time) = form.t else {
        let is_plain = form.a.is_none() && form.e.is_none() && form.b.is_none();
        return (is_plain && is_position(&form.p, start)).then_some(NextPage::ScanOn(form.p));
    };
    let end = match (form.e, form.b) {
        (None, None) => None,
        (Some(position), Some(stop)) => {
            let named = STOPS.iter().find(|(name, _)| *name == stop);
            Some(SegmentEnd {
                position,
                stopped_by: named?.1,
            })
        }
        _ => return None,
    };
    // In the order of paths a scan stops as soon as its page is full, so no segment is scanned
    // twice.
    (order != MatchOrder::Path && is_path(&form.p)).then_some(NextPage::ShowMore(ScanSegment {
        behind: MatchKey { time, path: form.p },
        after: form.a,
        end,
    }))
}

impl CursorForm {
    fn text(&self) -> String {
        // A record of numbers and strings can always be serialized as JSON.
        URL_SAFE_NO_PAD.encode(serde_json::to_string(self).unwrap_or_default())
    }

    fn digest(&self, fingerprint: Fingerprint) -> String {
        fingerprint
            .with(&self.s)
            .with_optional(self.t.map(|time| time.to_string()).as_deref())
            .with(&self.p)
            .with_optional(self.a.as_deref())
            .with_optional(self.e.as_deref())
            .with_optional(self.b.as_deref())
            .text()
    }
}

fn name(order: MatchOrder) -> &'static str {
    match order {
        MatchOrder::Latest => "time-desc",
        MatchOrder::Earliest => "time-asc",
        MatchOrder::Path => "path-asc",
    }
}

/// Returns true if a text is a position in a scan from `start`: the path of the entry visited last,
/// with a trailing `/` if the scan was about to enter that directory.
fn is_position(text: &str, start: &str) -> bool {
    let is_beneath = start.is_empty()
        || text
            .strip_prefix(start)
            .is_some_and(|rest| rest.starts_with('/'));
    // `a/` means that the directory `a` is entered next.
    let path = text.strip_suffix('/').unwrap_or(text);
    is_beneath && (text.is_empty() || is_path(path))
}

/// Returns true if a text is the path of a match.
fn is_path(text: &str) -> bool {
    let is_segment = |segment: &str| {
        !matches!(segment, "" | "." | "..")
            && segment.len() <= SEGMENT_BYTES
            && !segment.contains('\0')
    };
    text == "." || (text.len() <= PATH_BYTES && text.split('/').all(is_segment))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request() -> Fingerprint {
        Fingerprint::new("find-files").with("docs")
    }

    fn code(resume: Result<NextPage, Error>) -> Result<NextPage, ErrorCode> {
        resume.map_err(|error| error.code)
    }

    fn again(path: &str, after: Option<&str>, until: Option<&str>) -> NextPage {
        NextPage::ShowMore(ScanSegment {
            behind: MatchKey {
                time: -1,
                path: path.to_owned(),
            },
            after: after.map(str::to_owned),
            end: until.map(|position| SegmentEnd {
                position: position.to_owned(),
                stopped_by: StopReason::Files,
            }),
        })
    }

    fn resumes() -> Vec<NextPage> {
        vec![
            NextPage::ScanOn(String::new()),
            NextPage::ScanOn(".".to_owned()),
            NextPage::ScanOn("a/b/".to_owned()),
            NextPage::ScanOn("한글/\"q\"\n".to_owned()),
            again("a", None, None),
            again(".", Some(""), Some("b/")),
            again("a/c", None, Some("a/d")),
            again("a/c", Some("a/"), None),
        ]
    }

    #[test]
    fn comes_back() -> Result<(), Error> {
        for resume in resumes() {
            let text = encode(request(), MatchOrder::Latest, &resume)?;
            assert_eq!(decode(request(), MatchOrder::Latest, "", &text)?, resume);
        }
        Ok(())
    }

    #[test]
    fn has_the_members_that_are_promised() -> Result<(), Error> {
        let text = encode(request(), MatchOrder::Earliest, &again("a/c", None, None))?;
        let json = URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
        let object: serde_json::Value = serde_json::from_slice(&json).unwrap_or_default();
        assert_eq!(object["v"], 1);
        assert_eq!(object["s"], "time-asc");
        assert_eq!(object["t"], -1);
        assert_eq!(object["p"], "a/c");
        Ok(())
    }

    #[test]
    fn belongs_to_its_request_and_order() -> Result<(), Error> {
        for resume in resumes() {
            let text = encode(request(), MatchOrder::Latest, &resume)?;
            let other = request().with("");
            let refused = Err(ErrorCode::InvalidCursor);
            assert_eq!(code(decode(other, MatchOrder::Latest, "", &text)), refused);
            assert_eq!(
                code(decode(request(), MatchOrder::Earliest, "", &text)),
                refused
            );
            assert_eq!(
                code(decode(request(), MatchOrder::Path, "", &text)),
                refused
            );
        }
        Ok(())
    }

    #[test]
    fn forged_positions_are_refused() -> Result<(), Error> {
        for path in [
            "/", "/a", "../a", "a/../b", "a//", "./a", "a/.", "a\0", "b/x", "a", "", "ab/x",
        ] {
            let text = encode(
                request(),
                MatchOrder::Latest,
                &NextPage::ScanOn(path.to_owned()),
            )?;
            let decoded = decode(request(), MatchOrder::Latest, "a", &text);
            assert_eq!(code(decoded), Err(ErrorCode::InvalidCursor), "{path:?}");
        }
        for path in ["", "/a", "..", "a/", "a/../b", "a\0"] {
            let text = encode(request(), MatchOrder::Latest, &again(path, None, None))?;
            let decoded = decode(request(), MatchOrder::Latest, "", &text);
            assert_eq!(code(decoded), Err(ErrorCode::InvalidCursor), "{path:?}");
        }
        let text = encode(request(), MatchOrder::Path, &again("a", None, None))?;
        let decoded = decode(request(), MatchOrder::Path, "", &text);
        assert_eq!(code(decoded), Err(ErrorCode::InvalidCursor));
        Ok(())
    }

    #[test]
    fn forms_that_do_not_fit_together_are_refused() {
        let forms = [
            CursorForm {
                e: Some("a".to_owned()),
                t: Some(1),
                ..CursorForm::default()
            },
            CursorForm {
                b: Some("files".to_owned()),
                t: Some(1),
                ..CursorForm::default()
            },
            CursorForm {
                e: Some("a".to_owned()),
                b: Some("limit".to_owned()),
                t: Some(1),
                ..CursorForm::default()
            },
            CursorForm {
                a: Some("a".to_owned()),
                ..CursorForm::default()
            },
        ];
        for mut form in forms {
            form.v = VERSION;
            form.s = "time-desc".to_owned();
            form.p = "a".to_owned();
            form.f = form.digest(request());
            let decoded = decode(request(), MatchOrder::Latest, "", &form.text());
            assert_eq!(code(decoded), Err(ErrorCode::InvalidCursor), "{form:?}");
        }
    }

    #[test]
    fn foreign_versions_nesting_and_size_are_refused() {
        let of_version = |v| {
            let mut form = CursorForm {
                v,
                s: "time-desc".to_owned(),
                p: "a".to_owned(),
                ..CursorForm::default()
            };
            form.f = form.digest(request());
            form.text()
        };
        let decoded = |text: &str| code(decode(request(), MatchOrder::Latest, "", text));
        assert!(decoded(&of_version(1)).is_ok());
        for text in [
            of_version(0),
            of_version(2),
            String::new(),
            "{}".to_owned(),
            URL_SAFE_NO_PAD.encode("[".repeat(3000)),
            URL_SAFE_NO_PAD.encode(format!("{{\"v\":{}", "[".repeat(2000))),
            URL_SAFE_NO_PAD.encode(format!(
                "{{\"x\":{}{}}}",
                "[".repeat(1000),
                "]".repeat(1000)
            )),
            "A".repeat(CURSOR_CHARS + 1),
        ] {
            assert_eq!(decoded(&text), Err(ErrorCode::InvalidCursor));
        }
    }

    #[test]
    fn what_is_too_long_is_never_cut() {
        let long = vec!["x".repeat(200); 10].join("/");
        assert!(encode(request(), MatchOrder::Latest, &again(&long, None, None)).is_ok());
        let refused = encode(
            request(),
            MatchOrder::Latest,
            &again(&long, Some(&long), None),
        );
        assert_eq!(
            refused.map_err(|error| error.code),
            Err(ErrorCode::LimitReached)
        );
    }

    proptest! {
        #[test]
        fn every_flipped_bit_is_refused(
            which: prop::sample::Index,
            at: prop::sample::Index,
            bit in 0..8u8,
        ) {
            let all = resumes();
            let cursor = encode(request(), MatchOrder::Latest, which.get(&all));
            let cursor = cursor.map_err(|error| TestCaseError::fail(error.message))?;
            let mut bytes = cursor.clone().into_bytes();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            if let Ok(flipped) = String::from_utf8(bytes) {
                prop_assert!(decode(request(), MatchOrder::Latest, "", &flipped).is_err(), "{cursor} {flipped}");
            }
        }

        #[test]
        fn anything_else_is_refused(text in ".{0,200}") {
            prop_assert!(decode(request(), MatchOrder::Latest, "", &text).is_err());
        }
    }
}
