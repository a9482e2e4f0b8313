//! Documents of Hangul in XML: reading any file ends with Markdown of the document's structure
//! within the limit, or with an error.
#![no_main]

use docent_extract::fixtures::{HWPX_HEADER, hwpx_paragraph, named};
use docent_extract::{Beyond, Format, Limits, extract};
use docent_fuzz::{markdown, office, seeds};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits {
    text_bytes: 1 << 18,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::LeaveOut,
};

/// Bytes of the beginning that is compared with the whole.
const BEGINNING: usize = 50;

const PARTS: [&str; 4] = [
    "Contents/section0.xml",
    "Contents/section1.xml",
    "Contents/header.xml",
    "Contents/content.hpf",
];

const MANIFEST: &str = r#"<package><manifest><item id="a" href="Contents/section0.xml"/><item id="b" href="Contents/section1.xml"/></manifest><spine><itemref idref="b"/><itemref idref="a"/></spine></package>"#;

const TAGS: [&str; 48] = [
    "hs:sec",
    "hp:p",
    "hp:p paraPrIDRef='2'",
    "hp:p paraPrIDRef='4' styleIDRef='1'",
    "hp:p paraPrIDRef='5'",
    "hp:run",
    "hp:t",
    "hp:tab",
    "hp:lineBreak",
    "hp:nbSpace",
    "hp:tbl",
    "hp:tr",
    "hp:tc",
    "hp:cellAddr colAddr='1'",
    "hp:cellAddr colAddr='4000000000'",
    "hp:cellSpan colSpan='2'",
    "hp:cellSpan colSpan='4000000000'",
    "hp:subList",
    "hp:caption side='TOP'",
    "hp:caption",
    "hp:rect",
    "hp:drawText",
    "hp:pic",
    "hp:ctrl",
    "hp:fieldBegin type='HYPERLINK'",
    "hp:fieldBegin type='MEMO'",
    "hp:fieldBegin",
    "hp:fieldEnd",
    "hp:parameters",
    "hp:stringParam name='Command'",
    "hp:stringParam name='Path'",
    "hp:footNote",
    "hp:endNote",
    "hp:header",
    "hp:hiddenComment",
    "hp:deleteBegin",
    "hp:deleteEnd",
    "hp:autoNum num='3' numType='TABLE'",
    "hp:equation",
    "hp:script",
    "hp:dutmal",
    "hp:mainText",
    "hp:subText",
    "hp:compose composeText='12'",
    "hp:switch",
    "hp:textart text='a'",
    "hp:checkBtn value='CHECKED' caption='a'",
    "hp:secPr outlineShapeIDRef='2'",
];

fn write_seeds() {
    let body = [
        hwpx_paragraph(2, "설정"),
        hwpx_paragraph(1, "# no heading"),
        hwpx_paragraph(4, "하나"),
        hwpx_paragraph(5, "first"),
        "<hp:p><hp:run><hp:tbl><hp:tr><hp:tc><hp:p><hp:run><hp:t>a</hp:t></hp:run></hp:p></hp:tc><hp:tc/></hp:tr></hp:tbl></hp:run></hp:p>".to_owned(),
    ]
    .concat();
    let section = format!("<hs:sec>{body}</hs:sec>");
    let header = format!("<hh:head>{HWPX_HEADER}</hh:head>");
    let parts = [section.as_str(), &section, &header, MANIFEST];
    seeds::write([
        office::from_file(&named("notice.hwpx")),
        office::from_parts(&parts),
        vec![
            2, 0, 1, 5, 6, 0xC0, 0xC5, 80, 80, 80, 10, 11, 12, 2, 5, 6, 0xC0,
        ],
    ]);
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let file = office::package(data, &PARTS, &TAGS);
    let Ok(text) = extract(Format::Hwpx, file.clone(), &LIMITS) else {
        return;
    };
    assert!(text.len() <= LIMITS.text_bytes);
    // A truncated text may end within a line that has another meaning.
    if text.len() < LIMITS.text_bytes - 1024 {
        markdown::check(&text);
    }
    // Damage behind the beginning is not found by reading the beginning.
    if text.starts_with("Damaged: ") {
        return;
    }
    let limits = Limits {
        text_bytes: BEGINNING,
        ..LIMITS
    };
    if let Ok(beginning) = extract(Format::Hwpx, file, &limits) {
        markdown::check_beginning(&beginning, &text, BEGINNING);
    }
});
