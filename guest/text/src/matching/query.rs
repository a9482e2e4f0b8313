//! The canonical form of a query: its segments, and every single character equivalent to each.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::compose;

use crate::fold::{Case, decompose, extends, fold, upper};
use crate::width::{forms, usual_width};

/// One character of the query with the marks that extend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its canonical decomposition, folded unless case counts.
    pub canonical: Vec<char>,
    /// Every single character with this canonical form, if any.
    pub singles: Vec<char>,
}

/// A search text in canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Case sensitivity.
    pub case: Case,
    /// Joined canonical forms of the segments.
    pub canonical: Vec<char>,
    /// Segments in order; none is empty.
    pub segments: Vec<Segment>,
    /// Tail characters of the segments, sorted: a text must contain one of them to spell a segment
    /// with several characters.
    pub tails: Vec<char>,
    /// Half- and full-width forms of the query's characters, sorted. Only a text that contains one
    /// of them can spell a segment with it.
    pub forms: Vec<char>,
}

impl Query {
    /// Returns the canonical form of `text`, which must not be empty.
    pub fn new(text: &str, case: Case) -> Self {
        let decomposed: Vec<char> = text.chars().map(usual_width).nfd().collect();
        let canonical: Vec<char> = decomposed.iter().map(|&c| case.apply(c)).collect();
        // Segments are split before folding, because folding turns the mark U+0345 (ypogegrammeni)
        // into the letter `ι`: `ᾳ` would become two segments, and no single character would be
        // equivalent to either.
        let mut segments: Vec<Segment> = Vec::new();
        let mut previous = None;
        for (&plain, &folded) in decomposed.iter().zip(&canonical) {
            match segments.last_mut() {
                Some(segment) if previous.is_some_and(|p| extends(p, plain)) => {
                    segment.canonical.push(folded);
                }
                _ => segments.push(Segment {
                    canonical: vec![folded],
                    singles: Vec::new(),
                }),
            }
            previous = Some(plain);
        }
        let mut tails = Vec::new();
        for segment in &mut segments {
            match segment.canonical[..] {
                // A character that decomposes no further has no tail: it is always spelled with a
                // single character, in any of its cases.
                [one] => segment.singles = variants(one, case),
                [_, ref tail @ ..] => {
                    tails.extend(tail.iter().flat_map(|&c| variants(c, case)));
                    segment.singles.extend(hangul(&segment.canonical));
                }
                [] => {}
            }
        }
        let mut query = Self {
            case,
            canonical,
            segments,
            tails,
            forms: Vec::new(),
        };
        // The few characters that decompose to ASCII are among the variants already. All other
        // characters with a decomposition are thousands, and a query of ASCII, as most are, needs
        // none of them.
        if !query.canonical.iter().all(char::is_ascii) {
            query.add_decomposables();
        }
        query.forms = width_forms(&query.canonical, case);
        query.tails.sort_unstable();
        query.tails.dedup();
        query
    }

    /// Adds the non-ASCII characters that decompose to a segment, or to a part of its tail.
    fn add_decomposables(&mut self) {
        let mut parts = Vec::with_capacity(4);
        for c in decomposables() {
            parts.clear();
            decompose(c, self.case, |part| parts.push(part));
            // Nearly all characters end here, before the segments are searched.
            if !self.canonical.contains(&parts[0]) {
                continue;
            }
            for segment in &mut self.segments {
                if segment.canonical == parts && !segment.singles.contains(&c) {
                    segment.singles.push(c);
                }
                // A mark may be equivalent to several others, as U+0344 is to U+0308 and U+0301. A
                // text can then spell the segment with a character that is not in the canonical
                // form.
                let tail = &segment.canonical[1..];
                if !tail.is_empty() && parts.iter().all(|part| tail.contains(part)) {
                    self.tails.push(c);
                }
            }
        }
    }
}

/// Returns the half- and full-width forms of the characters of a canonical form, sorted.
fn width_forms(canonical: &[char], case: Case) -> Vec<char> {
    // Decomposing all forms would take most of the time of compiling a query.
    if canonical.iter().all(char::is_ascii) {
        ascii_width_forms(canonical, case)
    } else {
        width_forms_of_any(canonical, case)
    }
}

/// Returns the forms of any characters, by decomposition.
fn width_forms_of_any(canonical: &[char], case: Case) -> Vec<char> {
    let is_part = |form: &char| {
        let mut is_part = false;
        decompose(*form, case, |part| is_part |= canonical.contains(&part));
        is_part
    };
    forms().filter(is_part).collect()
}

/// Returns the forms of ASCII characters: each has one, at a fixed distance in code points.
fn ascii_width_forms(canonical: &[char], case: Case) -> Vec<char> {
    let cases = |&c: &char| {
        let upper = match case {
            Case::Ignored => c.to_ascii_uppercase(),
            Case::Sensitive => c,
        };
        [c, upper]
    };
    let form = |c| match c {
        ' ' => Some('\u{3000}'),
        '!'..='~' => char::from_u32(u32::from(c) + 0xFEE0),
        _ => None,
    };
    let mut forms: Vec<char> = canonical.iter().flat_map(cases).filter_map(form).collect();
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Returns the characters without a decomposition whose folded form is `folded`, and the few that
/// decompose to an ASCII character.
pub fn variants(folded: char, case: Case) -> Vec<char> {
    let mut all = vec![folded];
    if case == Case::Ignored {
        let upper = upper(folded);
        if upper != folded && fold(upper) == folded {
            all.push(upper);
        }
        // Some characters have the same folded form and are neither it nor its upper case, such as
        // `ς` beside `σ` and `Σ`. Without the table, a query of `σ` would miss the last letter of a
        // Greek word. A test compares it with all characters of Unicode.
        all.extend(
            FURTHER_CASES
                .iter()
                .filter(|(f, _)| *f == folded)
                .map(|&(_, c)| c),
        );
    }
    let singletons = ASCII_SINGLETONS.iter().filter(|(c, _)| all.contains(c));
    let singletons: Vec<char> = singletons.map(|&(_, singleton)| singleton).collect();
    all.extend(singletons);
    all
}

/// Returns the Hangul syllable of a jamo sequence, if it is one. It is composed arithmetically
/// (Unicode Standard, section 3.12), because the 11 172 syllables are not among the decomposables:
/// a table of them would make each query slower.
fn hangul(canonical: &[char]) -> Option<char> {
    match *canonical {
        [lead, vowel] => compose(lead, vowel),
        [lead, vowel, tail] => compose(compose(lead, vowel)?, tail),
        _ => None,
    }
    .filter(|c| ('가'..='힣').contains(c))
}

/// Returns every character with a canonical decomposition, except Hangul syllables and the ASCII
/// singletons. Includes some characters without one.
pub fn decomposables() -> impl Iterator<Item = char> {
    DECOMPOSABLE.iter().flat_map(|&(first, last)| first..=last)
}

/// Characters that decompose to a single ASCII character.
const ASCII_SINGLETONS: [(char, char); 3] =
    [(';', '\u{37E}'), ('`', '\u{1FEF}'), ('K', '\u{212A}')];

/// Characters without a decomposition that fold to another one, other than its upper case.
const FURTHER_CASES: [(char, char); 27] = [
    ('\u{3BC}', '\u{B5}'),
    ('\u{73}', '\u{17F}'),
    ('\u{1C6}', '\u{1C5}'),
    ('\u{1C9}', '\u{1C8}'),
    ('\u{1CC}', '\u{1CB}'),
    ('\u{1F3}', '\u{1F2}'),
    ('\u{3B9}', '\u{345}'),
    ('\u{3C3}', '\u{3C2}'),
    ('\u{3B2}', '\u{3D0}'),
    ('\u{3B8}', '\u{3D1}'),
    ('\u{3C6}', '\u{3D5}'),
    ('\u{3C0}', '\u{3D6}'),
    ('\u{3BA}', '\u{3F0}'),
    ('\u{3C1}', '\u{3F1}'),
    ('\u{3B8}', '\u{3F4}'),
    ('\u{3B5}', '\u{3F5}'),
    ('\u{432}', '\u{1C80}'),
    ('\u{434}', '\u{1C81}'),
    ('\u{43E}', '\u{1C82}'),
    ('\u{441}', '\u{1C83}'),
    ('\u{442}', '\u{1C84}'),
    ('\u{442}', '\u{1C85}'),
    ('\u{44A}', '\u{1C86}'),
    ('\u{463}', '\u{1C87}'),
    ('\u{A64B}', '\u{1C88}'),
    ('\u{DF}', '\u{1E9E}'),
    ('\u{FB06}', '\u{FB05}'),
];

/// Ranges that contain every character with a canonical decomposition, except Hangul syllables.
const DECOMPOSABLE: [(char, char); 56] = [
    ('\u{C0}', '\u{17E}'),
    ('\u{1A0}', '\u{1B0}'),
    ('\u{1CD}', '\u{233}'),
    ('\u{340}', '\u{344}'),
    ('\u{374}', '\u{390}'),
    ('\u{3AA}', '\u{3B0}'),
    ('\u{3CA}', '\u{3D4}'),
    ('\u{400}', '\u{419}'),
    ('\u{439}', '\u{477}'),
    ('\u{4C1}', '\u{4F9}'),
    ('\u{622}', '\u{626}'),
    ('\u{6C0}', '\u{6D3}'),
    ('\u{929}', '\u{934}'),
    ('\u{958}', '\u{95F}'),
    ('\u{9CB}', '\u{9DF}'),
    ('\u{A33}', '\u{A36}'),
    ('\u{A59}', '\u{A5E}'),
    ('\u{B48}', '\u{B5D}'),
    ('\u{B94}', '\u{B94}'),
    ('\u{BCA}', '\u{BCC}'),
    ('\u{C48}', '\u{C48}'),
    ('\u{CC0}', '\u{CCB}'),
    ('\u{D4A}', '\u{D4C}'),
    ('\u{DDA}', '\u{DDE}'),
    ('\u{F43}', '\u{FB9}'),
    ('\u{1026}', '\u{1026}'),
    ('\u{1B06}', '\u{1B12}'),
    ('\u{1B3B}', '\u{1B43}'),
    ('\u{1E00}', '\u{2001}'),
    ('\u{2126}', '\u{212B}'),
    ('\u{219A}', '\u{21AE}'),
    ('\u{21CD}', '\u{21CF}'),
    ('\u{2204}', '\u{2226}'),
    ('\u{2241}', '\u{2289}'),
    ('\u{22AC}', '\u{22AF}'),
    ('\u{22E0}', '\u{22ED}'),
    ('\u{2329}', '\u{232A}'),
    ('\u{2ADC}', '\u{2ADC}'),
    ('\u{304C}', '\u{30FE}'),
    ('\u{F900}', '\u{FAD9}'),
    ('\u{FB1D}', '\u{FB4E}'),
    ('\u{105C9}', '\u{105C9}'),
    ('\u{105E4}', '\u{105E4}'),
    ('\u{1109A}', '\u{110AB}'),
    ('\u{1112E}', '\u{1112F}'),
    ('\u{1134B}', '\u{1134C}'),
    ('\u{11383}', '\u{11391}'),
    ('\u{113C5}', '\u{113C8}'),
    ('\u{114BB}', '\u{114BE}'),
    ('\u{115BA}', '\u{115BB}'),
    ('\u{11938}', '\u{11938}'),
    ('\u{16121}', '\u{16128}'),
    ('\u{16D68}', '\u{16D6A}'),
    ('\u{1D15E}', '\u{1D164}'),
    ('\u{1D1BB}', '\u{1D1C0}'),
    ('\u{2F800}', '\u{2FA1D}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn decompose_all(c: char) -> Vec<char> {
        let mut parts = Vec::new();
        decompose(c, Case::Sensitive, |part| parts.push(part));
        parts
    }

    #[test]
    fn the_ranges_hold_every_decomposable_character() {
        let listed: Vec<char> = decomposables().collect();
        let is_listed = |c: &char| !('가'..='힣').contains(c) && usual_width(*c) == *c;
        for c in ('\0'..=char::MAX).filter(is_listed) {
            let parts = decompose_all(c);
            if parts == [c] {
                continue;
            }
            assert!(listed.binary_search(&c).is_ok(), "{c:?}");
            assert!(
                parts.windows(2).all(|pair| extends(pair[0], pair[1])),
                "{c:?}: {parts:?}"
            );
            if let [one] = parts[..]
                && one.is_ascii()
            {
                assert!(ASCII_SINGLETONS.contains(&(one, c)), "{c:?}");
            }
        }
    }

    #[test]
    fn variants_are_all_that_fold_alike() {
        for c in ('\0'..=char::MAX).filter(|&c| decompose_all(c) == [c]) {
            assert!(variants(fold(c), Case::Ignored).contains(&c), "{c:?}");
        }
    }

    #[test]
    fn ascii_has_the_width_forms_that_any_character_has() {
        for case in [Case::Ignored, Case::Sensitive] {
            for c in '\0'..='\x7F' {
                let canonical = [case.apply(c), 'n', ' '];
                let expected = width_forms_of_any(&canonical, case);
                assert_eq!(ascii_width_forms(&canonical, case), expected, "{c:?}");
            }
        }
    }

    #[test]
    fn segments_of_both_forms_are_the_same() {
        for (composed, apart) in [
            ("Étude", "E\u{301}tude"),
            ("한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}"),
        ] {
            assert_eq!(
                Query::new(composed, Case::Ignored),
                Query::new(apart, Case::Ignored)
            );
        }
        let han = Query::new("한", Case::Ignored);
        assert_eq!(han.segments[0].singles, ['한']);
        assert_eq!(han.tails, ['\u{1161}', '\u{11AB}']);
        let e = Query::new("é", Case::Ignored);
        assert_eq!(e.segments[0].singles, ['É', 'é']);
        assert_eq!(e.tails, ['\u{301}', '\u{341}']);
        assert_eq!(
            Query::new("ｶﾞＡ", Case::Ignored),
            Query::new("ガa", Case::Ignored)
        );
        assert_eq!(
            Query::new("ガa", Case::Ignored).forms,
            ['Ａ', 'ａ', 'ｶ', 'ﾞ']
        );
    }
}
