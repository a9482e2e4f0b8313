//! RTF documents: reading any file ends with Markdown within the limit, or with an error.
#![no_main]

use docent_extract::fixtures::{Rtf, named, rtf_row};
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

/// Text with control words of every kind.
const BODIES: [&str; 6] = [
    r"\pard\s1 one\par\pard\ls2\ilvl1{\listtext a)\tab}two\par{\pntext\f2\'B7\tab}three\par",
    r#"{\field{\*\fldinst{HYPERLINK "https://e.org"}}{\fldrslt a\par b}}{\footnote c{\footnote d}}"#,
    r"\trowd\cellx10\cellx20\pard\intbl a\par\itap2 p\nestcell{\*\nesttableprops\trowd\cellx5\nestrow}{\nonesttables\par}\itap1 b\cell\row",
    r"{\shp{\*\shpinst{\shptxt\pard box\par}}{\shprslt no}}{\upr{no}{\*\ud{\u44033?}}}{\v x}{\deleted y}{\pict\bin2 }}}",
    r"\f0\'8cc\'b9\'e6\uc2\u-10179??\u-8704??\uc0\super 2\plain{\*\annotation z}\mac\pca\ansicpg932",
    r"{\field{\*\fldinst FORMDROPDOWN{\*\formfield{\fftype2\ffres1{\*\ffl one}{\*\ffl two}}}}{\fldrslt}}{\mmath{\*\moMath{\mf{\mden b}}}}",
];

fn write_seeds() {
    let bodies = BODIES.into_iter().map(|body| Rtf::new(body).file());
    let table = Rtf::new(&rtf_row(&["a", "b"])).file();
    seeds::write(bodies.chain([named("memo.rtf"), table]));
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let Ok(text) = extract(Format::Rtf, data.to_vec(), &LIMITS) else {
        return;
    };
    assert!(text.len() <= LIMITS.text_bytes);
    // Code is that of the styles of programs, in fences, which is no structure of other texts.
    if text.len() < LIMITS.text_bytes - 1024 && !text.contains("```") {
        markdown::check(&text);
    }
    let limits = Limits {
        text_bytes: BEGINNING,
        ..LIMITS
    };
    if let Ok(beginning) = extract(Format::Rtf, data.to_vec(), &limits) {
        markdown::check_beginning(&beginning, &text, BEGINNING);
    }
});
