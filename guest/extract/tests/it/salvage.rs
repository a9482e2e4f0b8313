//! Damaged packages: the text that their bytes still hold, under a note that says so.

use docent_extract::fixtures::{Docx, Packing, archive, named, package, paragraph};
use docent_extract::{Beyond, Failure, Format, Limits, detect, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

const NOTE: &str = "Damaged: parts of this document could not be read.\n\n";

/// Returns the text of a document, which has to begin with the note, without it.
fn salvaged(format: Format, file: Vec<u8>) -> String {
    let text = extract(format, file, &LIMITS).expect("it has text");
    let text = text.strip_prefix(NOTE);
    text.expect("the text says that it is damaged").to_owned()
}

/// Returns a document whose text takes nearly all of the file.
fn long_document() -> Vec<u8> {
    let words = |n: u32| format!("line {n} {:x}", n.wrapping_mul(2_654_435_761));
    let body: String = (0..3000).map(|n| paragraph(&words(n))).collect();
    Docx::new(&body).file()
}

fn find(file: &[u8], bytes: &[u8]) -> usize {
    let mut windows = file.windows(bytes.len());
    windows
        .position(|window| window == bytes)
        .expect("it is there")
}

#[test]
fn a_file_that_is_cut_gives_the_text_before_the_end() {
    let file = long_document();
    let cut = file[..file.len() * 6 / 10].to_vec();
    assert_eq!(detect("docx", &cut, &LIMITS), Ok(Format::Docx));
    assert_eq!(detect("", &cut, &LIMITS), Ok(Format::Docx));
    let text = salvaged(Format::Docx, cut);
    assert!(text.starts_with("line 0 0\n\nline 1 9e3779b1\n"));
    assert!(text.contains("\nline 1000 "));
    assert!(!text.contains("\nline 2999 "));
}

#[test]
fn packages_without_their_directory_give_all_text() {
    for (format, name) in [
        (Format::Docx, "guide.docx"),
        (Format::Xlsx, "sales.xlsx"),
        (Format::Pptx, "deck.pptx"),
        (Format::Odt, "report.odt"),
        (Format::Ods, "budget.ods"),
        (Format::Odp, "talk.odp"),
        (Format::Epub, "book.epub"),
        (Format::Hwpx, "notice.hwpx"),
    ] {
        let file = named(name);
        let whole = extract(format, file.clone(), &LIMITS).expect("it has text");
        let directory = find(&file, b"PK\x01\x02");
        let cut = file[..directory].to_vec();
        assert_eq!(detect("", &cut, &LIMITS), Ok(format), "{name}");
        assert_eq!(salvaged(format, cut), whole, "{name}");
        let mut changed = file;
        changed[directory] ^= 1;
        assert_eq!(salvaged(format, changed), whole, "{name}");
    }
}

#[test]
fn damaged_bytes_of_a_part_end_its_text() {
    let mut file = long_document();
    let middle = file.len() / 2;
    file[middle..middle + 64].fill(0xFF);
    let text = salvaged(Format::Docx, file);
    assert!(text.starts_with("line 0 0\n\nline 1 9e3779b1\n"));
    assert!(text.contains("\nline 1000 "));
}

#[test]
fn tags_without_their_counterpart_cost_no_other_text() {
    let part = |body: &str| {
        let part = format!("<w:document><w:body>{body}</w:body></w:document>");
        archive(&[("word/document.xml", part.as_bytes(), Packing::Stored)])
    };
    let paragraphs: Vec<String> = ["one", "two", "three"].map(paragraph).to_vec();
    let body = paragraphs.concat();
    for (written, damage, expected) in [
        (
            "<w:r><w:t xml:space=\"preserve\">two",
            "<w:r><w:u xml:space=\"preserve\">two",
            "one\n\nthree\n",
        ),
        ("two</w:t>", "two</w:s>", "one\n\ntwo\n\nthree\n"),
        ("two", "t&w;o", "one\n\nto\n\nthree\n"),
    ] {
        let damaged = body.replacen(written, damage, 1);
        assert_eq!(salvaged(Format::Docx, part(&damaged)), expected, "{damage}");
    }
    let mut file = part(&body);
    let at = find(&file, b"two");
    file[at] = 0xFF;
    assert_eq!(salvaged(Format::Docx, file), "one\n\n?wo\n\nthree\n");
}

#[test]
fn damaged_styles_cost_no_text() {
    let mut document = Docx::new(&paragraph("text"));
    document.styles = "<w:style".to_owned();
    assert_eq!(salvaged(Format::Docx, document.file()), "text\n");
}

#[test]
fn what_has_no_words_is_refused() {
    let body = "<w:document><w:body><w:p/></w:body>";
    for parts in [&[("word/document.xml", body)][..], &[("a", "b")]] {
        let end = extract(Format::Docx, package(parts), &LIMITS);
        assert_eq!(end, Err(Failure::Malformed));
    }
    // Headers that repeat without end, each with the longest name.
    let header = [
        b"PK\x03\x04".as_slice(),
        &[0; 22],
        &[0, 1, 0, 0],
        &[b'a'; 256],
    ]
    .concat();
    for file in [header.repeat(50_000), b"PK\x03\x04".repeat(1 << 20)] {
        let end = extract(Format::Docx, file, &LIMITS);
        assert_eq!(end, Err(Failure::Malformed));
    }
}
