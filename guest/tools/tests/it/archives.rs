//! Containers as directories, in every tool that reads or searches.

use docent_api::documents::ListFullTreeOptions;
use docent_api::pillars::{ExploreItem, ExploreOptions, View};
use docent_api::search::SearchDocumentsOptions;
use docent_api::types::ErrorCode;
use docent_extract::fixtures::mail::{base64, part};
use docent_extract::fixtures::{named, package};
use docent_tools::{Docent, NO_EXPLORE_OPTIONS, ToolSettings};
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
