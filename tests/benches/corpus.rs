//! Ten thousand documents of real text: what the crates that docent was built from say about
//! themselves.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// Directories, in ten groups.
const DIRECTORIES: usize = 200;

/// Documents in each.
const DOCUMENTS: usize = 50;

/// Bytes of all documents together, about.
const BYTES: usize = 60_000_000;

/// Bytes of the shortest document, about.
const SHORTEST: usize = 600;

/// Bytes of the longest, about.
const LONGEST: usize = 60_000;

/// Characters below which a paragraph is no text.
const PARAGRAPH: usize = 20;

/// A corpus on the disk.
pub struct Corpus {
    /// Where it lies.
    pub directory: PathBuf,
    /// Its documents.
    pub documents: usize,
    /// Bytes of them.
    pub bytes: u64,
}

/// Returns the corpus below `target`, which is made first where it is not there in full.
///
/// # Errors
/// When it cannot be written, or the machine holds too little text.
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

/// Sizes that are spread as those of documents are: many short ones, a few long ones. The same
/// each time.
struct Sizes(u64);

impl Sizes {
    fn next(&mut self, mean: usize) -> usize {
        let mut uniform = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        };
        // Twelve uniform numbers make nearly a normal one, whose exponential has a long tail.
        let normal = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        let spread = 0.9_f64;
        let size = mean as f64 * (spread * normal - spread * spread / 2.0).exp();
        (size as usize).clamp(SHORTEST, LONGEST)
    }
}

/// Returns where cargo keeps the sources of crates.
pub fn sources() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map_or_else(
        || std::env::home_dir().unwrap_or_default().join(".cargo"),
        PathBuf::from,
    );
    home.join("registry/src")
}

/// Returns paragraphs of the Markdown files and doc comments below cargo's registry, in the order
/// of their paths, until there are enough.
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

/// Returns the documentation in Rust source, without the slashes.
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
