//! Tests of presentations, from the bytes of the file to Markdown.

use crate::damage::check_cuts;
use crate::pptx_charts::{connection, point};
use docent_extract::fixtures::{
    Pptx, Slide, frame, line, named, package, placeholder, relationships, text_box,
};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

fn text(presentation: &Pptx) -> Result<String, Failure> {
    extract(Format::Pptx, presentation.file(), &LIMITS)
}

fn slide(shapes: &str) -> String {
    text(&Pptx::new(&[Slide::new(shapes)])).expect("it can be read")
}

fn failure(file: Vec<u8>) -> Option<Failure> {
    extract(Format::Pptx, file, &LIMITS).err()
}

/// Returns the content of a picture with an alternative text.
fn picture(description: &str) -> String {
    format!(
        r#"<p:pic><p:nvPicPr><p:cNvPr id="5" name="Picture 4" descr="{description}"/></p:nvPicPr><p:blipFill><a:blip r:embed="i"/></p:blipFill></p:pic>"#
    )
}

#[test]
fn slides_in_their_order_with_titles_and_notes() {
    assert_eq!(
        extract(Format::Pptx, named("deck.pptx"), &LIMITS).as_deref(),
        Ok("## Slide 1: 운영 안내\n\n## Slide 2: 설정\n\n\
            - 포트를 정한다.\n    - The port is open.\n\n### Notes\n\n천천히 말한다.\n")
    );
}

#[test]
fn the_title_comes_first_wherever_it_is() {
    let shapes = [
        text_box(&line(0, "before")),
        format!(
            "<p:grpSp>{}</p:grpSp>",
            placeholder(
                "title",
                0,
                "<a:p><a:r><a:t>One</a:t></a:r><a:br/><a:r><a:t>two</a:t></a:r></a:p>"
            )
        ),
        placeholder("title", 0, &line(0, "another")),
    ];
    assert_eq!(
        slide(&shapes.concat()),
        "## Slide 1: One two\n\nbefore\n\nanother\n"
    );
    assert_eq!(slide(&placeholder("title", 0, "<a:p/>")), "## Slide 1\n");
}

#[test]
fn hidden_slides_are_marked() {
    let hidden = |shapes: &str| Slide {
        is_hidden: true,
        ..Slide::new(shapes)
    };
    let slides = [
        hidden(&placeholder("title", 0, &line(0, "Backup"))),
        hidden(""),
    ];
    assert_eq!(
        text(&Pptx::new(&slides)).as_deref(),
        Ok("## Slide 1: Backup (hidden)\n\n## Slide 2 (hidden)\n")
    );
}

#[test]
fn numbers_dates_and_footers_are_left_out() {
    let all = ["sldNum", "dt", "ftr", "hdr"].map(|kind| placeholder(kind, 9, &line(0, kind)));
    let number =
        r#"<a:p><a:r><a:t>Page </a:t></a:r><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p>"#;
    let date =
        r#"<a:p><a:fld type="datetime1"><a:rPr/><a:pPr/><a:t>2026-11-28</a:t></a:fld></a:p>"#;
    let shapes = [all.concat(), text_box(number), text_box(date)].concat();
    let mut noted = Slide::new(&shapes);
    noted.notes = all.concat();
    assert_eq!(
        text(&Pptx::new(&[noted])).as_deref(),
        Ok("## Slide 1\n\nPage\n\n2026-11-28\n")
    );
}

#[test]
fn lists_inherit_their_marks() {
    let paragraph = |properties: &str, text: &str| {
        format!("<a:p><a:pPr {properties}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>")
    };
    let body = [
        line(0, "from the master"),
        line(1, "from the layout"),
        paragraph("><a:buNone/>", "none"),
        paragraph(
            r#"><a:buAutoNum type="arabicPeriod" startAt="3"/>"#,
            "third",
        ),
        paragraph("><a:buAutoNum type=\"arabicPeriod\"/>", ""),
        paragraph(r#"lvl="1"><a:buChar char="-"/>"#, "inner"),
        paragraph(
            r#"><a:buAutoNum type="arabicPeriod" startAt="3"/>"#,
            "fourth",
        ),
        line(99, "deep"),
    ];
    let own = r#"<p:sp><p:txBody><a:lstStyle><a:lvl1pPr><a:buBlip><a:blip r:embed="i"/></a:buBlip></a:lvl1pPr></a:lstStyle><a:p><a:r><a:t>own</a:t></a:r></a:p></p:txBody></p:sp>"#;
    let shapes = [
        placeholder("body", 1, &body.concat()),
        placeholder("subTitle", 2, &line(0, "no item")),
        text_box(&line(0, "plain")),
        own.to_owned(),
    ];
    let mut presentation = Pptx::new(&[Slide::new(&shapes.concat())]);
    presentation.layout = [
        (
            1,
            r#"<a:lvl2pPr><a:buAutoNum type="alphaLcPeriod"/></a:lvl2pPr>"#,
        ),
        (2, "<a:lvl1pPr><a:buNone/></a:lvl1pPr>"),
    ]
    .map(|(index, marks)| {
        placeholder("body", index, &line(0, "Click to edit")).replace(
            "<a:lstStyle/>",
            &format!("<a:lstStyle>{marks}</a:lstStyle>"),
        )
    })
    .concat();
    presentation.master = r#"<p:txStyles><p:titleStyle/><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr></p:bodyStyle></p:txStyles>"#.to_owned();
    assert_eq!(
        text(&presentation).as_deref(),
        Ok(
            "## Slide 1\n\n- from the master\n    1. from the layout\n\nnone\n\n\
            3. third\n    - inner\n4. fourth\n\ndeep\n\nno item\n\nplain\n\n- own\n"
        )
    );
}

#[test]
fn tables_with_merged_cells() {
    let cell = |attributes: &str, content: &str| {
        format!("<a:tc {attributes}><a:txBody>{content}</a:txBody></a:tc>")
    };
    let rows = [
        [
            cell(r#"gridSpan="2""#, &line(0, "head")),
            cell(r#"hMerge="1""#, "<a:p/>"),
        ],
        [
            cell("", &[line(0, "a | b"), line(0, "c")].concat()),
            cell(
                "",
                r#"<a:p><a:pPr><a:buChar char="•"/></a:pPr><a:r><a:t>d</a:t></a:r></a:p>"#,
            ),
        ],
    ];
    let rows = rows.map(|row| {
        format!(
            r#"<a:tr>{}<a:extLst><a:ext/></a:extLst></a:tr>"#,
            row.concat()
        )
    });
    let one = format!(
        "<a:tbl><a:tr>{}</a:tr></a:tbl>",
        cell("", &line(0, "alone"))
    );
    let table = format!("<a:tbl><a:tblPr/><a:tblGrid/>{}</a:tbl>", rows.concat());
    assert_eq!(
        slide(&[frame(&table), frame(&one)].concat()),
        "## Slide 1\n\n| head |  |\n| --- | --- |\n| a \\| b<br>c | - d |\n\n| alone |\n| --- |\n"
    );
}

#[test]
fn groups_alternatives_and_unknown_shapes() {
    let inner = format!(
        "<p:grpSp><p:grpSp>{}</p:grpSp></p:grpSp>",
        text_box(&line(0, "grouped"))
    );
    let alternatives = format!(
        "<mc:AlternateContent><mc:Choice Requires=\"x\">{}</mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>",
        text_box(&line(0, "new")),
        text_box(&line(0, "old"))
    );
    let empty = format!(
        "<mc:AlternateContent><mc:Choice Requires=\"x\"><p:ink/></mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>",
        picture("a drawing by hand")
    );
    let unknown = format!(
        "<x:shape><x:inside>{}</x:inside></x:shape>",
        text_box(&line(0, "unknown"))
    );
    let connector =
        "<p:cxnSp><p:txBody><a:p><a:r><a:t>on a line</a:t></a:r></a:p></p:txBody></p:cxnSp>";
    assert_eq!(
        slide(&[&inner, &alternatives, &empty, &unknown, connector].concat()),
        "## Slide 1\n\ngrouped\n\nnew\n\n[Picture: a drawing by hand]\n\nunknown\n\non a line\n\nLeft out: 1 picture.\n"
    );
}

#[test]
fn pictures_are_counted_and_described() {
    let sound = picture("").replace(
        "</p:nvPicPr>",
        r#"<p:nvPr><a:audioFile r:link="a"/></p:nvPr></p:nvPicPr>"#,
    );
    let object = frame(
        r#"<mc:AlternateContent><mc:Choice><p:oleObj progId="Excel.Sheet.12"/></mc:Choice><mc:Fallback><p:oleObj><p:pic/></p:oleObj></mc:Fallback></mc:AlternateContent>"#,
    );
    let shapes = [
        picture("A  red&#10;car"),
        picture("IMG_1.JPG"),
        picture(""),
        sound,
        object,
    ];
    assert_eq!(
        slide(&shapes.concat()),
        "## Slide 1\n\n[Picture: A red car]\n\nLeft out: 3 pictures, 1 video or sound, 1 embedded object.\n"
    );
}

#[test]
fn runs_links_symbols_and_equations() {
    let run = |properties: &str, text: &str| {
        format!("<a:r><a:rPr {properties}</a:rPr><a:t>{text}</a:t></a:r>")
    };
    let link = |id: &str| format!(r#"><a:hlinkClick r:id="{id}"/>"#);
    let paragraph = [
        run(&link("web"), "two "),
        run(&link("web"), "runs "),
        run(">", "after"),
        run(&link("file"), " [file]"),
        run(&link("inside"), " slide"),
        run(r#"><a:sym typeface="Wingdings"/>"#, " à x"),
        run(r#"><a:latin typeface="Symbol"/>"#, " b"),
        run(r#"baseline="30000">"#, "2"),
        run(r#"baseline="0">"#, "3"),
    ];
    let equation = r#"<a:p><mc:AlternateContent><mc:Choice Requires="a14"><a14:m><m:oMath><m:r><m:t>x=</m:t></m:r><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num></m:f></m:oMath></a14:m></mc:Choice><mc:Fallback><a:r><a:t>picture</a:t></a:r></mc:Fallback></mc:AlternateContent><a:r><a:t> is it</a:t></a:r></a:p>"#;
    let linked = text_box(&line(0, "button")).replace(
        "name=\"TextBox 2\"/>",
        "name=\"b\"><a:hlinkClick r:id=\"web\"/></p:cNvPr>",
    );
    let shapes = [
        text_box(&format!("<a:p>{}</a:p>", paragraph.concat())),
        text_box(equation),
        linked,
    ];
    let mut slide = Slide::new(&shapes.concat());
    slide.related = vec![
        ("web", "hyperlink", "https://example.org/a b"),
        ("file", "hyperlink", "file://offer.docx"),
        ("inside", "slide", "slide2.xml"),
    ];
    assert_eq!(
        text(&Pptx::new(&[slide])).as_deref(),
        Ok(
            "## Slide 1\n\n[two runs](https://example.org/a%20b) after [\\[file\\]](file://offer.docx) slide 🡪 x β²3\n\n\
            x=1 is it\n\n[button](https://example.org/a%20b)\n"
        )
    );
}

#[test]
fn comments_are_counted() {
    let mut slide = Slide::new("");
    slide.related = vec![("c", "comments", "../comments/comment1.xml")];
    let mut presentation = Pptx::new(&[slide]);
    let comments = "<p:cmLst><p:cm><p:text>no</p:text><p188:replyLst><p188:reply/></p188:replyLst></p:cm></p:cmLst>";
    presentation.parts = vec![("comments/comment1.xml", comments.to_owned())];
    assert_eq!(
        text(&presentation).as_deref(),
        Ok("## Slide 1\n\nLeft out: 2 comments.\n")
    );
}

#[test]
fn a_damaged_slide_keeps_the_others_and_its_beginning() {
    let bad = format!("{}</p:nothing>", text_box(&line(0, "beginning")));
    let slides = [Slide::new(&text_box(&line(0, "good"))), Slide::new(&bad)];
    assert_eq!(
        text(&Pptx::new(&slides)).as_deref(),
        Ok("## Slide 1\n\ngood\n\n## Slide 2\n\nbeginning\n\nLeft out: 1 damaged part.\n")
    );
    assert_eq!(
        text(&Pptx::new(&[Slide::new("</a>")])),
        Err(Failure::Malformed)
    );
    assert_eq!(text(&Pptx::default()).as_deref(), Ok(""));
}

#[test]
fn a_slide_is_read_once() {
    let list = r#"<p:sldId id="256" r:id="s"/>"#.repeat(1000);
    let main = format!("<p:presentation><p:sldIdLst>{list}</p:sldIdLst></p:presentation>");
    let file = package(&[
        (
            "_rels/.rels",
            &relationships(&[("r", "officeDocument", "ppt/presentation.xml")]),
        ),
        ("ppt/presentation.xml", &main),
        (
            "ppt/_rels/presentation.xml.rels",
            &relationships(&[("s", "slide", "a.xml")]),
        ),
        (
            "ppt/a.xml",
            "<p:sld><p:txBody><a:p><a:r><a:t>once</a:t></a:r></a:p></p:txBody></p:sld>",
        ),
    ]);
    assert_eq!(
        extract(Format::Pptx, file, &LIMITS).as_deref(),
        Ok("## Slide 1\n\nonce\n")
    );
}

#[test]
fn other_packages_are_malformed() {
    let relations = relationships(&[("r", "officeDocument", "ppt/presentation.xml")]);
    for main in ["<document><body/></document>", "", "<p:presentation>"] {
        let file = package(&[("_rels/.rels", &relations), ("ppt/presentation.xml", main)]);
        assert_eq!(failure(file), Some(Failure::Malformed), "{main}");
    }
    assert_eq!(failure(package(&[])), Some(Failure::Malformed));
    assert_eq!(failure(named("guide.docx")), Some(Failure::Malformed));
}

#[test]
fn truncated_files() {
    check_cuts(Format::Pptx, &named("deck.pptx"));
}

#[test]
fn the_text_has_a_limit() {
    let lines = line(0, "words").repeat(100);
    let table = format!(
        "<a:tbl><a:tr>{}</a:tr></a:tbl>",
        "<a:tc><a:txBody><a:p><a:r><a:t>cell</a:t></a:r></a:p></a:txBody></a:tc>".repeat(100)
    );
    let shapes = [
        text_box(&lines),
        frame(&table),
        text_box(&line(0, &"long".repeat(1000))),
    ];
    let file = Pptx::new(&[Slide::new(&shapes.concat())]).file();
    let whole = extract(Format::Pptx, file.clone(), &LIMITS).expect("it can be read");
    for text_bytes in (0..whole.len()).step_by(7) {
        let limits = |beyond| Limits {
            text_bytes,
            beyond,
            ..LIMITS
        };
        let refused = extract(Format::Pptx, file.clone(), &limits(Beyond::Refuse));
        assert_eq!(refused, Err(Failure::TooLarge), "{text_bytes}");
        let beginning =
            extract(Format::Pptx, file.clone(), &limits(Beyond::LeaveOut)).expect("a beginning");
        assert!(
            beginning.len() <= text_bytes && whole.starts_with(&beginning),
            "{text_bytes}"
        );
    }
}

/// Returns the failure of a slide with a link `l`, a chart `c` whose series have
/// values at different indexes, and a diagram `d` that is a chain of points.
fn bomb(shapes: &str) -> Option<Failure> {
    let limits = Limits {
        text_bytes: 1 << 16,
        ..LIMITS
    };
    let mut slide = Slide::new(shapes);
    slide.related = vec![
        ("l", "hyperlink", "https://example.org/a-long-address"),
        ("c", "chart", "../chart.xml"),
        ("d", "diagramData", "../data.xml"),
    ];
    let mut presentation = Pptx::new(&[slide]);
    let series = (0..2000).map(|index| {
        format!(r#"<c:ser><c:val><c:pt idx="{index}"><c:v>1</c:v></c:pt></c:val></c:ser>"#)
    });
    let points = (0..20_000).map(|id| point(&id.to_string(), "", "x"));
    let chain = (0..20_000).map(|id: u32| connection(&id.to_string(), &(id + 1).to_string(), 0));
    let series: String = series.collect();
    let data: String = points.chain(chain).collect();
    presentation.parts = vec![
        ("chart.xml", format!("<c:chart>{series}</c:chart>")),
        ("data.xml", format!("<dgm:dataModel>{data}</dgm:dataModel>")),
    ];
    extract(Format::Pptx, presentation.file(), &limits).err()
}

#[test]
fn bombs_end_early() {
    let link =
        r#"<a:r><a:rPr><a:hlinkClick r:id="l"/></a:rPr><a:t>x</a:t></a:r><a:r><a:t>y</a:t></a:r>"#;
    let cells = "<a:tc/>".repeat(5000);
    let word = "<a:tc><a:p><a:r><a:t>x</a:t></a:r></a:p></a:tc>";
    let rows = "<a:tr/>".repeat(5000);
    for shapes in [
        text_box(&line(0, &"x".repeat(1 << 20))),
        text_box(&format!("<a:p>{}</a:p>", link.repeat(5000))),
        frame(&format!("<a:tbl><a:tr>{word}{cells}</a:tr>{rows}</a:tbl>")),
        frame(r#"<c:chart r:id="c"/>"#),
        frame(r#"<dgm:relIds r:dm="d"/>"#),
    ] {
        let start = &shapes[..shapes.len().min(300)];
        assert_eq!(bomb(&shapes), Some(Failure::TooLarge), "{start}");
    }
}

#[test]
fn blocks_have_a_limit() {
    let rows = "<a:tr/>".repeat(1 << 19);
    let shapes = [
        text_box(&line(0, "before")),
        frame(&format!("<a:tbl>{rows}</a:tbl>")),
    ];
    assert_eq!(
        slide(&shapes.concat()),
        "## Slide 1\n\nbefore\n\nLeft out: 1 damaged part.\n"
    );
}

#[test]
fn elements_nested_without_end_and_entities() {
    assert_eq!(bomb(&"<p:grpSp>".repeat(10_000)), Some(Failure::Malformed));
    let entity = r#"<!DOCTYPE a [<!ENTITY b "x">]>&b;"#;
    assert_eq!(bomb(entity), Some(Failure::Malformed));
}
