//! Tests of pictures in documents that are no packages: their names where they stand in the text,
//! and the bytes of the members.

use crate::pictures::markdown_of;
use docent_extract::fixtures::{
    Doc, Hwp, Ppt, PptSlide, Rtf, Xls, biff, biff_number, container, hwp_control,
    hwp_control_character, hwp_paragraph, hwp_string, hwp_words, ppt_atom, ppt_container,
    ppt_numbers, ppt_shape, ppt_text, ppt_text_box, record, sprm,
};
use docent_extract::{Beyond, Failure, Format, Limits, extract, list_members, unpack};
use proptest::prelude::*;

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

/// Returns the bytes of each member, or the reason that there are none.
fn contents(format: Format, content: &[u8]) -> Vec<Result<Vec<u8>, Failure>> {
    let members = unpack(format.name(), content, None, &LIMITS).expect("it can be read");
    members.into_iter().map(|member| member.content).collect()
}

/// Returns the record of data in a stream of its own, `BIN000A.png` for 10.
fn hwp_data(properties: u16, number: u16, extension: &str) -> Vec<u8> {
    let head = [properties.to_le_bytes(), number.to_le_bytes()].concat();
    record(18, 0, &[head, hwp_string(extension)].concat())
}

/// Returns a paragraph with a word before a picture and one behind it.
fn hwp_picture(number: u16) -> Vec<u8> {
    let mut shape = vec![0; 71];
    shape.extend(number.to_le_bytes());
    let object = [record(76, 2, &[]), record(85, 3, &shape)].concat();
    let mut words = hwp_words("앞");
    words.extend(hwp_control_character(11, b"gso "));
    words.extend(hwp_words("뒤"));
    let controls = [hwp_control(1, b"gso ", &[]), object].concat();
    hwp_paragraph(0, 0, &words, &controls)
}

/// Returns a document of Hangul with pictures.
fn hangul_document() -> Vec<u8> {
    let info = [
        hwp_data(1, 10, "png"),
        hwp_data(1, 11, "wmf"),
        hwp_data(1 | 2 << 4, 12, "jpg"),
        // One in a file beside the document, and one that is lost.
        hwp_data(0, 13, "png"),
        hwp_data(1, 14, "png"),
        hwp_data(1, 10, "png"),
    ];
    let mut document = Hwp::new(&info, &[1, 2, 3, 5, 6, 99].map(hwp_picture));
    document.add_stream("BinData/BIN000A.png", b"one", true);
    document.add_stream("BinData/BIN000B.wmf", b"drawing", true);
    document.add_stream("BinData/BIN000C.jpg", b"three", false);
    document.file()
}

#[test]
fn pictures_of_hangul_documents() {
    let file = hangul_document();
    assert_eq!(
        markdown_of(Format::Hwp, file.clone(), &["BIN000A.png", "BIN000C.jpg"]),
        "앞뒤\n\n[BIN000A.png]\n\n앞뒤\n\n앞뒤\n\n[BIN000C.jpg]\n\n앞뒤\n\n앞뒤\n\n\
         [BIN000A.png]\n\n앞뒤\n\nLeft out: 6 pictures (explore FILE!/BIN000A.png shows one).\n"
    );
    let expected = [Ok(b"one".to_vec()), Ok(b"three".to_vec())];
    assert_eq!(contents(Format::Hwp, &file), expected);
}

#[test]
fn damaged_and_large_pictures_of_hangul() {
    let info = [1, 2, 3, 4].map(|number| hwp_data(1, number, "png"));
    let mut document = Hwp::new(&info, &[hwp_picture(1)]);
    document.add_stream("BinData/BIN0001.png", b"not deflated \xFF", false);
    document.add_stream("BinData/BIN0002.png", b"two", true);
    document.add_stream("BinData/BIN0003.png", &[0; 2 << 20], true);
    document.add_stream("BinData/BIN0004.png", &[0; 2 << 20], true);
    let file = document.file();
    let expected = [
        Err(Failure::Malformed),
        Ok(b"two".to_vec()),
        Err(Failure::TooLarge),
        Err(Failure::TooLarge),
    ];
    assert_eq!(contents(Format::Hwp, &file), expected);
    document.properties |= 1 << 1;
    let listed = list_members("hwp", &document.file(), &LIMITS);
    assert_eq!(listed, Err(Failure::Encrypted));
}

#[test]
fn names_of_streams_cannot_lead_elsewhere() {
    let info = [hwp_data(1, 1, "./../x.png"), hwp_data(1, 2, "png\u{1}")];
    let mut document = Hwp::new(&info, &[hwp_picture(1)]);
    document.add_stream("BinData/BIN0001.png", b"one", true);
    let file = document.file();
    assert_eq!(
        list_members("hwp", &file, &LIMITS).map(|it| it.members),
        Ok(Vec::new())
    );
}

/// Returns a document in RTF with pictures.
fn rich_text() -> Vec<u8> {
    let picture = |properties: &str, data: &str| {
        let described =
            format!(r"{{\*\picprop\shplid1025{{\sp{{\sn wzName}}{{\sv x}}}}{properties}}}");
        format!(
            r"{{\*\shppict{{\pict{described}\picw1{data}}}}}{{\nonshppict{{\pict\pngblip 00}}}}"
        )
    };
    let description = |words: &str| format!(r"{{\sp{{\sn wzDescription}}{{\sv {words}}}}}");
    let floating = format!(
        r"{{\shp{{\*\shpinst\shpleft1{{\sp{{\sn pib}}{{\sv {}}}}}{}}}{{\shprslt{{\pict\pngblip 00}}}}}}",
        r"{\pict\pngblip 04}",
        description("floats"),
    );
    let body = [
        r"{\header {\pict\pngblip 01}}\pard a ".to_owned(),
        picture(
            &description(r"A \u51088?\'b5\'bf\'c2\'f7"),
            r"\jpegblip\bliptag1{\*\blipuid 0f}02 0a0B",
        ),
        r" b\par ".to_owned(),
        format!(
            r"\pard\s1 Heading {}\par ",
            picture("", r"\pngblip\bin3 }\{")
        ),
        format!(r"\pard\ls1 {}\par\pard ", picture("", r"\pngblip 0")),
        format!(
            r"{floating}{{\v {}}}{{\pict\wmetafile8 00}}\par ",
            picture("", r"\pngblip 05")
        ),
        picture(&description("drawn"), r"\emfblip 00"),
    ]
    .concat();
    Rtf::new(&body).file()
}

#[test]
fn pictures_of_rich_text() {
    let file = rich_text();
    let names = [
        "image1.png",
        "image2.jpg",
        "image3.png",
        "image4.png",
        "image5.png",
        "image6.png",
    ];
    assert_eq!(
        markdown_of(Format::Rtf, file.clone(), &names),
        "a [image2.jpg: A 자동차] b\n\n# Heading\n\n[image3.png]\n\n[image4.png]\n\n\
         [image5.png: floats]\n\n[Picture: drawn]\n\n\
         Left out: 6 pictures (explore FILE!/image1.png shows one).\n"
    );
    let expected = [
        Ok(vec![1]),
        Ok(vec![2, 10, 11]),
        Ok(b"}\\{".to_vec()),
        Err(Failure::Malformed),
        Ok(vec![4]),
        Ok(vec![5]),
    ];
    assert_eq!(contents(Format::Rtf, &file), expected);
}

#[test]
fn rich_text_that_is_cut_or_repeats_pictures() {
    let cut = Rtf::new(r"a{\pict\pngblip 0102").file();
    let cut = &cut[..cut.len() - 1];
    assert_eq!(contents(Format::Rtf, cut), [Err(Failure::Malformed)]);
    let nested = Rtf::new(r"a{\pict\pngblip 01{\pict\pngblip 02}03}").file();
    let expected = [Err(Failure::Malformed), Ok(vec![2])];
    assert_eq!(contents(Format::Rtf, &nested), expected);
    let many = Rtf::new(&r"{\pict\pngblip 00}".repeat(20_000)).file();
    let listed = list_members("rtf", &many, &LIMITS).expect("it can be listed");
    assert_eq!((listed.members.len(), listed.omitted), (500, 19_500));
    let text = extract(Format::Rtf, many, &LIMITS).expect("it can be read");
    assert_eq!(text.matches("[image").count(), 500);
    // Shapes without an end.
    let open = Rtf::new(&r"{\shp\pict\shp\pict\sn\sv".repeat(20_000)).file();
    assert!(list_members("rtf", &open, &LIMITS).is_ok());
    assert!(extract(Format::Rtf, open, &LIMITS).is_ok());
}

/// Place of a picture that was deleted.
const DELETED: u32 = 7;

/// Returns an entry in a list of pictures: its kind, the place of its record, and the record if it
/// is in the list itself.
fn art_entry(kind: u8, place: u32, own: &[u8]) -> Vec<u8> {
    let mut entry = vec![0; 36];
    entry[0] = kind;
    // It is used, except by a picture that was deleted.
    entry[24] = u8::from(place != DELETED);
    entry[28..32].copy_from_slice(&place.to_le_bytes());
    entry.extend(own);
    ppt_atom(0xF007, u16::from(kind), &entry)
}

/// Returns the record of a picture: its kind, its instance, whose last bit tells that there are two
/// digests, and its bytes.
fn art_picture(kind: u16, instance: u16, bytes: &[u8]) -> Vec<u8> {
    let digests = vec![0; 16 * (1 + usize::from(instance & 1)) + 1];
    ppt_atom(kind, instance, &[digests.as_slice(), bytes].concat())
}

/// Returns the properties of a shape that shows a picture, with an alternative text.
fn art_properties(number: u32, description: &str) -> Vec<u8> {
    let words: Vec<u8> = description
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut properties = (0x0104u16 | 1 << 14).to_le_bytes().to_vec();
    properties.extend(ppt_numbers(&[number]));
    properties.extend((0x0381u16 | 1 << 15).to_le_bytes());
    properties.extend(ppt_numbers(&[words.len() as u32]));
    properties.extend(words);
    ppt_atom(0xF00B, 2, &properties)
}

/// Returns a presentation with pictures.
fn old_slides() -> Vec<u8> {
    let png = art_picture(0xF01E, 0x6E0, b"png");
    let jpeg = art_picture(0xF01D, 0x46B, b"jpeg");
    let place = png.len() as u32;
    let store = [
        art_entry(6, 0, &[]),
        art_entry(2, 0, &[]),
        art_entry(5, place, &[]),
        art_entry(6, u32::MAX, &[]),
        art_entry(6, 1 << 30, &[]),
        art_entry(6, 0, &art_picture(0xF01E, 0x6E0, b"own")),
        art_entry(6, DELETED, &[]),
        // The record is of another kind.
        art_entry(6, place + jpeg.len() as u32, &[]),
    ];
    let emf = art_picture(0xF01A, 0x3D4, b"emf");
    let mut deck = Ppt::new(&[PptSlide {
        shapes: [
            ppt_shape(75, 0, &art_properties(1, "A red car")),
            ppt_shape(75, 0, &art_properties(3, "IMG_1.JPG")),
            ppt_shape(75, 0, &art_properties(2, "")),
            ppt_shape(1, 0, &art_properties(1, "")),
            ppt_shape(75, 0, &art_properties(99, "Lost")),
            ppt_text_box(0, &ppt_text(4, "words")),
        ]
        .concat(),
        ..PptSlide::default()
    }]);
    let group = ppt_container(0xF000, 0, &ppt_container(0xF001, 7, &store.concat()));
    deck.document = ppt_container(1035, 0, &group);
    deck.pictures = [png, jpeg, emf].concat();
    deck.file()
}

#[test]
fn pictures_of_old_slides() {
    let file = old_slides();
    let names = [
        "image1.png",
        "image3.jpg",
        "image5.png",
        "image6.png",
        "image8.png",
    ];
    assert_eq!(
        markdown_of(Format::Ppt, file.clone(), &names),
        "## Slide 1\n\n[image1.png: A red car]\n\n[image3.jpg]\n\n[Picture: Lost]\n\nwords\n\n\
         Left out: 4 pictures (explore FILE!/image1.png shows one).\n"
    );
    let expected = [
        Ok(b"png".to_vec()),
        Ok(b"jpeg".to_vec()),
        Err(Failure::Malformed),
        Ok(b"own".to_vec()),
        Err(Failure::Malformed),
    ];
    assert_eq!(contents(Format::Ppt, &file), expected);
}

/// Returns a picture in the stream of data: a header, a shape and the records of the picture.
fn doc_picture(description: &str, records: &[u8]) -> Vec<u8> {
    let shape = ppt_container(0xF004, 0, &art_properties(1, description));
    let mut picture = vec![0; 68];
    picture[4] = 68;
    picture[6] = 0x64;
    picture.extend(shape);
    picture.extend(records);
    let length = picture.len() as u32;
    picture[..4].copy_from_slice(&length.to_le_bytes());
    picture
}

/// Returns a document of Word with pictures.
fn word_document() -> Vec<u8> {
    let pictures = [
        doc_picture(
            "A red car",
            &art_entry(6, 0, &art_picture(0xF01E, 0x6E1, b"png")),
        ),
        doc_picture("", &art_picture(0xF01D, 0x46A, b"jpeg")),
        doc_picture("A drawing", &art_picture(0xF01B, 0x216, b"wmf")),
        // One that ends after the stream.
        doc_picture("", &art_picture(0xF01E, 0x6E0, b"lost")),
    ];
    let mut data = Vec::new();
    let mut signs = Vec::new();
    for picture in &pictures {
        let place = (data.len() as u32).to_le_bytes();
        signs.push([sprm(0x0855, &[1]), sprm(0x6A03, &place)].concat());
        data.extend(picture);
    }
    data.truncate(data.len() - 1);
    let shape = |number: u32, picture: u32, description: &str| {
        let atom = ppt_atom(0xF00A, 75, &ppt_numbers(&[number, 0xA00]));
        let properties = art_properties(picture, description);
        ppt_container(0xF004, 0, &[atom, properties].concat())
    };
    let document = |place: u32| {
        let store = [
            art_entry(6, 0, &[]),
            art_entry(2, 0, &[]),
            art_entry(5, place, &[]),
        ];
        let group = ppt_container(0xF000, 0, &ppt_container(0xF001, 3, &store.concat()));
        let shapes = [
            ppt_container(0xF004, 0, &[]),
            shape(1030, 3, "floats"),
            shape(1040, 9, ""),
        ];
        let drawing = ppt_container(0xF002, 0, &ppt_container(0xF003, 0, &shapes.concat()));
        Doc::default()
            .table(50, [group, vec![0], drawing].concat())
            .data(&data)
            .run("a ", &[])
            .run("\x01", &signs[0])
            .run("\x01", &signs[1])
            .run(" b", &[])
            .end('\r', 0, &[])
            .run("Heading", &[])
            .run("\x01", &signs[0])
            .end('\r', 1, &[])
            .run("\x01", &signs[1])
            .end('\r', 5, &[])
            .text_box(1030, "boxed")
            .run("text", &[])
            .end('\r', 0, &[])
            .run("\x01", &signs[2])
            .run("\x01", &[signs[0].clone(), sprm(0x083C, &[1])].concat())
            .run("\x01", &signs[3])
            .end('\r', 0, &[])
    };
    let jpeg = art_picture(0xF02A, 0x6E2, b"cmyk");
    let (stream, _) = document(0).streams();
    let (mut stream, tables) = document(stream.len() as u32).streams();
    stream.extend(jpeg);
    container(&[
        ("WordDocument", &stream),
        ("1Table", &tables),
        ("Data", &data),
    ])
}

#[test]
fn pictures_of_word() {
    let file = word_document();
    let names = [
        "image1.png",
        "image2.jpg",
        "image3.png",
        "image4.png",
        "image6.jpg",
    ];
    assert_eq!(
        markdown_of(Format::Doc, file.clone(), &names),
        "a [image1.png: A red car] [image2.jpg] b\n\n# Heading\n\n[image1.png: A red car]\n\n\
         [image2.jpg]\n\ntext\n\n[image6.jpg: floats]\n\nboxed\n\n\
         [Picture: A drawing] [image3.png]\n\n\
         Left out: 7 pictures (explore FILE!/image1.png shows one).\n"
    );
    let expected = [
        Ok(b"png".to_vec()),
        Ok(b"jpeg".to_vec()),
        Err(Failure::Malformed),
        Err(Failure::Malformed),
        Ok(b"cmyk".to_vec()),
    ];
    assert_eq!(contents(Format::Doc, &file), expected);
}

/// Returns the part of a drawing with a shape, and the record of the object that is a picture.
fn sheet_picture(number: u32, description: &str) -> Vec<u8> {
    let atom = ppt_atom(0xF00A, 75, &ppt_numbers(&[1, 0xA00]));
    let shape = [atom, art_properties(number, description)].concat();
    let object = [0x15, 0, 0x12, 0, 8, 0];
    let drawing = biff(0x00EC, &ppt_container(0xF004, 0, &shape));
    [drawing, biff(0x005D, &object)].concat()
}

/// Returns a workbook with pictures.
fn old_sheets() -> Xls {
    let store = [
        art_entry(6, 0, &art_picture(0xF01E, 0x6E0, b"png")),
        art_entry(3, 0, &art_picture(0xF01B, 0x216, b"wmf")),
        // One without bytes.
        art_entry(6, 0, &[]),
        art_entry(5, 0, &art_picture(0xF01D, 0x46B, &[7; 300])),
        art_entry(6, 0, &art_picture(0xF01D, 0x46B, b"jpeg")[..20]),
    ];
    let store = [
        ppt_atom(0xF006, 0, &[0; 16]),
        ppt_container(0xF001, 5, &store.concat()),
    ];
    let group = ppt_container(0xF000, 0, &store.concat());
    // Lists are cut into records anywhere.
    let mut globals = Vec::new();
    for (index, piece) in group.chunks(100).enumerate() {
        globals.push(biff(if index < 2 { 0x00EB } else { 0x003C }, piece));
    }
    let text_box = [
        biff(0x005D, &[0x15, 0, 0x12, 0, 6, 0]),
        biff(0x01B6, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0]),
        biff(0x003C, b"\0words"),
    ];
    let one = [
        sheet_picture(1, "A red car"),
        text_box.concat(),
        sheet_picture(4, "IMG_1.JPG"),
        sheet_picture(2, "A drawing"),
        biff_number(0, 0, 0, 1.0),
    ];
    // Drawings are continued in other records, also after the text of a box.
    let continued = |number: u32| {
        let mut record = sheet_picture(number, "");
        record[..2].copy_from_slice(&0x003Cu16.to_le_bytes());
        record
    };
    let two = [
        sheet_picture(1, ""),
        continued(4),
        text_box.concat(),
        biff(0x003C, &[0; 8]),
        continued(1),
        sheet_picture(99, ""),
    ];
    Xls::new(&globals).with("one", &one).with("two", &two)
}

#[test]
fn pictures_of_old_sheets() {
    let workbook = old_sheets();
    let names = ["image1.png", "image4.jpg", "image5.png"];
    let expected = [
        Ok(b"png".to_vec()),
        Ok(vec![7; 300]),
        Err(Failure::Malformed),
    ];
    for file in [workbook.file(), workbook.stream()] {
        assert_eq!(
            markdown_of(Format::Xls, file.clone(), &names),
            "## one\n\n| 1 | 1 |\n| --- | --- |\n\n[image1.png: A red car]\n\nwords\n\n\
             [image4.jpg]\n\n[Picture: A drawing]\n\n## two\n\n[image1.png]\n\n\
             [image4.jpg]\n\nwords\n\n[image1.png]\n\nLeft out: 7 pictures (explore FILE!/image1.png shows one).\n"
        );
        assert_eq!(contents(Format::Xls, &file), expected);
    }
    let locked = Xls::new(&[biff(0x002F, &[1, 0])]).with("one", &[]).file();
    let listed = list_members("xls", &locked, &LIMITS);
    assert_eq!(listed, Err(Failure::Encrypted));
}

proptest! {
    #[test]
    fn members_of_damaged_documents_are_those_of_their_list(
        file in 0..5_usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        length in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let (format, mut content) = match file {
            0 => (Format::Hwp, hangul_document()),
            1 => (Format::Rtf, rich_text()),
            2 => (Format::Ppt, old_slides()),
            3 => (Format::Doc, word_document()),
            _ => (Format::Xls, old_sheets().stream()),
        };
        for (at, byte) in changes {
            let at = at.index(content.len());
            content[at] = byte;
        }
        if is_cut {
            content.truncate(length.index(content.len()));
        }
        let listed = list_members(format.name(), &content, &LIMITS);
        let members = unpack(format.name(), &content, None, &LIMITS);
        if let (Ok(listed), Ok(members)) = (listed, members) {
            let paths: Vec<&String> = members.iter().map(|member| &member.path).collect();
            let listed: Vec<&String> = listed.members.iter().map(|it| &it.path).collect();
            prop_assert_eq!(&listed, &paths);
            if let Ok(text) = extract(format, content, &LIMITS) {
                // Each picture that the text names is a member.
                let shown = text.rsplit_once("Left out: ").and_then(|(_, note)| note.split_once("FILE!/"));
                let shown = shown.and_then(|(_, name)| name.split_once(" shows"));
                let is_member = |name: &str| paths.iter().any(|path| *path == name);
                prop_assert!(shown.is_none_or(|(name, _)| is_member(name)));
            }
        }
    }
}
