//! Tests of the text of RTF documents: encodings, characters, destinations, fields and limits.

use docent_extract::fixtures::{Rtf, named, rtf_row};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

fn read(file: &[u8]) -> Result<String, Failure> {
    extract(Format::Rtf, file.to_vec(), &LIMITS)
}

fn markdown_of(body: &str) -> String {
    read(&Rtf::new(body).file()).expect("it can be read")
}

#[test]
fn a_whole_document() {
    assert_eq!(
        read(&named("memo.rtf")).as_deref(),
        Ok(
            "# 설정\n\n설정을 바꾼다.\n\n- one\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n\
            [site](https://example.org)[^1]\n\n[^1]: note\n"
        )
    );
}

#[test]
fn bytes_in_the_encoding_of_their_font() {
    for (body, expected) in [
        // In the font's, split over two escapes, raw, and both.
        (&br"\f0 \'b0\'a2"[..], "각\n"),
        (b"\\f0 \xb0\xa2", "각\n"),
        (b"\\f0 \xb0\\'a2", "각\n"),
        (br"\f0 \'8cc\'b9\'e6\'b0\'a2", "똠방각\n"),
        (b"\\f0 \\'b0\r\n\\'a2", "각\n"),
        (br"{\f0 \'b0}{\f0\'a2}", "각\n"),
        // In that of the document.
        (br"\f9 \'b0\'a2", "각\n"),
        (br"\f1 it\'92s", "it’s\n"),
        (br"\f2 \'fc", "✓\n"),
    ] {
        let mut document = Rtf::new("");
        document.body = body.to_vec();
        assert_eq!(read(&document.file()).as_deref(), Ok(expected), "{body:?}");
    }
}

#[test]
fn code_pages_of_documents() {
    for (file, expected) in [
        (&b"{\\rtf1\\ansi\\ansicpg1251 \\'cc\\'e8\\'f0}"[..], "Мир\n"),
        (b"{\\rtf1\\mac \\'8e}", "é\n"),
        (b"{\\rtf1\\pc \\'82}", "é\n"),
        (b"{\\rtf1\\pca \\'9b}", "ø\n"),
        (b"{\\rtf1\\ansi \\'e9}", "é\n"),
        (b"{\\rtf1\\ansi \xc3\xa9}", "é\n"),
        (b"{\\rtf1\\ansi\\ansicpg932 \\'83\\\\\\'83}", "ソ\u{FFFD}\n"),
        // The second byte is a backslash that is not escaped.
        (b"{\\rtf1\\ansi\\ansicpg932 \x83\\\x83A}", "ソア\n"),
        (
            b"{\\rtf1{\\fonttbl\\f0\\fswiss\\fcharset204 Arial;\\f1 B;}\\f0\\'cc\\f1\\'e9}",
            "Мé\n",
        ),
    ] {
        assert_eq!(read(file).as_deref(), Ok(expected), "{file:?}");
    }
}

#[test]
fn unicode_and_what_repeats_it() {
    for (body, expected) in [
        (r"\u44033?x", "각x\n"),
        (r"\u-21503?x", "각x\n"),
        (r"\uc2\u44033\'b0\'a2x", "각x\n"),
        (r"\uc0\u44033 x", "각x\n"),
        (r"{\uc0 a}\u44033?x", "a각x\n"),
        (r"\u44033\tab x", "각x\n"),
        (r"{\u44033}x", "각x\n"),
        (r"\u-10179?\u-8704?x", "😀x\n"),
        (r"\u128512?x", "😀x\n"),
        (r"\uc0\u-10179 a\u-8704 b", "\u{FFFD}a\u{FFFD}b\n"),
        (r"\u65\bin1 ?x", "Ax\n"),
        // A count that no encoding has is that of the standard.
        (r"\uc2000000000 \u65? x", "A x\n"),
        (r"\u2147483647?x", "\u{FFFD}x\n"),
    ] {
        assert_eq!(markdown_of(body), expected, "{body}");
    }
}

#[test]
fn characters_by_name() {
    assert_eq!(
        markdown_of(
            r"\lquote a\rquote  \ldblquote b\rdblquote\emdash c\endash d\bullet\~e\_f\-g\{h\}\\i\tab j\line k{\super 2}"
        ),
        "‘a’ “b”—c–d• e-fg{h}\\i j\nk²\n"
    );
}

#[test]
fn destinations_that_are_no_text() {
    for body in [
        r"{\info{\title No}}yes",
        r"{\*\unknown No {\b no}}yes",
        r"{\b\*\cs7 yes}{\*\cs7 no}",
        r"{\header No\par}{\footerf No\par}yes",
        r"{\pntext}{\*\themedata 504b}yes",
        r"yes{\xe No}{\tc No}",
        r"{\v no }yes{\v0 }",
        r"{\deleted no }yes",
        r"{\shp{\*\shpinst{\sp{\sn a}{\sv no}}}{\shprslt no}}yes",
        r"{\*\bkmkstart no}yes{\*\bkmkend no}",
        r"{\object{\*\objdata 00}{\result yes}}",
        r"{\upr{no}{\*\ud{yes}}}",
    ] {
        let text = markdown_of(body);
        assert_eq!(text.lines().next(), Some("yes"), "{body}: {text}");
        assert!(!text.to_lowercase().contains("no"), "{body}: {text}");
    }
}

#[test]
fn omissions_are_counted() {
    assert_eq!(
        markdown_of(
            r"a{\*\shppict{\pict\pngblip\bin3 }}}}{\nonshppict{\pict x}}{\pict 00}{\v b {\i c}}{\deleted d}{\*\annotation e}{\object{\result f}}"
        ),
        "a[image1.png]f\n\nLeft out: 2 pictures (explore FILE!/image1.png shows one), 1 embedded \
         object, 1 comment, 1 deletion, 1 hidden passage.\n"
    );
}

#[test]
fn fields_show_their_result() {
    for (body, expected) in [
        (
            r#"{\field{\*\fldinst{HYPERLINK "https://e.org/a b"}}{\fldrslt{\ul the [site]}}}."#,
            "[the \\[site\\]](https://e.org/a%20b).\n",
        ),
        (
            r#"{\field{\*\fldinst HYPERLINK \\l "x"}{\fldrslt here}}"#,
            "here\n",
        ),
        (r"{\field{\*\fldinst PAGE}{\fldrslt 3}}", "3\n"),
        (
            r"{\field{\*\fldinst IF {\field{\*\fldinst X}{\fldrslt no}}}{\fldrslt yes}}",
            "yes\n",
        ),
        // A link over two paragraphs.
        (
            r#"{\field{\*\fldinst HYPERLINK "https://e.org"}{\fldrslt a\par b}}"#,
            "[a](https://e.org)\n\n[b](https://e.org)\n",
        ),
        (
            r#"{\field{\*\fldinst SYMBOL 252 \\f "Wingdings"}{\fldrslt}}"#,
            "✓\n",
        ),
        (
            r"{\field{\*\fldinst FORMCHECKBOX{\*\formfield{\fftype1\ffres25\ffdefres1}}}{\fldrslt}}",
            "☒\n",
        ),
        (
            r"{\field{\*\fldinst FORMDROPDOWN{\*\formfield{\fftype2\ffres1{\*\ffl one}{\*\ffl two}}}}{\fldrslt}}",
            "two\n",
        ),
        (r"{\field{\fldrslt a}}{\fldrslt b}{\*\fldinst c}", "ab\n"),
    ] {
        assert_eq!(markdown_of(body), expected, "{body}");
    }
}

#[test]
fn notes_and_text_boxes_are_stories() {
    assert_eq!(
        markdown_of(
            r"a{\super\chftn}{\footnote\pard{\super\chftn} one\par two{\footnote three}} b{\footnote\ftnalt end}\par c"
        ),
        "a[^1] b[^3]\n\nc\n\n[^1]: one two[^2]\n\n[^2]: three\n\n[^3]: end\n"
    );
    assert_eq!(
        markdown_of(
            r"a{\shp{\*\shpinst{\shptxt\pard\outlinelevel0 box\par\pard in\par}}{\shprslt{\*\do{\dptxbxtext box}}}} b\par{\*\do{\dptxbxtext old\par}}"
        ),
        "a b\n\n# box\n\nin\n\nold\n"
    );
}

#[test]
fn equations_keep_their_words() {
    let body =
        r"{\mmath{\*\moMath{\mf{\mfPr{\mtype no}}{\mnum{\mr a}}{\mden{\mr b}}}}{\mmathPict no}}";
    assert_eq!(markdown_of(body), "a/b\n");
}

#[test]
fn other_files_are_malformed() {
    for file in [&b""[..], b"x", b"{rtf1 a}", b"PK\x03\x04", b"{\\rt"] {
        assert_eq!(read(file), Err(Failure::Malformed), "{file:?}");
    }
}

#[test]
fn a_document_cut_anywhere_is_read_up_to_there() {
    let file = named("memo.rtf");
    for end in 5..file.len() {
        assert!(read(&file[..end]).is_ok(), "{end}");
    }
    assert_eq!(read(b"{\\rtf1 a}}}{b").as_deref(), Ok("ab\n"));
}

#[test]
fn lengths_beyond_the_end() {
    assert_eq!(read(b"{\\rtf1 a\\bin2147483647 x}").as_deref(), Ok("a\n"));
    assert_eq!(read(b"{\\rtf1 a\\bin-5 x}").as_deref(), Ok("ax\n"));
}

#[test]
fn nesting_takes_neither_stack_nor_time() {
    for part in [
        "{",
        "{\\b ",
        "{\\field{\\*\\fldinst HYPERLINK \"a\"}{\\fldrslt x\\par ",
        "{\\upr{\\*\\ud ",
        "}",
    ] {
        let document = Rtf::new(&part.repeat(100_000));
        let read = read(&document.file());
        assert!(!matches!(read, Err(Failure::Malformed)), "{part}: {read:?}");
    }
    for part in ["{\\footnote ", "{\\shp{\\*\\shpinst{\\shptxt "] {
        let document = Rtf::new(&part.repeat(1000));
        assert_eq!(read(&document.file()), Err(Failure::Malformed));
    }
}

#[test]
fn text_ends_at_the_limit() {
    let rows = rtf_row(&["cell", "cell"]).repeat(1000);
    for body in [
        "words ".repeat(1000),
        "words\\par ".repeat(1000),
        rows,
        "\\u44033?".repeat(1000),
        format!("{{\\footnote {}}}", "words ".repeat(1000)),
        format!("\\f0 {}", "\\'b0\\'a2".repeat(1000)),
    ] {
        let file = Rtf::new(&body).file();
        let refused = Limits {
            text_bytes: 100,
            ..LIMITS
        };
        let read = extract(Format::Rtf, file.clone(), &refused);
        assert_eq!(read, Err(Failure::TooLarge));
        let cut = Limits {
            beyond: Beyond::LeaveOut,
            ..refused
        };
        let text = extract(Format::Rtf, file, &cut).expect("it can be read");
        assert!(text.len() <= 100, "{text}");
    }
}

#[test]
fn empty_cells_are_limited() {
    let body = "\\intbl\\cell".repeat(600_000);
    assert_eq!(read(&Rtf::new(&body).file()), Err(Failure::TooLarge));
}
