//! English words without their endings, so that `settings` finds `setting` and `configured` finds
//! `configure`. Less is taken off than by Porter's stemmer, which joins what differs in meaning.

/// Bytes of the longest word that is stemmed: longer ones are no English. A word is copied to be
/// stemmed, so that there has to be some bound.
pub const LONGEST_STEMMED: usize = 32;

/// Bytes of the shortest word that may have an ending.
pub const SHORTEST_STEMMED: usize = 4;

/// Whether a word whose last letter is this may have an ending; few letters are that of one.
pub fn ends_word(last: u8) -> bool {
    matches!(last, b's' | b'g' | b'd' | b'e')
}

/// Returns an ASCII word in lower case without plural, `-ed`, `-ing` and final `e`. The word is
/// changed where `-ies` becomes `-y`.
pub fn stem(word: &mut [u8]) -> &[u8] {
    let mut length = word.len();
    // The plural first, then what stands before it: `settings` is `setting`, then `set`.
    match word {
        // `libraries`, but not `ties`.
        [.., i, b'e', b's'] if *i == b'i' && length > 4 => {
            *i = b'y';
            length -= 2;
        }
        // `classes`, `boxes`, `branches` and `hashes`. The `e` of `caches` goes with them.
        [.., b's', b's', b'e', b's']
        | [.., b'x', b'e', b's']
        | [.., b'c' | b's', b'h', b'e', b's']
            if length > 4 =>
        {
            length -= 2;
        }
        // No plurals: `class`, `status`, `axis`.
        [.., b's' | b'u' | b'i', b's'] => {}
        [.., b's'] if length > 3 => length -= 1,
        _ => {}
    }
    let ending = match word[..length] {
        [.., b'i', b'n', b'g'] => 3,
        [.., b'e', b'd'] => 2,
        _ => 0,
    };
    let before = length - ending;
    // What is left is long enough and has a vowel: not so in `ring`, `red` and `string`.
    if ending > 0 && before > 2 && word[..before].iter().any(is_vowel) {
        length = before;
        // `stopped` is `stop`, but `installed` is `install`, and `passed` is `pass`.
        if let [.., last, twin] = word[..length]
            && last == twin
            && !matches!(last, b'l' | b's' | b'z')
        {
            length -= 1;
        }
    }
    // `configure` as `configuring`; `one` and `code` stay.
    if length > 4 && word[length - 1] == b'e' {
        length -= 1;
    }
    &word[..length]
}

fn is_vowel(letter: &u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one() {
        for forms in [
            &["setting", "settings"][..],
            &["configure", "configured", "configures", "configuring"],
            &["library", "libraries"],
            &["box", "boxes"],
            &["class", "classes"],
            &["stop", "stopped", "stopping"],
            &["install", "installed", "installing", "installs"],
        ] {
            let stems = forms.iter().map(|form| {
                let mut word = form.as_bytes().to_vec();
                String::from_utf8_lossy(stem(&mut word)).into_owned()
            });
            let mut stems: Vec<String> = stems.collect();
            stems.dedup();
            assert_eq!(stems.len(), 1, "{forms:?}: {stems:?}");
        }
    }

    #[test]
    fn only_some_letters_end_an_ending() {
        for ending in ["ies", "sses", "s", "ing", "ed", "e", "y", "t", "n"] {
            let word = format!("walk{ending}");
            let is_changed = stem(&mut word.clone().into_bytes()) != word.as_bytes();
            assert!(
                !is_changed || word.bytes().last().is_some_and(ends_word),
                "{word}"
            );
        }
    }

    #[test]
    fn short_and_other_words_stay() {
        for word in [
            "is", "bus", "this", "red", "ring", "string", "status", "axis", "one",
        ] {
            assert_eq!(
                stem(&mut word.as_bytes().to_vec()),
                word.as_bytes(),
                "{word}"
            );
        }
    }
}
