//! Tests of documents of Hangul in XML, from the bytes of the file to Markdown.

use docent_extract::fixtures::{Hwpx, hwpx_paragraph, package};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

fn markdown_of(section: &str) -> String {
    extract(Format::Hwpx, Hwpx::new(section).file(), &LIMITS).expect("it can be read")
}

fn failure(file: Vec<u8>) -> Option<Failure> {
    extract(Format::Hwpx, file, &LIMITS).err()
}

/// Returns a paragraph with this content.
fn paragraph(content: &str) -> String {
    format!("<hp:p><hp:run>{content}</hp:run></hp:p>")
}

fn words(text: &str) -> String {
    format!("<hp:t>{text}</hp:t>")
}

/// Returns a cell at a column, `span` columns wide.
fn cell(column: u32, span: u32, content: &str) -> String {
    format!(
        r#"<hp:tc><hp:subList>{content}</hp:subList><hp:cellAddr colAddr="{column}" rowAddr="0"/><hp:cellSpan colSpan="{span}" rowSpan="1"/></hp:tc>"#
    )
}

fn table(rows: &[&str]) -> String {
    let rows: String = rows
        .iter()
        .map(|row| format!("<hp:tr>{row}</hp:tr>"))
        .collect();
    format!("<hp:tbl>{rows}</hp:tbl>")
}

#[test]
fn headings_lists_and_paragraphs() {
    let section = [
        hwpx_paragraph(2, "총칙"),
        hwpx_paragraph(3, "목적"),
        hwpx_paragraph(1, "이 규정은   시행한다."),
        hwpx_paragraph(3, "범위"),
        hwpx_paragraph(4, "하나"),
        hwpx_paragraph(6, "안쪽"),
        hwpx_paragraph(6, "둘째"),
        hwpx_paragraph(4, "다음"),
        hwpx_paragraph(5, "점"),
        hwpx_paragraph(2, "보칙"),
        r#"<hp:p paraPrIDRef="1" styleIDRef="1"><hp:run><hp:t>부칙</hp:t></hp:run></hp:p>"#
            .to_owned(),
        hwpx_paragraph(99, "# no heading"),
    ];
    assert_eq!(
        markdown_of(&section.concat()),
        "# 제1장 총칙\n\n## 1.1 목적\n\n이 규정은 시행한다.\n\n## 1.2 범위\n\n3. 하나\n    - 가. 안쪽\n    \
         - 나. 둘째\n4. 다음\n- 점\n\n# 제2장 보칙\n\n# 부칙\n\n\\# no heading\n"
    );
}

#[test]
fn sections_follow_the_spine() {
    let mut document = Hwpx::new(&hwpx_paragraph(1, "first"));
    for index in 2..12 {
        document
            .sections
            .push(hwpx_paragraph(1, &format!("section {index}")));
    }
    let text = extract(Format::Hwpx, document.file(), &LIMITS).expect("it can be read");
    let found: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(found.len(), 11);
    assert_eq!(found[10], "section 11");
    let section =
        |words: &str| format!("<sec>{}</sec>", hwpx_paragraph(1, words).replace("hp:", ""));
    let manifest = r#"<package><manifest><item id="a" href="section0.xml"/><item id="b" href="section1.xml"/></manifest>
        <spine><itemref idref="b"/><itemref idref="a"/><itemref idref="b"/></spine></package>"#;
    let file = package(&[
        ("Contents/content.hpf", manifest),
        ("Contents/section0.xml", &section("zero")),
        ("Contents/section1.xml", &section("one")),
        ("Contents/section2.xml", &section("two")),
    ]);
    assert_eq!(
        extract(Format::Hwpx, file, &LIMITS).as_deref(),
        Ok("one\n\nzero\n\ntwo\n")
    );
}

#[test]
fn inline_content() {
    let section = [
        paragraph(
            "<hp:t>one<hp:tab/>two<hp:lineBreak/>three<hp:nbSpace/>four<hp:fwSpace/>f<hp:hyphen/>ive<hp:markpenBegin/>!</hp:t>",
        ),
        paragraph(
            r#"<hp:t>원 </hp:t><hp:compose composeText="12"/><hp:dutmal><hp:mainText>漢字</hp:mainText><hp:subText>한자</hp:subText></hp:dutmal>"#,
        ),
        paragraph(
            "<hp:t>수식 </hp:t><hp:equation><hp:shapeComment>수식입니다.</hp:shapeComment><hp:script>{a} over {b}</hp:script></hp:equation>",
        ),
        paragraph(
            "<hp:t>\u{F0A0} 𠀀 \u{E000}</hp:t><hp:linesegarray><hp:t>no</hp:t></hp:linesegarray>",
        ),
        paragraph(
            "<hp:t>kept <hp:deleteBegin/>gone<hp:deleteEnd/><hp:insertBegin/>added<hp:insertEnd/></hp:t>",
        ),
    ];
    assert_eq!(
        markdown_of(&section.concat()),
        "one two\nthree four five!\n\n원 12漢字(한자)\n\n수식 ${a} over {b}$\n\n\
         \u{F0A0} 𠀀 \u{E000}\n\nkept added\n\nLeft out: 1 deletion.\n"
    );
}

#[test]
fn links_and_fields() {
    let link = |parameters: &str, text: &str| {
        format!(
            r#"<hp:ctrl><hp:fieldBegin type="HYPERLINK"><hp:parameters>{parameters}</hp:parameters></hp:fieldBegin></hp:ctrl>{}<hp:ctrl><hp:fieldEnd/></hp:ctrl>"#,
            words(text)
        )
    };
    let string = |name: &str, value: &str| {
        format!(r#"<hp:stringParam name="{name}">{value}</hp:stringParam>"#)
    };
    let section = [
        paragraph(&format!(
            "{}{}{}",
            words("see "),
            link(&string("Path", "https://e.org/a b"), "the [site]"),
            link(&string("Command", r"mailto\:a@e.org;2;0;0;"), " mail")
        )),
        paragraph(&link(&string("Command", "?here;0;0;0;"), "inside")),
        paragraph(
            r#"<hp:ctrl><hp:fieldBegin type="CLICK_HERE"><hp:parameters><hp:stringParam name="Direction">이름</hp:stringParam></hp:parameters></hp:fieldBegin></hp:ctrl><hp:t>홍길동</hp:t><hp:ctrl><hp:fieldEnd/></hp:ctrl>"#,
        ),
        paragraph(
            r#"<hp:ctrl><hp:fieldBegin type="MEMO"><hp:subList><hp:p><hp:run><hp:t>memo</hp:t></hp:run></hp:p></hp:subList></hp:fieldBegin></hp:ctrl><hp:t>noted</hp:t><hp:ctrl><hp:fieldEnd/></hp:ctrl>"#,
        ),
        paragraph(
            r#"<hp:checkBtn value="CHECKED" caption="동의"/><hp:radioBtn value="UNCHECKED" caption="거부"/><hp:comboBox selectedValue="서울"/><hp:edit><hp:text>쓴 글</hp:text></hp:edit>"#,
        ),
    ];
    assert_eq!(
        markdown_of(&section.concat()),
        "see [the \\[site\\]](https://e.org/a%20b) [mail](mailto:a@e.org)\n\ninside\n\n홍길동\n\n\
         noted\n\n☒ 동의☐ 거부서울쓴 글\n\nLeft out: 1 comment.\n"
    );
}

#[test]
fn tables_with_merged_cells() {
    let p = |text: &str| hwpx_paragraph(1, text);
    let merged = table(&[
        &[cell(0, 2, &p("제목")), cell(2, 1, &p("비고"))].concat(),
        &[cell(0, 1, &p("a|b")), cell(1, 1, &(p("one") + &p("two")))].concat(),
        // The first cell is covered by the one above it.
        &cell(2, 1, &p("끝")),
        "",
    ]);
    let inner = table(&[&[cell(0, 1, &p("x")), cell(1, 1, &p("y"))].concat()]);
    let frame = table(&[&cell(0, 3, &(p("framed") + &paragraph(&inner)))]);
    let nested = table(&[&[cell(0, 1, &paragraph(&inner)), cell(1, 1, &p("z"))].concat()]);
    let bare = "<hp:tbl><hp:tr><hp:tc><hp:p><hp:run><hp:t>no list</hp:t></hp:run></hp:p></hp:tc><hp:tc/></hp:tr></hp:tbl>";
    let section = [merged, frame, nested, bare.to_owned()].map(|table| paragraph(&table));
    assert_eq!(
        markdown_of(&section.concat()),
        "| 제목 |  | 비고 |\n| --- | --- | --- |\n| a\\|b | one<br>two |  |\n|  |  | 끝 |\n\n\
         framed\n\n| x | y |\n| --- | --- |\n\n| x y | z |\n| --- | --- |\n\n\
         | no list |  |\n| --- | --- |\n"
    );
}

#[test]
fn objects_keep_their_place() {
    let p = |text: &str| hwpx_paragraph(1, text);
    let table = |content: &str| {
        let cells = [cell(0, 1, &p("a")), cell(1, 1, &p("b"))].concat();
        format!("<hp:tbl>{content}<hp:tr>{cells}</hp:tr></hp:tbl>")
    };
    let caption = |side: &str, text: &str| {
        format!(
            r#"<hp:caption side="{side}"><hp:subList><hp:p><hp:run><hp:t>{text} </hp:t><hp:ctrl><hp:autoNum num="2" numType="TABLE"><hp:autoNumFormat type="DIGIT" suffixChar="."/></hp:autoNum></hp:ctrl></hp:run></hp:p></hp:subList></hp:caption>"#
        )
    };
    let text_box = format!(
        "<hp:rect><hp:shapeComment>사각형입니다.</hp:shapeComment><hp:drawText><hp:subList>{}</hp:subList></hp:drawText></hp:rect>",
        p("boxed")
    );
    let picture = format!("<hp:pic>{}</hp:pic>", caption("BOTTOM", "그림"));
    let section = [
        paragraph(&format!(
            "{}{}{}",
            words("before"),
            table(""),
            words("after")
        )),
        paragraph(&table(&caption("TOP", "표"))),
        paragraph(&table(&caption("BOTTOM", "표"))),
        paragraph(&format!("{}{text_box}{}", words("one "), words("line"))),
        paragraph(&format!("<hp:container>{text_box}{picture}</hp:container>")),
        paragraph(
            "<hp:switch><hp:case><hp:chart/></hp:case><hp:default><hp:ole/></hp:default></hp:switch>",
        ),
        paragraph(r#"<hp:textart text="글맵시"/>"#),
    ];
    let rows = "| a | b |\n| --- | --- |";
    assert_eq!(
        markdown_of(&section.concat()),
        format!(
            "before\n\n{rows}\n\nafter\n\n표 2.\n\n{rows}\n\n{rows}\n\n표 2.\n\none line\n\nboxed\n\n\
             boxed\n\n그림 2.\n\n글맵시\n\nLeft out: 1 picture, 1 embedded object.\n"
        )
    );
}

#[test]
fn notes_headers_and_hidden_comments() {
    let note = |name: &str, text: &str| {
        format!(
            "<hp:ctrl><hp:{name}><hp:subList>{}</hp:subList></hp:{name}></hp:ctrl>",
            hwpx_paragraph(1, text)
        )
    };
    let hidden = note("hiddenComment", "hidden");
    let row = [
        cell(
            0,
            1,
            &paragraph(&format!("{}{hidden}{}", words("before "), words("behind"))),
        ),
        cell(1, 1, &hwpx_paragraph(1, "next")),
    ];
    let section = [
        paragraph(&format!(
            "{}{}",
            note("header", "head"),
            note("footer", "foot")
        )),
        paragraph(&format!(
            "{}{}{}{}",
            words("one"),
            note("footNote", "first"),
            words(" two"),
            note("endNote", "last")
        )),
        paragraph(&table(&[&row.concat()])),
    ];
    assert_eq!(
        markdown_of(&section.concat()),
        "one[^1] two[^2]\n\n| before behind | next |\n| --- | --- |\n\n[^1]: first\n\n[^2]: last\n\n\
         Left out: 1 comment.\n"
    );
}

#[test]
fn encrypted_and_empty_packages() {
    let manifest = r#"<odf:manifest xmlns:odf="o"><odf:file-entry><odf:encryption-data/></odf:file-entry></odf:manifest>"#;
    let file = package(&[
        ("META-INF/manifest.xml", manifest),
        ("Contents/section0.xml", "???"),
    ]);
    assert_eq!(failure(file), Some(Failure::Encrypted));
    for parts in [
        &[("mimetype", "application/hwp+zip")][..],
        &[("Contents/section0.xml", "<a/>")],
        &[("Contents/section0.xml", "<sec>")],
    ] {
        assert_eq!(
            failure(package(parts)),
            Some(Failure::Malformed),
            "{parts:?}"
        );
    }
}

#[test]
fn limits_hold() {
    let deep = |levels: usize| {
        let begin = "<hp:p><hp:run><hp:tbl><hp:tr><hp:tc><hp:subList>".repeat(levels);
        let end = "</hp:subList></hp:tc></hp:tr></hp:tbl></hp:run></hp:p>".repeat(levels);
        format!("{begin}{}{end}", hwpx_paragraph(1, "deep"))
    };
    assert_eq!(markdown_of(&deep(20)), "deep\n");
    assert_eq!(
        failure(Hwpx::new(&deep(40)).file()),
        Some(Failure::Malformed)
    );
    let wide = table(&[&[
        cell(0, 2_000_000_000, &hwpx_paragraph(1, "x")),
        cell(4_000_000_000, 1, &hwpx_paragraph(1, "y")),
    ]
    .concat()]);
    let text = markdown_of(&paragraph(&wide));
    assert!(text.len() < 3000, "{}", text.len());
    let bomb = paragraph(&words(&" ".repeat(17 << 20)));
    assert_eq!(failure(Hwpx::new(&bomb).file()), Some(Failure::TooLarge));
    let cells = "<hp:tc/>".repeat(1 << 20);
    let file = Hwpx::new(&paragraph(&table(&[&cells]))).file();
    assert_eq!(failure(file), Some(Failure::TooLarge));
}

#[test]
fn the_beginning_alone() {
    let section: String = (0..1000)
        .map(|n| hwpx_paragraph(1, &format!("line {n}")))
        .collect();
    let limits = Limits {
        text_bytes: 30,
        beyond: Beyond::LeaveOut,
        ..LIMITS
    };
    assert_eq!(
        extract(Format::Hwpx, Hwpx::new(&section).file(), &limits).as_deref(),
        Ok("line 0\n\nline 1\n\nline 2\n\nline 3"[..30].trim_start())
    );
}
