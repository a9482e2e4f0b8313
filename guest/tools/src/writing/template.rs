//! Texts with placeholders for variables: `{{ name }}`. There are no filters, conditions and loops:
//! a caller that writes a file can compute its text, and an engine for them takes half a megabyte
//! (minijinja 2.24 without features: 484 KB).

use std::collections::{BTreeMap, BTreeSet};

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::TemplateVariable;
use docent_corpus::corpus::Corpus;
use docent_tree::disk::{Disk, Failure, Kind};
use docent_tree::door::{Consent, Denied, Extent, Stamps, Vetted};
use docent_tree::error::refuse;

use crate::limits::{TEMPLATE_BYTES, TEMPLATES_NAMED};

/// The directory of a root's own templates, from the root down.
const DIRECTORY: [&str; 2] = [".docent", "templates"];

/// Built-in templates, by their names.
const BUILT_IN: [(&str, &str); 4] = [
    ("note", include_str!("templates/note.md")),
    ("adr", include_str!("templates/adr.md")),
    ("daily", include_str!("templates/daily.md")),
    ("readme", include_str!("templates/readme.md")),
];

/// The variable with a default value: the day.
const DATE: &str = "date";

/// A text with placeholders for variables.
#[derive(Debug)]
pub struct Template {
    name: String,
    text: String,
}

/// A piece of a template.
#[derive(Debug, PartialEq, Eq)]
enum TemplatePiece<'t> {
    Text(&'t str),
    Variable(&'t str),
}

impl Template {
    /// Returns the template of this name: a file of the root with or without `.md`, else a built-in
    /// one.
    ///
    /// # Errors
    /// `document-not-found`, with the existing names; any error in reading the file.
    pub fn find<D: Disk>(corpus: &Corpus<D>, root: usize, name: &str) -> Result<Self, Error> {
        if name.contains(['/', '\\']) || name.starts_with('.') || name.is_empty() {
            return Err(refuse(
                ErrorCode::InvalidRequest,
                format!("`template` is `{name}`; expected a name, such as `note`, and no path"),
                "Templates are in `.docent/templates` of the root, or are built in.",
            ));
        }
        let failed = |denied| unreadable(name, denied);
        let directory = directory(corpus, root).map_err(failed)?;
        if let Some(directory) = &directory {
            // A template of the root takes precedence over a built-in one of the same name, and
            // a file without an extension over one with `.md`. A symbolic link counts as
            // absent, as everywhere: otherwise a link in a cloned repository could copy a file
            // from outside the root into a document.
            for file in [name.to_owned(), format!("{name}.md")] {
                match directory.read(&file, Extent::Whole(TEMPLATE_BYTES), Stamps::Unwanted) {
                    Ok(content) => return Self::from_bytes(name, content.bytes),
                    Err(denied) if is_absent(denied) => {}
                    Err(denied) => return Err(failed(denied)),
                }
            }
        }
        let built_in = BUILT_IN.into_iter().find(|(own, _)| *own == name);
        match built_in {
            Some((_, text)) => Ok(Self {
                name: name.to_owned(),
                text: text.to_owned(),
            }),
            None => Err(unknown_template(name, directory.as_ref())),
        }
    }

    fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, Error> {
        let text = String::from_utf8(bytes).map_err(|_| {
            refuse(
                ErrorCode::NotText,
                format!("the template `{name}` is not UTF-8; expected text in it"),
                "Ask the person to save it as UTF-8.",
            )
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        Ok(Self {
            name: name.to_owned(),
            text: text.to_owned(),
        })
    }

    /// Returns the text with each variable replaced by its value. `date` defaults to `day`.
    ///
    /// # Errors
    /// `invalid-request`, with all variables that are missing and those that the template does not
    /// have, or with the malformed placeholder.
    pub fn fill(&self, given: &[TemplateVariable], day: &str) -> Result<String, Error> {
        let pieces = self.pieces()?;
        let mut values: BTreeMap<&str, &str> = BTreeMap::new();
        for variable in given {
            if values.insert(&variable.name, &variable.value).is_some() {
                return Err(refuse(
                    ErrorCode::InvalidRequest,
                    format!(
                        "`variables` holds `{}` twice; expected it once",
                        variable.name
                    ),
                    "Leave one of them out.",
                ));
            }
        }
        let mut names = Vec::new();
        for piece in &pieces {
            if let TemplatePiece::Variable(name) = piece
                && !names.contains(name)
            {
                names.push(*name);
            }
        }
        let known: BTreeSet<&str> = names.iter().copied().collect();
        let unknown: Vec<&str> = values
            .keys()
            .copied()
            .filter(|name| !known.contains(name))
            .collect();
        values.entry(DATE).or_insert(day);
        let missing: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| !values.contains_key(name))
            .collect();
        if !missing.is_empty() || !unknown.is_empty() {
            return Err(self.unfit(&missing, &unknown, &names));
        }
        let value = |piece: &TemplatePiece<'_>| match piece {
            TemplatePiece::Text(text) => (*text).to_owned(),
            TemplatePiece::Variable(name) => values
                .get(name)
                .map_or(String::new(), |value| (*value).to_owned()),
        };
        Ok(pieces.iter().map(value).collect())
    }

    fn pieces(&self) -> Result<Vec<TemplatePiece<'_>>, Error> {
        let mut pieces = Vec::new();
        let mut rest = self.text.as_str();
        // `{%` is looked for as well as `{{`, although it is not supported. A template written
        // for another engine, such as `{% if draft %}`, is refused with its line. Copied
        // literally, it would look like a success and leave statements of a program in the
        // document.
        while let Some(at) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
            let (text, behind) = rest.split_at(at);
            let wrong = || self.no_variable(self.text.len() - behind.len(), behind);
            let (inside, after) = behind
                .strip_prefix("{{")
                .and_then(|inside| inside.split_once("}}"))
                .ok_or_else(wrong)?;
            let name = inside.trim();
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
            if name.is_empty() || !name.chars().all(is_name) {
                return Err(wrong());
            }
            pieces.extend([TemplatePiece::Text(text), TemplatePiece::Variable(name)]);
            rest = after;
        }
        pieces.push(TemplatePiece::Text(rest));
        Ok(pieces)
    }

    fn no_variable(&self, at: usize, from: &str) -> Error {
        let line = self.text[..at].matches('\n').count() + 1;
        let shown: String = from
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(40)
            .collect();
        refuse(
            ErrorCode::InvalidRequest,
            format!(
                "line {line} of the template `{}` has `{shown}`; expected a variable as \
                 `{{{{ name }}}}`",
                self.name
            ),
            "Templates hold names alone, without filters, conditions and loops: fix the \
             template, or send `content`.",
        )
    }

    fn unfit(&self, missing: &[&str], unknown: &[&str], names: &[&str]) -> Error {
        let mut wrong = Vec::new();
        if !missing.is_empty() {
            wrong.push(format!("lacks {}", join_names(missing)));
        }
        if !unknown.is_empty() {
            let own = &self.name;
            wrong.push(format!(
                "holds {}, which `{own}` does not have",
                join_names(unknown)
            ));
        }
        let expected = if names.is_empty() {
            "none".to_owned()
        } else {
            join_names(names)
        };
        refuse(
            ErrorCode::InvalidRequest,
            format!("`variables` {}; expected {expected}", wrong.join(" and ")),
            "Nothing was written. Send a value for each; an empty text leaves its place empty, and \
             `date` is today where it is left out.",
        )
    }
}

fn join_names(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Returns the directory of the root's own templates, if there is one.
fn directory<D: Disk>(
    corpus: &Corpus<D>,
    root: usize,
) -> Result<Option<Vetted<D::Directory>>, Denied> {
    let mut directory = Vetted::root(&corpus.disk, root, Consent::Withheld)?;
    for name in DIRECTORY {
        directory = match directory.directory(name) {
            Ok(below) => below,
            Err(denied) if is_absent(denied) => return Ok(None),
            Err(denied) => return Err(denied),
        };
    }
    Ok(Some(directory))
}

/// Returns true if no served entry exists: as everywhere, a symbolic link does not count.
fn is_absent(denied: Denied) -> bool {
    matches!(
        denied,
        Denied::Failed(
            Failure::NotFound | Failure::Symlink | Failure::WrongKind | Failure::MountPoint
        )
    )
}

fn unreadable(name: &str, denied: Denied) -> Error {
    let (code, what) = match denied {
        Denied::Sensitive => (ErrorCode::Sensitive, "is of a sensitive kind"),
        Denied::Failed(Failure::TooLarge) => (ErrorCode::DocumentTooLarge, "is too large"),
        Denied::Failed(_) => (ErrorCode::DocumentReadFailed, "could not be read"),
    };
    refuse(
        code,
        format!("the template `{name}` {what}; expected text of at most {TEMPLATE_BYTES} bytes"),
        "Nothing was written. Ask the person to look at `.docent/templates`, or send `content`.",
    )
}

fn unknown_template<T: docent_tree::disk::Directory>(
    name: &str,
    directory: Option<&Vetted<T>>,
) -> Error {
    let own = directory.and_then(|directory| directory.entries().ok());
    let files = own.into_iter().flat_map(|entries| entries.named);
    let files = files.filter(|entry| entry.kind == Kind::File);
    let mut names: Vec<String> = files
        .map(|entry| {
            entry
                .name
                .strip_suffix(".md")
                .unwrap_or(&entry.name)
                .to_owned()
        })
        .collect();
    names.sort();
    names.truncate(TEMPLATES_NAMED);
    names.extend(BUILT_IN.map(|(name, _)| name.to_owned()));
    names.sort();
    names.dedup();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    refuse(
        ErrorCode::DocumentNotFound,
        format!(
            "no template is called `{name}`; expected one of {}",
            join_names(&names)
        ),
        "Nothing was written. Send one of these, or `content` instead.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(text: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let template = Template {
            name: "t".to_owned(),
            text: text.to_owned(),
        };
        let variables: Vec<TemplateVariable> = variables
            .iter()
            .map(|(name, value)| TemplateVariable {
                name: (*name).to_owned(),
                value: (*value).to_owned(),
            })
            .collect();
        let filled = template.fill(&variables, "2026-01-02");
        filled.map_err(|error| error.message)
    }

    #[track_caller]
    fn gives(text: &str, variables: &[(&str, &str)], expected: &str) {
        assert_eq!(fill(text, variables), Ok(expected.to_owned()));
    }

    #[track_caller]
    fn refuses(text: &str, variables: &[(&str, &str)], expected: &str) {
        assert_eq!(fill(text, variables), Err(expected.to_owned()));
    }

    #[test]
    fn values_take_the_places_of_names() {
        gives(
            "# {{ a }}\n{{a}}-{{ b }}",
            &[("a", "x"), ("b", "")],
            "# x\nx-",
        );
        gives(
            "{{ 제목 }} {#id} { }} %}",
            &[("제목", "설정")],
            "설정 {#id} { }} %}",
        );
        gives("", &[], "");
        // Values are not expanded as templates.
        gives(
            "{{ a }}{{ b }}",
            &[("a", "{{ b }}"), ("b", "{% x")],
            "{{ b }}{% x",
        );
    }

    #[test]
    fn the_day_is_known() {
        gives("{{ date }}", &[], "2026-01-02");
        gives("{{ date }}", &[("date", "today")], "today");
        refuses(
            "",
            &[("date", "today")],
            "`variables` holds `date`, which `t` does not have; expected none",
        );
    }

    #[test]
    fn all_that_lack_are_named_at_once() {
        refuses(
            "{{ b }} {{ a }} {{ b }} {{ c }} {{ date }}",
            &[("c", "")],
            "`variables` lacks `b`, `a`; expected `b`, `a`, `c`, `date`",
        );
        refuses(
            "{{ title }}",
            &[("titel", "x"), ("x", "y")],
            "`variables` lacks `title` and holds `titel`, `x`, which `t` does not have; expected \
             `title`",
        );
        refuses(
            "{{ a }}",
            &[("a", "1"), ("a", "2")],
            "`variables` holds `a` twice; expected it once",
        );
    }

    #[test]
    fn what_is_no_variable_is_refused() {
        for (text, shown) in [
            ("a\n{{ b | upper }}", "{{ b | upper }}"),
            ("a\n{{ }}", "{{ }}"),
            ("a\n{{ b", "{{ b"),
            ("a\n{% if b %}\nc", "{% if b %}"),
        ] {
            let message = format!(
                "line 2 of the template `t` has `{shown}`; expected a variable as `{{{{ name }}}}`"
            );
            refuses(text, &[("b", "x")], &message);
        }
    }

    #[test]
    fn every_built_in_template_can_be_filled() {
        for (name, text) in BUILT_IN {
            let template = Template {
                name: name.to_owned(),
                text: text.to_owned(),
            };
            let pieces = template.pieces().unwrap();
            assert!(pieces.len() > 2, "{name}");
            assert!(text.starts_with("# ") && text.ends_with("}}\n"), "{name}");
        }
    }
}
