//! Tests of documents of Hangul in binary records, from the bytes of the file to Markdown.

use docent_extract::fixtures::{
    Hwp, container, hwp_control, hwp_control_character, hwp_list, hwp_numbering, hwp_paragraph,
    hwp_shape, hwp_string, hwp_words, named, record,
};
use docent_extract::{Beyond, Failure, Format, Limits, detect, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

/// Shapes of paragraphs: 0 is plain, 1 and 2 are headings, 3 is numbered, 4 has a bullet.
fn info() -> Vec<Vec<u8>> {
    let style = [
        hwp_string("개요 1"),
        hwp_string("Outline 1"),
        vec![0, 0, 0x12, 4, 0, 0, 0, 0],
    ];
    vec![
        hwp_numbering(&[("제^1장", 0), ("^1.^2", 0)]),
        hwp_numbering(&[("^1)", 8)]),
        hwp_shape(0, 0, 0),
        hwp_shape(1, 0, 0),
        hwp_shape(1, 1, 0),
        hwp_shape(2, 0, 2),
        hwp_shape(3, 0, 1),
        record(26, 0, &hwp_string("바탕글")),
        record(26, 0, &style.concat()),
    ]
}

fn text_of(section: &[Vec<u8>]) -> String {
    extract(Format::Hwp, Hwp::new(&info(), section).file(), &LIMITS).expect("it can be read")
}

fn failure(file: Vec<u8>) -> Option<Failure> {
    extract(Format::Hwp, file, &LIMITS).err()
}

fn plain(words: &str) -> Vec<u8> {
    hwp_paragraph(0, 0, &hwp_words(words), &[])
}

/// Returns a list of one paragraph.
fn list(level: u32, numbers: &[u16], words: &str) -> Vec<u8> {
    let paragraph = hwp_paragraph(level, 0, &hwp_words(words), &[]);
    [hwp_list(level, numbers), paragraph].concat()
}

#[test]
fn headings_and_lists() {
    let by_style = {
        let mut bytes = plain("부칙");
        // The style is a byte of the paragraph's record.
        bytes[4 + 10] = 1;
        bytes
    };
    let section = [
        hwp_paragraph(0, 1, &hwp_words("총칙"), &[]),
        hwp_paragraph(0, 2, &hwp_words("목적"), &[]),
        hwp_paragraph(0, 2, &hwp_words("범위"), &[]),
        hwp_paragraph(0, 3, &hwp_words("하나"), &[]),
        hwp_paragraph(0, 3, &hwp_words("둘"), &[]),
        hwp_paragraph(0, 4, &hwp_words("점"), &[]),
        by_style,
        hwp_paragraph(0, 99, &hwp_words("# no heading"), &[]),
    ];
    assert_eq!(
        text_of(&section),
        "# 제1장 총칙\n\n## 1.1 목적\n\n## 1.2 범위\n\n- 가) 하나\n- 나) 둘\n- 점\n\n# 부칙\n\n\
         \\# no heading\n"
    );
}

#[test]
fn control_characters() {
    let mut words = hwp_words("one");
    words.extend(hwp_control_character(9, b"    "));
    words.extend(hwp_words("two\n"));
    words.extend(hwp_words("𠀀\u{1E}three\u{1F}fo\u{18}ur\u{F0A0}"));
    // Half of a pair, and a character that names no control.
    words.extend([0x00, 0xD8]);
    words.extend(hwp_control_character(2, b"secd"));
    words.extend(hwp_words("end"));
    let section = [hwp_paragraph(0, 0, &words, &[])];
    assert_eq!(
        text_of(&section),
        "one two\n𠀀 three four\u{F0A0}\u{FFFD}end\n"
    );
}

#[test]
fn tables_captions_and_text_beside_them() {
    let caption = [
        hwp_list(2, &[2, 0]),
        hwp_paragraph(2, 0, &hwp_words("표 제목"), &[]),
    ];
    let hidden = [hwp_control(3, b"tcmt", &[]), list(4, &[], "hidden")];
    let mut commented = hwp_words("before ");
    commented.extend(hwp_control_character(15, b"tcmt"));
    commented.extend(hwp_words("behind"));
    let table = [
        hwp_control(1, b"tbl ", &[]),
        caption.concat(),
        record(77, 2, &[0; 8]),
        list(2, &[0, 0, 2, 1], "머리"),
        list(2, &[2, 0, 1, 2], "비고"),
        hwp_list(2, &[0, 1, 1, 1]),
        hwp_paragraph(2, 0, &commented, &hidden.concat()),
        list(2, &[1, 1, 1, 1], "b"),
    ];
    let mut words = hwp_words("앞");
    words.extend(hwp_control_character(11, b"tbl "));
    words.extend(hwp_words("뒤"));
    let frame = [
        hwp_control(1, b"tbl ", &[]),
        record(77, 2, &[0; 8]),
        list(2, &[0, 0, 1, 1], "framed"),
    ];
    let section = [
        hwp_paragraph(0, 0, &words, &table.concat()),
        hwp_paragraph(0, 0, &hwp_control_character(11, b"tbl "), &frame.concat()),
    ];
    assert_eq!(
        text_of(&section),
        "앞\n\n표 제목\n\n| 머리 |  | 비고 |\n| --- | --- | --- |\n| before behind | b |  |\n\n뒤\n\n\
         framed\n\nLeft out: 1 comment.\n"
    );
}

#[test]
fn objects_notes_and_fields() {
    let mut words = hwp_words("글");
    let mut controls = Vec::new();
    let mut add = |character: u16, name: &[u8; 4], data: &[u8], inner: &[u8]| {
        words.extend(hwp_control_character(character, name));
        controls.extend(hwp_control(1, name, data));
        controls.extend(inner);
    };
    add(17, b"fn  ", &[], &list(2, &[], "각주"));
    add(16, b"head", &[], &list(2, &[], "머리말"));
    add(
        11,
        b"eqed",
        &[],
        &record(
            88,
            2,
            &[&[0; 4], hwp_string("x over y").as_slice()].concat(),
        ),
    );
    let ruby = [hwp_string("漢字"), hwp_string("한자")].concat();
    add(23, b"tdut", &ruby, &[]);
    add(23, b"tcps", &hwp_string("12"), &[]);
    add(18, b"atno", &[4, 0, 0, 0, 7, 0, 0, 0, 0, 0, b'.', 0], &[]);
    add(18, b"atno", &[0, 0, 0, 0, 9, 0], &[]);
    let form = hwp_words("CommonSet:set:1: Caption:wstring:2:동의 Value:int:1");
    add(11, b"form", &[], &record(91, 2, &form));
    let shape = [
        record(76, 2, &[]),
        list(3, &[], "글상자"),
        record(79, 3, &[]),
    ]
    .concat();
    add(11, b"gso ", &[], &shape);
    add(
        11,
        b"gso ",
        &[],
        &[record(76, 2, &[]), record(85, 3, &[])].concat(),
    );
    let link = [&[0; 5], hwp_string(r"https\://e.org;1;0;0;").as_slice()].concat();
    add(3, b"%hlk", &link, &[]);
    words.extend(hwp_words("링크"));
    words.extend(hwp_control_character(4, b"%hlk"));
    let section = [hwp_paragraph(0, 0, &words, &controls)];
    assert_eq!(
        text_of(&section),
        "글[^1]$x over y$漢字(한자)127.☒ 동의[링크](https://e.org)\n\n글상자\n\n[^1]: 각주\n\n\
         Left out: 1 picture.\n"
    );
}

#[test]
fn tracked_deletions_and_memos() {
    let range = [2u32, 4, 0x11 << 24 | 1].map(u32::to_le_bytes).concat();
    let memo = [
        record(70, 1, &range),
        hwp_control(1, b"%%me", &[]),
        record(93, 1, &[]),
        list(1, &[], "memo"),
    ];
    let mut words = hwp_words("abcdef");
    words.extend(hwp_control_character(3, b"%%me"));
    words.extend(hwp_words("g"));
    let section = [hwp_paragraph(0, 0, &words, &memo.concat()), plain("next")];
    assert_eq!(
        text_of(&section),
        "abefg\n\nnext\n\nLeft out: 1 comment, 1 deletion.\n"
    );
}

#[test]
fn controls_without_their_characters_are_not_lost() {
    let note = [
        hwp_control(1, b"gso ", &[]),
        record(76, 2, &[]),
        list(3, &[], "box"),
    ];
    let section = [hwp_paragraph(0, 0, &hwp_words("words"), &note.concat())];
    assert_eq!(text_of(&section), "words\n\nbox\n");
}

#[test]
fn sections_in_order() {
    let mut document = Hwp::new(&info(), &[plain("zero")]);
    document
        .sections
        .extend((1..12).map(|n| plain(&format!("section {n}"))));
    document.properties = 0;
    let text = extract(Format::Hwp, document.file(), &LIMITS).expect("it can be read");
    assert!(
        text.ends_with("section 9\n\nsection 10\n\nsection 11\n"),
        "{text}"
    );
}

/// A compressed section of a distribution document, encrypted by OpenSSL with the key
/// `00112233445566778899aabbccddeeff`.
const DISTRIBUTION: &str = "\
     1c00001078563412e9e9e9e9e9e9e9e9e9f8cbda4958f0e11e0f3c2dfdecdfce31494949494949494949494949\
     49499e9e8383838383838383838383838383838309090909090909090909090909090909acacac3b3b3b3b3b3b\
     3b3b3b3b3b3b3b3b3b3b08adadadadadadadadadade8e8e8e8e8e8565656565656565656561d1d1d1d1d1d1d1d\
     1dc1c1c1c1c1c1c1c1c1c1c1b2b2b2b2b2b2b2b2b2b2b2b2b2b26262dbdbdbdbdbdbdbdbdbdbdb2a2a2a2a2a2a\
     2a2a2a2a2a2a2a2a2a2828282828282828282859595959595959595959595959595959fefefefefefefefefefe\
     fefefefefe9494949494944848484848484848484837373737373737373737376a6a6a02bd21e566c1e5286a94\
     f1033265a2bc29a5783c95c5e7b0931dff069a9428bc";

#[test]
fn distribution_documents() {
    let section: Vec<u8> = DISTRIBUTION
        .as_bytes()
        .chunks_exact(2)
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect();
    let document = Hwp {
        sections: vec![section],
        info: info().concat(),
        properties: 1 | 4,
        ..Hwp::default()
    };
    let text = extract(Format::Hwp, document.file(), &LIMITS);
    assert_eq!(text.as_deref(), Ok("배포용 문서\n"));
    let document = Hwp {
        sections: vec![plain("no key")],
        ..document
    };
    assert_eq!(failure(document.file()), Some(Failure::Malformed));
}

#[test]
fn encrypted_and_broken_files() {
    for properties in [2, 3, 0x10, 0x100] {
        let document = Hwp {
            properties,
            ..Hwp::new(&info(), &[plain("secret")])
        };
        assert_eq!(failure(document.file()), Some(Failure::Encrypted));
    }
    let header = b"HWP Document File".to_vec();
    for streams in [
        &[("BodyText/Section0", &b""[..])][..],
        &[("FileHeader", &header), ("BodyText/Other", b"")],
        &[("FileHeader", b"another"), ("BodyText/Section0", b"")],
    ] {
        assert_eq!(failure(container(streams)), Some(Failure::Malformed));
    }
}

#[test]
fn a_file_cut_anywhere_is_read_or_refused() {
    let file = named("report.hwp");
    for length in 0..file.len() {
        let _ = extract(Format::Hwp, file[..length].to_vec(), &LIMITS);
    }
}

#[test]
fn limits_hold() {
    let nested = |levels: u32| {
        (0..levels).fold(Vec::new(), |mut section, level| {
            let at = level * 2;
            section.extend(hwp_paragraph(
                at,
                0,
                &hwp_control_character(11, b"tbl "),
                &[],
            ));
            section.extend(hwp_control(at + 1, b"tbl ", &[]));
            section.extend(record(77, at + 2, &[]));
            section.extend(hwp_list(at + 2, &[0, 0, 1, 1]));
            section
        })
    };
    assert_eq!(text_of(&[nested(20), plain("end")]), "end\n");
    let file = Hwp::new(&info(), &[nested(40)]).file();
    assert_eq!(failure(file), Some(Failure::Malformed));
    let section = plain(&" ".repeat(9 << 20));
    let file = Hwp::new(&info(), &[section]).file();
    assert!(file.len() < 1 << 20);
    assert_eq!(failure(file), Some(Failure::TooLarge));
}

#[test]
fn a_file_that_is_cut_gives_the_text_before_the_end() {
    let words = |n: u32| format!("line {n} {:x}", n.wrapping_mul(2_654_435_761));
    let section: Vec<Vec<u8>> = (0..3000).map(|n| plain(&words(n))).collect();
    let file = Hwp::new(&info(), &section).file();
    // The section is in the middle of the file, before the directory and the table of sectors.
    let mut changed = file.clone();
    let middle = file.len() / 2;
    changed[middle..middle + 100].fill(0xFF);
    let text = extract(Format::Hwp, changed, &LIMITS).expect("it has a beginning");
    let begin =
        "Damaged: parts of this document could not be read.\n\nline 0 0\n\nline 1 9e3779b1\n";
    assert!(text.starts_with(begin), "{text:.200}");
    assert!(text.lines().count() > 1000);
    assert_eq!(failure(file[..middle].to_vec()), Some(Failure::Malformed));
}

#[test]
fn files_of_other_programs() {
    let file = include_bytes!("../samples/hwp/version_5.hwp");
    let text = extract(Format::Hwp, file.to_vec(), &LIMITS);
    assert_eq!(text.as_deref(), Ok("테스트\n\ntest\n"));
    let file = include_bytes!("../samples/hwp/styled_document.hwp");
    let text = extract(Format::Hwp, file.to_vec(), &LIMITS).expect("it can be read");
    assert!(
        text.starts_with("스타일 문서 예제\n\n이것은 일반 단락입니다."),
        "{text}"
    );
    assert!(text.ends_with("바탕체로 작성된 텍스트입니다.\n"), "{text}");
    let file = include_bytes!("../samples/hwp/version_3.hwp");
    let expected = Failure::Unsupported("an HWP 3 document");
    assert_eq!(detect("hwp", file, &LIMITS), Err(expected));
}

#[test]
fn fields_without_an_end_take_linear_time() {
    let field = hwp_control_character(3, b"%hlk");
    let link = [&[0; 5], hwp_string("https://e.org").as_slice()].concat();
    let controls = hwp_control(1, b"%hlk", &link);
    let words = [field.repeat(300_000), hwp_words("end")].concat();
    let section = [hwp_paragraph(0, 0, &words, &controls)];
    assert_eq!(text_of(&section), "[end](https://e.org)\n");
}
