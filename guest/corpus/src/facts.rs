//! What a file says of itself: enough to know how the files of a tree hang together without opening
//! them again. Kept under the version of the file, as its statistics are; where anything leads is
//! found out from the facts of all files at each call.

mod words;

use docent_code::imports::ImportPath;
use docent_code::{Language, Outline, Source, Symbol, SymbolKind};
use docent_document::about;
use docent_document::format::Format;
use docent_document::headings;
use docent_graph::facts::{LinkFacts, link_facts};
use docent_graph::imports::is_manifest;
use docent_graph::sites::{is_settings, makes_site};
use docent_text::lines::count_ends;
use docent_text::saturating::saturating_u32;

use crate::limits::FACT_SYMBOLS;
use docent_graph::limits::SETTINGS_BYTES;
use words::{Words, key};

/// What a file says of itself.
#[derive(Debug)]
pub struct Facts {
    /// What it is about, in one sentence; may be empty.
    pub about: Box<str>,
    /// Lines.
    pub lines: u32,
    /// What is known of its kind.
    pub content: Content,
    /// Its text, of a file that says how others are put together: a manifest, the settings of a
    /// site.
    pub settings: Option<Box<str>>,
    /// Digests of the identifiers of code and of the words that look like the names of files,
    /// ascending.
    words: Box<[u32]>,
}

/// What is known of a file of some kind.
#[derive(Debug)]
pub enum Content {
    /// A document.
    Document(DocumentFacts),
    /// Code.
    Code(CodeFacts),
    /// Anything else that is text.
    Other,
}

/// What a document says of itself.
#[derive(Debug)]
pub struct DocumentFacts {
    /// Its title, or its name.
    pub title: Box<str>,
    /// Its links, and where links to it may lead.
    pub links: LinkFacts,
}

/// What a file of code says of itself.
#[derive(Debug)]
pub struct CodeFacts {
    /// The language.
    pub language: Language,
    /// By what means it was read.
    pub source: Source,
    /// What it imports, in order.
    pub imports: Box<[ImportPath]>,
    /// What it defines, in order, what is within a definition behind it.
    pub symbols: Box<[SymbolFacts]>,
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolFacts {
    /// Its own name.
    pub name: Box<str>,
    /// What it is.
    pub kind: SymbolKind,
    /// How many definitions it stands in.
    pub depth: u32,
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

impl Facts {
    /// Returns the facts of the file at `path`, all in one reading.
    pub fn of(path: &str, text: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut words = Words::default();
        words.add_names(text);
        let (about, content) = match (Format::of(name), Language::of_path(name)) {
            (Some(_), _) => {
                let title = headings::name(name, text).into();
                let document = DocumentFacts {
                    title,
                    links: link_facts(name, text).unwrap_or_default(),
                };
                (about::about(name, text), Content::Document(document))
            }
            (None, Some(language)) => {
                let read = docent_code::read(language, text, |name| words.add(name));
                let about = read.about.as_deref().map(about::first_sentence);
                (
                    about,
                    Content::Code(CodeFacts::of(&read.outline, read.imports)),
                )
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

    /// Whether the file may hold a word: an identifier, or the name of a file. What it says no to
    /// it does not hold.
    pub fn may_hold(&self, word: &str) -> bool {
        self.words.binary_search(&key(word)).is_ok()
    }

    /// Whether the text of the file may hold a word, in comments and prose too. Of a word that looks
    /// like any other nothing is known, and the answer is yes.
    pub fn may_hold_anywhere(&self, word: &str) -> bool {
        !words::is_identifier_like(word) || self.may_hold(word)
    }

    /// Returns the bytes that they count for in a budget.
    pub fn bytes(&self) -> usize {
        let content = match &self.content {
            Content::Document(document) => document.title.len() + document.links.bytes(),
            Content::Code(code) => {
                let symbols = code.symbols.iter();
                let symbols: usize = symbols
                    .map(|symbol| size_of::<SymbolFacts>() + symbol.name.len())
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

/// Whether a file of this name says how others are put together.
pub fn has_settings(name: &str) -> bool {
    is_settings(name) || is_manifest(name)
}

fn settings(name: &str, text: &str) -> Option<Box<str>> {
    let is_kept = is_manifest(name) || makes_site(name, text);
    (is_kept && text.len() <= SETTINGS_BYTES).then(|| text.into())
}

/// Returns what a manifest says it is for: the first value called `description`.
fn description(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches('"');
        let behind = line.strip_prefix("description")?.trim_start_matches('"');
        let value = behind.trim_start().strip_prefix(['=', ':'])?.trim();
        Some(value.trim_end_matches(',').trim_matches(['"', '\'']))
    });
    let value = value.filter(|value| value.contains(char::is_alphanumeric))?;
    Some(about::first_sentence(value))
}

impl CodeFacts {
    fn of(outline: &Outline, imports: Vec<ImportPath>) -> Self {
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

fn flatten(symbols: &[Symbol], depth: u32, flat: &mut Vec<SymbolFacts>) {
    for symbol in symbols {
        if flat.len() >= FACT_SYMBOLS {
            return;
        }
        flat.push(SymbolFacts {
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
        let facts = Facts::of("src/lib.rs", text);
        assert_eq!((&*facts.about, facts.lines), ("Reads it.", 6));
        let Content::Code(code) = &facts.content else {
            panic!("{facts:?}");
        };
        let symbols: Vec<(&str, u32)> = code.symbols.iter().map(|s| (&*s.name, s.depth)).collect();
        assert!(symbols.contains(&("Reader", 0)) && symbols.contains(&("read", 1)));
        assert!(facts.may_hold("Reader") && facts.may_hold("a") && !facts.may_hold("Reads"));
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
        let facts = Facts::of("docs/a.md", text);
        let Content::Document(document) = &facts.content else {
            panic!("{facts:?}");
        };
        assert_eq!(&*document.title, "Guide");
        assert_eq!(document.links.links[0].target, "b.md#x");
        assert!(document.links.anchors.has("guide"));
        for (word, expected) in [
            ("lib.rs", true),
            ("parse_config", true),
            ("b.md", true),
            ("more", false),
            ("lib", false),
        ] {
            assert_eq!(facts.may_hold(word), expected, "{word}");
        }
        assert!(facts.bytes() > 100);
    }
}
