//! Tests of presentations in binary records, from the bytes of the file to Markdown.

use docent_extract::fixtures::{
    Ppt, PptSlide, named, ppt_atom, ppt_container, ppt_numbers, ppt_reference, ppt_shape,
    ppt_string, ppt_style, ppt_table, ppt_tags, ppt_text, ppt_text_box,
};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

pub const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

/// Reads a file.
pub fn read(file: Vec<u8>) -> Result<String, Failure> {
    extract(Format::Ppt, file, &LIMITS)
}

/// Returns the text of slides.
pub fn text_of(slides: &[PptSlide]) -> String {
    read(Ppt::new(slides).file()).expect("it can be read")
}

/// Returns a slide of these shapes.
pub fn slide(shapes: &[Vec<u8>]) -> PptSlide {
    PptSlide {
        shapes: shapes.concat(),
        ..PptSlide::default()
    }
}

/// Returns a text box with this text.
pub fn words(text: &str) -> Vec<u8> {
    ppt_text_box(0, &ppt_text(4, text))
}

#[test]
fn a_presentation() {
    assert_eq!(
        read(named("talk.ppt")).as_deref(),
        Ok(
            "## Slide 1: 운영 안내 (hidden)\n\n## Slide 2: 설정\n\n- 포트를 정한다.\n\
             - The port is open.\n\n| 이름 | 값 |\n| --- | --- |\n| port | 80 |\n\n### Notes\n\n\
             천천히 말한다.\n"
        )
    );
}

#[test]
fn levels_marks_and_numbers() {
    let style = ppt_style(
        &[(2, 0, true), (2, 1, true), (2, 0, false), (2, 0, true)],
        0,
        &[],
    );
    let marked = [ppt_text(4, "a\rb\rc\rd"), style].concat();
    // The second number counts from 3, and refers to the second of the numbers.
    let style = ppt_style(
        &[(2, 0, true), (2, 0, true)],
        1 << 10,
        &(1u16 << 10).to_le_bytes(),
    );
    let number = |first: u16| {
        let mut number = ppt_numbers(&[0b111 << 23]);
        for half in [0xFFFF, 1, 3, first] {
            number.extend(half.to_le_bytes());
        }
        number.extend(ppt_numbers(&[1 << 20, 7, 0b11]));
        number.extend([0; 4]);
        number
    };
    let numbers = ppt_atom(4012, 0, &[number(9), number(3)].concat());
    let numbered = [
        ppt_container(0xF011, 0, &ppt_tags("___PPT9", &numbers)),
        ppt_container(0xF00D, 0, &[ppt_text(4, "e\rf"), style].concat()),
    ];
    let shapes = [
        ppt_text_box(0, &marked),
        ppt_shape(1, 0, &numbered.concat()),
    ];
    assert_eq!(
        text_of(&[slide(&shapes)]),
        "## Slide 1\n\n- a\n    - b\n\nc\n\n- d\n3. e\n4. f\n"
    );
}

#[test]
fn numbers_of_texts_in_the_list_of_slides() {
    let style = ppt_style(&[(2, 0, true), (2, 0, true)], 0, &[]);
    let mut number = ppt_numbers(&[0b11 << 24]);
    number.extend([1, 0, 3, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let records = [
        ppt_atom(4015, 0, &ppt_numbers(&[256, 1])),
        ppt_atom(4012, 0, &number),
    ];
    let records = ppt_container(4014, 0, &records.concat());
    let mut deck = Ppt::new(&[PptSlide {
        outline: [ppt_text(1, "a\rb"), style].concat(),
        shapes: ppt_reference(14, 0),
        ..PptSlide::default()
    }]);
    deck.document = ppt_container(2000, 0, &ppt_tags("___PPT9", &records));
    let text = read(deck.file());
    assert_eq!(text.as_deref(), Ok("## Slide 1\n\n5. a\n6. b\n"));
}

#[test]
fn masters_define_marks() {
    // Bodies have a mark at the first level only, and titles none.
    let mut levels = vec![2, 0];
    for has_mark in [1, 0] {
        levels.extend(ppt_numbers(&[1]));
        levels.extend([has_mark, 0]);
        levels.extend(ppt_numbers(&[0]));
    }
    let style = |level: u16| {
        let mut style = 2u32.to_le_bytes().to_vec();
        style.extend(level.to_le_bytes());
        style.extend(ppt_numbers(&[0, 2, 0]));
        ppt_atom(4001, 0, &style)
    };
    let body = |level| [ppt_text(1, "a"), style(level)].concat();
    let half = [ppt_text(7, "b"), style(0)].concat();
    let shapes = [body(0), body(1), half].map(|text| ppt_text_box(14, &text));
    let mut deck = Ppt::new(&[slide(&shapes)]);
    deck.master = ppt_atom(4003, 1, &levels);
    let text = read(deck.file());
    assert_eq!(text.as_deref(), Ok("## Slide 1\n\n- a\n\na\n\n- b\n"));
}

#[test]
fn symbols_raised_numbers_and_line_breaks() {
    let name: Vec<u8> = "Symbol".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut font = name;
    font.resize(68, 0);
    let fonts = ppt_container(2005, 0, &ppt_atom(4023, 5, &font));
    let styled = |text: &str, mask: u32, properties: &[u8]| {
        let count = text.chars().count() as u32 + 1;
        let style = ppt_style(&[(count, 0, false)], mask, properties);
        ppt_text_box(0, &[ppt_text(4, text), style].concat())
    };
    let shapes = [
        styled("m", 1 << 16, &[5, 0]),
        styled("10 \u{F06D}m", 1 << 23, &[5, 0]),
        styled("-6", 1 << 19, &[30, 0]),
        styled("-6", 1 << 19, &[0xE7, 0xFF]),
        words("one\u{B}two\r\rthree"),
        // A byte for each character.
        ppt_text_box(0, &ppt_atom(4008, 0, b"caf\xE9 \x93x\x94")),
    ];
    let mut deck = Ppt::new(&[slide(&shapes)]);
    deck.document = ppt_container(1010, 0, &fonts);
    let text = read(deck.file());
    let expected = "## Slide 1\n\nμ\n\n10 μm\n\n⁻⁶\n\n-6\n\none\ntwo\n\nthree\n\ncafé “x”\n";
    assert_eq!(text.as_deref(), Ok(expected));
}

#[test]
fn numbers_dates_and_footers_are_left_out() {
    let number = [
        ppt_text(4, "Page * of 9"),
        ppt_atom(4056, 0, &ppt_numbers(&[5])),
    ];
    let later = ppt_container(0xF011, 0, &ppt_atom(1056, 0, &[9]));
    let footer = [later, ppt_container(0xF00D, 0, &ppt_text(4, "footer 2007"))];
    let mut only = slide(&[
        ppt_text_box(0, &number.concat()),
        ppt_text_box(7, &ppt_text(4, "a date")),
        ppt_text_box(8, &ppt_text(4, "*")),
        ppt_text_box(9, &ppt_text(4, "footer")),
        ppt_shape(1, 0, &footer.concat()),
    ]);
    let number = [ppt_text(2, "*"), ppt_atom(4056, 0, &ppt_numbers(&[0]))];
    only.notes = [
        ppt_text_box(10, &ppt_text(4, "header")),
        ppt_text_box(0, &number.concat()),
    ]
    .concat();
    assert_eq!(text_of(&[only]), "## Slide 1\n\nPage of 9\n");
}

#[test]
fn links_of_words_and_of_shapes() {
    let link = |id: u32, strings: &[Vec<u8>]| {
        let id = ppt_atom(4051, 0, &ppt_numbers(&[id]));
        ppt_container(4055, 0, &[id, strings.concat()].concat())
    };
    let links = [
        link(
            1,
            &[ppt_string(0, "name"), ppt_string(1, "https://a.org/x y")],
        ),
        link(2, &[ppt_string(1, "b.ppt"), ppt_string(3, "256,1,Title")]),
        link(3, &[ppt_string(3, "257,2,Title")]),
        link(4, &[ppt_string(1, "https://c.org"), ppt_string(3, "part")]),
    ];
    let action = |id: u32, kind: u8| {
        let atom = [ppt_numbers(&[0, id]), vec![kind, 0, 0, 0, 8, 0, 0, 0]].concat();
        ppt_container(4082, 0, &ppt_atom(4083, 0, &atom))
    };
    let range = |begin, end| ppt_atom(4063, 0, &ppt_numbers(&[begin, end]));
    let text = [
        ppt_text(4, "See a, b, c, d and e"),
        [action(1, 4), range(4, 5)].concat(),
        [action(2, 4), range(7, 8)].concat(),
        [action(3, 4), range(10, 11)].concat(),
        [action(1, 1), range(13, 14)].concat(),
        [action(4, 4), range(19, 99)].concat(),
    ];
    let whole = [
        ppt_container(0xF011, 0, &action(1, 4)),
        ppt_container(0xF00D, 0, &ppt_text(4, "all")),
    ];
    let shapes = [
        ppt_text_box(0, &text.concat()),
        ppt_shape(1, 0, &whole.concat()),
    ];
    let mut deck = Ppt::new(&[slide(&shapes)]);
    deck.document = ppt_container(1033, 0, &links.concat());
    assert_eq!(
        read(deck.file()).as_deref(),
        Ok(
            "## Slide 1\n\nSee [a](https://a.org/x%20y), [b](b.ppt), c, d and \
             [e](https://c.org#part)\n\n[all](https://a.org/x%20y)\n"
        )
    );
}

#[test]
fn pictures_objects_and_comments() {
    let described = |id: u16, text: &str| {
        let text: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut properties = (id | 1 << 15).to_le_bytes().to_vec();
        properties.extend(ppt_numbers(&[text.len() as u32]));
        properties.extend(text);
        ppt_atom(0xF00B, 1, &properties)
    };
    let object = |id| ppt_container(0xF011, 0, &ppt_atom(3009, 0, &ppt_numbers(&[id])));
    let deleted = [
        ppt_atom(0xF00A, 1, &ppt_numbers(&[1, 1 << 3])),
        ppt_container(0xF00D, 0, &ppt_text(4, "deleted")),
    ];
    let mut only = slide(&[
        ppt_shape(75, 0, &described(0x0381, "A red car")),
        ppt_shape(75, 0, &described(0x0381, "IMG_1.jpg")),
        ppt_shape(75, 0, &object(1)),
        ppt_shape(75, 0, &object(2)),
        ppt_shape(136, 0, &described(0x00C0, "Word Art")),
        ppt_container(0xF004, 0, &deleted.concat()),
    ]);
    let comment = ppt_container(12000, 0, &ppt_string(2, "a comment"));
    only.other = ppt_tags("___PPT10", &[comment.clone(), comment].concat());
    let media = ppt_container(4102, 0, &ppt_atom(4100, 0, &ppt_numbers(&[2, 0])));
    let mut deck = Ppt::new(&[only]);
    deck.document = ppt_container(1033, 0, &media);
    assert_eq!(
        read(deck.file()).as_deref(),
        Ok(
            "## Slide 1\n\n[Picture: A red car]\n\nWord Art\n\nLeft out: 2 comments, 2 pictures, \
             1 video or sound, 1 embedded object.\n"
        )
    );
}

#[test]
fn tables_of_any_shapes() {
    // The second row has a merged cell, and the groups are nested.
    let inner = ppt_container(0xF003, 0, &words("in a group"));
    let shapes = [ppt_table(&[&["a|b", "c"], &["d"], &["", "e\rf"]]), inner];
    assert_eq!(
        text_of(&[slide(&shapes)]),
        "## Slide 1\n\n| a\\|b | c |\n| --- | --- |\n| d |  |\n|  | e<br>f |\n\nin a group\n"
    );
    // Each shape has a row and a column of its own: the table would have 360 000 cells.
    let mut cells = Vec::new();
    for place in 0..600u32 {
        let anchor = ppt_atom(0xF00F, 0, &ppt_numbers(&[place, place, 0, 0]));
        let text = ppt_container(0xF00D, 0, &ppt_text(4, "cell"));
        cells.extend(ppt_shape(1, 0, &[anchor, text].concat()));
    }
    let table = ppt_table(&[]);
    let marked = [table.get(8..).unwrap_or_default(), &cells].concat();
    let text = text_of(&[slide(&[ppt_container(0xF003, 0, &marked)])]);
    assert_eq!(text.matches("\n\ncell\n").count(), 300, "{text}");
}

#[test]
fn titles_and_texts_that_no_list_has() {
    let title = PptSlide {
        outline: [ppt_text(0, "One\u{B}Two #"), ppt_text(1, "b")].concat(),
        // The body is shown twice, and one text is missing.
        shapes: [
            ppt_reference(14, 1),
            ppt_reference(13, 0),
            ppt_reference(14, 1),
            ppt_reference(14, 9),
            ppt_text_box(13, &ppt_text(0, "second")),
        ]
        .concat(),
        ..PptSlide::default()
    };
    let text = text_of(&[title, slide(&[])]);
    assert_eq!(
        text,
        "## Slide 1: One Two # #\n\n- b\n\nsecond\n\n## Slide 2\n"
    );
    assert_eq!(text_of(&[]), "");
}
