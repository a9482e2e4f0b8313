//! Prints the skeleton of a file: `cargo run -p docent-code --example skeleton -- PATH [full]`.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "it reads a file and prints what it defines"
)]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("expected a path")?;
    let text = std::fs::read_to_string(&path)?;
    let language = docent_code::Language::from_path(&path).ok_or("no code")?;
    let outline = docent_code::outline(language, &text);
    let skeleton = match arguments.next().as_deref() {
        Some("full") => outline.skeleton(usize::MAX),
        _ => outline.preview(text.len()),
    };
    println!("{} {}", outline.language.name(), outline.source.name());
    println!("{}", skeleton.text);
    Ok(())
}
