//! The finder: finds a query in a text, independent of case and normal form.
//!
//! A hit is a range of whole characters whose canonical decomposition, folded unless case is
//! significant, equals the query's. It neither begins nor ends between a character and its
//! combining marks.
//!
//! 1. The query becomes segments, each a character with its marks, and for each segment the single
//!    characters equivalent to it, such as `é` and `É` ([`Query`]).
//! 2. One pass over the text decides if it may spell a segment with several characters, such as `e`
//!    and U+0301. Nearly no text contains a character that such a spelling needs.
//! 3. If not, a hit requires two or three rare bytes of the query at their distances, which are
//!    searched for 128 positions at a time (`SearchPlan`). Otherwise every occurrence of the first
//!    byte of one of its spellings is a candidate.
//! 4. The query is compared at each candidate: byte by byte if query and text are ASCII, else
//!    segment by segment, or by canonical decomposition if the text may spell segments otherwise.

use std::ops::Range;

use unicode_normalization::char::canonical_combining_class;

pub use crate::fold::Case;
use crate::fold::{decompose, extends};
use crate::matching::anchor::SearchPlan;
use crate::matching::query::{Query, decomposables, variants};
use crate::width::Widths;

/// A query compiled for searching many texts.
#[derive(Debug)]
pub struct Finder {
    query: Query,
    /// Search plan for texts that spell each segment with one character.
    anchor: Option<SearchPlan>,
    /// First bytes of a hit in such a text.
    first_bytes: ByteSet,
    /// First bytes of a hit in any text.
    all_first_bytes: ByteSet,
    /// Detector of texts that may spell a segment with several characters.
    tail_bytes: TailBytes,
    /// Detector of texts that may spell the query in another width.
    forms: WidthForms,
    /// The query's bytes when it is ASCII, in lower case unless case counts.
    ascii_query: Option<Vec<u8>>,
    /// True if the character before a hit must be examined.
    may_extend: bool,
}

/// The spellings of segments that a text may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SegmentForm {
    /// A single character for each segment.
    Composed,
    /// Possibly several characters for some segments.
    Any,
}

/// The first two bytes of the characters of which a text must contain one to spell a segment with
/// several characters.
#[derive(Debug)]
struct TailBytes {
    first: ByteSet,
    second: ByteSet,
}

/// The half- and full-width forms of a query's characters.
#[derive(Debug)]
struct WidthForms {
    /// The last byte of their code points: all but one are in one block.
    block: ByteSet,
    /// True if the ideographic space is one of them, which is outside that block.
    has_blank: bool,
}

impl WidthForms {
    fn new(forms: &[char]) -> Self {
        let low = |&form: &char| (u32::from(form) & 0xFF) as u8;
        Self {
            block: ByteSet::new(forms.iter().filter(|form| **form != BLANK).map(low)),
            has_blank: forms.contains(&BLANK),
        }
    }

    /// Returns true if a text contains one of them.
    fn occur_in(&self, text: &[u8]) -> bool {
        // Nearly no Latin or Korean text contains EF, with which all forms but the ideographic
        // space begin, so that one vectorized search decides. The last byte of the code point is
        // put together from the two bytes after it.
        let is_form = |at: usize| match text.get(at + 1..at + 3) {
            Some(&[second @ 0xBC..=0xBF, third]) => self.block.has(second << 6 | third & 0x3F),
            _ => false,
        };
        memchr::memchr_iter(0xEF, text).any(is_form)
            || self.has_blank && memchr::memmem::find(text, "\u{3000}".as_bytes()).is_some()
    }
}

/// The ideographic space.
const BLANK: char = '\u{3000}';

/// A set of bytes.
struct ByteSet([bool; 256]);

impl ByteSet {
    fn new(bytes: impl Iterator<Item = u8>) -> Self {
        let mut set = [false; 256];
        bytes.for_each(|byte| set[usize::from(byte)] = true);
        Self(set)
    }

    #[inline]
    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }

    fn position(&self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|&byte| self.has(byte))
    }
}

impl std::fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set()
            .entries((0..=u8::MAX).filter(|&byte| self.has(byte)))
            .finish()
    }
}

impl Finder {
    /// Compiles a finder for `text`, which must not be empty.
    pub fn new(text: &str, case: Case) -> Self {
        let query = Query::new(text, case);
        let anchor = SearchPlan::choose(query.segments.iter().map(|s| s.singles.as_slice()));
        let singles = query.segments.first().map_or(&[][..], |s| &s.singles);
        let first_bytes = ByteSet::new(singles.iter().map(|&c| first_byte(c)));
        let all_first_bytes = all_first_bytes(&query);
        let tails = query.tails.iter();
        let tail_bytes = TailBytes {
            first: ByteSet::new(tails.clone().map(|&c| first_byte(c))),
            // A tail character extends another one and is beyond ASCII, so that it has a second
            // byte in UTF-8, and the index is valid.
            second: ByteSet::new(tails.map(|&c| c.encode_utf8(&mut [0; 4]).as_bytes()[1])),
        };
        let bytes = query.canonical.iter().map(|&c| u8::try_from(c).ok());
        let ascii_query = bytes
            .collect::<Option<Vec<u8>>>()
            .filter(|bytes| bytes.is_ascii());
        let forms = WidthForms::new(&query.forms);
        // No character below U+0300 extends another.
        let may_extend = query.canonical.first().is_some_and(|&c| c >= '\u{300}');
        Self {
            query,
            anchor,
            first_bytes,
            all_first_bytes,
            tail_bytes,
            forms,
            ascii_query,
            may_extend,
        }
    }

    /// Returns the canonical form of the query. Queries with equal canonical forms have equal hits.
    pub fn canonical(&self) -> &[char] {
        &self.query.canonical
    }

    /// Returns the non-overlapping hits in `text` from left to right: the leftmost first, each next
    /// one after the end of the one before.
    pub fn hits<'a>(&'a self, text: &'a str) -> Hits<'a> {
        self.hits_in(text, Widths::Mixed)
    }

    /// Returns the hits in `text`, whose widths are already known.
    pub fn hits_in<'a>(&'a self, text: &'a str, widths: Widths) -> Hits<'a> {
        let bytes = text.as_bytes();
        let is_any = match widths {
            // A tail character is beyond ASCII.
            Widths::Ascii => false,
            Widths::Usual => self.may_hold_tail(bytes),
            Widths::Mixed => self.forms.occur_in(bytes) || self.may_hold_tail(bytes),
        };
        let form = if is_any {
            SegmentForm::Any
        } else {
            SegmentForm::Composed
        };
        Hits {
            finder: self,
            text,
            from: 0,
            form,
        }
    }

    /// Returns true if `text`, which is ASCII, certainly contains no hit. Cheaper than decoding it
    /// first.
    pub fn is_absent_from_ascii(&self, text: &[u8]) -> bool {
        // A text of ASCII is its own decomposition, and contains no hit of a query with any other
        // character.
        if !self.query.canonical.iter().all(char::is_ascii) {
            return true;
        }
        // A query such as `k` has no anchor, because it has a longer spelling, U+212A. Nothing
        // certain can be said here then, and the text is searched in full.
        let (Some(ascii_query), Some(anchor)) = (&self.ascii_query, &self.anchor) else {
            return false;
        };
        let is_hit = |start: usize| {
            text.get(start..start + ascii_query.len())
                .is_some_and(|word| match self.query.case {
                    Case::Ignored => word.eq_ignore_ascii_case(ascii_query),
                    Case::Sensitive => word == ascii_query,
                })
        };
        let mut from = 0;
        while let Some(mut starts) = anchor.next(text, from) {
            from = starts.end() + 1;
            if starts.any(is_hit) {
                return false;
            }
        }
        true
    }

    /// Returns true if `text` may spell a segment with several characters.
    fn may_hold_tail(&self, text: &[u8]) -> bool {
        let TailBytes { first, second } = &self.tail_bytes;
        let mut first_bytes = (0..=u8::MAX).filter(|&byte| first.has(byte));
        let has_second = |index: usize| text.get(index + 1).is_some_and(|&byte| second.has(byte));
        // Nearly every query has at most two such first bytes, those of combining marks (CC and CD)
        // or those of jamo (E1), for which there is a vectorized search. A query with more is rare,
        // and only costs a loop over bytes.
        match (first_bytes.next(), first_bytes.next(), first_bytes.next()) {
            (None, ..) => false,
            (Some(a), None, _) => memchr::memchr_iter(a, text).any(has_second),
            (Some(a), Some(b), None) => memchr::memchr2_iter(a, b, text).any(has_second),
            _ => text.iter().any(|&byte| first.has(byte)),
        }
    }

    /// Returns the end of the hit that begins at `start`, a character boundary, if there is one.
    fn end_of_hit(&self, text: &str, start: usize, form: SegmentForm) -> Option<usize> {
        let rest = &text[start..];
        // A hit must not begin within a character: a query of U+0301 alone has no hit in a
        // decomposed `é`. The test is skipped for queries that begin with a character that extends
        // nothing.
        if self.may_extend
            && let (Some(previous), Some(first)) =
                (text[..start].chars().next_back(), rest.chars().next())
            && extends(previous, first)
        {
            return None;
        }
        if let Some(ascii_query) = &self.ascii_query
            && let Some(is_hit) = self.is_ascii_hit(ascii_query, rest)
        {
            return is_hit.then_some(start + ascii_query.len());
        }
        let length = match form {
            SegmentForm::Composed => self.composed_hit(rest),
            SegmentForm::Any => self.canonical_hit(rest),
        }?;
        Some(start + length)
    }

    /// Returns true if `rest` begins with the query, or `None` if that depends on a non-ASCII
    /// character, such as U+212A, which folds to `k`.
    fn is_ascii_hit(&self, ascii_query: &[u8], rest: &str) -> Option<bool> {
        let bytes = rest.as_bytes();
        for (index, &wanted) in ascii_query.iter().enumerate() {
            let Some(&byte) = bytes.get(index) else {
                return Some(false);
            };
            if !byte.is_ascii() {
                return None;
            }
            let byte = match self.query.case {
                Case::Ignored => byte.to_ascii_lowercase(),
                Case::Sensitive => byte,
            };
            if byte != wanted {
                return Some(false);
            }
        }
        match bytes.get(ascii_query.len()) {
            // A hit must not end within a character: `cafe` is not a hit in `cafe` followed by
            // U+0301, which is a decomposed `café`.
            Some(next) if !next.is_ascii() => {
                let next = rest[ascii_query.len()..].chars().next()?;
                Some(!extends(char::from(bytes[ascii_query.len() - 1]), next))
            }
            _ => Some(true),
        }
    }

    /// Returns the length of the hit at the start of `rest`, if each segment is one character.
    fn composed_hit(&self, rest: &str) -> Option<usize> {
        let mut characters = rest.chars();
        let mut last = None;
        for segment in &self.query.segments {
            let c = characters.next()?;
            if !segment.singles.contains(&c) {
                return None;
            }
            last = Some(c);
        }
        let behind = characters.as_str();
        if let (Some(last), Some(next)) = (last, behind.chars().next())
            && extends(last, next)
        {
            return None;
        }
        Some(rest.len() - behind.len())
    }

    /// Returns the length of the hit at the start of `rest`, by canonical decomposition.
    fn canonical_hit(&self, rest: &str) -> Option<usize> {
        let canonical = &self.query.canonical;
        // Most candidates fail at their first character. It is compared here, before a buffer for
        // the parts of the characters is allocated.
        let mut first_part = None;
        decompose(rest.chars().next()?, self.query.case, |part| {
            first_part.get_or_insert(part);
        });
        if first_part.as_ref() != canonical.first() {
            return None;
        }
        // Number of characters of `canonical` already compared.
        let mut position = 0;
        // Decomposition of a character and its extending marks. Case is folded at the comparison
        // and not here, because canonical ordering depends on the unfolded marks: U+0345 is a mark
        // of class 240, and folds to the letter `ι` of class 0.
        let mut parts: Vec<char> = Vec::new();
        let mut characters = rest.char_indices().peekable();
        while let Some((index, c)) = characters.next() {
            decompose(c, Case::Sensitive, |part| parts.push(part));
            // This also bounds the buffer to the length of the query. A text may have a million
            // marks in a row, all of which extend one character, and they would be collected at
            // each candidate.
            if parts.len() > canonical.len() - position
                || self.query.case.apply(parts[0]) != canonical[position]
            {
                return None;
            }
            if characters.peek().is_some_and(|&(_, next)| extends(c, next)) {
                continue;
            }
            in_canonical_order(&mut parts);
            let expected = &canonical[position..position + parts.len()];
            if !parts
                .iter()
                .zip(expected)
                .all(|(&part, &c)| self.query.case.apply(part) == c)
            {
                return None;
            }
            position += parts.len();
            if position == canonical.len() {
                return Some(index + c.len_utf8());
            }
            parts.clear();
        }
        None
    }
}

/// Sorts each run of combining marks by class, stably: the Canonical Ordering Algorithm (Unicode
/// Standard, section 3.11). `a` with U+0301 and U+0323 equals `a` with the two in the other order,
/// since one is above the letter and one below.
fn in_canonical_order(parts: &mut [char]) {
    for run in parts.chunk_by_mut(|_, &next| canonical_combining_class(next) != 0) {
        run.sort_by_key(|&c| canonical_combining_class(c));
    }
}

fn first_byte(c: char) -> u8 {
    c.encode_utf8(&mut [0; 4]).as_bytes()[0]
}

/// Returns the first bytes of every spelling of the query's first segment.
fn all_first_bytes(query: &Query) -> ByteSet {
    let Some((&first, segment)) = query.canonical.first().zip(query.segments.first()) else {
        return ByteSet::new(std::iter::empty());
    };
    let mut bytes: Vec<u8> = segment.singles.iter().map(|&c| first_byte(c)).collect();
    let forms = query.forms.iter().filter(|&&form| {
        let mut first_part = None;
        decompose(form, query.case, |part| {
            first_part.get_or_insert(part);
        });
        first_part == Some(first)
    });
    bytes.extend(forms.map(|&form| first_byte(form)));
    // Without tails, this set is only used for a text in another width.
    if !query.tails.is_empty() {
        bytes.extend(variants(first, query.case).into_iter().map(first_byte));
        // A leading jamo begins any syllable of Hangul that contains it. The 11 172 syllables are
        // not among the decomposables, and begin with EA to ED in UTF-8, so that these bytes are
        // added for all of them.
        if ('\u{1100}'..='\u{1112}').contains(&first) {
            bytes.extend(0xEA..=0xED);
        }
        // A character may also be spelled by a part of its composition and the remaining mark: `ê`
        // with U+0323 is a spelling of `ệ`. So each character that decomposes to the same first
        // letter may begin a hit.
        for c in decomposables() {
            let mut first_part = None;
            decompose(c, query.case, |part| {
                first_part.get_or_insert(part);
            });
            if first_part == Some(first) {
                bytes.push(first_byte(c));
            }
        }
    }
    ByteSet::new(bytes.into_iter())
}

/// An iterator over the hits of a [`Finder`] in one text, as byte ranges.
#[derive(Debug)]
pub struct Hits<'a> {
    finder: &'a Finder,
    text: &'a str,
    /// Earliest start of the next hit.
    from: usize,
    form: SegmentForm,
}

impl Iterator for Hits<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        loop {
            let starts = match (&self.finder.anchor, self.form) {
                (Some(anchor), SegmentForm::Composed) => anchor.next(bytes, self.from)?,
                // A query such as `k` alone has no anchor, because its spellings have one byte, or
                // three for U+212A.
                (None, SegmentForm::Composed) => {
                    let next = self.finder.first_bytes.position(&bytes[self.from..])?;
                    self.from + next..=self.from + next
                }
                (_, SegmentForm::Any) => {
                    let next = self.finder.all_first_bytes.position(&bytes[self.from..])?;
                    self.from + next..=self.from + next
                }
            };
            let last = *starts.end();
            for start in starts {
                if self.text.is_char_boundary(start)
                    && let Some(end) = self.finder.end_of_hit(self.text, start, self.form)
                {
                    self.from = end;
                    return Some(start..end);
                }
            }
            self.from = last + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization as _;

    use super::*;
    use crate::width::usual_width;

    /// Reference implementation: the definition of a hit, tried at every position.
    fn naive(query: &str, text: &str, case: Case) -> Vec<Range<usize>> {
        let canonical = |text: &str| {
            let usual = text.chars().map(usual_width);
            usual.nfd().map(|c| case.apply(c)).collect::<Vec<char>>()
        };
        let wanted = canonical(query);
        let boundaries: Vec<usize> = (0..=text.len())
            .filter(|&index| text.is_char_boundary(index))
            .collect();
        let neighbours = |index: usize| {
            let (before, behind) = text.split_at(index);
            (before.chars().next_back(), behind.chars().next())
        };
        let is_clean = |index: usize| match neighbours(index) {
            (Some(previous), Some(next)) => !extends(previous, next),
            _ => true,
        };
        let mut hits: Vec<Range<usize>> = Vec::new();
        for &start in &boundaries {
            if hits.last().is_some_and(|hit| start < hit.end) || !is_clean(start) {
                continue;
            }
            let end = boundaries.iter().find(|&&end| {
                end > start && is_clean(end) && canonical(&text[start..end]) == wanted
            });
            hits.extend(end.map(|&end| start..end));
        }
        hits
    }

    fn hits_of(query: &str, text: &str, case: Case) -> Vec<Range<usize>> {
        let finder = Finder::new(query, case);
        let hits: Vec<Range<usize>> = finder.hits(text).collect();
        // Knowing the widths of a text does not change the hits.
        let known: Vec<Range<usize>> = finder.hits_in(text, Widths::from_text(text)).collect();
        assert_eq!(known, hits, "{query:?} in {text:?}");
        hits
    }

    const PIECES: [&str; 50] = [
        "Ａ",
        "ａ",
        "Ｋ",
        "ｶ",
        "カ",
        "ガ",
        "ﾞ",
        "\u{3099}",
        "\u{3000}",
        " ",
        "a",
        "A",
        "k",
        "K",
        "\u{212A}",
        "s",
        "S",
        "ſ",
        "q",
        "e",
        "E",
        "é",
        "É",
        "e\u{301}",
        "\u{301}",
        "\u{323}",
        "ệ",
        "ẹ",
        "ê",
        "İ",
        "i",
        "ı",
        "I",
        "ß",
        "ẞ",
        "ﬁ",
        "σ",
        "ς",
        "Σ",
        "한",
        "하",
        "\u{1112}",
        "\u{1161}",
        "\u{11AB}",
        "국",
        "👨\u{200D}👩",
        "\r\n",
        ";",
        "\u{37E}",
        "п",
    ];

    fn texts(most: usize) -> impl Strategy<Value = String> {
        proptest::collection::vec(proptest::sample::select(&PIECES[..]), 1..most)
            .prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn equals_the_definition(query in texts(4), text in texts(24), sensitive: bool) {
            let case = if sensitive { Case::Sensitive } else { Case::Ignored };
            prop_assert_eq!(hits_of(&query, &text, case), naive(&query, &text, case));
        }

        #[test]
        fn absent_is_absent(query in "[akqsé ]{1,3}", text in "[akqsKS ]{0,200}", sensitive: bool) {
            let case = if sensitive { Case::Sensitive } else { Case::Ignored };
            let finder = Finder::new(&query, case);
            if finder.is_absent_from_ascii(text.as_bytes()) {
                prop_assert_eq!(finder.hits(&text).next(), None);
            } else if finder.anchor.is_some() {
                prop_assert!(finder.hits(&text).next().is_some());
            }
        }

        #[test]
        fn equals_the_definition_in_long_texts(
            query in texts(4), before in texts(10), after in texts(10), gap in 0usize..300,
        ) {
            let text = format!("{before}{}{query}{after}", "x".repeat(gap));
            let expected = naive(&query, &text, Case::Ignored);
            prop_assert_eq!(hits_of(&query, &text, Case::Ignored), expected);
        }
    }

    macro_rules! finds {
        ($($name:ident: $query:expr, $text:expr => $hits:expr;)*) => {$(
            #[test]
            fn $name() {
                let hits = hits_of($query, $text, Case::Ignored).into_iter();
                let hits: Vec<&str> = hits.map(|hit| &$text[hit]).collect();
                let expected: &[&str] = &$hits;
                assert_eq!(hits, expected);
            }
        )*};
    }

    finds! {
        any_case: "hello", "Hello HELLO hello help" => ["Hello", "HELLO", "hello"];
        no_overlap: "aa", "aaaaa" => ["aa", "aa"];
        kelvin: "kelvin", "\u{212A}elvin Kelvin" => ["\u{212A}elvin", "Kelvin"];
        only_k: "k", "k K \u{212A} x" => ["k", "K", "\u{212A}"];
        long_s: "ss", "ſs Ss ß" => ["ſs", "Ss"];
        sharp_s: "STRAßE", "straße STRAẞE strasse" => ["straße", "STRAẞE"];
        dotted_i: "i", "İ i I i\u{307}" => ["i", "I"];
        dotted_i_itself: "İ", "İ i i\u{307} I\u{307}" => ["İ", "i\u{307}", "I\u{307}"];
        ligature: "ﬁ", "ﬁn fin" => ["ﬁ"];
        sigma: "ΣΑΣ", "σας σασ" => ["σας", "σασ"];
        accent_apart: "café", "cafe\u{301} CAFÉ cafe" => ["cafe\u{301}", "CAFÉ"];
        no_accent: "cafe", "cafe\u{301} café cafe" => ["cafe"];
        hangul_apart: "한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8} 한국"
            => ["\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}", "한국"];
        no_part_of_a_syllable: "하", "한 \u{1112}\u{1161}\u{11AB} 하" => ["하"];
        particle: "설정", "설정을 바꾼다" => ["설정"];
        cyrillic: "привет", "Привет ПРИВЕТ приветы" => ["Привет", "ПРИВЕТ", "привет"];
        reordered_marks: "ệ", "e\u{302}\u{323} ẹ\u{302} ê\u{323} Ệ"
            => ["e\u{302}\u{323}", "ẹ\u{302}", "ê\u{323}", "Ệ"];
        emoji_with_selector: "❤", "❤\u{FE0F}" => ["❤"];
        compatibility_ideograph: "漢", "\u{FA47}漢" => ["\u{FA47}", "漢"];
        full_width: "abc-12", "ＡＢＣ－１２ ａｂｃ-12 ABC-１2 ab" => ["ＡＢＣ－１２", "ａｂｃ-12", "ABC-１2"];
        full_width_query: "Ｑｚ！", "qz! ＱＺ！ qz" => ["qz!", "ＱＺ！"];
        half_width: "ガイド", "ｶﾞｲﾄﾞ カ\u{3099}イト\u{3099} ガイド ｶｲﾄ ガイト" => ["ｶﾞｲﾄﾞ", "カ\u{3099}イト\u{3099}", "ガイド"];
        half_width_query: "ﾊﾟｽ", "パス ﾊﾟｽ ハス ﾊｽ" => ["パス", "ﾊﾟｽ"];
        no_voice: "カイト", "ｶﾞｲﾄ ｶｲﾄ" => ["ｶｲﾄ"];
        letters_of_hangul: "ㄱㅏ", "ﾡￂ ㄱㅏ" => ["ﾡￂ", "ㄱㅏ"];
        signs: "a、b。￥", "a､b｡¥ a，b" => ["a､b｡¥"];
        wide_blank: "a b", "a\u{3000}b a b" => ["a\u{3000}b", "a b"];
        line_ends: "a\r\nb", "A\r\nB a\nb" => ["A\r\nB"];
    }

    #[test]
    fn case_can_count() {
        for (query, text, hit) in [("Ab", "ab Ab AB", "Ab"), ("É", "é E\u{301}", "E\u{301}")] {
            let hits: Vec<&str> = hits_of(query, text, Case::Sensitive)
                .into_iter()
                .map(|hit| &text[hit])
                .collect();
            assert_eq!(hits, [hit]);
        }
    }
}
