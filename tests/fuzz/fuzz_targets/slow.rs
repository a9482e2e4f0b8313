//! Hunts for inputs whose time grows faster than their length: a few bytes are repeated, and four
//! times as many repetitions may take about four times as long. It measures the thread's CPU time,
//! and a finding must show at three lengths, in the best of several runs.
#![no_main]

use std::time::Duration;

use docent_code::Language;
use docent_document::metadata::Metadata;
use docent_document::parts::{Unit, parts};
use docent_document::sections::sections;
use docent_extract::fixtures::{Packing, archive, objects};
use docent_extract::{Beyond, Format, Limits, extract};
use docent_fuzz::seeds;
use docent_rank::bm25::Collection;
use docent_rank::pages::{PageScope, PagedDocument, Pages};
use docent_rank::passages::{Question, Relevance, ScoredDocument};
use docent_rank::statistics::Statistics;
use docent_text::time_budget::TimeBudget;
use docent_text::tokens::estimate::estimate;
use docent_tree::glob::Glob;
use docent_tree::ignore::rules::Rules;
use libfuzzer_sys::fuzz_target;
use rustix::time::{ClockId, clock_gettime};

/// Bytes of the shortest measured input.
const SHORTEST: usize = 8 << 10;

/// Ratio of the lengths of successive inputs.
const STEP: usize = 4;

/// Maximum factor, in multiples of `STEP`, by which the time may grow from one input to the next.
/// Linear time is 1, and quadratic time is `STEP`; caches and noise are in between.
const MARGIN: f64 = 2.5;

/// Minimum time of the middle input for a valid measurement.
const FLOOR: Duration = Duration::from_millis(4);

/// Number of runs, of which the shortest counts.
const RUNS: usize = 3;

const LIMITS: Limits = Limits {
    text_bytes: 4 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::LeaveOut,
};

/// The kinds of work on a text.
#[derive(Clone, Copy)]
enum Work {
    Outline(Language),
    Document(&'static str),
    /// Reads the text as the body of a document, whose tags are closed at the end.
    Docx,
    Xlsx,
    /// Reads the text as the content stream of a page.
    Pdf,
    /// Matches a glob, made of the first bytes, with the rest of the text as the path.
    Glob,
    Ignore,
    /// Counts the tokens of the text, and splits it into parts.
    Tokens,
    /// Ranks the sections of the text for a query by this relevance.
    Question(Relevance),
}

/// Returns the work that a byte selects.
fn work(byte: u8) -> Work {
    let rest = [
        Work::Document("x.md"),
        Work::Document("x.rst"),
        Work::Document("x.adoc"),
        Work::Document("x.org"),
        Work::Document("x.tex"),
        Work::Document("x.textile"),
        Work::Document("x.wiki"),
        Work::Document("x.1"),
        Work::Document("x.vtt"),
        Work::Document("x.txt"),
        Work::Docx,
        Work::Xlsx,
        Work::Pdf,
        Work::Glob,
        Work::Ignore,
        Work::Tokens,
        Work::Question(Relevance::Bm25),
        Work::Question(Relevance::Density),
    ];
    let index = usize::from(byte) % (Language::ALL.len() + rest.len());
    match index.checked_sub(Language::ALL.len()) {
        Some(index) => rest[index],
        None => Work::Outline(Language::ALL[index]),
    }
}

fn write_seeds() {
    let all = u8::try_from(Language::ALL.len()).unwrap_or(u8::MAX) + 18;
    let units = [
        "\0(",
        "\0{ ",
        "\0\"",
        "\0/*",
        "\0<!--",
        "\0#",
        "\0# a\n",
        "\0    a\n",
        "\0[a]: b\n",
        "\0> ",
        "\0- ",
        "\0`",
        "\0|",
        "\0\r",
        "\0a.",
        "x = \0(",
        "---\n\0a: [",
        "+++\n\0a = \"",
        "\0\"\"\"\n",
        "\0<<A\n",
        "\0'",
        "\0#if\n",
        "*a*b\0a",
        "**/a*/\0a/",
        "\0<w:p><w:t>a</w:t></w:p>",
        "\0<c><v>1</v></c>",
        "\0BT /A 1 Tf (a) Tj ET ",
        "\0a",
        "\0a ",
        "\0$",
        "\0。",
        "\0❌",
        "\0\u{A0}",
        "\0\n",
        "\0a\n\n",
        "\0- a\n",
    ];
    let seeds = (0..all).flat_map(|work| units.map(|unit| [&[work], unit.as_bytes()].concat()));
    seeds::write(seeds);
}

/// Performs the work on `lead`, followed by `unit` repeated up to `length` bytes.
fn run(work: Work, lead: &str, unit: &str, length: usize) {
    let repeated = unit.repeat(length / unit.len());
    match work {
        Work::Outline(language) => {
            let text = format!("{lead}{repeated}");
            drop(docent_code::read(language, &text, |_| ()));
        }
        Work::Document(name) => {
            let text = format!("{lead}{repeated}");
            drop(sections(name, &text));
            drop(Metadata::new(name, &text));
        }
        Work::Docx => {
            let part = format!("<w:document><w:body>{lead}{repeated}</w:body></w:document>");
            read(Format::Docx, package("word/document.xml", &part));
        }
        Work::Xlsx => {
            let sheet = format!("<worksheet><sheetData>{lead}{repeated}</sheetData></worksheet>");
            let parts = [
                (
                    "xl/workbook.xml",
                    r#"<workbook><sheets><sheet name="s" r:id="w"/></sheets></workbook>"#,
                ),
                (
                    "xl/_rels/workbook.xml.rels",
                    r#"<Relationships><Relationship Id="w" Type="/worksheet" Target="s.xml"/></Relationships>"#,
                ),
                ("xl/s.xml", sheet.as_str()),
            ];
            let parts = parts.map(|(name, text)| (name, text.as_bytes(), Packing::Stored));
            read(Format::Xlsx, archive(&parts));
        }
        Work::Pdf => {
            let drawing = format!("{lead}{repeated}");
            let all = [
                "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
                "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /A 4 0 R >> >> >>".to_owned(),
                "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
                format!("<< /Length {} >>\nstream\n{drawing}\nendstream", drawing.len()),
            ];
            read(Format::Pdf, objects(&all.map(String::into_bytes), ""));
        }
        Work::Glob => {
            if let Ok(mut glob) = Glob::parse(lead) {
                glob.matches_path(&repeated);
            }
        }
        Work::Ignore => {
            Rules::parse(lead.lines()).ignores(&repeated, false);
        }
        Work::Tokens => {
            let text = format!("{lead}{repeated}");
            estimate(&text);
            // Small parts, so that there are many; the second limit lets a part grow far larger if
            // there is no good split point.
            parts(&text, Unit::Tokens, 30, 30);
            parts(&text, Unit::Tokens, 400, 100_000);
            parts(&text, Unit::Bytes, 30, 30);
        }
        Work::Question(relevance) => {
            let text = format!("{lead}{repeated}");
            drop(Statistics::new("x.md", &text));
            let question = Question::new("a 설정", Some(relevance));
            let document = ScoredDocument::new("x.md", &text, &question);
            let mut collection = Collection::default();
            document.add_to(&mut collection);
            let scorer = question.scorer(&collection, collection.mean_length());
            document.best(&scorer, 400, &mut TimeBudget::unlimited());
            for budget in [60, 2_000] {
                let paged = PagedDocument {
                    document: &document,
                    score: 1.0,
                    heading: 0,
                    path: 1,
                    named: 0,
                };
                let mut pages = Pages::new(vec![paged], &scorer, PageScope::All);
                let cut = budget - budget / 10;
                pages.page(budget, cut, budget - budget / 20, false);
                pages.page(budget, cut, budget - budget / 20, false);
            }
        }
    }
}

fn package(name: &str, text: &str) -> Vec<u8> {
    archive(&[(name, text.as_bytes(), Packing::Stored)])
}

fn read(format: Format, file: Vec<u8>) {
    // Other targets check the reason why a file cannot be read.
    let _ = extract(format, file, &LIMITS);
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanos)
}

fn time(work: Work, lead: &str, unit: &str, length: usize, runs: usize) -> Duration {
    let times = (0..runs).map(|_| {
        let start = now();
        run(work, lead, unit, length);
        now() - start
    });
    times.min().unwrap_or_default()
}

/// Returns true if `long` is too much for `STEP` times the bytes of `short`.
fn is_too_much(short: Duration, long: Duration) -> bool {
    long > FLOOR && long.as_secs_f64() > short.as_secs_f64() * MARGIN * STEP as f64
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let Some((first, text)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    // The text before a zero occurs once, and the text after it is repeated.
    let (lead, unit) = text.split_once('\0').unwrap_or(("", text));
    if unit.is_empty() || unit.len() > 256 || lead.len() > 1024 {
        return;
    }
    let work = work(*first);
    let lengths = [SHORTEST, SHORTEST * STEP, SHORTEST * STEP * STEP];
    let short = time(work, lead, unit, lengths[0], 1);
    let middle = time(work, lead, unit, lengths[1], 1);
    if !is_too_much(short, middle) {
        return;
    }
    let [short, middle, long] = lengths.map(|length| time(work, lead, unit, length, RUNS));
    assert!(
        !is_too_much(short, middle) || !is_too_much(middle, long),
        "{short:?}, {middle:?} and {long:?} for {lengths:?} bytes of {unit:?} behind {lead:?}"
    );
});
