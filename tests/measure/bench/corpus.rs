//! A corpus of ten thousand documents of real text: the documentation of the crates that docent
//! depends on.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use docent_test_processes::text::{Sizes, paragraphs};

/// Number of directories, in ten groups.
const DIRECTORIES: usize = 200;

/// Number of documents per directory.
const DOCUMENTS: usize = 50;

/// Approximate bytes of all documents together.
const BYTES: usize = 60_000_000;

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
    let paragraphs = paragraphs(&["md", "rs"], BYTES)?;
    let mut next = paragraphs.iter().cycle();
    let mut sizes = Sizes::new();
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
