//! English stemming, so that `settings` finds `setting` and `configured` finds `configure`. It
//! strips less than Porter's stemmer, which joins words that differ in meaning.

/// Maximum bytes of a stemmed word: longer ones are not English. A word is copied to be stemmed, so
/// there has to be a bound.
pub const LONGEST_STEMMED: usize = 32;

/// Minimum bytes of a word that may have an ending.
pub const SHORTEST_STEMMED: usize = 4;

/// Returns true if a word with this last letter may have an ending; few letters end one.
pub fn ends_word(last: u8) -> bool {
    matches!(last, b's' | b'g' | b'd' | b'e')
}

/// Strips plural, `-ed`, `-ing` and final `e` of an ASCII word in lower case. The word is modified
/// if `-ies` becomes `-y`.
///
/// ```text
/// libraries   library
/// boxes       box
/// settings    set
/// stopped     stop
/// configured  configur
/// configure   configur
/// string      string
/// ```
pub fn stem(word: &mut [u8]) -> &[u8] {
    let mut length = word.len();
    // The plural is removed first, then the ending before it: `settings` becomes `setting`, and
    // then `set`. In the other order `settings` would have no ending, and would be another term
    // than `setting`.
    match word {
        // The plural of a word in `-y`, such as `libraries`. `ties` is too short for that and is
        // the plural of `tie`.
        [.., i, b'e', b's'] if *i == b'i' && length > 4 => {
            *i = b'y';
            length -= 2;
        }
        // The plural in `-es` after a hissing sound: `classes`, `boxes`, `branches` and `hashes`.
        // `caches` loses its `e` in the same way, which is harmless because `cache` loses its final
        // `e` below.
        [.., b's', b's', b'e', b's']
        | [.., b'x', b'e', b's']
        | [.., b'c' | b's', b'h', b'e', b's']
            if length > 4 =>
        {
            length -= 2;
        }
        // Words such as `class`, `status` and `axis` are not plurals.
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
    // The rest must have three letters and a vowel: `ring` and `red` would be too short, and
    // `string` without `ing` has no vowel, so that all three are whole words.
    if ending > 0 && before > 2 && word[..before].iter().any(is_vowel) {
        length = before;
        // A doubled consonant before the ending is halved: `stopped` becomes `stop`. `l`, `s` and
        // `z` are kept, because they are often doubled in the word itself, as in `install` and
        // `pass`.
        if let [.., last, twin] = word[..length]
            && last == twin
            && !matches!(last, b'l' | b's' | b'z')
        {
            length -= 1;
        }
    }
    // The final `e` is removed, so that `configure` matches `configuring`, whose ending replaces
    // it. Words of up to four letters, such as `one` and `code`, keep it: the rest would be too
    // short to identify the word.
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
