//! Tests of documents of Word 6 to 2007, from the bytes of the file to Markdown.

use docent_extract::fixtures::mail::cp949;
use docent_extract::fixtures::{
    Doc, container, doc_row, doc_style, named, sprm, style_sheet, word_6,
};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

// Codes of properties.
const DELETED: u16 = 0x0800;
const IS_DATA: u16 = 0x0806;
const HIDDEN: u16 = 0x083C;
const SPECIAL: u16 = 0x0855;
const RAISED: u16 = 0x2A48;
const CHARACTER_STYLE: u16 = 0x4A30;
const FONT: u16 = 0x4A4F;
const SYMBOL: u16 = 0x6A09;
const DATA_AT: u16 = 0x6A03;
const IN_TABLE: u16 = 0x2416;
const INNER_CELL_END: u16 = 0x244B;
const INNER_ROW_END: u16 = 0x244C;
const TABLE_DEPTH: u16 = 0x6649;
const LIST_LEVEL: u16 = 0x260A;
const LIST: u16 = 0x460B;
const OUTLINE: u16 = 0x2640;
const FURTHER: u16 = 0x6646;

/// Korean.
const KOREAN: u16 = 0x412;

fn read(file: Vec<u8>) -> Result<String, Failure> {
    extract(Format::Doc, file, &LIMITS)
}

fn markdown_of(document: &Doc) -> String {
    read(document.file()).expect("it can be read")
}

#[test]
fn a_whole_document() {
    assert_eq!(
        read(named("minutes.doc")).as_deref(),
        Ok(
            "# 설정\n\n설정을 바꾼다.[^1]\n\n- 하나\n1. 둘\n\n| 이름 | 값 |\n| --- | --- |\n| 포트 |  |\n\n\
            [자세히](https://example.org)\n\n[^1]: 각주\n\nLeft out: 1 deletion.\n"
        )
    );
}

#[test]
fn headings_by_style_base_and_outline() {
    let document = Doc::default()
        .paragraph(1, "One")
        .paragraph(2, "Two")
        .paragraph(3, "One\t7")
        .paragraph(3, "Three \txiv")
        .paragraph(3, "No line of contents")
        .with(&sprm(OUTLINE, &[2]), "Three")
        .run("Body", &[])
        .end('\r', 1, &sprm(OUTLINE, &[9]))
        .paragraph(0, "Text\x0Bmore\u{1E}over\u{1F}.")
        .paragraph(0, "Page\x0CTwo")
        .paragraph(4, "let x = 1;")
        .paragraph(4, "")
        .paragraph(4, "  x += 1;");
    assert_eq!(
        markdown_of(&document),
        "# One\n\n# Two\n\nNo line of contents\n\n### Three\n\nBody\n\nText\nmore-over.\n\nPage\n\nTwo\n\n\
         ```\nlet x = 1;\n\n  x += 1;\n```\n"
    );
}

#[test]
fn built_in_styles_have_numbers_whatever_their_names() {
    let styles = [
        doc_style(0, 0xFFF, "표준", &[], &[]),
        doc_style(2, 0, "제목 2", &[], &[]),
        doc_style(0xFFE, 0, "Überschrift 3", &[], &[]),
        doc_style(62, 0, "Titel", &[], &[]),
        doc_style(0xFFE, 5, "x", &[], &[]),
        doc_style(0xFFE, 4, "y", &sprm(OUTLINE, &[3]), &[]),
        doc_style(0xFFE, 0, "hidden", &[], &sprm(HIDDEN, &[1])),
    ];
    let document = Doc::default()
        .table(1, style_sheet(&styles))
        .paragraph(3, "T")
        .paragraph(1, "a")
        .paragraph(2, "b")
        .paragraph(4, "c")
        .paragraph(6, "not shown")
        .run("shown", &sprm(HIDDEN, &[0]))
        .run("too", &sprm(HIDDEN, &[0x81]))
        .end('\r', 6, &[])
        .paragraph(99, "text");
    assert_eq!(
        markdown_of(&document),
        "# T\n\n## a\n\n### b\n\n#### c\n\nshowntoo\n\ntext\n\nLeft out: 1 hidden passage.\n"
    );
}

#[test]
fn lists_are_counted() {
    let list = |list: u8, level: u8| [sprm(LIST, &[list, 0]), sprm(LIST_LEVEL, &[level])].concat();
    let document = Doc::default()
        .with(&list(2, 0), "one")
        .with(&list(2, 0), "")
        .with(&list(2, 0), "two")
        .with(&list(2, 2), "two-one")
        .with(&list(1, 0), "bullet")
        .with(&list(1, 1), "inner")
        .with(&list(3, 0), "five")
        .with(&list(0, 0), "none")
        .with(&list(99, 0), "unknown")
        .paragraph(5, "by style")
        .run("Title", &[])
        .end('\r', 1, &list(2, 1));
    assert_eq!(
        markdown_of(&document),
        "1. one\n2. two\n    1. two-one\n- bullet\n    - inner\n5. five\n\nnone\n\nunknown\n\n\
         - by style\n\n# 5.1 Title\n"
    );
}

#[test]
fn tables_within_tables() {
    let inside = |depth: u8| [sprm(IN_TABLE, &[1]), sprm(TABLE_DEPTH, &[depth, 0, 0, 0])].concat();
    let inner_end = |code| [inside(2), sprm(code, &[1])].concat();
    let row_end = [inside(1), sprm(0x2417, &[1]), doc_row(&[10, 20])].concat();
    let document = Doc::default()
        .paragraph(0, "before")
        .run("a", &[])
        .end('\r', 0, &inside(1))
        .run("b", &[])
        .end('\x07', 0, &inside(1))
        .run("x", &[])
        .end('\r', 0, &inner_end(INNER_CELL_END))
        .run("y", &[])
        .end('\r', 0, &inner_end(INNER_CELL_END))
        .end('\r', 0, &inner_end(INNER_ROW_END))
        .run("|", &[])
        .end('\x07', 0, &inside(1))
        .end('\x07', 0, &row_end)
        .row(&["only"], &[9])
        .paragraph(0, "after");
    assert_eq!(
        markdown_of(&document),
        "before\n\n| a<br>b | x y<br>\\| |\n| --- | --- |\n| only |  |\n\nafter\n"
    );
    let frame = Doc::default().row(&["a"], &[9]).row(&["b"], &[9]);
    assert_eq!(markdown_of(&frame), "a\n\nb\n");
}

#[test]
fn rows_with_spans_and_without_an_end() {
    let document = Doc::default()
        .row(&["a", "b", "c"], &[1000, 2000, 3000])
        .row(&["d", "e"], &[2000, 3000])
        .run("f", &[])
        .end('\x07', 0, &sprm(IN_TABLE, &[1]))
        .run("g", &[])
        .end('\x07', 0, &[]);
    assert_eq!(
        markdown_of(&document),
        "| a | b | c |\n| --- | --- | --- |\n| d |  | e |\n| f | g |  |\n"
    );
}

#[test]
fn fields_show_their_results() {
    let document = Doc::default()
        .field("PAGE", "7")
        .run(" ", &[])
        .field(
            "HYPERLINK \"a.doc\" \\l \"b\"",
            "two \x13PAGE\x141\x15 words",
        )
        .end('\r', 0, &[])
        .field("HYPERLINK \\l \"_Toc1\"", "here")
        .run("\x13 SYMBOL 252 \\f Wingdings \x15", &[])
        .run("\x13 IF \x13 X \x14yes\x15 \x14so\x15", &[])
        .end('\r', 0, &[])
        .run("\x13 XE \"entry\" ", &[])
        .paragraph(0, "and the rest");
    assert_eq!(
        markdown_of(&document),
        "7 [two 1 words](a.doc#b)\n\nhere✓so\n\nXE \"entry\" and the rest\n"
    );
}

#[test]
fn form_fields() {
    let form = |bits: u16, default: u16, entries: &[&str]| {
        let mut data = vec![0, 0, 0, 0, 68, 0];
        data.resize(68, 0);
        data.extend([0xFF; 4]);
        data.extend(bits.to_le_bytes());
        data.extend([0; 8]);
        data.extend(default.to_le_bytes());
        data.extend([0; 20]);
        data.extend([0xFF, 0xFF, entries.len() as u8, 0, 0, 0]);
        for entry in entries {
            data.extend([entry.len() as u8, 0]);
            data.extend(entry.encode_utf16().flat_map(u16::to_le_bytes));
        }
        data
    };
    for (bits, default, expected) in [
        (1 | (1 << 2), 0, "☒\n"),
        (1 | (25 << 2), 0, "☐\n"),
        (2 | (1 << 2), 0, "two\n"),
        (2 | (25 << 2), 0, "one\n"),
        (2 | (9 << 2), 0, ""),
        (0, 0, ""),
    ] {
        let at = [sprm(IS_DATA, &[1]), sprm(DATA_AT, &[0; 4])].concat();
        let document = Doc::default()
            .data(&form(bits, default, &["one", "two"]))
            .run("\x13 FORM ", &[])
            .run("\x01", &at)
            .run("\x15", &[])
            .end('\r', 0, &[]);
        assert_eq!(markdown_of(&document), expected, "{bits}");
    }
}

#[test]
fn notes_and_text_boxes() {
    let document = Doc::default()
        .run("One", &[])
        .endnote("end")
        .run(" and two", &[])
        .footnote("foot")
        .text_box(1025, "in a box")
        .end('\r', 0, &[])
        .run("gone", &sprm(DELETED, &[1]))
        .paragraph(0, "last")
        .boxed(1030, "in no place");
    assert_eq!(
        markdown_of(&document),
        "One[^1] and two[^2]\n\nin a box\n\nlast\n\nin no place\n\n[^1]: end\n\n[^2]: foot\n\n\
         Left out: 1 deletion.\n"
    );
}

#[test]
fn shapes_in_groups_have_the_place_of_the_group() {
    let record = |version: u16, kind: u16, content: &[u8]| {
        let mut record = [version, kind].map(u16::to_le_bytes).concat();
        record.extend((content.len() as u32).to_le_bytes());
        record.extend(content);
        record
    };
    let shape = |number: u32, properties: &[u8]| {
        let shape = record(2, 0xF00A, &[number.to_le_bytes(), [0; 4]].concat());
        let count = (properties.len() / 6) as u16;
        let properties = record((count << 4) | 3, 0xF00B, properties);
        record(0xF, 0xF004, &[shape, properties].concat())
    };
    let picture = [4, 0x41, 1, 0, 0, 0];
    let group = [shape(1030, &[]), shape(1031, &picture), shape(1032, &[])].concat();
    let outermost = [
        shape(1024, &[]),
        record(0xF, 0xF003, &group),
        shape(1040, &picture),
    ];
    let drawing = record(0xF, 0xF002, &record(0xF, 0xF003, &outermost.concat()));
    let drawings = [record(0xF, 0xF000, &[]), vec![0], drawing].concat();
    let document = Doc::default()
        .table(50, drawings)
        .boxed(1032, "boxed")
        .text_box(1030, "itself")
        .end('\r', 0, &[])
        .paragraph(0, "last");
    assert_eq!(
        markdown_of(&document),
        "boxed\n\nitself\n\nlast\n\nLeft out: 1 picture.\n"
    );
}

#[test]
fn elements_that_are_left_out() {
    let special = sprm(SPECIAL, &[1]);
    let document = Doc::default()
        .run("a", &[])
        .run("\x01", &special)
        .run("\x05", &special)
        .run("b", &sprm(HIDDEN, &[1]))
        .run("c", &sprm(CHARACTER_STYLE, &[6, 0]))
        .run("d", &sprm(DELETED, &[1]))
        .run("10", &[])
        .run("-6", &sprm(RAISED, &[1]))
        .end('\r', 0, &[])
        .story(2)
        .paragraph(0, "header")
        .story(4)
        .paragraph(0, "comment");
    assert_eq!(
        markdown_of(&document),
        "a10⁻⁶\n\nLeft out: 1 picture, 1 comment, 1 deletion, 1 hidden passage.\n"
    );
}

#[test]
fn symbols_and_code_pages() {
    let symbol = [0x01, 0, 0xFC, 0xF0];
    let document = Doc::default()
        .run("(", &sprm(SYMBOL, &symbol))
        .run("\u{F0FC}", &sprm(FONT, &[1, 0]))
        .run(" 한글 \u{1F600}", &[])
        .end('\r', 0, &[]);
    assert_eq!(markdown_of(&document), "✓✓ 한글 \u{1F600}\n");
    let western = Doc::default().paragraph(1, "naïve “café” – €").compressed();
    assert_eq!(markdown_of(&western), "# naïve “café” – €\n");
}

#[test]
fn fast_saves_change_pieces() {
    let document = Doc::default()
        .run("a", &[])
        .run("b", &[])
        .changed((0x41 << 1) | (1 << 8), &[])
        .run("c", &[])
        .changed(0, &sprm(HIDDEN, &[1]))
        .run("d", &[])
        .end('\r', 0, &[])
        .changed(0, &sprm(OUTLINE, &[0]));
    assert_eq!(
        markdown_of(&document),
        "# ad\n\nLeft out: 1 deletion, 1 hidden passage.\n"
    );
}

#[test]
fn long_properties_are_in_the_stream_of_data() {
    let further = sprm(OUTLINE, &[1]);
    let mut data = vec![0, 0, further.len() as u8, 0];
    data.extend(further);
    let document = Doc::default()
        .data(&data)
        .with(&sprm(FURTHER, &[2, 0, 0, 0]), "Two")
        .with(&sprm(FURTHER, &[0xFF; 4]), "text");
    assert_eq!(markdown_of(&document), "## Two\n\ntext\n");
}

#[test]
fn documents_of_word_6() {
    let korean = cp949("똠방각하와 뷁");
    let heading = cp949("제목");
    let file = word_6(
        KOREAN,
        0,
        &[
            (&heading, &[], Some((1, &[]))),
            (b"\r", &[], Some((1, &[]))),
            (&korean, &[], None),
            (b" hidden", &[92, 1], None),
            (b" \xE1", &[93, 1, 0], None),
            (b"\r", &[], Some((0, &[]))),
            (b"one\r", &[], Some((0, &[13, 11]))),
            (b"two\r", &[], Some((0, &[13, 10]))),
            (b"a\x07b\x07", &[], Some((0, &[24, 1]))),
            (b"\x07", &[], Some((0, &[24, 1, 25, 1]))),
        ],
    );
    assert_eq!(
        read(file).as_deref(),
        Ok(
            "# 제목\n\n똠방각하와 뷁 α\n\n- one\n1. two\n\n| a | b |\n| --- | --- |\n\n\
            Left out: 1 hidden passage.\n"
        )
    );
}

#[test]
fn documents_of_word_95_in_east_asia_have_pairs() {
    let pairs: Vec<u8> = cp949("가뷁")
        .chunks(2)
        .flat_map(|pair| [pair[1], pair[0]])
        .collect();
    let text = [&pairs[..], b"a\0\x22\x20\r\0"].concat();
    let file = word_6(KOREAN, 1 << 12, &[(&text, &[], Some((0, &[])))]);
    assert_eq!(read(file).as_deref(), Ok("가뷁a•\n"));
}

#[test]
fn files_that_are_not_read() {
    let encrypted = Doc::default().flags(1 << 8).paragraph(0, "a").file();
    for (file, expected) in [
        (encrypted, Failure::Encrypted),
        (Vec::new(), Failure::Malformed),
        (container(&[]), Failure::Malformed),
        (container(&[("WordDocument", b"")]), Failure::Malformed),
        (
            container(&[("WordDocument", b"\xEC\xA5\xC1\0"), ("1Table", b"")]),
            Failure::Malformed,
        ),
    ] {
        assert_eq!(read(file), Err(expected));
    }
}

#[test]
fn a_cut_stream_says_so() {
    let document = Doc::default().paragraph(1, "One").paragraph(0, "text");
    let (stream, tables) = document.streams();
    let cut = &stream[..1024 + 2 * 6];
    assert_eq!(
        read(container(&[("WordDocument", cut), ("0Table", &tables)])).as_deref(),
        Ok("Damaged: parts of this document could not be read.\n\nOne\n\nte\n")
    );
    for file in [
        container(&[("WordDocument", &stream)]),
        container(&[("WordDocument", &stream[..1024]), ("1Table", &tables)]),
    ] {
        assert_eq!(read(file), Err(Failure::Malformed));
    }
    let whole = document.file();
    let words = read(whole.clone());
    // The last bytes of the file are unused.
    for length in (0..whole.len()).step_by(5) {
        let read = read(whole[..length].to_vec());
        assert!(read == Err(Failure::Malformed) || read == words, "{length}");
    }
}

#[test]
fn the_text_has_a_limit() {
    let document = Doc::default().paragraph(0, &"word ".repeat(5000));
    let limits = Limits {
        text_bytes: 20_000,
        ..LIMITS
    };
    let read = extract(Format::Doc, document.file(), &limits);
    assert_eq!(read, Err(Failure::TooLarge));
}

#[test]
fn links_continue_behind_rows() {
    let row_end = [sprm(IN_TABLE, &[1]), sprm(0x2417, &[1])].concat();
    let document = Doc::default()
        .run(" \x13HYPERLINK \"a\"\x14", &[])
        .end('\x07', 0, &row_end)
        .run("words\x15", &[])
        .end('\r', 0, &[]);
    assert_eq!(markdown_of(&document), "[words](a)\n");
}

#[test]
fn fields_are_nested_up_to_a_limit() {
    let document = Doc::default()
        .run(&"\x13X\x14".repeat(33), &[])
        .run("words", &[])
        .run(&"\x15".repeat(33), &[])
        .paragraph(0, " behind");
    assert_eq!(markdown_of(&document), "Xwords behind\n");
    let endless = Doc::default()
        .run(&"\x13X".repeat(30), &[])
        .paragraph(0, " behind");
    assert!(markdown_of(&endless).ends_with("X behind\n"));
}

#[test]
fn pieces_that_repeat_bytes_end() {
    let (stream, _) = Doc::default()
        .run(&"a".repeat(8000), &sprm(HIDDEN, &[1]))
        .streams();
    let count = 20_000_u32;
    let mut table: Vec<u8> = (0..=count)
        .flat_map(|at| (at * 8000).to_le_bytes())
        .collect();
    for _ in 0..count {
        table.extend([0, 0, 0, 4, 0, 0, 0, 0]);
    }
    let mut pieces = vec![2];
    pieces.extend((table.len() as u32).to_le_bytes());
    pieces.extend(table);
    let (mut stream, all) = (stream, pieces);
    stream[76..80].copy_from_slice(&u32::MAX.to_le_bytes());
    stream[154 + 33 * 8..154 + 33 * 8 + 4].copy_from_slice(&0_u32.to_le_bytes());
    stream[158 + 33 * 8..158 + 33 * 8 + 4].copy_from_slice(&(all.len() as u32).to_le_bytes());
    let file = container(&[("WordDocument", &stream), ("1Table", &all)]);
    assert_eq!(read(file), Err(Failure::TooLarge));
}

#[test]
fn real_documents() {
    let lists = read(include_bytes!("../samples/doc/lists.doc").to_vec()).expect("it can be read");
    assert!(lists.starts_with("# Test Document\n\nParagraph 2.1.1\n\n"));
    assert!(lists.contains("### Test 2:\n\n1. List item a\n2. List item b\n3. List item c\n\n"));
    assert!(lists.contains("- List item 1\n    - List item 1.1\n        - List item 1.1.1\n"));
    assert_eq!(
        read(include_bytes!("../samples/doc/inner_table.doc").to_vec()).as_deref(),
        Ok("| A | B | C |\n| --- | --- | --- |\n| D | E<br>1 2<br>3 4<br>F | G |\n| H | I | J |\n")
    );
    assert_eq!(
        read(include_bytes!("../samples/doc/word_6.doc").to_vec()).as_deref(),
        Ok("The quick brown fox jumps over the lazy dog\n")
    );
}
