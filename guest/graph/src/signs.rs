//! Signs of what generators of sites add to Markdown, such as `{{#include a.rs}}`, found in one
//! pass over a text. Most texts have none of them, and need no pass for each construct.

use memchr::memchr2_iter;

/// The signs that occur in a text. Each may also be plain text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signs {
    /// `{{`.
    pub pairs: bool,
    /// `{%`.
    pub tags: bool,
    /// `{!` or `{i`.
    pub includes: bool,
    /// A brace after a fence, as in every directive of MyST.
    pub directives: bool,
    /// `8<`.
    pub scissors: bool,
    /// `<!`.
    pub comments: bool,
}

impl Signs {
    /// Finds the signs of a text.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut signs = Self::default();
        for at in memchr2_iter(b'{', b'<', bytes) {
            let next = bytes.get(at + 1);
            if bytes[at] == b'<' {
                signs.scissors |= at > 0 && bytes[at - 1] == b'8';
                signs.comments |= next == Some(&b'!');
                continue;
            }
            match next {
                Some(b'{') => signs.pairs = true,
                Some(b'%') => signs.tags = true,
                Some(b'!' | b'i') => signs.includes = true,
                _ => {}
            }
            signs.directives |= may_follow_fence(&bytes[..at]);
        }
        signs
    }
}

/// Returns true if a fence ends at the end of a text, or before blanks there.
fn may_follow_fence(before: &[u8]) -> bool {
    let last = before.iter().rposition(|byte| *byte > b' ');
    let end = &before[..last.map_or(0, |last| last + 1)];
    // Not every blank is of ASCII.
    let is_unknown = end.last().is_some_and(|byte| !byte.is_ascii());
    is_unknown
        || [b"```", b"~~~", b":::"]
            .iter()
            .any(|fence| end.ends_with(*fence))
}

#[cfg(test)]
mod tests {
    use docent_document::format::Format;
    use proptest::prelude::*;

    use super::*;
    use crate::link::Found;
    use crate::myst::Myst;
    use crate::paths;

    const ALL: Signs = Signs {
        pairs: true,
        tags: true,
        includes: true,
        directives: true,
        scissors: true,
        comments: true,
    };

    /// Pieces of texts with and without signs.
    const PIECES: &[&str] = &[
        "{",
        "{{",
        "}}",
        "{%",
        "%}",
        "<",
        "!",
        "8<",
        "--8<-- \"a.md\"\n",
        "#include a.rs",
        "\n",
        " ",
        "\u{3000}",
        "```",
        ":::",
        "{toctree}\n",
        "include a.html ",
        "{figure} a.png\n",
        "< ref \"a.md\" >",
        "b.md",
        "(c)=\n",
        "word",
    ];

    fn summary(found: &[Found]) -> Vec<String> {
        let one = |link: &Found| format!("{:?} {:?} {}", link.kind, link.span, link.target);
        found.iter().map(one).collect()
    }

    proptest! {
        // A reader that is not run because a sign is missing would have found nothing.
        #[test]
        fn no_construct_is_missed(
            pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
        ) {
            let text = pieces.concat();
            let signs = Signs::new(&text);
            let paths = |signs| summary(&paths::read(Format::Markdown, &text, signs, None));
            prop_assert_eq!(paths(signs), paths(ALL));
            let myst = |signs| {
                let myst = Myst::read(&text, signs);
                let found = summary(&myst.found);
                (myst.markdown.into_owned(), found, myst.ids, myst.labels, myst.is_complete)
            };
            prop_assert_eq!(myst(signs), myst(ALL));
        }
    }

    #[test]
    fn signs_by_text() {
        const NONE: Signs = Signs {
            pairs: false,
            tags: false,
            includes: false,
            directives: false,
            scissors: false,
            comments: false,
        };
        for (text, expected) in [
            ("fn a() { b }, Vec<T>, {", NONE),
            (
                "{{ a }}",
                Signs {
                    pairs: true,
                    ..NONE
                },
            ),
            ("{% a %}", Signs { tags: true, ..NONE }),
            (
                "{!a!}",
                Signs {
                    includes: true,
                    ..NONE
                },
            ),
            (
                "a {include} b",
                Signs {
                    includes: true,
                    ..NONE
                },
            ),
            (
                "```{note}",
                Signs {
                    directives: true,
                    ..NONE
                },
            ),
            (
                ":::: \t{note}",
                Signs {
                    directives: true,
                    ..NONE
                },
            ),
            (
                "~~~\u{3000}{note}",
                Signs {
                    directives: true,
                    ..NONE
                },
            ),
            ("``{a}", NONE),
            (
                "--8<-- \"a\"",
                Signs {
                    scissors: true,
                    ..NONE
                },
            ),
            ("<8", NONE),
            (
                "a <!-- b -->",
                Signs {
                    comments: true,
                    ..NONE
                },
            ),
            ("", NONE),
        ] {
            assert_eq!(Signs::new(text), expected, "{text}");
        }
    }
}
