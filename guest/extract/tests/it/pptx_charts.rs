//! Tests of the charts and diagrams of presentations.

use docent_extract::fixtures::{Pptx, Slide, frame, line, relationships, text_box};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

fn text(presentation: &Pptx) -> Result<String, Failure> {
    extract(Format::Pptx, presentation.file(), &LIMITS)
}

/// Returns the text of a slide with a chart of this XML.
fn chart(xml: &str) -> Result<String, Failure> {
    let mut slide = Slide::new(&frame(r#"<c:chart r:id="c"/>"#).repeat(2));
    slide.related = vec![("c", "chart", "../charts/chart1.xml")];
    let mut presentation = Pptx::new(&[slide]);
    let part = format!("<c:chartSpace><c:chart>{xml}</c:chart></c:chartSpace>");
    presentation.parts = vec![("charts/chart1.xml", part)];
    text(&presentation)
}

/// Returns points with these texts.
fn points(texts: &[&str]) -> String {
    let point =
        |(index, text): (usize, &&str)| format!(r#"<c:pt idx="{index}"><c:v>{text}</c:v></c:pt>"#);
    texts.iter().enumerate().map(point).collect()
}

#[test]
fn a_chart_is_a_table_of_categories_by_series() {
    let series = |name: &str, values: &[&str]| {
        format!(
            "<c:ser><c:tx><c:strRef><c:f>S!A1</c:f><c:strCache>{}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>{}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>S!B1</c:f><c:numCache><c:formatCode>0%</c:formatCode>{}</c:numCache></c:numRef></c:val></c:ser>",
            points(&[name]),
            points(&["Q1", "Q2", "Q3"]),
            points(values)
        )
    };
    let title =
        r#"<c:title><c:tx><c:rich><a:p><a:r><a:t>매출</a:t></a:r></a:p></c:rich></c:tx></c:title>"#;
    let axis = r#"<c:catAx><c:title><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>분기</c:v></c:pt></c:strCache></c:strRef></c:tx></c:title></c:catAx>"#;
    let xml = [
        title,
        "<c:plotArea><c:barChart>",
        &series("동", &["0.25", "0.30000000000000004"]),
        &series("서", &["1", "2", "3"]),
        "</c:barChart>",
        axis,
        "</c:plotArea>",
    ];
    assert_eq!(
        chart(&xml.concat()).as_deref(),
        Ok(
            "## Slide 1\n\n매출\n\n분기\n\n|  | 동 | 서 |\n| --- | --- | --- |\n\
            | Q1 | 0.25 | 1 |\n| Q2 | 0.3 | 2 |\n| Q3 |  | 3 |\n"
        )
    );
}

#[test]
fn charts_with_dates_levels_points_and_labels() {
    let dates = r#"<c:ser><c:tx><c:v>a</c:v></c:tx><c:cat><c:numRef><c:numCache><c:formatCode>m/d/yyyy</c:formatCode><c:pt idx="1"><c:v>46346</c:v></c:pt></c:numCache></c:numRef></c:cat><c:val><c:numLit><c:pt idx="1"><c:v>5</c:v></c:pt></c:numLit></c:val></c:ser>"#;
    let levels = r#"<c:ser><c:tx><c:v>b</c:v></c:tx><c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl><c:pt idx="0"><c:v>Jan</c:v></c:pt><c:pt idx="1"><c:v>Feb</c:v></c:pt></c:lvl><c:lvl><c:pt idx="0"><c:v>2026</c:v></c:pt></c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat><c:val><c:numCache><c:pt idx="1"><c:v>7</c:v></c:pt></c:numCache></c:val></c:ser>"#;
    let bubbles = r#"<c:ser><c:tx><c:v>c</c:v></c:tx><c:dLbls><c:dLbl><c:tx><c:rich><a:p><a:fld type="CELLRANGE"><a:t>[CELLRANGE]</a:t></a:fld><a:r><a:t>peak</a:t></a:r></a:p></c:rich></c:tx></c:dLbl></c:dLbls><c:trendline><c:name>trend</c:name></c:trendline><c:xVal><c:numLit><c:pt idx="0"><c:v>1</c:v></c:pt></c:numLit></c:xVal><c:yVal><c:numLit><c:pt idx="0"><c:v>2</c:v></c:pt></c:numLit></c:yVal><c:bubbleSize><c:numLit><c:pt idx="0"><c:v>3</c:v></c:pt></c:numLit></c:bubbleSize><c:extLst><c:ext><c15:filteredSeriesTitle><c15:tx><c:v>no</c:v></c15:tx></c15:filteredSeriesTitle><c15:datalabelsRange><c15:f>A1</c15:f><c15:dlblRangeCache><c:pt idx="0"><c:v>top</c:v></c:pt></c15:dlblRangeCache></c15:datalabelsRange></c:ext></c:extLst></c:ser>"#;
    let bare = r#"<c:ser><c:val><c:numLit><c:pt idx="0"><c:v>8</c:v></c:pt><c:pt idx="4294967295"><c:v>9</c:v></c:pt></c:numLit></c:val></c:ser>"#;
    assert_eq!(
        chart(&[dates, levels, bubbles, bare].concat()).as_deref(),
        Ok(
            "## Slide 1\n\n|  | a |\n| --- | --- |\n| 2026-11-20 | 5 |\n\n\
            |  |  | b |\n| --- | --- | --- |\n| 2026 | Jan |  |\n|  | Feb | 7 |\n\n\
            |  | c | size | label |\n| --- | --- | --- | --- |\n| 1 | 2 | 3 | top |\n\n\
            |  |  |\n| --- | --- |\n| 1 | 8 |\n| 4294967296 | 9 |\n\npeak\n\ntrend\n"
        )
    );
}

#[test]
fn charts_of_the_later_schema() {
    let xml = r#"<cx:chartSpace><cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:f>A</cx:f><cx:lvl><cx:pt idx="0">North</cx:pt><cx:pt idx="1">South</cx:pt></cx:lvl></cx:strDim><cx:numDim type="size"><cx:lvl formatCode="m/d/yy"><cx:pt idx="0">46346</cx:pt><cx:pt idx="1">x</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart><cx:title><cx:tx><cx:txData><cx:v>Funnel</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion><cx:series layoutId="funnel"><cx:tx><cx:txData><cx:f>B</cx:f><cx:v>Sales</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>"#;
    let alternatives = format!(
        r#"<mc:AlternateContent><mc:Choice Requires="cx1">{}</mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>"#,
        frame(r#"<cx:chart r:id="c"/>"#),
        text_box(&line(0, "This chart is not available."))
    );
    let mut slide = Slide::new(&alternatives);
    slide.related = vec![("c", "chartEx", "../charts/chartEx1.xml")];
    let mut presentation = Pptx::new(&[slide]);
    presentation.parts = vec![("charts/chartEx1.xml", xml.to_owned())];
    assert_eq!(
        text(&presentation).as_deref(),
        Ok(
            "## Slide 1\n\nFunnel\n\n|  | Sales |\n| --- | --- |\n| North | 2026-11-20 |\n| South | x |\n"
        )
    );
}

#[test]
fn a_chart_without_data_is_counted() {
    assert_eq!(
        chart("").as_deref(),
        Ok("## Slide 1\n\nLeft out: 1 chart.\n")
    );
    let missing = Pptx::new(&[Slide::new(&frame(r#"<c:chart r:id="none"/>"#))]);
    assert_eq!(
        text(&missing).as_deref(),
        Ok("## Slide 1\n\nLeft out: 1 chart.\n")
    );
}

#[test]
fn texts_drawn_on_a_chart() {
    let mut slide = Slide::new(&frame(r#"<c:chart r:id="c"/>"#));
    slide.related = vec![("c", "chart", "../charts/chart1.xml")];
    let mut presentation = Pptx::new(&[slide]);
    let drawing = "<c:userShapes><cdr:sp><cdr:txBody><a:p><a:r><a:t>drawn</a:t></a:r></a:p></cdr:txBody></cdr:sp></c:userShapes>";
    presentation.parts = vec![
        (
            "charts/chart1.xml",
            "<c:chartSpace><c:title><c:tx><c:v>t</c:v></c:tx></c:title></c:chartSpace>".to_owned(),
        ),
        (
            "charts/_rels/chart1.xml.rels",
            relationships(&[("u", "chartUserShapes", "../drawings/drawing1.xml")]),
        ),
        ("drawings/drawing1.xml", drawing.to_owned()),
    ];
    assert_eq!(
        text(&presentation).as_deref(),
        Ok("## Slide 1\n\nt\n\ndrawn\n")
    );
}

/// Returns the text of a slide with a diagram of this XML.
fn diagram(xml: &str) -> Result<String, Failure> {
    let mut slide = Slide::new(&frame(r#"<dgm:relIds r:dm="d" r:lo="x"/>"#));
    slide.related = vec![
        ("d", "diagramData", "../diagrams/data1.xml"),
        ("drawn", "diagramDrawing", "../diagrams/drawing1.xml"),
    ];
    let mut presentation = Pptx::new(&[slide]);
    let drawing = "<dsp:drawing><dsp:spTree><dsp:sp><dsp:txBody><a:p><a:r><a:t>drawn</a:t></a:r></a:p></dsp:txBody></dsp:sp></dsp:spTree></dsp:drawing>";
    presentation.parts = vec![
        (
            "diagrams/data1.xml",
            format!("<dgm:dataModel>{xml}</dgm:dataModel>"),
        ),
        ("diagrams/drawing1.xml", drawing.to_owned()),
    ];
    text(&presentation)
}

/// Returns a point of a diagram.
pub fn point(id: &str, kind: &str, text: &str) -> String {
    format!(
        r#"<dgm:pt modelId="{id}"{kind}><dgm:prSet/><dgm:t><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>"#
    )
}

/// Returns a connection of two points of a diagram.
pub fn connection(parent: &str, child: &str, position: u32) -> String {
    format!(r#"<dgm:cxn modelId="c" srcId="{parent}" destId="{child}" srcOrd="{position}"/>"#)
}

#[test]
fn a_diagram_is_a_list() {
    let xml = [
        point("b", "", "second"),
        point("a", "", "first"),
        point("inner", "", "inner"),
        point("arrow", r#" type="sibTrans""#, "arrow"),
        point("p", r#" type="pres""#, "first"),
        point("root", r#" type="doc""#, ""),
        connection("root", "b", 1),
        connection("root", "a", 0),
        connection("a", "inner", 0),
        connection("inner", "a", 0),
        connection("a", "none", 0),
        r#"<dgm:cxn type="presOf" srcId="b" destId="arrow"/>"#.to_owned(),
    ];
    assert_eq!(
        diagram(&xml.concat()).as_deref(),
        Ok("## Slide 1\n\n- first\n    - inner\n- second\n- arrow\n")
    );
}

#[test]
fn a_diagram_without_points_is_read_from_its_drawing() {
    let xml = r#"<dgm:extLst><a:ext><dsp:dataModelExt relId="drawn"/></a:ext></dgm:extLst>"#;
    assert_eq!(diagram(xml).as_deref(), Ok("## Slide 1\n\ndrawn\n"));
}
