//! PDF files: reading any file ends with Markdown of the outline's structure within the limit, or
//! with an error.
#![no_main]

use std::panic::{self, AssertUnwindSafe};

use docent_extract::fixtures::{Pdf, named, objects};
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

/// The separator of objects.
const END_OF_OBJECT: u8 = 0xFF;

/// The objects that frame an input: the catalog, the pages, a page, and its fonts.
const FRAME: [&str; 6] = [
    "<< /Type /Catalog /Pages 2 0 R /Outlines 8 0 R /Names 9 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 7 0 R /Resources << /Font << /A 4 0 R /K 5 0 R /L 10 0 R >> /XObject << /X 11 0 R >> >> >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Font /Subtype /Type0 /BaseFont /HYSMyeongJo-Medium-KSCms-UHC-H /Encoding /KSCms-UHC-H /DescendantFonts [6 0 R] >>",
    "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HYSMyeongJo-Medium /CIDSystemInfo << /Registry (Adobe) /Ordering (Korea1) /Supplement 1 >> >>",
];

/// Returns the PDF file for `data`. Its first byte selects the form of the rest: a whole file, or
/// the page's content stream and further objects.
fn file(data: &[u8]) -> Vec<u8> {
    let Some((way, rest)) = data.split_first() else {
        return Vec::new();
    };
    if way % 2 == 0 {
        return rest.to_vec();
    }
    let mut all: Vec<Vec<u8>> = FRAME.map(|object| object.as_bytes().to_vec()).to_vec();
    let mut own = rest.split(|byte| *byte == END_OF_OBJECT);
    let drawing = own.next().unwrap_or_default();
    let length = format!("<< /Length {} >>\nstream\n", drawing.len());
    all.push([length.as_bytes(), drawing, b"\nendstream"].concat());
    all.extend(own.map(<[u8]>::to_vec));
    objects(&all, "<< /Title (Title) >>")
}

fn write_seeds() {
    let from_file = |file: Vec<u8>| [vec![0], file].concat();
    let mut outlined = Pdf::default()
        .page(&["Preface", "", "1. 시작", "first"])
        .page(&["1.1 Install", "exam-", "ple"]);
    outlined.title = "Guide";
    outlined.outline = vec![(0, "시작", 0), (1, "Install", 1), (0, "Hidden", 1)];
    let mut with_names = outlined.clone();
    with_names.has_names = true;
    let own: [&[u8]; 5] = [
        b"BT /A 12 Tf 50 700 Td (Install) Tj 0 -14 Td [(a) -200 (b)] TJ /K 9 Tf <BCB3C1A4> Tj ET /X Do",
        b"<< /Type /Outlines /First 12 0 R /Last 12 0 R >>",
        b"<< /Dests << /Names [(one) [3 0 R /Fit]] >> >>",
        b"<< /Type /Font /Subtype /Type3 /FontMatrix [0.001 0 0 0.001 0 0] /FontBBox [0 0 9 9] /CharProcs << >> /Encoding << /Differences [65 /A] >> /FirstChar 65 /LastChar 66 /Widths [500 500] >>",
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 24 >>\nstream\nBT /A 1 Tf (form) Tj ET \nendstream",
    ];
    let item = b"<< /Title (Install) /A << /S /GoTo /D (one) >> >>";
    let mut drawn = vec![1];
    for object in own.iter().chain([&item.as_slice()]) {
        drawn.extend_from_slice(object);
        drawn.push(END_OF_OBJECT);
    }
    seeds::write([
        from_file(named("manual.pdf")),
        from_file(outlined.file()),
        from_file(with_names.file()),
        drawn,
    ]);
}

/// Returns true if a panic came from the PDF parser, which is a dependency. In the component it
/// only ends the reading of that document; here it is ignored, so that panics of docent's own code
/// are found.
fn is_in_dependency(file: &str) -> bool {
    file.contains("/hayro-")
}

/// Lets panics of the dependency be caught. Panics of docent's own code abort the process, as in
/// other targets.
fn set_hook() {
    let ends = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let file = info.location().map_or("", |location| location.file());
        if is_in_dependency(file) {
            eprintln!("in a dependency: {info}");
        } else {
            ends(info);
        }
    }));
}

fn read(file: &[u8], limits: &Limits) -> Option<String> {
    let read = AssertUnwindSafe(|| extract(Format::Pdf, file.to_vec(), limits));
    panic::catch_unwind(read).ok()?.ok()
}

fuzz_target!(
    init: {
        write_seeds();
        set_hook();
    },
    |data: &[u8]| {
        let file = file(data);
        let Some(text) = read(&file, &LIMITS) else {
            return;
        };
        assert!(text.len() <= LIMITS.text_bytes);
        if text.len() < LIMITS.text_bytes - 1024 {
            markdown::check(&text);
        }
        let limits = Limits {
            text_bytes: BEGINNING,
            ..LIMITS
        };
        if let Some(beginning) = read(&file, &limits) {
            markdown::check_beginning(&beginning, &text, BEGINNING);
        }
    }
);
