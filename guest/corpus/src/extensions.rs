//! Which files are documents, by their file name extension, and which may be for all that their
//! names tell.

use docent_api::types::{Error, ErrorCode};

use crate::limits::{EXTENSION_BYTES, EXTENSIONS};
use docent_code::Language;
use docent_data::DataFormat;
use docent_document::format::{self, Format, extension};
use docent_tree::error::refuse;

/// Returns whether a file's name tells what it is: a document, code, or settings and data. Of any
/// other its first bytes tell whether it is text.
#[must_use]
pub fn is_of_known_kind(name: &str) -> bool {
    // The dearest last: this is asked of each file of a tree.
    Format::of(name).is_some()
        || Language::of_path(name).is_some()
        || DataFormat::of(name).is_some()
}

/// Returns whether the name of the file at a path tells what it is.
#[must_use]
pub fn is_path_of_known_kind(path: &str) -> bool {
    // Byte by byte: names are short, and this is asked of each document of a question.
    let slash = path.bytes().rposition(|byte| byte == b'/');
    is_of_known_kind(&path[slash.map_or(0, |slash| slash + 1)..])
}

/// File name extensions, in lower case, compared without regard to ASCII case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extensions {
    named: Vec<String>,
    /// True if files of no known kind are among those that have one of them.
    with_unknown: bool,
}

impl Default for Extensions {
    /// The extensions of documents.
    fn default() -> Self {
        let documents = format::EXTENSIONS.map(|(extension, _)| extension.to_owned());
        Self {
            named: documents.to_vec(),
            with_unknown: false,
        }
    }
}

impl Extensions {
    /// Returns the extensions of what is searched for text where none are named: of documents, and
    /// of files whose names do not tell what they are.
    #[must_use]
    pub fn searched() -> Self {
        Self {
            with_unknown: true,
            ..Self::default()
        }
    }

    /// Returns the set that a request means: what is searched when it names none.
    ///
    /// # Errors
    /// `invalid-request` for an empty list, too many, and what cannot be an extension.
    pub fn parse(given: Option<&[String]>) -> Result<Self, Error> {
        let Some(given) = given else {
            return Ok(Self::searched());
        };
        if given.is_empty() || given.len() > EXTENSIONS {
            return Err(invalid(format!(
                "`extensions` has {} entries; expected 1 to {EXTENSIONS}",
                given.len()
            )));
        }
        let mut all = Vec::with_capacity(given.len());
        for extension in given {
            // People and models write `.md` as often as `md`.
            let plain = extension.strip_prefix('.').unwrap_or(extension);
            let is_usable = (1..=EXTENSION_BYTES).contains(&plain.len())
                // `tar.gz` is none: what a name ends with begins behind its last dot.
                // `md,txt` is two of them, and would be found nowhere as one.
                && !plain.contains(['/', '\\', '.', '*', '\0', ',', ';']);
            if !is_usable {
                return Err(invalid(format!(
                    "`extensions` holds `{extension}`; expected file name extensions such as `md`"
                )));
            }
            all.push(plain.to_ascii_lowercase());
        }
        // One form for one set: a cursor belongs to the same request however it lists them.
        all.sort_unstable();
        all.dedup();
        Ok(Self {
            named: all,
            with_unknown: false,
        })
    }

    /// Whether a file of this name has one of them.
    pub fn has(&self, name: &str) -> bool {
        let is_named = |extension| {
            let mut named = self.named.iter();
            named.any(|own| own.eq_ignore_ascii_case(extension))
        };
        extension(name).is_some_and(is_named) || (self.with_unknown && !is_of_known_kind(name))
    }

    /// Returns whether a request has named them.
    pub fn are_named(&self) -> bool {
        !self.with_unknown
    }

    /// Returns them, without what is of no known kind.
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
    fn what_names_do_not_tell_is_searched() {
        let searched = Extensions::searched();
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
