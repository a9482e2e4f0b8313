//! Tests of workbooks, from the bytes of the file to Markdown.

use crate::damage::check_cuts;
use docent_extract::fixtures::{CELL_STYLES, Xlsx, package, relationships};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

fn text(workbook: &Xlsx) -> Result<String, Failure> {
    extract(Format::Xlsx, workbook.file(), &LIMITS)
}

fn row(number: u32, cells: &str) -> String {
    format!(r#"<row r="{number}">{cells}</row>"#)
}

#[test]
fn strings_numbers_dates_and_formulas() {
    let mut workbook = Xlsx::default().with(
        "매출 2026",
        &[
            row(1, r#"<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>합계 | 세금</t></is></c>"#),
            row(2, r#"<c r="A2" s="1"><v>46346</v></c><c r="B2"><v>0.30000000000000004</v></c><c r="C2"><f>B2*2</f><v>0.6</v></c>"#),
            row(3, r#"<c r="A3" s="2"><v>46346.75</v></c><c r="B3" s="3"><v>0.25</v></c><c r="C3"><f>SUM(B2:B3)</f></c>"#),
            row(4, r#"<c r="A4" s="4"><v>46346</v></c><c r="B4" t="b"><v>1</v></c><c r="C4" t="e"><v>#DIV/0!</v></c>"#),
            row(5, r#"<c r="A5" t="str"><f>A1&amp;"x"</f><v>line
two</v></c><c r="B5" s="3"/>"#),
        ]
        .concat(),
    );
    workbook.shared = vec![
        "<t>날짜</t>".to_owned(),
        r#"<r><rPr><b/></rPr><t xml:space="preserve">값 </t></r><r><t>둘</t></r><rPh sb="0" eb="1"><t>kana</t></rPh>"#.to_owned(),
    ];
    workbook.styles = CELL_STYLES.to_owned();
    assert_eq!(
        text(&workbook).as_deref(),
        Ok("## 매출 2026\n\n\
            | 1 | 날짜 | 값 둘 | 합계 \\| 세금 |\n| --- | --- | --- | --- |\n\
            | 2 | 2026-11-20 | 0.3 | 0.6 |\n\
            | 3 | 2026-11-20 18:00 | 25% | =SUM(B2:B3) |\n\
            | 4 | 2026-11-20 | TRUE | #DIV/0! |\n\
            | 5 | line<br>two |  |  |\n")
    );
}

#[test]
fn escapes_wherever_strings_stand() {
    let mut workbook = Xlsx::default().with(
        "Plan_x005F_x0041_ _x2192_ B",
        &row(
            1,
            r#"<c t="s"><v>0</v></c><c t="inlineStr"><is><r><t>in_x000D_</t></r><r><t>line</t></r></is></c><c t="str"><v>of_x0009_formula</v></c><c><f>CONCAT("_x00E9_")</f></c><c><v>7</v></c>"#,
        ),
    );
    workbook.shared = vec!["<t>_xD83D__xDE00_ and _xD83D_</t>".to_owned()];
    assert_eq!(
        text(&workbook).as_deref(),
        Ok("## Plan_x0041_ → B\n\n\
            | 1 | 😀 and \u{FFFD} | in<br>line | of formula | =CONCAT(\"é\") | 7 |\n\
            | --- | --- | --- | --- | --- | --- |\n")
    );
}

#[test]
fn sheets_in_their_order_without_hidden_ones() {
    let cell = |text: &str| format!(r#"<row><c t="inlineStr"><is><t>{text}</t></is></c></row>"#);
    let mut workbook = Xlsx::default()
        .with("둘째", &cell("b"))
        .with("secret\" state=\"hidden", &cell("hidden"))
        .with("empty", "")
        .with("First", &format!("{}{}", cell("a"), cell("c")));
    workbook.properties = r#"<workbookPr date1904="1"/>"#.to_owned();
    assert_eq!(
        text(&workbook).as_deref(),
        Ok(
            "## 둘째\n\n| 1 | b |\n| --- | --- |\n\n## empty\n\n## First\n\n\
            | 1 | a |\n| --- | --- |\n| 2 | c |\n\nLeft out: 1 hidden sheet.\n"
        )
    );
}

#[test]
fn merged_cells_and_gaps() {
    let mut workbook = Xlsx::default().with(
        "s",
        &[
            row(
                2,
                r#"<c r="B2" t="str"><v>title</v></c><c r="C2"/><c r="D2"/>"#,
            ),
            row(9, r#"<c r="D9"><v>2</v></c><c r="B9"><v>1</v></c>"#),
        ]
        .concat(),
    );
    workbook.sheets[0]
        .1
        .push_str(r#"<mergeCells count="1"><mergeCell ref="B2:D2"/></mergeCells>"#);
    assert_eq!(
        text(&workbook).as_deref(),
        Ok("## s\n\n| 2 | title |  |\n| --- | --- | --- |\n| 9 | 1 | 2 |\n")
    );
}

#[test]
fn two_far_corners() {
    let corners = [
        row(1, r#"<c r="A1"><v>1</v></c>"#),
        row(1_048_576, r#"<c r="XFD1048576"><v>2</v></c>"#),
    ];
    let workbook = Xlsx::default().with("far", &corners.concat());
    assert_eq!(
        text(&workbook).as_deref(),
        Ok("## far\n\n| 1 | 1 |  |\n| --- | --- | --- |\n| 1048576 |  | 2 |\n")
    );
    let beyond = Xlsx::default().with("x", &row(1_048_577, "<c><v>1</v></c>"));
    assert_eq!(text(&beyond), Err(Failure::Malformed));
    let beyond = Xlsx::default().with("x", &row(1, r#"<c r="XFE1"><v>1</v></c>"#));
    assert_eq!(text(&beyond), Err(Failure::Malformed));
}

#[test]
fn a_diagonal_is_too_large() {
    let name = |mut column: u32| {
        let mut letters = Vec::new();
        column += 1;
        while column > 0 {
            column -= 1;
            letters.insert(0, char::from(b'A' + (column % 26) as u8));
            column /= 26;
        }
        letters.into_iter().collect::<String>()
    };
    let rows: String = (0..16_384)
        .map(|n| {
            row(
                n + 1,
                &format!(r#"<c r="{}{}"><v>1</v></c>"#, name(n), n + 1),
            )
        })
        .collect();
    assert_eq!(
        text(&Xlsx::default().with("d", &rows)),
        Err(Failure::TooLarge)
    );
}

#[test]
fn bombs_are_not_unpacked() {
    let shared = Xlsx {
        shared: vec![format!("<t>{}</t>", "x".repeat(32 << 20))],
        ..Xlsx::default().with("s", "")
    };
    assert_eq!(text(&shared), Err(Failure::TooLarge));
    let one = row(1, r#"<c t="s"><v>0</v></c>"#);
    let mut repeated = Xlsx::default().with(
        "s",
        &one.replace(
            "</row>",
            &format!("{}</row>", r#"<c t="s"><v>0</v></c>"#.repeat(1000)),
        ),
    );
    repeated.shared = vec![format!("<t>{}</t>", "x".repeat(100_000))];
    assert_eq!(text(&repeated), Err(Failure::TooLarge));
}

#[test]
fn what_is_drawn_on_a_sheet_is_counted() {
    let drawing = r#"<wsDr><oneCellAnchor><pic/></oneCellAnchor><oneCellAnchor><pic/></oneCellAnchor><oneCellAnchor><graphicFrame><chart r:id="c"/></graphicFrame></oneCellAnchor></wsDr>"#;
    let read = |drawing: &str| {
        let file = package(&[
            (
                "_rels/.rels",
                &relationships(&[("r", "officeDocument", "xl/workbook.xml")]),
            ),
            (
                "xl/workbook.xml",
                r#"<workbook><sheets><sheet name="s" r:id="w"/><sheet name="t" state="veryHidden" r:id="x"/><sheet name="u" state="hidden" r:id="x"/></sheets></workbook>"#,
            ),
            (
                "xl/_rels/workbook.xml.rels",
                &relationships(&[("w", "worksheet", "worksheets/a.xml")]),
            ),
            (
                "xl/worksheets/a.xml",
                r#"<worksheet><sheetData><row r="7"><c r="C7"><v>1</v></c></row></sheetData><drawing r:id="d"/></worksheet>"#,
            ),
            (
                "xl/worksheets/_rels/a.xml.rels",
                &relationships(&[("d", "drawing", "../drawings/a.xml")]),
            ),
            ("xl/drawings/a.xml", drawing),
        ]);
        extract(Format::Xlsx, file, &LIMITS)
    };
    let table = "## s\n\n| 7 | 1 |\n| --- | --- |\n\nLeft out: 2 hidden sheets";
    assert_eq!(
        read(drawing),
        Ok(format!("{table}, 1 chart, 2 pictures.\n"))
    );
    // A drawing that cannot be read takes nothing from the cells.
    assert_eq!(read("<wsDr"), Ok(format!("{table}.\n")));
}

#[test]
fn the_beginning_alone() {
    let rows: String = (0..1000)
        .map(|n| row(n + 1, &format!("<c><v>{n}</v></c>")))
        .collect();
    let limits = Limits {
        text_bytes: 40,
        beyond: Beyond::LeaveOut,
        ..LIMITS
    };
    let file = Xlsx::default().with("s", &rows).file();
    let text = extract(Format::Xlsx, file, &limits);
    assert_eq!(
        text.as_deref(),
        Ok("## s\n\n| 1 | 0 |\n| --- | --- |\n| 2 | 1 |\n")
    );
}

#[test]
fn damaged_files() {
    let file = Xlsx::default().with("s", &row(1, "<c><v>1</v></c>")).file();
    check_cuts(Format::Xlsx, &file);
    for part in [
        "<workbook",
        "<document/>",
        r#"<!DOCTYPE x [<!ENTITY e "e">]><workbook/>"#,
    ] {
        let file = package(&[("xl/workbook.xml", part)]);
        let end = extract(Format::Xlsx, file, &LIMITS);
        assert_eq!(end, Err(Failure::Malformed), "{part}");
    }
    let lost = Xlsx::default().with(
        "s",
        r#"<row><c t="s"><v>9</v></c><c t="s"/><c><v>x</v></c></row>"#,
    );
    assert_eq!(
        text(&lost).as_deref(),
        Ok("## s\n\n| 1 | x |\n| --- | --- |\n")
    );
}
