//! Whether an edit of Markdown changes nothing but words. Then the document has the links and the
//! places that it had, and need not be parsed again to know that: most edits are such.

use docent_document::format::Format;
use docent_text::equal::{common_prefix, common_suffix};

use crate::{myst, templates};

/// Signs that make links or places, or keep others from making them: in a line that changes, and
/// in the paragraph before it, where what they open may not be closed yet.
const SIGNS: [[u8; 3]; 4] = [*b"<>[", *b"]{}", *b"^`|", *b"\\$$"];

/// Whether the texts of a document of this name, before and after an edit, differ in nothing but
/// lines of plain words within paragraphs. That they do may be overlooked; that they do not, not.
pub fn is_all_that_changes(name: &str, before: &str, after: &str) -> bool {
    if !Format::from_name(name).is_some_and(Format::is_markdown) {
        return false;
    }
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let equal = before.floor_char_boundary(common_prefix(old, new));
    let start = before[..equal].rfind('\n').map_or(0, |end| end + 1);
    let rest = old.len().min(new.len()) - start;
    let behind = common_suffix(&old[old.len() - rest..], &new[new.len() - rest..]);
    // The line that it begins in has changed.
    let line = memchr::memchr(b'\n', &old[old.len() - behind..]);
    let behind = line.map_or(0, |end| behind - end - 1);
    let (old, new) = (
        &before[start..before.len() - behind],
        &after[start..after.len() - behind],
    );
    is_prose(old)
        && is_prose(new)
        && !myst::has_lists(before)
        && !templates::has_lists(before)
        && !has_signs(paragraph_before(&before[..start]))
        && !is_ruled(&before[before.len() - behind..])
}

/// Whether each line begins with a letter and has no sign that means anything.
fn is_prose(lines: &str) -> bool {
    let is_plain = |line: &str| {
        line.starts_with(|c: char| c.is_ascii_alphabetic() || !c.is_ascii())
            && !has_signs(line)
            && !line.contains(|c: char| c.is_control() && c != '\t')
    };
    let mut all = lines.lines().peekable();
    all.peek().is_some() && all.all(is_plain)
}

fn has_signs(text: &str) -> bool {
    let holds = |[a, b, c]: [u8; 3]| memchr::memchr3(a, b, c, text.as_bytes()).is_some();
    SIGNS.into_iter().any(holds)
}

/// Returns the end of a text from its last blank line on, or more.
fn paragraph_before(text: &str) -> &str {
    let blank = memchr::memmem::rfind(text.as_bytes(), b"\n\n");
    &text[blank.map_or(0, |at| at + 1)..]
}

/// Whether a line of the paragraph that goes on here makes a heading or a table of the lines above.
fn is_ruled(text: &str) -> bool {
    let lines = text.lines().map(str::trim_start);
    let mut lines = lines.take_while(|line| !line.is_empty());
    lines.any(|line| {
        let inside = line.trim_start_matches([' ', '\t', '>']);
        // Parsers take a CR for the end of a line, in some places.
        inside.starts_with(['=', '-', ':', '|']) || line.contains('\r')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::anchors::Anchors;
    use crate::link::links;

    #[test]
    fn words_alone() {
        let text = "# A\n\none word\nmore words\n\n> quote\n";
        for (old, new, expected) in [
            ("one", "two", true),
            ("one", "two words\nand", true),
            ("word\nmore", "more", true),
            ("one", "[one](b.md)", false),
            ("one", "# one", false),
            ("one", "", false),
            ("A", "B", false),
            ("more words\n", "", false),
            ("quote", "words", false),
        ] {
            let after = text.replace(old, new);
            let found = is_all_that_changes("a.md", text, &after);
            assert_eq!(found, expected, "{old} {new}");
            assert!(!is_all_that_changes("a.rst", text, &after));
        }
    }

    const LINES: [&str; 34] = [
        "a",
        "b c",
        "d: e.",
        "한 글",
        "import x.md",
        "===",
        "---",
        "  ===",
        "> ---",
        "# h",
        "## a {#i}",
        "# [a]",
        "> q",
        "> # q",
        "- i",
        "- # i",
        "1. n",
        "```",
        "~~~ {#f}",
        "<a id=x>",
        "<div id=y",
        ">",
        "<!--",
        "-->",
        "[a]: /u",
        "[a]:",
        "[^1]: n",
        "x ^b",
        ":--",
        "| a |",
        "`",
        "$$",
        "    more",
        "\u{A0}s",
    ];

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(3_000)
        })]

        #[test]
        fn what_changes_words_alone_changes_no_link_and_no_place(
            lines in prop::collection::vec(
                prop_oneof![1 => Just(""), 3 => prop::sample::select(LINES.to_vec())],
                1..12,
            ),
            at in any::<prop::sample::Index>(),
            new in prop::sample::select(vec!["w", "w x", "w\nx", "ü"]),
        ) {
            let at = at.index(lines.len());
            let text = |line: &str| {
                let all = lines.iter().enumerate();
                let all = all.map(|(index, own)| if index == at { line } else { own });
                all.collect::<Vec<_>>().join("\n")
            };
            for old in ["o", "o p", lines[at]] {
                let (before, after) = (text(old), text(new));
                if !is_all_that_changes("a.md", &before, &after) {
                    continue;
                }
                let places = |text: &str| Anchors::of("a.md", text).lost(&Anchors::default());
                prop_assert_eq!(places(&before), places(&after), "{}\n=>\n{}", before, after);
                let targets = |text: &str| -> Vec<String> {
                    let all = links(text, Format::Markdown);
                    all.into_iter().map(|link| format!("{:?} {}", link.kind, link.target)).collect()
                };
                prop_assert_eq!(targets(&before), targets(&after), "{}\n=>\n{}", before, after);
            }
        }
    }
}
