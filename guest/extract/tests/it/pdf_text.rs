//! Tests of PDF files whose characters and words have to be inferred: the text read is the text
//! printed.

use docent_extract::fixtures::{objects, program};
use docent_extract::{Beyond, Failure, Format, Limits, UnknownGlyphs, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

const HELVETICA: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

fn stream(dict: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!("<< {dict} /Length {} >>\nstream\n", bytes.len());
    [head.as_bytes(), bytes, b"\nendstream"].concat()
}

/// Returns the text of a page with this content and these resources; `more` are the objects from 5
/// on.
fn read(content: &str, resources: &str, more: &[Vec<u8>]) -> Result<String, Failure> {
    let mut all: Vec<Vec<u8>> = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << {resources} >> >>"
        ),
    ]
    .map(String::into_bytes)
    .to_vec();
    all.push(stream("", content.as_bytes()));
    all.extend_from_slice(more);
    extract(Format::Pdf, objects(&all, ""), &LIMITS)
}

/// Returns the text of a page in one font.
fn text(content: &str, font: &str, more: &[Vec<u8>]) -> String {
    let resources = format!("/Font << /A {font} >>");
    let text = read(content, &resources, more).expect("the page has text");
    let text = text.strip_prefix("## Page 1\n\n").expect("it is a page");
    text.trim_end().to_owned()
}

/// Returns a font that is not embedded, with characters of this width.
fn font_of_width(width: u32) -> String {
    let widths = format!("{width} ").repeat(95);
    format!(
        "<< /Type /Font /Subtype /TrueType /BaseFont /Elsewhere /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 126 /Widths [{widths}] /FontDescriptor << /Type /FontDescriptor /FontName /Elsewhere /Flags 32 >> >>"
    )
}

#[test]
fn narrow_letters_that_stand_twice() {
    let words = "Hillside pulled skiing filling 2011 77115 ;; ..";
    for size in 4..20 {
        for scale in [30, 55, 100, 120] {
            let content = format!("BT /A {size} Tf {scale} Tz 20.3 700.1 Td ({words}) Tj ET");
            assert_eq!(text(&content, HELVETICA, &[]), words, "{size} at {scale}");
        }
    }
    for matrix in [
        "7 7 -7 7 99 99",
        "0 .5 -.5 0 99 99",
        "60 0 0 60 9 700",
        "1 0 .3 1 50 700",
    ] {
        let content = format!("BT /A 1 Tf {matrix} Tm (illicit) Tj ET");
        assert_eq!(text(&content, HELVETICA, &[]), "illicit", "{matrix}");
    }
}

#[test]
fn letters_that_are_drawn_twice_to_look_bold() {
    for (size, aside) in [(6.0, 0.1), (12.0, 0.3), (12.0, 0.6), (40.0, 1.5)] {
        for scale in [60, 100] {
            let drawn: String = [(0.0, 0.0), (aside, 0.0), (0.0, aside), (aside, aside)]
                .iter()
                .map(|(x, y)| format!("1 0 0 1 {} {} Tm (all bills) Tj ", 40.0 + x, 600.0 + y))
                .collect();
            let content = format!("BT /A {size} Tf {scale} Tz {drawn} ET");
            assert_eq!(
                text(&content, HELVETICA, &[]),
                "all bills",
                "{size}, {aside}"
            );
        }
    }
}

#[test]
fn a_line_over_some_of_its_letters() {
    for (content, expected) in [
        // The later one contains all of it.
        (
            "(a) Tj 20 0 Td (53) Tj 0 -9 Td (next) Tj -20 9 Td (any 53) Tj",
            "next\n\nany 53",
        ),
        ("(oun u ) Tj 0 0 Td (oun up) Tj", "oun up"),
        ("(C S) Tj 0 0 Td (C) Tj 10 0 Td (Surpass) Tj", "C Surpass"),
        // A third time, and where the earlier one contains more.
        ("(5 4) Tj 0 0 Td (5.4) Tj 0 0 Td (5.4) Tj", "5.4"),
        ("(5.4) Tj 0 0 Td (5) Tj 10 0 Td (4) Tj", "5.4"),
        ("(all words) Tj 20 0 Td (words!) Tj", "all words!"),
    ] {
        let content = format!("BT /A 10 Tf 1 0 0 1 50 700 Tm {content} ET");
        assert_eq!(
            text(&content, &font_of_width(500), &[]),
            expected,
            "{content}"
        );
    }
}

#[test]
fn widths_of_fonts_that_are_not_embedded() {
    let content = "BT /A 12 Tf 20 700 Td (shown with common) Tj [(wo) -20 (rds) -400 (apart)] TJ \
        0 -14 Td 80 Tz (and set) Tj 100 Tz 1.5 Tc ( far) Tj 0 Tc 3 Tw ( a b) Tj ET";
    for width in [200, 410, 500, 722, 1000] {
        let expected = "shown with commonwords apart\nand set far a b";
        assert_eq!(
            text(content, &font_of_width(width), &[]),
            expected,
            "{width}"
        );
        let numbered = format!(
            "<< /Type /Font /Subtype /Type0 /BaseFont /Elsewhere /Encoding /Identity-H /ToUnicode /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Elsewhere /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /W [0 65535 {width}] >>] >>"
        );
        let codes = |text: &str| -> String {
            let codes = text.encode_utf16().map(|unit| format!("{unit:04X}"));
            codes.collect()
        };
        let content = format!(
            "BT /A 9 Tf 20 700 Td <{}> Tj [<{}> -400 <{}>] TJ ET",
            codes("서버를 "),
            codes("켠"),
            codes("다")
        );
        assert_eq!(text(&content, &numbered, &[]), "서버를 켠 다", "{width}");
    }
}

#[test]
fn letters_set_tightly_and_pushed_apart_again() {
    for content in [
        "-0.385 Tc [(R)-385(a)-381(n)-353(g)-385(e)-390(r)] TJ",
        "-1 Tc (R) Tj 1 0 Td (a) Tj 0 Tc 1 0 Td (nger) Tj",
        "-.03 Tc (Ra) Tj [(n)-30(g)-30(er)] TJ",
    ] {
        let content = format!("BT /A 1 Tf 15 0 0 15 50 700 Tm {content} ET");
        let text = text(&content, &font_of_width(1000), &[]);
        assert_eq!(text, "Ranger", "{content}");
    }
}

#[test]
fn a_space_between_two_letters() {
    for (content, expected) in [
        // The second letter is joined to the next string, so the space before it is a blank.
        ("2.5 Tc (am) Tj 12.5 0 Td 0 Tc (any) Tj", "a many"),
        // Alone or among others it is letter spacing.
        ("2.5 Tc (am) Tj 20 0 Td 0 Tc (any) Tj", "am any"),
        ("2.5 Tc (a) Tj 7.5 0 Td (mi) Tj 15 0 Td (da) Tj", "amida"),
        ("2.5 Tc (ami) Tj 20 0 Td 0 Tc (da) Tj", "amida"),
        ("1 Tc (am) Tj 11 0 Td 0 Tc (ida) Tj", "amida"),
    ] {
        let content = format!("BT /A 10 Tf 50 700 Td {content} ET");
        assert_eq!(
            text(&content, &font_of_width(500), &[]),
            expected,
            "{content}"
        );
    }
    // Chinese has no blanks.
    let content = format!(
        "BT /A 10 Tf 50 700 Td 2.5 Tc {} 12.5 0 Td 0 Tc {} ET",
        shown("原材"),
        shown("料")
    );
    assert_eq!(text(&content, &utf16_font(), &[]), "原材料");
}

#[test]
fn texts_in_place_of_glyphs() {
    let resources = format!(
        "/Font << /A {HELVETICA} >> /Properties << /P << /ActualText (named) >> /Q << /Lang (en) >> >>"
    );
    for (content, expected) in [
        (
            "/Span << /ActualText (office) >> BDC (o!ce) Tj EMC ( hours) Tj",
            "office hours",
        ),
        (
            "/Span << /ActualText <FEFF00310034002C0039> >> BDC (x) Tj (y) Tj EMC",
            "14,9",
        ),
        (
            "/Span << /ActualText <EFBBBFEAB080> >> BDC (x) Tj EMC",
            "가",
        ),
        (
            "/Span << /ActualText (\\2151\\216) >> BDC (x) Tj EMC",
            "“1”",
        ),
        (
            "/Span /P BDC (x) Tj EMC ( and ) Tj /Span /Q BDC (y) Tj EMC",
            "named and y",
        ),
        (
            "/Span << /ActualText (outer) >> BDC /Span << /ActualText (inner) >> BDC (x) Tj EMC (y) Tj EMC (z) Tj",
            "outerz",
        ),
        (
            "/P BMC /Span << /ActualText () >> BDC (x) Tj EMC (y) Tj EMC",
            "y",
        ),
        (
            "(one) Tj /Span << /ActualText (two) >> BDC (x) Tj",
            "onetwo",
        ),
        (
            "EMC (a) Tj EMC /Span << /MCID 1 >> BDC (b) Tj EMC EMC",
            "ab",
        ),
    ] {
        let content = format!("BT /A 12 Tf 50 700 Td {content} ET");
        let expected = format!("## Page 1\n\n{expected}\n");
        assert_eq!(read(&content, &resources, &[]), Ok(expected), "{content}");
    }
}

#[test]
fn glyphs_that_are_drawn_as_lines_and_told_by_a_text() {
    let resources = format!("/Font << /A {HELVETICA} >>");
    let content = "BT /A 12 Tf 50 700 Td (before) Tj ET /Span << /ActualText (logo) >> BDC 50 650 m 60 660 l S EMC";
    assert_eq!(
        read(content, &resources, &[]).as_deref(),
        Ok("## Page 1\n\nbefore\n\nlogo\n")
    );
}

/// Returns an embedded font with numbered glyphs, an encoding and a collection.
fn embedded(encoding: &str, ordering: &str) -> (String, Vec<Vec<u8>>) {
    let font = format!(
        "<< /Type /Font /Subtype /Type0 /BaseFont /ABCDEF+Own /Encoding /{encoding} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /ABCDEF+Own /CIDSystemInfo << /Registry (Adobe) /Ordering ({ordering}) /Supplement 0 >> /CIDToGIDMap /Identity /FontDescriptor << /Type /FontDescriptor /FontName /ABCDEF+Own /Flags 4 /FontFile2 5 0 R >> >>] >>"
    );
    (font, vec![stream("", &program())])
}

#[test]
fn embedded_fonts_of_the_known_collections() {
    for (encoding, ordering, codes, expected) in [
        ("Identity-H", "Korea1", "<043E043F0440>", "가각간"),
        ("Identity-H", "Japan1", "<034B034C034D>", "あぃい"),
        ("Identity-H", "GB1", "<03E803E9>", "拜稗"),
        ("Identity-H", "CNS1", "<02530254>", "一乙"),
        ("KSCms-UHC-H", "Korea1", "<BCB3C1A4>", "설정"),
        ("UniKS-UCS2-H", "Korea1", "<C124C815>", "설정"),
        ("90ms-RKSJ-H", "Japan1", "<82A082A2>", "あい"),
        ("GBK-EUC-H", "GB1", "<B0DDB0DE>", "拜稗"),
        ("ETen-B5-H", "CNS1", "<A440A441>", "一乙"),
    ] {
        let (font, more) = embedded(encoding, ordering);
        let content = format!("BT /A 12 Tf 50 700 Td {codes} Tj ET");
        assert_eq!(
            text(&content, &font, &more),
            expected,
            "{encoding} {ordering}"
        );
    }
}

#[test]
fn glyphs_without_characters_are_counted() {
    let (font, more) = embedded("Identity-H", "Identity");
    let resources = format!("/Font << /A {HELVETICA} /B {font} >>");
    let content = "BT /A 12 Tf 50 700 Td (known ) Tj /B 12 Tf <00010001> Tj /A 12 Tf ( text) Tj ET";
    assert_eq!(
        read(content, &resources, &more).as_deref(),
        Ok("## Page 1\n\nknown \u{FFFD} text\n\n\
            (Not all that is shown is here as text: the file does not name the characters of 2 glyphs on page 1.)\n")
    );
    // Alone they are not text.
    let content = "BT /B 12 Tf 50 700 Td <00010001> Tj ET";
    let unknown = UnknownGlyphs {
        glyphs: 2,
        pages: 1,
    };
    assert_eq!(
        read(content, &resources, &more),
        Err(Failure::UnknownGlyphs(unknown))
    );
}

#[test]
fn tables_that_have_nothing_for_a_glyph() {
    let table = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange\n\
        2 beginbfchar <0001> <0000> <0002> <0041> endbfchar endcmap end end";
    let (font, mut more) = embedded("Identity-H", "Identity");
    more.push(stream("", table.as_bytes()));
    let font = font.replace("/Encoding", "/ToUnicode 6 0 R /Encoding");
    let content = "BT /A 12 Tf 50 700 Td <000200010002> Tj ET";
    assert_eq!(
        text(content, &font, &more),
        "A\u{FFFD}A\n\n(Not all that is shown is here as text: the file does not name the characters of 1 glyph on page 1.)"
    );
    let content = "BT /A 12 Tf 50 700 Td <0002> Tj /Span << /ActualText (fi) >> BDC <0001> Tj EMC <0002> Tj ET";
    assert_eq!(text(content, &font, &more), "AfiA");
}

/// Returns a Type 3 font with these glyph names from a code on.
fn drawn(first: u8, names: &[&str]) -> (String, Vec<Vec<u8>>) {
    let differences: String = names.iter().map(|name| format!("/{name} ")).collect();
    let programs: String = names.iter().map(|name| format!("/{name} 5 0 R ")).collect();
    let last = usize::from(first) + names.len() - 1;
    let widths = "500 ".repeat(names.len());
    let font = format!(
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [.001 0 0 .001 0 0] /FirstChar {first} /LastChar {last} /Widths [{widths}] /Encoding << /Differences [{first} {differences}] >> /CharProcs << {programs} >> >>"
    );
    (font, vec![stream("", b"500 0 d0 0 0 400 700 re f")])
}

#[test]
fn names_of_glyphs_that_are_numbers() {
    for (first, names, codes, expected) in [
        (72, &["72", "73", "74"][..], "<48494A>", "HIJ"),
        (72, &["g72", "g73"], "<4849>", "HI"),
        (1, &["uni20ac", "uniAC00"], "<0102>", "€가"),
        (1, &["c72", "c105"], "<0102>", "Hi"),
        (72, &["g48", "g49", "g4A"], "<48494A>", "HIJ"),
        (1, &["A", "space", "B"], "<010203>", "A B"),
    ] {
        let (font, more) = drawn(first, names);
        let content = format!("BT /A 12 Tf 50 700 Td {codes} Tj ET");
        assert_eq!(text(&content, &font, &more), expected, "{names:?}");
    }
    // A complete font has the codes without text as well.
    let numbers: Vec<String> = (0..128).map(|code| format!("a{code}")).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let (font, more) = drawn(0, &numbers);
    assert_eq!(text("BT /A 12 Tf 50 700 Td (Hi) Tj ET", &font, &more), "Hi");
    // Names that count the glyphs of another font, or of their own in the order of first use, are
    // meaningless.
    for (first, names, codes) in [
        (1, &["g36", "g37"][..], "010202"),
        (0, &numbers[..71], "0E0102"),
    ] {
        let (font, more) = drawn(first, names);
        let resources = format!("/Font << /A {font} >>");
        let content = format!("BT /A 12 Tf 50 700 Td <{codes}> Tj ET");
        let read = read(&content, &resources, &more);
        let unknown = UnknownGlyphs {
            glyphs: 3,
            pages: 1,
        };
        assert_eq!(read, Err(Failure::UnknownGlyphs(unknown)), "{names:?}");
    }
}

#[test]
fn widths_without_a_first_or_last_code() {
    let font = |keys: &str| {
        format!(
            "<< /Type /Font /Subtype /TrueType /BaseFont /Elsewhere {keys} /Widths [{}] /FontDescriptor << /Type /FontDescriptor /FontName /Elsewhere /Flags 32 >> >>",
            "900 ".repeat(127)
        )
    };
    let content =
        "BT /A 10 Tf 1 0 0 1 50 700 Tm (a) Tj 1 0 0 1 59 700 Tm (b) Tj 1 0 0 1 70 700 Tm (c) Tj ET";
    for keys in [
        "/FirstChar 0 /LastChar 126",
        "",
        "/FirstChar 0",
        "/LastChar 126",
    ] {
        assert_eq!(text(content, &font(keys), &[]), "ab c", "{keys}");
    }
}

/// Returns a font whose codes are UTF-16, 500 units wide.
fn utf16_font() -> String {
    "<< /Type /Font /Subtype /Type0 /BaseFont /Elsewhere /Encoding /Identity-H /ToUnicode /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Elsewhere /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 >>] >>".to_owned()
}

fn shown(text: &str) -> String {
    let codes = text.encode_utf16().map(|unit| format!("{unit:04X}"));
    format!("<{}> Tj", codes.collect::<String>())
}

#[test]
fn text_from_right_to_left() {
    // As the page shows it, from left to right, at once.
    let at_once = format!("{} ", shown("םלוע 12 (abc) םולש"));
    // Word by word, from the right.
    let by_words = format!(
        "1 0 0 1 200 700 Tm {} 1 0 0 1 180 700 Tm {} 1 0 0 1 150 700 Tm {}",
        shown("םולש"),
        shown("12"),
        shown("םלוע")
    );
    // Letter by letter, from the right.
    let by_letters: String = "שלום"
        .chars()
        .zip(0..)
        .map(|(c, n)| format!("1 0 0 1 {} 700 Tm {} ", 200 - 6 * n, shown(&c.to_string())))
        .collect();
    for (content, expected) in [
        (at_once.as_str(), "שלום (abc) 12 עולם"),
        (by_words.as_str(), "שלום 12 עולם"),
        (by_letters.as_str(), "שלום"),
        (&shown("ﻢﻜﻴﻠﻋ ﻡﻼﺴﻟﺍ"), "السلام عليكم"),
        (&shown("word םולש word"), "word שלום word"),
    ] {
        let content = format!("BT /A 12 Tf 1 0 0 1 50 700 Tm {content} ET");
        assert_eq!(text(&content, &utf16_font(), &[]), expected);
    }
}

#[test]
fn what_a_page_does_not_show() {
    let resources =
        format!("/Font << /A {HELVETICA} >> /XObject << /X 5 0 R >> /Properties << /L 6 0 R >>");
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 99 99] /Matrix [1 0 0 1 0 50]",
        b"q /OC /L BDC BT /A 9 Tf (hidden) Tj ET EMC BT /A 9 Tf (of a form) Tj ET",
    );
    let layer = b"<< /Type /OCMD /OCGs [7 0 R] /P /AllOff >>".to_vec();
    let more = [form, layer, b"<< /Type /OCG /Name (layer) >>".to_vec()];
    // Outside the page, and in a mode without ink, as for recognised text under a picture.
    let content = "/X Do BT /A 12 Tf 50 700 Td (shown) Tj 3 Tr 0 -14 Td (recognised) Tj 0 900 Td (beside) Tj ET";
    assert_eq!(
        read(content, &resources, &more).as_deref(),
        Ok("## Page 1\n\nof a form\n\nshown\nrecognised\n")
    );
}

#[test]
fn forms_that_draw_each_other_end() {
    let resources = "/XObject << /X 5 0 R /Y 6 0 R >>";
    let form = |calls: &str| {
        let calls = calls.repeat(2);
        stream(
            "/Type /XObject /Subtype /Form /BBox [0 0 9 9]",
            calls.as_bytes(),
        )
    };
    let more = [form("/Y Do "), form("/X Do ")];
    assert_eq!(read("/X Do", resources, &more), Err(Failure::TooLarge));
}

#[test]
fn glyphs_beside_the_page_count_as_well() {
    // One string is counted before it is drawn, which takes no time.
    let content = format!("BT 1 0 0 1 9000 0 Tm ({}) Tj ET", "x".repeat(1 << 26));
    assert_eq!(read(&content, "", &[]), Err(Failure::TooLarge));
}

#[test]
fn content_that_unpacks_to_more_than_a_page_may_have() {
    let blanks = vec![b' '; 1 << 20];
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    for _ in 0..129 {
        std::io::Write::write_all(&mut packer, &blanks).expect("it is in memory");
    }
    let packed = packer.finish().expect("it is in memory");
    let form = "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Filter /FlateDecode";
    let more = [stream(form, &packed)];
    let resources = "/XObject << /X 5 0 R >>";
    assert_eq!(read("/X Do", resources, &more), Err(Failure::TooLarge));
}
