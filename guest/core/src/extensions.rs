//! Which files are documents: by their file name extension.

use docent_api::types::{Error, ErrorCode};

use crate::explore::kinds::{Kind, Kinds};
use crate::limits::{DOCUMENT_EXTENSIONS, EXTENSION_BYTES, EXTENSIONS};
use crate::refusal::refuse;

/// Which files are of interest, by name: those with one of some extensions, compared without regard
/// to ASCII case, those of some kinds, or all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extensions(Set);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Set {
    Named(Vec<String>),
    OfKinds(Kinds),
    All,
}

impl Default for Extensions {
    /// The extensions of documents.
    fn default() -> Self {
        Self(Set::Named(DOCUMENT_EXTENSIONS.map(str::to_owned).to_vec()))
    }
}

impl From<Kinds> for Extensions {
    fn from(kinds: Kinds) -> Self {
        Self(Set::OfKinds(kinds))
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
            let plain = extension.strip_prefix('.').unwrap_or(extension);
            let is_usable = (1..=EXTENSION_BYTES).contains(&plain.len())
                && !plain.contains(['/', '\\', '.', '*', '\0']);
            if !is_usable {
                return Err(invalid(format!(
                    "`extensions` holds `{extension}`; expected file name extensions such as `md`"
                )));
            }
            all.push(plain.to_ascii_lowercase());
        }
        all.sort_unstable();
        all.dedup();
        Ok(Self(Set::Named(all)))
    }

    /// Returns the set of all names.
    pub fn all() -> Self {
        Self(Set::All)
    }

    /// Whether a file of this name is of interest.
    pub fn has(&self, name: &str) -> bool {
        match &self.0 {
            Set::Named(all) => extension(name)
                .is_some_and(|extension| all.iter().any(|own| own.eq_ignore_ascii_case(extension))),
            Set::OfKinds(kinds) => kinds.has(Kind::of(name)),
            Set::All => true,
        }
    }

    /// Returns the extensions, in lower case, where it goes by these.
    pub fn as_slice(&self) -> &[String] {
        match &self.0 {
            Set::Named(all) => all,
            Set::OfKinds(_) | Set::All => &[],
        }
    }
}

/// Returns what follows the last dot of a name; none where there is none or nothing before it.
pub fn extension(name: &str) -> Option<&str> {
    let dot = name.bytes().rposition(|byte| byte == b'.')?;
    (dot > 0).then(|| &name[dot + 1..])
}

fn invalid(message: String) -> Error {
    refuse(
        ErrorCode::InvalidRequest,
        message,
        "Leave extensions out to search all documents, or name some without the dot.",
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
        for wrong in [&[][..], &[""], &["."], &["a/b"], &["*"], &["tar.gz"]] {
            assert!(named(wrong).is_err(), "{wrong:?}");
        }
    }
}
