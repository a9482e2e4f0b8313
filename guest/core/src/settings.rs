//! Settings: what the person who runs docent configured, as environment-style variables.

/// What docent goes by beside the granted directories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Name of the root that is meant when a request names none; the first one where this is none
    /// or not granted. `DOCENT_DEFAULT_ROOT`.
    pub default_root: Option<String>,
    /// Gitignore patterns, relative to each root, of what is left out; later ones override earlier
    /// ones, and nothing in the tree overrides them. `DOCENT_EXCLUDE`, one on a line.
    pub exclude: Vec<String>,
    /// Names of the roots in which sensitive files may be opened for a caller that asks for it.
    /// `DOCENT_SENSITIVE_ROOTS`, one on a line.
    pub sensitive_roots: Vec<String>,
    /// Bytes of document text, names included, kept from call to call; 0 keeps nothing.
    /// `DOCENT_CACHE_BYTES`.
    pub cache_bytes: usize,
}

impl Settings {
    /// Returns the settings that the variables say, as `lookup` gives them. A variable that is
    /// absent or malformed means the default.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let trimmed = |name| lookup(name).map(|value| value.trim().to_owned());
        Self {
            default_root: trimmed("DOCENT_DEFAULT_ROOT").filter(|name| !name.is_empty()),
            exclude: lookup("DOCENT_EXCLUDE")
                .unwrap_or_default()
                .lines()
                .filter(|line| !line.trim().is_empty())
                .map(str::to_owned)
                .collect(),
            sensitive_roots: lookup("DOCENT_SENSITIVE_ROOTS")
                .unwrap_or_default()
                .lines()
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect(),
            cache_bytes: trimmed("DOCENT_CACHE_BYTES")
                .and_then(|bytes| bytes.parse().ok())
                .unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_from_variables() {
        let settings = Settings::from_lookup(|name| {
            match name {
                "DOCENT_DEFAULT_ROOT" => Some(" docs "),
                "DOCENT_EXCLUDE" => Some("drafts/\n\n*.log\n"),
                "DOCENT_SENSITIVE_ROOTS" => Some("a b\nc\n"),
                "DOCENT_CACHE_BYTES" => Some("1024"),
                _ => None,
            }
            .map(str::to_owned)
        });
        assert_eq!(settings.default_root.as_deref(), Some("docs"));
        assert_eq!(settings.exclude, ["drafts/", "*.log"]);
        assert_eq!(settings.sensitive_roots, ["a b", "c"]);
        assert_eq!(settings.cache_bytes, 1024);
    }

    #[test]
    fn malformed_is_the_default() {
        let settings = Settings::from_lookup(|_| Some("-".repeat(3)));
        assert_eq!(settings.cache_bytes, 0);
        assert_eq!(Settings::from_lookup(|_| None), Settings::default());
    }
}
