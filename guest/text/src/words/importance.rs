//! The importance of a question's words: question words, function words and content words.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

use crate::width::usual_width;
use crate::words::korean;
use crate::words::scripts::Script;

/// The importance of a word in a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Importance {
    /// A question word: `how`, `방법`.
    Asks,
    /// A function word: `of`, `위한`.
    Joins,
    /// A content word.
    Names,
}

/// English question words. None of them is ever the subject of a text.
const ASKING: [&str; 9] = [
    "how", "what", "when", "where", "which", "who", "whom", "whose", "why",
];

/// Korean question words, without an ending and with endings that are not stripped.
const ASKING_KOREAN: [&str; 18] = [
    "방법",
    "어떻게",
    "무엇",
    "무엇을",
    "무엇이",
    "무엇인가요",
    "언제",
    "어디",
    "어디서",
    "어디에",
    "왜",
    "누구",
    "누가",
    "어느",
    "어떤",
    "얼마나",
    "무슨",
    "뭐",
];

/// English articles, pronouns, prepositions and auxiliary verbs. `if`, `not` and `this` are left
/// out: they are keywords of code that people search for, and as function words they would count
/// less in such a query.
const JOINING: [&str; 45] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "could", "did", "do", "does", "for",
    "from", "i", "in", "is", "it", "its", "my", "of", "on", "or", "our", "should", "than", "that",
    "the", "their", "there", "these", "they", "those", "to", "was", "we", "were", "will", "with",
    "would", "you", "your", "am", "been",
];

/// Korean function words. Particles take most of that role, and forms of `하다`, `되다` and `있다` are
/// the auxiliary verbs. `하나` and `한` are left out, because they are also the number one.
const JOINING_KOREAN: [&str; 32] = [
    "및",
    "또는",
    "그리고",
    "위한",
    "위해",
    "위하여",
    "대한",
    "대해",
    "대하여",
    "통해",
    "있는",
    "때",
    "것",
    "수",
    "등",
    "저",
    "그",
    "안",
    "하기",
    "하는",
    "하면",
    "하고",
    "해서",
    "해야",
    "할",
    "되나",
    "되나요",
    "되는",
    "되면",
    "된",
    "있나",
    "있나요",
];

/// Emits each word of a query with its importance, in composed form: runs of letters, digits and
/// `_`, with Hangul separate from other scripts, so that `React를` is two words.
pub fn each_query_word(query: &str, mut give: impl FnMut(&str, Importance)) {
    // ASCII is composed and of usual width, so that it is not copied. Most file names, which are
    // split here too, are ASCII. For other queries, `ｉｄ` and `id` must be one word, and a
    // decomposed syllable one character.
    let query = if query.is_ascii() {
        Cow::Borrowed(query)
    } else {
        Cow::Owned(query.chars().map(usual_width).nfc().collect::<String>())
    };
    let is_hangul = |c| Script::from_char(c) == Script::Hangul;
    let mut rest = query.as_ref();
    while let Some(start) = rest.find(|c| Script::from_char(c) != Script::None) {
        rest = &rest[start..];
        let of_hangul = rest.starts_with(is_hangul);
        let end = rest.find(|c| Script::from_char(c) == Script::None || is_hangul(c) != of_hangul);
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        give(word, importance(word));
        rest = after;
    }
}

fn importance(word: &str) -> Importance {
    if word.is_ascii() {
        let is_in = |words: &[&str]| words.iter().any(|one| one.eq_ignore_ascii_case(word));
        return match () {
            () if is_in(&ASKING) => Importance::Asks,
            () if is_in(&JOINING) => Importance::Joins,
            () => Importance::Names,
        };
    }
    let stem = korean::without_ending(word);
    let is_in = |words: &[&str]| words.contains(&word) || words.contains(&stem);
    if is_in(&ASKING_KOREAN) {
        Importance::Asks
    } else if is_in(&JOINING_KOREAN) || korean::is_particles(word) {
        Importance::Joins
    } else {
        Importance::Names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn importance_of_words() {
        use Importance::{Asks, Joins, Names};
        let words = |query: &str| {
            let mut all = Vec::new();
            each_query_word(query, |word, importance| {
                all.push((word.to_owned(), importance));
            });
            all
        };
        for (query, expected) in [
            ("How?", &[("How", Asks)][..]),
            ("the port", &[("the", Joins), ("port", Names)]),
            (
                "React를 설정하는 방법은?",
                &[
                    ("React", Names),
                    ("를", Joins),
                    ("설정하는", Names),
                    ("방법은", Asks),
                ],
            ),
            (
                "캐시란 무엇인가요",
                &[("캐시란", Names), ("무엇인가요", Asks)],
            ),
            (
                "언제 rebase 하면 안 되나",
                &[
                    ("언제", Asks),
                    ("rebase", Names),
                    ("하면", Joins),
                    ("안", Joins),
                    ("되나", Joins),
                ],
            ),
            ("however", &[("however", Names)]),
            ("? --", &[]),
        ] {
            let expected = expected
                .iter()
                .map(|(word, say)| ((*word).to_owned(), *say));
            assert_eq!(words(query), expected.collect::<Vec<_>>(), "{query}");
        }
        let composed = words("방법");
        assert_eq!(words(&"방법".nfd().collect::<String>()), composed);
    }
}
