//! Tests of OpenDocument spreadsheets, from the bytes of the file to Markdown.

use crate::damage::check_cuts;
use docent_extract::fixtures::{Odf, named};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

fn markdown_of(document: &Odf) -> Result<String, Failure> {
    let text = extract(Format::Ods, document.file(), &LIMITS);
    assert_eq!(extract(Format::Ods, document.flat(), &LIMITS), text);
    text
}

fn row(cells: &str) -> String {
    format!("<table:table-row>{cells}</table:table-row>")
}

fn cell(words: &str) -> String {
    format!("<table:table-cell><text:p>{words}</text:p></table:table-cell>")
}

#[test]
fn cells_by_their_displayed_text() {
    let rows = [
        row(
            r#"<table:table-cell office:value-type="date" office:date-value="2026-11-20"><text:p>20. Nov. 2026</text:p></table:table-cell><table:table-cell office:value-type="percentage" office:value="0.25"><text:p>25 %</text:p></table:table-cell>"#,
        ),
        row(
            r#"<table:table-cell office:value-type="string"><text:p>two<text:s/>words</text:p><text:p>| line</text:p></table:table-cell>"#,
        ),
        row(
            r#"<table:table-cell office:value-type="date" office:date-value="2026-11-20T18:00:00"/><table:table-cell office:value-type="float" office:value="7"/><table:table-cell office:value-type="boolean" office:boolean-value="true"/><table:table-cell office:value-type="string" office:string-value="s"/><table:table-cell table:formula="of:=SUM([.A1:.A2])"/>"#,
        ),
    ];
    assert_eq!(
        markdown_of(&Odf::sheet("매출 2026", &rows.concat())).as_deref(),
        Ok(
            "## 매출 2026\n\n| 1 | 20. Nov. 2026 | 25 % |  |  |  |\n| --- | --- | --- | --- | --- | --- |\n\
            | 2 | two words<br>\\| line |  |  |  |  |\n\
            | 3 | 2026-11-20 18:00:00 | 7 | TRUE | s | =SUM([.A1:.A2]) |\n"
        )
    );
}

#[test]
fn repeated_rows_and_columns() {
    let rows = [
        r#"<table:table-column table:number-columns-repeated="16384"/>"#.to_owned(),
        format!(r#"<table:table-row table:number-rows-repeated="2">{}<table:table-cell table:number-columns-repeated="3"><text:p>b</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16000"/></table:table-row>"#, cell("a")),
        r#"<table:table-header-rows><table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table-header-rows>"#.to_owned(),
        row(&format!(r#"<table:table-cell table:number-columns-repeated="9"/><table:covered-table-cell/>{}"#, cell("far"))),
    ];
    assert_eq!(
        markdown_of(&Odf::sheet("s", &rows.concat())).as_deref(),
        Ok(
            "## s\n\n| 1 | a | b | b | b |  |\n| --- | --- | --- | --- | --- | --- |\n\
            | 2 | a | b | b | b |  |\n| 1003 |  |  |  |  | far |\n"
        )
    );
}

#[test]
fn two_far_corners() {
    let corners = |rows: u32, columns: u32| {
        let gap = rows - 2;
        let columns = columns - 1;
        let rows = [
            row(&cell("1")),
            format!(
                r#"<table:table-row table:number-rows-repeated="{gap}"><table:table-cell/></table:table-row>"#
            ),
            row(&format!(
                r#"<table:table-cell table:number-columns-repeated="{columns}"/>{}"#,
                cell("2")
            )),
        ];
        markdown_of(&Odf::sheet("far", &rows.concat()))
    };
    assert_eq!(
        corners(1_048_576, 16_384).as_deref(),
        Ok("## far\n\n| 1 | 1 |  |\n| --- | --- | --- |\n| 1048576 |  | 2 |\n")
    );
    assert_eq!(corners(1_048_577, 16_384), Err(Failure::Malformed));
    assert_eq!(corners(1_048_576, 16_385), Err(Failure::Malformed));
}

#[test]
fn hidden_sheets_comments_charts_and_pictures_are_counted() {
    let mut document = Odf::sheet(
        "shown",
        &row(&format!(
            r#"<table:table-cell><office:annotation><text:p>comment</text:p></office:annotation><text:p>a</text:p><draw:frame><draw:image/></draw:frame></table:table-cell>{}"#,
            cell("b")
        )),
    );
    document.body.insert_str(0, "<table:content-validations><table:error-message><text:p>no</text:p></table:error-message></table:content-validations>");
    document.body.push_str(r#"<table:table table:name="secret" table:style-name="ta1"><table:table-row><table:table-cell><text:p>no</text:p></table:table-cell></table:table-row></table:table><table:table table:name="drawn"><table:shapes><draw:frame><draw:object xlink:href="./Object 1"><text:p>no</text:p></draw:object><draw:image/></draw:frame><draw:rect><text:p>words on it</text:p></draw:rect></table:shapes></table:table>"#);
    document.automatic = r#"<style:style style:name="ta1" style:family="table"><style:table-properties table:display="false"/></style:style>"#.to_owned();
    document.parts = vec![(
        "Object 1/content.xml",
        "<document-content><body><chart><p>no</p></chart></body></document-content>".to_owned(),
    )];
    assert_eq!(
        markdown_of(&document).as_deref(),
        Ok(
            "## shown\n\n| 1 | a | b |\n| --- | --- | --- |\n\n## drawn\n\nwords on it\n\n\
            Left out: 1 hidden sheet, 1 comment, 1 chart, 1 picture.\n"
        )
    );
}

#[test]
fn bombs_are_not_unpacked() {
    let full = r#"<table:table-row table:number-rows-repeated="4000000000"><table:table-cell table:number-columns-repeated="4000000000"><text:p>boom</text:p></table:table-cell></table:table-row>"#;
    let document = Odf::sheet("x", &full.repeat(3));
    assert_eq!(markdown_of(&document), Err(Failure::TooLarge));
    let limits = Limits {
        text_bytes: 30,
        beyond: Beyond::LeaveOut,
        ..LIMITS
    };
    let text = extract(Format::Ods, document.file(), &limits);
    assert_eq!(text.as_deref(), Ok("## x\n"));
    let rows: String = (0..1000).map(|n| row(&cell(&n.to_string()))).collect();
    let limits = Limits {
        text_bytes: 40,
        ..limits
    };
    let text = extract(Format::Ods, Odf::sheet("s", &rows).file(), &limits);
    let expected = "## s\n\n| 1 | 0 |\n| --- | --- |\n| 2 | 1 |\n";
    assert_eq!(text.as_deref(), Ok(expected));
    let sheets = "<table:table table:name=\"s\"/>".repeat(1000);
    let text = markdown_of(&Odf::new("spreadsheet", &sheets)).expect("it can be read");
    assert_eq!(text.lines().filter(|line| *line == "## s").count(), 1000);
}

#[test]
fn damaged_files() {
    let file = named("budget.ods");
    check_cuts(Format::Ods, &file);
    assert_eq!(
        extract(Format::Ods, file, &LIMITS).as_deref(),
        Ok("## 예산\n\n| 1 | 설정 | 2.50 | 2.50 |\n| --- | --- | --- | --- |\n")
    );
}
