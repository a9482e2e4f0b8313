//! Tests of the structure of RTF documents: headings, lists, tables and code.

use docent_extract::fixtures::{Rtf, rtf_row};
use docent_extract::{Beyond, Format, Limits, extract};

fn markdown_of(body: &str) -> String {
    let limits = Limits {
        text_bytes: 1 << 20,
        unpacked_bytes: 1 << 20,
        beyond: Beyond::Refuse,
    };
    extract(Format::Rtf, Rtf::new(body).file(), &limits).expect("it can be read")
}

#[test]
fn headings_by_level_and_style() {
    assert_eq!(
        markdown_of(
            r"\pard\s1 one\par\pard\s2{\listtext 1.1\tab}two\par\pard\s3 three\par{\pard\outlinelevel3 four\par}\pard\s4 contents\tab 3\par\pard\s1\outlinelevel9 words\par\pard\s77 more # words\par"
        ),
        "# one\n\n## 1.1 two\n\n### three\n\n#### four\n\nwords\n\nmore # words\n"
    );
}

#[test]
fn a_style_is_that_of_the_paragraph_end() {
    assert_eq!(
        markdown_of(r"\pard\s1 a\par b\par\pard c"),
        "# a\n\n# b\n\nc\n"
    );
}

#[test]
fn lists_by_level() {
    assert_eq!(
        markdown_of(
            r"\pard\ls1\ilvl0{\listtext\f2\'b7\tab}one\par\pard\ls1\ilvl1{\listtext o\tab}two\par\pard\ls2\ilvl0{\listtext 3.\tab}three\par\ilvl1{\listtext a)\tab}four\par{\listtext b)\tab}five\par\pard\ls2\ilvl2 no item\par"
        ),
        "- one\n    - two\n3. three\n    1. four\n    2. five\n\nno item\n"
    );
}

#[test]
fn lists_of_word_95_and_of_wordpad() {
    assert_eq!(
        markdown_of(
            r"\pard{\pntext\f2\'B7\tab}{\*\pn\pnlvlblt\pnf2{\pntxtb\'B7}}one\par{\pntext\f2\'B7\tab}two\par\pard{\pntext 7.\tab}{\*\pn\pnlvlbody\pndec}three\par and\par\pard four\par"
        ),
        "- one\n- two\n7. three\n8. and\n\nfour\n"
    );
}

#[test]
fn words_of_numbers_are_kept() {
    assert_eq!(
        markdown_of(r"\pard\ls2\ilvl0{\listtext Article 1.\tab}one\par"),
        "- Article 1. one\n"
    );
}

#[test]
fn tables_with_spans_and_blocks() {
    let body = [
        rtf_row(&["a", "b", "c"]),
        r"\trowd\cellx2000\cellx3000\pard\intbl wide\cell one\line two\par{\pntext\'b7\tab}item\cell\row"
            .to_owned(),
        r"\trowd\clvmrg\cellx1000\cellx2000\cellx3000\pard\intbl\cell x|y\cell\cell\row".to_owned(),
        r"\pard after\par".to_owned(),
    ];
    assert_eq!(
        markdown_of(&body.concat()),
        "| a | b | c |\n| --- | --- | --- |\n| wide |  | one<br>two<br>- item |\n|  | x\\|y |  |\n\nafter\n"
    );
}

#[test]
fn rows_without_the_property_of_their_paragraphs() {
    assert_eq!(
        markdown_of(
            r"before\par\trowd\cellx10\cellx900\pard a\par b\cell c\cell\row\pard after\par"
        ),
        "before\n\n| a<br>b | c |\n| --- | --- |\n\nafter\n"
    );
}

#[test]
fn nested_tables_are_lines_of_their_cell() {
    let nested = r"\pard\intbl\itap2 p\nestcell q\nestcell{\*\nesttableprops\trowd\cellx100\cellx200\nestrow}{\nonesttables\par}";
    let body = format!(
        r"\trowd\cellx1000\cellx2000\pard\intbl\itap1 a\par {nested}{nested}\pard\intbl b\cell c\cell\row"
    );
    assert_eq!(
        markdown_of(&body),
        "| a<br>p q<br>p q<br>b | c |\n| --- | --- |\n"
    );
}

#[test]
fn a_table_of_one_column_is_a_frame() {
    let body = rtf_row(&["one"]) + &rtf_row(&["two"]);
    assert_eq!(markdown_of(&body), "one\n\ntwo\n");
}

#[test]
fn tables_without_ends_keep_their_words() {
    for (body, expected) in [
        (r"\trowd\cellx900\pard\intbl a\par b", "a\n\nb\n"),
        (
            r"\trowd\cellx900\pard\intbl a\cell b\par",
            "| a | b |\n| --- | --- |\n",
        ),
        (
            r"\trowd\cellx100\cellx900\pard\intbl a\cell b\row",
            "| a | b |\n| --- | --- |\n",
        ),
        (r"a\row b", "a\n\nb\n"),
        (r"\itap-5 a\par\itap2147483647 b\nestcell", "a\n\nb\n"),
    ] {
        assert_eq!(markdown_of(body), expected, "{body}");
    }
}

#[test]
fn code_by_style() {
    assert_eq!(
        markdown_of(r"a\par\pard\s5 if x:\par   # y\par\par z\par\pard b"),
        "a\n\n```\nif x:\n  # y\n\nz\n```\n\nb\n"
    );
}

#[test]
fn words_make_no_structure() {
    assert_eq!(
        markdown_of(r"# a\par - b\par 1. c"),
        "\\# a\n\n\\- b\n\n1\\. c\n"
    );
}
