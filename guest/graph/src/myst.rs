//! MyST, the Markdown of Sphinx: its directives, whose text is Markdown, reStructuredText, a list of
//! documents or code, and its labels. Its roles are code to Markdown, with `{name}` before them.

use std::borrow::Cow;
use std::ops::Range;

use docent_document::headings::rst_adoc::CODE_DIRECTIVES;
use docent_text::lines::{with_ends, without_end};
use memchr::memmem;

use crate::link::{Found, LinkKind};
use crate::names::label_key;
use crate::rst::{self, id_of};
use crate::sphinx;

/// Directives whose text is Markdown.
const TEXTS: [&str; 38] = [
    "note",
    "warning",
    "tip",
    "hint",
    "important",
    "caution",
    "danger",
    "attention",
    "error",
    "admonition",
    "seealso",
    "versionadded",
    "versionchanged",
    "versionremoved",
    "deprecated",
    "figure",
    "table",
    "list-table",
    "topic",
    "sidebar",
    "epigraph",
    "compound",
    "container",
    "only",
    "margin",
    "aside",
    "dropdown",
    "details",
    "tab-set",
    "tab-item",
    "tabs",
    "tab",
    "grid",
    "grid-item",
    "grid-item-card",
    "card",
    "div",
    "todo",
];

/// Bytes of the name of a role or a directive: the longest have some twenty.
const NAME_BYTES: usize = 64;

/// What a Markdown text says as MyST.
pub struct Myst<'t> {
    /// The text as a parser of Markdown is to read it: each byte in its place, and the fences round
    /// what is Markdown blank.
    pub markdown: Cow<'t, str>,
    /// The links of its directives.
    pub found: Vec<Found>,
    /// The ids that it gives to places.
    pub ids: Vec<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Whether nothing in it makes places that are not known.
    pub is_complete: bool,
}

/// What stands between fences.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Markdown,
    Rst,
    Toc { is_glob: bool },
    Code,
}

/// Fences that are open.
struct Fence {
    sign: char,
    length: usize,
    inside: Inside,
    /// Whether its options may go on, and whether they do so up to `---`.
    options: Options,
    /// Where its text begins.
    start: usize,
    is_directive: bool,
}

/// The options of a directive, which stand before its text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Options {
    Begin,
    Yaml,
    Over,
}

struct Reader<'t> {
    text: &'t str,
    /// The text with what is blank, made when there is any.
    blanked: Option<Vec<u8>>,
    open: Vec<Fence>,
    myst: Myst<'t>,
    is_in_list: bool,
}

/// Whether lines of plain words may name documents in this text.
pub fn has_lists(text: &str) -> bool {
    ["{toctree}", "{eval-rst}"]
        .iter()
        .any(|sign| memmem::find(text.as_bytes(), sign.as_bytes()).is_some())
}

impl<'t> Myst<'t> {
    /// Reads a Markdown text, without its front matter.
    pub fn of(text: &'t str) -> Self {
        let mut reader = Reader {
            text,
            blanked: None,
            open: Vec::new(),
            myst: Myst {
                markdown: Cow::Borrowed(text),
                found: Vec::new(),
                ids: Vec::new(),
                labels: Vec::new(),
                is_complete: true,
            },
            is_in_list: false,
        };
        let bytes = text.as_bytes();
        let holds = |sign: &str| memmem::find(bytes, sign.as_bytes()).is_some();
        if holds(")=") || ["```", "~~~", ":::"].into_iter().any(holds) && holds("{") {
            let mut start = 0;
            for line in with_ends(text) {
                reader.line(start, without_end(line).trim_end());
                start += line.len();
            }
        }
        // What is never closed goes on to the end.
        while let Some(fence) = reader.open.pop() {
            reader.close(&fence, text.len());
        }
        let blanked = reader
            .blanked
            .and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some(blanked) = blanked {
            reader.myst.markdown = Cow::Owned(blanked);
        }
        reader.myst
    }
}

impl Reader<'_> {
    fn line(&mut self, start: usize, plain: &str) {
        let inner = plain.trim_start();
        let indent = plain.len() - inner.len();
        let at = start + indent;
        let line = at..at + inner.len();
        if let Some(fence) = self.open.pop_if(|fence| fence.is_closed_by(inner)) {
            self.close(&fence, start);
            if fence.is_directive && (fence.inside == Inside::Markdown || fence.sign == ':') {
                self.blank(line, b' ');
            }
            return;
        }
        let Some(fence) = self.open.last_mut() else {
            self.markdown(line, inner, indent);
            return;
        };
        if fence.options != Options::Over && fence.is_directive {
            let is_option = fence.options.take(inner);
            let is_glob = inner == ":glob:" || inner == "glob: true";
            match &mut fence.inside {
                Inside::Toc { is_glob: own } => *own |= is_glob,
                // reStructuredText has its own.
                Inside::Rst => fence.options = Options::Over,
                _ => {}
            }
            let inside = fence.inside;
            if is_option && inside != Inside::Rst {
                let is_blank = inside == Inside::Markdown || fence.sign == ':';
                self.option(at, inner);
                if is_blank {
                    self.blank(line, b' ');
                }
                return;
            }
        }
        let Some(fence) = self.open.last() else {
            return;
        };
        let (inside, is_colon) = (fence.inside, fence.sign == ':');
        match inside {
            Inside::Markdown => {
                self.markdown(line, inner, indent);
                return;
            }
            Inside::Toc { is_glob } if !inner.is_empty() => {
                let entry = sphinx::toc_entry(inner, at, is_glob);
                self.myst.found.extend(entry);
            }
            _ => {}
        }
        if is_colon {
            self.blank(line, b' ');
        }
    }

    /// Takes a line of Markdown.
    fn markdown(&mut self, line: Range<usize>, inner: &str, indent: usize) {
        let is_item =
            inner.starts_with(['-', '*', '+']) || inner.starts_with(|c: char| c.is_ascii_digit());
        if indent < 4 && !inner.is_empty() {
            self.is_in_list = is_item || self.is_in_list && indent > 0;
        } else if !self.is_in_list && self.open.is_empty() {
            // Code, by its indentation.
            return;
        }
        if let Some(label) = inner.strip_prefix('(').and_then(|it| it.strip_suffix(")=")) {
            self.label(label);
            return;
        }
        let Some(sign) = inner.chars().next().filter(|c| "`~:".contains(*c)) else {
            return;
        };
        let behind = inner.trim_start_matches(sign);
        let length = inner.len() - behind.len();
        if length < 3 || sign == '`' && behind.contains('`') {
            return;
        }
        let mut fence = Fence {
            sign,
            length,
            inside: Inside::Code,
            options: Options::Begin,
            start: line.end,
            is_directive: false,
        };
        match directive(behind) {
            Some((name, argument)) => {
                fence.is_directive = true;
                let from = line.end - argument.len();
                fence.inside = self.directive(name, argument, from);
                let is_text = fence.inside == Inside::Markdown;
                if is_text || sign == ':' {
                    // A title stays, behind what makes no code of it.
                    let end = if is_text { from } else { line.end };
                    let sign = if end < line.end { b'.' } else { b' ' };
                    self.blank(line.start..end, sign);
                }
            }
            // Three colons alone mean nothing to Markdown.
            None if sign == ':' => return,
            None => {}
        }
        self.open.push(fence);
    }

    /// Takes the first line of a directive, whose argument stands at `at`, and returns what its text
    /// is.
    fn directive(&mut self, name: &str, argument: &str, at: usize) -> Inside {
        if let Some(kind) = sphinx::file(name, argument) {
            let range = at..at + argument.len();
            let found = Found::new(self.text, kind, range.clone(), range);
            self.myst.found.extend(found);
        }
        match name {
            "toctree" => Inside::Toc { is_glob: false },
            "eval-rst" => Inside::Rst,
            _ if TEXTS.contains(&name) => Inside::Markdown,
            _ => {
                // Directives of domains describe objects, and others may show what stands elsewhere.
                let may_make = name.contains(':') || name.starts_with("auto");
                let is_known = sphinx::is_plain(name) || CODE_DIRECTIVES.contains(&name);
                self.myst.is_complete &= is_known || !may_make;
                Inside::Code
            }
        }
    }

    /// Takes an option of a directive.
    fn option(&mut self, at: usize, line: &str) {
        let option = line.strip_prefix(':').unwrap_or(line);
        let Some((name, value)) = option.split_once(": ") else {
            return;
        };
        let value = value.trim();
        let range = at + line.len() - value.len()..at + line.len();
        let kind = match name {
            "name" => {
                self.label(value);
                return;
            }
            "file" => LinkKind::Included,
            "target" if !value.ends_with('_') => LinkKind::File,
            _ => return,
        };
        let found = Found::new(self.text, kind, range.clone(), range);
        self.myst.found.extend(found);
    }

    fn label(&mut self, label: &str) {
        self.myst.ids.extend([id_of(label), label.to_owned()]);
        self.myst.labels.push(label_key(label));
    }

    /// Takes what stood between fences, up to `end`.
    fn close(&mut self, fence: &Fence, end: usize) {
        let inside = fence.inside == Inside::Rst;
        let Some(text) = self.text.get(fence.start..end).filter(|_| inside) else {
            return;
        };
        let read = rst::read(text);
        let moved = |range: Range<usize>| range.start + fence.start..range.end + fence.start;
        self.myst
            .found
            .extend(read.found.into_iter().map(|found| Found {
                span: moved(found.span),
                destination: found.destination.map(moved),
                ..found
            }));
        self.myst.ids.extend(read.anchors.ids().map(str::to_owned));
        self.myst.labels.extend(read.labels);
        self.myst.is_complete &= read.anchors.is_complete();
    }

    fn blank(&mut self, range: Range<usize>, sign: u8) {
        let text = self.text;
        let blanked = self.blanked.get_or_insert_with(|| text.as_bytes().to_vec());
        blanked[range].fill(sign);
    }
}

impl Fence {
    fn is_closed_by(&self, line: &str) -> bool {
        line.len() >= self.length && line.trim_start_matches(self.sign).is_empty()
    }
}

impl Options {
    /// Takes a line, and says whether it is one of options.
    fn take(&mut self, line: &str) -> bool {
        match self {
            Self::Begin if line == "---" => *self = Self::Yaml,
            Self::Yaml if line == "---" => *self = Self::Over,
            Self::Yaml => {}
            Self::Begin if line.starts_with(':') && line[1..].contains(':') => {}
            // Blank lines may stand before the text.
            Self::Begin | Self::Over => {
                *self = Self::Over;
                return false;
            }
        }
        true
    }
}

/// Returns the name and the argument of a directive, by what follows its fence.
fn directive(info: &str) -> Option<(&str, &str)> {
    let (name, argument) = info.trim_start().strip_prefix('{')?.split_once('}')?;
    let is_name = name.len() <= NAME_BYTES
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_:.+".contains(c));
    is_name.then_some((name, argument.trim_start()))
}

/// Returns the link of a role: of the code that stands at `code`, with `{name}` before it.
pub fn role(markdown: &str, code: &Range<usize>) -> Option<Found> {
    let before = markdown[..code.start].strip_suffix('}')?;
    let from = before.floor_char_boundary(before.len().saturating_sub(NAME_BYTES));
    let open = from + before[from..].rfind('{')?;
    let kind = sphinx::role(&before[open + 1..])?;
    let source = &markdown[code.clone()];
    let start = source.len() - source.trim_start_matches('`').len();
    let inside = source.get(start..source.len().checked_sub(start)?)?;
    let range = sphinx::titled(inside).unwrap_or(0..inside.len());
    // `!` says that it is no link.
    let target = inside[range.clone()].trim();
    if target.is_empty() || target.starts_with('!') {
        return None;
    }
    let at = code.start + start;
    Some(Found {
        kind,
        span: open..code.end,
        destination: Some(at + range.start..at + range.end),
        target: target.to_owned(),
    })
}
