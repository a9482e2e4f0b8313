//! Books: reading any file ends with Markdown within the limit, or with an error.
#![no_main]

use docent_extract::fixtures::{Epub, named};
use docent_extract::{Beyond, Format, Limits, extract};
use docent_fuzz::{markdown, office, seeds};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits {
    text_bytes: 1 << 18,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::LeaveOut,
};

/// Bytes of the beginning that is compared with the whole.
const BEGINNING: usize = 50;

const PARTS: [&str; 6] = [
    "content.opf",
    "a.xhtml",
    "nav.xhtml",
    "toc.ncx",
    "META-INF/container.xml",
    "META-INF/encryption.xml",
];

const TAGS: [&str; 24] = [
    "package",
    "dc:title",
    "item id='c0' href='a.xhtml'",
    "item id='nav' href='nav.xhtml' properties='nav'",
    "item id='ncx' href='toc.ncx' media-type='application/x-dtbncx+xml'",
    "itemref idref='c0'",
    "spine toc='ncx'",
    "nav",
    "ol",
    "li",
    "a href='a.xhtml'",
    "navPoint",
    "text",
    "content src='a.xhtml#b'",
    "rootfile full-path='content.opf'",
    "EncryptedData",
    "EncryptionMethod Algorithm='x'",
    "CipherReference URI='a.xhtml'",
    "h1",
    "p",
    "ul",
    "table",
    "tr",
    "td",
];

fn write_seeds() {
    let book = Epub::new("B").with("a.xhtml", "<p>x</p>");
    let document = book.package_document();
    seeds::write([
        office::from_file(&named("book.epub")),
        office::from_parts(&[document.as_str(), "<h1>a</h1><p>b", "<nav><ol/></nav>"]),
        vec![2, 0, 1, 0xC0, 80, 2, 80, 6, 5, 80, 80, 80, 0xFF, 19, 0xC0, 80],
    ]);
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let file = office::package(data, &PARTS, &TAGS);
    let Ok(text) = extract(Format::Epub, file.clone(), &LIMITS) else {
        return;
    };
    assert!(text.len() <= LIMITS.text_bytes);
    if text.len() < LIMITS.text_bytes - 1024 && !text.contains("```") {
        markdown::check(&text);
    }
    let limits = Limits {
        text_bytes: BEGINNING,
        ..LIMITS
    };
    if let Ok(beginning) = extract(Format::Epub, file, &limits) {
        markdown::check_beginning(&beginning, &text, BEGINNING);
    }
});
