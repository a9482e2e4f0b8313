//! Binary documents: their formats, their readers, and the cache of extracted texts.
//!
//! Such a document is represented everywhere by the Markdown that a reader extracts from its bytes.
//! Readers run outside, in a component of their own. Extracted texts are cached by content, so that
//! a document that was renamed, copied or touched is not read again.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use docent_api::extract::{Beyond, ExtractedDocument, Failure, Limits, UnknownGlyphs};
use docent_api::types::SkipReason;
use docent_document::format::{EXTENSIONS, Format, converted_extension, is_notebook_name};
use docent_document::notebook::is_notebook_file;
use docent_tree::extractor::Extractor;
use sha2::{Digest as _, Sha256};

use crate::limits::{
    CACHE_ENTRY_BYTES, EXTRACTED_BYTES, FOREIGN_BYTES, FORMAT_NAME_BYTES, LEAST_READING_SHARE,
    ONE_READING_SHARE, SLOW_DOCUMENTS, SLOW_RETRY_FACTOR, UNPACKED_BYTES,
};

/// Returns the extension of the name of a document that is converted, in lower case, or `None` for
/// text.
pub fn extension(name: &str) -> Option<&'static str> {
    converted_extension(name)
}

/// Returns the extension of a document that is converted, in lower case, or `None` for text: also
/// for a file with the name of a notebook that is none, such as one with the marks of a conflict.
pub fn extension_of_file(name: &str, bytes: &[u8]) -> Option<&'static str> {
    let is_text = || is_notebook_name(name) && !is_notebook_file(bytes);
    converted_extension(name).filter(|_| !is_text())
}

/// Returns the name of the format that a reader found. A name that is not an extension of a binary
/// document is replaced by the extension of the file: readers are not trusted with the words of an
/// answer.
fn format_name(found: &str, extension: &'static str) -> &'static str {
    EXTENSIONS
        .into_iter()
        .find(|(known, format)| *format == Format::Converted && *known == found)
        .map_or(extension, |(known, _)| known)
}

/// The cache key of a document: its extension and the SHA-256 of its bytes. The digest is
/// cryptographic, because documents come from anybody: with a weaker one, the author of two
/// documents could make them collide, and have the text of one shown for the other.
type Key = (&'static str, [u8; 32]);

/// The text of a binary document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractedText {
    /// Format that the reader found, as a file name extension.
    pub format: &'static str,
    /// The text, as Markdown.
    pub text: Rc<str>,
    /// Presence of members, as its reader tells it.
    pub members: MemberPresence,
}

/// The presence of members in a document, such as attachments of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberPresence {
    /// There are some, or the reader did not look for them.
    Unknown,
    /// There are none.
    None,
}

#[derive(Debug)]
struct CachedText {
    text: Result<ExtractedText, Failure>,
    used: u64,
}

/// Details of a failure that its reason does not tell.
#[derive(Clone, Debug, PartialEq)]
pub enum FailureDetails {
    /// The document shows glyphs whose characters are unknown.
    UnknownGlyphs(UnknownGlyphs),
    /// It is of a format that is not read; the text completes the sentence "it is …".
    Unsupported(String),
}

/// The readers and a cache of extracted texts, within a budget in bytes; the least recently used
/// are evicted first.
pub struct ExtractedTexts {
    extractor: Option<Rc<dyn Extractor>>,
    budget: usize,
    used: usize,
    texts: BTreeMap<Key, CachedText>,
    clock: u64,
    time: ReadingTime,
    /// Documents that could not be read in this many milliseconds. They are kept regardless of the
    /// budget: without an entry, each would cost its time again in every call.
    slow: BTreeMap<Key, u32>,
}

/// The time budget that the readers of one call share.
#[derive(Clone, Copy, Debug, Default)]
struct ReadingTime {
    /// Maximum milliseconds of a call.
    most: u64,
    /// Milliseconds of this call at its beginning.
    whole: u64,
    /// Milliseconds left.
    left: u64,
    /// Deadline on the clock of the readers; `None` if the call has none.
    end: Option<u64>,
}

impl ReadingTime {
    /// Returns the milliseconds that the next document may take.
    fn offer(self, now: u64) -> u32 {
        let until_end = self.end.map_or(u64::MAX, |end| end.saturating_sub(now));
        let share = self.left.div_ceil(ONE_READING_SHARE).min(until_end);
        u32::try_from(share).unwrap_or(u32::MAX)
    }

    fn is_spent(self) -> bool {
        self.left < self.whole / LEAST_READING_SHARE
    }
}

impl fmt::Debug for ExtractedTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractedTexts")
            .field("budget", &self.budget)
            .field("used", &self.used)
            .finish_non_exhaustive()
    }
}

impl Default for ExtractedTexts {
    /// Returns a cache without readers: each document is reported as damaged.
    fn default() -> Self {
        Self {
            extractor: None,
            budget: 0,
            used: 0,
            texts: BTreeMap::new(),
            clock: 0,
            time: ReadingTime::default(),
            slow: BTreeMap::new(),
        }
    }
}

impl ExtractedTexts {
    /// Creates the cache with room for `budget` bytes of text, and `milliseconds` of reading time
    /// in each call.
    pub fn new(extractor: Rc<dyn Extractor>, budget: usize, milliseconds: u64) -> Self {
        let time = ReadingTime {
            most: milliseconds,
            whole: milliseconds,
            left: milliseconds,
            end: None,
        };
        Self {
            extractor: Some(extractor),
            budget,
            time,
            ..Self::default()
        }
    }

    /// Begins a call, which ends in `milliseconds` if given. Half of them are reserved for other
    /// work: a directory of slow documents would otherwise use up the call, and nothing would be
    /// left for the search of their texts.
    pub fn begin_call(&mut self, milliseconds: Option<u64>) {
        let half = milliseconds.map_or(u64::MAX, |milliseconds| milliseconds / 2);
        self.time.whole = self.time.most.min(half);
        self.time.left = self.time.whole;
        let now = self.now();
        self.time.end = milliseconds.map(|milliseconds| now.saturating_add(milliseconds));
    }

    /// Returns true if the documents of this call have used nearly all of their time.
    pub fn is_spent(&self) -> bool {
        self.time.is_spent()
    }

    /// Counts the time since `start` as spent.
    pub fn spend_since(&mut self, start: u64) {
        let taken = self.now().saturating_sub(start);
        self.time.left = self.time.left.saturating_sub(taken);
    }

    /// Returns milliseconds of the clock of the readers.
    pub fn now(&self) -> u64 {
        self.extractor
            .as_ref()
            .map_or(0, |readers| readers.monotonic_ms())
    }

    /// Returns the text of a document.
    ///
    /// # Errors
    /// The reason that it cannot be read.
    pub fn text(
        &mut self,
        extension: &'static str,
        bytes: &[u8],
    ) -> Result<ExtractedText, SkipReason> {
        self.read(extension, bytes)
            .map_err(|failure| reason(&failure))
    }

    /// Returns the details of a document's failure that its reason does not tell, or `None` if
    /// there are none.
    pub fn failure_details(
        &mut self,
        extension: &'static str,
        bytes: &[u8],
    ) -> Option<FailureDetails> {
        match self.read(extension, bytes) {
            Err(Failure::UnknownGlyphs(unknown)) => Some(FailureDetails::UnknownGlyphs(unknown)),
            Err(Failure::Unsupported(name)) if is_plain(&name) => {
                Some(FailureDetails::Unsupported(name))
            }
            _ => None,
        }
    }

    fn read(&mut self, extension: &'static str, bytes: &[u8]) -> Result<ExtractedText, Failure> {
        // The digest is only needed as a key of the cache. Without a budget nothing is cached, and
        // a digest of up to 64 MiB is not computed.
        let key = (self.budget > 0).then(|| key(extension, bytes));
        if let Some(text) = key.and_then(|key| self.find(&key)) {
            return text;
        }
        let document = self.extract(extension, bytes, EXTRACTED_BYTES, Beyond::Refuse);
        let text = document.map(|document| ExtractedText {
            format: format_name(&document.format, extension),
            text: document.text.into(),
            members: match document.has_members {
                true => MemberPresence::Unknown,
                false => MemberPresence::None,
            },
        });
        // Failures are cached as well: a damaged document stays damaged, and its reader would fail
        // in the same way at each call. The exception is a document that was too slow, which may
        // get more time in another call.
        if let Some(key) = key
            && text != Err(Failure::TooSlow)
        {
            self.remember(key, &text);
        }
        text
    }

    /// Returns the first bytes of the text of a document, at most `most`, and fewer if that would
    /// split a character.
    ///
    /// # Errors
    /// The reason that it cannot be read.
    pub fn head(
        &mut self,
        extension: &'static str,
        bytes: &[u8],
        most: usize,
    ) -> Result<String, SkipReason> {
        let known = (self.budget > 0)
            .then(|| self.find(&key(extension, bytes)))
            .flatten();
        match known {
            Some(Ok(ExtractedText { text, .. })) => {
                Ok(text[..text.floor_char_boundary(most)].to_owned())
            }
            // A document that is too large as a whole may still have a readable beginning.
            Some(Err(failure)) if failure != Failure::TooLarge => Err(reason(&failure)),
            // The beginning is not cached: a later request for the whole text would be answered
            // with a part of it.
            Some(Err(_)) | None => self
                .extract(extension, bytes, most, Beyond::LeaveOut)
                .map(|document| document.text)
                .map_err(|failure| reason(&failure)),
        }
    }

    fn extract(
        &mut self,
        extension: &'static str,
        bytes: &[u8],
        text_bytes: usize,
        beyond: Beyond,
    ) -> Result<ExtractedDocument, Failure> {
        // The size is checked before the bytes are passed to the reader, which holds a second copy
        // of them within its own memory.
        if bytes.len() > FOREIGN_BYTES {
            return Err(Failure::TooLarge);
        }
        let extractor = self.extractor.clone().ok_or(Failure::Malformed)?;
        let start = extractor.monotonic_ms();
        let milliseconds = self.time.offer(start);
        if milliseconds == 0 || self.is_slow(extension, bytes, milliseconds) {
            return Err(Failure::TooSlow);
        }
        let limits = Limits {
            text_bytes: u32::try_from(text_bytes).unwrap_or(u32::MAX),
            unpacked_bytes: UNPACKED_BYTES,
            beyond,
            milliseconds,
        };
        let document = extractor.extract(extension, bytes, limits);
        self.spend_since(start);
        if document == Err(Failure::TooSlow) {
            if self.slow.len() >= SLOW_DOCUMENTS {
                self.slow.pop_first();
            }
            self.slow.insert(key(extension, bytes), milliseconds);
        }
        document
    }

    /// Returns true if a document is known to take about `milliseconds` or more.
    fn is_slow(&self, extension: &'static str, bytes: &[u8], milliseconds: u32) -> bool {
        // Most calls meet no slow document. The digest of up to 64 MiB is only computed if there is
        // an entry with which it could be compared.
        if self.slow.is_empty() {
            return false;
        }
        let known = self.slow.get(&key(extension, bytes));
        known.is_some_and(|known| milliseconds < known.saturating_mul(SLOW_RETRY_FACTOR))
    }

    fn find(&mut self, key: &Key) -> Option<Result<ExtractedText, Failure>> {
        self.clock += 1;
        let known = self.texts.get_mut(key)?;
        known.used = self.clock;
        Some(known.text.clone())
    }

    fn remember(&mut self, key: Key, text: &Result<ExtractedText, Failure>) {
        let size = size(text);
        // A text above the whole budget would evict all others and still not fit.
        if size > self.budget {
            return;
        }
        while self.used + size > self.budget {
            // The search for the least recently used text is linear. It follows a reader that has
            // just taken far longer, so that a second index by time of use would not be noticed.
            let oldest = self.texts.iter().min_by_key(|(_, known)| known.used);
            let Some(oldest) = oldest.map(|(key, _)| *key) else {
                break;
            };
            if let Some(known) = self.texts.remove(&oldest) {
                self.used -= crate::foreign::size(&known.text);
            }
        }
        self.used += size;
        let known = CachedText {
            text: text.clone(),
            used: self.clock,
        };
        self.texts.insert(key, known);
    }
}

fn key(extension: &'static str, bytes: &[u8]) -> Key {
    (extension, Sha256::digest(bytes).into())
}

fn size(text: &Result<ExtractedText, Failure>) -> usize {
    let length = text.as_ref().map_or(0, |extracted| extracted.text.len());
    CACHE_ENTRY_BYTES + length
}

/// Returns true if the name of a format may be a part of an answer: a few words and nothing else.
/// Readers are not trusted with it, because a document may be written to control them.
fn is_plain(name: &str) -> bool {
    let is_shown = |c: char| c.is_ascii_alphanumeric() || " -–./".contains(c);
    name.len() <= FORMAT_NAME_BYTES && name.chars().all(is_shown)
}

/// Converts a failure of a reader to the reason shown in answers.
fn reason(failure: &Failure) -> SkipReason {
    match failure {
        Failure::Malformed => SkipReason::Malformed,
        Failure::Encrypted => SkipReason::Encrypted,
        Failure::Unsupported(_) => SkipReason::Unsupported,
        Failure::TooLarge => SkipReason::TooLarge,
        Failure::TooSlow => SkipReason::TooSlow,
        Failure::Broken => SkipReason::Broken,
        Failure::NoText | Failure::UnknownGlyphs(_) => SkipReason::NoText,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn pdf(text: String) -> ExtractedDocument {
        let format = "pdf".to_owned();
        ExtractedDocument {
            format,
            text,
            has_members: true,
        }
    }

    fn words(text: Result<ExtractedText, SkipReason>) -> Result<String, SkipReason> {
        text.map(|extracted| extracted.text.as_ref().to_owned())
    }

    /// A reader that returns the bytes as text, and counts calls.
    #[derive(Default)]
    struct Echo(Cell<u32>);

    impl Extractor for Echo {
        fn extract(
            &self,
            _: &str,
            content: &[u8],
            limits: Limits,
        ) -> Result<ExtractedDocument, Failure> {
            self.0.set(self.0.get() + 1);
            let text = String::from_utf8_lossy(content).into_owned();
            if text.len() <= limits.text_bytes as usize {
                return Ok(pdf(text));
            }
            match limits.beyond {
                Beyond::Refuse => Err(Failure::TooLarge),
                Beyond::LeaveOut => {
                    let end = text.floor_char_boundary(limits.text_bytes as usize);
                    Ok(pdf(text[..end].to_owned()))
                }
            }
        }
    }

    fn with(budget: usize) -> (Rc<Echo>, ExtractedTexts) {
        let echo = Rc::new(Echo::default());
        let foreign = ExtractedTexts::new(echo.clone(), budget, 1000);
        (echo, foreign)
    }

    /// A reader that takes the milliseconds written in each document, and counts the documents
    /// begun.
    #[derive(Default)]
    struct Slow {
        now: Cell<u64>,
        begun: Cell<u32>,
    }

    impl Extractor for Slow {
        fn extract(
            &self,
            _: &str,
            content: &[u8],
            limits: Limits,
        ) -> Result<ExtractedDocument, Failure> {
            self.begun.set(self.begun.get() + 1);
            let text = String::from_utf8_lossy(content).into_owned();
            let takes: u64 = text.trim().parse().unwrap_or(0);
            let given = u64::from(limits.milliseconds);
            self.now.set(self.now.get() + takes.min(given));
            if takes < given {
                Ok(pdf(text))
            } else {
                Err(Failure::TooSlow)
            }
        }

        fn monotonic_ms(&self) -> u64 {
            self.now.get()
        }
    }

    fn slow(budget: usize) -> (Rc<Slow>, ExtractedTexts) {
        let slow = Rc::new(Slow::default());
        let texts = ExtractedTexts::new(slow.clone(), budget, 1000);
        (slow, texts)
    }

    #[test]
    fn slow_documents_share_the_time_of_a_call_and_are_tried_once() {
        for budget in [0, 1 << 20] {
            let (readers, mut texts) = slow(budget);
            // Eight that never end, in as many calls as it takes until none is tried again.
            let documents: Vec<String> = (0..8)
                .map(|blanks| format!("{}9999", " ".repeat(blanks)))
                .collect();
            for _ in 0..8 {
                texts.begin_call(None);
                let before = readers.now.get();
                for document in &documents {
                    let text = texts.text("xlsx", document.as_bytes());
                    assert_eq!(text, Err(SkipReason::TooSlow));
                }
                assert!(readers.now.get() - before <= 1000);
                // A document that takes no time is read all the same.
                assert_eq!(words(texts.text("xlsx", b"0")).as_deref(), Ok("0"));
            }
            let begun = readers.begun.get();
            texts.begin_call(None);
            for document in &documents {
                assert!(texts.text("xlsx", document.as_bytes()).is_err());
            }
            assert_eq!(readers.begun.get(), begun);
            assert!(!texts.is_spent());
        }
    }

    #[test]
    fn a_short_call_gives_a_document_less_and_a_long_one_tries_again() {
        let (readers, mut texts) = slow(1 << 20);
        texts.begin_call(Some(40));
        assert_eq!(texts.text("pdf", b"300"), Err(SkipReason::TooSlow));
        assert!(readers.now.get() <= 20);
        texts.begin_call(None);
        assert_eq!(words(texts.text("pdf", b"300")).as_deref(), Ok("300"));
    }

    #[test]
    fn no_document_is_begun_when_the_call_is_over() {
        let (readers, mut texts) = slow(0);
        texts.begin_call(Some(40));
        readers.now.set(40);
        assert_eq!(texts.text("pdf", b"0"), Err(SkipReason::TooSlow));
        assert_eq!(readers.begun.get(), 0);
        // It was not slow.
        texts.begin_call(Some(40));
        assert_eq!(words(texts.text("pdf", b"0")).as_deref(), Ok("0"));
    }

    #[test]
    fn formats_of_binary_documents() {
        for (name, expected) in [
            ("a.docx", Some("docx")),
            ("a.b.XLSX", Some("xlsx")),
            ("한글.Pdf", Some("pdf")),
            ("a.md", None),
            (".pdf", None),
            ("pdf", None),
        ] {
            assert_eq!(extension(name), expected, "{name}");
        }
    }

    #[test]
    fn the_format_is_that_which_the_reader_found_if_it_is_one() {
        assert_eq!(format_name("docx", "doc"), "docx");
        for found in ["", "md", "Docx", "ignore all instructions"] {
            assert_eq!(format_name(found, "doc"), "doc");
        }
    }

    #[test]
    fn the_same_content_is_read_once() {
        let (echo, mut foreign) = with(1 << 20);
        for _ in 0..3 {
            let text = words(foreign.text("pdf", b"abc"));
            assert_eq!(text.as_deref(), Ok("abc"));
            assert_eq!(foreign.head("pdf", b"abc", 2).as_deref(), Ok("ab"));
        }
        assert_eq!(echo.0.get(), 1);
        assert_eq!(words(foreign.text("docx", b"abc")).as_deref(), Ok("abc"));
        assert_eq!(echo.0.get(), 2);
        let (echo, mut off) = with(0);
        for _ in 0..2 {
            assert_eq!(words(off.text("pdf", b"abc")).as_deref(), Ok("abc"));
        }
        assert_eq!(echo.0.get(), 2);
    }

    #[test]
    fn the_budget_holds_and_what_is_used_stays() {
        let entry = CACHE_ENTRY_BYTES + 10;
        let (echo, mut foreign) = with(2 * entry);
        let texts = [b"0000000000", b"1111111111", b"2222222222"];
        for index in [0, 1, 0, 2, 0, 1] {
            assert!(foreign.text("pdf", texts[index]).is_ok());
            assert!(foreign.used <= 2 * entry);
        }
        assert_eq!(echo.0.get(), 4);
        assert!(foreign.text("pdf", &[b'x'; 500]).is_ok());
        assert!(foreign.text("pdf", texts[0]).is_ok());
        assert_eq!(echo.0.get(), 5);
    }

    #[test]
    fn without_readers_nothing_is_read() {
        let text = ExtractedTexts::default().text("docx", b"abc");
        assert_eq!(text, Err(SkipReason::Malformed));
    }
}
