//! Tests with documents other than text: a malicious document only affects its own reading, and so
//! does a misbehaving reader.

use std::fs;
use std::path::Path;
use std::time::Duration;

use docent_extract::fixtures::{Docx, Packing, Pdf, Xlsx, archive, named, objects, paragraph};
use docent_extract::{Beyond, detect};
use docent_host::grant::Right;
use docent_host::{CallError, Limits, Session, Settings, component};
use docent_tests::guest::{call, docent, grant, limits, looks, stepping};
use serde_json::{Value, json};

use super::deed::ReaderDeed;
use super::tree::Tree;

/// Time limit of the reader of one document in these tests.
const SHORT: Duration = Duration::from_millis(500);

/// Returns limits under which a reader is stopped soon.
pub fn tight() -> Limits {
    stepping(Limits {
        reader_timeout: SHORT,
        reader_memory: 64 << 20,
        ..limits()
    })
}

/// Returns the maximum clock checks for reading one document, including the work around it.
fn most_looks() -> u32 {
    2 * looks(SHORT)
}

/// Reads a document, or returns the code of the refusal.
pub fn read(session: &mut Session, path: &str) -> Result<String, String> {
    let answer = call(session, "read-document", json!({ "path": path }));
    answer
        .map(|answer| text(&answer["text"]))
        .map_err(|error| match error {
            CallError::Refused(refusal) => refusal.code,
            CallError::Fault(fault) => panic!("{path}: {fault}"),
        })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Searches, and returns the paths with hits, and the skipped paths with their reasons.
pub fn search(session: &mut Session, query: &str) -> (Vec<String>, Vec<(String, String)>) {
    let answer = call(session, "search-documents", json!({ "query": query })).unwrap();
    let results = answer["results"].as_array().unwrap();
    let found = results.iter().map(|result| text(&result["path"])).collect();
    let skipped = answer["stats"]["skipped"]["entries"].as_array().unwrap();
    let skipped = skipped
        .iter()
        .map(|entry| (text(&entry["path"]), text(&entry["reason"])))
        .collect();
    (found, skipped)
}

fn natively(name: &str, file: &[u8]) -> String {
    let extension = Path::new(name)
        .extension()
        .and_then(|it| it.to_str())
        .unwrap_or_default();
    let limits = docent_extract::Limits {
        text_bytes: 32 << 20,
        unpacked_bytes: 320 << 20,
        beyond: Beyond::Refuse,
    };
    let format = detect(extension, file, &limits).expect("its format is known");
    docent_extract::extract(format, file.to_vec(), &limits).expect("the fixture can be read")
}

#[test]
fn the_same_text_natively_confined_and_plugged_in() {
    let tree = Tree::new();
    let names = [
        "guide.docx",
        "minutes.doc",
        "sales.xlsx",
        "rates.xls",
        "deck.pptx",
        "talk.ppt",
        "report.odt",
        "report.fodt",
        "budget.ods",
        "talk.odp",
        "notice.hwpx",
        "report.hwp",
        "memo.rtf",
        "book.epub",
        "offer.eml",
        "archive.mbox",
        "reply.msg",
        "manual.pdf",
    ];
    let mut files: Vec<(&str, Vec<u8>)> = names.map(|name| (name, named(name))).to_vec();
    // The content decides how a file is read.
    files.extend([("a.doc", named("memo.rtf")), ("b.doc", named("page.html"))]);
    for (name, file) in &files {
        fs::write(tree.root.join(name), file).unwrap();
    }
    let mut confined = docent(&tree.root, limits());
    let mut plugged_in = Session::compile(
        component::wasm(),
        grant(&tree.root, Right::ReadOnly),
        Settings::default(),
        limits(),
    )
    .unwrap();
    for (name, file) in &files {
        let expected = natively(name, file);
        assert!(expected.contains("설정"), "{name}: {expected}");
        assert_eq!(read(&mut confined, name).as_ref(), Ok(&expected), "{name}");
        assert_eq!(
            read(&mut plugged_in, name).as_ref(),
            Ok(&expected),
            "{name}"
        );
    }
}

/// Returns a PDF whose content stream draws a form that draws two forms, and so on.
fn forms(levels: usize) -> Vec<u8> {
    let mut all = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>".to_owned(),
        "<< /Length 6 >>\nstream\n/X Do \nendstream".to_owned(),
    ];
    for level in 0..levels {
        all.push(format!("<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {} 0 R >> >> /Length 12 >>\nstream\n/X Do /X Do \nendstream", level + 6));
    }
    all.push(
        "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 0 >>\nstream\n\nendstream"
            .to_owned(),
    );
    let all: Vec<Vec<u8>> = all.into_iter().map(String::into_bytes).collect();
    objects(&all, "")
}

/// Returns a PDF whose content stream is only small while it is compressed.
fn packed_stream(bytes: usize) -> Vec<u8> {
    let blanks = vec![b' '; bytes];
    let archive = archive(&[("a", &blanks, Packing::Deflated)]);
    // The bytes between the names of the archive's two headers are the deflated stream; a PDF
    // reader needs the two bytes before it, which declare the compression.
    let start = 30 + 1;
    let end = archive
        .windows(4)
        .rposition(|w| w == b"PK\x01\x02")
        .unwrap();
    let mut packed = b"\x78\x9C".to_vec();
    packed.extend_from_slice(&archive[start..end]);
    let mut content = format!(
        "<< /Filter /FlateDecode /Length {} >>\nstream\n",
        packed.len()
    )
    .into_bytes();
    content.extend_from_slice(&packed);
    content.extend_from_slice(b"\nendstream");
    let all = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>".to_vec(),
        content,
    ];
    objects(&all, "")
}

#[test]
fn a_bomb_costs_one_document() {
    let mut tree = Tree::new();
    tree.innocent("a/first.md");
    tree.innocent("z/last.md");
    let corners: String = (1..=30_000)
        .map(|n| {
            format!(
                r#"<row r="{}"><c r="{}{}"><v>1</v></c></row>"#,
                n,
                if n % 2 == 0 { "A" } else { "XFD" },
                n
            )
        })
        .collect();
    let columns: String = (0..26u8)
        .flat_map(|a| (0..26u8).map(move |b| (a, b)))
        .map(|(a, b)| {
            format!(
                r#"<c r="{}{}30001"><v>1</v></c>"#,
                char::from(b'A' + a),
                char::from(b'A' + b)
            )
        })
        .collect();
    let wide = format!(r#"{corners}<row r="30001">{columns}</row>"#);
    for (name, file, reason) in [
        (
            "blanks.docx",
            Docx::new(&paragraph(&" ".repeat(400 << 20))).file(),
            "too-large",
        ),
        (
            "wide.xlsx",
            Xlsx::default().with("s", &wide).file(),
            "too-large",
        ),
        ("stream.pdf", packed_stream(600 << 20), "too-large"),
        ("forms.pdf", forms(40), "too-large"),
        (
            "torn.docx",
            named("guide.docx")[..700].to_vec(),
            "malformed",
        ),
        ("scanned.pdf", Pdf::default().page(&[]).file(), "no-text"),
    ] {
        assert!(file.len() < 4 << 20, "{name} has {} bytes", file.len());
        let path = tree.root.join("m").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, file).unwrap();
        let limits = stepping(limits());
        for cache in [0, 8 << 20] {
            let limits = Limits {
                cache,
                ..limits.clone()
            };
            let mut session = docent(&tree.root, limits.clone());
            for _ in 0..2 {
                let before = limits.clock.looks();
                let (found, skipped) = search(&mut session, "harbour");
                let took = limits.clock.looks() - before;
                assert!(
                    took < looks(limits.reader_timeout),
                    "{name} took {took} looks"
                );
                assert_eq!(
                    found,
                    ["/a/first.md", "/innocent.md", "/z/last.md"],
                    "{name}"
                );
                let expected = [(format!("m/{name}"), reason.to_owned())];
                assert_eq!(skipped, expected);
            }
            let code = match reason {
                "too-large" => "document-too-large",
                _ => "document-read-failed",
            };
            let path = format!("m/{name}");
            assert_eq!(read(&mut session, &path), Err(code.to_owned()), "{name}");
            assert!(read(&mut session, "innocent.md").is_ok());
        }
        fs::remove_file(path).unwrap();
    }
}

/// Returns the real component with readers that misbehave.
pub fn misbehaving(tree: &Tree, limits: Limits) -> Session {
    let readers = fs::read(env!("DOCENT_TEST_READERS")).unwrap();
    let grants = grant(&tree.root, Right::ReadOnly);
    Session::with_readers(&readers, grants, Settings::default(), limits).unwrap()
}

#[test]
fn readers_that_misbehave() {
    let tree = Tree::new();
    let deeds = [
        (ReaderDeed::Loop, "too-slow", "document-read-failed"),
        (ReaderDeed::Panic, "broken", "document-read-failed"),
        (ReaderDeed::Exit, "broken", "document-read-failed"),
        (ReaderDeed::Recurse, "broken", "document-read-failed"),
        (ReaderDeed::Allocate, "too-large", "document-too-large"),
        (ReaderDeed::TooMuch, "broken", "document-read-failed"),
        // Errors that readers report themselves reach the caller unchanged.
        (ReaderDeed::Malformed, "malformed", "document-read-failed"),
        (ReaderDeed::Encrypted, "encrypted", "document-read-failed"),
        (ReaderDeed::TooLarge, "too-large", "document-too-large"),
        (ReaderDeed::NoText, "no-text", "document-read-failed"),
        (
            ReaderDeed::Unsupported,
            "unsupported",
            "document-read-failed",
        ),
        (ReaderDeed::UnknownGlyphs, "no-text", "document-read-failed"),
        (ReaderDeed::TooSlow, "too-slow", "document-read-failed"),
        (ReaderDeed::Broken, "broken", "document-read-failed"),
    ];
    for (deed, ..) in deeds {
        let word = deed.word();
        fs::write(tree.root.join(format!("{word}.pdf")), word).unwrap();
    }
    fs::write(tree.root.join("zebra.docx"), "Once round the harbour").unwrap();
    let limits = tight();
    let mut session = misbehaving(&tree, limits.clone());
    for (deed, _, code) in deeds {
        let before = limits.clock.looks();
        let end = read(&mut session, &format!("{}.pdf", deed.word()));
        assert_eq!(end, Err(code.to_owned()), "{deed:?}");
        assert!(limits.clock.looks() - before < most_looks(), "{deed:?}");
        let next = read(&mut session, "zebra.docx");
        assert_eq!(
            next.as_deref(),
            Ok("# Once round the harbour\n"),
            "{deed:?}"
        );
    }
    let (found, skipped) = search(&mut session, "harbour");
    assert_eq!(found, ["/innocent.md", "/zebra.docx"]);
    let mut expected: Vec<(String, String)> = deeds
        .map(|(deed, reason, _)| (format!("{}.pdf", deed.word()), reason.to_owned()))
        .to_vec();
    expected.sort();
    assert_eq!(skipped, expected);
}

#[test]
fn each_document_has_an_instance_of_its_own_that_reaches_nothing() {
    let tree = Tree::new();
    for name in ["a.pdf", "b.docx", "c.xlsx"] {
        fs::write(tree.root.join(name), ReaderDeed::Count.word()).unwrap();
    }
    fs::write(tree.root.join("look.pdf"), ReaderDeed::Look.word()).unwrap();
    let mut session = misbehaving(&tree, tight());
    for name in ["a.pdf", "b.docx", "c.xlsx", "a.pdf"] {
        assert_eq!(read(&mut session, name).as_deref(), Ok("read 1"), "{name}");
    }
    let seen = read(&mut session, "look.pdf");
    assert_eq!(seen.as_deref(), Ok("false 0 0"));
}

#[test]
fn a_reader_leaves_time_to_its_call() {
    let tree = Tree::new();
    fs::write(tree.root.join("loop.pdf"), ReaderDeed::Loop.word()).unwrap();
    let limits = stepping(Limits {
        timeout: SHORT,
        ..limits()
    });
    let mut session = misbehaving(&tree, limits.clone());
    let end = call(&mut session, "read-document", json!({ "path": "loop.pdf" }));
    assert!(limits.clock.looks() < looks(SHORT));
    // A refusal with a reason, and not a fault: the instance keeps its cache.
    match end {
        Err(CallError::Refused(refusal)) => assert_eq!(refusal.code, "document-read-failed"),
        other => panic!("{other:?}"),
    }
    assert!(read(&mut session, "innocent.md").is_ok());
}

#[test]
fn what_was_read_is_known_by_its_content() {
    let tree = Tree::new();
    let file = named("guide.docx");
    fs::write(tree.root.join("a.docx"), &file).unwrap();
    let mut session = docent(
        &tree.root,
        Limits {
            cache: 8 << 20,
            ..limits()
        },
    );
    let first = read(&mut session, "a.docx").unwrap();
    fs::rename(tree.root.join("a.docx"), tree.root.join("b.docx")).unwrap();
    assert_eq!(read(&mut session, "b.docx").as_ref(), Ok(&first));
    assert_eq!(
        read(&mut session, "a.docx"),
        Err("document-not-found".to_owned())
    );
    fs::write(
        tree.root.join("b.docx"),
        Docx::new(&paragraph("other")).file(),
    )
    .unwrap();
    assert_eq!(read(&mut session, "b.docx").as_deref(), Ok("other\n"));
}
