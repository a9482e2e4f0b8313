//! Korean stemming: strips particles after nouns, and the endings of verbs made of a noun and `하다`,
//! `되다` or `시키다`. There is no dictionary; a wrong cut is the same in the query and in the text.
//!
//! ```text
//! 설정을      설정
//! 서버에서는  서버
//! 관리하는    관리
//! 파일들을    파일
//! ```

/// Returns the particles and other endings with the given last syllable, the longest first, so that
/// no part of a long one remains: `에서는`, not `는`. Indexed by the last syllable, because most
/// syllables end no ending, and one look-up settles such a word.
fn endings(last: char) -> &'static [&'static str] {
    match last {
        '오' => &["하십시오"],
        '다' => &[
            "했습니다",
            "합니다",
            "됩니다",
            "입니다",
            "보다",
            "마다",
            "한다",
        ],
        '면' => &["하려면", "하면"],
        '는' => &["에서는", "하는", "되는", "에는", "는"],
        '의' => &["에서의", "으로의", "로의", "의"],
        '서' => &["으로서", "에서", "로서"],
        '써' => &["으로써", "로써"],
        '요' => &["하세요"],
        '게' => &["에게"],
        '로' => &["으로", "로"],
        '지' => &["까지", "하지"],
        '터' => &["부터"],
        '럼' => &["처럼"],
        '나' => &["이나", "나"],
        '란' => &["이란", "란"],
        '라' => &["이라", "라"],
        '고' => &["하고"],
        '기' => &["하기"],
        '여' => &["하여"],
        '은' => &["은"],
        '이' => &["이"],
        '가' => &["가"],
        '을' => &["을"],
        '를' => &["를"],
        '에' => &["에"],
        '께' => &["께"],
        '와' => &["와"],
        '과' => &["과"],
        '도' => &["도"],
        '만' => &["만"],
        '인' => &["인"],
        '들' => &["들"],
        _ => &[],
    }
}

/// Returns true if a verb ending of the noun before it begins with this syllable and the next.
fn begins_verb(syllable: char, next: Option<char>) -> bool {
    match syllable {
        '하' | '되' | '해' | '돼' | '한' | '된' | '할' | '될' | '함' | '됨' | '합' | '됩'
        | '했' | '됐' => true,
        // `시` begins a verb only before certain syllables: `작동시키는` is a form of `작동시키다`, to make
        // work, while `작동시간` is a noun, the working time.
        '시' => matches!(next, Some('키' | '킵' | '킨' | '켜')),
        _ => false,
    }
}

/// Returns true if a syllable is a particle that follows a noun of one syllable.
fn is_particle(syllable: char) -> bool {
    matches!(
        syllable,
        '은' | '는'
            | '이'
            | '가'
            | '을'
            | '를'
            | '의'
            | '에'
            | '도'
            | '로'
            | '와'
            | '과'
            | '만'
            | '들'
    )
}

/// Returns true if a word consists only of particles, as after a noun of one syllable or a foreign
/// word: `는`, `으로`.
pub fn is_particles(word: &str) -> bool {
    let mut syllables = word.chars();
    match (syllables.next(), syllables.next()) {
        (Some(one), None) => is_particle(one),
        // Every particle of several syllables begins with one of these syllables, so that one
        // comparison settles most words, and the list is not searched.
        (Some('으' | '에' | '까' | '부' | '처' | '보' | '입' | '이'), _) => {
            LONG_PARTICLES.contains(&word)
        }
        _ => false,
    }
}

/// Particles of several syllables, by which a noun of one syllable is recognized.
const LONG_PARTICLES: [&str; 19] = [
    "으로",
    "으로는",
    "으로도",
    "으로의",
    "으로서",
    "으로써",
    "에서",
    "에서는",
    "에서도",
    "에서의",
    "에게",
    "에는",
    "에도",
    "까지",
    "부터",
    "처럼",
    "보다",
    "입니다",
    "이라는",
];

/// Bytes of a syllable in UTF-8.
const SYLLABLE: usize = 3;

/// Strips the ending of a word of Hangul syllables; at least two syllables remain.
pub fn without_ending(word: &str) -> &str {
    // A word of two syllables is kept, because the second belongs to the noun as often as not: `이해`
    // (understanding) does not end with a form of `하다`, nor `나이` (age) with the particle `이`.
    if word.len() <= 2 * SYLLABLE {
        return word;
    }
    // The verb is searched for first, because everything after it is its ending. `관리하는` is `관리`
    // with a form of `하다`, and not a noun `관리하` with the particle `는`.
    let noun = match verb_start(word) {
        Some(start) => &word[..start],
        None => without_particles(word),
    };
    // The plural marker `들` precedes a particle and is removed after it: `파일들을` becomes `파일들`, and
    // then `파일`, as which a query names it.
    match noun.strip_suffix('들') {
        Some(one) if one.len() >= 2 * SYLLABLE => one,
        _ => noun,
    }
}

/// Strips the particles of a noun that has two syllables or more without them.
fn without_particles(word: &str) -> &str {
    let endings = word.chars().next_back().map_or(&[][..], endings);
    for ending in endings {
        let Some(noun) = word.strip_suffix(ending) else {
            continue;
        };
        if noun.len() >= 2 * SYLLABLE {
            return noun;
        }
        // An ending that begins with `으` or `에` and leaves one syllable is the right one all the
        // same, so that no shorter ending is tried: `값으로` is not `값으` with `로`, and is kept whole.
        // `사이로` is `사이` with `로`.
        if noun.len() == SYLLABLE && ending.starts_with(['으', '에']) {
            break;
        }
    }
    word
}

/// Returns the start of the verb suffix in a word of Hangul syllables, after a noun of at least
/// two.
fn verb_start(word: &str) -> Option<usize> {
    // At least two syllables precede the verb. A shorter noun could also be the beginning of
    // another word: `대한민국` (Korea) is not `대` with a form of `하다`.
    let mut syllables = word.char_indices().skip(2).peekable();
    while let Some((start, syllable)) = syllables.next() {
        if begins_verb(syllable, syllables.peek().map(|(_, next)| *next)) {
            return Some(start);
        }
    }
    None
}

/// Returns the first syllable of a word if everything after it may be particles.
pub fn short_noun(word: &str) -> Option<&str> {
    let (start, _) = word.char_indices().nth(1)?;
    is_particles(&word[start..]).then_some(&word[..start])
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
            ("값으로", "값으로"),
            ("집에서는", "집에서는"),
            ("사이로", "사이"),
            ("바탕으로", "바탕"),
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
        assert_eq!(short_noun("값으로"), Some("값"));
        assert_eq!(short_noun("집에서는"), Some("집"));
        assert_eq!(short_noun("사이로"), None);
        assert_eq!(short_noun(""), None);
    }

    #[test]
    fn longer_endings_are_tried_first() {
        for last in '가'..='힣' {
            let endings = endings(last);
            assert!(endings.is_sorted_by(|a, b| a.len() >= b.len()), "{last}");
            assert!(
                endings.iter().all(|ending| ending.ends_with(last)),
                "{last}"
            );
        }
        assert_eq!(('가'..='힣').flat_map(endings).count(), 54);
    }

    #[test]
    fn verbs_of_nouns() {
        for (word, noun) in [
            ("작동시키는", "작동"),
            ("작동시켜", "작동"),
            ("작동시간", "작동시간"),
            ("사용해", "사용"),
            ("하하하", "하하"),
        ] {
            assert_eq!(without_ending(word), noun, "{word}");
        }
    }
}
