//! Tests of messages and mailboxes, from the bytes of the file to Markdown.

use docent_extract::fixtures::mail::{base64, cp949, mailbox, multipart, part, quoted_printable};
use docent_extract::fixtures::named;
use docent_extract::{Beyond, Failure, Format, Limits, detect, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

/// Words with syllables that code page 949 has and EUC-KR lacks.
const KOREAN: &str = "똠방각하와 펲시콜라, 뷁을 좋아하는 사람이 쓴 글입니다.";

fn markdown_of(message: &[u8]) -> String {
    extract(Format::Eml, message.to_vec(), &LIMITS).expect("it can be read")
}

fn mailbox_text(content: &[u8]) -> String {
    extract(Format::Mbox, content.to_vec(), &LIMITS).expect("it can be read")
}

macro_rules! sample {
    ($name:literal) => {
        include_bytes!(concat!("../samples/mail/", $name))
    };
}

#[test]
fn a_message_with_an_attachment() {
    assert_eq!(
        markdown_of(&named("offer.eml")),
        "# 설정\n\nFrom: 홍길동 <hong@example.kr>\nTo: Kim <kim@example.kr>\n\
         Date: 2026-11-25T09:30:00+09:00\n\n설정을 바꾼다.\n\n## Attachments\n\n\
         - offer.hwp (application/x-hwp, 100 bytes)\n"
    );
}

#[test]
fn korean_samples() {
    let words = "똠방각하와 펲시콜라, 계약서 검토 결과를 보냅니다.";
    let from = "From: 홍길동 <a@b.kr>\nTo: c@d.kr\n";
    let subject = "# 뷁 회의록 첨부";
    for (message, expected) in [
        (
            &sample!("a_ks_c_5601_b64.eml")[..],
            format!("{subject}\n\n{from}\n{words}\n"),
        ),
        (
            sample!("b_euckr_8bit.eml"),
            format!("{subject}\n\n{from}\n{words}\n"),
        ),
        (
            sample!("c_html_euckr_qp.eml"),
            format!("{subject}\n\n{from}\n{words}\n"),
        ),
        (
            sample!("d_rawheader.eml"),
            format!("{subject}\n\nFrom: a@b.kr\n\n{words}\n"),
        ),
        (
            sample!("e_filename.eml"),
            format!(
                "# x\n\nFrom: a@b.kr\n\n{words}\n\n## Attachments\n\n\
                 - 견적서 펲.hwp (application/octet-stream, 3 bytes)\n"
            ),
        ),
    ] {
        assert_eq!(markdown_of(message), expected);
    }
}

#[test]
fn messages_that_an_editor_saved_in_utf_16() {
    let message = "From: a@b.kr\r\nSubject: 뷁 회의록\r\n\r\n계약서를 보냅니다.\r\n";
    for (mark, units) in [
        ("\u{FEFF}", u16::to_le_bytes as fn(u16) -> [u8; 2]),
        ("\u{FEFF}", u16::to_be_bytes),
        ("", u16::to_le_bytes),
        ("", u16::to_be_bytes),
    ] {
        let file = format!("{mark}{message}");
        let file: Vec<u8> = file.encode_utf16().flat_map(units).collect();
        assert_eq!(detect("eml", &file, &LIMITS), Ok(Format::Eml));
        assert_eq!(
            markdown_of(&file),
            "# 뷁 회의록\n\nFrom: a@b.kr\n\n계약서를 보냅니다.\n"
        );
    }
}

#[test]
fn korean_bodies_in_all_encodings() {
    let raw = cp949(KOREAN);
    let utf16: Vec<u8> = KOREAN.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (charset, transfer, body) in [
        ("ks_c_5601-1987", "8bit", raw.clone()),
        (
            "EUC-KR",
            "quoted-printable",
            quoted_printable(&raw).into_bytes(),
        ),
        ("cp949", "base64", base64(&raw).into_bytes()),
        ("us-ascii", "7bit", raw.clone()),
        ("unknown-8bit", "binary", raw.clone()),
        ("utf-8", "8bit", raw.clone()),
        ("utf-8", "base64", base64(KOREAN.as_bytes()).into_bytes()),
        ("euc-kr", "8bit", KOREAN.as_bytes().to_vec()),
        ("utf-16le", "base64", base64(&utf16).into_bytes()),
    ] {
        let fields = [
            "Subject: x",
            &format!("Content-Type: text/plain; charset=\"{charset}\""),
            &format!("Content-Transfer-Encoding: {transfer}"),
        ];
        assert_eq!(
            markdown_of(&part(&fields, body)),
            format!("# x\n\n{KOREAN}\n"),
            "{charset}"
        );
    }
    let fields = [
        "Subject: x",
        "Content-Type: text/plain; charset=iso-2022-kr",
    ];
    let message = part(&fields, b"\x1B$)C\r\n\x0EGQ1[\x0F mail\r\n\x0E1[\x0F\r\n");
    assert_eq!(markdown_of(&message), "# x\n\n한글 mail\n글\n");
}

#[test]
fn korean_fields_without_encoded_words() {
    let mut message = b"Subject: ".to_vec();
    message.extend(cp949("뷁 설정"));
    message.extend(b"\nFrom: \"");
    message.extend(cp949("홍길동"));
    message
        .extend(b"\" <a@b.kr>\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nwords\n--b\n");
    message.extend(b"Content-Type: application/x-hwp; name=\"");
    message.extend(cp949("펲 견적.hwp"));
    message.extend(b"\"\n\n1234\n--b--\n");
    assert_eq!(
        markdown_of(&message),
        "# 뷁 설정\n\nFrom: 홍길동 <a@b.kr>\n\nwords\n\n## Attachments\n\n\
         - 펲 견적.hwp (application/x-hwp, 4 bytes)\n"
    );
}

#[test]
fn fields_in_many_forms() {
    let message = part(
        &[
            "Sender: robot@example.kr",
            "to: \"Hong, Gildong\" <hong@example.kr>,\r\n\t\"Kim \\\"K\\\"\" <kim@example.kr>",
            "TO: lee@example.kr",
            "Cc: undisclosed-recipients:;",
            "Bcc: =?utf-8?B?7ZW=?=\r\n =?utf-8?B?nOq4gA==?= <a@b.kr>",
            "Date: yesterday",
        ],
        "# words\r\n> quoted\r\n\r\n- more",
    );
    assert_eq!(
        markdown_of(&message),
        "From: robot@example.kr\n\
         To: \"Hong, Gildong\" <hong@example.kr>, Kim \"K\" <kim@example.kr>, lee@example.kr\n\
         Cc: undisclosed-recipients:;\nBcc: 한글 <a@b.kr>\nDate: yesterday\n\n\
         \\# words\n\\> quoted\n\n\\- more\n"
    );
}

#[test]
fn alternatives_are_read_once() {
    let plain = |words: &str| part(&["Content-Type: text/plain"], words);
    let page = part(&["Content-Type: text/html"], "<p>page</p>");
    let picture = part(
        &[
            "Content-Type: image/png; name=logo.png",
            "Content-Disposition: inline",
            "Content-ID: <1>",
        ],
        "12",
    );
    let related = multipart("related", &[], &[page.clone(), picture]);
    let logo = "## Attachments\n\n- logo.png (image/png, 2 bytes)\n";
    for (parts, expected) in [
        (vec![plain("words"), page.clone()], "words\n".to_owned()),
        (vec![page.clone(), plain("words")], "words\n".to_owned()),
        (
            vec![plain("words"), related.clone()],
            format!("words\n\n{logo}"),
        ),
        // Some programs leave the plain text empty.
        (vec![plain(" \r\n"), related], format!("page\n\n{logo}")),
        (vec![page], "page\n".to_owned()),
    ] {
        let message = multipart("alternative", &["Subject: s"], &parts);
        assert_eq!(markdown_of(&message), format!("# s\n\n{expected}"));
    }
}

#[test]
fn parts_that_are_text_and_parts_that_are_attached() {
    let attached = part(
        &["Subject: =?euc-kr?B?yLjAx7fP?=", "Content-Type: text/plain"],
        "words of another message",
    );
    let parts = [
        part(&[], "first"),
        part(&["Content-Type: text/plain; name=a.txt"], "second"),
        part(
            &["Content-Disposition: attachment; filename*=euc-kr''%C7%D1.txt"],
            "third",
        ),
        part(&["Content-Type: message/rfc822"], &attached),
        part(
            &[
                "Content-Type: message/rfc822",
                "Content-Transfer-Encoding: base64",
            ],
            base64(&attached),
        ),
        part(&["Content-Type: text/calendar"], "BEGIN:VCALENDAR"),
        part(&["Content-Type: text/html; charset=utf-8"], "<p>last</p>"),
    ];
    let size = attached.len();
    assert_eq!(
        markdown_of(&multipart("mixed", &["Subject: s"], &parts)),
        format!(
            "# s\n\nfirst\n\nsecond\n\nlast\n\n## Attachments\n\n- a.txt (text/plain, 6 bytes)\n\
             - 한.txt (text/plain, 5 bytes)\n- unnamed (message/rfc822, {size} bytes): 회의록\n\
             - unnamed (message/rfc822, {size} bytes): 회의록\n\
             - unnamed (text/calendar, 15 bytes)\n"
        )
    );
}

#[test]
fn labels_that_lie() {
    let page = "<meta charset=\"euc-kr\"><p>뷁 é</p>".replace('é', "&eacute;");
    for (fields, body, expected) in [
        // Plain text that is labelled as base 64.
        (
            &["Subject: s", "Content-Transfer-Encoding: base64"][..],
            b"We meet on Monday at noon, in the small room.".to_vec(),
            "We meet on Monday at noon, in the small room.",
        ),
        (
            &["Subject: s", "Content-Transfer-Encoding: x-uuencode"],
            b"We meet on Monday.".to_vec(),
            "We meet on Monday.",
        ),
        // No media type.
        (
            &["Subject: s", "Content-Type: <html>"],
            b"<p>words</p>".to_vec(),
            "words",
        ),
        // A page that tells its encoding, which the mail does not.
        (
            &["Subject: s", "Content-Type: text/html"],
            cp949(&page),
            "뷁 é",
        ),
        (
            &["Subject: s", "Content-Type: text/html; charset=us-ascii"],
            cp949(&page),
            "뷁 é",
        ),
    ] {
        let text = markdown_of(&part(fields, body));
        assert_eq!(text, format!("# s\n\n{expected}\n"));
    }
}

#[test]
fn flowed_lines_are_joined() {
    let body = "one \r\ntwo\r\n> three \r\n> four\r\n>> five \r\n> six\r\n-- \r\nname\r\n";
    let fields = ["Subject: s", "Content-Type: text/plain; format=flowed"];
    assert_eq!(
        markdown_of(&part(&fields, body)),
        "# s\n\none two\n\\> three four\n\\>> five\n\\> six\n\\--\nname\n"
    );
}

#[test]
fn damaged_samples() {
    assert_eq!(
        markdown_of(sample!("mail-parser-resources_eml_malformed_017.eml")),
        "# Hello world\n\nFrom: Test User <test@example.org>\nTo: Another User <test2@example.org>\n\n\
         ## Attachments\n\n- image001.png (image/png, 12 bytes)\n"
    );
    assert_eq!(
        markdown_of(b"Re\xFFeived: x\nTo: a@b.kr\n\nwords"),
        "To: a@b.kr\n\nwords\n"
    );
    assert_eq!(
        markdown_of(sample!("mail-parser-resources_eml_malformed_022.eml")),
        "# broken rfc822 attachment\n\nFrom: a@example.com\n\nhello\n\n## Attachments\n\n\
         - broken.eml (message/rfc822, 42 bytes)\n"
    );
}

#[test]
fn messages_of_a_mailbox() {
    assert_eq!(
        mailbox_text(&named("archive.mbox")),
        "## 1: first\n\nTo: kim@example.kr\n\n설정\n\n## 2: second\n\nTo: kim@example.kr\n\n설정\n"
    );
    let file = part(&["Content-Disposition: attachment; filename=a.txt"], "1");
    let message = multipart("mixed", &["To: kim@example.kr"], &[file]);
    assert_eq!(
        mailbox_text(&mailbox(&[message])),
        "## 1\n\nTo: kim@example.kr\n\n### Attachments\n\n- a.txt (text/plain, 1 byte)\n"
    );
}

#[test]
fn separators_of_messages() {
    let content = "From a@b Mon Jun  1 04:28:28 2009\nSubject: 1\n\n\
        From here on, this is text.\n>From time to time\n>>From quoted\n\n\
        From my point of view:\nno\n\
        From c@d Mon Jun  1 04:28:28 2009\nSubject: 2\n\nno empty line above\n\n\
        From nobody\nSubject: 3\n\nno date\n\n\
        From e@f Mon Jun  1 04:28:28 2009\n\nno header";
    assert_eq!(
        mailbox_text(content.as_bytes()),
        "## 1: 1\n\nFrom here on, this is text.\nFrom time to time\n\\>From quoted\n\n\
         From my point of view:\nno\n\n## 2: 2\n\nno empty line above\n\n## 3: 3\n\nno date\n\n\
         ## 4\n\nno header\n"
    );
}

#[test]
fn samples_of_mailboxes() {
    let text = mailbox_text(sample!("tika-x-headers.mbox"));
    assert_eq!(
        text,
        "## 1: RE: Var simulation\n\nFrom: naveen.andrews@enron.com\nTo: andy.zipper@enron.com\n\
         Date: 2002-01-30T15:07:01-08:00\n\nthe quick brown fox jumped over the lazy dog\n"
    );
    assert!(mailbox_text(sample!("tika-mail.mbox")).starts_with("## 1\n\n"));
}

#[test]
fn messages_beyond_the_limit_are_counted() {
    let content = "From a 1:00\nTo:\n".repeat(10_002);
    let text = mailbox_text(content.as_bytes());
    assert!(text.contains("## 10000\n"));
    assert!(text.ends_with("\n\nLeft out: 2 messages.\n"));
}

#[test]
fn parts_beyond_the_limit_are_counted() {
    let content = format!(
        "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n{}",
        "--b\nContent-Type: a/b\n\n".repeat(10_001)
    );
    assert!(markdown_of(content.as_bytes()).ends_with("\n\nLeft out: 1 part of a message.\n"));
}

#[test]
fn nesting_is_bounded() {
    let nested: String = (1..20_000)
        .map(|level| format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"))
        .collect();
    let text = markdown_of(format!("Subject: s\n{nested}\nwords").as_bytes());
    assert!(text.starts_with("# s\n\n## Attachments\n\n- unnamed (multipart/mixed, "));
    let messages = "Subject: s\nContent-Type: message/rfc822\n\n".repeat(20_000);
    let text = markdown_of(messages.as_bytes());
    assert!(text.starts_with("# s\n\n## Attachments\n\n- unnamed (message/rfc822, "));
}

#[test]
fn other_files_are_not_mail() {
    for content in [&b""[..], b"words", b"\n\n", b"words: more\n", b"\xFF\xFE"] {
        for format in [Format::Eml, Format::Mbox] {
            let read = extract(format, content.to_vec(), &LIMITS);
            assert_eq!(read, Err(Failure::Malformed), "{content:?}");
        }
    }
}

#[test]
fn messages_that_are_cut() {
    for (format, name) in [(Format::Eml, "offer.eml"), (Format::Mbox, "archive.mbox")] {
        let whole = named(name);
        for length in 0..whole.len() {
            let read = extract(format, whole[..length].to_vec(), &LIMITS);
            assert!(matches!(read, Ok(_) | Err(Failure::Malformed)), "{length}");
        }
    }
}

#[test]
fn the_text_is_limited() {
    let body = "words ".repeat(1 << 20);
    for fields in [
        &["Subject: s"][..],
        &["Subject: s", "Content-Type: text/html"],
        &["Subject: s", "Content-Transfer-Encoding: quoted-printable"],
    ] {
        let message = part(fields, &body);
        let read = |beyond| {
            let limits = Limits {
                text_bytes: 1 << 10,
                beyond,
                ..LIMITS
            };
            extract(Format::Eml, message.clone(), &limits)
        };
        assert_eq!(read(Beyond::Refuse), Err(Failure::TooLarge));
        let text = read(Beyond::LeaveOut).expect("its beginning is read");
        assert!(text.len() <= 1 << 10 && text.starts_with("# s\n\nwords"));
    }
}
