//! Text documents: reading any file ends with Markdown of the document's structure within the
//! limit, or with an error.
#![no_main]

use docent_extract::fixtures::{Docx, NUMBERING, STYLES, item, named, paragraph, styled};
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

const PARTS: [&str; 6] = [
    "word/document.xml",
    "word/styles.xml",
    "word/numbering.xml",
    "word/footnotes.xml",
    "word/_rels/document.xml.rels",
    "_rels/.rels",
];

const RELATIONSHIPS: &str = r#"<Relationships><Relationship Id="s" Type="/styles" Target="styles.xml"/><Relationship Id="n" Type="/numbering" Target="numbering.xml"/><Relationship Id="f" Type="/footnotes" Target="footnotes.xml"/><Relationship Id="l" Type="/hyperlink" Target="https://example.org" TargetMode="External"/></Relationships>"#;

const TAGS: [&str; 46] = [
    "w:body",
    "w:p",
    "w:r",
    "w:t",
    "w:pPr",
    "w:rPr",
    "w:tbl",
    "w:tr",
    "w:tc",
    "w:tcPr",
    "w:gridSpan w:val='2'",
    "w:gridSpan w:val='999999'",
    "w:pStyle w:val='1'",
    "w:pStyle w:val='a'",
    "w:outlineLvl w:val='2'",
    "w:outlineLvl w:val='9'",
    "w:numPr",
    "w:numId w:val='1'",
    "w:ilvl w:val='1'",
    "w:vanish",
    "w:vanish w:val='0'",
    "w:hyperlink r:id='l'",
    "mc:AlternateContent",
    "mc:Choice",
    "mc:Fallback",
    "w:txbxContent",
    "w:footnoteReference w:id='1'",
    "w:endnoteReference w:id='1'",
    "w:footnote w:id='1'",
    "w:tab",
    "w:br",
    "w:noBreakHyphen",
    "w:sym w:char='2192'",
    "w:sym w:char='0'",
    "w:del",
    "w:ins",
    "w:sdt",
    "w:rPrChange",
    "w:style w:styleId='1'",
    "w:basedOn w:val='1'",
    "w:name w:val='heading 1'",
    "w:abstractNum w:abstractNumId='0'",
    "w:lvl w:ilvl='0'",
    "w:numFmt w:val='decimal'",
    "w:lvlText w:val='%1.%2'",
    "w:num w:numId='1'",
];

fn write_seeds() {
    let body = [
        styled("a", "운영 안내서"),
        styled("1", "시작"),
        paragraph("# no heading"),
        item(1, 0, "하나"),
        item(2, 1, "first"),
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc/></w:tr></w:tbl>".to_owned(),
        r#"<w:p><w:hyperlink r:id="l"><w:r><w:t>link</w:t></w:r></w:hyperlink><w:r><w:footnoteReference w:id="1"/></w:r></w:p>"#.to_owned(),
    ]
    .concat();
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    let part = |name: &str, inside: &str| format!("<w:{name}>{inside}</w:{name}>");
    let parts = [
        document.as_str(),
        &part("styles", STYLES),
        &part("numbering", NUMBERING),
        &part(
            "footnotes",
            &format!(r#"<w:footnote w:id="1">{}</w:footnote>"#, paragraph("note")),
        ),
        RELATIONSHIPS,
    ];
    let bytes = [
        2, 0, 1, 4, 12, 80, 80, 2, 3, 0xC0, 0xC5, 80, 21, 2, 3, 0xC1, 0xC0,
    ];
    seeds::write([
        office::from_file(&named("guide.docx")),
        office::from_file(&Docx::new(&body).file()),
        office::from_parts(&parts),
        bytes.to_vec(),
    ]);
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let file = office::package(data, &PARTS, &TAGS);
    let Ok(text) = extract(Format::Docx, file.clone(), &LIMITS) else {
        return;
    };
    assert!(text.len() <= LIMITS.text_bytes);
    // A truncated text may end within a line that has another meaning.
    if text.len() < LIMITS.text_bytes - 1024 {
        markdown::check(&text);
    }
    let limits = Limits {
        text_bytes: BEGINNING,
        ..LIMITS
    };
    if let Ok(beginning) = extract(Format::Docx, file, &limits) {
        markdown::check_beginning(&beginning, &text, BEGINNING);
    }
});
