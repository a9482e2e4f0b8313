//! Tests of the detection of formats by content.

use docent_extract::fixtures::{container, named, package, relationships};
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
        ("rates.xls", Format::Xls),
        ("deck.pptx", Format::Pptx),
        ("report.odt", Format::Odt),
        ("report.fodt", Format::Odt),
        ("budget.ods", Format::Ods),
        ("talk.odp", Format::Odp),
        ("manual.pdf", Format::Pdf),
        ("page.html", Format::Html),
        ("book.epub", Format::Epub),
        ("memo.rtf", Format::Rtf),
        ("sums.ipynb", Format::Ipynb),
        ("notice.hwpx", Format::Hwpx),
        ("report.hwp", Format::Hwp),
        ("reply.msg", Format::Msg),
        ("talk.ppt", Format::Ppt),
    ] {
        for extension in ["docx", "pdf", "rtf", "ipynb", "doc", "dotm", "eml", ""] {
            let found = detect(extension, &named(name), &LIMITS);
            assert_eq!(found, Ok(format), "{name} as {extension}");
        }
    }
}

#[test]
fn mail_is_told_by_its_header() {
    for (content, expected) in [
        (named("offer.eml"), Some(Format::Eml)),
        (named("archive.mbox"), Some(Format::Mbox)),
        (
            b"\n\nDate: x\nX-Y: z\nTo: a\n\nbody".to_vec(),
            Some(Format::Eml),
        ),
        (
            b"\xEF\xBB\xBFFrom: x\nTo: a\n\nbody %PDF-".to_vec(),
            Some(Format::Eml),
        ),
        (
            b"From a Wed Nov 25 09:30:00 2026\nX-Y: z\n\nbody".to_vec(),
            Some(Format::Mbox),
        ),
        (b"To: a\n\nFrom: b\n".to_vec(), None),
        (b"A note\nTo: a\nFrom: b\n".to_vec(), None),
        (b"From here on,\nall is text.\n".to_vec(), None),
    ] {
        assert_eq!(detect("", &content, &LIMITS).ok(), expected);
        // A text file may begin with the same words.
        let found = detect("txt", &content, &LIMITS);
        assert!(!matches!(found, Ok(Format::Eml | Format::Mbox)));
        // A mailbox with one message is often called a message.
        let found = detect("eml", &content, &LIMITS);
        assert_eq!(found, Ok(expected.unwrap_or(Format::Eml)));
        let found = detect("mbox", &content, &LIMITS);
        assert_eq!(found, Ok(expected.unwrap_or(Format::Mbox)));
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
            ("xlt", Ok(Format::Xls)),
            ("ppsx", Ok(Format::Pptx)),
            ("pps", Ok(Format::Ppt)),
            ("ott", Ok(Format::Odt)),
            ("fods", Ok(Format::Ods)),
            ("otp", Ok(Format::Odp)),
            ("pdf", Ok(Format::Pdf)),
            ("hwt", Ok(Format::Hwp)),
            ("hwtx", Ok(Format::Hwpx)),
            ("png", Err(Failure::Malformed)),
        ] {
            assert_eq!(detect(extension, content, &LIMITS), expected, "{extension}");
        }
    }
}

#[test]
fn a_page_is_known_by_its_beginning() {
    for (content, is_page) in [
        ("<!DOCTYPE html><p>x", true),
        ("\u{FEFF}\n<HTML lang=ko>", true),
        ("<?xml version='1.0'?><!-- x --><html>", true),
        ("<head><title>", true),
        ("<body>", true),
        ("<header>", false),
        ("<p>x", false),
        ("#include <html>", false),
        ("<!-- <html>", false),
        ("<?xml version='1.0'?><package>", false),
    ] {
        let utf16: Vec<u8> = content.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [content.as_bytes(), &utf16] {
            let expected = if is_page {
                Ok(Format::Html)
            } else {
                Err(Failure::Malformed)
            };
            assert_eq!(detect("", bytes, &LIMITS), expected, "{content}");
        }
        assert_eq!(detect("htm", content.as_bytes(), &LIMITS), Ok(Format::Html));
    }
}

#[test]
fn rtf_may_begin_after_white_space() {
    for file in [&b" \r\n{\\rtf1}"[..], b"\xEF\xBB\xBF{\\rtf1}", b"{\\rtf"] {
        assert_eq!(detect("doc", file, &LIMITS), Ok(Format::Rtf));
    }
    assert_eq!(detect("zip", b"{rtf1}", &LIMITS), Err(Failure::Malformed));
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
fn containers_are_told_by_their_root_entries() {
    for (streams, expected) in [
        (
            &["EncryptedPackage", "EncryptionInfo"][..],
            Err(Failure::Encrypted),
        ),
        (&["FileHeader", "BodyText/Section0"], Ok(Format::Hwp)),
        (&["FileHeader", "ViewText/Section0"], Ok(Format::Hwp)),
        (&["FileHeader"], Err(Failure::Malformed)),
        (
            &["PP40"],
            Err(Failure::Unsupported("a PowerPoint 4 presentation")),
        ),
        (&["WordDocument", "1Table"], Ok(Format::Doc)),
        (&["WordDocument", "Workbook"], Ok(Format::Doc)),
        (&["Workbook"], Ok(Format::Xls)),
        (&["Book"], Ok(Format::Xls)),
        (&["PowerPoint Document", "Pictures"], Ok(Format::Ppt)),
        (
            &[
                "__properties_version1.0",
                "__attach_version1.0_#00000000/Workbook",
            ],
            Ok(Format::Msg),
        ),
        (&["Other/EncryptedPackage"], Err(Failure::Malformed)),
        (&[], Err(Failure::Malformed)),
    ] {
        let streams: Vec<(&str, &[u8])> = streams.iter().map(|name| (*name, &b"x"[..])).collect();
        let file = container(&streams);
        assert_eq!(detect("docx", &file, &LIMITS), expected, "{streams:?}");
    }
    let ole = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
    assert_eq!(detect("hwp", ole, &LIMITS), Err(Failure::Malformed));
}

#[test]
fn documents_of_hangul_before_version_5_are_not_read() {
    let file = b"HWP Document File V3.00 \x1A\x01\x02\x03\x04\x05";
    let expected = Failure::Unsupported("an HWP 3 document");
    assert_eq!(detect("hwp", file, &LIMITS), Err(expected));
}

#[test]
fn documents_of_word_before_version_6_are_not_read() {
    for (file, expected) in [
        (&b"\xDB\xA5\x2D\x00text"[..], "a Word 2 document"),
        (b"\x9B\xA5\x21\x00text", "a Word 1 document"),
    ] {
        let expected = Failure::Unsupported(expected);
        assert_eq!(detect("doc", file, &LIMITS), Err(expected));
    }
}

#[test]
fn an_opendocument_is_known_by_its_media_type_or_its_body() {
    let media = |kind: &str| format!("application/vnd.oasis.opendocument.{kind}");
    for (kind, expected) in [
        ("text-template", Ok(Format::Odt)),
        ("text-master", Ok(Format::Odt)),
        ("spreadsheet-template", Ok(Format::Ods)),
        ("presentation-template\n", Ok(Format::Odp)),
        (
            "graphics",
            Err(Failure::Unsupported("an OpenDocument drawing")),
        ),
        (
            "base",
            Err(Failure::Unsupported("an OpenDocument database")),
        ),
    ] {
        let file = package(&[("mimetype", &media(kind)), ("content.xml", "")]);
        assert_eq!(detect("docx", &file, &LIMITS), expected, "{kind}");
    }
    let body = |root: &str, kind: &str| {
        format!("<{root}><styles><text/></styles><body><{kind}/></body></{root}>")
    };
    for (kind, expected) in [
        ("text", Ok(Format::Odt)),
        ("spreadsheet", Ok(Format::Ods)),
        ("presentation", Ok(Format::Odp)),
        ("other", Err(Failure::Malformed)),
    ] {
        let file = package(&[("content.xml", &body("document-content", kind))]);
        assert_eq!(detect("", &file, &LIMITS), expected, "{kind}");
        let flat = format!("\u{FEFF}\n{}", body("document", kind));
        assert_eq!(detect("", flat.as_bytes(), &LIMITS), expected, "{kind}");
    }
    let other = body("html", "text");
    let found = detect("", other.as_bytes(), &LIMITS);
    assert_eq!(found, Ok(Format::Html));
}
