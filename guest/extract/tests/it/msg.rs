//! Tests of messages of Outlook, from the bytes of the file to Markdown.

use docent_extract::fixtures::mail::cp949;
use docent_extract::fixtures::{Msg, container, named};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

fn markdown_of(message: Msg) -> String {
    extract(Format::Msg, message.file(), &LIMITS).expect("it can be read")
}

#[test]
fn a_message_with_an_attachment() {
    assert_eq!(
        extract(Format::Msg, named("reply.msg"), &LIMITS).as_deref(),
        Ok(
            "# 설정\n\nFrom: 홍길동 <hong@example.kr>\nTo: Kim\nDate: 2026-11-25T00:30:00+00:00\n\n\
             설정을 바꾼다.\n\n\\> 설정\n\n## Attachments\n\n- offer.hwp (application/x-hwp, 100 bytes)\n"
        )
    );
}

#[test]
fn recipients_by_their_kinds() {
    let recipient = |kind, name: &str, address: &str| {
        Msg::default()
            .number(0x0C15, kind)
            .text(0x3001, name)
            .text(0x3003, address)
    };
    let message = Msg::default()
        .text(0x0C1A, "Hong")
        .text(0x0C1F, "/O=EXAMPLE/OU=KR/CN=HONG")
        .text(0x0E04, "not read")
        .text(0x0E03, "Only Displayed")
        .recipient(recipient(1, "김", "kim@example.kr"))
        .recipient(recipient(3, "park@example.kr", "park@example.kr"))
        .recipient(recipient(1, "", "lee@example.kr"))
        .recipient(recipient(1, "", ""));
    assert_eq!(
        markdown_of(message),
        "From: Hong\nTo: 김 <kim@example.kr>, lee@example.kr\nCc: Only Displayed\n\
         Bcc: park@example.kr\n"
    );
}

#[test]
fn the_date_has_the_time_zone_of_the_sender() {
    let message = Msg::default().time(0x0039, 134_400_402_000_000_000).text(
        0x007D,
        "Microsoft Mail Internet Headers Version 2.0\r\nReceived: x\r\n\
             Date: Wed, 25 Nov 2026 09:30:00 +0900\r\n\r\n",
    );
    assert_eq!(markdown_of(message), "Date: 2026-11-25T09:30:00+09:00\n");
}

#[test]
fn texts_in_code_pages() {
    let words = "똠방각하와 뷁";
    for code_page in [
        Msg::default().number(0x3FFD, 949),
        Msg::default().number(0x3FF1, 0x412),
        Msg::default().number(0x3FDE, 51949),
        Msg::default(),
    ] {
        let message = code_page
            .text_8(0x0037, &cp949(words))
            .text_8(0x1000, &cp949(&format!("{words}\0")));
        assert_eq!(markdown_of(message), format!("# {words}\n\n{words}\n"));
    }
}

#[test]
fn pages() {
    let page = "<html><meta charset=euc-kr><p>뷁</p><h1>제목</h1></html>";
    for message in [
        Msg::default().binary(0x1013, &cp949(page)),
        Msg::default()
            .binary(0x1013, page.as_bytes())
            .number(0x3FDE, 65001),
        Msg::default()
            .number(0x3FFD, 1252)
            .number(0x3FDE, 949)
            .binary(0x1013, &cp949(page)),
        Msg::default().text(0x1000, " \r\n").text(0x1013, page),
    ] {
        let message = message.text(0x0037, "s");
        assert_eq!(markdown_of(message), "# s\n\n뷁\n\n## 제목\n");
    }
}

#[test]
fn text_in_rtf() {
    assert_eq!(
        extract(Format::Msg, named("letter.msg"), &LIMITS).as_deref(),
        Ok("# 설정\n\n설정&\n")
    );
    let rtf = b"{\\rtf1\\ansi First.\\par {\\pict 00}Second\\v hidden\\v0 .\\par}";
    for (message, expected) in [
        (
            Msg::default().text(0x0037, "s").rtf(rtf),
            "# s\n\nFirst.\n\nSecond.\n\nLeft out: 1 picture, 1 hidden passage.\n",
        ),
        (Msg::default().text(0x1000, "plain").rtf(rtf), "plain\n"),
        (Msg::default().text(0x1013, "<p>page").rtf(rtf), "page\n"),
        (
            Msg::default().rtf(b"{\\rtf1\\fromhtml1{\\*\\htmltag <h1>a</h1><img src=x>}}"),
            "## a\n\nLeft out: 1 picture.\n",
        ),
        (Msg::default().rtf(b"words"), "Left out: 1 text in RTF.\n"),
        (
            Msg::default().binary(0x1009, b"short"),
            "Left out: 1 text in RTF.\n",
        ),
    ] {
        assert_eq!(markdown_of(message), expected);
    }
}

#[test]
fn text_in_rtf_that_is_damaged_says_so() {
    let packed = b"\x40\0\0\0\xFF\0\0\0LZFu\0\0\0\0\0{\\rtf1 a\0bcd";
    let message = Msg::default().text(0x0037, "s").binary(0x1009, packed);
    assert_eq!(
        markdown_of(message),
        "# s\n\nDamaged: parts of this document could not be read.\n\nabcd\n"
    );
    let large = [&packed[..4], &u32::MAX.to_le_bytes(), &packed[8..]].concat();
    let read = extract(
        Format::Msg,
        Msg::default().binary(0x1009, &large).file(),
        &LIMITS,
    );
    assert_eq!(read, Err(Failure::TooLarge));
}

#[test]
fn attached_messages_have_their_subject() {
    let inner = Msg::default()
        .text(0x0037, "회의록")
        .text(0x1000, "words of another message");
    let message = Msg::default()
        .text(0x1000, "words")
        .attachment(Msg::default().text(0x3001, "회의록").message(inner))
        .attachment(Msg::default().text(0x3704, "A~1.TXT").binary(0x3701, b"1"))
        .attachment(Msg::default());
    assert_eq!(
        markdown_of(message),
        "words\n\n## Attachments\n\n- unnamed (message/rfc822): 회의록\n- A~1.TXT (1 byte)\n\
         - unnamed\n"
    );
}

#[test]
fn items_beyond_the_limit_are_counted() {
    let mut message = Msg::default().text(0x0037, "s");
    for _ in 0..5001 {
        message = message.recipient(Msg::default().text(0x3001, "a"));
    }
    let text = markdown_of(message);
    assert!(text.ends_with(", a\n\nLeft out: 1 recipient or attachment.\n"));
}

#[test]
fn files_without_properties_are_not_read() {
    for file in [
        Vec::new(),
        container(&[]),
        container(&[("Other/__properties_version1.0", b"x")]),
    ] {
        let read = extract(Format::Msg, file, &LIMITS);
        assert_eq!(read, Err(Failure::Malformed));
    }
}

#[test]
fn messages_that_are_cut() {
    for name in ["reply.msg", "letter.msg"] {
        let whole = named(name);
        for length in (0..whole.len()).step_by(7) {
            let read = extract(Format::Msg, whole[..length].to_vec(), &LIMITS);
            assert!(
                matches!(read, Ok(_) | Err(Failure::Malformed)),
                "{name} {length}"
            );
        }
    }
}
