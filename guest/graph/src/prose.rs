//! Detection of edits that change only prose. After such an edit a document has the same links and
//! anchors, so it need not be parsed again: most edits are of this kind.

use docent_document::format::Format;
use docent_text::equal::{common_prefix, common_suffix};

use crate::{myst, templates};

/// Characters that create links or anchors, or prevent them. Neither a changed line nor the
/// paragraph before it, in which they may open something, must contain them.
const SIGNS: [[u8; 3]; 4] = [*b"<>[", *b"]{}", *b"^`|", *b"\\$$"];

/// Returns true if the texts of a document called `name`, before and after an edit, differ only in
/// lines of plain words within paragraphs. May return false for such an edit, but never true for
/// another.
pub fn is_all_that_changes(name: &str, before: &str, after: &str) -> bool {
    if !Format::from_name(name).is_some_and(Format::is_markdown) {
        return false;
    }
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let equal = before.floor_char_boundary(common_prefix(old, new));
    let start = before[..equal].rfind('\n').map_or(0, |end| end + 1);
    let rest = old.len().min(new.len()) - start;
    let behind = common_suffix(&old[old.len() - rest..], &new[new.len() - rest..]);
    // The common end may begin within a line. That line has changed, so it is not part of it.
    let line = memchr::memchr(b'\n', &old[old.len() - behind..]);
    let behind = line.map_or(0, |end| behind - end - 1);
    let (old, new) = (
        &before[start..before.len() - behind],
        &after[start..after.len() - behind],
    );
    // The changed lines may get a meaning from lines that do not change. Each condition excludes
    // one way:
    //
    // - a plain word is a document in a `toctree`, and a file between two lines `--8<--`;
    // - the paragraph before may have opened something, such as `[a` before a line with `](b)`;
    // - the line after may be `===`, which makes a heading and so an anchor of the changed line.
    is_prose(old)
        && is_prose(new)
        && !myst::has_bare_paths(before)
        && !templates::has_bare_paths(before)
        && !has_signs(paragraph_before(&before[..start]))
        && !is_ruled(&before[before.len() - behind..])
}

/// Returns true if every line begins with a letter and contains no special character.
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

/// Returns the end of a text from its last blank line on, or a longer part.
fn paragraph_before(text: &str) -> &str {
    let blank = memchr::memmem::rfind(text.as_bytes(), b"\n\n");
    &text[blank.map_or(0, |at| at + 1)..]
}

/// Returns true if a line of the continued paragraph turns the lines above into a heading or a
/// table.
fn is_ruled(text: &str) -> bool {
    let lines = text.lines().map(str::trim_start);
    let mut lines = lines.take_while(|line| !line.is_empty());
    lines.any(|line| {
        let inside = line.trim_start_matches([' ', '\t', '>']);
        // Some parsers treat a CR as the end of a line in some places.
        inside.starts_with(['=', '-', ':', '|']) || line.contains('\r')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::anchors::Anchors;
    use crate::read::links;

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
                let places = |text: &str| Anchors::from_text("a.md", text).missing_from(&Anchors::default());
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
