//! Presentations: reading any file ends with Markdown of headings, lists and tables within the
//! limit, or with an error.
#![no_main]

use docent_extract::fixtures::{Pptx, Slide, frame, line, named, placeholder, text_box};
use docent_extract::{Beyond, Format, Limits, extract};
use docent_fuzz::{markdown, office, seeds};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits {
    text_bytes: 1 << 18,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::LeaveOut,
};

const PARTS: [&str; 8] = [
    "ppt/slides/slide.xml",
    "ppt/chart.xml",
    "ppt/data.xml",
    "ppt/layout.xml",
    "ppt/presentation.xml",
    "ppt/slides/_rels/slide.xml.rels",
    "ppt/_rels/presentation.xml.rels",
    "_rels/.rels",
];

const PRESENTATION: &str =
    r#"<p:presentation><p:sldIdLst><p:sldId id="1" r:id="s"/></p:sldIdLst></p:presentation>"#;

const SLIDE_RELATIONSHIPS: &str = r#"<Relationships><Relationship Id="c" Type="/chart" Target="../chart.xml"/><Relationship Id="d" Type="/diagramData" Target="../data.xml"/><Relationship Id="n" Type="/notesSlide" Target="../data.xml"/><Relationship Id="m" Type="/slideLayout" Target="../layout.xml"/><Relationship Id="l" Type="/hyperlink" Target="https://example.org" TargetMode="External"/></Relationships>"#;

const RELATIONSHIPS: &str = r#"<Relationships><Relationship Id="s" Type="/slide" Target="slides/slide.xml"/></Relationships>"#;

const TAGS: [&str; 52] = [
    "p:sld",
    "p:sld show='0'",
    "p:sp",
    "p:grpSp",
    "p:graphicFrame",
    "p:pic",
    "p:cNvPr descr='words'",
    "p:ph type='title'",
    "p:ph idx='1'",
    "p:ph type='dt'",
    "p:txBody",
    "a:lstStyle",
    "a:lvl1pPr",
    "a:p",
    "a:pPr lvl='1'",
    "a:buNone",
    "a:buChar",
    "a:buAutoNum",
    "a:buAutoNum startAt='4294967295'",
    "a:r",
    "a:rPr",
    "a:rPr baseline='30000'",
    "a:hlinkClick r:id='l'",
    "a:sym typeface='Wingdings'",
    "a:t",
    "a:br",
    "a:fld type='slidenum'",
    "a:tbl",
    "a:tr",
    "a:tc",
    "mc:AlternateContent",
    "mc:Choice",
    "mc:Fallback",
    "p:oleObj",
    "c:chart r:id='c'",
    "dgm:relIds r:dm='d'",
    "c:title",
    "c:ser",
    "c:tx",
    "c:v",
    "c:cat",
    "c:val",
    "c:lvl",
    "c:pt idx='0'",
    "c:pt idx='4294967295'",
    "cx:data id='0'",
    "cx:dataId val='0'",
    "dgm:pt modelId='1'",
    "dgm:pt modelId='2'",
    "dgm:t",
    "dgm:cxn srcId='1' destId='2'",
    "dgm:cxn srcId='2' destId='1'",
];

fn write_seeds() {
    let shapes = [
        placeholder("title", 0, &line(0, "설정")),
        placeholder("body", 1, &[line(0, "하나"), line(1, "# two")].concat()),
        text_box(r#"<a:p><a:r><a:rPr><a:hlinkClick r:id="l"/></a:rPr><a:t>link</a:t></a:r></a:p>"#),
        frame("<a:tbl><a:tr><a:tc><a:p><a:r><a:t>a | b</a:t></a:r></a:p></a:tc><a:tc/></a:tr></a:tbl>"),
        frame(r#"<c:chart r:id="c"/>"#),
        frame(r#"<dgm:relIds r:dm="d"/>"#),
    ]
    .concat();
    let slide = format!("<p:sld>{shapes}</p:sld>");
    let chart = r#"<c:chart><c:title><c:tx><c:v>t</c:v></c:tx></c:title><c:ser><c:cat><c:pt idx="0"><c:v>Q1</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>1</c:v></c:pt></c:val></c:ser></c:chart>"#;
    let data = r#"<dgm:dataModel><dgm:pt modelId="1" type="doc"/><dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>first</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:cxn srcId="1" destId="2"/></dgm:dataModel>"#;
    let layout = r#"<p:sldLayout><p:sp><p:ph idx="1"/><a:lstStyle><a:lvl1pPr><a:buChar/></a:lvl1pPr></a:lstStyle></p:sp></p:sldLayout>"#;
    let bytes = [2, 0, 2, 10, 13, 19, 24, 0xC0, 0xC5, 80, 80, 80];
    seeds::write([
        office::from_file(&named("deck.pptx")),
        office::from_file(&Pptx::new(&[Slide::new(&shapes)]).file()),
        office::from_parts(&[
            &slide,
            chart,
            data,
            layout,
            PRESENTATION,
            SLIDE_RELATIONSHIPS,
            RELATIONSHIPS,
        ]),
        bytes.to_vec(),
    ]);
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let file = office::package(data, &PARTS, &TAGS);
    let Ok(text) = extract(Format::Pptx, file.clone(), &LIMITS) else {
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
    if let Ok(again) = extract(Format::Pptx, file, &limits) {
        assert_eq!(again, text);
    }
});
