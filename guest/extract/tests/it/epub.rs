//! Tests of books, from the bytes of the file to Markdown.

use crate::damage::check_cuts;
use docent_extract::fixtures::{Epub, Packing, archive, named, package};
use docent_extract::{Beyond, Failure, Format, Limits, detect, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

fn read(file: Vec<u8>) -> Result<String, Failure> {
    extract(Format::Epub, file, &LIMITS)
}

fn markdown_of(book: &Epub) -> String {
    read(book.file()).expect("it can be read")
}

#[test]
fn chapters_in_the_order_of_the_spine() {
    let mut book = Epub::new("The book")
        .with("a b.xhtml", "<h1>One</h1><p>caf&eacute;&nbsp;<a href='c.xhtml#x'>see</a> <a href='https://example.org'>web</a></p>")
        .with("c.xhtml", "<h2 id='x'>Two</h2><ul><li>a</li></ul><table><tr><td>1</td><td>2</td></tr></table>")
        .with("d.xhtml", "<p>not in the spine</p>");
    book.spine = r#"<itemref idref="c1"/><itemref idref="c0"/><itemref idref="none"/><itemref idref="cover"/><itemref idref="c1"/>"#.to_owned();
    assert_eq!(
        markdown_of(&book),
        "# The book\n\n### Two\n\n- a\n\n| 1 | 2 |\n| --- | --- |\n\n## One\n\n\
         café see [web](https://example.org)\n\nLeft out: 1 picture.\n"
    );
}

#[test]
fn a_chapter_without_a_heading_gets_that_of_the_contents() {
    let chapters = Epub::new("B")
        .with("t.xhtml", "<h1>B</h1><p>by A</p>")
        .with("a.xhtml", "<p>Part One</p><p>text</p>")
        .with("b.xhtml", "<div>text</div>")
        .with("c.xhtml", "<p>text</p><h3>Its own</h3>")
        .with("d.xhtml", "<p>text</p>");
    let expected = "# B\n\nby A\n\n## Part One\n\ntext\n\n### One & two\n\ntext\n\ntext\n\n\
                    #### Its own\n\ntext\n";
    let mut book = chapters.clone();
    book.navigation = "<h2>Contents</h2><ol><li><a href='a.xhtml'>Part <b>One</b></a><ol><li><a href='b.xhtml#x'>One &amp; two</a></li><li><a href='b.xhtml#y'>Three</a></li></ol></li><li><a href='c.xhtml'>C</a></li></ol>".to_owned();
    assert_eq!(markdown_of(&book), expected);
    let mut book = chapters;
    book.ncx = "<navPoint><navLabel><text>Part One</text></navLabel><content src='a.xhtml'/><navPoint><navLabel><text>One &amp; two</text></navLabel><content src='b.xhtml'/></navPoint></navPoint><navPoint><navLabel><text>C</text></navLabel><content src='c.xhtml'/></navPoint>".to_owned();
    assert_eq!(markdown_of(&book), expected);
}

#[test]
fn encrypted_chapters_are_told_from_disguised_fonts() {
    let encrypted = |algorithm: &str, part: &str| {
        let mut book = Epub::new("B").with("a.xhtml", "<p>x</p>");
        book.encryption = format!(
            r#"<encryption><EncryptedData><EncryptionMethod Algorithm="{algorithm}"/><CipherData><CipherReference URI="{part}"/></CipherData></EncryptedData></encryption>"#
        );
        read(book.file())
    };
    let cipher = "http://www.w3.org/2001/04/xmlenc#aes128-cbc";
    assert_eq!(encrypted(cipher, "OPS/a.xhtml"), Err(Failure::Encrypted));
    assert!(encrypted(cipher, "OPS/a.png").is_ok());
    assert!(encrypted("http://www.idpf.org/2008/embedding", "OPS/a.otf").is_ok());
}

#[test]
fn books_that_are_damaged_or_incomplete() {
    let book = Epub::new("").with("a.xhtml", "<p>x</p>");
    let document = book.package_document();
    let page = "<p>x &mdash; <b>y</p>";
    assert_eq!(
        read(package(&[("content.opf", &document), ("a.xhtml", page)])).as_deref(),
        Ok("x — y\n")
    );
    assert_eq!(
        read(package(&[("content.opf", &document)])).as_deref(),
        Ok("Left out: 1 missing chapter.\n")
    );
    for parts in [
        &[("a.xhtml", page)][..],
        &[("content.opf", "<package/>")],
        &[("content.opf", "<package>")],
        &[("META-INF/container.xml", "<container>")],
    ] {
        assert_eq!(read(package(parts)), Err(Failure::Malformed));
    }
    let file = named("book.epub");
    check_cuts(Format::Epub, &file);
}

#[test]
fn a_book_is_known_by_its_media_type_or_container() {
    let book = named("book.epub");
    for extension in ["epub", "zip", "docx"] {
        assert_eq!(detect(extension, &book, &LIMITS), Ok(Format::Epub));
    }
    let container = r#"<container><rootfile full-path="a" media-type="application/oebps-package+xml"/></container>"#;
    let file = package(&[("META-INF/container.xml", container)]);
    assert_eq!(detect("", &file, &LIMITS), Ok(Format::Epub));
    let other = archive(&[("mimetype", b"application/hwp+zip", Packing::Stored)]);
    assert_eq!(detect("", &other, &LIMITS), Err(Failure::Malformed));
}

#[test]
fn books_end_at_their_limits() {
    let mut book = Epub::new("B").with("a.xhtml", &"<div>".repeat(100_000));
    book.spine = r#"<itemref idref="c0"/>"#.repeat(20_000);
    assert_eq!(markdown_of(&book), "# B\n");
    let bomb = Epub::new("B").with("a.xhtml", &" ".repeat(17 << 20));
    assert_eq!(read(bomb.file()), Err(Failure::TooLarge));
    // Chapters end together however much the caller allows.
    let limits = Limits {
        unpacked_bytes: u64::MAX,
        ..LIMITS
    };
    let read_chapters = |count: usize| {
        let names = (0..count).map(|number| format!("{number}.xhtml"));
        let blanks = " ".repeat(16 << 20);
        let book = names.fold(Epub::new("B"), |book, name| book.with(&name, &blanks));
        extract(Format::Epub, book.file(), &limits)
    };
    assert_eq!(read_chapters(1).as_deref(), Ok("# B\n"));
    assert_eq!(read_chapters(2), Err(Failure::TooLarge));
    let laughs = Epub::new("&x;").with("a.xhtml", "<!DOCTYPE a [<!ENTITY x \"y\">]><p>&x;</p>");
    assert_eq!(markdown_of(&laughs), "# &x;\n\n]>\n\n&x;\n");
    let book = named("book.epub");
    let all = read(book.clone()).expect("it can be read");
    for text_bytes in 0..all.len() {
        let limits = Limits {
            text_bytes,
            beyond: Beyond::LeaveOut,
            ..LIMITS
        };
        let beginning = extract(Format::Epub, book.clone(), &limits);
        let beginning = beginning.expect("the beginning can be read");
        assert!(beginning.len() <= text_bytes && all.starts_with(&beginning));
    }
}
