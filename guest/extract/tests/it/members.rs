//! Tests of members of containers.

use docent_extract::fixtures::mail::{base64, cp949, part};
use docent_extract::fixtures::{Msg, Packing, archive, encrypt_files, named, package};
use docent_extract::{Beyond, Failure, Limits, ListedMember, Member, list_members, unpack};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

/// The members of a container, and the number of those without a path.
struct ReadMembers {
    members: Vec<Member>,
    omitted: usize,
}

/// Unpacks a container, whose list has the same paths.
fn read(extension: &str, content: &[u8]) -> ReadMembers {
    let members = unpack(extension, content, None, &LIMITS).expect("it can be read");
    let listed = list_members(extension, content, &LIMITS).expect("it can be listed");
    assert_eq!(paths_of(&listed.members), paths(&members));
    for member in members.iter().take(3) {
        let alone = [member.path.clone()];
        let found = unpack(extension, content, Some(&alone), &LIMITS).expect("it can be read");
        assert_eq!(found, std::slice::from_ref(member));
    }
    ReadMembers {
        members,
        omitted: listed.omitted,
    }
}

fn paths(members: &[Member]) -> Vec<&str> {
    members.iter().map(|member| &*member.path).collect()
}

fn paths_of(listed: &[ListedMember]) -> Vec<&str> {
    listed.iter().map(|member| &*member.path).collect()
}

/// Returns the paths of members, with their contents as text or the reason that there is none.
fn texts(all: &ReadMembers) -> Vec<(&str, String)> {
    let members = all.members.iter();
    members
        .map(|member| {
            let text = match &member.content {
                Ok(content) => String::from_utf8_lossy(content).into_owned(),
                Err(failure) => format!("{failure:?}"),
            };
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
    let empty = read("zip", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    assert_eq!((texts(&empty).len(), empty.omitted), (0, 0));
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
    let damaged = ("a.txt", "Malformed".to_owned());
    assert_eq!(texts(&all), [damaged, ("b.txt", "b".to_owned())]);
    assert_eq!(all.omitted, 0);
}

#[test]
fn a_member_with_a_password_says_so() {
    let content = package(&[("a.md", "secret"), ("b/c.md", "secret")]);
    let all = read("zip", &encrypt_files(content));
    let encrypted = "Encrypted".to_owned();
    assert_eq!(
        texts(&all),
        [("a.md", encrypted.clone()), ("b/c.md", encrypted)]
    );
}

#[test]
fn limits_hold_for_all_members_together() {
    let half = "a".repeat(600 << 10);
    let content = package(&[("a", &half), ("b", &half)]);
    let all = unpack("zip", &content, None, &LIMITS);
    assert_eq!(all, Err(Failure::TooLarge));
    // It is listed, and each of them is read alone.
    let listed = list_members("zip", &content, &LIMITS).expect("it can be listed");
    let sizes: Vec<Option<u64>> = listed.members.iter().map(|it| it.claimed_bytes).collect();
    assert_eq!(sizes, [Some(600 << 10); 2]);
    let alone = ["b".to_owned()];
    let found = unpack("zip", &content, Some(&alone), &LIMITS).expect("it can be read");
    assert_eq!(paths(&found), ["b"]);
    let both = ["b".to_owned(), "a".to_owned()];
    let found = unpack("zip", &content, Some(&both), &LIMITS);
    assert_eq!(found, Err(Failure::TooLarge));
    let none = unpack("zip", &content, Some(&[]), &LIMITS);
    assert_eq!(none, Ok(Vec::new()));
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
    for name in ["page.html", "manual.pdf"] {
        let extension = name.rsplit('.').next().unwrap_or_default();
        let found = unpack(extension, &named(name), None, &LIMITS);
        assert_eq!(found, Err(Failure::Unsupported("no container")), "{name}");
        let listed = list_members(extension, &named(name), &LIMITS);
        assert_eq!(listed, Err(Failure::Unsupported("no container")), "{name}");
    }
    let found = unpack("zip", b"text", None, &LIMITS);
    assert_eq!(found, Err(Failure::Malformed));
    assert_eq!(
        list_members("zip", b"text", &LIMITS),
        Err(Failure::Malformed)
    );
}

#[test]
fn damaged_containers_are_malformed() {
    for (extension, content) in [
        ("eml", &b"\0\0\0\0"[..]),
        ("eml", b"no header\n"),
        ("mbox", b"\0\0\0\0"),
        ("pptx", b"\0\0\0\0"),
        ("hwpx", b"PK\x03\x04"),
        ("doc", b"\0\0\0\0"),
        ("xls", b"\0\0\0\0"),
        ("ppt", b"\0\0\0\0"),
        ("hwp", b"\0\0\0\0"),
        ("rtf", b"\0\0\0\0"),
        ("msg", b"\0\0\0\0"),
    ] {
        let listed = list_members(extension, content, &LIMITS);
        assert_eq!(listed, Err(Failure::Malformed), "{extension}");
        let members = unpack(extension, content, None, &LIMITS);
        assert_eq!(members, Err(Failure::Malformed), "{extension}");
    }
    // A document in one part has no pictures.
    let flat = read("fodt", &named("report.fodt"));
    assert_eq!((flat.members.len(), flat.omitted), (0, 0));
}

#[test]
fn a_document_that_is_cut_has_the_pictures_that_its_text_names() {
    let mut content = archive(&[
        (
            "word/document.xml",
            b"<w:document><w:body/></w:document>",
            Packing::Stored,
        ),
        ("word/media/image1.png", b"one", Packing::Deflated),
        ("word/media/image2.png", b"two", Packing::Stored),
    ]);
    let end = content.windows(4).position(|bytes| bytes == b"PK\x01\x02");
    content.truncate(end.expect("it has a directory"));
    assert_eq!(
        texts(&read("docx", &content)),
        [
            ("image1.png", "one".to_owned()),
            ("image2.png", "two".to_owned())
        ]
    );
}

#[test]
fn attachments_of_a_message_in_utf_16() {
    let message = "From: a@b.kr\r\nTo: c@d.kr\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n\
        --x\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nfirst\r\n--x--\r\n";
    let mut content = vec![0xFF, 0xFE];
    content.extend(message.encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(
        texts(&read("eml", &content)),
        [("a.txt", "first".to_owned())]
    );
}

#[test]
fn names_cannot_lead_elsewhere() {
    let content = package(&[
        ("../../up.md", "1"),
        ("/abs.md", "2"),
        ("C:\\drive.md", "3"),
        ("Case.md", "4"),
        ("case.md", "5"),
        ("a/../b.md", "6"),
        ("a\\b.md", "7"),
    ]);
    let all = read("zip", &content);
    let paths: Vec<&str> = all.members.iter().map(|member| &*member.path).collect();
    let expected = [
        "up.md",
        "abs.md",
        "C_/drive.md",
        "Case.md",
        "case.md",
        "a/b.md",
        "a/b (2).md",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn links_in_an_archive_are_no_members() {
    let mut content = archive(&[
        ("link.md", b"/etc/passwd", Packing::Stored),
        ("a.md", b"a", Packing::Stored),
    ]);
    let entry = content.windows(4).position(|bytes| bytes == b"PK\x01\x02");
    let entry = entry.expect("it has a directory");
    // Made on Unix, and the mode of a symbolic link.
    content[entry + 5] = 3;
    content[entry + 38..entry + 42].copy_from_slice(&(0o120_777_u32 << 16).to_le_bytes());
    assert_eq!(texts(&read("zip", &content)), [("a.md", "a".to_owned())]);
}

#[test]
fn an_archive_of_a_hundred_thousand_files() {
    let names: Vec<String> = (0..100_000).map(|number| format!("{number}.md")).collect();
    let parts: Vec<(&str, &[u8], Packing)> = names
        .iter()
        .map(|name| (name.as_str(), b"a".as_slice(), Packing::Stored))
        .collect();
    let all = read("zip", &archive(&parts));
    assert_eq!((all.members.len(), all.omitted), (500, 99_500));
}

/// An archive of stored files, written byte by byte.
#[derive(Default)]
struct ArchiveBytes {
    files: Vec<u8>,
    directory: Vec<u8>,
    entries: u16,
    /// Checksum and length of the first file.
    first: Option<(u32, u32)>,
}

impl ArchiveBytes {
    /// Adds a file whose entry claims to have `claimed` more bytes when unpacked.
    fn add(&mut self, name: &str, claimed: u32, content: &[u8]) {
        let length = u32::try_from(content.len()).expect("it is short");
        let start = u32::try_from(self.files.len()).expect("it is short");
        let sum = checksum(content);
        self.files.extend(b"PK\x03\x04\x0A\0\0\0\0\0\0\0\0\0");
        self.files.extend(sum.to_le_bytes());
        self.files.extend(length.to_le_bytes());
        self.files.extend((length + claimed).to_le_bytes());
        self.files.extend([name.len() as u8, 0, 0, 0]);
        self.files.extend(name.as_bytes());
        self.files.extend(content);
        self.first.get_or_insert((sum, length));
        self.list(name, (sum, length, length + claimed), start);
    }

    /// Adds an entry for the bytes of the first file.
    fn repeat_first(&mut self, name: &str) {
        let (sum, length) = self.first.expect("there is a file");
        self.list(name, (sum, length, length), 0);
    }

    fn list(&mut self, name: &str, (sum, packed, unpacked): (u32, u32, u32), start: u32) {
        self.entries += 1;
        let directory = &mut self.directory;
        directory.extend(b"PK\x01\x02\x0A\0\x0A\0\0\0\0\0\0\0\0\0");
        for number in [sum, packed, unpacked] {
            directory.extend(number.to_le_bytes());
        }
        directory.extend([name.len() as u8, 0]);
        directory.extend([0; 12]);
        directory.extend(start.to_le_bytes());
        directory.extend(name.as_bytes());
    }

    fn finish(self) -> Vec<u8> {
        let start = u32::try_from(self.files.len()).expect("it is short");
        let length = u32::try_from(self.directory.len()).expect("it is short");
        let mut all = [self.files, self.directory].concat();
        all.extend(b"PK\x05\x06\0\0\0\0");
        all.extend([self.entries.to_le_bytes(), self.entries.to_le_bytes()].concat());
        all.extend(length.to_le_bytes());
        all.extend(start.to_le_bytes());
        all.extend([0, 0]);
        all
    }
}

/// Returns the CRC-32 of a zip archive.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| (sum >> 1) ^ (0xEDB8_8320 & 0u32.wrapping_sub(sum & 1));
    !bytes
        .iter()
        .fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}

#[test]
fn entries_that_share_their_bytes_count_each() {
    let mut writer = ArchiveBytes::default();
    let shared = vec![b'a'; 100 << 10];
    writer.add("0.md", 0, &shared);
    for number in 1..400 {
        writer.repeat_first(&format!("{number}.md"));
    }
    assert_eq!(
        unpack("zip", &writer.finish(), None, &LIMITS),
        Err(Failure::TooLarge)
    );
}

#[test]
fn a_size_that_is_claimed_reserves_nothing() {
    let mut writer = ArchiveBytes::default();
    writer.add("4 GB.md", u32::MAX - 100, b"few bytes");
    writer.add("b.md", 0, b"b");
    let content = writer.finish();
    let members = unpack("zip", &content, None, &LIMITS).expect("it can be read");
    assert!(members.iter().any(|member| member.path == "b.md"));
    let listed = list_members("zip", &content, &LIMITS).expect("it can be listed");
    let claimed = listed.members.first().and_then(|it| it.claimed_bytes);
    assert!(claimed > Some(4_000_000_000), "{claimed:?}");
    let bomb = vec![0; 64 << 20];
    let content = archive(&[("bomb.md", &bomb, Packing::Deflated)]);
    let found = unpack("zip", &content, None, &LIMITS);
    assert_eq!(found, Err(Failure::TooLarge));
}

#[test]
fn the_text_of_a_notebook() {
    let content = named("sums.ipynb");
    let all = read("ipynb", &content);
    let text = String::from_utf8(content.clone()).expect("it is text");
    assert_eq!(texts(&all), [("notebook.json", text)]);
    let short = Limits {
        unpacked_bytes: 10,
        ..LIMITS
    };
    assert_eq!(
        unpack("ipynb", &content, None, &short),
        Err(Failure::TooLarge)
    );
    let no_container = Err(Failure::Unsupported("no container"));
    assert_eq!(
        unpack("ipynb", b"<<<<<<< HEAD\n{", None, &LIMITS),
        no_container
    );
}
