//! Summaries of files: enough to relate the files of a tree without opening them again. Cached
//! under the version of the file, like its statistics; references are resolved against the
//! summaries of all files at each call.

mod words;

use docent_code::imports::ImportPath;
use docent_code::{Language, Outline, Source, Symbol, SymbolKind};
use docent_document::about;
use docent_document::format::Format;
use docent_document::headings;
use docent_graph::document_links::{DocumentLinks, document_links};
use docent_graph::imports::is_manifest;
use docent_graph::page::{is_page, page_links};
use docent_graph::sites::{is_settings, makes_site};
use docent_text::lines::count_ends;
use docent_text::saturating::saturating_u32;

use crate::limits::SUMMARY_SYMBOLS;
use docent_graph::limits::SETTINGS_BYTES;
use words::{Words, key};

/// The summary of a file.
#[derive(Debug)]
pub struct FileSummary {
    /// Description in one sentence; may be empty.
    pub about: Box<str>,
    /// Number of lines.
    pub lines: u32,
    /// Summary by the kind of the file.
    pub content: Content,
    /// Full text, if the file defines how others are put together: a manifest, or the settings of a
    /// site. Links and imports of other files are resolved with it at each call, after which it
    /// need not be opened again.
    pub settings: Option<Box<str>>,
    /// Digests of the identifiers in code and of the words that look like file names, ascending.
    words: Box<[u32]>,
}

/// The summary of a file of some kind.
#[derive(Debug)]
pub enum Content {
    /// A document.
    Document(DocumentSummary),
    /// Code.
    Code(CodeSummary),
    /// Any other text.
    Other,
}

/// The summary of a document.
#[derive(Debug)]
pub struct DocumentSummary {
    /// Title, or name.
    pub title: Box<str>,
    /// Links, and the anchors that links to it may name.
    pub links: DocumentLinks,
}

/// The summary of a code file.
#[derive(Debug)]
pub struct CodeSummary {
    /// Language.
    pub language: Language,
    /// Method by which it was read.
    pub source: Source,
    /// Imports, in order.
    pub imports: Box<[ImportPath]>,
    /// Definitions, in order; nested ones follow their parent.
    pub symbols: Box<[SymbolSummary]>,
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolSummary {
    /// Name.
    pub name: Box<str>,
    /// Kind.
    pub kind: SymbolKind,
    /// Number of enclosing definitions.
    pub depth: u32,
    /// First line.
    pub first: u32,
    /// Last line.
    pub last: u32,
}

impl FileSummary {
    /// Summarizes the file at `path` in a single pass.
    pub fn new(path: &str, text: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut words = Words::default();
        words.add_names(text);
        let (about, content) = match (Format::from_content(name, text), Language::from_path(name)) {
            (Some(_), _) => {
                let title = headings::name(name, text).into();
                let document = DocumentSummary {
                    title,
                    links: document_links(name, text).unwrap_or_default(),
                };
                (about::about(name, text), Content::Document(document))
            }
            (None, Some(language)) => {
                let read = docent_code::read(language, text, |name| words.add(name));
                let about = read.about.as_deref().map(about::first_sentence);
                (
                    about,
                    Content::Code(CodeSummary::new(&read.outline, read.imports)),
                )
            }
            (None, None) if is_page(name) => {
                let page = DocumentSummary {
                    title: name.into(),
                    links: page_links(text),
                };
                (None, Content::Document(page))
            }
            (None, None) => (description(text), Content::Other),
        };
        Self {
            about: about.unwrap_or_default().into(),
            lines: lines(text),
            content,
            settings: settings(name, text),
            words: words.finish(),
        }
    }

    /// Returns true if the file may contain a word that is an identifier or a file name. False
    /// positives are possible, because only half of a digest is stored, and callers verify them in
    /// the text. There are no false negatives, which would hide a reference for good.
    pub fn may_hold(&self, word: &str) -> bool {
        self.words.binary_search(&key(word)).is_ok()
    }

    /// Returns true if the text of the file may contain a word, including comments and prose. Plain
    /// words are not recorded, so for them it always returns true.
    pub fn may_hold_anywhere(&self, word: &str) -> bool {
        !words::is_identifier_like(word) || self.may_hold(word)
    }

    /// Returns the size in bytes for which it counts in a budget.
    pub fn bytes(&self) -> usize {
        let content = match &self.content {
            Content::Document(document) => document.title.len() + document.links.bytes(),
            Content::Code(code) => {
                let symbols = code.symbols.iter();
                let symbols: usize = symbols
                    .map(|symbol| size_of::<SymbolSummary>() + symbol.name.len())
                    .sum();
                let imports: usize = code.imports.iter().map(ImportPath::bytes).sum();
                symbols + imports
            }
            Content::Other => 0,
        };
        let settings = self.settings.as_ref().map_or(0, |text| text.len());
        size_of::<Self>() + settings + self.about.len() + 4 * self.words.len() + content
    }
}

fn lines(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let is_open = bytes
        .last()
        .is_some_and(|last| !matches!(last, b'\n' | b'\r'));
    saturating_u32(count_ends(bytes) + usize::from(is_open))
}

/// Returns true if a file of this name defines how others are put together.
pub fn has_settings(name: &str) -> bool {
    is_settings(name) || is_manifest(name)
}

fn settings(name: &str, text: &str) -> Option<Box<str>> {
    let is_kept = is_manifest(name) || makes_site(name, text);
    (is_kept && text.len() <= SETTINGS_BYTES).then(|| text.into())
}

/// Returns the description in a manifest: the first value named `description`, as in one of these
/// lines:
///
/// ```text
/// description = "Reads documents."
/// "description": "Reads documents.",
/// description: Reads documents.
/// ```
fn description(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches('"');
        let after = line.strip_prefix("description")?.trim_start_matches('"');
        let value = after.trim_start().strip_prefix(['=', ':'])?.trim();
        Some(value.trim_end_matches(',').trim_matches(['"', '\'']))
    });
    let value = value.filter(|value| value.contains(char::is_alphanumeric))?;
    Some(about::first_sentence(value))
}

impl CodeSummary {
    fn new(outline: &Outline, imports: Vec<ImportPath>) -> Self {
        let mut symbols = Vec::new();
        flatten(&outline.symbols, 0, &mut symbols);
        Self {
            language: outline.language,
            source: outline.source,
            imports: imports.into(),
            symbols: symbols.into(),
        }
    }
}

fn flatten(symbols: &[Symbol], depth: u32, flat: &mut Vec<SymbolSummary>) {
    for symbol in symbols {
        if flat.len() >= SUMMARY_SYMBOLS {
            return;
        }
        flat.push(SymbolSummary {
            name: symbol.name.as_str().into(),
            kind: symbol.kind,
            depth,
            first: symbol.lines.first,
            last: symbol.lines.last,
        });
        flatten(&symbol.children, depth + 1, flat);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_code() {
        let text =
            "//! Reads it.\nmod a;\npub struct Reader;\nimpl Reader {\n    fn read() {}\n}\n";
        let summary = FileSummary::new("src/lib.rs", text);
        assert_eq!((&*summary.about, summary.lines), ("Reads it.", 6));
        let Content::Code(code) = &summary.content else {
            panic!("{summary:?}");
        };
        let symbols: Vec<(&str, u32)> = code.symbols.iter().map(|s| (&*s.name, s.depth)).collect();
        assert!(symbols.contains(&("Reader", 0)) && symbols.contains(&("read", 1)));
        assert!(summary.may_hold("Reader") && summary.may_hold("a") && !summary.may_hold("Reads"));
    }

    #[test]
    fn manifests_say_what_they_are_for() {
        for (text, expected) in [
            (
                "[package]\nname = \"a\"\ndescription = \"Reads it\"\n",
                Some("Reads it"),
            ),
            (
                "{\n  \"description\": \"Reads, fast.\",\n",
                Some("Reads, fast."),
            ),
            ("description: \"\"\n", None),
            ("descriptions = [1]\n", None),
        ] {
            assert_eq!(description(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn facts_of_a_document() {
        let text = "# Guide\n\nSee `src/lib.rs`, parse_config and [more](b.md#x).\n";
        let summary = FileSummary::new("docs/a.md", text);
        let Content::Document(document) = &summary.content else {
            panic!("{summary:?}");
        };
        assert_eq!(&*document.title, "Guide");
        assert_eq!(document.links.links[0].target, "b.md#x");
        assert!(document.links.anchors.accepts("guide"));
        for (word, expected) in [
            ("lib.rs", true),
            ("parse_config", true),
            ("b.md", true),
            ("more", false),
            ("lib", false),
        ] {
            assert_eq!(summary.may_hold(word), expected, "{word}");
        }
        assert!(summary.bytes() > 100);
    }
}
