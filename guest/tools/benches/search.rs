//! The core's own time for searching 10 000 documents of 6 KB on the tree in memory, in
//! milliseconds: `cargo bench -p docent-tools --bench search`.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_types,
    reason = "a benchmark takes the time and prints what it measured"
)]

use std::time::Instant;

use docent_api::search::SearchDocumentsOptions;
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;

const SENTENCE: &str = "The quick search of documents costs less than reading them; most of it is \
                        waiting for what the disk says.\n";

fn main() {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for i in 0..10_000 {
        let mut text = format!("# Document {i}\n\n");
        while text.len() < 6_200 {
            text.push_str(SENTENCE);
        }
        disk.write(
            "docs",
            &format!("d{:03}/f{i:05}.md", i / 100),
            text.as_bytes(),
        );
    }
    for (name, cache_bytes) in [("cold", 0), ("warm", 128 << 20)] {
        for query in ["zygote", "zygote", "document 77", "document 77", "quick"] {
            let settings = ToolSettings {
                cache_bytes,
                ..ToolSettings::default()
            };
            let mut docent = Docent::new(disk.clone(), settings);
            if cache_bytes > 0 {
                search(&mut docent, "something else");
                search(&mut docent, query);
            }
            let mut best = f64::MAX;
            let mut hits = 0;
            for _ in 0..5 {
                let start = Instant::now();
                hits = search(&mut docent, query);
                best = best.min(start.elapsed().as_secs_f64());
            }
            println!(
                "{name} {query:12} {:8.2} ms, {hits} documents with hits",
                best * 1e3
            );
        }
    }
}

/// Searches page by page and returns the number of documents with a hit.
fn search(docent: &mut Docent<MemoryDisk>, query: &str) -> usize {
    let mut found = 0;
    let mut cursor = None;
    loop {
        let options = SearchDocumentsOptions {
            root: None,
            path: None,
            case_sensitive: None,
            context_chars: None,
            max_results: None,
            limit: None,
            mode: None,
            extensions: None,
            cursor,
            max_tokens: Some(0),
            timeout_ms: None,
        };
        let Ok(answer) = docent.search_documents(query.to_owned(), Some(options)) else {
            panic!("the request is valid")
        };
        found += answer.results.len();
        cursor = answer.next_cursor;
        if cursor.is_none() {
            return found;
        }
    }
}
