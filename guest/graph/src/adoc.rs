//! Links and link targets of AsciiDoc, as far as they can be recognised line by line.

use std::collections::BTreeMap;
use std::ops::Range;

use docent_document::format::Format;
use docent_document::headings::rst_adoc::adoc_headings;
use docent_document::sections::Slugs;
use docent_text::lines::{with_ends, without_end};

use crate::anchors::Anchors;
use crate::limits::ATTRIBUTE_BYTES;
use crate::link::{Found, LinkKind};
use crate::section_name::NewSection;

/// Macros that refer to a file or to an anchor in one.
const MACROS: [(&str, LinkKind); 6] = [
    ("xref:", LinkKind::Cross),
    ("link:", LinkKind::File),
    ("image::", LinkKind::Shown),
    ("image:", LinkKind::Shown),
    ("video::", LinkKind::Shown),
    ("audio::", LinkKind::Shown),
];

/// The links and anchors of an AsciiDoc text.
pub struct AdocLinks {
    /// Links of the text.
    pub found: Vec<Found>,
    /// Anchors of the text.
    pub anchors: Anchors,
}

/// A reader of AsciiDoc and its state.
struct AdocReader<'t> {
    text: &'t str,
    found: Vec<Found>,
    ids: Vec<String>,
    is_complete: bool,
    /// Delimiter of the open block.
    block: Option<&'t str>,
    /// Kind of the current paragraph.
    paragraph: ParagraphKind,
    /// Ranges of the line that are passed through literally.
    passed: Vec<Range<usize>>,
    rule: IdRule<'t>,
}

/// The kind of a paragraph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ParagraphKind {
    /// No paragraph has begun.
    None,
    /// No paragraph has begun, and an attribute line makes the next one literal.
    NoneButVerbatim,
    /// Text.
    Text,
    /// Literal lines.
    Verbatim,
}

/// Styles of literal paragraphs.
const VERBATIM: [&str; 7] = [
    "source",
    "listing",
    "literal",
    "pass",
    "stem",
    "latexmath",
    "asciimath",
];

/// Video hosts whose videos are named by an id instead of a path.
const VIDEO_SITES: [&str; 3] = ["youtube", "vimeo", "wistia"];

/// The rule by which ids of sections are generated, with other attributes of the document.
#[derive(Clone, Copy)]
struct IdRule<'t> {
    prefix: &'t str,
    separator: &'t str,
    /// Directory of images, relative to the document.
    images: &'t str,
}

/// Reads the links and anchors of an AsciiDoc text.
pub fn read(text: &str) -> AdocLinks {
    let mut reader = AdocReader::read(text);
    let mut plain = Slugs::default();
    let mut ids = reader.rule.ids();
    for heading in adoc_headings(text) {
        reader.ids.push(ids.next(&heading.text));
        // Three spellings are accepted for a section `== Set-up now`. Asciidoctor generates
        // `_set_up_now`, `<<Set-up now>>` refers to the section by its title, and other
        // renderers generate `set-up-now`. If only the first one counted, links that work would
        // be reported as broken.
        reader.ids.push(heading.text);
        reader.ids.push(plain.unique(heading.anchor));
    }
    AdocLinks {
        found: reader.found,
        anchors: Anchors::new(reader.ids, Vec::new(), reader.is_complete),
    }
}

/// Returns the names of the sections in an AsciiDoc text, in order: first all of them by their ids,
/// then all by their titles.
pub fn names_of_sections(text: &str) -> Vec<NewSection> {
    let mut ids = AdocReader::read(text).rule.ids();
    let headings = adoc_headings(text);
    let by_id = headings.iter().map(|heading| NewSection {
        id: ids.next(&heading.text),
        heading: heading.text.clone(),
    });
    let mut names: Vec<NewSection> = by_id.collect();
    for (index, heading) in headings.into_iter().enumerate() {
        // In `<<a, b>>` the target ends at the comma and `b` is the text shown, and in
        // `xref:a[b]` it ends at the bracket. A title with such a character can only be referred
        // to by its id.
        let is_plain = !heading.text.contains([',', '#', '[', ']', '<', '>']);
        let id = names[index].id.clone();
        names.push(NewSection {
            id: if is_plain { heading.text.clone() } else { id },
            heading: heading.text,
        });
    }
    names
}

/// A generator of section ids.
struct Ids<'t> {
    rule: IdRule<'t>,
    times: BTreeMap<String, u32>,
}

impl<'t> IdRule<'t> {
    fn ids(self) -> Ids<'t> {
        Ids {
            rule: self,
            times: BTreeMap::new(),
        }
    }
}

impl Ids<'_> {
    /// Returns the id of the next section, which has this title.
    fn next(&mut self, title: &str) -> String {
        let IdRule {
            prefix, separator, ..
        } = self.rule;
        let mut id = prefix.to_owned();
        for c in title.chars().flat_map(char::to_lowercase) {
            match c {
                // Adjacent separators are merged.
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

impl<'t> AdocReader<'t> {
    /// Reads all lines of a text.
    fn read(text: &'t str) -> Self {
        let mut reader = Self {
            text,
            found: Vec::new(),
            ids: Vec::new(),
            is_complete: true,
            block: None,
            paragraph: ParagraphKind::None,
            passed: Vec::new(),
            rule: IdRule {
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

    /// Reads a line that begins at `at`.
    fn line(&mut self, at: usize, line: &'t str) {
        // AsciiDoc processes includes before it parses blocks, so an `include::` line between
        // two `----` lines includes a file too. The included text may define any id, and only
        // this document's text is known here: its list of anchors is therefore incomplete.
        if let Some(path) = line.strip_prefix("include::")
            && let Some(end) = path.find('[')
        {
            let from = at + line.len() - path.len();
            let span = at..at + line.len();
            self.link(LinkKind::Included, span, from..from + end);
            self.is_complete = false;
            return;
        }
        // Only delimiters of blocks without markup count: listings `----`, literals `....`,
        // passthroughs `++++`, comments `////` and Markdown's fences. Examples `====`, sidebars
        // `****` and quotes `____` contain ordinary text, whose links are read. A block ends at
        // a line equal to the one that opened it: within `----` a line `-----` is content.
        let is_delimiter = line.starts_with("```")
            || line.len() >= 4
                && ["-", ".", "+", "/"]
                    .iter()
                    .any(|sign| line.trim_start_matches(sign).is_empty());
        if is_delimiter {
            self.paragraph = ParagraphKind::None;
            match self.block {
                Some(open) if open == line || open.starts_with("```") && line == "```" => {
                    self.block = None;
                }
                Some(_) => {}
                None => self.block = Some(line),
            }
        } else if self.block.is_none() && !line.starts_with("//") {
            self.paragraph = self.paragraph.with(line);
            if self.paragraph == ParagraphKind::Verbatim {
                return;
            }
            self.passed = passed_ranges(line);
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

    /// Adds the ids that a line defines: `[[id]]`, `[#id]`, `[id=id]`, `anchor:id[]`.
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
            // An id after a style: `[quote#id.role]`.
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
                // The search continues after the bracket. If it continued after the sign, each
                // sign in `xref:xref:xref:…[` would search for the same bracket again, which is
                // quadratic in the length of the line. Without a bracket the loop ends: no later
                // sign has one either.
                from = start + length;
                let before = line[..open].chars().next_back();
                let is_macro = !before.is_some_and(|c| c.is_alphanumeric() || c == '\\');
                let target = &rest[..length];
                let has_blanks = kind == LinkKind::File && target.contains(char::is_whitespace);
                // The search for `image:` also finds `image::`.
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
            // With `:imagesdir: img`, `image::a.png[]` shows `img/a.png`. No range of the text
            // holds that path, so the link resolves but has no destination: when the image
            // moves, the link is reported as one that cannot be rewritten.
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

    /// Adds the cross references `<<id>>` of a line that begins at `at`.
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

    /// Returns true if position `at` of the line is passed through literally.
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

impl ParagraphKind {
    /// Returns the kind of the paragraph after the next line.
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
        // `.Title` of the following block.
        if line.starts_with('.') && !line.starts_with(". ") {
            return self;
        }
        // An indented line is literal, unless it is a list item.
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

/// Returns true if the attributes of a video, with which `text` begins, name a video host.
fn is_of_video_site(text: &str) -> bool {
    let attributes = text.split(']').next().unwrap_or_default();
    let first = attributes.split(',').next().unwrap_or_default();
    VIDEO_SITES.contains(&first.trim())
}

/// Returns the ranges of a line that are passed through literally: between plus signs, and in pass
/// macros.
fn passed_ranges(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let bytes = line.as_bytes();
    // For each kind of sign, true once a search for its end has failed: a sign without an end
    // after one position has none after a later one. Otherwise each colon in
    // `pass:[pass:[pass:[…` would search the rest of the line for a bracket, which is quadratic
    // in its length.
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

/// Returns true if the colon at `at` belongs to `pass:a[…]` or a similar macro.
fn begins_macro(line: &str, at: usize) -> bool {
    let mut names = ["pass", "stem", "latexmath", "asciimath"].iter();
    let is_name = |c: char| c.is_ascii_lowercase() || c == ',';
    names.any(|name| line[..at].ends_with(name))
        && line[at + 1..].trim_start_matches(is_name).starts_with('[')
}

/// Returns the end of a range delimited by this sign on both sides.
fn fenced_end(line: &str, at: usize, sign: &str) -> Option<usize> {
    let inside = at + sign.len();
    let end = line.get(inside..)?.find(sign)?;
    (end > 0).then_some(inside + end + sign.len())
}

/// Returns true if a constrained `+…+` may begin at `at`.
fn begins_constrained(line: &str, at: usize) -> bool {
    !line[..at].ends_with(|c: char| is_word(c) || c == '\\')
        && line[at + 1..].starts_with(|c: char| !c.is_whitespace())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the end of a constrained range.
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

/// Returns true if a cross reference names an id of its own document: it has neither a path nor an
/// extension.
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
