//! Tests of PDF files, from their bytes to Markdown.

use docent_extract::fixtures::{Pdf, named, objects};
use docent_extract::{Beyond, Failure, Format, Limits, UnknownGlyphs, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

fn text(pdf: &Pdf) -> Result<String, Failure> {
    extract(Format::Pdf, pdf.file(), &LIMITS)
}

fn end(file: Vec<u8>) -> Result<String, Failure> {
    extract(Format::Pdf, file, &LIMITS)
}

#[test]
fn pages_without_an_outline() {
    let pdf = Pdf::default()
        .page(&["The server starts", "with a token.", "", "# next"])
        .page(&[])
        .page(&["서버를 켠다.", "설정 파일을 고친다."]);
    assert_eq!(
        text(&pdf).as_deref(),
        Ok(
            "## Page 1\n\nThe server starts\nwith a token.\n\n\\# next\n\n\
            ## Page 3\n\n서버를 켠다.\n설정 파일을 고친다.\n"
        )
    );
}

#[test]
fn an_outline_gives_the_headings() {
    let mut pdf = Pdf::default()
        .page(&["Preface", "", "words before", "", "1. 시작", "", "first"])
        .page(&["more", "", "1.1 Install", "", "second"])
        .page(&["last"]);
    pdf.title = "Guide to 서버";
    pdf.outline = vec![(0, "시작", 0), (1, "Install", 1), (0, "Hidden heading", 2)];
    let expected = "# Guide to 서버\n\nPreface\n\nwords before\n\n## 1. 시작\n\nfirst\n\nmore\n\n\
         ### 1.1 Install\n\nsecond\n\n## Hidden heading\n\nlast\n";
    assert_eq!(text(&pdf).as_deref(), Ok(expected));
    pdf.has_names = true;
    assert_eq!(text(&pdf).as_deref(), Ok(expected));
}

#[test]
fn an_outline_of_many_entries() {
    let mut pdf = Pdf::default().page(&["text"]);
    pdf.outline = (0..1000).map(|_| (0, "again", 0)).collect();
    // If none of them is printed, only one has text.
    assert_eq!(text(&pdf).as_deref(), Ok("# again\n\ntext\n"));
    let lines = (0..1000u16).map(|n| (50.0, 800.0 - 0.5 * f32::from(n), 0.4, "again".to_owned()));
    pdf.pages = vec![lines.collect()];
    let text = text(&pdf).expect("it can be read");
    assert_eq!(text.matches("# again").count(), 1000);
}

#[test]
fn glyphs_that_are_drawn_and_named_by_their_codes() {
    let mut pdf = Pdf::default().page(&["Hello", "bitmaps"]);
    pdf.has_bitmaps = true;
    assert_eq!(text(&pdf).as_deref(), Ok("## Page 1\n\nHello\nbitmaps\n"));
}

#[test]
fn titles_that_programs_fill_in() {
    let mut pdf = Pdf::default().page(&["text"]);
    for (title, expected) in [
        ("Report", "# Report\n\n## Page 1\n\ntext\n"),
        ("Microsoft Word - a.doc", "## Page 1\n\ntext\n"),
        ("untitled", "## Page 1\n\ntext\n"),
        ("(anonymous)", "## Page 1\n\ntext\n"),
        ("1234", "## Page 1\n\ntext\n"),
    ] {
        pdf.title = title;
        assert_eq!(text(&pdf).as_deref(), Ok(expected), "{title}");
    }
}

#[test]
fn two_columns() {
    let column = |x: f32, lines: [&str; 3]| {
        let placed = lines.into_iter().zip([700.0f32, 686.0, 672.0]);
        placed
            .map(|(line, y)| (x, y, 12.0, line.to_owned()))
            .collect::<Vec<_>>()
    };
    let mut pdf = Pdf::default();
    let left = column(50.0, ["left one", "left two", "left three"]);
    let right = column(320.0, ["right one", "right two", "right three"]);
    pdf.pages.push([left, right].concat());
    assert_eq!(
        text(&pdf).as_deref(),
        Ok("## Page 1\n\nleft one\nleft two\nleft three\n\nright one\nright two\nright three\n")
    );
}

#[test]
fn pictures_of_text_are_no_text() {
    assert_eq!(end(named("scanned.pdf")), Err(Failure::NoText));
}

#[test]
fn pages_of_pictures_among_pages_of_text_are_told() {
    let page = |content: usize| {
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents {content} 0 R \
             /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> \
             /XObject << /X 11 0 R >> >> >>"
        )
    };
    let content = |operators: &str| {
        format!(
            "<< /Length {} >>\nstream\n{operators}\nendstream",
            operators.len() + 1
        )
    };
    let all: Vec<Vec<u8>> = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R 6 0 R] /Count 4 >>".to_owned(),
        page(7),
        page(8),
        page(9),
        // Nothing is drawn here.
        page(10),
        content("/X Do BT /F 12 Tf 50 200 Td (Some words) Tj ET"),
        content("/X Do"),
        content("BI /W 1 /H 1 /BPC 8 /CS /G ID x EI"),
        content(""),
        "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 \
         /ColorSpace /DeviceGray /Length 1 >>\nstream\nx\nendstream"
            .to_owned(),
    ]
    .map(String::into_bytes)
    .to_vec();
    let text = extract(Format::Pdf, objects(&all, ""), &LIMITS);
    assert_eq!(
        text.as_deref(),
        Ok("## Page 1\n\nSome words\n\n(Pictures and no text: pages 2 to 3.)\n")
    );
}

#[test]
fn glyphs_without_characters_are_counted_with_their_pages() {
    let unknown = UnknownGlyphs {
        glyphs: 5,
        pages: 2,
    };
    assert_eq!(
        end(named("unknown.pdf")),
        Err(Failure::UnknownGlyphs(unknown))
    );
}

#[test]
fn the_beginning_alone() {
    let mut pdf = Pdf::default();
    for _ in 0..100 {
        pdf = pdf.page(&["some words"]);
    }
    let limits = Limits {
        text_bytes: 40,
        beyond: Beyond::LeaveOut,
        ..LIMITS
    };
    let text = extract(Format::Pdf, pdf.file(), &limits);
    assert_eq!(
        text.as_deref(),
        Ok("## Page 1\n\nsome words\n\n## Page 2\n\nsome w")
    );
}

#[test]
fn loops_end() {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>";
    let form = "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Length 12 >>\nstream\n/X Do /X Do \nendstream";
    let catalog = "<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>";
    for (pages, outlines, item) in [
        ("[3 0 R]", "7 0 R", "/Next 7 0 R /First 7 0 R"),
        ("[2 0 R 3 0 R]", "6 0 R", "/Next 6 0 R"),
        ("[3 0 R]", "7 0 R", "/Next 1 0 R /Dest (x)"),
    ] {
        let all: Vec<Vec<u8>> = [
            catalog.to_owned(),
            format!("<< /Type /Pages /Kids {pages} /Count 99999999 >>"),
            page.to_owned(),
            "<< /Length 6 >>\nstream\n/X Do \nendstream".to_owned(),
            form.replace("/X Do /X Do ", "/X Do       "),
            format!("<< /Type /Outlines /First {outlines} >>"),
            format!("<< /Title (a) {item} >>"),
        ]
        .map(String::into_bytes)
        .to_vec();
        assert_eq!(end(objects(&all, "")), Err(Failure::NoText), "{pages}");
    }
}

#[test]
fn many_pages_that_are_one() {
    let kids = "3 0 R ".repeat(200_000);
    let all: Vec<Vec<u8>> = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count 200000 >>"),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>".to_owned(),
    ]
    .map(String::into_bytes)
    .to_vec();
    assert_eq!(end(objects(&all, "")), Err(Failure::NoText));
}

#[test]
fn damaged_files() {
    let file = Pdf::default().page(&["The server starts"]).file();
    let mut readable = 0;
    for length in 0..file.len() {
        // A truncated file is searched for objects.
        if let Ok(text) = end(file[..length].to_vec()) {
            assert_eq!(text, "## Page 1\n\nThe server starts\n", "{length}");
            readable += 1;
        }
    }
    assert!(readable > 0);
    for other in [&b""[..], b"plain text", b"%PDF-1.7\n%%EOF"] {
        assert_eq!(end(other.to_vec()), Err(Failure::Malformed));
    }
}

#[test]
fn passwords() {
    let mut file = Pdf::default().page(&["secret"]).file();
    let at = file.windows(7).rposition(|w| w == b"trailer");
    let at = at.expect("the file has a trailer") + "trailer << ".len();
    let key = "00".repeat(32);
    let lock = format!(
        "/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <{key}> /U <{key}> >> /ID [<01> <01>] "
    );
    file.splice(at..at, lock.bytes());
    assert_eq!(end(file), Err(Failure::Encrypted));
}

#[test]
fn korean_without_a_table_of_its_own() {
    // `설정` in code page 949, as in older Korean files, with a font that is not embedded.
    let all: Vec<Vec<u8>> = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /K 5 0 R >> >> >>",
        "<< /Length 43 >>\nstream\nBT /K 12 Tf 50 700 Td <BCB3C1A4> Tj      ET\nendstream",
        "<< /Type /Font /Subtype /Type0 /BaseFont /HYSMyeongJo-Medium-KSCms-UHC-H /Encoding /KSCms-UHC-H /DescendantFonts [6 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HYSMyeongJo-Medium /CIDSystemInfo << /Registry (Adobe) /Ordering (Korea1) /Supplement 1 >> /FontDescriptor 7 0 R >>",
        "<< /Type /FontDescriptor /FontName /HYSMyeongJo-Medium /Flags 6 /ItalicAngle 0 /Ascent 880 /Descent -120 /StemV 60 >>",
    ]
    .map(|object| object.as_bytes().to_vec())
    .to_vec();
    assert_eq!(end(objects(&all, "")).as_deref(), Ok("## Page 1\n\n설정\n"));
}
