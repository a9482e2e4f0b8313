//! OpenDocument: reading any file ends with Markdown of the document's structure within the limit,
//! or with an error.
#![no_main]

use docent_extract::fixtures::{ODF_STYLES, Odf, named};
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
    "content.xml",
    "styles.xml",
    "Object 1/content.xml",
    "META-INF/manifest.xml",
];

const TAGS: [&str; 62] = [
    "office:document-content",
    "office:automatic-styles",
    "office:styles",
    "office:body",
    "office:text",
    "office:spreadsheet",
    "office:presentation",
    "text:p",
    "text:p text:style-name='Title'",
    "text:p text:style-name='P1'",
    "text:h text:outline-level='2'",
    "text:h text:restart-numbering='true' text:start-value='7'",
    "text:span text:style-name='T1'",
    "text:s text:c='9'",
    "text:s text:c='4000000000'",
    "text:tab",
    "text:line-break",
    "text:a xlink:href='https://example.org'",
    "text:a xlink:href='../b c'",
    "text:note",
    "text:note-body",
    "text:ruby-text",
    "text:number",
    "text:list text:style-name='L1'",
    "text:list text:style-name='L2' text:continue-numbering='true'",
    "text:list xml:id='i' text:continue-list='i'",
    "text:list-item",
    "text:list-item text:start-value='4294967295'",
    "text:list-header",
    "text:numbered-paragraph text:level='4' text:list-id='i'",
    "text:section",
    "text:section text:display='none'",
    "text:table-of-content",
    "text:tracked-changes",
    "text:deletion",
    "text:hidden-paragraph text:is-hidden='true'",
    "office:annotation",
    "table:table table:style-name='T1'",
    "table:table-column",
    "table:table-row",
    "table:table-row table:number-rows-repeated='4000000000'",
    "table:table-cell",
    "table:table-cell table:number-columns-repeated='3'",
    "table:table-cell table:number-columns-repeated='4000000000'",
    "table:table-cell office:value-type='date' office:date-value='2026-11-20'",
    "table:covered-table-cell",
    "table:shapes",
    "draw:page draw:name='결과'",
    "draw:frame",
    "draw:frame presentation:class='title'",
    "draw:text-box",
    "draw:image",
    "draw:object xlink:href='./Object 1'",
    "svg:desc",
    "presentation:notes",
    "math:math",
    "math:annotation",
    "style:style style:name='P1' style:family='paragraph' style:parent-style-name='P1'",
    "style:style style:name='T1' style:family='text'",
    "style:text-properties text:display='none'",
    "text:list-style style:name='L1'",
    "text:list-level-style-number text:level='2' style:num-format='1' text:display-levels='9'",
];

fn write_seeds() {
    let styles = format!(
        "<office:document-styles><office:styles>{ODF_STYLES}</office:styles></office:document-styles>"
    );
    let chart = "<document-content><body><chart><p>c</p></chart></body></document-content>";
    let document = Odf::text(
        r#"<text:h text:outline-level="1">h</text:h><text:list text:style-name="L1"><text:list-item><text:p>one</text:p></text:list-item></text:list><text:p>a<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>"#,
    );
    let bytes = [2, 0, 3, 4, 7, 0xC0, 0xC5, 80, 23, 26, 7, 0xC1, 0xC0];
    seeds::write([
        office::from_file(&named("report.odt")),
        office::from_file(&named("report.fodt")),
        office::from_file(&named("budget.ods")),
        office::from_file(&named("talk.odp")),
        office::from_parts(&[&document.content(), &styles, chart]),
        bytes.to_vec(),
    ]);
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let file = office::package(data, &PARTS, &TAGS);
    for format in [Format::Odt, Format::Ods, Format::Odp] {
        let Ok(text) = extract(format, file.clone(), &LIMITS) else {
            continue;
        };
        assert!(text.len() <= LIMITS.text_bytes);
        // A truncated text may end within a line that has another meaning.
        if text.len() < LIMITS.text_bytes - 1024 {
            markdown::check(&text);
        }
        // The number of columns of a sheet depends on all of its rows.
        if format == Format::Ods {
            continue;
        }
        let limits = Limits {
            text_bytes: BEGINNING,
            ..LIMITS
        };
        if let Ok(beginning) = extract(format, file.clone(), &limits) {
            markdown::check_beginning(&beginning, &text, BEGINNING);
        }
    }
});
