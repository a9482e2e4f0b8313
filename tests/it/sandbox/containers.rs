//! Tests with containers: archives and mail as directories, under the real component, and readers
//! that misbehave when they unpack one.

use std::fs;
use std::sync::Arc;

use docent_extract::fixtures::mail::{base64, multipart, part};
use docent_extract::fixtures::package;
use docent_host::{CallControl, FileUsage, Limits, OpeningLog};
use docent_tests::guest::{docent, limits};
use serde_json::json;

use super::deed::ReaderDeed;
use super::foreign::{misbehaving, read, search, tight};
use super::hostile::Threads;
use super::tree::{CANARY, Tree};

/// Returns a message with one attachment.
fn mail(name: &str, content: &str) -> Vec<u8> {
    let parts = [
        part(&["Content-Type: text/plain"], "no word of it"),
        part(
            &[
                "Content-Type: application/octet-stream",
                &format!("Content-Disposition: attachment; filename={name}"),
                "Content-Transfer-Encoding: base64",
            ],
            base64(content.as_bytes()),
        ),
    ];
    multipart(
        "mixed",
        &["From: a@b.kr", "To: c@d.kr", "Subject: Keys"],
        &parts,
    )
}

#[test]
fn what_is_closed_in_a_directory_is_closed_in_a_container() {
    let tree = Tree::new();
    let secret = format!("Once round the harbour, {CANARY}");
    let members: Vec<(&str, &str)> = [
        ".env",
        "id_rsa",
        ".ssh/notes.md",
        "a/.ENV",
        "a/server.key",
        "left/a.md",
        "../../.env",
        "/etc/id_rsa",
    ]
    .map(|name| (name, secret.as_str()))
    .into_iter()
    .chain([(".gitignore", "left/\n"), ("open.md", "nothing")])
    .collect();
    fs::write(tree.root.join("x.zip"), package(&members)).unwrap();
    fs::write(tree.root.join("mail.eml"), mail("id_rsa", &secret)).unwrap();
    fs::write(tree.root.join(".env.zip"), package(&[("a.md", &secret)])).unwrap();
    let mut session = tree.docent();
    tree.assert_nothing_leaks(
        &mut session,
        &[
            "x.zip!",
            "x.zip!/.env",
            "x.zip!/id_rsa",
            "x.zip!/.ssh/notes.md",
            "x.zip!/a/server.key",
            "x.zip!/left/a.md",
            "x.zip!/etc/id_rsa",
            "mail.eml!/id_rsa",
            ".env.zip!/a.md",
        ],
        &[],
    );
    assert_eq!(
        read(&mut session, "x.zip!/open.md").as_deref(),
        Ok("nothing")
    );
    let closed = [
        "x.zip!/.env",
        "mail.eml!/id_rsa",
        ".env.zip!/a.md",
        // Whether it exists is not told.
        ".env.no.zip!/a.md",
    ];
    for path in closed {
        assert_eq!(
            read(&mut session, path),
            Err("sensitive".to_owned()),
            "{path}"
        );
    }
}

#[test]
fn a_container_costs_no_other() {
    let tree = Tree::new();
    let bomb = "\0".repeat(80 << 20);
    let content = package(&[("bomb.md", &bomb), ("small.md", "a small harbour")]);
    fs::write(tree.root.join("a.zip"), content).unwrap();
    fs::write(tree.root.join("b.zip"), b"PK\x03\x04 and no more").unwrap();
    fs::write(
        tree.root.join("c.zip"),
        package(&[("a.md", "round the harbour")]),
    )
    .unwrap();
    for cache in [0, 8 << 20] {
        let limits = Limits { cache, ..limits() };
        let mut session = docent(&tree.root, limits);
        for _ in 0..2 {
            let (mut found, skipped) = search(&mut session, "harbour");
            found.sort();
            assert_eq!(found, ["/a.zip!/small.md", "/c.zip!/a.md", "/innocent.md"]);
            let expected = [("a.zip!/bomb.md", "too-large"), ("b.zip!", "malformed")];
            assert_eq!(
                skipped,
                expected.map(|(path, reason)| (path.to_owned(), reason.to_owned()))
            );
        }
    }
}

#[test]
fn readers_that_misbehave_when_they_unpack() {
    let tree = Tree::new();
    let deeds = [
        (ReaderDeed::Loop, "too-slow"),
        (ReaderDeed::Panic, "broken"),
        (ReaderDeed::Exit, "broken"),
        (ReaderDeed::Recurse, "broken"),
        (ReaderDeed::Allocate, "too-large"),
        (ReaderDeed::TooMuch, "broken"),
        (ReaderDeed::Malformed, "malformed"),
        (ReaderDeed::Encrypted, "encrypted"),
        (ReaderDeed::TooLarge, "too-large"),
    ];
    for (deed, _) in deeds {
        let word = deed.word();
        fs::write(tree.root.join(format!("{word}.zip")), word).unwrap();
        // The fixture misbehaves when it lists a mailbox, and when it unpacks an archive.
        fs::write(tree.root.join(format!("{word}.mbox")), word).unwrap();
    }
    fs::write(tree.root.join("zebra.zip"), "round the harbour").unwrap();
    let mut session = misbehaving(&tree, tight());
    for (deed, reason) in deeds {
        let code = match reason {
            "too-large" => "document-too-large",
            _ => "document-read-failed",
        };
        for kind in ["zip", "mbox"] {
            let path = format!("{}.{kind}!/inner0.md", deed.word());
            let end = read(&mut session, &path);
            assert_eq!(end, Err(code.to_owned()), "{path}");
        }
        let next = read(&mut session, "zebra.zip!/inner0.md");
        assert_eq!(next.as_deref(), Ok("# round the harbour\n"), "{deed:?}");
    }
    for (deed, _) in deeds {
        fs::remove_file(tree.root.join(format!("{}.mbox", deed.word()))).unwrap();
    }
    let (found, skipped) = search(&mut session, "# round the harbour");
    assert_eq!(found, ["/zebra.zip!/inner0.md"]);
    let mut expected: Vec<(String, String)> = deeds
        .map(|(deed, reason)| {
            let path = format!("{}.zip!/inner0.md", deed.word());
            (path, reason.to_owned())
        })
        .to_vec();
    expected.sort();
    assert_eq!(skipped, expected);
}

#[test]
fn the_host_reports_members_that_were_unpacked() {
    let tree = Tree::new();
    fs::create_dir(tree.root.join("a")).unwrap();
    let content = package(&[("b/c.md", "text"), ("d.md", "text")]);
    fs::write(tree.root.join("a/x.zip"), content).unwrap();
    let threads = Threads::docent(&tree.root, limits());
    let log = OpeningLog::new();
    let control = CallControl {
        openings: Some(Arc::clone(&log)),
        ..CallControl::default()
    };
    let arguments = json!({ "path": "a/x.zip!/d.md" });
    threads.call("read-document", arguments, control).unwrap();
    let openings = log.openings();
    let read = openings.files.iter();
    let read = read.filter(|file| file.usage == FileUsage::Read);
    let paths: Vec<&str> = read.map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a/x.zip", "a/x.zip!/d.md"]);
}
