use std::ops::Range;

use super::*;
use crate::headings::headings as markdown_headings;
use crate::headings::mdx_headings;

fn parsed_headings(text: &str) -> Vec<(u8, String)> {
    let all = mdx_headings(text).into_iter();
    all.map(|heading| (heading.level, heading.text)).collect()
}

#[track_caller]
fn has(text: &str, expected: &[(u8, &str)]) {
    let expected: Vec<(u8, String)> = expected
        .iter()
        .map(|(level, text)| (*level, (*text).to_owned()))
        .collect();
    assert_eq!(parsed_headings(text), expected, "{text}");
}

/// Expected values are those of `remark-mdx`.
#[test]
fn headings_beside_what_mdx_alone_knows() {
    has(
        "<Tab id=\"a\">\n~~~sh\n# no\n\n# no\n~~~\n</Tab>\n\n## A\n",
        &[(2, "A")],
    );
    has("a\n{b}\n# A\n", &[(1, "A")]);
    has("text\n<div>\n## A\n</div>\ntext\n", &[(2, "A")]);
    has("a\n<X/>\n---\n{x}\n---\n<A/> {x}\n===\n", &[]);
    has("- <Foo/>\n\n  # no\n\n# A\n", &[(1, "A")]);
    has("- a\n      - b\n\n        # no\n\n# A\n", &[(1, "A")]);
    has("        # A\n", &[(1, "A")]);
    has("        ```\n        # no\n    ```\n# A\n", &[(1, "A")]);
    has("export const x = {\n\na: `\n\n# no`}\n\n# A\n", &[(1, "A")]);
    has(
        "import a from 'b'\nimport {c,\n d} from 'e'\n\n# A\n",
        &[(1, "A")],
    );
    has("<a\n  b='>'\n>\n# A\n</a>\n", &[(1, "A")]);
    has("> <div>\n> # no\n> </div>\n\n# A\n", &[(1, "A")]);
    has("<b>text</b>\n# A\n", &[(1, "A")]);
    has(
        "<div>\n  - a\n    ```\n    # no\n    ```\n</div>\n# A\n",
        &[(1, "A")],
    );
    has("<A\n\n b={() => {\n\n# no\n\n}}\n/>\n# A\n", &[(1, "A")]);
    has("{/* a\n\n# no */}\n# A\n", &[(1, "A")]);
    has("a {x\n+y} b\n# A\n", &[(1, "A")]);
    has("<div># no</div>\n", &[]);
    has(
        "<div>\n    # A\n\n    ```js\n    # no\n    ```\n    ## B\n</div>\n",
        &[(1, "A"), (2, "B")],
    );
    has(
        "1. a\n   <Foo>\n   # no\n   </Foo>\n2. c\n\n# A\n",
        &[(1, "A")],
    );
    has("text\n    # A\n\ttext\n\t\t## B\n", &[(1, "A"), (2, "B")]);
    has("a\n        ===\n", &[(1, "a")]);
    has(
        "{cond && <p>don't</p>}\n# A\n\n{'}'}\n## B {/* b */}\n",
        &[(1, "A"), (2, "B")],
    );
    has("# A <Badge a={`}`} b=\"c\" /> `<d>`\n", &[(1, "A <d>")]);
    has("\\<div>\n# A\n\n`{` a\n# B\n\n`}`\n", &[(1, "A"), (1, "B")]);
    has("<!-- a\n# no\n-->\n# A\n", &[(1, "A")]);
}

#[test]
fn spans_are_those_of_the_lines() {
    for (text, expected) in [
        ("a\n      # B\n  text\n", "      # B\n"),
        ("a\r\n\r\n      # B\r\n      - x\r\n", "      # B\r\n"),
        ("      # B", "      # B"),
        ("x\n\t\tB\n\t\t===\n\t\t    - y", "\t\t===\n"),
    ] {
        let all = mdx_headings(text);
        let span = &all[0].span;
        assert!(text[span.clone()].ends_with(expected), "{text:?} {span:?}");
        assert!(text[..span.start].is_empty() || text[..span.start].ends_with('\n'));
    }
}

#[test]
fn attributes_and_expressions() {
    let text = "<A b=\"c\" {...d} e={f} g='h'>\ntext <i j = \"k\n\"/> {l}\n\n- <M n=\"o\"/>\n";
    let mdx = Mdx::new(text);
    let attributes: Vec<(&str, &str, &str)> = mdx
        .attributes
        .iter()
        .map(|one| {
            let of = |range: &Range<usize>| &text[range.clone()];
            (of(&one.tag), of(&one.name), of(&one.value))
        })
        .collect();
    let expected = [
        ("A", "b", "c"),
        ("A", "g", "h"),
        ("i", "j", "k\n"),
        ("M", "n", "o"),
    ];
    assert_eq!(attributes, expected);
    let expressions: Vec<&str> = mdx
        .expressions
        .iter()
        .map(|one| &text[one.clone()])
        .collect();
    assert_eq!(expressions, ["{l}"]);
}

const PIECES: [&str; 44] = [
    "<a",
    "<A b=\"c\">",
    "</A>",
    "<>",
    "</>",
    "/>",
    "{",
    "}",
    "{x}",
    "{/*",
    "*/}",
    "'",
    "\"",
    "`",
    "```",
    "~~~",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "    ",
    "\t",
    "  ",
    "> ",
    "- ",
    "1. ",
    "# h",
    "===",
    "---",
    "import ",
    "export const a = ",
    "text",
    "한글",
    "\\",
    "[a](b)",
    "[a]: b",
    "<!--",
    "-->",
    "${",
    "//",
    "=",
    "| a |",
    "é",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        failure_persistence: None,
        ..proptest::prelude::ProptestConfig::with_cases(2_000)
    })]

    #[test]
    fn each_byte_stays_in_its_place(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES.to_vec()), 0..40),
    ) {
        let text = pieces.concat();
        let mdx = Mdx::new(&text);
        proptest::prop_assert_eq!(mdx.markdown.len(), text.len());
        let mut end = 0;
        for heading in mdx_headings(&text) {
            proptest::prop_assert!(heading.span.start >= end && heading.span.end <= text.len());
            proptest::prop_assert!(text.get(heading.span.clone()).is_some(), "{:?}", text);
            end = heading.span.end;
        }
        for one in &mdx.attributes {
            let all = [&one.tag, &one.name, &one.value];
            proptest::prop_assert!(all.iter().all(|range| text.get((**range).clone()).is_some()));
        }
    }

    #[test]
    fn markdown_that_is_no_mdx_is_as_it_was(
        lines in proptest::collection::vec(proptest::sample::select(
            &["# A", "## B *c*", "text", "", "===", "```", "~~~", "- a", "  b", "1. c", "> # q", "[a]: b", "***", "| a |"][..]
        ), 0..14),
    ) {
        let text = lines.join("\n");
        proptest::prop_assert_eq!(mdx_headings(&text), markdown_headings(&text), "{}", text);
    }
}

#[test]
fn hostile_texts_are_read_a_few_times() {
    // Without the limit, each start would be read to the end of the text.
    for piece in [
        "<a \"\n",
        "<a b={\n",
        "{\n",
        "{`${",
        "<a b='\n\n",
        "import {\n\n",
        "a `\n\n",
        "<a {`\n",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        assert_eq!(Mdx::new(&text).markdown.len(), text.len(), "{piece}");
    }
}
