//! Containers as directories, in every tool that reads or searches.

use std::cell::Cell;
use std::rc::Rc;

use docent_api::documents::ListFullTreeOptions;
use docent_api::extract::{ExtractedDocument, Failure, Limits, Member, MemberList};
use docent_api::patterns::GrepOptions;
use docent_api::pillars::{ExploreItem, ExploreOptions, View};
use docent_api::search::SearchDocumentsOptions;
use docent_api::types::ErrorCode;
use docent_api::understanding::UnderstandOptions;
use docent_extract::fixtures::mail::{base64, part};
use docent_extract::fixtures::{Packing, archive, container, encrypt_files, named, package};
use docent_tools::{
    Docent, NO_EXPLORE_OPTIONS, NO_GREP_OPTIONS, NO_UNDERSTAND_OPTIONS, ToolSettings,
};
use docent_tree::extractor::{Extractor, Unconfined};
use docent_tree::memory::MemoryDisk;

const NO_SEARCH: SearchDocumentsOptions = SearchDocumentsOptions {
    root: None,
    path: None,
    case_sensitive: None,
    context_chars: None,
    max_results: None,
    limit: None,
    mode: None,
    extensions: None,
    cursor: None,
    max_tokens: None,
    timeout_ms: None,
};

fn mail() -> Vec<u8> {
    let parts = [
        part(&["Content-Type: text/plain"], "the text of the message"),
        part(
            &[
                "Content-Type: application/octet-stream",
                "Content-Disposition: attachment; filename=offer.docx",
                "Content-Transfer-Encoding: base64",
            ],
            base64(&named("guide.docx")),
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
        "Subject: Offer",
        "Content-Type: multipart/mixed; boundary=x",
    ];
    part(&fields, body)
}

fn disk() -> MemoryDisk {
    let disk = MemoryDisk::with_files(&[
        ("a.md", "# Plain\n\nA kestrel outside.\n"),
        (".gitignore", "ignored.zip\n"),
    ]);
    let archive = package(&[
        ("readme.md", "# Inner\n\nA kestrel inside.\n"),
        ("docs/설정.md", "# 설정\n\n황조롱이 kestrel.\n"),
        ("docs/left.md", "kestrel canary-ignored\n"),
        ("docs/.gitignore", "left.md\n"),
        (".env", "kestrel canary-secret\n"),
        ("id_rsa", "kestrel canary-secret\n"),
        (".ssh/notes.md", "kestrel canary-secret\n"),
        ("inner.zip", "PK\0kestrel"),
    ]);
    disk.write("docs", "sub/x.zip", &archive);
    disk.write(
        "docs",
        "ignored.zip",
        &package(&[("a.md", "kestrel canary-ignored")]),
    );
    disk.write("docs", "torn.zip", &archive[..200]);
    disk.write("docs", "offer.eml", &mail());
    let message = |subject: &str| {
        format!(
            "From a@b.kr Wed Nov 25 09:30:00 2026\nFrom: a@b.kr\nTo: c@d.kr\nSubject: {subject}\n\nkestrel\n\n"
        )
    };
    let mailbox = [message("one"), message("two")].concat();
    disk.write("docs", "box.mbox", mailbox.as_bytes());
    disk
}

fn docent(disk: &MemoryDisk) -> Docent<MemoryDisk> {
    let settings = ToolSettings {
        cache_bytes: 1 << 20,
        ..ToolSettings::default()
    };
    Docent::new(disk.clone(), settings)
}

fn explore(docent: &mut Docent<MemoryDisk>, path: &str, view: Option<View>) -> Vec<ExploreItem> {
    let options = ExploreOptions {
        paths: Some(vec![path.to_owned()]),
        view,
        ..NO_EXPLORE_OPTIONS
    };
    let data = docent.explore(Some(options)).expect("an answer").data;
    [data.docs, data.code, data.data].concat()
}

/// Returns the paths of the documents that are found, and the skipped ones.
fn search(docent: &mut Docent<MemoryDisk>, query: &str) -> (Vec<String>, Vec<String>) {
    let answer = docent
        .search_documents(query.to_owned(), Some(NO_SEARCH))
        .expect("found");
    let shown = format!("{answer:?}");
    assert!(!shown.contains("canary"), "{shown}");
    let mut found: Vec<String> = answer.results.into_iter().map(|hit| hit.path).collect();
    found.sort();
    let skipped = answer.stats.skipped.entries.into_iter();
    (found, skipped.map(|entry| entry.path).collect())
}

#[test]
fn members_are_read_by_their_paths() {
    let mut docent = docent(&disk());
    let mut read = |path: &str| {
        let answer = docent.read_document(path.to_owned(), None);
        answer.map(|answer| answer.text).map_err(|error| error.code)
    };
    assert_eq!(
        read("sub/x.zip!/readme.md").as_deref(),
        Ok("# Inner\n\nA kestrel inside.\n")
    );
    assert!(read("sub/x.zip!/docs/설정.md").is_ok_and(|text| text.contains("황조롱이")));
    assert!(read("offer.eml!/offer.docx").is_ok_and(|text| text.contains("server")));
    // A message by its number.
    for path in ["box.mbox!/2", "box.mbox!/2.eml"] {
        assert!(
            read(path).is_ok_and(|text| text.contains("# two")),
            "{path}"
        );
    }
    for path in [
        "sub/x.zip!/no.md",
        "sub/x.zip!/../../../a.md",
        "a.md!/x",
        "no.zip!/a.md",
        "box.mbox!/3",
    ] {
        assert!(read(path).is_err(), "{path}");
    }
    // What is closed outside is closed inside.
    for path in [
        "sub/x.zip!/.env",
        "sub/x.zip!/id_rsa",
        "sub/x.zip!/.ssh/notes.md",
    ] {
        assert_eq!(read(path), Err(ErrorCode::Sensitive), "{path}");
    }
    assert!(read("sub/x.zip!/docs/left.md").is_err());
    assert!(read("ignored.zip!/a.md").is_err());
    // One level.
    assert!(read("sub/x.zip!/inner.zip!/a.md").is_err());
}

#[test]
fn members_are_searched_and_listed() {
    let disk = disk();
    let mut docent = docent(&disk);
    for _ in 0..2 {
        let (found, skipped) = search(&mut docent, "kestrel");
        assert_eq!(
            found,
            [
                "/a.md",
                "/box.mbox",
                "/sub/x.zip!/docs/설정.md",
                "/sub/x.zip!/readme.md"
            ]
        );
        assert_eq!(skipped, ["torn.zip!"]);
    }
    let (found, _) = search(&mut docent, "server");
    assert_eq!(found, ["/offer.eml!/offer.docx"]);
    disk.write(
        "docs",
        "sub/x.zip",
        &package(&[("readme.md", "kestrel anew")]),
    );
    assert_eq!(search(&mut docent, "anew").0, ["/sub/x.zip!/readme.md"]);
    let shown = format!("{:?}", explore(&mut docent, "sub/x.zip!", None));
    assert!(shown.contains("readme.md"), "{shown}");
    let tree = docent
        .list_full_tree(None::<ListFullTreeOptions>)
        .expect("a tree");
    let listed: Vec<&str> = tree
        .entries
        .iter()
        .map(|entry| entry.path.as_str())
        .collect();
    assert!(listed.contains(&"sub/x.zip!/readme.md"), "{listed:?}");
    assert!(!listed.contains(&"offer.eml!"), "{listed:?}");
}

/// A picture of one pixel.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\0IEND\xae\x42\x60\x82";

#[test]
fn pictures_of_a_document_are_seen() {
    let disk = MemoryDisk::with_files(&[("a.md", "text")]);
    let slide = "<p:sld xmlns:p='p'/>";
    let deck = archive(&[
        ("[Content_Types].xml", b"<Types/>", Packing::Stored),
        ("ppt/presentation.xml", slide.as_bytes(), Packing::Stored),
        ("ppt/media/image3.png", PIXEL, Packing::Stored),
    ]);
    disk.write("docs", "deck.pptx", &deck);
    let mut docent = docent(&disk);
    for view in [None, Some(View::Full)] {
        let items = explore(&mut docent, "deck.pptx!/image3.png", view);
        assert_eq!(items[0].file_path, "deck.pptx!/image3.png");
        assert_eq!(items[0].why, ["PNG picture, 1 × 1 pixels, 45 bytes"]);
    }
    let shown = format!("{:?}", explore(&mut docent, "deck.pptx!", None));
    assert!(shown.contains("image3.png"), "{shown}");
}

#[test]
fn paths_of_members_are_taken_by_every_tool_that_reads() {
    let mut docent = docent(&disk());
    let member = "sub/x.zip!/readme.md";
    let items = explore(&mut docent, member, None);
    assert_eq!(items[0].file_path, member);
    let options = ExploreOptions {
        paths: Some(vec!["sub/x.zip!".to_owned()]),
        query: Some("kestrel".to_owned()),
        ..NO_EXPLORE_OPTIONS
    };
    let found = docent.explore(Some(options)).expect("an answer").data.docs;
    assert!(
        found.iter().any(|item| item.file_path == member),
        "{found:?}"
    );
    for path in [member, "sub/x.zip!", "sub"] {
        let options = GrepOptions {
            paths: Some(vec![path.to_owned()]),
            ..NO_GREP_OPTIONS
        };
        let found = docent
            .grep("kestrel in".to_owned(), Some(options))
            .expect("an answer");
        assert!(format!("{found:?}").contains(member), "{path}: {found:?}");
        let options = SearchDocumentsOptions {
            path: Some(path.to_owned()),
            ..NO_SEARCH
        };
        let found = docent.search_documents("kestrel in".to_owned(), Some(options));
        assert!(format!("{found:?}").contains(member), "{path}: {found:?}");
    }
    let options = UnderstandOptions {
        paths: Some(vec![member.to_owned()]),
        ..NO_UNDERSTAND_OPTIONS
    };
    let told = docent.understand(Some(options)).expect("an answer");
    assert!(
        format!("{:?}", told.structure).contains("Inner"),
        "{told:?}"
    );
    let found = docent.find_files(None).expect("an answer");
    assert!(!format!("{found:?}").contains(".zip!"), "{found:?}");
    let error = docent
        .read_document("sub/x.zip".to_owned(), None)
        .expect_err("it is binary");
    assert!(error.hint.contains("`sub/x.zip!`"), "{error:?}");
}

/// Readers that count how often they unpack.
#[derive(Clone, Default)]
struct CountingReaders {
    count: Rc<Cell<u32>>,
    /// True if members claim one byte each.
    claim_falsely: bool,
}

impl Extractor for CountingReaders {
    fn extract(
        &self,
        extension: &str,
        content: &[u8],
        limits: Limits,
    ) -> Result<ExtractedDocument, Failure> {
        Unconfined.extract(extension, content, limits)
    }

    fn list_members(
        &self,
        extension: &str,
        content: &[u8],
        limits: Limits,
    ) -> Result<MemberList, Failure> {
        let mut list = Unconfined.list_members(extension, content, limits)?;
        if self.claim_falsely {
            let members = list.members.iter_mut();
            members.for_each(|member| member.claimed_bytes = Some(1));
        }
        Ok(list)
    }

    fn unpack(
        &self,
        extension: &str,
        content: &[u8],
        paths: Option<&[String]>,
        limits: Limits,
    ) -> Result<Vec<Member>, Failure> {
        self.count.set(self.count.get() + 1);
        Unconfined.unpack(extension, content, paths, limits)
    }
}

#[test]
fn mail_without_attachments_is_not_unpacked() {
    for cache_bytes in [0, 1 << 20] {
        let readers = CountingReaders::default();
        let disk = MemoryDisk::with_files(&[("a.md", "text")]);
        disk.set_extractor(Rc::new(readers.clone()));
        for number in 0..20 {
            let fields = ["From: a@b.kr", "To: c@d.kr", "Subject: One"];
            let message = part(&fields, "a kestrel\r\n");
            disk.write("docs", &format!("m/{number}.eml"), &message);
        }
        disk.write("docs", "m/offer.eml", &mail());
        let settings = ToolSettings {
            cache_bytes,
            ..ToolSettings::default()
        };
        let mut docent = Docent::new(disk.clone(), settings);
        for _ in 0..2 {
            readers.count.set(0);
            assert_eq!(search(&mut docent, "kestrel").0.len(), 20);
            assert!(
                readers.count.get() <= 1,
                "{} containers",
                readers.count.get()
            );
        }
        docent.list_full_tree(None).expect("a tree");
        assert!(
            readers.count.get() <= 1,
            "{} containers",
            readers.count.get()
        );
    }
}

#[test]
fn a_search_unpacks_only_containers_that_may_hold_what_it_wants() {
    for cache_bytes in [0, 1 << 20] {
        let readers = CountingReaders::default();
        let disk = MemoryDisk::with_files(&[("a.md", "a kestrel")]);
        disk.set_extractor(Rc::new(readers.clone()));
        let pictures = archive(&[
            (".gitignore", b"no.png", Packing::Stored),
            ("a/b.png", PIXEL, Packing::Stored),
        ]);
        disk.write("docs", "pictures.zip", &pictures);
        disk.write("docs", "x.zip", &package(&[("b/c.md", "a kestrel")]));
        disk.write("docs", "offer.eml", &mail());
        let settings = ToolSettings {
            cache_bytes,
            ..ToolSettings::default()
        };
        let mut docent = Docent::new(disk.clone(), settings);
        // A hit is read a second time, to show the text around it.
        // An ignore file is read before the others.
        for (extension, expected) in [("md", 2), ("rst", 0), ("docx", 1), ("png", 2)] {
            for _ in 0..2 {
                readers.count.set(0);
                let options = SearchDocumentsOptions {
                    extensions: Some(vec![extension.to_owned()]),
                    ..NO_SEARCH
                };
                let answer = docent.search_documents("kestrel".to_owned(), Some(options));
                assert!(
                    readers.count.get() <= expected,
                    "{extension}: {}",
                    readers.count.get()
                );
                let found = answer.map_or(0, |answer| answer.results.len());
                assert_eq!(found, if extension == "md" { 2 } else { 0 }, "{extension}");
            }
        }
    }
}

/// A disk with containers that cannot be opened.
fn closed_containers() -> MemoryDisk {
    let disk = MemoryDisk::with_files(&[("a.md", "A kestrel outside.\n")]);
    let files = package(&[("a.md", "a kestrel"), ("b.png", "a kestrel"), (".env", "x")]);
    disk.write("docs", "sub/closed.zip", &encrypt_files(files.clone()));
    disk.write("docs", "torn.zip", &files[..60]);
    let too_much = "\0".repeat(65 << 20);
    disk.write("docs", "large.zip", &package(&[("b.md", &too_much)]));
    disk.write("docs", "other.zip", &named("manual.pdf"));
    disk.write("docs", "torn.eml", b"\0\0\0\0");
    let locked = container(&[("EncryptedPackage", b"")]);
    disk.write("docs", "deck.pptx", &locked);
    disk
}

#[test]
fn a_container_that_cannot_be_opened_says_why() {
    let mut docent = docent(&closed_containers());
    for (path, code, begins) in [
        (
            "sub/closed.zip!/a.md",
            ErrorCode::DocumentReadFailed,
            "`sub/closed.zip!/a.md` is encrypted; expected",
        ),
        (
            "torn.zip!/a.md",
            ErrorCode::DocumentReadFailed,
            "`torn.zip` is damaged, truncated",
        ),
        (
            "torn.zip!",
            ErrorCode::DocumentReadFailed,
            "`torn.zip` is damaged, truncated",
        ),
        (
            "torn.eml!/a.md",
            ErrorCode::DocumentReadFailed,
            "`torn.eml` is damaged, truncated",
        ),
        (
            "large.zip!/b.md",
            ErrorCode::DocumentTooLarge,
            "`large.zip!/b.md` ",
        ),
        (
            "other.zip!/a.md",
            ErrorCode::DocumentReadFailed,
            "`other.zip` is of a format that is not unpacked",
        ),
        // They hold it, or do not tell.
        (
            "sub/closed.zip!/no.md",
            ErrorCode::DocumentNotFound,
            "`sub/closed.zip!/no.md` is not there",
        ),
        ("torn.zip!/.env", ErrorCode::Sensitive, "`torn.zip!/.env`"),
        (
            "sub/closed.zip!/.env",
            ErrorCode::Sensitive,
            "`sub/closed.zip!/.env`",
        ),
    ] {
        let options = ExploreOptions {
            paths: Some(vec![path.to_owned()]),
            ..NO_EXPLORE_OPTIONS
        };
        let explored = docent.explore(Some(options));
        let blocked = format!("{explored:?}");
        assert!(blocked.contains(begins), "{path}: {blocked}");
        if path.ends_with('!') {
            continue;
        }
        let error = docent.read_document(path.to_owned(), None).expect_err(path);
        assert_eq!(error.code, code, "{path}");
        assert!(
            error.message.starts_with(begins),
            "{path}: {}",
            error.message
        );
        assert!(!error.hint.is_empty(), "{path}");
    }
}

#[test]
fn a_search_says_why_containers_are_skipped() {
    let mut docent = docent(&closed_containers());
    for _ in 0..2 {
        let answer = docent
            .search_documents("kestrel".to_owned(), Some(NO_SEARCH))
            .expect("found");
        let skipped = answer.stats.skipped.entries.iter();
        let skipped: Vec<String> = skipped
            .map(|entry| format!("{} {:?}", entry.path, entry.reason))
            .collect();
        assert_eq!(
            skipped,
            [
                "deck.pptx SkipReason::Encrypted",
                "large.zip!/b.md SkipReason::TooLarge",
                "other.zip! SkipReason::Unsupported",
                "sub/closed.zip!/a.md SkipReason::Encrypted",
                "torn.eml SkipReason::Malformed",
                "torn.zip! SkipReason::Malformed",
            ]
        );
        assert_eq!(answer.results.len(), 1);
    }
}

/// An archive whose files are too large together, with a text between pictures.
fn large_archive() -> Vec<u8> {
    let picture = vec![0; 30 << 20];
    archive(&[
        ("a.md", b"a kestrel", Packing::Deflated),
        ("b.png", &picture, Packing::Deflated),
        ("c/d.md", b"one more kestrel", Packing::Deflated),
        ("e.png", &picture, Packing::Deflated),
        ("f.md", b"the last kestrel", Packing::Deflated),
        ("g.png", &picture, Packing::Deflated),
    ])
}

#[test]
fn a_large_archive_is_unpacked_in_parts() {
    for (claim_falsely, most) in [(false, 7), (true, 12)] {
        let readers = CountingReaders {
            claim_falsely,
            ..CountingReaders::default()
        };
        let disk = MemoryDisk::with_files(&[("a.md", "text")]);
        disk.set_extractor(Rc::new(readers.clone()));
        disk.write("docs", "x.zip", &large_archive());
        let mut docent = Docent::new(disk, ToolSettings::default());
        let (found, skipped) = search(&mut docent, "kestrel");
        let expected = ["/x.zip!/a.md", "/x.zip!/c/d.md", "/x.zip!/f.md"];
        assert_eq!(found, expected, "{skipped:?}");
        assert!(readers.count.get() <= most, "{} times", readers.count.get());
        // A path unpacks its file alone.
        readers.count.set(0);
        let read = docent.read_document("x.zip!/f.md".to_owned(), None);
        assert_eq!(read.expect("it is read").text, "the last kestrel");
        assert_eq!(readers.count.get(), 1);
    }
}

#[test]
fn a_list_of_hits_unpacks_each_container_once_more() {
    for cache_bytes in [0, 1 << 20] {
        let readers = CountingReaders::default();
        let disk = MemoryDisk::with_files(&[("a.md", "a kestrel")]);
        disk.set_extractor(Rc::new(readers.clone()));
        let names: Vec<String> = (0..20).map(|number| format!("b/{number}.md")).collect();
        let files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "a kestrel")).collect();
        disk.write("docs", "x.zip", &package(&files));
        disk.write("docs", "y.zip", &package(&files));
        let settings = ToolSettings {
            cache_bytes,
            ..ToolSettings::default()
        };
        let mut docent = Docent::new(disk.clone(), settings);
        for _ in 0..2 {
            readers.count.set(0);
            let options = SearchDocumentsOptions {
                max_tokens: Some(20_000),
                limit: Some(50),
                ..NO_SEARCH
            };
            let answer = docent
                .search_documents("kestrel".to_owned(), Some(options))
                .expect("an answer");
            assert_eq!(answer.results.len(), 41);
            assert!(
                answer
                    .results
                    .iter()
                    .all(|result| !result.matches.is_empty())
            );
            // The first file of a container is unpacked alone, then all others.
            assert!(readers.count.get() <= 8, "{} unpacked", readers.count.get());
        }
    }
}
