//! Finds the hit in an excerpt again. The component marks it with `**`, which may stand in the
//! text as well.

/// An excerpt, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt<'a> {
    /// What stands before the hit.
    pub before: &'a str,
    /// The hit; empty where it could not be told.
    pub hit: &'a str,
    /// What stands behind it.
    pub after: &'a str,
}

const MARK: &str = "**";
const CUT: &str = "...";

/// Takes an excerpt with at most `context` characters on either side of a hit for `query` apart.
///
/// Of several places that could be the hit the one is taken that looks like the query, and has as
/// much text before it as a cut excerpt must have.
pub fn split<'a>(excerpt: &'a str, query: &str, context: usize) -> Excerpt<'a> {
    let query = query.trim().to_lowercase();
    let wanted = query.chars().count();
    let marks: Vec<_> = overlapping(excerpt).collect();
    // All pairs: an excerpt holds at most 500 characters on either side of its hit.
    let candidates = marks
        .iter()
        .enumerate()
        .flat_map(|(index, start)| marks[index + 1..].iter().map(move |end| (*start, *end)));
    let best = candidates
        .filter(|(start, end)| start + MARK.len() < *end)
        .min_by_key(|(start, end)| {
            let hit = &excerpt[start + MARK.len()..*end];
            // Folding in the component is finer than lower case, `straße` is `strasse` there; then
            // length and place decide.
            let unlike = usize::from(hit.to_lowercase() != query);
            let length = hit.chars().count().abs_diff(wanted);
            let misplaced = misplaced(&excerpt[..*start], &excerpt[end + MARK.len()..], context);
            (unlike, length, misplaced)
        });
    match best {
        Some((start, end)) => Excerpt {
            before: &excerpt[..start],
            hit: &excerpt[start + MARK.len()..end],
            after: &excerpt[end + MARK.len()..],
        },
        None => Excerpt {
            before: excerpt,
            hit: "",
            after: "",
        },
    }
}

/// Returns how far the text on the sides of a hit is from what it should be, in characters.
fn misplaced(before: &str, after: &str, context: usize) -> usize {
    match (before.strip_prefix(CUT), after.strip_suffix(CUT)) {
        // A cut side has exactly the context; an uncut one may have any length up to it.
        (Some(before), _) => before.chars().count().abs_diff(context),
        (None, Some(after)) => after.chars().count().abs_diff(context),
        (None, None) => 0,
    }
}

fn overlapping(excerpt: &str) -> impl Iterator<Item = usize> {
    excerpt
        .as_bytes()
        // Overlapping, for in `***` the mark may be either pair.
        .windows(MARK.len())
        .enumerate()
        .filter_map(|(at, window)| (window == MARK.as_bytes()).then_some(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(excerpt: &str, query: &str, context: usize, before: &str, hit: &str, after: &str) {
        assert_eq!(
            split(excerpt, query, context),
            Excerpt { before, hit, after }
        );
    }

    #[test]
    fn the_hit_is_found_again() {
        check("...a **Word** b...", "word", 2, "...a ", "Word", " b...");
        check("**word**", "word", 50, "", "word", "");
        check("****word****", "word", 50, "**", "word", "**");
        check(
            "x **bold** y **word** z",
            "word",
            50,
            "x **bold** y ",
            "word",
            " z",
        );
        check(
            "...**word** y **word** z",
            "word",
            11,
            "...**word** y ",
            "word",
            " z",
        );
        check("**straße** b", "strasse", 50, "", "straße", " b");
        check("a **b** c", "b ", 50, "a ", "b", " c");
        check("no mark", "mark", 50, "no mark", "", "");
        check("가 **나** 다", "나", 50, "가 ", "나", " 다");
    }
}
