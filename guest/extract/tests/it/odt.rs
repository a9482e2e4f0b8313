//! Tests of OpenDocument text, from the bytes of the file to Markdown.

use crate::damage::check_cuts;
use docent_extract::fixtures::{Odf, named, package};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

fn text(document: &Odf) -> Result<String, Failure> {
    extract(Format::Odt, document.file(), &LIMITS)
}

/// Returns the Markdown of a body, the same for the package and the single file.
fn markdown_of(body: &str) -> String {
    let document = Odf::text(body);
    let text = text(&document).expect("it can be read");
    let flat = extract(Format::Odt, document.flat(), &LIMITS);
    assert_eq!(flat.as_ref(), Ok(&text));
    text
}

fn beginning(document: &Odf, text_bytes: usize) -> Result<String, Failure> {
    let limits = Limits {
        text_bytes,
        beyond: Beyond::LeaveOut,
        ..LIMITS
    };
    extract(Format::Odt, document.file(), &limits)
}

#[test]
fn headings_by_level_style_and_title() {
    assert_eq!(
        markdown_of(
            r#"<text:p text:style-name="Title">설정 안내서</text:p>
            <text:h text:outline-level="1">One <text:span>two</text:span></text:h>
            <text:h text:outline-level="7">Deep</text:h>
            <text:p text:style-name="Heading_20_1">Styled</text:p>
            <text:p text:style-name="P1"># no heading</text:p>
            <text:h text:outline-level="1"/>"#
        ),
        "# 설정 안내서\n\n# One two\n\n###### Deep\n\n# Styled\n\n\\# no heading\n"
    );
}

#[test]
fn numbers_of_headings() {
    let mut document = Odf::text(
        r#"<text:h text:outline-level="1">a</text:h><text:h text:outline-level="2">b</text:h>
        <text:h text:outline-level="2" text:is-list-header="true">c</text:h>
        <text:h text:outline-level="2" text:style-name="P9">d</text:h>
        <text:h text:outline-level="1" text:restart-numbering="true" text:start-value="7"><text:number>VII</text:number>e</text:h>
        <text:list text:style-name="L2"><text:list-item><text:h text:outline-level="3">f</text:h></text:list-item></text:list>"#,
    );
    document.styles.push_str(
        r#"<text:outline-style><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>"#,
    );
    document.automatic =
        r#"<style:style style:name="P9" style:family="paragraph" style:list-style-name=""/>"#
            .to_owned();
    assert_eq!(
        text(&document).as_deref(),
        Ok("# 1. a\n\n## 1.1 b\n\n## c\n\n## d\n\n# VII e\n\n### 1. f\n")
    );
}

#[test]
fn lists_by_level_with_bullets_or_numbers() {
    let item = |words: &str| format!("<text:list-item><text:p>{words}</text:p></text:list-item>");
    let inner = format!(
        r#"<text:list-item><text:p>two</text:p><text:p>more</text:p><text:list>{}{}</text:list></text:list-item>"#,
        item("a"),
        item("b")
    );
    let body = [
        r#"<text:list xml:id="x" text:style-name="L2"><text:list-header><text:p>head</text:p></text:list-header>"#,
        &item("one"),
        &inner,
        r#"<text:list-item text:start-value="9"><text:p/><text:p>nine</text:p></text:list-item></text:list>"#,
        "<text:p>between</text:p>",
        r#"<text:list text:style-name="L2">"#,
        &item("new"),
        r#"</text:list><text:list text:style-name="L2" text:continue-numbering="true">"#,
        &item("continued"),
        r#"</text:list><text:list text:continue-list="x" text:style-name="L2">"#,
        &item("ten"),
        r#"</text:list><text:list text:style-name="L1">"#,
        &item("bullet"),
        "</text:list><text:list>",
        &item("unknown"),
        r#"</text:list><text:numbered-paragraph text:list-id="n" text:style-name="L2"><text:p>alone</text:p></text:numbered-paragraph>"#,
        r#"<text:numbered-paragraph text:list-id="n" text:style-name="L2"><text:p>next</text:p></text:numbered-paragraph>"#,
    ];
    assert_eq!(
        markdown_of(&body.concat()),
        "head\n\n1. one\n2. two\n\n   more\n    1. a\n    2. b\n9. nine\n\nbetween\n\n1. new\n\
         2. continued\n10. ten\n- bullet\n- unknown\n1. alone\n2. next\n"
    );
}

#[test]
fn blanks_tabs_links_and_ruby() {
    assert_eq!(
        markdown_of(
            "<text:p>\n  one\n  two<text:s text:c=\"2000000000\"/>three<text:tab/>four<text:line-break/>five\
             <text:soft-page-break/> so\u{AD}ft</text:p>\
             <text:p><text:a xlink:href=\"https://e.org/a b\">the [site]</text:a>, <text:a xlink:href=\"#here\">inside</text:a></text:p>\
             <text:p><text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text></text:ruby></text:p>"
        ),
        "one two three four\nfive soft\n\n[the \\[site\\]](https://e.org/a%20b), inside\n\n漢字(かんじ)\n"
    );
}

#[test]
fn links_to_files_beside_the_document() {
    let document = Odf::text(r#"<text:p><text:a xlink:href="../b.odt#x">b</text:a></text:p>"#);
    assert_eq!(text(&document).as_deref(), Ok("[b](b.odt#x)\n"));
    let document = Odf::text(r#"<text:p><text:a xlink:href="b.odt">b</text:a></text:p>"#);
    let flat = extract(Format::Odt, document.flat(), &LIMITS);
    assert_eq!(flat.as_deref(), Ok("[b](b.odt)\n"));
}

#[test]
fn code_keeps_its_blanks() {
    assert_eq!(
        markdown_of(
            r#"<text:p text:style-name="Preformatted_20_Text">fn main() {</text:p><text:p text:style-name="Preformatted_20_Text"><text:s text:c="4"/>run();</text:p><text:p text:style-name="Preformatted_20_Text">}</text:p>"#
        ),
        "```\nfn main() {\n    run();\n}\n```\n"
    );
}

#[test]
fn notes_at_the_end() {
    let note = |class: &str, words: &str| {
        format!(
            r#"<text:note text:note-class="{class}"><text:note-citation>9</text:note-citation><text:note-body><text:p>{words}</text:p><text:p>more</text:p></text:note-body></text:note>"#
        )
    };
    let body = format!(
        "<text:p>a{} b{}</text:p><text:p>end</text:p>",
        note("footnote", "foot"),
        note("endnote", "end")
    );
    assert_eq!(
        markdown_of(&body),
        "a[^1] b[^2]\n\nend\n\n[^1]: foot more\n\n[^2]: end more\n"
    );
}

#[test]
fn tables_with_covered_repeated_and_nested_cells() {
    let cell =
        |words: &str| format!("<table:table-cell><text:p>{words}</text:p></table:table-cell>");
    let body = [
        r#"<table:table><table:title>no</table:title><table:table-column table:number-columns-repeated="4"/><table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>a | b</text:p></table:table-cell><table:covered-table-cell/>"#,
        &cell("c"),
        "</table:table-row></table:table-header-rows><table:table-row>",
        r#"<table:table-cell table:number-columns-repeated="2"><text:p>x</text:p><text:list text:style-name="L2"><text:list-item><text:p>y</text:p></text:list-item></text:list></table:table-cell><table:table-cell><table:table><table:table-row>"#,
        &cell("in"),
        &cell("side"),
        r#"</table:table-row></table:table></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>"#,
    ];
    assert_eq!(
        markdown_of(&body.concat()),
        "| a \\| b |  | c |  |\n| --- | --- | --- | --- |\n| x<br>1. y | x<br>1. y | in side |  |\n"
    );
}

#[test]
fn a_table_of_one_column_is_a_frame() {
    let body = r#"<table:table><table:table-column/><table:table-row><table:table-cell><text:h text:outline-level="2">Head</text:h><text:p>words</text:p></table:table-cell></table:table-row></table:table>"#;
    assert_eq!(markdown_of(body), "## Head\n\nwords\n");
}

#[test]
fn changes_comments_pictures_and_hidden_text_are_left_out() {
    let mut document = Odf::text(
        r#"<office:forms><text:p>form</text:p></office:forms><text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion></text:changed-region><text:changed-region><text:insertion/></text:changed-region></text:tracked-changes>
        <text:p>a<office:annotation><dc:creator>who</dc:creator><text:p>comment</text:p></office:annotation>b<office:annotation-end/><text:change/></text:p>
        <text:p>c <draw:frame><draw:image><office:binary-data>AAAA</office:binary-data></draw:image><svg:title>A plan</svg:title><svg:desc>of the house</svg:desc></draw:frame>d<draw:frame><draw:image/></draw:frame></text:p>
        <text:p><text:span text:style-name="T1">hidden</text:span>shown 10<text:span text:style-name="T2">-6</text:span><text:hidden-text text:is-hidden="true">x</text:hidden-text></text:p>
        <text:p>gone<text:hidden-paragraph text:is-hidden="true"/> too</text:p>
        <text:section text:display="none"><text:p>secret</text:p></text:section>
        <text:section text:display="condition"><text:p>section</text:p></text:section>
        <text:table-of-content><text:index-body><text:p>Heading 3</text:p></text:index-body></text:table-of-content>"#,
    );
    document.automatic = r#"<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style><style:style style:name="T2" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>"#.to_owned();
    let expected = "ab\n\nc d\n\n[Picture: A plan: of the house]\n\nshown 10⁻⁶\n\nsection\n\n\
         Left out: 1 hidden section, 1 table of contents, 1 deletion, 1 comment, 2 pictures.\n";
    assert_eq!(text(&document).as_deref(), Ok(expected));
    let flat = extract(Format::Odt, document.flat(), &LIMITS);
    assert_eq!(flat.as_deref(), Ok(expected));
}

#[test]
fn text_boxes_and_shapes() {
    assert_eq!(
        markdown_of(
            r#"<draw:custom-shape><text:p>first</text:p></draw:custom-shape>
            <text:p>before<draw:frame><draw:text-box><text:h text:outline-level="2">Box</text:h><text:p>inside<draw:g><draw:rect><text:p>deep</text:p></draw:rect></draw:g></text:p></draw:text-box></draw:frame> after</text:p>"#
        ),
        "first\n\nbefore after\n\n## Box\n\ninside\n\ndeep\n"
    );
}

#[test]
fn charts_and_equations() {
    let chart = r#"<draw:frame><draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/></draw:frame>"#;
    let equation =
        r#"<draw:frame><draw:object xlink:href="./Object 2"/><draw:image/></draw:frame>"#;
    let mut document = Odf::text(&format!(
        "<text:p>{chart}</text:p><text:p>since {equation} holds</text:p><text:p>{chart}</text:p>"
    ));
    document.parts = vec![
        (
            "Object 1/content.xml",
            "<document-content><body><chart><chart><title><p>Sales</p></title><table><table-rows><table-row><table-cell/><table-cell><p>2026</p></table-cell></table-row><table-row><table-cell><p>Seoul</p></table-cell><table-cell><p>7</p></table-cell></table-row></table-rows></table></chart></chart></body></document-content>".to_owned(),
        ),
        (
            "Object 2/content.xml",
            r#"<math><semantics><mi>a</mi><annotation encoding="StarMath 5.0">a over b</annotation></semantics></math>"#.to_owned(),
        ),
        ("Object 3/content.xml", "<math".to_owned()),
    ];
    assert_eq!(
        text(&document).as_deref(),
        Ok(
            "Sales\n\n|  | 2026 |\n| --- | --- |\n| Seoul | 7 |\n\nsince $a over b$ holds\n\nLeft out: 1 picture.\n"
        )
    );
    let inline = r#"<text:p>since <draw:frame><draw:object><math:math><math:mi>a</math:mi><math:mo>+</math:mo></math:math></draw:object></draw:frame></text:p>"#;
    assert_eq!(markdown_of(inline), "since $a +$\n");
}

#[test]
fn documents_that_need_a_password() {
    for document_type in ["", "<!DOCTYPE manifest SYSTEM \"Manifest.dtd\">"] {
        let manifest = format!(
            r#"{document_type}<manifest><file-entry full-path="content.xml"><encryption-data/></file-entry></manifest>"#
        );
        let mut document = Odf::text("");
        document.parts = vec![("META-INF/manifest.xml", manifest)];
        assert_eq!(text(&document), Err(Failure::Encrypted));
    }
}

#[test]
fn nesting_without_end() {
    let nested = |begin: &str, end: &str, count: usize| {
        let body = format!(
            "{}<text:p>a</text:p>{}",
            begin.repeat(count),
            end.repeat(count)
        );
        text(&Odf::text(&body))
    };
    let list = (
        "<text:list><text:list-item>",
        "</text:list-item></text:list>",
    );
    assert_eq!(nested(list.0, list.1, 100).as_deref(), Ok("- a\n"));
    assert_eq!(nested(list.0, list.1, 1000), Err(Failure::Malformed));
    for (begin, end) in [
        (
            "<table:table><table:table-row><table:table-cell>",
            "</table:table-cell></table:table-row></table:table>",
        ),
        (
            "<text:p><draw:frame><draw:text-box>",
            "</draw:text-box></draw:frame></text:p>",
        ),
        (
            "<text:p><text:note><text:note-body>",
            "</text:note-body></text:note></text:p>",
        ),
    ] {
        assert!(nested(begin, end, 10).is_ok(), "{begin}");
        assert_eq!(nested(begin, end, 70), Err(Failure::Malformed), "{begin}");
    }
}

#[test]
fn bombs_are_not_unpacked() {
    let long = format!("<text:p>{}</text:p>", "x".repeat(3 << 20));
    assert_eq!(text(&Odf::text(&long)), Err(Failure::TooLarge));
    assert_eq!(beginning(&Odf::text(&long), 40), Ok("x".repeat(40)));
    let larger = format!("<text:p>{}</text:p>", "x".repeat(17 << 20));
    assert_eq!(text(&Odf::text(&larger)), Err(Failure::TooLarge));
    let repeated = format!(
        r#"<table:table><table:table-row table:number-rows-repeated="4000000000"><table:table-cell table:number-columns-repeated="4000000000"><text:p>{}</text:p></table:table-cell></table:table-row></table:table>"#,
        "x".repeat(1000)
    );
    assert_eq!(text(&Odf::text(&repeated)), Err(Failure::TooLarge));
    let note = format!(
        "<text:p>a<text:note><text:note-body><text:p>{}</text:p></text:note-body></text:note></text:p><text:p>b</text:p>",
        "x".repeat(2 << 20)
    );
    assert_eq!(text(&Odf::text(&note)), Err(Failure::TooLarge));
    let expected = Ok("a[^1]\n\nb\n\n[^1]: xxxxx".to_owned());
    assert_eq!(beginning(&Odf::text(&note), 21), expected);
}

#[test]
fn damaged_files() {
    let file = named("report.odt");
    check_cuts(Format::Odt, &file);
    let flat = named("report.fodt");
    for length in 0..flat.len() {
        let end = extract(Format::Odt, flat[..length].to_vec(), &LIMITS);
        assert!(end.is_err(), "{length}");
    }
    for part in [
        "<document-content",
        "<document-content/>",
        "<document-content><body><spreadsheet/></body></document-content>",
        r#"<!DOCTYPE x [<!ENTITY e "e">]><document-content><body><text/></body></document-content>"#,
    ] {
        let file = package(&[("content.xml", part)]);
        let end = extract(Format::Odt, file, &LIMITS);
        assert_eq!(end, Err(Failure::Malformed), "{part}");
    }
    // Styles that cannot be read take only the numbers and names from the text.
    let content = Odf::text("<text:p>words</text:p>").content();
    let file = package(&[("content.xml", &content), ("styles.xml", "<styles")]);
    assert_eq!(
        extract(Format::Odt, file, &LIMITS).as_deref(),
        Ok("words\n")
    );
}
