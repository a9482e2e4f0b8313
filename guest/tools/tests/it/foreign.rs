//! Documents that are not text, in every tool that reads or searches.

use docent_api::context::ContextSearchOptions;
use docent_api::documents::{ListFullTreeOptions, ReadDocumentOptions};
use docent_api::search::{SearchDocumentsAnswer, SearchDocumentsOptions};
use docent_api::types::{Error, ErrorCode, SkipReason};
use docent_extract::fixtures::{Docx, container, named, paragraph};
use docent_tools::{Docent, ToolSettings};
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

fn guide() -> Vec<u8> {
    named("guide.docx")
}

fn docent(disk: &MemoryDisk, cache_bytes: usize) -> Docent<MemoryDisk> {
    let settings = ToolSettings {
        cache_bytes,
        ..ToolSettings::default()
    };
    Docent::new(disk.clone(), settings)
}

fn disk() -> MemoryDisk {
    let disk = MemoryDisk::with_files(&[("a.md", "# Plain\n\nThe server is text.\n")]);
    disk.write("docs", "sub/guide.DOCX", &guide());
    disk.write("docs", "sub/torn.docx", &guide()[..500]);
    disk
}

fn search(docent: &mut Docent<MemoryDisk>, query: &str) -> SearchDocumentsAnswer {
    let answer = docent.search_documents(query.to_owned(), Some(NO_SEARCH));
    answer.unwrap_or_else(|error| panic!("{error:?}"))
}

fn read(docent: &mut Docent<MemoryDisk>, path: &str) -> Result<String, Error> {
    let answer = docent.read_document(path.to_owned(), None);
    answer.map(|answer| answer.text)
}

#[test]
fn found_by_its_text() {
    for cache in [0, 1 << 20] {
        let mut docent = docent(&disk(), cache);
        for _ in 0..2 {
            let answer = search(&mut docent, "SERVER");
            let found: Vec<(&str, &str, u32)> = answer
                .results
                .iter()
                .map(|r| (r.path.as_str(), r.name.as_str(), r.matches[0].line))
                .collect();
            assert_eq!(
                found,
                [("/a.md", "Plain", 3), ("/sub/guide.DOCX", "운영 안내서", 5)]
            );
            let skipped = &answer.stats.skipped.entries;
            assert_eq!(skipped.len(), 1);
            assert_eq!(skipped[0].path, "sub/torn.docx");
            assert_eq!(skipped[0].reason, SkipReason::Malformed);
        }
    }
}

#[test]
fn read_whole_and_in_part() {
    let mut docent = docent(&disk(), 0);
    let whole = "# 운영 안내서\n\n# 시작\n\n서버를 켜면 포트가 열린다. The server opens a port.\n\n\
                 # 설정\n\n설정을 바꾸려면 파일을 고친다. #tagged\n\n- 하나\n";
    assert_eq!(read(&mut docent, "sub/guide.DOCX").as_deref(), Ok(whole));
    let section = docent.read_document(
        "sub/guide.DOCX".to_owned(),
        Some(ReadDocumentOptions {
            root: None,
            section: Some("설정".to_owned()),
            lines: None,
            max_tokens: None,
            line_numbers: None,
        }),
    );
    let section = section.unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(section.encoding, "docx");
    assert_eq!(section.size, guide().len() as u64);
    assert_eq!(section.first_line, 7);
    assert!(section.text.starts_with("# 설정\n"));
}

#[test]
fn what_cannot_be_read_says_why() {
    let disk = disk();
    disk.write("docs", "old.docx", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
    let locked = container(&[("EncryptedPackage", b"")]);
    disk.write("docs", "locked.docx", &locked);
    let bomb = Docx::new(&paragraph(&" ".repeat(400 << 20))).file();
    disk.write("docs", "bomb.docx", &bomb);
    let mut docent = docent(&disk, 0);
    for (path, code, words) in [
        ("old.docx", ErrorCode::DocumentReadFailed, "damaged"),
        ("locked.docx", ErrorCode::DocumentReadFailed, "password"),
        ("bomb.docx", ErrorCode::DocumentTooLarge, "335544320"),
        ("sub/torn.docx", ErrorCode::DocumentReadFailed, "truncated"),
    ] {
        match read(&mut docent, path) {
            Err(error) => {
                assert_eq!(error.code, code, "{path}");
                assert!(error.message.contains(words), "{}", error.message);
            }
            Ok(text) => panic!("{path}: {text}"),
        }
    }
    let answer = search(&mut docent, "server");
    assert_eq!(answer.total_files, 2);
    assert_eq!(answer.stats.skipped.count, 4);
}

#[test]
fn listed_with_its_title() {
    for cache in [0, 1 << 20] {
        let mut docent = docent(&disk(), cache);
        let options = ListFullTreeOptions {
            root: None,
            path: None,
            max_depth: None,
            limit: None,
            cursor: None,
        };
        for _ in 0..2 {
            let listing = docent.list_full_tree(Some(options.clone()));
            let listing = listing.unwrap_or_else(|error| panic!("{error:?}"));
            let titles: Vec<(&str, Option<&str>)> = listing
                .entries
                .iter()
                .map(|entry| (entry.path.as_str(), entry.title.as_deref()))
                .collect();
            assert_eq!(
                titles,
                [
                    ("a.md", Some("Plain")),
                    ("sub", None),
                    ("sub/guide.DOCX", Some("운영 안내서")),
                    ("sub/torn.docx", None),
                ]
            );
        }
    }
}

#[test]
fn asked_and_summarized() {
    let mut docent = docent(&disk(), 1 << 20);
    let answer = docent.smart_search("설정은 어떻게 바꾸나".to_owned(), None);
    let answer = answer.unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(answer.documents[0].path, "sub/guide.DOCX");
    assert_eq!(answer.documents[0].sections[0].heading, "# 설정");
    let answer = docent.query_document("sub/guide.DOCX".to_owned(), "port".to_owned(), None);
    let answer = answer.unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(answer.sections[0].heading, "# 시작");
    let summary = docent.summarize_document("sub/guide.DOCX".to_owned(), None);
    let summary = summary.unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(summary.title, "운영 안내서");
    let toc: Vec<&str> = summary
        .toc
        .iter()
        .map(|entry| entry.text.as_str())
        .collect();
    assert_eq!(toc, ["운영 안내서", "시작", "설정"]);
    let found = docent.context_search(Some(ContextSearchOptions {
        tags: Some(vec!["tagged".to_owned()]),
        content: None,
        title: None,
        category: None,
        date_range: None,
        date_field: None,
        operator: None,
        root: None,
        path: None,
        limit: None,
        cursor: None,
    }));
    let found = found.unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(found.results[0].path, "sub/guide.DOCX");
}

#[test]
fn a_page_opens_so_many_and_the_next_goes_on() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    let file = Docx::new(&paragraph("needle")).file();
    for number in 0..501 {
        disk.write("docs", &format!("{number:03}.docx"), &file);
    }
    disk.write("docs", "z.md", b"needle");
    let mut docent = docent(&disk, 1 << 20);
    let mut options = NO_SEARCH;
    options.mode = Some(docent_api::search::SearchMode::TitlesOnly);
    options.max_tokens = Some(100_000);
    let mut found = Vec::new();
    loop {
        let answer = docent.search_documents("needle".to_owned(), Some(options.clone()));
        let answer = answer.unwrap_or_else(|error| panic!("{error:?}"));
        found.push(answer.total_files);
        options.cursor = answer.next_cursor;
        if options.cursor.is_none() {
            break;
        }
    }
    assert_eq!(found, [500, 2]);
    let answer = docent.smart_search("needle".to_owned(), None);
    let answer = answer.unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(answer.documents_found, 501);
    assert_eq!(answer.skipped.count, 1);
}
