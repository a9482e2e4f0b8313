//! MyST, the Markdown of Sphinx: its labels and directives. The content of a directive is Markdown,
//! reStructuredText, a list of documents or code. A role is inline code preceded by `{name}`.

use std::borrow::Cow;
use std::ops::Range;

use docent_document::headings::rst_adoc::CODE_DIRECTIVES;
use docent_text::lines::{with_ends, without_end};
use memchr::memmem;

use crate::link::{Found, LinkKind};
use crate::names::label_key;
use crate::rst::{self, id_of};
use crate::signs::Signs;
use crate::sphinx;

/// Directives whose content is Markdown.
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

/// Maximum bytes in the name of a role or a directive: the longest have some twenty.
const NAME_BYTES: usize = 64;

/// The result of reading a Markdown text as MyST.
pub struct Myst<'t> {
    /// Text for the Markdown parser, with every byte at its position, and the fences around
    /// Markdown content blanked out.
    pub markdown: Cow<'t, str>,
    /// Links of directives.
    pub found: Vec<Found>,
    /// Ids of anchors.
    pub ids: Vec<String>,
    /// Labels.
    pub labels: Vec<String>,
    /// True if nothing in the text generates unknown anchors.
    pub is_complete: bool,
}

/// The content of a fence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FenceContent {
    Markdown,
    Rst,
    Toc { is_glob: bool },
    Code,
}

/// An open fence.
struct Fence {
    sign: char,
    length: usize,
    inside: FenceContent,
    /// State of its options.
    options: OptionState,
    /// Start of its content.
    start: usize,
    is_directive: bool,
}

/// The state of a directive's options, which precede its content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OptionState {
    Begin,
    Yaml,
    Over,
}

struct MystReader<'t> {
    text: &'t str,
    /// Text with blanked-out ranges, created on demand.
    blanked: Option<Vec<u8>>,
    open: Vec<Fence>,
    myst: Myst<'t>,
    is_in_list: bool,
}

/// Returns true if lines of plain words may name documents in this text.
pub fn has_bare_paths(text: &str) -> bool {
    ["{toctree}", "{eval-rst}"]
        .iter()
        .any(|sign| memmem::find(text.as_bytes(), sign.as_bytes()).is_some())
}

impl<'t> Myst<'t> {
    /// Reads a Markdown text without its front matter; `signs` are those of the text.
    pub(crate) fn read(text: &'t str, signs: Signs) -> Self {
        let mut reader = MystReader {
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
        // Most texts have neither labels nor directives. To read all lines of every text with
        // code made reading 4 000 notes measurably slower; these signs find the texts that need
        // no reading.
        if signs.directives || memmem::find(text.as_bytes(), b")=").is_some() {
            let mut start = 0;
            for line in with_ends(text) {
                reader.line(start, without_end(line).trim_end());
                start += line.len();
            }
        }
        // A fence that is never closed extends to the end.
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

impl MystReader<'_> {
    fn line(&mut self, start: usize, plain: &str) {
        let inner = plain.trim_start();
        let indent = plain.len() - inner.len();
        let at = start + indent;
        let line = at..at + inner.len();
        if let Some(fence) = self.open.pop_if(|fence| fence.is_closed_by(inner)) {
            self.close(&fence, start);
            if fence.is_directive && (fence.inside == FenceContent::Markdown || fence.sign == ':') {
                self.blank(line, b' ');
            }
            return;
        }
        let Some(fence) = self.open.last_mut() else {
            self.markdown(line, inner, indent);
            return;
        };
        if fence.options != OptionState::Over && fence.is_directive {
            let is_option = fence.options.take(inner);
            let is_glob = inner == ":glob:" || inner == "glob: true";
            match &mut fence.inside {
                FenceContent::Toc { is_glob: own } => *own |= is_glob,
                // Options in reStructuredText belong to the directives within it, which its own
                // reader reads.
                FenceContent::Rst => fence.options = OptionState::Over,
                _ => {}
            }
            let inside = fence.inside;
            if is_option && inside != FenceContent::Rst {
                let is_blank = inside == FenceContent::Markdown || fence.sign == ':';
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
            FenceContent::Markdown => {
                self.markdown(line, inner, indent);
                return;
            }
            FenceContent::Toc { is_glob } if !inner.is_empty() => {
                let entry = sphinx::toc_entry(inner, at, is_glob);
                self.myst.found.extend(entry);
            }
            _ => {}
        }
        if is_colon {
            self.blank(line, b' ');
        }
    }

    /// Reads a line of Markdown.
    fn markdown(&mut self, line: Range<usize>, inner: &str, indent: usize) {
        let is_item =
            inner.starts_with(['-', '*', '+']) || inner.starts_with(|c: char| c.is_ascii_digit());
        if indent < 4 && !inner.is_empty() {
            self.is_in_list = is_item || self.is_in_list && indent > 0;
        } else if !self.is_in_list && self.open.is_empty() {
            // Indented code. Within a list four blanks are the indentation of an item's text,
            // and within a directive they are part of its content.
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
            inside: FenceContent::Code,
            options: OptionState::Begin,
            start: line.end,
            is_directive: false,
        };
        match directive(behind) {
            Some((name, argument)) => {
                fence.is_directive = true;
                let from = line.end - argument.len();
                fence.inside = self.directive(name, argument, from);
                let is_text = fence.inside == FenceContent::Markdown;
                if is_text || sign == ':' {
                    // A title may contain links, as in `:::{tip} See [b](b.md)`. If everything
                    // before it were blanked, the title would be indented by four columns or
                    // more, which CommonMark reads as code without links. Dots in place of the
                    // fence keep it a paragraph.
                    let end = if is_text { from } else { line.end };
                    let sign = if end < line.end { b'.' } else { b' ' };
                    self.blank(line.start..end, sign);
                }
            }
            // To CommonMark, `:::` without a directive is text.
            None if sign == ':' => return,
            None => {}
        }
        self.open.push(fence);
    }

    /// Reads the first line of a directive, whose argument is at `at`, and returns the kind of its
    /// content.
    fn directive(&mut self, name: &str, argument: &str, at: usize) -> FenceContent {
        if let Some(kind) = sphinx::file(name, argument) {
            let range = at..at + argument.len();
            let found = Found::new(self.text, kind, range.clone(), range);
            self.myst.found.extend(found);
        }
        match name {
            "toctree" => FenceContent::Toc { is_glob: false },
            "eval-rst" => FenceContent::Rst,
            _ if TEXTS.contains(&name) => FenceContent::Markdown,
            _ => {
                // `py:function` and other directives of domains define anchors for the objects
                // that they describe, and `autoclass` and its like generate documentation from
                // code, so these anchors are unknown. All other directives that are not listed
                // are assumed to define none.
                let may_make = name.contains(':') || name.starts_with("auto");
                let is_known = sphinx::is_plain(name) || CODE_DIRECTIVES.contains(&name);
                self.myst.is_complete &= is_known || !may_make;
                FenceContent::Code
            }
        }
    }

    /// Reads an option of a directive.
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

    /// Reads the content between fences, up to `end`.
    fn close(&mut self, fence: &Fence, end: usize) {
        let inside = fence.inside == FenceContent::Rst;
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

    // Every byte is overwritten by one ASCII byte, so that all other bytes keep their positions.
    // The spans that the Markdown parser returns are then spans of the original text, and a
    // rewrite replaces the right bytes.
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

impl OptionState {
    /// Reads a line, and returns true if it is one of the options.
    fn take(&mut self, line: &str) -> bool {
        match self {
            Self::Begin if line == "---" => *self = Self::Yaml,
            Self::Yaml if line == "---" => *self = Self::Over,
            Self::Yaml => {}
            Self::Begin if line.starts_with(':') && line[1..].contains(':') => {}
            // Blank lines may precede the content.
            Self::Begin | Self::Over => {
                *self = Self::Over;
                return false;
            }
        }
        true
    }
}

/// Parses the name and the argument of a directive from the text after its fence.
fn directive(info: &str) -> Option<(&str, &str)> {
    let (name, argument) = info.trim_start().strip_prefix('{')?.split_once('}')?;
    let is_name = name.len() <= NAME_BYTES
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_:.+".contains(c));
    is_name.then_some((name, argument.trim_start()))
}

/// Returns the link of a role: the inline code at `code`, preceded by `{name}`.
pub fn role(markdown: &str, code: &Range<usize>) -> Option<Found> {
    let before = markdown[..code.start].strip_suffix('}')?;
    // The name is searched for within a limit. Without it each code span after a `}` would
    // search back through the whole text for a `{`.
    let from = before.floor_char_boundary(before.len().saturating_sub(NAME_BYTES));
    let open = from + before[from..].rfind('{')?;
    let kind = sphinx::role(&before[open + 1..])?;
    let source = &markdown[code.clone()];
    let start = source.len() - source.trim_start_matches('`').len();
    let inside = source.get(start..source.len().checked_sub(start)?)?;
    let range = sphinx::title_target(inside).unwrap_or(0..inside.len());
    // `!` suppresses the link.
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
