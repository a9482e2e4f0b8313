//! Korean words without what is attached to them: particles after nouns, and the endings of verbs
//! made of a noun and `하다`, `되다` or `시키다`. There is no dictionary; what is cut wrongly is cut
//! alike in the query and in the text.

/// Particles and other endings, the longest first.
const ENDINGS: [&str; 54] = [
    "하십시오",
    "했습니다",
    "합니다",
    "됩니다",
    "입니다",
    "하려면",
    "에서는",
    "에서의",
    "으로서",
    "으로써",
    "으로의",
    "하세요",
    "에서",
    "에게",
    "으로",
    "까지",
    "부터",
    "처럼",
    "보다",
    "마다",
    "이나",
    "이란",
    "이라",
    "하고",
    "하는",
    "하기",
    "하여",
    "되는",
    "로서",
    "로써",
    "에는",
    "로의",
    "하지",
    "하면",
    "한다",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "께",
    "로",
    "와",
    "과",
    "도",
    "만",
    "나",
    "란",
    "라",
    "인",
    "들",
];

/// Syllables that begin what makes a verb of the noun before them.
const VERBS: [&str; 18] = [
    "하", "되", "시키", "시킵", "시킨", "시켜", "해", "돼", "한", "된", "할", "될", "함", "됨",
    "합", "됩", "했", "됐",
];

/// Particles that follow a noun of one syllable.
const PARTICLES: [&str; 14] = [
    "은", "는", "이", "가", "을", "를", "의", "에", "도", "로", "와", "과", "만", "들",
];

/// Bytes of a syllable.
const SYLLABLE: usize = 3;

/// Returns a word of Hangul syllables without its ending; two syllables at least remain.
pub fn without_ending(word: &str) -> &str {
    if word.len() <= 2 * SYLLABLE {
        return word;
    }
    let starts = (2 * SYLLABLE..word.len()).step_by(SYLLABLE);
    let verb = starts
        .into_iter()
        .find(|&at| VERBS.iter().any(|verb| word[at..].starts_with(verb)));
    let noun = match verb {
        Some(at) => &word[..at],
        None => ENDINGS
            .iter()
            .filter_map(|ending| word.strip_suffix(ending))
            .find(|noun| noun.len() >= 2 * SYLLABLE)
            .unwrap_or(word),
    };
    match noun.strip_suffix("들") {
        Some(one) if one.len() >= 2 * SYLLABLE => one,
        _ => noun,
    }
}

/// Returns the first syllable of a word of two, where the second may be a particle.
pub fn short_noun(word: &str) -> Option<&str> {
    let (noun, particle) = word.split_at_checked(SYLLABLE)?;
    PARTICLES.contains(&particle).then_some(noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_without_what_is_attached() {
        for (word, noun) in [
            ("설정", "설정"),
            ("설정을", "설정"),
            ("설정은", "설정"),
            ("설정에서", "설정"),
            ("설정에서는", "설정"),
            ("파일들을", "파일"),
            ("관리하는", "관리"),
            ("관리합니다", "관리"),
            ("실행되었습니다", "실행"),
            ("컴포넌트로", "컴포넌트"),
            ("값을", "값을"),
            ("이해", "이해"),
            ("대한민국", "대한민국"),
        ] {
            assert_eq!(without_ending(word), noun, "{word}");
        }
    }

    #[test]
    fn nouns_of_one_syllable() {
        assert_eq!(short_noun("값을"), Some("값"));
        assert_eq!(short_noun("값"), None);
        assert_eq!(short_noun("설정"), None);
        assert_eq!(short_noun("설정을"), None);
    }

    #[test]
    fn longer_endings_are_tried_first() {
        let lengths = ENDINGS.map(str::len);
        assert!(lengths.is_sorted_by(|a, b| a >= b));
    }
}
