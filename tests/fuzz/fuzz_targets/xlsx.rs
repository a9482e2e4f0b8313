//! Workbooks: reading any file ends with Markdown of headings and tables within the limit, or with
//! an error.
#![no_main]

use docent_extract::fixtures::{CELL_STYLES, Xlsx, named};
use docent_extract::{Beyond, Format, Limits, extract};
use docent_fuzz::{markdown, office, seeds};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits {
    text_bytes: 1 << 18,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::LeaveOut,
};

const PARTS: [&str; 6] = [
    "xl/worksheets/sheet.xml",
    "xl/styles.xml",
    "xl/sharedStrings.xml",
    "xl/workbook.xml",
    "xl/_rels/workbook.xml.rels",
    "_rels/.rels",
];

const WORKBOOK: &str = r#"<workbook><sheets><sheet name="one" r:id="w"/><sheet name="two" r:id="w"/></sheets></workbook>"#;

const RELATIONSHIPS: &str = r#"<Relationships><Relationship Id="w" Type="/worksheet" Target="worksheets/sheet.xml"/><Relationship Id="s" Type="/styles" Target="styles.xml"/><Relationship Id="t" Type="/sharedStrings" Target="sharedStrings.xml"/></Relationships>"#;

const TAGS: [&str; 26] = [
    "sheetData",
    "row",
    "row r='7'",
    "c",
    "c r='B7'",
    "c t='s'",
    "c t='inlineStr'",
    "c t='b'",
    "c t='str'",
    "c s='1'",
    "c s='2'",
    "v",
    "f",
    "is",
    "t",
    "rPh",
    "si",
    "mergeCells",
    "numFmts",
    "numFmt numFmtId='164' formatCode='0.00%'",
    "cellXfs",
    "xf numFmtId='164'",
    "xf numFmtId='14'",
    "xf numFmtId='22'",
    "xf numFmtId='46'",
    "workbook",
];

fn write_seeds() {
    let rows = r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c t="inlineStr"><is><t>a | b</t></is></c></row>
        <row r="2"><c r="A2" s="1"><v>46346</v></c><c r="B2" s="3"><v>0.25</v></c><c t="b"><v>1</v></c></row>
        <row r="9"><c r="XFD9" s="2"><f>SUM(A1)</f><v>46346.75</v></c><c t="e"><v>#DIV/0!</v></c></row>"#;
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let styles = format!("<styleSheet>{CELL_STYLES}</styleSheet>");
    let strings = "<sst><si><t>설정</t></si><si><r><t>rich</t></r><rPh><t>no</t></rPh></si></sst>";
    let bytes = [2, 0, 1, 3, 11, 0xC8, 80, 80, 80, 2, 5, 11, 0xC8];
    seeds::write([
        office::from_file(&named("sales.xlsx")),
        office::from_file(&Xlsx::default().with("s", rows).file()),
        office::from_parts(&[&sheet, &styles, strings, WORKBOOK, RELATIONSHIPS]),
        bytes.to_vec(),
    ]);
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let file = office::package(data, &PARTS, &TAGS);
    let Ok(text) = extract(Format::Xlsx, file.clone(), &LIMITS) else {
        return;
    };
    assert!(text.len() <= LIMITS.text_bytes);
    if text.len() >= LIMITS.text_bytes - 1024 {
        return;
    }
    markdown::check(&text);
    // A limit that is slightly above the length of the text gives the same text, or an error for a
    // document that is too large, because blanks that are not shown count as well.
    let limits = Limits {
        text_bytes: text.len() + 1024,
        beyond: Beyond::Refuse,
        ..LIMITS
    };
    if let Ok(again) = extract(Format::Xlsx, file, &limits) {
        assert_eq!(again, text);
    }
});
