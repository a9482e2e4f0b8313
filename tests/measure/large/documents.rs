//! The documents: real text of the crates that docent depends on, and copies of it with other names
//! and words.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use docent_test_processes::text::{Sizes, paragraphs};

/// Number of documents of the large tree.
pub const LARGE: usize = 100_000;

/// Number of documents of the small tree, which is the first part of the large one.
pub const SMALL: usize = 16_500;

/// Number of documents per directory.
const DOCUMENTS: usize = 50;

/// Number of directories per area: 2 000 documents.
const TOPICS: usize = 40;

/// Approximate bytes of a document, on average.
const MEAN: usize = 3_600;

/// Maximum bytes of a paragraph: a longer one is a table of data.
const LONGEST: usize = 4_000;

/// Extensions of the files with text.
const EXTENSIONS: [&str; 5] = ["md", "rs", "txt", "rst", "adoc"];

/// Letters from which a word is changed in copies: shorter ones are the words of the grammar.
const LETTERS: usize = 5;

/// One of so many words is changed in a copy.
const CHANGED: u64 = 4;

/// The trees of documents.
#[derive(Debug)]
pub struct DocumentTrees {
    /// Directory of 100 000 documents.
    pub large: PathBuf,
    /// Directory of 16 500 of them.
    pub small: PathBuf,
    /// Directory of 2 000 of these.
    pub least: PathBuf,
}

/// Returns the trees below `home`, after creating them if they are incomplete.
///
/// # Errors
/// If they cannot be written, or the machine has too little text.
pub fn in_home(home: &Path) -> Result<DocumentTrees, Box<dyn Error>> {
    let (large, complete) = (home.join("documents"), home.join("documents-complete"));
    if !complete.exists() {
        if large.exists() {
            fs::remove_dir_all(&large)?;
        }
        eprintln!("making {LARGE} documents in {}", large.display());
        let note = make(&large)?;
        fs::write(&complete, note)?;
    }
    println!("{}", fs::read_to_string(&complete)?);
    let small = large.join("part-0");
    let least = small.join("area-00");
    Ok(DocumentTrees {
        large,
        small,
        least,
    })
}

/// Writes all documents, and returns a line about their text.
fn make(directory: &Path) -> Result<String, Box<dyn Error>> {
    let mut paragraphs = paragraphs(&EXTENSIONS, LARGE * MEAN)?;
    paragraphs.retain(|paragraph| paragraph.len() <= LONGEST);
    let real: usize = paragraphs.iter().map(String::len).sum();
    let (mut next, mut copy) = (0, 0);
    let mut sizes = Sizes::new();
    let (mut bytes, mut originals) = (0, 0);
    for number in 0..LARGE {
        let (part, within) = (number / SMALL, number % SMALL);
        let (topic, note) = (within / DOCUMENTS, within % DOCUMENTS);
        let folder = directory.join(format!(
            "part-{part}/area-{:02}/topic-{topic:03}",
            topic / TOPICS
        ));
        if note == 0 {
            fs::create_dir_all(&folder)?;
        }
        let size = sizes.next(MEAN);
        let mut text = format!("# Note {number}\n");
        while text.len() < size {
            text.push('\n');
            if copy == 0 {
                text.push_str(&paragraphs[next]);
            } else {
                push_changed(&mut text, &paragraphs[next], copy);
            }
            text.push('\n');
            next += 1;
            if next == paragraphs.len() {
                (next, copy) = (0, copy + 1);
            }
        }
        bytes += text.len();
        originals += usize::from(copy == 0);
        fs::write(folder.join(format!("note-{note:03}.md")), text)?;
    }
    Ok(format!(
        "{LARGE} documents, {:.0} MB. The first {originals} are real text, {:.0} MB of Markdown, text \
         and doc comments of crates; the others are {copy} copies of it, in each of which a quarter \
         of the longer words and names has other vowels.",
        bytes as f64 / 1e6,
        real as f64 / 1e6,
    ))
}

/// Appends a paragraph with some of its longer words changed, each in the same way wherever it
/// occurs in the copy.
fn push_changed(text: &mut String, paragraph: &str, copy: u64) {
    let mut rest = paragraph;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_alphabetic()) {
        let (before, from) = rest.split_at(start);
        let end = from
            .find(|letter: char| !letter.is_ascii_alphabetic())
            .unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        text.push_str(before);
        if word.len() >= LETTERS && digest(word, copy).is_multiple_of(CHANGED) {
            text.extend(word.chars().map(|letter| turn(letter, copy)));
        } else {
            text.push_str(word);
        }
        rest = after;
    }
    text.push_str(rest);
}

/// Returns another vowel for a vowel.
fn turn(letter: char, copy: u64) -> char {
    const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
    let place = VOWELS.iter().position(|vowel| *vowel == letter);
    place.map_or(letter, |place| {
        VOWELS[(place + 1 + copy as usize % 4) % VOWELS.len()]
    })
}

/// Returns the FNV-1a digest of a word in a copy.
fn digest(word: &str, copy: u64) -> u64 {
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325 ^ copy, |digest, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
        >> 32
}
