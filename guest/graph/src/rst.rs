//! Links and anchors of reStructuredText, as far as they can be recognised without Docutils.

use std::ops::Range;

use docent_document::headings::heading::Heading;
use docent_document::headings::rst_adoc::{CODE_DIRECTIVES, GRAMMAR_DIRECTIVE, rst_headings};
use docent_document::sections::Slugs;
use docent_text::lines::{with_ends, without_end};

use crate::anchors::Anchors;
use crate::link::{Found, LinkKind};
use crate::names::label_key;
use crate::section_name::NewSection;
use crate::sphinx;

/// The links, anchors and labels of a reStructuredText document.
pub struct RstLinks {
    /// Links of the text.
    pub found: Vec<Found>,
    /// Anchors of the text.
    pub anchors: Anchors,
    /// Labels of the text.
    pub labels: Vec<String>,
}

/// The content of the lines indented below a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IndentedContent {
    /// Code, or a comment.
    Code,
    /// Entries of a table of contents, which may be patterns if `is_glob`.
    Toc { is_glob: bool },
    /// Options, then text.
    Options,
}

/// A reader of reStructuredText and its state.
struct RstReader<'t> {
    text: &'t str,
    found: Vec<Found>,
    ids: Vec<String>,
    labels: Vec<String>,
    is_complete: bool,
    below: Option<(IndentedContent, usize)>,
    /// Range of the current paragraph: a role may continue on the next line.
    paragraph: Option<Range<usize>>,
}

/// Reads the links, anchors and labels of a reStructuredText document.
pub fn read(text: &str) -> RstLinks {
    let mut reader = RstReader {
        text,
        found: Vec::new(),
        ids: Vec::new(),
        labels: Vec::new(),
        is_complete: true,
        below: None,
        paragraph: None,
    };
    let mut start = 0;
    for line in with_ends(text) {
        reader.line(start, without_end(line).trim_end());
        start += line.len();
    }
    reader.end_paragraph();
    let mut slugs = Slugs::default();
    for (index, heading) in rst_headings(text).into_iter().enumerate() {
        reader.ids.push(id_of(&heading.text));
        // Docutils gives `id1`, `id2` and so on to sections whose id is taken or would be empty,
        // such as titles without Latin letters. Which sections these are is not determined here:
        // each section is also known by its index.
        reader.ids.push(format!("id{}", index + 1));
        // Site generators may generate ids by other rules.
        reader.ids.push(slugs.unique(heading.anchor));
    }
    RstLinks {
        found: reader.found,
        anchors: Anchors::new(reader.ids, Vec::new(), reader.is_complete),
        labels: reader.labels,
    }
}

/// Returns the names of the sections in a reStructuredText document, in order.
pub fn names_of_sections(text: &str) -> Vec<NewSection> {
    let name = |heading: Heading| NewSection {
        id: id_of(&heading.text),
        heading: heading.text,
    };
    rst_headings(text).into_iter().map(name).collect()
}

/// Returns the id that Docutils generates from a name.
pub fn id_of(name: &str) -> String {
    let mut id = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        match c {
            'a'..='z' => id.push(c),
            '0'..='9' if !id.is_empty() => id.push(c),
            _ if id.is_empty() || id.ends_with('-') => {}
            _ => id.push('-'),
        }
    }
    id.truncate(id.trim_end_matches('-').len());
    id
}

impl RstReader<'_> {
    /// Reads a line that begins at `start`.
    fn line(&mut self, start: usize, plain: &str) {
        let inner = plain.trim_start();
        let indent = plain.len() - inner.len();
        let at = start + indent;
        if inner.is_empty() {
            self.end_paragraph();
            return;
        }
        match self.below {
            Some((IndentedContent::Code, outer)) if indent > outer => return,
            Some((IndentedContent::Toc { is_glob }, outer)) if indent > outer => {
                let is_glob = is_glob || inner == ":glob:";
                self.below = Some((IndentedContent::Toc { is_glob }, outer));
                self.found.extend(sphinx::toc_entry(inner, at, is_glob));
                return;
            }
            Some((IndentedContent::Options, outer)) if indent > outer => {
                if self.option(at, inner) {
                    return;
                }
            }
            _ => self.below = None,
        }
        if inner == ".." || inner.starts_with(".. ") || inner.starts_with("__ ") {
            self.end_paragraph();
            self.explicit(at, indent, inner);
            return;
        }
        let end = at + inner.len();
        let begun = self.paragraph.take().map_or(at, |lines| lines.start);
        self.paragraph = Some(begun..end);
        if inner.ends_with("::") {
            self.end_paragraph();
            self.below = Some((IndentedContent::Code, indent));
        }
    }

    /// Reads a line of explicit markup.
    fn explicit(&mut self, at: usize, indent: usize, line: &str) {
        let marked = line[2..].trim_start();
        let from = at + line.len() - marked.len();
        if let Some(target) = marked.strip_prefix('_').filter(|_| line.starts_with("..")) {
            self.target(from + 1, target);
            return;
        }
        if line.starts_with("__") {
            self.link(LinkKind::File, from..from + marked.len());
            return;
        }
        // `.. |logo| image:: logo.png`
        let behind = marked
            .strip_prefix('|')
            .and_then(|name| name.split_once('|'));
        let shown = behind.map_or(marked, |(_, behind)| behind.trim_start());
        match directive(shown) {
            Some((name, argument)) => {
                let argument_at = from + marked.len() - argument.len();
                self.directive(name, argument, argument_at, indent);
            }
            // A footnote or a citation is text.
            None if marked.starts_with('[') => self.paragraph = Some(from..from + marked.len()),
            // Anything else is a comment.
            None => self.below = Some((IndentedContent::Code, indent)),
        }
    }

    /// Reads the text after `.. _`: a label, or a named destination.
    fn target(&mut self, at: usize, target: &str) {
        let colon = match target.strip_prefix('`') {
            Some(quoted) => quoted.find("`:").map(|end| end + 2),
            None => target.find(": ").or_else(|| {
                let is_last = target.ends_with(':');
                is_last.then(|| target.len() - 1)
            }),
        };
        let Some(colon) = colon else { return };
        let name = target[..colon].trim_matches('`');
        let behind = target[colon + 1..].trim();
        if behind.is_empty() {
            if name != "_" {
                self.ids.push(id_of(name));
                self.labels.push(label_key(name));
            }
        } else if !behind.ends_with('_') {
            let end = at + target.trim_end().len();
            self.link(LinkKind::File, end - behind.len()..end);
        }
    }

    fn directive(&mut self, name: &str, argument: &str, at: usize, indent: usize) {
        let argument_range = at..at + argument.len();
        self.below = Some((IndentedContent::Options, indent));
        let is_code = CODE_DIRECTIVES.contains(&name);
        let is_plain = is_code || sphinx::is_plain(name);
        self.is_complete &= is_plain;
        if sphinx::takes_file(name) {
            if let Some(kind) = sphinx::file(name, argument) {
                self.link(kind, argument_range);
            }
        } else if name == "toctree" {
            self.below = Some((IndentedContent::Toc { is_glob: false }, indent));
        } else if is_code || name == GRAMMAR_DIRECTIVE {
            self.below = Some((IndentedContent::Code, indent));
        } else {
            if !is_plain {
                let object = argument.split(['(', ' ']).next().unwrap_or_default();
                self.ids.push(object.to_owned());
            }
            self.paragraph = Some(argument_range);
        }
    }

    /// Reads an option of a directive, and returns true if it is one.
    fn option(&mut self, at: usize, line: &str) -> bool {
        let Some((name, value)) = line
            .strip_prefix(':')
            .and_then(|line| line.split_once(": "))
        else {
            return false;
        };
        let value = value.trim();
        let end = at + line.len();
        match name {
            "target" if !value.ends_with('_') => {
                self.link(LinkKind::File, end - value.len()..end);
            }
            "file" => self.link(LinkKind::Included, end - value.len()..end),
            "name" => {
                self.ids.push(id_of(value));
                self.labels.push(label_key(value));
            }
            _ => return !name.contains(['`', ' ']),
        }
        true
    }

    fn link(&mut self, kind: LinkKind, destination: Range<usize>) {
        let found = Found::new(self.text, kind, destination.clone(), destination);
        self.found.extend(found.map(as_docutils_reads));
    }

    /// Adds the links of the current paragraph and ends it.
    fn end_paragraph(&mut self) {
        let Some(lines) = self.paragraph.take() else {
            return;
        };
        let text = self.text;
        let (start, inside) = (lines.start, &text[lines]);
        let mut from = 0;
        while let Some(tick) = inside[from..].find('`') {
            let open = from + tick;
            // An escaped backtick opens nothing.
            if inside[..open].ends_with('\\') {
                from = open + 1;
                continue;
            }
            // ``code`` contains no links. Of three backticks after it the first belongs to its
            // text, so the whole run is skipped.
            if inside[open..].starts_with("``") {
                let close = inside[open + 2..].find("``");
                from = close.map_or(inside.len(), |close| {
                    let behind = open + close + 4;
                    let rest = &inside[behind..];
                    behind + rest.len() - rest.trim_start_matches('`').len()
                });
                continue;
            }
            let Some(length) = inside[open + 1..].find('`') else {
                return;
            };
            let close = open + 1 + length;
            self.read_interpreted_text(start, inside, open..close);
            from = close + 1;
        }
    }

    /// Reads the text between two backticks of a paragraph that begins at `start`.
    fn read_interpreted_text(&mut self, start: usize, paragraph: &str, ticks: Range<usize>) {
        let (before, behind) = (&paragraph[..ticks.start], &paragraph[ticks.end + 1..]);
        let inside = &paragraph[ticks.start + 1..ticks.end];
        let named = sphinx::title_target(inside);
        let kind = if let Some(kind) = sphinx::role_behind_colon(before) {
            kind
        } else if behind.starts_with('_') {
            if named.is_none() {
                return;
            }
            LinkKind::File
        } else {
            if before.ends_with('_') && !before.ends_with("__") {
                self.ids.push(id_of(inside));
                self.labels.push(label_key(inside));
            }
            return;
        };
        let range = named.unwrap_or(0..inside.len());
        let target = &inside[range.clone()];
        // `!` suppresses the link, and `<name_>` is another name.
        if target.starts_with('!') || kind == LinkKind::File && target.ends_with('_') {
            return;
        }
        let inner = start + ticks.start + 1;
        let span = start + ticks.start..start + ticks.end + 1;
        let destination = inner + range.start..inner + range.end;
        let found = Found::new(self.text, kind, span, destination);
        self.found.extend(found.map(as_docutils_reads));
    }
}

/// Returns a link with its destination as Docutils reads it.
fn as_docutils_reads(found: Found) -> Found {
    let target = unescape(found.kind, &found.target);
    Found { target, ..found }
}

/// Returns true if Docutils treats a destination of this kind as a URI: blanks within it are
/// removed, and a backslash escapes the next character.
fn is_uri(kind: LinkKind) -> bool {
    matches!(kind, LinkKind::File | LinkKind::Shown)
}

/// Unescapes a destination of reStructuredText.
pub fn unescape(kind: LinkKind, raw: &str) -> String {
    if !is_uri(kind) || !raw.contains(|c: char| c == '\\' || c.is_whitespace()) {
        return raw.trim().to_owned();
    }
    let mut target = String::with_capacity(raw.len());
    let mut signs = raw.trim_start().chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => target.extend(signs.next()),
            sign if sign.is_whitespace() => {}
            sign => target.push(sign),
        }
    }
    target
}

/// Escapes a path for a destination of reStructuredText.
pub fn escape(kind: LinkKind, path: &str) -> String {
    match is_uri(kind) {
        true => path.replace('\\', "\\\\").replace(' ', "\\ "),
        false => path.to_owned(),
    }
}

/// Parses the name and the argument of `name:: argument`.
fn directive(line: &str) -> Option<(&str, &str)> {
    let (name, argument) = line.split_once("::")?;
    let name = name.trim();
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "-_:.+".contains(c));
    is_name.then_some((name, argument.trim()))
}
