//! Real text: the documentation of the crates that docent depends on.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

/// Approximate bytes of the shortest document.
const SHORTEST: usize = 600;

/// Approximate bytes of the longest document.
const LONGEST: usize = 60_000;

/// Minimum bytes of a paragraph of text.
const PARAGRAPH: usize = 20;

/// A generator of sizes, distributed like those of real documents: many short ones, and a few long
/// ones. The sequence is always the same.
pub struct Sizes(u64);

impl Default for Sizes {
    fn default() -> Self {
        Self::new()
    }
}

impl Sizes {
    /// Creates the generator.
    pub fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// Returns the approximate bytes of the next document, `mean` on average.
    pub fn next(&mut self, mean: usize) -> usize {
        let mut uniform = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        };
        // The sum of twelve uniform numbers is nearly normal, and its exponential has a long tail.
        let normal = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        let spread = 0.9_f64;
        let size = mean as f64 * (spread * normal - spread * spread / 2.0).exp();
        (size as usize).clamp(SHORTEST, LONGEST)
    }
}

/// Returns the directory in which cargo keeps the sources of crates.
pub fn sources() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map_or_else(
        || std::env::home_dir().unwrap_or_default().join(".cargo"),
        PathBuf::from,
    );
    home.join("registry/src")
}

/// Returns paragraphs of the files with these extensions in cargo's registry, in the order of their
/// paths, until there are more than `enough` bytes. Of Rust code only doc comments are taken.
///
/// # Errors
/// If a directory cannot be read, or the machine has less than a tenth of that text.
pub fn paragraphs(extensions: &[&str], enough: usize) -> Result<Vec<String>, Box<dyn Error>> {
    let sources = sources();
    let mut paragraphs = Vec::new();
    let mut bytes = 0;
    let mut left = vec![sources.clone()];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            let mut entries: Vec<PathBuf> = fs::read_dir(&path)?
                .map(|entry| Ok(entry?.path()))
                .collect::<std::io::Result<_>>()?;
            entries.sort();
            left.extend(entries.into_iter().rev());
            continue;
        }
        let extension = path.extension().and_then(|extension| extension.to_str());
        let Some(extension) = extension.filter(|extension| extensions.contains(extension)) else {
            continue;
        };
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let text = if extension == "rs" {
            doc_comments(&text)
        } else {
            text.replace('\r', "")
        };
        for paragraph in text.split("\n\n").filter(|text| text.len() > PARAGRAPH) {
            bytes += paragraph.len();
            paragraphs.push(paragraph.to_owned());
        }
        if bytes > enough {
            return Ok(paragraphs);
        }
    }
    if bytes < enough / 10 {
        return Err(format!(
            "{} holds {bytes} bytes of documentation; expected what docent was built from",
            sources.display()
        )
        .into());
    }
    Ok(paragraphs)
}

/// Returns the doc comments of Rust source, without the slashes.
fn doc_comments(source: &str) -> String {
    let mut text = String::new();
    for line in source.lines() {
        let line = line.trim_start();
        match line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))
        {
            Some(comment) => {
                text.push_str(comment.strip_prefix(' ').unwrap_or(comment));
                text.push('\n');
            }
            None if !text.is_empty() && !text.ends_with("\n\n") => text.push('\n'),
            None => {}
        }
    }
    text
}
