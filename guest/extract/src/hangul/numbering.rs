//! Numbers of paragraphs: they are not in the text, but have to be counted.

use std::collections::BTreeMap;

use super::{HangulStyles, ParagraphHead};
use crate::limits::OUTLINE_LEVELS;

/// A list with numbers.
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    /// Its levels.
    pub levels: Vec<NumberingLevel>,
}

/// A level of a list.
#[derive(Clone, Debug, Default)]
pub struct NumberingLevel {
    /// Code of the number's form.
    pub form: u8,
    /// Template of the number: `^1.^2`.
    pub template: String,
    /// First number.
    pub start: u32,
}

/// The last number of each level.
type LevelCounts = [Option<u32>; OUTLINE_LEVELS];

/// The counters of a document's lists.
#[derive(Debug, Default)]
pub struct NumberingCounters {
    counts: BTreeMap<u32, LevelCounts>,
    /// Counters of the list that was counted last.
    last: LevelCounts,
}

impl NumberingCounters {
    /// Counts a paragraph and returns the text of its number, which is empty if it has none.
    pub fn next(&mut self, styles: &HangulStyles, head: ParagraphHead, outline: u32) -> String {
        let (list, level) = match head {
            ParagraphHead::Outline { level } => (outline, level),
            ParagraphHead::Number { list, level } => (list, level),
            ParagraphHead::None | ParagraphHead::Heading { .. } | ParagraphHead::Bullet { .. } => {
                return String::new();
            }
        };
        let Some(numbering) = styles.numberings.get(&list) else {
            return String::new();
        };
        let level = level.min(OUTLINE_LEVELS - 1);
        let outer = self.last;
        let counts = self.counts.entry(list).or_insert_with(|| {
            // A list that begins at an inner level continues the outer levels of the list
            // before it.
            let mut counts = LevelCounts::default();
            counts[..level].copy_from_slice(&outer[..level]);
            counts
        });
        let start = numbering.levels.get(level).map_or(1, |level| level.start);
        counts[level] = Some(counts[level].map_or(start, |last| last.saturating_add(1)));
        counts[level + 1..].fill(None);
        self.last = *counts;
        numbering.label(counts, level)
    }
}

impl Numbering {
    /// Formats the number of a level.
    fn label(&self, counts: &LevelCounts, level: usize) -> String {
        let template = self.levels.get(level).map_or("", |level| &level.template);
        let mut label = String::new();
        let mut chars = template.chars();
        while let Some(c) = chars.next() {
            if c != '^' {
                label.push(c);
                continue;
            }
            match chars.clone().next() {
                // `^1` is the number of the outermost level, `^n` the path of all levels.
                Some(digit @ '1'..='9') => {
                    let index = digit as usize - '1' as usize;
                    label.push_str(&self.number(counts, index));
                }
                Some(':') => label.push_str(&self.number(counts, OUTLINE_LEVELS - 1)),
                Some(path @ ('n' | 'N')) => {
                    let numbers = (0..=level).map(|index| self.number(counts, index));
                    label.push_str(&numbers.collect::<Vec<_>>().join("."));
                    if path == 'N' {
                        label.push('.');
                    }
                }
                _ => {
                    label.push(c);
                    continue;
                }
            }
            chars.next();
        }
        label.trim().to_owned()
    }

    /// Formats the number of one level. One that has no item counts as begun.
    fn number(&self, counts: &LevelCounts, index: usize) -> String {
        let level = self.levels.get(index);
        let count = counts.get(index).copied().flatten();
        let count = count.unwrap_or_else(|| level.map_or(1, |level| level.start));
        number_text(count, level.map_or(0, |level| level.form))
    }
}

/// Names of the forms of numbers in `hwpx`, in the order of their codes in `hwp`.
const FORM_NAMES: [&str; 17] = [
    "DIGIT",
    "CIRCLED_DIGIT",
    "ROMAN_CAPITAL",
    "ROMAN_SMALL",
    "LATIN_CAPITAL",
    "LATIN_SMALL",
    "CIRCLED_LATIN_CAPITAL",
    "CIRCLED_LATIN_SMALL",
    "HANGUL_SYLLABLE",
    "CIRCLED_HANGUL_SYLLABLE",
    "HANGUL_JAMO",
    "CIRCLED_HANGUL_JAMO",
    "HANGUL_PHONETIC",
    "IDEOGRAPH",
    "CIRCLED_IDEOGRAPH",
    "DECAGON_CIRCLE",
    "DECAGON_CIRCLE_HANJA",
];

impl NumberingLevel {
    /// Returns the code of a form by its name.
    pub fn form_code(name: &str) -> u8 {
        let index = FORM_NAMES.iter().position(|other| *other == name);
        index.map_or(0, |index| u8::try_from(index).unwrap_or(0))
    }
}

/// Formats a number in the form with this code. Numbers that the form lacks are decimal.
pub fn number_text(number: u32, form: u8) -> String {
    let letter = |letters: &str| {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        letters.chars().nth(index).map(String::from)
    };
    let circled = |ranges: &[(u32, u32, u32)]| {
        ranges.iter().find_map(|(first, last, code)| {
            let is_within = (*first..=*last).contains(&number);
            char::from_u32(code + number.checked_sub(*first)?)
                .filter(|_| is_within)
                .map(String::from)
        })
    };
    let text = match form {
        1 => circled(&[(1, 20, 0x2460), (21, 35, 0x3251), (36, 50, 0x32B1)]),
        2 => roman(number),
        3 => roman(number).map(|text| text.to_ascii_lowercase()),
        4 => circled(&[(1, 26, 0x41)]),
        5 => circled(&[(1, 26, 0x61)]),
        6 => circled(&[(1, 26, 0x24B6)]),
        7 => circled(&[(1, 26, 0x24D0)]),
        8 => syllable(number),
        9 => circled(&[(1, 14, 0x326E)]),
        10 => letter("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"),
        11 => circled(&[(1, 14, 0x3260)]),
        12 => spoken(
            number,
            ["일", "이", "삼", "사", "오", "육", "칠", "팔", "구", "십"],
        ),
        13 => spoken(
            number,
            ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十"],
        ),
        14 => circled(&[(1, 10, 0x3280)]),
        15 => letter("갑을병정무기경신임계"),
        16 => letter("甲乙丙丁戊己庚辛壬癸"),
        _ => None,
    };
    text.unwrap_or_else(|| number.to_string())
}

/// Returns a Roman number, as far as they go.
fn roman(mut number: u32) -> Option<String> {
    const SIGNS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..4000).contains(&number) {
        return None;
    }
    let mut text = String::new();
    for (value, sign) in SIGNS {
        while number >= value {
            text.push_str(sign);
            number -= value;
        }
    }
    Some(text)
}

/// Returns the syllable of a number: 가, 나, … 하, then 거, 너, …
fn syllable(number: u32) -> Option<String> {
    // Indices of the plain consonants and vowels in the order of Unicode, which has the double
    // and compound ones between them.
    const CONSONANTS: [u32; 14] = [0, 2, 3, 5, 6, 7, 9, 11, 12, 14, 15, 16, 17, 18];
    const VOWELS: [u32; 6] = [0, 4, 8, 13, 18, 20];
    let index = usize::try_from(number.checked_sub(1)?).ok()?;
    let vowel = VOWELS.get(index / CONSONANTS.len())?;
    let consonant = CONSONANTS.get(index % CONSONANTS.len())?;
    char::from_u32(0xAC00 + (consonant * 21 + vowel) * 28).map(String::from)
}

/// Returns a number below 100 in the words of `digits`, from one to ten.
fn spoken(number: u32, digits: [&str; 10]) -> Option<String> {
    if !(1..100).contains(&number) {
        return None;
    }
    let digit = |value: u32| match value {
        0 => Some(""),
        value => digits.get(usize::try_from(value).ok()? - 1).copied(),
    };
    let (tens, ones) = (number / 10, number % 10);
    let ten = if tens > 0 { digits[9] } else { "" };
    let count = if tens > 1 { digit(tens)? } else { "" };
    Some(format!("{count}{ten}{}", digit(ones)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_every_form() {
        for (number, form, expected) in [
            (12, "DIGIT", "12"),
            (21, "CIRCLED_DIGIT", "㉑"),
            (51, "CIRCLED_DIGIT", "51"),
            (14, "ROMAN_CAPITAL", "XIV"),
            (4, "ROMAN_SMALL", "iv"),
            (0, "ROMAN_SMALL", "0"),
            (3, "LATIN_CAPITAL", "C"),
            (27, "LATIN_SMALL", "27"),
            (2, "CIRCLED_LATIN_SMALL", "ⓑ"),
            (1, "HANGUL_SYLLABLE", "가"),
            (14, "HANGUL_SYLLABLE", "하"),
            (15, "HANGUL_SYLLABLE", "거"),
            (99, "HANGUL_SYLLABLE", "99"),
            (3, "CIRCLED_HANGUL_SYLLABLE", "㉰"),
            (4, "HANGUL_JAMO", "ㄹ"),
            (2, "CIRCLED_HANGUL_JAMO", "㉡"),
            (21, "HANGUL_PHONETIC", "이십일"),
            (10, "IDEOGRAPH", "十"),
            (11, "IDEOGRAPH", "十一"),
            (3, "CIRCLED_IDEOGRAPH", "㊂"),
            (2, "DECAGON_CIRCLE", "을"),
            (2, "DECAGON_CIRCLE_HANJA", "乙"),
            (u32::MAX, "HANGUL_SYLLABLE", "4294967295"),
            (7, "UNKNOWN", "7"),
        ] {
            let form_code = NumberingLevel::form_code(form);
            assert_eq!(number_text(number, form_code), expected, "{form}");
        }
    }

    #[test]
    fn levels_restart_and_lists_continue() {
        let level = |template: &str, form| NumberingLevel {
            form,
            template: template.to_owned(),
            start: 1,
        };
        let mut styles = HangulStyles::default();
        let levels = vec![level("^1.", 0), level("^2)", 8), level("^1-^3", 0)];
        styles.numberings.insert(1, Numbering { levels });
        let levels = vec![level("제^1장", 0), level("^N", 0), level("^n^", 0)];
        styles.numberings.insert(2, Numbering { levels });
        let mut counters = NumberingCounters::default();
        let mut next =
            |list, level| counters.next(&styles, ParagraphHead::Number { list, level }, 2);
        assert_eq!(next(1, 0), "1.");
        assert_eq!(next(1, 1), "가)");
        assert_eq!(next(1, 1), "나)");
        assert_eq!(next(1, 2), "1-1");
        assert_eq!(next(1, 0), "2.");
        assert_eq!(next(1, 1), "가)");
        assert_eq!(next(2, 1), "2.1.");
        assert_eq!(next(2, 2), "2.1.1^");
        assert_eq!(next(2, 0), "제3장");
        assert_eq!(next(2, 99), "");
        assert_eq!(next(9, 0), "");
        let outline = ParagraphHead::Outline { level: 0 };
        assert_eq!(counters.next(&styles, outline, 2), "제4장");
        assert_eq!(
            counters.next(&styles, ParagraphHead::Bullet { level: 0 }, 2),
            ""
        );
    }
}
