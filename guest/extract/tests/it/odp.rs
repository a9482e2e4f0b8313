//! Tests of OpenDocument presentations, from the bytes of the file to Markdown.

use crate::damage::check_cuts;
use docent_extract::fixtures::{Odf, named};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

fn markdown_of(document: &Odf) -> Result<String, Failure> {
    let text = extract(Format::Odp, document.file(), &LIMITS);
    assert_eq!(extract(Format::Odp, document.flat(), &LIMITS), text);
    text
}

fn frame(class: &str, words: &str) -> String {
    format!(
        r#"<draw:frame presentation:class="{class}"><draw:text-box><text:p>{words}</text:p></draw:text-box></draw:frame>"#
    )
}

#[test]
fn titles_bullets_tables_and_notes() {
    let body = [
        r#"<presentation:footer-decl>footer</presentation:footer-decl><draw:page draw:name="page1">"#,
        &frame("subtitle", "First"),
        r#"<draw:frame presentation:class="title"><draw:text-box><text:p>The<text:line-break/>title</text:p><text:p>goes on</text:p></draw:text-box></draw:frame>"#,
        &frame("title", "Second title"),
        r#"<draw:frame presentation:class="outline"><draw:text-box><text:list text:style-name="L1"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list></text:list-item></text:list></draw:text-box></draw:frame>"#,
        r#"<draw:frame><table:table><table:table-column table:number-columns-repeated="2"/><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table><draw:image xlink:href="preview.svm"/></draw:frame>"#,
        &frame("footer", "no"),
        &frame("page-number", "3"),
        &frame("date-time", "no"),
        r#"<presentation:notes><draw:page-thumbnail presentation:class="page"/>"#,
        &frame("notes", "Say so"),
        &frame("header", "no"),
        "</presentation:notes></draw:page>",
    ];
    assert_eq!(
        markdown_of(&Odf::slides(&body.concat())).as_deref(),
        Ok(
            "## Slide 1: The title goes on\n\nFirst\n\nSecond title\n\n- one\n    - deep\n\n\
            | a | b |\n| --- | --- |\n\n### Notes\n\nSay so\n"
        )
    );
}

#[test]
fn names_and_hidden_slides() {
    let mut document = Odf::slides(
        r#"<draw:page draw:name="page1"/><draw:page draw:name="결과" draw:style-name="dp1"/><draw:page draw:name="Folie 3" draw:style-name="dp1"><draw:g><draw:custom-shape><text:p>grouped</text:p></draw:custom-shape><draw:frame><draw:image/><svg:desc>A plan</svg:desc></draw:frame></draw:g><office:annotation><text:p>no</text:p></office:annotation></draw:page>"#,
    );
    document.automatic = r#"<style:style style:name="dp1" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>"#.to_owned();
    assert_eq!(
        markdown_of(&document).as_deref(),
        Ok(
            "## Slide 1\n\n## Slide 2: 결과 (hidden)\n\n## Slide 3 (hidden)\n\ngrouped\n\n\
            [Picture: A plan]\n\nLeft out: 1 comment, 1 picture.\n"
        )
    );
}

#[test]
fn items_without_a_marker_are_paragraphs() {
    let mut document = Odf::slides(
        r#"<draw:page><draw:frame><draw:text-box><text:list text:style-name="L9"><text:list-item><text:p>plain</text:p></text:list-item></text:list></draw:text-box></draw:frame></draw:page>"#,
    );
    document.automatic = r#"<text:list-style style:name="L9"><text:list-level-style-number text:level="1" style:num-format=""/></text:list-style>"#.to_owned();
    assert_eq!(
        markdown_of(&document).as_deref(),
        Ok("## Slide 1\n\nplain\n")
    );
}

#[test]
fn the_beginning_alone() {
    let pages: String = (0..1000)
        .map(|n| {
            format!(
                "<draw:page>{}</draw:page>",
                frame("title", &format!("T{n}"))
            )
        })
        .collect();
    let limits = Limits {
        text_bytes: 40,
        beyond: Beyond::LeaveOut,
        ..LIMITS
    };
    let text = extract(Format::Odp, Odf::slides(&pages).file(), &limits);
    assert_eq!(
        text.as_deref(),
        Ok("## Slide 1: T0\n\n## Slide 2: T1\n\n## Slide")
    );
    let long = format!(
        "<draw:page>{}</draw:page>",
        frame("outline", &"x".repeat(3 << 20))
    );
    assert_eq!(markdown_of(&Odf::slides(&long)), Err(Failure::TooLarge));
}

#[test]
fn damaged_files() {
    let file = named("talk.odp");
    check_cuts(Format::Odp, &file);
    assert_eq!(
        extract(Format::Odp, file, &LIMITS).as_deref(),
        Ok("## Slide 1: 설정\n\n- one\n\n### Notes\n\nSay so\n")
    );
}
