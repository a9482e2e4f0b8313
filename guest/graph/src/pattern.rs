//! Patterns of Sphinx: `*` and `?` match anything except `/`, `**` also matches `/`, `[a-z]`
//! matches one of these characters and `[!a-z]` any other.

/// A pattern.
pub struct GlobPattern {
    parts: Vec<Part>,
}

enum Part {
    Sign(char),
    One,
    Class {
        ranges: Vec<(char, char)>,
        is_other: bool,
    },
    Many,
    All,
}

impl GlobPattern {
    pub fn new(pattern: &str) -> Self {
        let signs: Vec<char> = pattern.chars().collect();
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(&sign) = signs.get(at) {
            at += 1;
            match sign {
                '*' if signs.get(at) == Some(&'*') => {
                    at += 1;
                    parts.push(Part::All);
                }
                '*' => parts.push(Part::Many),
                '?' => parts.push(Part::One),
                '[' => match class(&signs[at..]) {
                    Some((part, length)) => {
                        at += length;
                        parts.push(part);
                    }
                    None => parts.push(Part::Sign('[')),
                },
                sign => parts.push(Part::Sign(sign)),
            }
        }
        Self { parts }
    }

    /// Returns true if the pattern matches all of a text.
    pub fn matches(&self, text: &str) -> bool {
        // The positions of the pattern that may come next are followed all at once. A matcher
        // that tries one position and goes back takes time exponential in the number of stars
        // for `*a*a*a*a*b` and a long text without a `b`; this one takes at most the length of
        // the pattern for each character.
        let mut places = vec![false; self.parts.len() + 1];
        places[0] = true;
        self.skip(&mut places);
        for sign in text.chars() {
            let mut next = vec![false; places.len()];
            for (at, part) in self.parts.iter().enumerate().filter(|(at, _)| places[*at]) {
                match part {
                    Part::Many | Part::All => next[at] |= part.takes(sign),
                    _ => next[at + 1] |= part.takes(sign),
                }
            }
            self.skip(&mut next);
            places = next;
        }
        places[self.parts.len()]
    }

    /// Adds the positions after parts that may match nothing.
    fn skip(&self, places: &mut [bool]) {
        for (at, part) in self.parts.iter().enumerate() {
            places[at + 1] |= places[at] && matches!(part, Part::Many | Part::All);
        }
    }
}

impl Part {
    fn takes(&self, sign: char) -> bool {
        match self {
            Self::Sign(own) => *own == sign,
            Self::One | Self::Many => sign != '/',
            Self::All => true,
            Self::Class { ranges, is_other } => {
                let is_in = ranges.iter().any(|(a, b)| (*a..=*b).contains(&sign));
                sign != '/' && is_in != *is_other
            }
        }
    }
}

/// Parses a class from the text after its `[`, and returns it with its length.
fn class(signs: &[char]) -> Option<(Part, usize)> {
    let is_other = signs.first() == Some(&'!');
    let start = usize::from(is_other);
    // A bracket that comes first belongs to the class: `[]a]` matches `]` and `a`.
    let end = start
        + 1
        + signs
            .get(start + 1..)?
            .iter()
            .position(|sign| *sign == ']')?;
    let mut ranges = Vec::new();
    let mut inside = &signs[start..end];
    while let [first, rest @ ..] = inside {
        inside = match rest {
            ['-', last, behind @ ..] => {
                ranges.push((*first, *last));
                behind
            }
            _ => {
                ranges.push((*first, *first));
                rest
            }
        };
    }
    Some((Part::Class { ranges, is_other }, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_documents() {
        for (pattern, text, expected) in [
            ("a/*", "a/b", true),
            ("a/*", "a/b/c", false),
            ("a/**", "a/b/c", true),
            ("**/c", "a/b/c", true),
            ("*", "", true),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[!a-c]x", "dx", true),
            ("[]]x", "]x", true),
            ("[ax", "[ax", true),
            ("a*b*c", "axxbyybzc", true),
            ("a*b*c", "axxbyybz", false),
        ] {
            assert_eq!(
                GlobPattern::new(pattern).matches(text),
                expected,
                "{pattern} {text}"
            );
        }
        let many = GlobPattern::new(&"a*".repeat(200));
        assert!(!many.matches(&format!("{}b", "a".repeat(2_000)).replace('b', "/")));
    }
}
