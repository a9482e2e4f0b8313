//! Front matter: its end, and the metadata in it.
#![no_main]

use docent_document::front_matter;
use docent_document::metadata::Metadata;
use docent_fuzz::seeds;
use libfuzzer_sys::fuzz_target;

fn write_seeds() {
    let texts = [
        "---\ntitle: A: b\ntags: [a, \"b c\", 'd']\ncreated: 2026-05-01\n---\n# A #inline\n",
        "---\ntitle: |\n  two\n  lines\ntags:\n  - a\n  - b: c\ncategory: projects\n...\nbody",
        "---\na: &x [1, 2]\nb: *x\n? k\n: v\n\"k\": {a: b}\n---\n",
        "+++\ntitle = \"A\\u00e9\"\ntags = ['a', \"b\"]\ndate = 2026-05-01T12:00:00Z\n[extra]\nx = 1\n+++\n",
        "{\"title\": \"A\", \"tags\": [\"a\"]}\n\n# B\n",
        "---\n\n---\n",
        "---\r\ntitle: A\r\n---\r\n",
    ];
    seeds::write(texts.map(|text| text.as_bytes().to_vec()));
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let end = front_matter::length(text);
    let (front, body) = text.split_at(end);
    // It is self-contained: the text after it does not change its end.
    assert_eq!(front_matter::length(front), end);
    if end > 0 {
        assert!(front.starts_with(['-', '+', '{']));
    }
    if let Some(title) = front_matter::title(front) {
        assert!(!title.is_empty() && !title.contains(['\n', '\r']), "{title}");
    }
    let metadata = Metadata::new("dir/a.md", text);
    assert!(text.is_char_boundary(metadata.body));
    assert!(!metadata.title.is_empty() && !metadata.title.contains(['\n', '\r']), "{metadata:?}");
    for tag in &metadata.tags {
        assert!(!tag.is_empty(), "{metadata:?}");
    }
    // A document without headings and tags of its own has only the metadata of its front matter.
    let alone = Metadata::new("dir/a.md", front);
    if end > 0 && body.is_empty() {
        assert_eq!(alone, metadata);
    }
    // Each parser gets every text, not only text with valid fences.
    for fence in ["---", "+++"] {
        front_matter::read(&format!("{fence}\n{text}\n{fence}\n"));
    }
});
