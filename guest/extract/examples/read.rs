//! Prints of each document its path, its format, and the bytes of its text or the reason why there
//! is none: `cargo run -p docent-extract --example read -- PATH ...`. With `--fixtures` it writes
//! the test documents to a directory: `... -- --fixtures DIR`.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "it reads files and prints what is in them"
)]

use std::error::Error;
use std::path::Path;

use docent_extract::fixtures::{NAMED, named};
use docent_extract::{Beyond, Limits, detect, extract};

/// The limits of the program.
const LIMITS: Limits = Limits {
    text_bytes: 32 << 20,
    unpacked_bytes: 320 << 20,
    beyond: Beyond::Refuse,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.first().is_some_and(|first| first == "--fixtures") {
        let directory = paths.pop().ok_or("expected a directory")?;
        for name in NAMED {
            std::fs::write(Path::new(&directory).join(name), named(name))?;
        }
        return Ok(());
    }
    // With `--text` the text is printed as well.
    let is_shown = paths.first().is_some_and(|first| first == "--text");
    for path in &paths[usize::from(is_shown)..] {
        let extension = Path::new(path).extension().unwrap_or_default();
        let extension = extension.to_string_lossy().to_ascii_lowercase();
        let content = std::fs::read(path)?;
        let read = detect(&extension, &content, &LIMITS)
            .map_err(|failure| ("-", failure))
            .and_then(|format| match extract(format, content, &LIMITS) {
                Ok(text) => Ok((format.name(), text)),
                Err(failure) => Err((format.name(), failure)),
            });
        match read {
            Ok((format, text)) => {
                let note = if text.starts_with("Damaged: ") {
                    ", damaged"
                } else {
                    ""
                };
                println!("{path}\t{format}\ttext\t{} bytes{note}", text.len());
                if is_shown {
                    println!("{text}");
                }
            }
            Err((format, failure)) => println!("{path}\t{format}\trefused\t{failure:?}"),
        }
    }
    Ok(())
}
