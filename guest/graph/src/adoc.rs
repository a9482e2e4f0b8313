//! Links of AsciiDoc, and the places that links to it lead to, as far as they can be told line by
//! line.

use std::collections::BTreeMap;
use std::ops::Range;

use docent_document::format::Format;
use docent_document::headings::rst_adoc::adoc_headings;
use docent_document::sections::Slugs;
use docent_text::lines::{with_ends, without_end};

use crate::anchors::Anchors;
use crate::limits::ATTRIBUTE_BYTES;
use crate::link::{Found, LinkKind};
use crate::rewrite::NewSection;

/// Macros that name a file or a place of one.
const MACROS: [(&str, LinkKind); 6] = [
    ("xref:", LinkKind::Cross),
    ("link:", LinkKind::File),
    ("image::", LinkKind::Shown),
    ("image:", LinkKind::Shown),
    ("video::", LinkKind::Shown),
    ("audio::", LinkKind::Shown),
];

/// What an AsciiDoc text says of links.
pub struct Reading {
    /// Its links.
    pub found: Vec<Found>,
    /// Its places.
    pub anchors: Anchors,
}

/// A text while it is read.
struct Reader<'t> {
    text: &'t str,
    found: Vec<Found>,
    ids: Vec<String>,
    is_complete: bool,
    /// The delimiter of the block that is open.
    block: Option<&'t str>,
    /// What the lines of the paragraph are.
    paragraph: Paragraph,
    /// Where in the line what stands there is shown as it is.
    passed: Vec<Range<usize>>,
    rule: Rule<'t>,
}

/// What the lines of a paragraph are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paragraph {
    /// None has begun.
    None,
    /// None has begun, and the next one is shown as it is, by a line of attributes above it.
    NoneButVerbatim,
    /// Text.
    Text,
    /// They are shown as they are.
    Verbatim,
}

/// Styles of paragraphs that are shown as they are.
const VERBATIM: [&str; 7] = [
    "source",
    "listing",
    "literal",
    "pass",
    "stem",
    "latexmath",
    "asciimath",
];

/// Who shows videos by their names there.
const VIDEO_SITES: [&str; 3] = ["youtube", "vimeo", "wistia"];

/// How ids of sections are made.
#[derive(Clone, Copy)]
struct Rule<'t> {
    prefix: &'t str,
    separator: &'t str,
    /// Where images lie, from the document.
    images: &'t str,
}

/// Reads the links and places of an AsciiDoc text.
pub fn read(text: &str) -> Reading {
    let mut reader = Reader::of(text);
    let mut plain = Slugs::default();
    let mut ids = reader.rule.ids();
    for heading in adoc_headings(text) {
        reader.ids.push(ids.next(&heading.text));
        // Titles can be named themselves, and what makes pages of it may have other rules.
        reader.ids.push(heading.text);
        reader.ids.push(plain.unique(heading.anchor));
    }
    Reading {
        found: reader.found,
        anchors: Anchors::new(reader.ids, Vec::new(), reader.is_complete),
    }
}

/// Returns how links name the sections of an AsciiDoc text, in order, by their ids and then all
/// of them by their titles.
pub fn names_of_sections(text: &str) -> Vec<NewSection> {
    let mut ids = Reader::of(text).rule.ids();
    let headings = adoc_headings(text);
    let by_id = headings.iter().map(|heading| NewSection {
        id: ids.next(&heading.text),
        heading: heading.text.clone(),
    });
    let mut names: Vec<NewSection> = by_id.collect();
    for (index, heading) in headings.into_iter().enumerate() {
        // What a reference cannot hold as a title it holds as an id.
        let is_plain = !heading.text.contains([',', '#', '[', ']', '<', '>']);
        let id = names[index].id.clone();
        names.push(NewSection {
            id: if is_plain { heading.text.clone() } else { id },
            heading: heading.text,
        });
    }
    names
}

/// Ids of sections, one after the other.
struct Ids<'t> {
    rule: Rule<'t>,
    times: BTreeMap<String, u32>,
}

impl<'t> Rule<'t> {
    fn ids(self) -> Ids<'t> {
        Ids {
            rule: self,
            times: BTreeMap::new(),
        }
    }
}

impl Ids<'_> {
    /// Returns the id of the next section, of this title.
    fn next(&mut self, title: &str) -> String {
        let Rule {
            prefix, separator, ..
        } = self.rule;
        let mut id = prefix.to_owned();
        for c in title.chars().flat_map(char::to_lowercase) {
            match c {
                // Neighbouring ones are one.
                ' ' | '-' | '.' | '_' if separator.is_empty() || !id.ends_with(separator) => {
                    id.push_str(separator);
                }
                c if c.is_alphanumeric() => id.push(c),
                _ => {}
            }
        }
        if !separator.is_empty() {
            id.truncate(id.trim_end_matches(separator).len());
        }
        let count = self.times.entry(id.clone()).or_default();
        *count += 1;
        match *count {
            1 => id,
            count => format!("{id}{separator}{count}"),
        }
    }
}

impl<'t> Reader<'t> {
    /// Reads all lines of a text.
    fn of(text: &'t str) -> Self {
        let mut reader = Self {
            text,
            found: Vec::new(),
            ids: Vec::new(),
            is_complete: true,
            block: None,
            paragraph: Paragraph::None,
            passed: Vec::new(),
            rule: Rule {
                prefix: "_",
                separator: "_",
                images: "",
            },
        };
        let mut start = 0;
        for line in with_ends(text) {
            reader.line(start, without_end(line).trim_end());
            start += line.len();
        }
        reader
    }

    /// Takes a line that begins at `at`.
    fn line(&mut self, at: usize, line: &'t str) {
        // What is included is so within a block as well.
        if let Some(path) = line.strip_prefix("include::")
            && let Some(end) = path.find('[')
        {
            let from = at + line.len() - path.len();
            let span = at..at + line.len();
            self.link(LinkKind::Included, span, from..from + end);
            self.is_complete = false;
            return;
        }
        let is_delimiter = line.starts_with("```")
            || line.len() >= 4
                && ["-", ".", "+", "/"]
                    .iter()
                    .any(|sign| line.trim_start_matches(sign).is_empty());
        if is_delimiter {
            self.paragraph = Paragraph::None;
            match self.block {
                Some(open) if open == line || open.starts_with("```") && line == "```" => {
                    self.block = None;
                }
                Some(_) => {}
                None => self.block = Some(line),
            }
        } else if self.block.is_none() && !line.starts_with("//") {
            self.paragraph = self.paragraph.with(line);
            if self.paragraph == Paragraph::Verbatim {
                return;
            }
            self.passed = passed(line);
            self.attribute(line);
            self.places(line);
            self.macros(at, line);
            self.crosses(at, line);
        }
    }

    fn attribute(&mut self, line: &'t str) {
        let entry = line.strip_prefix(':').and_then(|line| line.split_once(':'));
        let Some((name, value)) = entry else { return };
        let value = value.trim();
        match name {
            _ if value.len() > ATTRIBUTE_BYTES => {}
            "idprefix" => self.rule.prefix = value,
            "idseparator" => {
                let end = value.chars().next().map_or(0, char::len_utf8);
                self.rule.separator = &value[..end];
            }
            "imagesdir" => self.rule.images = value,
            _ => {}
        }
    }

    /// Adds the ids that a line gives: `[[id]]`, `[#id]`, `[id=id]`, `anchor:id[]`.
    fn places(&mut self, line: &str) {
        let mut add = |id: &str| {
            let id = id.trim_matches(['"', '\'', ' ']);
            if !id.is_empty() {
                self.ids.push(id.to_owned());
            }
        };
        for part in line.split("[[").skip(1) {
            let inside = part.split(']').next().unwrap_or_default();
            add(inside
                .trim_start_matches('[')
                .split(',')
                .next()
                .unwrap_or_default());
        }
        for part in line.split("anchor:").skip(1) {
            add(part.split('[').next().unwrap_or_default());
        }
        for part in line.split('[').skip(1) {
            let inside = part.split(']').next().unwrap_or_default();
            // Behind a style: `[quote#id.role]`.
            let first = inside.split(',').next().unwrap_or_default();
            if let Some((style, id)) = first.split_once('#')
                && style
                    .chars()
                    .all(|c| c.is_alphanumeric() || "-_.%".contains(c))
            {
                add(id.split(['.', '%', '#']).next().unwrap_or_default());
            }
            if let Some((_, id)) = inside.split_once("id=") {
                add(id.split(',').next().unwrap_or_default());
            }
        }
    }

    fn macros(&mut self, at: usize, line: &str) {
        for (sign, kind) in MACROS {
            let mut from = 0;
            while let Some(found_at) = line[from..].find(sign) {
                let open = from + found_at;
                let start = open + sign.len();
                let rest = &line[start..];
                let Some(length) = rest.find('[') else {
                    break;
                };
                // Behind it, so that no text is read twice.
                from = start + length;
                let before = line[..open].chars().next_back();
                let is_macro = !before.is_some_and(|c| c.is_alphanumeric() || c == '\\');
                let target = &rest[..length];
                let has_blanks = kind == LinkKind::File && target.contains(char::is_whitespace);
                // `image::` is found by `image:` as well.
                let is_other = target.is_empty() || target.starts_with(':');
                let is_target = !is_other && !has_blanks && target.trim() == target;
                let is_elsewhere = sign == "video::" && is_of_video_site(&rest[length + 1..]);
                if is_macro && is_target && !is_elsewhere && !self.is_passed(open) {
                    let span = at + open..at + from;
                    self.by_macro(kind, span, at + start..at + from);
                }
            }
        }
    }

    fn by_macro(&mut self, kind: LinkKind, span: Range<usize>, destination: Range<usize>) {
        let target = &self.text[destination.clone()];
        let is_rooted = target.starts_with('/') || target.contains(':');
        if kind == LinkKind::Cross && is_here(target) {
            self.here(span, destination);
        } else if kind == LinkKind::Shown && !self.rule.images.is_empty() && !is_rooted {
            let target = format!("{}/{target}", self.rule.images.trim_end_matches('/'));
            self.found.push(Found {
                kind,
                span,
                destination: None,
                target,
            });
        } else {
            self.link(kind, span, destination);
        }
    }

    /// Adds the `<<id>>` of a line that begins at `at`.
    fn crosses(&mut self, at: usize, line: &str) {
        let mut from = 0;
        while let Some(found_at) = line[from..].find("<<") {
            let open = from + found_at;
            let inside = &line[open + 2..];
            let Some(close) = inside.find(">>") else {
                return;
            };
            from = open + 2 + close + 2;
            let end = inside[..close].find(',').unwrap_or(close);
            let target = inside[..end].trim_end();
            let is_target = |c: char| c.is_alphanumeric() || "#/_:.{".contains(c);
            let is_escaped = line[..open].ends_with('\\') || self.is_passed(open);
            if !target.starts_with(is_target) || is_escaped {
                continue;
            }
            let start = at + open + 2;
            let span = at + open..at + from;
            let destination = start..start + target.len();
            if is_here(target) {
                self.here(span, destination);
            } else {
                self.link(LinkKind::Cross, span, destination);
            }
        }
    }

    /// Whether what stands here in the line is shown as it is.
    fn is_passed(&self, at: usize) -> bool {
        let behind = self.passed.partition_point(|range| range.end <= at);
        let range = self.passed.get(behind);
        range.is_some_and(|range| range.start <= at)
    }

    /// Adds a link to an id of this document.
    fn here(&mut self, span: Range<usize>, destination: Range<usize>) {
        let id = &self.text[destination.clone()];
        let hash = if id.starts_with('#') { "" } else { "#" };
        self.found.push(Found {
            kind: LinkKind::Cross,
            span,
            target: format!("{hash}{id}"),
            destination: Some(destination),
        });
    }

    fn link(&mut self, kind: LinkKind, span: Range<usize>, destination: Range<usize>) {
        let found = Found::new(self.text, kind, span, destination);
        self.found.extend(found);
    }
}

impl Paragraph {
    /// Returns what it is with the next line.
    fn with(self, line: &str) -> Self {
        if line.is_empty() {
            return Self::None;
        }
        match self {
            Self::None | Self::NoneButVerbatim => {}
            begun => return begun,
        }
        let style = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'));
        if let Some(style) = style {
            let name = style.split([',', '%', '.', '#']).next().unwrap_or_default();
            return match VERBATIM.contains(&name) {
                true => Self::NoneButVerbatim,
                false => self,
            };
        }
        // `.Title` of what follows.
        if line.starts_with('.') && !line.starts_with(". ") {
            return self;
        }
        // Text that stands further in, but for items of lists.
        let text = line.trim_start();
        let marks = text.trim_start_matches(['*', '-', '.']);
        let is_item = marks.len() < text.len() && marks.starts_with(' ')
            || text.contains(". ") && text.starts_with(|c: char| c.is_ascii_digit())
            || text.contains("::")
            || text.contains('|');
        match self {
            Self::NoneButVerbatim => Self::Verbatim,
            _ if text.len() < line.len() && !is_item => Self::Verbatim,
            _ => Self::Text,
        }
    }
}

/// Whether the attributes of a video, which `text` begins with, name who shows it.
fn is_of_video_site(text: &str) -> bool {
    let attributes = text.split(']').next().unwrap_or_default();
    let first = attributes.split(',').next().unwrap_or_default();
    VIDEO_SITES.contains(&first.trim())
}

/// Returns where in a line what stands there is shown as it is: between plus signs, and in macros
/// that pass it through.
fn passed(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let bytes = line.as_bytes();
    // What has no end behind one place has none behind a later one.
    let mut endless = [false; 5];
    let mut at = 0;
    while let Some(length) = memchr::memchr3(b'+', b':', b'$', &bytes[at..]) {
        let open = at + length;
        let run = bytes[open..]
            .iter()
            .take_while(|sign| **sign == bytes[open])
            .count();
        let (way, begins): (usize, bool) = match bytes[open] {
            b':' => (0, begins_macro(line, open)),
            b'$' => (1, run == 2),
            _ if run > 2 => (2, true),
            _ if run == 2 => (3, true),
            _ => (4, begins_constrained(line, open)),
        };
        let mut end = None;
        if begins && !endless[way] {
            end = match way {
                0 => line[open..].find(']').map(|close| open + close + 1),
                1 => fenced_end(line, open, "$$"),
                2 => fenced_end(line, open, "+++"),
                3 => fenced_end(line, open, "++"),
                _ => constrained_end(line, open),
            };
            endless[way] = end.is_none();
        }
        found.extend(end.map(|end| open..end));
        at = end.unwrap_or(open + run);
    }
    found
}

/// Whether `pass:a[…]` or its like has its colon at `at`.
fn begins_macro(line: &str, at: usize) -> bool {
    let mut names = ["pass", "stem", "latexmath", "asciimath"].iter();
    let is_name = |c: char| c.is_ascii_lowercase() || c == ',';
    names.any(|name| line[..at].ends_with(name))
        && line[at + 1..].trim_start_matches(is_name).starts_with('[')
}

/// Returns where what begins and ends with this sign ends.
fn fenced_end(line: &str, at: usize, sign: &str) -> Option<usize> {
    let inside = at + sign.len();
    let end = line.get(inside..)?.find(sign)?;
    (end > 0).then_some(inside + end + sign.len())
}

/// Whether `+…+` may begin at `at`, which stands round words.
fn begins_constrained(line: &str, at: usize) -> bool {
    !line[..at].ends_with(|c: char| is_word(c) || c == '\\')
        && line[at + 1..].starts_with(|c: char| !c.is_whitespace())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns where what begins so ends.
fn constrained_end(line: &str, at: usize) -> Option<usize> {
    let inside = &line[at + 1..];
    let ends = inside
        .match_indices('+')
        .map(|(end, _)| end)
        .filter(|end| *end > 0);
    let mut ends = ends.filter(|end| {
        !inside[..*end].ends_with(char::is_whitespace) && !inside[end + 1..].starts_with(is_word)
    });
    ends.next().map(|end| at + 1 + end + 1)
}

/// Whether a cross reference names an id of its own document: without a path or an extension.
fn is_here(target: &str) -> bool {
    match target.split_once('#') {
        Some((path, _)) => path.is_empty(),
        None => {
            Format::from_name(target).is_none() && !target.contains(['/', '{', '$']) && {
                let has_extension = |extension: &str| target.ends_with(extension);
                ![".html", ".asciidoc", ".asc", ".ad"]
                    .into_iter()
                    .any(has_extension)
            }
        }
    }
}
