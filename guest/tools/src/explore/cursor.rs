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
//!
//! They go through the context of models, so they are short: of most, base64url has 24 characters
//! or fewer.
//!
//! ```text
//! byte 0      bits 0-1 the version, 2-3 the kind, 4 a range, 5 a moment, 6 sources, 7 a flag of the kind
//! bytes 1-3   digest of the request and of all that follows
//! bytes 4-7   the sources, where there are some
//! then        the range, the moment and the position, as numbers of seven bits a byte
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_api::types::{Error, ErrorCode};

use crate::cursor::Fingerprint;
use crate::explore::call_limits::Room;
use crate::explore::candidate::Group;
use crate::explore::sources::SourcesDigest;
use crate::explore::text::Unit;
use crate::limits::{CURSOR_CHARS, EXPLORE_CHARS};
use docent_tree::error::refuse;

/// The version, of which two bits are told.
const VERSION: u8 = 3;

/// A position in the lists of both groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ItemPosition {
    /// Documents before it.
    pub docs: u32,
    /// Items of code before it.
    pub code: u32,
    /// Items of settings and data before it.
    pub data: u32,
}

/// The cut item of a page at which the rest of its cut items goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutItem {
    /// Where the page began.
    pub from: ItemPosition,
    /// Where it ended.
    pub to: ItemPosition,
    /// What the texts of the page could take.
    pub page: u32,
    /// What the text of each item could take.
    pub share: u32,
    /// Whether both are counted in bytes, else in characters.
    pub in_bytes: bool,
    /// Which item of the page goes on, in the order in which they are shown.
    pub item: u32,
    /// Where it goes on in its text, in bytes.
    pub offset: u64,
}

/// A range of the files that a subject stands for: all of them, unless the time or a limit ended a
/// call before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanRange {
    /// Where it begins; none at the beginning.
    pub from: Option<ScanPosition>,
    /// How many files, directories and paths it has; none up to the last file.
    pub steps: Option<u32>,
    /// How often as many of its files as may come at once have come before.
    pub round: u32,
}

/// A position among the files that a subject stands for, in the order in which they are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanPosition {
    /// Index of the subject's path that is under way.
    pub path: u32,
    /// What was looked at last of it, a directory with `/` behind it; empty before its beginning.
    pub after: String,
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

/// What a cursor points to.
pub trait Position: Copy {
    /// What tells its cursors from those of other positions, 0 to 3.
    const KIND: u8;

    /// Returns what is told by a bit beside its numbers.
    fn flag(self) -> bool;

    /// Adds its numbers.
    fn write(self, numbers: &mut Numbers);

    /// Returns the position of these numbers and that flag; none of others.
    fn read(numbers: &mut Reader<'_>, flag: bool) -> Option<Self>;
}

/// Numbers of a cursor, seven bits a byte, the lowest first; the highest bit says that more follow.
#[derive(Default)]
pub struct Numbers(Vec<u8>);

impl Numbers {
    fn add(&mut self, mut number: u64) {
        while number > 0x7F {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    /// Adds those that are not 0, and before them which these are.
    fn add_sparse(&mut self, numbers: &[u32]) {
        let bits = numbers.iter().enumerate();
        let is_set = bits.map(|(bit, number)| u64::from(*number != 0) << bit);
        self.add(is_set.sum());
        let set = numbers.iter().filter(|number| **number != 0);
        set.for_each(|number| self.add(u64::from(*number)));
    }
}

/// What is left of the bytes of a cursor.
pub struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
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

    /// Returns so many numbers that [`Numbers::add_sparse`] wrote.
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

    fn write(self, numbers: &mut Numbers) {
        numbers.add_sparse(&[self.docs, self.code, self.data]);
    }

    fn read(numbers: &mut Reader<'_>, _: bool) -> Option<Self> {
        let [docs, code, data] = numbers.sparse()?;
        Some(Self { docs, code, data })
    }
}

impl Position for CutItem {
    const KIND: u8 = 1;

    fn flag(self) -> bool {
        self.in_bytes
    }

    fn write(self, numbers: &mut Numbers) {
        let (from, to) = (self.from, self.to);
        numbers.add_sparse(&[
            from.docs, from.code, from.data, to.docs, to.code, to.data, self.item,
        ]);
        numbers.add(self.page.into());
        // Nearly always they are equal.
        let apart = u64::from(self.page.abs_diff(self.share));
        numbers.add(apart << 1 | u64::from(self.share > self.page));
        numbers.add(self.offset);
    }

    fn read(numbers: &mut Reader<'_>, in_bytes: bool) -> Option<Self> {
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

/// A number of lines of a pattern that were shown.
impl Position for u32 {
    const KIND: u8 = 2;

    fn flag(self) -> bool {
        false
    }

    fn write(self, numbers: &mut Numbers) {
        numbers.add(self.into());
    }

    fn read(numbers: &mut Reader<'_>, _: bool) -> Option<Self> {
        numbers.small()
    }
}

/// Bits of the first byte behind the version and the kind.
const HAS_RANGE: u8 = 1 << 4;
const HAS_MOMENT: u8 = 1 << 5;
const HAS_SOURCES: u8 = 1 << 6;
const FLAG: u8 = 1 << 7;

/// Bytes before what the digest is of: the first one, and the digest.
const HEAD_BYTES: usize = 4;

/// Returns the cursor for a position in what `request` stands for.
pub fn encode<T: Position>(request: Fingerprint, cursor: &DecodedCursor<T>) -> String {
    let bit = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
    let first = VERSION
        | T::KIND << 2
        | bit(!cursor.range.is_all(), HAS_RANGE)
        | bit(cursor.moment.is_some(), HAS_MOMENT)
        | bit(cursor.sources.is_some(), HAS_SOURCES)
        | bit(cursor.position.flag(), FLAG);
    let mut body = Numbers::default();
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

/// Returns the position and range that a cursor holds.
///
/// # Errors
/// `invalid-cursor` for what [`encode`] did not give for the same request.
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

/// Returns whether a text is a cursor of this kind of position, as far as its first byte tells.
pub fn is_of<T: Position>(text: &str) -> bool {
    let first = text
        .get(..4)
        .and_then(|head| URL_SAFE_NO_PAD.decode(head).ok());
    first.is_some_and(|bytes| bytes[0] & 0b1111 == VERSION | T::KIND << 2)
}

fn parse<T: Position>(request: Fingerprint, text: &str) -> Option<DecodedCursor<T>> {
    // Before anything is allocated for it: the text is whatever a model made of a cursor.
    if text.len() > CURSOR_CHARS {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (head, body) = bytes.split_at_checked(HEAD_BYTES)?;
    let has = |bit: u8| head[0] & bit != 0;
    let mut reader = Reader(body);
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
    // Encoding it again checks the version, the kind and the digest, and that no second text means
    // the same cursor.
    (encode(request, &cursor) == text).then_some(cursor)
}

impl ScanRange {
    fn write(&self, numbers: &mut Numbers) {
        let from = self.from.as_ref();
        // Where there is none, the path is 0: one more than that stands for the first.
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

    fn read(numbers: &mut Reader<'_>) -> Option<Self> {
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
