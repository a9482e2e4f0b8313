//! Messages, mailboxes and messages of Outlook: reading any file ends with Markdown within the
//! limit, or with an error.
#![no_main]

use docent_extract::fixtures::named;
use docent_extract::{Beyond, Format, Limits, detect, extract};
use docent_fuzz::{markdown, seeds};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits {
    text_bytes: 1 << 18,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::LeaveOut,
};

/// Bytes of the beginning that is compared with the whole.
const BEGINNING: usize = 50;

const FORMATS: [(Format, &str); 3] = [
    (Format::Eml, "offer.eml"),
    (Format::Mbox, "archive.mbox"),
    (Format::Msg, "reply.msg"),
];

fn write_seeds() {
    let mut seeds = FORMATS.map(|(_, name)| named(name)).to_vec();
    seeds.push(named("letter.msg"));
    seeds::write(seeds);
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let found = detect("", data, &LIMITS);
    for (format, _) in FORMATS {
        let Ok(text) = extract(format, data.to_vec(), &LIMITS) else {
            // A container may be damaged behind its directory.
            assert!(found != Ok(format) || format == Format::Msg);
            continue;
        };
        assert!(text.len() <= LIMITS.text_bytes);
        let limits = Limits {
            text_bytes: BEGINNING,
            ..LIMITS
        };
        if let Ok(beginning) = extract(format, data.to_vec(), &limits) {
            markdown::check_beginning(&beginning, &text, BEGINNING);
        }
    }
});
