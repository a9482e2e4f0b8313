//! Cursors of every tool with pages: with any content, and after any change of the files, a cursor
//! is refused or leads to a page like any other, and the next call is answered as if there had been
//! no cursor.
#![no_main]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_api::types::{Error, ErrorCode};
use docent_fuzz::seeds;
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde_json::{Value, json};

const FILES: [(&str, &str); 7] = [
    ("a.md", "# A\n\nword one #t\n\n## Sub\n\nword two\n"),
    ("b/c.md", "---\ntags: [t]\n---\nword\n"),
    ("b/d.txt", "word word\n\nword\n"),
    ("b/e/f.md", "# F #t\n\nword\n"),
    (
        "g.rs",
        "/// Says word.\nfn word() { word(); }\n\nfn other() {}\n",
    ),
    ("h.py", "def word():\n    return 1\n"),
    ("한글.md", "# 제목\n\nword #t\n"),
];

/// The tools with pages.
#[derive(Clone, Copy)]
enum Tool {
    Search,
    List,
    Tree,
    Find,
    Context,
    ExploreItems,
    ExploreContent,
    Grep,
}

const TOOLS: [Tool; 8] = [
    Tool::Search,
    Tool::List,
    Tool::Tree,
    Tool::Find,
    Tool::Context,
    Tool::ExploreItems,
    Tool::ExploreContent,
    Tool::Grep,
];

fn json_of<T: Serialize>(answer: Result<T, Error>) -> Result<Value, Error> {
    answer.map(|answer| json!(answer))
}

/// Returns options from their fields.
fn options<T: serde::de::DeserializeOwned>(fields: Value) -> Option<T> {
    match serde_json::from_value(fields) {
        Ok(options) => Some(options),
        Err(error) => panic!("these are no options: {error}"),
    }
}

impl Tool {
    fn call(self, docent: &mut Docent<MemoryDisk>, cursor: Option<&str>) -> Result<Value, Error> {
        let page = json!({"limit": 2, "cursor": cursor});
        match self {
            Self::Search => json_of(docent.search_documents("word".to_owned(), options(page))),
            Self::List => json_of(docent.list_documents(options(page))),
            Self::Tree => json_of(docent.list_full_tree(options(page))),
            Self::Find => json_of(docent.find_files(options(page))),
            Self::Context => json_of(docent.context_search(options(
                json!({"tags": ["t"], "limit": 1, "cursor": cursor}),
            ))),
            Self::Grep => json_of(docent.grep(
                "word".to_owned(),
                options(json!({"max_chars": 20, "cursor": cursor})),
            )),
            Self::ExploreItems => json_of(docent.explore(options(
                json!({"query": "word", "limits": {"max_results": 2}, "cursor": {"items": cursor}}),
            ))),
            Self::ExploreContent => json_of(docent.explore(options(
                json!({"paths": ["a.md", "g.rs"], "limits": {"max_results": 2, "max_item_chars": 20}, "cursor": {"content": cursor}}),
            ))),
        }
    }

    /// Returns the cursor of a page.
    fn next(self, answer: &Value) -> Option<&str> {
        let cursor = match self {
            Self::ExploreItems => &answer["next"]["items_cursor"],
            Self::ExploreContent => &answer["next"]["content_cursor"],
            Self::Search | Self::List | Self::Tree | Self::Find | Self::Context | Self::Grep => {
                &answer["next_cursor"]
            }
        };
        cursor.as_str()
    }
}

fn write_seeds() {
    let mut all = Vec::new();
    for (index, tool) in (0u8..).zip(TOOLS) {
        for way in 0..3 {
            all.push(vec![index, way, 0]);
            all.push(vec![index, way, 0b101, 20, 1, b'x', 40, 0]);
        }
        let mut docent = Docent::new(MemoryDisk::with_files(&FILES), ToolSettings::default());
        let Ok(answer) = tool.call(&mut docent, None) else {
            panic!("the first page of tool {index}");
        };
        let Some(cursor) = tool.next(&answer) else {
            continue;
        };
        all.push([&[index, 0, 0], cursor.as_bytes()].concat());
        if let Ok(inside) = URL_SAFE_NO_PAD.decode(cursor) {
            all.push([&[index, 1, 0], inside.as_slice()].concat());
        }
    }
    seeds::write(all);
}

/// Returns a cursor with some bytes of its decoded content replaced: `edits` are pairs of an offset
/// and a byte.
fn edited(cursor: &str, edits: &[u8]) -> String {
    let Ok(mut inside) = URL_SAFE_NO_PAD.decode(cursor) else {
        panic!("{cursor}");
    };
    for edit in edits.chunks_exact(2) {
        let place = usize::from(edit[0]) % inside.len();
        inside[place] = edit[1];
    }
    URL_SAFE_NO_PAD.encode(inside)
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let [tool, way, changes, rest @ ..] = data else {
        return;
    };
    let tool = TOOLS[usize::from(*tool) % TOOLS.len()];
    let disk = MemoryDisk::with_files(&FILES);
    let mut docent = Docent::new(disk.clone(), ToolSettings::default());
    let Ok(first) = tool.call(&mut docent, None) else {
        panic!("the first page");
    };
    let genuine = tool.next(&first).unwrap_or_default();
    let cursor = match way % 3 {
        0 => String::from_utf8_lossy(rest).into_owned(),
        1 => URL_SAFE_NO_PAD.encode(rest),
        _ => edited(genuine, rest),
    };
    // Removes some files, and adds one.
    for (index, (path, _)) in FILES.iter().enumerate() {
        if changes & (1 << index) != 0 {
            disk.remove("docs", path);
        }
    }
    if changes & 0x80 != 0 {
        disk.write("docs", "b/a.md", b"word #t\n");
    }
    match tool.call(&mut docent, Some(&cursor)) {
        Ok(answer) => {
            assert!(tool.next(&answer).is_none_or(|next| !next.is_empty()));
        }
        Err(error) => {
            // Missing files are reported as missing.
            assert!(*changes != 0 || error.code == ErrorCode::InvalidCursor, "{error:?}");
            assert!(*changes != 0 || cursor != genuine || cursor.is_empty(), "{cursor}");
        }
    }
    // Cached data of the call must not affect the answers.
    let mut other = Docent::new(disk, ToolSettings::default());
    let again = tool.call(&mut docent, None);
    let expected = tool.call(&mut other, None);
    let entries = |answer: &Result<Value, Error>| {
        let answer = answer.as_ref().ok()?;
        let names = ["entries", "results", "matches", "data"];
        Some(names.map(|name| answer[name].to_string()))
    };
    assert_eq!(entries(&again), entries(&expected));
});
