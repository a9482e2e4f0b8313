//! Resolution of the address of a part to its span in a text.

use std::ops::Range;

use docent_api::types::{Error, ErrorCode};
use docent_code::{Language, Outline, outline_while};
use docent_data::{DataFormat, DataKind, OwnedEntry, keys};

use crate::lexical::similarity::nearest;
use crate::limits::{HINTED_PARTS, NEAREST_HEADINGS};
use crate::part::asked_path::PartAddress;
use crate::part::lines::{AskedLines, LineNumbers};
use crate::part::symbols::{Definitions, PartDefinition};
use docent_document::addresses::find;
use docent_document::format::{Format, is_notebook_name};
use docent_document::headings::heading::one_line;
use docent_document::notebook::{cell_number, cell_span};
use docent_document::sections::{Section, sections, slug, with_subsections};
use docent_text::time_budget::TimeBudget;
use docent_tree::error::refuse;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPart {
    /// Kind of the part.
    pub kind: PartKind,
    /// Byte range of the part; whole lines.
    pub span: Range<usize>,
    /// The headings above a section and its own, or the names of the enclosing definitions and its
    /// own, outermost first; for lines, the names that enclose all of them.
    pub names: Vec<String>,
}

/// Kind of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Lines.
    Lines,
    /// The section with this id, including its subsections.
    Section(String),
    /// A definition in code, with its comment and body.
    Definition,
}

/// A text in which a part is looked up, with the names used in errors.
struct PartSource<'a> {
    path: &'a str,
    name: &'a str,
    text: &'a str,
    address: &'a PartAddress,
}

/// Resolves `address` in the text of the file at `path` with the name `name`. A range of lines is
/// clipped to the lines that exist.
///
/// # Errors
/// `invalid-request` for invalid lines or lines after the end, and for an ambiguous name;
/// `document-not-found` for a name that does not exist, with the nearest names in the hint;
/// `limit-reached` if the time is over before the definitions are known.
pub fn resolve(
    path: &str,
    name: &str,
    text: &str,
    address: &PartAddress,
    time_budget: &mut TimeBudget<'_>,
) -> Result<FoundPart, Error> {
    let source = PartSource {
        path,
        name,
        text,
        address,
    };
    match address {
        PartAddress::Lines(written) => source.lines(written, time_budget),
        PartAddress::Name(wanted) if is_notebook_name(name) && cell_number(wanted).is_some() => {
            source.cell(wanted, time_budget)
        }
        PartAddress::Name(wanted) if Format::from_content(name, text).is_some() => {
            source.section(&sections(name, text), wanted, time_budget)
        }
        PartAddress::Name(wanted) if DataFormat::from_name(name).is_some() => {
            source.setting(wanted, time_budget)
        }
        PartAddress::Name(wanted) => {
            let outline =
                Language::from_path(name).map(|language| source.outline(language, time_budget));
            if let Some(None) = outline {
                return Err(source.too_late());
            }
            source.definition(outline.flatten().as_ref(), wanted, time_budget)
        }
    }
}

impl PartSource<'_> {
    /// Returns the outline of the text, or `None` if there is no time for it.
    fn outline(&self, language: Language, time_budget: &mut TimeBudget<'_>) -> Option<Outline> {
        outline_while(language, self.text, |bytes| {
            !time_budget.is_over_after(bytes)
        })
    }

    fn too_late(&self) -> Error {
        refuse(
            ErrorCode::LimitReached,
            format!(
                "the time ran out before `{}{}` was found; expected more of it",
                self.path, self.address
            ),
            format!(
                "Raise limits.timeoutMs, or name lines, as in `{}:10-40`.",
                self.path
            ),
        )
    }

    fn lines(&self, written: &str, time_budget: &mut TimeBudget<'_>) -> Result<FoundPart, Error> {
        let Some(lines) = AskedLines::parse(written) else {
            return Err(refuse(
                ErrorCode::InvalidRequest,
                format!(
                    "`{}:{written}` names no lines; expected `:10-40`, `:10-`, `:10` or `:-50` \
                     after the path",
                    self.path
                ),
                "Lines count from 1, and both ends are included.",
            ));
        };
        self.resolve_lines(lines, time_budget)
    }

    fn resolve_lines(
        &self,
        lines: AskedLines,
        time_budget: &mut TimeBudget<'_>,
    ) -> Result<FoundPart, Error> {
        let span = lines.span(self.text).map_err(|(_, count)| {
            refuse(
                ErrorCode::InvalidRequest,
                format!(
                    "`{}{}` begins after the end; expected at most line {count}, the last",
                    self.path, self.address
                ),
                "Ask for lines that the file has.",
            )
        })?;
        let names = self.around(&span, time_budget);
        Ok(FoundPart {
            kind: PartKind::Lines,
            span,
            names,
        })
    }

    /// Returns the names that enclose all of some lines, if there is time to find out.
    fn around(&self, span: &Range<usize>, time_budget: &mut TimeBudget<'_>) -> Vec<String> {
        let Some(numbers) = LineNumbers::from_span(self.text, span) else {
            return Vec::new();
        };
        if Format::from_name(self.name).is_some() {
            let all = sections(self.name, self.text);
            let holds = |section: &&Section| {
                section.span.start <= span.start && span.end <= section.span.end
            };
            return all
                .iter()
                .find(holds)
                .map_or_else(Vec::new, |section| section.path.clone());
        }
        let Some(language) = Language::from_path(self.name) else {
            return Vec::new();
        };
        // Blocks of plain text have no names.
        if language == Language::Other {
            return Vec::new();
        }
        let Some(outline) = self.outline(language, time_budget) else {
            return Vec::new();
        };
        let chain = outline.find_enclosing(numbers.first).into_iter();
        let chain = chain.take_while(|symbol| symbol.lines.contains(numbers.last));
        chain.map(|symbol| symbol.name.clone()).collect()
    }

    fn section(
        &self,
        all: &[Section],
        wanted: &str,
        time_budget: &mut TimeBudget<'_>,
    ) -> Result<FoundPart, Error> {
        let mut found = find(all, wanted);
        if found.is_empty()
            && let Some(plain) = decode_percent(wanted)
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
                .by_line_link(wanted, time_budget)
                .unwrap_or_else(|| Err(self.no_section(all, wanted))),
            ref several => {
                let named = several.iter().take(HINTED_PARTS).map(|&index| {
                    let lines = LineNumbers::from_span(self.text, &with_subsections(all, index));
                    (lines, headings(&all[index]))
                });
                Err(self.several("sections", several.len(), named))
            }
        }
    }

    /// Returns a cell of a notebook by its number, with its outputs.
    fn cell(&self, wanted: &str, time_budget: &mut TimeBudget<'_>) -> Result<FoundPart, Error> {
        let found = cell_number(wanted).and_then(|number| cell_span(self.text, number));
        let Some(span) = found else {
            return Err(refuse(
                ErrorCode::DocumentNotFound,
                format!(
                    "`{}` has no cell `{wanted}` with a text; expected one such as `cell=1`",
                    self.path
                ),
                "Cells are counted from 1, and empty ones are not shown.",
            ));
        };
        let mut names = self.around(&span, time_budget);
        names.push(wanted.to_owned());
        Ok(FoundPart {
            kind: PartKind::Section(wanted.to_owned()),
            span,
            names,
        })
    }

    fn definition(
        &self,
        outline: Option<&Outline>,
        wanted: &str,
        time_budget: &mut TimeBudget<'_>,
    ) -> Result<FoundPart, Error> {
        let all = outline.map(|outline| Definitions::new(&outline.symbols));
        let all = all.unwrap_or_default();
        let found = all.find(wanted);
        match found[..] {
            [first] => Ok(self.found_definition(&all, first, first)),
            // The variants of a function are requested together: its overloads, the getter and
            // setter of a property, or one definition per platform. They are returned as one
            // span if nothing else is between them.
            [first, .., last] if all.are_variants(&found) => {
                Ok(self.found_definition(&all, first, last))
            }
            [] => self
                .by_line_link(wanted, time_budget)
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

    /// Returns the span from one definition to the end of another with the same name.
    fn found_definition(
        &self,
        all: &Definitions<'_>,
        first: PartDefinition<'_>,
        last: PartDefinition<'_>,
    ) -> FoundPart {
        let lines = LineNumbers {
            first: first.symbol.lines.first,
            last: last.symbol.lines.last,
        };
        // An outline has no lines beyond those of the text.
        let end = self.text.len();
        FoundPart {
            kind: PartKind::Definition,
            span: lines.span(self.text).unwrap_or(end..end),
            names: all.names(first),
        }
    }

    /// Returns the setting of these keys with all settings below it.
    fn setting(&self, wanted: &str, time_budget: &mut TimeBudget<'_>) -> Result<FoundPart, Error> {
        let format = DataFormat::from_name(self.name);
        let mut keys = format.map_or_else(Vec::new, |format| keys(format, self.text));
        keys.retain(|key| key.kind != DataKind::Text && !key.path.is_empty());
        // Several entries in a row may have one path, such as the lines of a recipe in a
        // Makefile. The first of them represents the others.
        let found: Vec<usize> = (0..keys.len())
            .filter(|&at| keys[at].path == wanted && (at == 0 || keys[at - 1].path != wanted))
            .collect();
        match found[..] {
            [at] => {
                let numbers = with_keys_below(&keys, at);
                let span = numbers.span(self.text);
                Ok(FoundPart {
                    kind: PartKind::Lines,
                    // Entries have no lines beyond those of the text.
                    span: span.unwrap_or(self.text.len()..self.text.len()),
                    names: vec![keys[at].path.clone()],
                })
            }
            [] => self.by_line_link(wanted, time_budget).unwrap_or_else(|| {
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

    /// Returns the lines of a name in the form used by links of code hosting sites: `L10-L20`.
    fn by_line_link(
        &self,
        wanted: &str,
        time_budget: &mut TimeBudget<'_>,
    ) -> Option<Result<FoundPart, Error>> {
        let is_link = wanted.starts_with('L');
        let numbers = LineNumbers::parse(&wanted.replace('L', "")).filter(|_| is_link)?;
        Some(self.resolve_lines(AskedLines::Numbered(numbers), time_budget))
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
        // Only the last heading is compared; those above it are often correct.
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

/// Returns the lines of an entry and of all entries below its keys.
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

/// Returns the headings on the path to a section, in the form of an address.
fn headings(section: &Section) -> String {
    one_line(&section.path.join(" > "))
}

fn numbers_of(definition: PartDefinition<'_>) -> LineNumbers {
    let lines = definition.symbol.lines;
    LineNumbers {
        first: lines.first,
        last: lines.last,
    }
}

/// Returns a text with percent-encoding such as `%20` decoded, as in links; `None` if it contains
/// none, or if the result is not UTF-8.
fn decode_percent(text: &str) -> Option<String> {
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
