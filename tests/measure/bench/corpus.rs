//! A corpus of ten thousand documents of real text: the documentation of the crates that docent
//! depends on.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// Number of directories, in ten groups.
const DIRECTORIES: usize = 200;

/// Number of documents per directory.
const DOCUMENTS: usize = 50;

/// Approximate bytes of all documents together.
const BYTES: usize = 60_000_000;

/// Approximate bytes of the shortest document.
const SHORTEST: usize = 600;

/// Approximate bytes of the longest document.
const LONGEST: usize = 60_000;

/// Minimum characters of a paragraph of text.
const PARAGRAPH: usize = 20;

/// A corpus on disk.
pub struct Corpus {
    /// Directory of the corpus.
    pub directory: PathBuf,
    /// Number of documents.
    pub documents: usize,
    /// Total bytes of the documents.
    pub bytes: u64,
}

/// Returns the corpus below `target`, after creating it if it is incomplete.
///
/// # Errors
/// If it cannot be written, or the machine has too little text.
pub fn in_target(target: &Path) -> Result<Corpus, Box<dyn Error>> {
    let home = target.join("bench-corpus");
    let (directory, complete) = (home.join("docs"), home.join("complete"));
    if !complete.exists() {
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        eprintln!("making the corpus in {}", directory.display());
        make(&directory)?;
        fs::write(&complete, "")?;
    }
    let (mut documents, mut bytes) = (0, 0);
    for group in fs::read_dir(&directory)? {
        for topic in fs::read_dir(group?.path())? {
            for document in fs::read_dir(topic?.path())? {
                documents += 1;
                bytes += document?.metadata()?.len();
            }
        }
    }
    Ok(Corpus {
        directory,
        documents,
        bytes,
    })
}

fn make(directory: &Path) -> Result<(), Box<dyn Error>> {
    let paragraphs = paragraphs()?;
    let mut next = paragraphs.iter().cycle();
    let mut sizes = Sizes(0x9e37_79b9_7f4a_7c15);
    let mean = BYTES / (DIRECTORIES * DOCUMENTS);
    for topic in 0..DIRECTORIES {
        let folder = directory.join(format!("area-{:02}/topic-{topic:03}", topic / 20));
        fs::create_dir_all(&folder)?;
        for number in 0..DOCUMENTS {
            let size = sizes.next(mean);
            let mut text = format!("# Note {}\n", topic * DOCUMENTS + number);
            for paragraph in next.by_ref() {
                text.push('\n');
                text.push_str(paragraph);
                text.push('\n');
                if text.len() >= size {
                    break;
                }
            }
            fs::write(folder.join(format!("note-{number:03}.md")), text)?;
        }
    }
    Ok(())
}

/// A generator of sizes, distributed like those of real documents: many short ones, and a few long
/// ones. The sequence is always the same.
struct Sizes(u64);

impl Sizes {
    fn next(&mut self, mean: usize) -> usize {
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

/// Returns paragraphs of the Markdown files and doc comments in cargo's registry, in the order of
/// their paths, until there is enough text.
fn paragraphs() -> Result<Vec<String>, Box<dyn Error>> {
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
        let Some(extension @ ("md" | "rs")) = extension else {
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
        if bytes > BYTES {
            return Ok(paragraphs);
        }
    }
    if bytes < BYTES / 10 {
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
