//! Location of the hit in an excerpt. The component marks the hit with `**`, which may occur in the
//! text as well.

/// An excerpt, split around its hit.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt<'a> {
    /// Text before the hit.
    pub before: &'a str,
    /// The hit; empty if it could not be located.
    pub hit: &'a str,
    /// Text after the hit.
    pub after: &'a str,
}

const MARK: &str = "**";
const CUT: &str = "...";

/// Splits an excerpt with at most `context` characters on either side of a hit for `query`.
///
/// Of several candidates, the hit is the one that equals the query, else the one closest to it in
/// length, else the one with the expected amount of text around it.
pub fn split<'a>(excerpt: &'a str, query: &str, context: usize) -> Excerpt<'a> {
    let query = query.trim().to_lowercase();
    let wanted = query.chars().count();
    let marks: Vec<_> = find_overlapping(excerpt).collect();
    // Tries all pairs: an excerpt holds at most 500 characters on either side of its hit.
    let candidates = marks
        .iter()
        .enumerate()
        .flat_map(|(index, start)| marks[index + 1..].iter().map(move |end| (*start, *end)));
    let best = candidates
        .filter(|(start, end)| start + MARK.len() < *end)
        .min_by_key(|(start, end)| {
            let hit = &excerpt[start + MARK.len()..*end];
            // Case folding in the component is finer than lower case (`straße` matches `strasse`);
            // then length and position decide.
            let unlike = usize::from(hit.to_lowercase() != query);
            let length = hit.chars().count().abs_diff(wanted);
            let misplaced = deviation(&excerpt[..*start], &excerpt[end + MARK.len()..], context);
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

/// Returns the deviation of the text around a hit from its expected length, in characters.
fn deviation(before: &str, after: &str, context: usize) -> usize {
    match (before.strip_prefix(CUT), after.strip_suffix(CUT)) {
        // A cut side has exactly `context` characters; an uncut side may have fewer.
        (Some(before), _) => before.chars().count().abs_diff(context),
        (None, Some(after)) => after.chars().count().abs_diff(context),
        (None, None) => 0,
    }
}

fn find_overlapping(excerpt: &str) -> impl Iterator<Item = usize> {
    excerpt
        .as_bytes()
        // Overlapping windows, because in `***` either pair may be the mark.
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
