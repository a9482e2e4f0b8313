//! The two cursors: the position of the next items, and the position of the rest of cut items. Each
//! is bound to its subject and to the sources from which the items were made.
//!
//! If the time or a limit ended a call before it had visited all files, a cursor also holds the
//! range of files in which it is valid:
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
//! Within a range items are ranked, so a page is a position in the lists that a later call rebuilds
//! from the same range; after the end of the lists, the next range begins at the end of this one.
//! `docs/decisions/scan-segments.md` gives the reasons and calls a range a segment.
//!
//! Cursors go through the context of models, so they are short: most have at most 24 characters of
//! base64url.
//!
//! ```text
//! byte 0      bits 0-1 the version, 2-3 the kind, 4 a range, 5 a moment, 6 sources,
//!             7 a flag of the kind
//! bytes 1-3   digest of the request and of all that follows
//! bytes 4-7   the sources, if there are any
//! then        the range, the moment and the position, as numbers of seven bits per byte
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_api::types::{Error, ErrorCode};

use crate::explore::request::call_limits::Room;
use crate::explore::request::group::Group;
use crate::explore::request::sources::SourcesDigest;
use crate::explore::request::unit::Unit;
use crate::limits::{CURSOR_CHARS, EXPLORE_CHARS};
use crate::paging::cursor::Fingerprint;
use docent_tree::error::refuse;

/// Version of the format, stored in two bits.
const VERSION: u8 = 3;

/// A position in the lists of all groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ItemPosition {
    /// Documents before it.
    pub docs: u32,
    /// Items of code before it.
    pub code: u32,
    /// Items of settings and data before it.
    pub data: u32,
}

/// The cut item of a page at which the rest of its cut items continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutItem {
    /// Position of the beginning of the page.
    pub from: ItemPosition,
    /// Position of the end of the page.
    pub to: ItemPosition,
    /// Room that the texts of the page had.
    pub page: u32,
    /// Room that the text of each item had.
    pub share: u32,
    /// True if both are counted in bytes, else in characters.
    pub in_bytes: bool,
    /// Index of the item whose text continues, in the order of the page.
    pub item: u32,
    /// Byte offset in its text at which it continues.
    pub offset: u64,
}

/// A range of the files of a subject: all of them, unless the time or a limit ended an earlier
/// call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanRange {
    /// Start of the range, or `None` for the first file.
    pub from: Option<ScanPosition>,
    /// Number of files, directories and paths in it, or `None` for all up to the last file.
    pub steps: Option<u32>,
    /// Number of earlier rounds, each of which gave the maximum number of its files.
    pub round: u32,
}

/// A position among the files of a subject, in the order of the scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanPosition {
    /// Index of the subject's current path.
    pub path: u32,
    /// The last entry visited below it, a directory with a trailing `/`; empty before the first
    /// one.
    pub after: String,
}

impl ScanRange {
    /// Returns true if it covers all files.
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }
}

/// A decoded cursor: a position, the range of files in which it is valid, and the digest of the
/// sources of the earlier items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedCursor<T> {
    /// Position at which to continue.
    pub position: T,
    /// Range that contains the position.
    pub range: ScanRange,
    /// Digest of the sources, or `None` if the range was not visited yet.
    pub sources: Option<SourcesDigest>,
    /// Number of vectors the embedder knew for this order, or `None` if the order is lexical.
    pub moment: Option<u64>,
}

/// Position to which a cursor points.
pub trait Position: Copy {
    /// Number, 0 to 3, that distinguishes its cursors from those of other positions.
    const KIND: u8;

    /// Returns the flag that is stored beside its numbers.
    fn flag(self) -> bool;

    /// Appends its numbers.
    fn write(self, numbers: &mut NumberWriter);

    /// Returns the position with these numbers and this flag, or `None` if they are invalid.
    fn read(numbers: &mut NumberReader<'_>, flag: bool) -> Option<Self>;
}

/// Numbers of a cursor, seven bits per byte, the lowest first; a set highest bit means that more
/// follow.
#[derive(Default)]
pub struct NumberWriter(Vec<u8>);

impl NumberWriter {
    fn add(&mut self, mut number: u64) {
        while number > 0x7F {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    /// Adds the numbers that are not 0, preceded by a bit set of their indices.
    fn add_sparse(&mut self, numbers: &[u32]) {
        let bits = numbers.iter().enumerate();
        let is_set = bits.map(|(bit, number)| u64::from(*number != 0) << bit);
        self.add(is_set.sum());
        let set = numbers.iter().filter(|number| **number != 0);
        set.for_each(|number| self.add(u64::from(*number)));
    }
}

/// The unread bytes of a cursor.
pub struct NumberReader<'b>(&'b [u8]);

impl NumberReader<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// Reads `N` numbers written by [`NumberWriter::add_sparse`].
    fn sparse<const N: usize>(&mut self) -> Option<[u32; N]> {
        let set = self.number()?;
        let mut numbers = [0; N];
        for (bit, number) in numbers.iter_mut().enumerate() {
            if set >> bit & 1 == 1 {
                *number = self.small()?;
            }
        }
        Some(numbers)
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

impl Position for ItemPosition {
    const KIND: u8 = 0;

    fn flag(self) -> bool {
        false
    }

    fn write(self, numbers: &mut NumberWriter) {
        numbers.add_sparse(&[self.docs, self.code, self.data]);
    }

    fn read(numbers: &mut NumberReader<'_>, _: bool) -> Option<Self> {
        let [docs, code, data] = numbers.sparse()?;
        Some(Self { docs, code, data })
    }
}

impl Position for CutItem {
    const KIND: u8 = 1;

    fn flag(self) -> bool {
        self.in_bytes
    }

    fn write(self, numbers: &mut NumberWriter) {
        let (from, to) = (self.from, self.to);
        numbers.add_sparse(&[
            from.docs, from.code, from.data, to.docs, to.code, to.data, self.item,
        ]);
        numbers.add(self.page.into());
        // Both numbers are nearly always equal, so their difference takes one byte. Its lowest
        // bit is the sign.
        let apart = u64::from(self.page.abs_diff(self.share));
        numbers.add(apart << 1 | u64::from(self.share > self.page));
        numbers.add(self.offset);
    }

    fn read(numbers: &mut NumberReader<'_>, in_bytes: bool) -> Option<Self> {
        let [docs, code, data, to_docs, to_code, to_data, item] = numbers.sparse()?;
        let (page, apart) = (numbers.small()?, numbers.number()?);
        let difference = u32::try_from(apart >> 1).ok()?;
        let share = match apart & 1 {
            0 => page.checked_sub(difference)?,
            _ => page.checked_add(difference)?,
        };
        Some(Self {
            from: ItemPosition { docs, code, data },
            to: ItemPosition {
                docs: to_docs,
                code: to_code,
                data: to_data,
            },
            page,
            share,
            in_bytes,
            item,
            offset: numbers.number()?,
        })
    }
}

/// Number of shown lines of a pattern.
impl Position for u32 {
    const KIND: u8 = 2;

    fn flag(self) -> bool {
        false
    }

    fn write(self, numbers: &mut NumberWriter) {
        numbers.add(self.into());
    }

    fn read(numbers: &mut NumberReader<'_>, _: bool) -> Option<Self> {
        numbers.small()
    }
}

/// Bits of the first byte after the version and the kind.
const HAS_RANGE: u8 = 1 << 4;
const HAS_MOMENT: u8 = 1 << 5;
const HAS_SOURCES: u8 = 1 << 6;
const FLAG: u8 = 1 << 7;

/// Bytes that the digest does not cover: the first byte and the digest itself.
const HEAD_BYTES: usize = 4;

/// Returns the cursor for a position in the results of `request`.
pub fn encode<T: Position>(request: Fingerprint, cursor: &DecodedCursor<T>) -> String {
    let bit = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
    let first = VERSION
        | T::KIND << 2
        | bit(!cursor.range.is_all(), HAS_RANGE)
        | bit(cursor.moment.is_some(), HAS_MOMENT)
        | bit(cursor.sources.is_some(), HAS_SOURCES)
        | bit(cursor.position.flag(), FLAG);
    let mut body = NumberWriter::default();
    if cursor.sources.is_some() {
        body.0
            .extend(SourcesDigest::number(cursor.sources).to_be_bytes());
    }
    if !cursor.range.is_all() {
        cursor.range.write(&mut body);
    }
    if let Some(moment) = cursor.moment {
        body.add(moment);
    }
    cursor.position.write(&mut body);
    let digest = request.with_bytes(&[first]).with_bytes(&body.0).bytes();
    let bytes = [&[first], &digest[..HEAD_BYTES - 1], &body.0].concat();
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes the position and range of a cursor.
///
/// # Errors
/// `invalid-cursor` if [`encode`] did not return it for the same request.
pub fn decode<T: Position>(
    request: Fingerprint,
    name: &str,
    text: &str,
) -> Result<DecodedCursor<T>, Error> {
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

/// Returns true if a text is a cursor of this kind of position, judged by its first byte.
pub fn is_of<T: Position>(text: &str) -> bool {
    let first = text
        .get(..4)
        .and_then(|head| URL_SAFE_NO_PAD.decode(head).ok());
    first.is_some_and(|bytes| bytes[0] & 0b1111 == VERSION | T::KIND << 2)
}

/// Decodes a cursor; returns `None` if [`encode`] did not return it for the same request.
pub fn parse<T: Position>(request: Fingerprint, text: &str) -> Option<DecodedCursor<T>> {
    // The length is checked before anything is allocated: a model may send any text as a
    // cursor, such as a whole answer.
    if text.len() > CURSOR_CHARS {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (head, body) = bytes.split_at_checked(HEAD_BYTES)?;
    let has = |bit: u8| head[0] & bit != 0;
    let mut reader = NumberReader(body);
    let sources = if has(HAS_SOURCES) {
        let (sources, rest) = reader.0.split_first_chunk::<4>()?;
        reader.0 = rest;
        SourcesDigest::from_number(u32::from_be_bytes(*sources))
    } else {
        None
    };
    let range = if has(HAS_RANGE) {
        ScanRange::read(&mut reader)?
    } else {
        ScanRange::default()
    };
    let moment = match has(HAS_MOMENT) {
        true => Some(reader.number()?),
        false => None,
    };
    let cursor = DecodedCursor {
        position: T::read(&mut reader, has(FLAG))?,
        range,
        sources,
        moment,
    };
    // Encoding the result again verifies the version, the kind and the digest in one
    // comparison, and that no other text is accepted as the same cursor. Numbers of seven bits
    // have several forms: the bytes `80 00` are 0, as is the byte `00`.
    (encode(request, &cursor) == text).then_some(cursor)
}

impl ScanRange {
    fn write(&self, numbers: &mut NumberWriter) {
        let from = self.from.as_ref();
        // Each number is stored plus one, so that 0 means that it is absent.
        numbers.add_sparse(&[
            from.map_or(0, |from| from.path.saturating_add(1)),
            self.steps.map_or(0, |steps| steps.saturating_add(1)),
            self.round,
        ]);
        if let Some(from) = from {
            numbers.add(from.after.len() as u64);
            numbers.0.extend(from.after.as_bytes());
        }
    }

    fn read(numbers: &mut NumberReader<'_>) -> Option<Self> {
        let [path, steps, round] = numbers.sparse()?;
        let from = match path.checked_sub(1) {
            Some(path) => Some(ScanPosition {
                path,
                after: numbers.text()?,
            }),
            None => None,
        };
        Some(Self {
            from,
            steps: steps.checked_sub(1),
            round,
        })
    }
}

impl ItemPosition {
    /// Returns the number of items of a group before it.
    pub fn count(self, group: Group) -> u32 {
        match group {
            Group::Docs => self.docs,
            Group::Code => self.code,
            Group::Data => self.data,
        }
    }

    /// Advances past the next item of a group.
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

    /// Returns true if it is possible: the digest protects against mistakes, not against forgery.
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
            // A cursor is valid neither for the other kind nor for another request.
            assert!(decode::<ItemPosition>(request(), "items", &text).is_err());
            assert!(decode::<CutItem>(request().with("x"), "content", &text).is_err());
        }
    }

    #[test]
    fn most_have_at_most_24_characters() {
        let position = |docs| ItemPosition {
            docs,
            code: 12,
            data: 0,
        };
        let items = cursor(position(300), ScanRange::default());
        assert!(encode(request(), &items).len() <= 24);
        let rest = CutItem {
            from: ItemPosition::default(),
            to: position(9),
            share: 4000,
            offset: 90_000,
            ..CUT
        };
        assert!(encode(request(), &cursor(rest, ScanRange::default())).len() <= 24);
        let text = encode(request(), &items);
        assert!(is_of::<ItemPosition>(&text) && !is_of::<CutItem>(&text));
        for text in ["", "abc", "가나다", "AAAA"] {
            assert!(!is_of::<ItemPosition>(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn anything_else_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let text = URL_SAFE_NO_PAD.encode(bytes);
            prop_assert!(decode::<CutItem>(request(), "content", &text).is_err());
            prop_assert!(decode::<ItemPosition>(request(), "items", &text).is_err());
        }

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
