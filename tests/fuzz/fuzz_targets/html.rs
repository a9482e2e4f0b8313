//! Pages: reading any bytes ends with Markdown within the limit, or with an error.
#![no_main]

use docent_extract::fixtures::named;
use docent_extract::{Beyond, Format, Limits, extract};
use docent_fuzz::{markdown, seeds};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits {
    text_bytes: 1 << 18,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::LeaveOut,
};

/// Bytes of the beginning that is compared with the whole.
const BEGINNING: usize = 50;

const PIECES: [&str; 64] = [
    "<p>", "</p>", "<div>", "</div>", "<div hidden>", "<h1>", "</h1>", "<h3>", "</h3>", "<ul>",
    "</ul>", "<ol start=7>", "</ol>", "<li>", "</li>", "<dl>", "</dl>", "<dt>", "<dd>", "<table>",
    "</table>", "<tr>", "</tr>", "<td>", "</td>", "<td colspan=2>", "<td rowspan=3>", "<th>",
    "<tbody>", "<caption>", "<pre>", "</pre>", "<code>", "</code>", "<a href=x>", "<a href='#y'>",
    "</a>", "<br>", "<hr>", "<ruby>", "<rt>", "<rp>", "</ruby>", "<sup>", "</sup>", "<math>",
    "<mfrac>", "</math>", "<svg>", "</svg>", "<title>", "</title>", "<script>", "</script>",
    "<textarea>", "</textarea>", "<select>", "<option>", "</select>", "<img alt='a b'>", "<q>",
    "<template>", "</template>", "<!--",
];

const TEXTS: [&str; 10] = ["a", " ", "\n", "# b", "- ", "|", "가", "&amp;", "1. ", "-->"];

fn write_seeds() {
    let page = named("page.html");
    let pieces: Vec<u8> = (1..120).collect();
    seeds::write([[&[0], page.as_slice()].concat(), pieces]);
}

/// Returns the page for `data`: the bytes after the first, or a piece for each of them.
fn page(data: &[u8]) -> Vec<u8> {
    match data.split_first() {
        Some((0, page)) => page.to_vec(),
        Some((_, pieces)) => {
            let piece = |byte: &u8| {
                let index = usize::from(*byte);
                let piece = PIECES.get(index).copied();
                piece.unwrap_or_else(|| TEXTS[index % TEXTS.len()])
            };
            pieces.iter().map(piece).collect::<String>().into_bytes()
        }
        None => Vec::new(),
    }
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let page = page(data);
    let Ok(text) = extract(Format::Html, page.clone(), &LIMITS) else {
        return;
    };
    assert!(text.len() <= LIMITS.text_bytes);
    // A page may contain code, whose lines have no form of their own.
    if text.len() < LIMITS.text_bytes - 1024 && !text.contains("```") {
        markdown::check(&text);
    }
    let limits = Limits {
        text_bytes: BEGINNING,
        ..LIMITS
    };
    if let Ok(beginning) = extract(Format::Html, page, &limits) {
        markdown::check_beginning(&beginning, &text, BEGINNING);
    }
});
