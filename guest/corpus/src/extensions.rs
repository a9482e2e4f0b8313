//! Which files are documents: by their file name extension.

use docent_api::types::{Error, ErrorCode};

use crate::limits::{EXTENSION_BYTES, EXTENSIONS};
use docent_document::format::{self, extension};
use docent_tree::error::refuse;

/// File name extensions, in lower case, compared without regard to ASCII case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extensions(Vec<String>);

impl Default for Extensions {
    /// The extensions of documents.
    fn default() -> Self {
        let documents = format::EXTENSIONS.map(|(extension, _)| extension.to_owned());
        Self(documents.to_vec())
    }
}

impl Extensions {
    /// Returns the set that a request means: the extensions of documents when it names none.
    ///
    /// # Errors
    /// `invalid-request` for an empty list, too many, and what cannot be an extension.
    pub fn parse(given: Option<&[String]>) -> Result<Self, Error> {
        let Some(given) = given else {
            return Ok(Self::default());
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
        Ok(Self(all))
    }

    /// Whether a file of this name has one of them.
    pub fn has(&self, name: &str) -> bool {
        extension(name)
            .is_some_and(|extension| self.0.iter().any(|own| own.eq_ignore_ascii_case(extension)))
    }

    /// Returns them.
    pub fn as_slice(&self) -> &[String] {
        &self.0
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
