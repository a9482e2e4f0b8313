//! Sets of file name extensions, which decide if a file is a document, or may be one.

use docent_api::types::{Error, ErrorCode};

use crate::limits::{EXTENSION_BYTES, EXTENSIONS};
use docent_code::Language;
use docent_data::DataFormat;
use docent_document::format::{self, Format, extension};
use docent_tree::error::refuse;

/// Returns true if the name of a file determines its kind: a document, code, or settings and data.
/// For any other file, the first bytes decide if it is text.
#[must_use]
pub fn is_of_known_kind(name: &str) -> bool {
    // The tests are in the order of their cost, because this runs for each file of a tree.
    Format::from_name(name).is_some()
        || Language::from_path(name).is_some()
        || DataFormat::from_name(name).is_some()
}

/// Returns true if the name of the file at a path determines its kind.
#[must_use]
pub fn is_path_of_known_kind(path: &str) -> bool {
    // The slash is searched for byte by byte: names are short, so that a vectorized search would
    // not pay off, and this runs for each document of a question.
    let slash = path.bytes().rposition(|byte| byte == b'/');
    is_of_known_kind(&path[slash.map_or(0, |slash| slash + 1)..])
}

/// A set of file name extensions, in lower case, compared case-insensitively in ASCII.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extensions {
    named: Vec<String>,
    /// True if files of unknown kinds are in the set as well.
    with_unknown: bool,
}

impl Default for Extensions {
    /// Returns the extensions of documents.
    fn default() -> Self {
        let documents = format::EXTENSIONS.map(|(extension, _)| extension.to_owned());
        Self {
            named: documents.to_vec(),
            with_unknown: false,
        }
    }
}

impl Extensions {
    /// Returns the set searched for text by default: documents, and files whose names do not
    /// determine their kind.
    #[must_use]
    pub fn searchable() -> Self {
        Self {
            with_unknown: true,
            ..Self::default()
        }
    }

    /// Parses the extensions of a request; the default is the set that is searched.
    ///
    /// # Errors
    /// `invalid-request` for an empty list, for too many, and for an invalid extension.
    pub fn parse(given: Option<&[String]>) -> Result<Self, Error> {
        let Some(given) = given else {
            return Ok(Self::searchable());
        };
        if given.is_empty() || given.len() > EXTENSIONS {
            return Err(invalid(format!(
                "`extensions` has {} entries; expected 1 to {EXTENSIONS}",
                given.len()
            )));
        }
        let mut all = Vec::with_capacity(given.len());
        for extension in given {
            // Both `.md` and `md` are accepted, because people and models write either.
            let plain = extension.strip_prefix('.').unwrap_or(extension);
            let is_usable = (1..=EXTENSION_BYTES).contains(&plain.len())
                // `tar.gz` is refused: an extension begins after the last dot of a name, so that no
                // file would have this one. `md,txt` is two extensions and would match nothing as
                // one. A caller that gets no results could not tell such a mistake from an empty
                // tree.
                && !plain.contains(['/', '\\', '.', '*', '\0', ',', ';']);
            if !is_usable {
                return Err(invalid(format!(
                    "`extensions` holds `{extension}`; expected file name extensions such as `md`"
                )));
            }
            all.push(plain.to_ascii_lowercase());
        }
        // The extensions are sorted, so that equal sets have one form. A cursor is only valid for
        // the request that issued it, and `["md", "txt"]` asks for the same files as `["txt",
        // "md"]`.
        all.sort_unstable();
        all.dedup();
        Ok(Self {
            named: all,
            with_unknown: false,
        })
    }

    /// Returns true if a file of this name is in the set.
    pub fn has(&self, name: &str) -> bool {
        let is_named = |extension| {
            let mut named = self.named.iter();
            named.any(|own| own.eq_ignore_ascii_case(extension))
        };
        extension(name).is_some_and(is_named) || (self.with_unknown && !is_of_known_kind(name))
    }

    /// Returns true if a request named the extensions.
    pub fn is_explicit(&self) -> bool {
        !self.with_unknown
    }

    /// Returns the extensions; files of unknown kinds are not represented.
    pub fn as_slice(&self) -> &[String] {
        &self.named
    }
}

fn invalid(message: String) -> Error {
    refuse(
        ErrorCode::InvalidRequest,
        message,
        "Leave extensions out to search all documents, or name some without the dot, each as an \
         entry of its own.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_without_case() {
        let documents = Extensions::default();
        for name in ["a.md", "A.MD", "x.y.Txt", "a b.adoc"] {
            assert!(documents.has(name), "{name}");
        }
        for name in ["md", ".md", "a.mdd", "a.md.bak", "a."] {
            assert!(!documents.has(name), "{name}");
        }
    }

    #[test]
    fn files_of_unknown_kinds_are_searched() {
        let searched = Extensions::searchable();
        for name in ["README", "a.html", "prod.env", "a.md", "a.png", ".x"] {
            assert!(searched.has(name), "{name}");
        }
        for name in ["a.rs", "Makefile", "a.json", "package.json"] {
            assert!(!searched.has(name), "{name}");
        }
    }

    #[test]
    fn named_by_a_request() {
        let named = |names: &[&str]| {
            Extensions::parse(Some(
                &names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>(),
            ))
        };
        let set = named(&[".RS", "md", "rs"]);
        assert_eq!(
            set.as_ref().map(Extensions::as_slice),
            Ok(&["md".to_owned(), "rs".to_owned()][..])
        );
        for wrong in [
            &[][..],
            &[""],
            &["."],
            &["a/b"],
            &["*"],
            &["tar.gz"],
            &["md,txt"],
        ] {
            assert!(named(wrong).is_err(), "{wrong:?}");
        }
    }
}
