//! Throughput of the finder, in GB/s: `cargo bench -p docent-text --bench finder`.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_types,
    reason = "a benchmark takes the time and prints what it measured"
)]

use std::hint::black_box;
use std::time::Instant;

use docent_text::matching::finder::{Case, Finder};

fn main() {
    let english = prose(
        "The quick search of documents costs less than reading them. Configure the server with \
         a file, then start it and look at what it prints; most of the work is waiting.\n",
    );
    let korean =
        prose("문서를 빠르게 검색하는 서버를 설정하고 시작한 다음 출력을 확인합니다. The end.\n");
    for (name, text, query) in [
        ("english, rare word", &english, "zygote"),
        ("english, common letters", &english, "serenest"),
        ("english, k and s only", &english, "kss"),
        ("english, 4 hits a kB", &english, "search"),
        ("english, korean query", &english, "한국어"),
        ("english, accented query", &english, "résumé"),
        ("korean, rare word", &korean, "도서관"),
        ("korean, 8 hits a kB", &korean, "설정"),
        ("korean, english word", &korean, "zygote"),
        ("english, cyrillic query", &english, "привет"),
    ] {
        let finder = Finder::new(query, Case::Ignored);
        let mut best = f64::MAX;
        let mut hits = 0;
        for _ in 0..20 {
            let start = Instant::now();
            hits = black_box(&finder).hits(black_box(text)).count();
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!(
            "{name:26} {:6.2} GB/s {hits} hits",
            text.len() as f64 / best / 1e9
        );
    }
}

/// Returns 8 MB of `sentence`.
fn prose(sentence: &str) -> String {
    sentence.repeat((8 << 20) / sentence.len())
}
