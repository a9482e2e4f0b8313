//! The known name that was probably meant by an unknown one.

/// Maximum bytes of a name that is compared with the known ones: a comparison costs time and memory
/// in proportion to its length, and no known name is nearly as long.
const COMPARED_BYTES: usize = 100;

/// The minimum similarity at which an unknown name counts as a typo of a known one: 0 for names
/// with nothing in common, 1 for equal names.
const NEAR_ENOUGH: f64 = 0.6;

/// Minimum letters of a partial name that may match several names, of which the shortest is taken.
const TELLING_LETTERS: usize = 3;

/// Returns the known name that contains `name` from the beginning of one of its words: `dateRange`
/// for `date`, `range` and `dateR`. A part with fewer than three letters has to match exactly one
/// name.
pub fn nearest_whole<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let part = letters(name);
    if part.is_empty() || name.len() > COMPARED_BYTES {
        return None;
    }
    let holds =
        |whole: &&str| words(whole).any(|start| letters(&whole[start..]).starts_with(&part));
    let wholes: Vec<&str> = names.filter(holds).collect();
    let is_telling = wholes.len() == 1 || part.len() >= TELLING_LETTERS;
    // `min_by_key` returns the first of several that are equally short, in the order of the
    // contract.
    let shortest = wholes.into_iter().min_by_key(|whole| whole.len());
    shortest.filter(|_| is_telling)
}

/// Returns the offsets at which the words of a name begin: after dashes and underscores, and at
/// capital letters.
fn words(name: &str) -> impl Iterator<Item = usize> {
    let mut before = '-';
    name.char_indices().filter_map(move |(at, c)| {
        let begins = matches!(before, '-' | '_') || c.is_ascii_uppercase();
        before = c;
        begins.then_some(at)
    })
}

fn letters(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_'));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns the known name that is most similar to `name`, if any is similar enough.
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // The comparison takes time and memory in proportion to the product of the two lengths, and
    // the name comes from the caller: a name of a megabyte would occupy the server for each of
    // the known names.
    if name.len() > COMPARED_BYTES {
        return None;
    }
    names
        .map(|other| (strsim::normalized_damerau_levenshtein(name, other), other))
        .filter(|(likeness, _)| *likeness >= NEAR_ENOUGH)
        // `max_by` returns the last of several that are equally near, so the result does not
        // depend on anything but the order of the names.
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, nearest)| nearest)
}
