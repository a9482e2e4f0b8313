//! Text documents, from the bytes of the file to Markdown.

use docent_extract::fixtures::{Docx, Packing, archive, item, package, paragraph, styled};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

fn text(document: &Docx) -> Result<String, Failure> {
    extract(Format::Docx, document.file(), &LIMITS)
}

fn of_body(body: &str) -> String {
    text(&Docx::new(body)).expect("it can be read")
}

fn failure(file: Vec<u8>) -> Option<Failure> {
    extract(Format::Docx, file, &LIMITS).err()
}

#[test]
fn headings_lists_and_paragraphs() {
    let body = [
        styled("a", "설정 안내서"),
        styled("10", "1 시작\t3"),
        styled("1", "시작"),
        paragraph("서버를   켠다.\u{a0}끝."),
        item(1, 0, "하나"),
        item(1, 1, "안쪽"),
        item(2, 0, "first"),
        item(2, 0, "second"),
        item(2, 0, ""),
        styled("2", "Details"),
        paragraph("# no heading"),
        paragraph(""),
    ]
    .concat();
    assert_eq!(
        of_body(&body),
        "# 설정 안내서\n\n# 시작\n\n서버를 켠다. 끝.\n\n- 하나\n    - 안쪽\n1. first\n2. second\n\n\
         ## Details\n\n\\# no heading\n"
    );
}

#[test]
fn runs_breaks_links_and_symbols() {
    let mut document = Docx::new(
        r#"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>one</w:t></w:r><w:r><w:t xml:space="preserve"> two</w:t><w:br/><w:t>three</w:t><w:tab/><w:noBreakHyphen/></w:r>
        <w:hyperlink r:id="l1"><w:r><w:t>the [site]</w:t></w:r></w:hyperlink><w:hyperlink w:anchor="x"><w:r><w:t xml:space="preserve"> inside</w:t></w:r></w:hyperlink>
        <w:r><w:sym w:font="Wingdings" w:char="F0E0"/><w:sym w:font="Arial" w:char="2192"/></w:r>
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r></w:p>"#,
    );
    document.links = vec![("l1", "https://example.org/a b")];
    assert_eq!(
        text(&document).as_deref(),
        Ok("one two\nthree -[the \\[site\\]](https://example.org/a%20b) inside→shown\n")
    );
}

#[test]
fn code_is_fenced_with_its_indentation() {
    let code = |text: &str| {
        format!(
            r#"<w:p><w:pPr><w:pStyle w:val="Code"/></w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>"#
        )
    };
    let body = [
        paragraph("Before."),
        code("fn main() {"),
        code("    # no heading"),
        code(""),
        code("}"),
        paragraph("After."),
        code("last"),
    ]
    .concat();
    assert_eq!(
        of_body(&body),
        "Before.\n\n```\nfn main() {\n    # no heading\n\n}\n```\n\nAfter.\n\n```\nlast\n```\n"
    );
}

#[test]
fn raised_numbers_stay_raised() {
    let raised = |text: &str| {
        format!(r#"<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{text}</w:t></w:r>"#)
    };
    let body = format!(
        "<w:p><w:r><w:t>10</w:t></w:r>{}<w:r><w:t>, 1</w:t></w:r>{}</w:p>",
        raised("-6"),
        raised("st"),
    );
    assert_eq!(of_body(&body), "10⁻⁶, 1st\n");
}

#[test]
fn fields_and_tracked_changes() {
    let body = r#"<w:p><w:r><w:t>kept</w:t></w:r>
        <w:del w:id="1"><w:r><w:delText>deleted</w:delText></w:r></w:del>
        <w:ins w:id="2"><w:r><w:t xml:space="preserve"> added</w:t></w:r></w:ins>
        <w:moveFrom w:id="3"><w:r><w:t>moved away</w:t></w:r></w:moveFrom>
        <w:moveTo w:id="4"><w:r><w:t xml:space="preserve"> moved here</w:t></w:r></w:moveTo>
        <w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType="separate"/><w:t xml:space="preserve"> 7</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>
        <w:p><w:pPr><w:pPrChange><w:pPr><w:pStyle w:val="1"/></w:pPr></w:pPrChange></w:pPr><w:r><w:t>was a heading</w:t></w:r></w:p>"#;
    assert_eq!(of_body(body), "kept added moved here 7\n\nwas a heading\n");
}

#[test]
fn text_is_hidden_as_long_as_its_run_lasts() {
    let hidden = "<w:rPr><w:vanish/></w:rPr>";
    // Since a tracked change it is no longer.
    let shown = format!("<w:rPr><w:b/><w:rPrChange>{hidden}</w:rPrChange></w:rPr>");
    let body = format!(
        "<w:p><w:r>{shown}<w:t>shown</w:t></w:r><w:r>{hidden}<w:ruby><w:rubyBase><w:r>{hidden}<w:t>below</w:t></w:r></w:rubyBase></w:ruby><w:t>behind</w:t></w:r></w:p>"
    );
    assert_eq!(of_body(&body), "shown\n");
}

#[test]
fn tables() {
    let cell = |inside: &str| format!("<w:tc><w:tcPr/>{inside}</w:tc>");
    let wide = format!(
        r#"<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{}</w:tc>"#,
        paragraph("both")
    );
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let table = |rows: &[String]| format!("<w:tbl><w:tblPr/>{}</w:tbl>", rows.concat());
    let grid = table(&[
        row(&[cell(&paragraph("이름")), cell(&paragraph("값 | 둘"))]),
        row(&[
            cell(&format!("{}{}", paragraph("a"), paragraph("b"))),
            cell(&item(1, 0, "x")),
        ]),
        row(&[wide]),
        row(&[
            cell(&paragraph("in")),
            cell(&table(&[row(&[
                cell(&paragraph("1")),
                cell(&paragraph("2")),
            ])])),
        ]),
    ]);
    let frame = table(&[row(&[cell(&format!(
        "{}{}",
        styled("2", "In a frame"),
        paragraph("framed")
    ))])]);
    assert_eq!(
        of_body(&format!("{grid}{frame}")),
        "| 이름 | 값 \\| 둘 |\n| --- | --- |\n| a<br>b | - x |\n| both |  |\n| in | 1 2 |\n\n\
         ## In a frame\n\nframed\n"
    );
}

#[test]
fn notes_and_text_boxes() {
    let shape = |text: &str| format!("<w:txbxContent>{}</w:txbxContent>", paragraph(text));
    let mut document = Docx::new(&format!(
        r#"<w:p><w:r><w:t>first</w:t><w:footnoteReference w:id="2"/></w:r><w:r><w:t xml:space="preserve"> second</w:t><w:endnoteReference w:id="2"/></w:r>
        <w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>{}</w:drawing></mc:Choice><mc:Fallback><w:pict>{}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"#,
        shape("상자 안"),
        shape("상자 안"),
    ));
    let note = |name: &str, id: u32, text: &str| {
        format!(r#"<w:{name} w:id="{id}">{}</w:{name}>"#, paragraph(text))
    };
    document.footnotes = format!(
        "{}{}",
        note("footnote", 0, "separator"),
        note("footnote", 2, "below")
    );
    document.endnotes = note("endnote", 2, "behind");
    assert_eq!(
        text(&document).as_deref(),
        Ok("first[^1] second[^2]\n\n상자 안\n\n[^1]: below\n\n[^2]: behind\n")
    );
}

#[test]
fn numbered_headings() {
    let mut document = Docx::new(
        &[
            styled("1", "Start"),
            styled("2", "First"),
            styled("2", "Second"),
            styled("1", "끝"),
        ]
        .concat(),
    );
    document.styles = r#"
        <w:style w:styleId="1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
        <w:style w:styleId="2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr></w:pPr></w:style>"#
        .to_owned();
    document.numbering = r#"
        <w:abstractNum w:abstractNumId="0">
          <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="제%1장"/></w:lvl>
          <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
        </w:abstractNum>
        <w:num w:numId="3"><w:abstractNumId w:val="0"/></w:num>"#
        .to_owned();
    assert_eq!(
        text(&document).as_deref(),
        Ok("# 제1장 Start\n\n## 1.1 First\n\n## 1.2 Second\n\n# 제2장 끝\n")
    );
}

#[test]
fn parts_are_found_whatever_their_case() {
    let document = "<document><body><p><r><t>a</t></r></p></body></document>";
    for name in [
        "word/document.xml",
        "Word/Document.XML",
        "/word/document.xml",
    ] {
        let file = package(&[("other", "b"), (name, document)]);
        let text = extract(Format::Docx, file, &LIMITS);
        assert_eq!(text.as_deref(), Ok("a\n"), "{name}");
    }
}

#[test]
fn the_beginning_alone() {
    let body: String = (0..1000).map(|n| paragraph(&format!("line {n}"))).collect();
    let limits = Limits {
        text_bytes: 30,
        beyond: Beyond::LeaveOut,
        ..LIMITS
    };
    let file = Docx::new(&body).file();
    assert_eq!(
        extract(Format::Docx, file.clone(), &limits).as_deref(),
        Ok("line 0\n\nline 1\n\nline 2\n\nline 3"[..30].trim_start())
    );
    let limits = Limits {
        beyond: Beyond::Refuse,
        ..limits
    };
    assert_eq!(extract(Format::Docx, file, &limits), Err(Failure::TooLarge));
}

#[test]
fn bombs_are_not_unpacked() {
    let body = paragraph(&" ".repeat(64 << 20));
    let file = Docx::new(&body).file();
    assert!(file.len() < 1 << 20);
    assert_eq!(failure(file), Some(Failure::TooLarge));
    let spaces = vec![b' '; 17 << 20];
    let file = archive(&[("word/document.xml", &spaces, Packing::Deflated)]);
    assert_eq!(failure(file), Some(Failure::TooLarge));
}

#[test]
fn archives_in_archives_are_not_opened() {
    let mut inner = package(&[("word/document.xml", "<a/>")]);
    for _ in 0..5 {
        inner = archive(&[("word/document.xml", &inner, Packing::Stored)]);
    }
    assert_eq!(failure(inner), Some(Failure::Malformed));
}

#[test]
fn entities_are_not_expanded() {
    let laughs = r#"<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]><w:document><w:body><w:p><w:r><w:t>&c;</w:t></w:r></w:p></w:body></w:document>"#;
    let outside = r#"<!DOCTYPE l SYSTEM "file:///etc/passwd"><w:document/>"#;
    for part in [laughs, outside] {
        let file = package(&[("word/document.xml", part)]);
        assert_eq!(failure(file), Some(Failure::Malformed));
    }
}

#[test]
fn loops_end() {
    use docent_extract::fixtures::relationships;
    let document =
        "<document><body><p><pPr><pStyle val='x'/></pPr><r><t>a</t></r></p></body></document>";
    let file = package(&[
        (
            "_rels/.rels",
            &relationships(&[("a", "officeDocument", "_rels/.rels")]),
        ),
        ("word/document.xml", document),
    ]);
    assert_eq!(failure(file), Some(Failure::Malformed));
    let mut looped = Docx::new(&styled("x", "a"));
    looped.styles = "<style styleId='x'><basedOn val='y'/></style><style styleId='y'><basedOn val='x'/></style>".to_owned();
    assert_eq!(text(&looped).as_deref(), Ok("a\n"));
    let mut itself = Docx::new(r#"<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>"#);
    itself.footnotes =
        r#"<w:footnote w:id="1"><w:p><w:r><w:t>see</w:t><w:footnoteReference w:id="1"/></w:r></w:p></w:footnote>"#.to_owned();
    assert_eq!(text(&itself).as_deref(), Ok("[^1]\n\n[^1]: see[^1]\n"));
}

#[test]
fn what_is_nested_without_end() {
    for (open, close) in [
        ("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"),
        ("<w:p><w:r><w:txbxContent>", "</w:txbxContent></w:r></w:p>"),
        ("<w:sdt>", "</w:sdt>"),
        (
            "<mc:AlternateContent><mc:Choice>",
            "</mc:Choice></mc:AlternateContent>",
        ),
    ] {
        let body = format!("{}{}", open.repeat(10_000), close.repeat(10_000));
        let file = Docx::new(&body).file();
        assert_eq!(failure(file), Some(Failure::Malformed), "{open}");
    }
    let wide = r#"<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="4000000000"/></w:tcPr></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>"#;
    assert_eq!(failure(Docx::new(wide).file()), Some(Failure::Malformed));
}

#[test]
fn damaged_files() {
    let file = Docx::new(&paragraph("text")).file();
    for length in 0..file.len() {
        assert!(failure(file[..length].to_vec()).is_some(), "{length}");
    }
    assert_eq!(failure(b"plain text".to_vec()), Some(Failure::Malformed));
    assert_eq!(failure(package(&[("a", "b")])), Some(Failure::Malformed));
    let other = package(&[("word/document.xml", "<html><p>text</p></html>")]);
    assert_eq!(failure(other), Some(Failure::Malformed));
}

#[test]
fn passwords() {
    let mut ole = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    ole.resize(1024, 0);
    assert_eq!(failure(ole.clone()), Some(Failure::Malformed));
    ole.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    ole.resize(2048, 0);
    assert_eq!(failure(ole), Some(Failure::Encrypted));
    // The flag of an encrypted entry, in both of its headers.
    let mut file = Docx::new(&paragraph("text")).file();
    for (mark, offset) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        for at in 0..file.len() - 4 {
            if file[at..].starts_with(mark) {
                file[at + offset] |= 1;
            }
        }
    }
    assert_eq!(failure(file), Some(Failure::Encrypted));
}
