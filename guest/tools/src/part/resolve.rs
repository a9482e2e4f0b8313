//! From the address of a part to where it stands in a text.

use std::ops::Range;

use docent_api::types::{Error, ErrorCode};
use docent_code::{Language, Outline, outline_while};
use docent_data::{DataFormat, Kind, OwnedEntry, keys};

use crate::limits::{HINTED_PARTS, NEAREST_HEADINGS};
use crate::part::PartAddress;
use crate::part::lines::{AskedLines, LineNumbers};
use crate::part::nearest::nearest;
use crate::part::symbols::{Definition, Definitions};
use docent_document::addresses::find;
use docent_document::format::Format;
use docent_document::headings::heading::one_line;
use docent_document::sections::{Section, sections, slug, with_subsections};
use docent_text::patience::Pace;
use docent_tree::error::refuse;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPart {
    /// What it is.
    pub kind: PartKind,
    /// Where it stands, in bytes; whole lines.
    pub span: Range<usize>,
    /// The headings above it and its own, or the names of the definitions round it and its own,
    /// outermost first; of lines what all of them stand in.
    pub names: Vec<String>,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Lines.
    Lines,
    /// The section with this id, and all that stands below its heading.
    Section(String),
    /// A definition in code, with its comment and body.
    Definition,
}

/// A text in which a part is looked for, with what its errors tell of it.
struct PartSource<'a> {
    path: &'a str,
    name: &'a str,
    text: &'a str,
    address: &'a PartAddress,
}

/// Returns the part of the text of the file at `path`, called `name`, that `address` means. Of a
/// range of lines those are taken that there are.
///
/// # Errors
/// `invalid-request` for lines that are none or behind the end, and for a name that several parts
/// share; `document-not-found` for a name that is not there, with the nearest in the hint;
/// `limit-reached` where the time is over before definitions are known.
pub fn resolve(
    path: &str,
    name: &str,
    text: &str,
    address: &PartAddress,
    pace: &mut Pace<'_>,
) -> Result<FoundPart, Error> {
    let source = PartSource {
        path,
        name,
        text,
        address,
    };
    match address {
        PartAddress::Lines(written) => source.lines(written, pace),
        PartAddress::Name(wanted) if Format::of(name).is_some() => {
            source.section(&sections(name, text), wanted, pace)
        }
        PartAddress::Name(wanted) if DataFormat::of(name).is_some() => source.setting(wanted, pace),
        PartAddress::Name(wanted) => {
            let outline = Language::of_path(name).map(|language| source.outline(language, pace));
            if let Some(None) = outline {
                return Err(source.too_late());
            }
            source.definition(outline.flatten().as_ref(), wanted, pace)
        }
    }
}

impl PartSource<'_> {
    /// Returns the outline of the text; none where there is no time for it.
    fn outline(&self, language: Language, pace: &mut Pace<'_>) -> Option<Outline> {
        outline_while(language, self.text, |bytes| !pace.is_over_after(bytes))
    }

    fn too_late(&self) -> Error {
        refuse(
            ErrorCode::LimitReached,
            format!(
                "the time was over before `{}{}` was found; expected more of it",
                self.path, self.address
            ),
            format!(
                "Raise limits.timeoutMs, or name lines, as in `{}:10-40`.",
                self.path
            ),
        )
    }

    fn lines(&self, written: &str, pace: &mut Pace<'_>) -> Result<FoundPart, Error> {
        let Some(lines) = AskedLines::parse(written) else {
            return Err(refuse(
                ErrorCode::InvalidRequest,
                format!(
                    "`{}:{written}` names no lines; expected `:10-40`, `:10-`, `:10` or `:-50` \
                     behind the path",
                    self.path
                ),
                "Lines count from 1, and both ends are included.",
            ));
        };
        self.asked(lines, pace)
    }

    fn asked(&self, lines: AskedLines, pace: &mut Pace<'_>) -> Result<FoundPart, Error> {
        let span = lines.span(self.text).map_err(|(_, count)| {
            refuse(
                ErrorCode::InvalidRequest,
                format!(
                    "`{}{}` begins behind the end; expected at most line {count}, the last",
                    self.path, self.address
                ),
                "Ask for lines that the file has.",
            )
        })?;
        let names = self.around(&span, pace);
        Ok(FoundPart {
            kind: PartKind::Lines,
            span,
            names,
        })
    }

    /// Returns the names of what all of some lines stand in, where there is time to tell.
    fn around(&self, span: &Range<usize>, pace: &mut Pace<'_>) -> Vec<String> {
        let Some(numbers) = LineNumbers::of(self.text, span) else {
            return Vec::new();
        };
        if Format::of(self.name).is_some() {
            let all = sections(self.name, self.text);
            let holds = |section: &&Section| {
                section.span.start <= span.start && span.end <= section.span.end
            };
            return all
                .iter()
                .find(holds)
                .map_or_else(Vec::new, |section| section.path.clone());
        }
        let Some(language) = Language::of_path(self.name) else {
            return Vec::new();
        };
        // Blocks of text have no names.
        if language == Language::Other {
            return Vec::new();
        }
        let Some(outline) = self.outline(language, pace) else {
            return Vec::new();
        };
        let chain = outline.enclosing(numbers.first).into_iter();
        let chain = chain.take_while(|symbol| symbol.lines.contains(numbers.last));
        chain.map(|symbol| symbol.name.clone()).collect()
    }

    fn section(
        &self,
        all: &[Section],
        wanted: &str,
        pace: &mut Pace<'_>,
    ) -> Result<FoundPart, Error> {
        let mut found = find(all, wanted);
        if found.is_empty()
            && let Some(plain) = percent_decoded(wanted)
        {
            found = find(all, &plain);
        }
        match found[..] {
            [index] => Ok(FoundPart {
                kind: PartKind::Section(all[index].id.clone()),
                span: with_subsections(all, index),
                names: all[index].path.clone(),
            }),
            [] => self
                .by_line_link(wanted, pace)
                .unwrap_or_else(|| Err(self.no_section(all, wanted))),
            ref several => {
                let named = several.iter().take(HINTED_PARTS).map(|&index| {
                    let lines = LineNumbers::of(self.text, &with_subsections(all, index));
                    (lines, headings(&all[index]))
                });
                Err(self.several("sections", several.len(), named))
            }
        }
    }

    fn definition(
        &self,
        outline: Option<&Outline>,
        wanted: &str,
        pace: &mut Pace<'_>,
    ) -> Result<FoundPart, Error> {
        let all = outline.map(|outline| Definitions::of(&outline.symbols));
        let all = all.unwrap_or_default();
        let found = all.find(wanted);
        match found[..] {
            [first] => Ok(self.found_definition(&all, first, first)),
            // Who asks for a function wants all forms of it.
            [first, .., last] if all.are_variants(&found) => {
                Ok(self.found_definition(&all, first, last))
            }
            [] => self
                .by_line_link(wanted, pace)
                .unwrap_or_else(|| Err(self.no_definition(&all, wanted))),
            ref several => {
                let named = several
                    .iter()
                    .take(HINTED_PARTS)
                    .map(|&definition| (Some(numbers_of(definition)), all.description(definition)));
                Err(self.several("definitions", several.len(), named))
            }
        }
    }

    /// Returns what stands from one definition to the end of another one of its name.
    fn found_definition(
        &self,
        all: &Definitions<'_>,
        first: Definition<'_>,
        last: Definition<'_>,
    ) -> FoundPart {
        let lines = LineNumbers {
            first: first.symbol.lines.first,
            last: last.symbol.lines.last,
        };
        // An outline has no lines that the text has not.
        let end = self.text.len();
        FoundPart {
            kind: PartKind::Definition,
            span: lines.span(self.text).unwrap_or(end..end),
            names: all.names(first),
        }
    }

    /// Returns the setting of these keys with all that stands below them.
    fn setting(&self, wanted: &str, pace: &mut Pace<'_>) -> Result<FoundPart, Error> {
        let format = DataFormat::of(self.name);
        let mut keys = format.map_or_else(Vec::new, |format| keys(format, self.text));
        keys.retain(|key| key.kind != Kind::Text && !key.path.is_empty());
        // Of a list of entries of one path, as several lines of a recipe are, the first stands for
        // all that follow it.
        let found: Vec<usize> = (0..keys.len())
            .filter(|&at| keys[at].path == wanted && (at == 0 || keys[at - 1].path != wanted))
            .collect();
        match found[..] {
            [at] => {
                let numbers = with_keys_below(&keys, at);
                let span = numbers.span(self.text);
                Ok(FoundPart {
                    kind: PartKind::Lines,
                    // Entries have no lines that the text has not.
                    span: span.unwrap_or(self.text.len()..self.text.len()),
                    names: vec![keys[at].path.clone()],
                })
            }
            [] => self.by_line_link(wanted, pace).unwrap_or_else(|| {
                let paths = keys.iter().map(|key| key.path.as_str());
                let nearest = nearest(wanted, paths, NEAREST_HEADINGS).into_iter();
                Err(self.not_there("keys", nearest.map(|at| keys[at].path.clone())))
            }),
            ref several => {
                let named = several
                    .iter()
                    .take(HINTED_PARTS)
                    .map(|&at| (Some(with_keys_below(&keys, at)), keys[at].path.clone()));
                Err(self.several("settings", several.len(), named))
            }
        }
    }

    /// Returns the lines that a name stands for as sites for code link to them: `L10-L20`.
    fn by_line_link(&self, wanted: &str, pace: &mut Pace<'_>) -> Option<Result<FoundPart, Error>> {
        let is_link = wanted.starts_with('L');
        let numbers = LineNumbers::parse(&wanted.replace('L', "")).filter(|_| is_link)?;
        Some(self.asked(AskedLines::Numbered(numbers), pace))
    }

    fn several(
        &self,
        what: &str,
        count: usize,
        named: impl Iterator<Item = (Option<LineNumbers>, String)>,
    ) -> Error {
        let named: Vec<String> = named
            .map(|(lines, name)| {
                let (first, last) = lines.map_or((0, 0), |lines| (lines.first, lines.last));
                format!("`{}:{first}-{last}` ({name})", self.path)
            })
            .collect();
        let more = match count - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        refuse(
            ErrorCode::InvalidRequest,
            format!(
                "`{}{}` names {count} {what}; expected one of them",
                self.path, self.address
            ),
            format!("They are {}{more}.", named.join(", ")),
        )
    }

    fn no_section(&self, all: &[Section], wanted: &str) -> Error {
        let all: Vec<&Section> = all.iter().filter(|section| section.level > 0).collect();
        // The heading itself; those above it are often right.
        let last = wanted.rsplit(['>', '/']).next().unwrap_or(wanted);
        let ids = all.iter().map(|section| section.id.as_str());
        let nearest = nearest(&slug(last.trim()), ids, NEAREST_HEADINGS);
        let named = nearest.into_iter().map(|index| headings(all[index]));
        self.not_there("headings", named)
    }

    fn no_definition(&self, all: &Definitions<'_>, wanted: &str) -> Error {
        self.not_there("definitions", all.nearest(wanted, NEAREST_HEADINGS))
    }

    fn not_there(&self, what: &str, nearest: impl Iterator<Item = String>) -> Error {
        let named: Vec<String> = nearest.map(|name| format!("`{name}`")).collect();
        refuse(
            ErrorCode::DocumentNotFound,
            format!(
                "`{}{}` is not there; expected one of the file's {what}, or lines",
                self.path, self.address
            ),
            if named.is_empty() {
                format!(
                    "The file has no {what}; name lines, as in `{}:10-40`.",
                    self.path
                )
            } else {
                format!("The nearest names are {}.", named.join(", "))
            },
        )
    }
}

/// Returns the lines of an entry and of all that its keys lead to.
fn with_keys_below(keys: &[OwnedEntry], at: usize) -> LineNumbers {
    let path = keys[at].path.as_str();
    let is_below = |key: &&OwnedEntry| {
        let rest = key.path.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', ':']))
    };
    let below = keys[at..].iter().take_while(is_below);
    LineNumbers {
        first: keys[at].lines.first,
        last: below
            .map(|key| key.lines.last)
            .max()
            .unwrap_or(keys[at].lines.last),
    }
}

/// Returns the headings that lead to a section, as an address takes them.
fn headings(section: &Section) -> String {
    one_line(&section.path.join(" > "))
}

fn numbers_of(definition: Definition<'_>) -> LineNumbers {
    let lines = definition.symbol.lines;
    LineNumbers {
        first: lines.first,
        last: lines.last,
    }
}

/// Returns a text with its `%20` as the bytes that they stand for, as links write it; none where
/// there are none, or where that is no text.
fn percent_decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    let mut is_changed = false;
    for part in parts {
        let hex = part
            .get(..2)
            .filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())?;
        bytes.push(byte);
        bytes.extend_from_slice(part.get(2..)?.as_bytes());
        is_changed = true;
    }
    is_changed.then(|| String::from_utf8(bytes).ok()).flatten()
}

#[cfg(test)]
mod tests;
