//! Tests of members of containers.

use docent_extract::fixtures::mail::{base64, cp949, part};
use docent_extract::fixtures::{Msg, Packing, archive, named, package};
use docent_extract::{Beyond, Failure, Limits, Members, unpack};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

fn read(extension: &str, content: &[u8]) -> Members {
    unpack(extension, content, &LIMITS).expect("it can be read")
}

/// Returns the paths of members, with their contents as text.
fn texts(all: &Members) -> Vec<(&str, String)> {
    let members = all.members.iter();
    members
        .map(|member| {
            let text = String::from_utf8_lossy(&member.content).into_owned();
            (member.path.as_str(), text)
        })
        .collect()
}

#[test]
fn files_of_an_archive() {
    let content = package(&[
        ("readme.md", "# Title\n"),
        ("docs/", ""),
        ("docs/설정.md", "설정"),
        ("../outside.md", "x"),
    ]);
    let all = read("zip", &content);
    assert_eq!(
        texts(&all),
        [
            ("readme.md", "# Title\n".to_owned()),
            ("docs/설정.md", "설정".to_owned()),
            ("outside.md", "x".to_owned()),
        ]
    );
    assert_eq!(all.omitted, 0);
    assert_eq!(
        read("zip", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        Members::default()
    );
}

#[test]
fn names_in_a_legacy_encoding_are_decoded() {
    let content = archive(&[("AAAA.txt", b"a", Packing::Stored)]);
    let name = [cp949("회의"), b".txt".to_vec()].concat();
    let mut korean = content.clone();
    while let Some(at) = korean.windows(8).position(|bytes| bytes == b"AAAA.txt") {
        korean[at..at + 8].copy_from_slice(&name);
    }
    assert_eq!(texts(&read("zip", &korean)), [("회의.txt", "a".to_owned())]);
}

#[test]
fn a_member_that_cannot_be_read_costs_no_other() {
    let mut content = archive(&[
        ("a.txt", b"aaaaaaaaaaaaaaaaaaaaaaaa", Packing::Deflated),
        ("b.txt", b"b", Packing::Stored),
    ]);
    let start = content.windows(5).position(|bytes| bytes == b"a.txt");
    let data = start.expect("it has a name") + 5;
    content[data] = 0xFF;
    let all = read("zip", &content);
    assert_eq!(texts(&all), [("b.txt", "b".to_owned())]);
    assert_eq!(all.omitted, 1);
}

#[test]
fn limits_hold_for_all_members_together() {
    let half = "a".repeat(600 << 10);
    let content = package(&[("a", &half), ("b", &half)]);
    assert_eq!(unpack("zip", &content, &LIMITS), Err(Failure::TooLarge));
    let names: Vec<String> = (0..600).map(|number| format!("{number}.md")).collect();
    let parts: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "a")).collect();
    let all = read("zip", &package(&parts));
    assert_eq!((all.members.len(), all.omitted), (500, 100));
}

#[test]
fn attachments_of_a_message() {
    let attached = |fields: &[&str], body: &[u8]| {
        let fields = [fields, &["Content-Transfer-Encoding: base64"]].concat();
        part(&fields, base64(body))
    };
    let name = "Content-Disposition: attachment; filename=plan.txt";
    let parts = [
        part(&["Content-Type: text/plain"], "the text of the message"),
        attached(&["Content-Type: text/plain", name], b"first"),
        attached(&["Content-Type: text/plain", name], b"second"),
        attached(&["Content-Type: application/pdf"], b"%PDF-"),
        part(
            &["Content-Type: message/rfc822"],
            "Subject: inner\r\n\r\nbody",
        ),
    ];
    let mut body = Vec::new();
    for part in &parts {
        body.extend(b"--x\r\n");
        body.extend(part);
        body.extend(b"\r\n");
    }
    body.extend(b"--x--\r\n");
    let fields = [
        "From: a@b.kr",
        "To: c@d.kr",
        "Content-Type: multipart/mixed; boundary=x",
    ];
    let all = read("eml", &part(&fields, body));
    assert_eq!(
        texts(&all),
        [
            ("plan.txt", "first".to_owned()),
            ("plan (2).txt", "second".to_owned()),
            ("attachment 3.pdf", "%PDF-".to_owned()),
            ("attachment 4.eml", "Subject: inner\r\n\r\nbody".to_owned()),
        ]
    );
}

#[test]
fn messages_of_a_mailbox() {
    let message = |subject: &str| {
        format!(
            "From a@b.kr Wed Nov 25 09:30:00 2026\nFrom: a@b.kr\nSubject: {subject}\n\n>From x\n\n"
        )
    };
    let content = [message("one"), message("two")].concat();
    let all = read("mbox", content.as_bytes());
    let paths: Vec<&str> = all
        .members
        .iter()
        .map(|member| member.path.as_str())
        .collect();
    assert_eq!(paths, ["1.eml", "2.eml"]);
    assert!(
        texts(&all)[1]
            .1
            .starts_with("From: a@b.kr\nSubject: two\n\nFrom x")
    );
}

#[test]
fn attachments_of_a_message_of_outlook() {
    let file = |name: &str| Msg::default().text(0x3707, name).binary(0x3701, b"bytes");
    let message = Msg::default()
        .text(0x0037, "Subject")
        .attachment(file("offer.hwp"))
        .attachment(Msg::default().text(0x3707, "empty.txt"));
    let all = read("msg", &message.file());
    assert_eq!(texts(&all), [("offer.hwp", "bytes".to_owned())]);
    assert_eq!(all.omitted, 1);
}

#[test]
fn pictures_of_a_document() {
    let content = package(&[
        ("[Content_Types].xml", "<Types/>"),
        (
            "word/document.xml",
            "<w:document xmlns:w='w'><w:body/></w:document>",
        ),
        ("word/media/image1.png", "one"),
        ("word/media/image2.emf", "two"),
        ("docProps/thumbnail.jpeg", "three"),
    ]);
    let all = read("docx", &content);
    assert_eq!(
        texts(&all),
        [
            ("image1.png", "one".to_owned()),
            ("thumbnail.jpeg", "three".to_owned())
        ]
    );
}

#[test]
fn other_documents_have_no_members() {
    for name in ["memo.rtf", "manual.pdf"] {
        let extension = &name[name.len() - 3..];
        let found = unpack(extension, &named(name), &LIMITS);
        assert_eq!(found, Err(Failure::Unsupported("no container")), "{name}");
    }
    assert_eq!(unpack("zip", b"text", &LIMITS), Err(Failure::Malformed));
}
