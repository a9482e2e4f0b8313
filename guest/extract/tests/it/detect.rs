//! Tests of the detection of formats by content.

use docent_extract::fixtures::{named, package, relationships};
use docent_extract::{Beyond, Failure, Format, Limits, detect};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

#[test]
fn the_content_decides_and_not_the_extension() {
    for (name, format) in [
        ("guide.docx", Format::Docx),
        ("sales.xlsx", Format::Xlsx),
        ("manual.pdf", Format::Pdf),
        ("memo.rtf", Format::Rtf),
        ("sums.ipynb", Format::Ipynb),
    ] {
        for extension in ["docx", "xlsx", "pdf", "rtf", "ipynb", "doc", "dotm", ""] {
            let found = detect(extension, &named(name), &LIMITS);
            assert_eq!(found, Ok(format), "{name} as {extension}");
        }
    }
}

#[test]
fn a_main_part_of_another_name_is_found() {
    let document = "<document><body/></document>";
    let links = relationships(&[("a", "officeDocument", "text.xml")]);
    let file = package(&[("_rels/.rels", &links), ("text.xml", document)]);
    assert_eq!(detect("", &file, &LIMITS), Ok(Format::Docx));
}

#[test]
fn the_extension_decides_for_content_of_no_known_format() {
    for content in [&b""[..], b"PK\x03\x04", b"words"] {
        for (extension, expected) in [
            ("docm", Ok(Format::Docx)),
            ("xltx", Ok(Format::Xlsx)),
            ("pdf", Ok(Format::Pdf)),
            ("png", Err(Failure::Malformed)),
        ] {
            assert_eq!(detect(extension, content, &LIMITS), expected, "{extension}");
        }
    }
}

#[test]
fn rtf_may_begin_after_white_space() {
    for file in [&b" \r\n{\\rtf1}"[..], b"\xEF\xBB\xBF{\\rtf1}", b"{\\rtf"] {
        assert_eq!(detect("doc", file, &LIMITS), Ok(Format::Rtf));
    }
    assert_eq!(detect("doc", b"{rtf1}", &LIMITS), Err(Failure::Malformed));
}

#[test]
fn a_notebook_is_known_by_its_members() {
    for (file, expected) in [
        (r#"{"nbformat": 4, "cells": []}"#, Ok(Format::Ipynb)),
        (
            "\u{FEFF} {\"worksheets\": [], \"nbformat\": 3}",
            Ok(Format::Ipynb),
        ),
        (r#"{"nbformat": 4}"#, Err(Failure::Malformed)),
        (
            r#"{"a": {"nbformat": 4, "cells": []}}"#,
            Err(Failure::Malformed),
        ),
        (r#"["cells", "nbformat"]"#, Err(Failure::Malformed)),
    ] {
        assert_eq!(detect("json", file.as_bytes(), &LIMITS), expected, "{file}");
    }
}

#[test]
fn a_pdf_may_begin_late() {
    let mut file = vec![b'\n'; 1000];
    file.extend(b"%PDF-1.7");
    assert_eq!(detect("docx", &file, &LIMITS), Ok(Format::Pdf));
}

#[test]
fn a_document_with_a_password_is_an_ole_container() {
    let mut ole = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    ole.resize(1024, 0);
    assert_eq!(detect("docx", &ole, &LIMITS), Err(Failure::Malformed));
    ole.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    ole.resize(2048, 0);
    assert_eq!(detect("docx", &ole, &LIMITS), Err(Failure::Encrypted));
}
