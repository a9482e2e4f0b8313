//! Tests of text documents, from the bytes of the file to Markdown.

use crate::damage::check_cuts;
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

fn markdown_of(body: &str) -> String {
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
        markdown_of(&body),
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
        Ok("one two\nthree -[the \\[site\\]](https://example.org/a%20b) inside🡪→shown\n")
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
        markdown_of(&body),
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
    assert_eq!(markdown_of(&body), "10⁻⁶, 1st\n");
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
    assert_eq!(
        markdown_of(body),
        "kept added moved here 7\n\nwas a heading\n"
    );
}

/// Returns a run with a field marker.
fn sign(kind: &str) -> String {
    format!(r#"<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>"#)
}

fn run(text: &str) -> String {
    format!(r#"<w:r><w:t xml:space="preserve">{text}</w:t></w:r>"#)
}

/// Returns a field; instruction and result are XML.
fn field(instruction: &str, result: &str) -> String {
    let (begin, separate, end) = (sign("begin"), sign("separate"), sign("end"));
    format!("{begin}{instruction}{separate}{result}{end}")
}

fn instruction(text: &str) -> String {
    format!(r#"<w:r><w:instrText xml:space="preserve">{text}</w:instrText></w:r>"#)
}

#[test]
fn links_that_are_fields() {
    let link = |address: &str, result: &str| {
        field(
            &instruction(&format!(" HYPERLINK &quot;{address}&quot; ")),
            result,
        )
    };
    // The address comes from another field, and the instruction is split.
    let made = field(
        &format!(
            "{}{}{}{}",
            instruction("HYPER"),
            instruction("LINK &quot;https://example.org/"),
            field(&instruction(" DOCPROPERTY Page "), &run("report")),
            instruction("&quot; \\l &quot;sum&quot; \\o &quot;a hint&quot;"),
        ),
        &run("made"),
    );
    let body = format!(
        r#"<w:p>{}{}{made}</w:p>
        <w:p><w:fldSimple w:instr=" HYPERLINK &quot;https://example.org/(s)&quot; \t &quot;_blank&quot;">{}</w:fldSimple></w:p>
        <w:p>{}</w:p>
        <w:p>{}{}{}{}</w:p><w:p>{}{}{}</w:p>
        <w:p><w:hyperlink r:id="l1" w:anchor="part">{}</w:hyperlink><w:hyperlink r:id="l1">{}{}</w:hyperlink></w:p>"#,
        run("see "),
        link("https://example.org/a?b=1", &run(" one")),
        run("simple"),
        field(
            &instruction(" HYPERLINK \\l &quot;here&quot; "),
            &run("inside")
        ),
        sign("begin"),
        instruction("HYPERLINK https://example.org/long"),
        sign("separate"),
        run("first"),
        run("second"),
        sign("end"),
        run(" no more"),
        run("of the part"),
        run(" whole"),
        link("https://example.org/within", &run(" link")),
    );
    let mut document = Docx::new(&body);
    document.links = vec![("l1", "https://example.org/l")];
    assert_eq!(
        text(&document).as_deref(),
        Ok(
            "see [one](https://example.org/a?b=1)[made](https://example.org/report#sum)\n\n\
            [simple](https://example.org/%28s%29)\n\n\
            inside\n\n\
            [first](https://example.org/long)\n\n\
            [second](https://example.org/long) no more\n\n\
            [of the part](https://example.org/l#part) [whole link](https://example.org/l)\n"
        )
    );
}

#[test]
fn instructions_are_no_text() {
    let merge = |result: &str| field(&instruction(" MERGEFIELD x "), &run(result));
    let picture = field(
        &format!(
            "{}{}{}",
            instruction("INCLUDEPICTURE &quot;"),
            field(
                &format!("{}{}", instruction("IF "), merge("secret")),
                &run("secret.png")
            ),
            instruction("&quot;"),
        ),
        &run("shown"),
    );
    // A condition over several paragraphs, with a table and a break in it.
    let condition = format!(
        "<w:p>{}{}{}</w:p><w:p><w:r><w:br/><w:tab/></w:r>{}</w:p><w:tbl><w:tr><w:tc><w:p>{}</w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p>{}{}{}</w:p>",
        sign("begin"),
        instruction(" IF 1 = 1 &quot;"),
        merge("a"),
        merge("b"),
        merge("c"),
        sign("separate"),
        run("yes"),
        sign("end"),
    );
    let entry = format!(
        "{}{}{}",
        sign("begin"),
        instruction(" XE &quot;entry&quot; "),
        sign("end")
    );
    let body = format!(
        "<w:p>{picture}</w:p>{condition}<w:p>{entry}{}</w:p>",
        run("tail")
    );
    assert_eq!(markdown_of(&body), "shown\n\nyes\n\ntail\n");
}

#[test]
fn fields_without_an_end_hide_nothing() {
    let body = format!(
        "<w:p>{}{}{}</w:p><w:p>{}{}</w:p><w:p>{}{}{}{}</w:p>{}",
        run("before "),
        sign("begin"),
        instruction("IF"),
        field(&instruction("PAGE"), &run("7")),
        run(" behind"),
        sign("begin"),
        instruction("HYPERLINK https://example.org"),
        sign("separate"),
        run("link"),
        styled("1", "Heading"),
    );
    assert_eq!(
        markdown_of(&body),
        "before\n\n7 behind\n\nlink\n\n# Heading\n"
    );
    let mut document = Docx::new(r#"<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>"#);
    let note = format!(
        "<w:p>{}{}{}</w:p>",
        sign("begin"),
        instruction("IF"),
        run("note")
    );
    document.footnotes = format!(r#"<w:footnote w:id="1">{note}</w:footnote>"#);
    assert_eq!(text(&document).as_deref(), Ok("[^1]\n\n[^1]: note\n"));
}

#[test]
fn signs_and_forms() {
    let form = |inside: &str, name: &str| {
        format!(
            r#"<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData>{inside}</w:ffData></w:fldChar></w:r>{}{}{}</w:p>"#,
            instruction(name),
            sign("separate"),
            sign("end"),
        )
    };
    let control = |checked: &str, sign: &str| {
        format!(
            r#"<w:p><w:sdt><w:sdtPr><w:alias w:val="x"/><w14:checkbox xmlns:w14="w14">{checked}<w14:checkedState w14:val="0052" w14:font="Wingdings 2"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r>{sign}</w:r></w:sdtContent></w:sdt></w:p>"#
        )
    };
    let body = [
        r#"<w:p><w:r><w:sym w:font="Wingdings" w:char="F0A8"/><w:sym w:font="Webdings" w:char="0061"/><w:sym w:font="Symbol" w:char="F044"/><w:sym w:font="Music" w:char="F041"/></w:r></w:p>"#.to_owned(),
        // Old programs write such symbols as letters.
        "<w:p><w:r><w:rPr><w:rFonts w:ascii=\"Symbol\" w:hAnsi=\"Symbol\"/></w:rPr><w:t>m\u{F06D} 5</w:t></w:r><w:r><w:t>m</w:t></w:r></w:p>".to_owned(),
        r#"<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:sym w:font="Wingdings" w:char="F0FC"/><w:tab/></w:r><w:r><w:t>x</w:t></w:r></w:p>"#.to_owned(),
        form(r#"<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>"#, " FORMCHECKBOX "),
        form(r#"<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>"#, " FORMCHECKBOX "),
        form(r#"<w:ddList><w:result w:val="1"/><w:listEntry w:val="low"/><w:listEntry w:val="high"/></w:ddList>"#, " FORMDROPDOWN "),
        control(r#"<w14:checked w14:val="1"/>"#, ""),
        control(r#"<w14:checked w14:val="0"/>"#, r#"<w:sym w:font="None" w:char="F000"/>"#),
        control(r#"<w14:checked w14:val="1"/>"#, r#"<w:sym w:font="Wingdings 2" w:char="F052"/>"#),
    ]
    .concat();
    assert_eq!(
        markdown_of(&body),
        "🞎✔Δ[symbol F041 of Music]\n\nμμ 5m\n\nx\n\n☒\n\n☐\n\nhigh\n\n☒\n\n☐\n\n☑\n"
    );
}

#[test]
fn links_of_notes_are_those_of_their_part() {
    let mut document = Docx::new(r#"<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>"#);
    document.links = vec![("l1", "https://example.org/of-the-text")];
    document.footnotes = format!(
        r#"<w:footnote w:id="1"><w:p><w:hyperlink r:id="l1">{}</w:hyperlink></w:p></w:footnote>"#,
        run("words")
    );
    assert_eq!(text(&document).as_deref(), Ok("[^1]\n\n[^1]: words\n"));
}

#[test]
fn text_is_hidden_as_long_as_its_run_lasts() {
    let hidden = "<w:rPr><w:vanish/></w:rPr>";
    // A tracked change has removed it.
    let shown = format!("<w:rPr><w:b/><w:rPrChange>{hidden}</w:rPrChange></w:rPr>");
    let body = format!(
        "<w:p><w:r>{shown}<w:t>shown</w:t></w:r><w:r>{hidden}<w:ruby><w:rubyBase><w:r>{hidden}<w:t>below</w:t></w:r></w:rubyBase></w:ruby><w:t>behind</w:t></w:r></w:p>"
    );
    assert_eq!(markdown_of(&body), "shown\n");
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
        row(&["<w:trPr><w:gridBefore w:val=\"1\"/><w:trPrChange><w:trPr><w:gridBefore w:val=\"7\"/></w:trPr></w:trPrChange></w:trPr>".to_owned(), cell(&paragraph("second"))]),
        row(&["<w:trPr><w:gridAfter w:val=\"1\"/></w:trPr>".to_owned(), cell(&paragraph("first"))]),
        row(&["<w:trPr><w:ins w:id=\"1\"/><w:del w:id=\"2\"/></w:trPr>".to_owned(), cell(&paragraph("deleted"))]),
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
        markdown_of(&format!("{grid}{frame}")),
        "| 이름 | 값 \\| 둘 |\n| --- | --- |\n| a<br>b | - x |\n| both |  |\n|  | second |\n| first |  |\n| in | 1 2 |\n\n\
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
    check_cuts(Format::Docx, &file);
    assert_eq!(failure(b"plain text".to_vec()), Some(Failure::Malformed));
    assert_eq!(failure(package(&[("a", "b")])), Some(Failure::Malformed));
    let other = package(&[("word/document.xml", "<html><p>text</p></html>")]);
    assert_eq!(failure(other), Some(Failure::Malformed));
}

#[test]
fn passwords() {
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

#[test]
fn pictures_are_counted() {
    let new = r#"<w:drawing><wp:inline><a:graphic><pic:pic><a:blip r:embed="i"/></pic:pic></a:graphic></wp:inline></w:drawing>"#;
    let old = r#"<w:pict><v:shape><v:imagedata r:id="i"/></v:shape></w:pict>"#;
    let both = format!(
        "<mc:AlternateContent><mc:Choice>{new}</mc:Choice><mc:Fallback>{old}</mc:Fallback></mc:AlternateContent>"
    );
    let body = |pictures: &str| format!("{}<w:p><w:r>{pictures}</w:r></w:p>", paragraph("Text."));
    for (pictures, expected) in [
        (String::new(), "Text.\n"),
        (new.to_owned(), "Text.\n\nLeft out: 1 picture.\n"),
        (both, "Text.\n\nLeft out: 1 picture.\n"),
        (format!("{new}{old}"), "Text.\n\nLeft out: 2 pictures.\n"),
    ] {
        assert_eq!(markdown_of(&body(&pictures)), expected);
    }
}
