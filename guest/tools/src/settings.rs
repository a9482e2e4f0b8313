//! Settings of the person who runs docent, as environment-style variables.

use docent_corpus::limits::{READING_MS, READING_SHARE};
use docent_text::time::UtcOffset;
use docent_tree::ignore::excluded::OuterIgnoreFile;

/// Configuration of docent, in addition to the granted directories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSettings {
    /// Name of the root used when a request names none; the first root is used if this is `None` or
    /// not granted. `DOCENT_DEFAULT_ROOT`.
    pub default_root: Option<String>,
    /// Gitignore patterns of excluded paths, relative to each root; later ones override earlier
    /// ones, and nothing in the tree overrides them. `DOCENT_EXCLUDE`, one per line.
    pub exclude: Vec<String>,
    /// The ignore files above the roots, with the nearest to a root last. `DOCENT_IGNORE_ABOVE`, a
    /// JSON list of objects with `root`, `below` and `text`.
    pub ignore_above: Vec<OuterIgnoreFile>,
    /// Names of the roots in which sensitive files may be opened at a caller's request.
    /// `DOCENT_SENSITIVE_ROOTS`, one per line.
    pub sensitive_roots: Vec<String>,
    /// Maximum bytes of cached document text, including names, between calls; 0 disables the cache.
    /// `DOCENT_CACHE_BYTES`.
    pub cache_bytes: usize,
    /// Milliseconds after which the host ends a call, or `None` if it does not say.
    /// `DOCENT_TIMEOUT_MS`.
    pub call_ms: Option<u64>,
    /// UTC offset of the host's local time, or `None` if it does not say. `DOCENT_UTC_OFFSET`.
    pub utc_offset: Option<UtcOffset>,
}

impl ToolSettings {
    /// Returns the settings of the variables, whose values `lookup` returns. An absent or malformed
    /// variable means the default.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let trimmed = |name| lookup(name).map(|value| value.trim().to_owned());
        Self {
            default_root: trimmed("DOCENT_DEFAULT_ROOT").filter(|name| !name.is_empty()),
            exclude: lookup("DOCENT_EXCLUDE")
                .unwrap_or_default()
                .lines()
                .filter(|line| !line.trim().is_empty())
                // Spaces are kept: `a\ ` is a pattern that ends in one.
                .map(str::to_owned)
                .collect(),
            ignore_above: lookup("DOCENT_IGNORE_ABOVE")
                .and_then(|list| files_above(&list))
                .unwrap_or_default(),
            sensitive_roots: lookup("DOCENT_SENSITIVE_ROOTS")
                .unwrap_or_default()
                .lines()
                // Spaces are kept: the names of roots are compared exactly.
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect(),
            cache_bytes: trimmed("DOCENT_CACHE_BYTES")
                // An invalid number disables the cache: slower, but never wrong.
                .and_then(|bytes| bytes.parse().ok())
                .unwrap_or_default(),
            call_ms: trimmed("DOCENT_TIMEOUT_MS").and_then(|time| time.parse().ok()),
            utc_offset: trimmed("DOCENT_UTC_OFFSET").and_then(|offset| UtcOffset::parse(&offset)),
        }
    }

    /// Returns the milliseconds that a tool may work if a call asks for `asked`: at most nine
    /// tenths of the host's limit, since a call that the host ends has neither an answer nor a
    /// cursor.
    pub fn working_ms(&self, asked: u32) -> u64 {
        let most = self.call_ms.map_or(u64::MAX, |call| call - call / 10);
        u64::from(asked).min(most)
    }

    /// Returns the milliseconds that the readers of one call may take together.
    pub fn reading_ms(&self) -> u64 {
        self.call_ms.map_or(READING_MS, |call| call / READING_SHARE)
    }
}

/// Parses the ignore files of a JSON list, or returns `None` if it is malformed.
fn files_above(list: &str) -> Option<Vec<OuterIgnoreFile>> {
    let list: Vec<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(list).ok()?;
    let file = |file: serde_json::Map<String, serde_json::Value>| {
        let text = |key| file.get(key)?.as_str().map(str::to_owned);
        Some(OuterIgnoreFile {
            root: text("root")?,
            below: text("below")?,
            text: text("text")?,
        })
    };
    list.into_iter().map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_from_variables() {
        let settings = ToolSettings::from_lookup(|name| {
            match name {
                "DOCENT_DEFAULT_ROOT" => Some(" docs "),
                "DOCENT_EXCLUDE" => Some("drafts/\n\n*.log\n"),
                "DOCENT_IGNORE_ABOVE" => {
                    Some(r#"[{"root": "a b", "below": "d/", "text": "*.o\n"}]"#)
                }
                "DOCENT_SENSITIVE_ROOTS" => Some("a b\nc\n"),
                "DOCENT_CACHE_BYTES" => Some("1024"),
                "DOCENT_TIMEOUT_MS" => Some("5000"),
                "DOCENT_UTC_OFFSET" => Some("+09:00"),
                _ => None,
            }
            .map(str::to_owned)
        });
        assert_eq!(settings.default_root.as_deref(), Some("docs"));
        assert_eq!(settings.exclude, ["drafts/", "*.log"]);
        let above = OuterIgnoreFile {
            root: "a b".to_owned(),
            below: "d/".to_owned(),
            text: "*.o\n".to_owned(),
        };
        assert_eq!(settings.ignore_above, [above]);
        assert_eq!(settings.sensitive_roots, ["a b", "c"]);
        assert_eq!(settings.cache_bytes, 1024);
        assert_eq!(settings.call_ms, Some(5000));
        assert_eq!(settings.utc_offset, UtcOffset::parse("+09"));
    }

    #[test]
    fn a_tool_ends_before_the_host_ends_it() {
        let of = |call_ms| ToolSettings {
            call_ms,
            ..ToolSettings::default()
        };
        assert_eq!(of(None).working_ms(60_000), 60_000);
        assert_eq!(of(Some(60_000)).working_ms(60_000), 54_000);
        assert_eq!(of(Some(60_000)).working_ms(10_000), 10_000);
        assert_eq!(of(Some(5)).working_ms(100), 5);
        assert_eq!(of(None).reading_ms(), 20_000);
        assert_eq!(of(Some(6_000)).reading_ms(), 2_000);
    }

    #[test]
    fn malformed_is_the_default() {
        let settings = ToolSettings::from_lookup(|_| Some("-".repeat(3)));
        assert_eq!(settings.cache_bytes, 0);
        assert_eq!(ToolSettings::from_lookup(|_| None), ToolSettings::default());
    }
}
