//! Recognition of change logs by their usual names, and of queries that ask for changes.

use docent_text::words::korean::without_ending;

/// Returns true if a path is that of a change log: `CHANGELOG.md`, `docs/release-notes.md`.
pub fn is_change_log(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let plain: String = stem.chars().filter(|c| c.is_alphanumeric()).collect();
    matches!(
        plain.as_str(),
        "changelog" | "changes" | "history" | "news" | "releases" | "releasenotes" | "whatsnew"
    )
}

/// Returns true if a query asks for changes, or since which version something holds.
pub fn asks_for_changes(query: &str) -> bool {
    let query = query.to_lowercase();
    let mut words = query.split(|c: char| !(c.is_alphanumeric() || c == '.'));
    words.any(|word| {
        let is_number = word.contains('.') && word.chars().any(|c| c.is_ascii_digit());
        is_number
            || ENGLISH.iter().any(|of| word.starts_with(of))
            || KOREAN.contains(&without_ending(word))
    })
}

/// Prefixes of English words that ask for changes.
const ENGLISH: [&str; 11] = [
    "added",
    "breaking",
    "change",
    "deprecat",
    "history",
    "introduced",
    "new",
    "release",
    "removed",
    "since",
    "version",
];

/// Korean words for it.
const KOREAN: [&str; 5] = ["버전", "변경", "변경사항", "릴리스", "추가된"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_logs_by_their_names() {
        for (path, expected) in [
            ("CHANGELOG.md", true),
            ("docs/release-notes.md", true),
            ("HISTORY.rst", true),
            ("changes.txt", true),
            ("docs/history/kings.md", false),
            ("src/changes-of-state.md", false),
        ] {
            assert_eq!(is_change_log(path), expected, "{path}");
        }
    }

    #[test]
    fn queries_for_changes() {
        for (query, expected) in [
            ("when was --exec-batch added", true),
            ("what is new in 2.0", true),
            ("버전에서 달라진 점", true),
            ("difference between -x and -X", false),
            ("how do I exclude files", false),
        ] {
            assert_eq!(asks_for_changes(query), expected, "{query}");
        }
    }
}
