//! Names reserved for docent. Only this module knows them; [`crate::door`] shows none of them.

/// Prefix of reserved names. Such files exist in a root only for the duration of a write, or after
/// a crash until recovery; `.docentignore` and `.docent` belong to people.
pub const PREFIX: &str = ".docent-";

/// Suffix of the names of prepared files, in addition to the prefix: they contain new content, and
/// have no mode of their own yet. Synchronization programs skip such names.
pub const PREPARED: &str = ".tmp";

/// Returns true if a file of this name contains new content that has no mode of its own yet.
#[must_use]
pub fn is_prepared(name: &str) -> bool {
    is_reserved(name) && name.ends_with(PREPARED)
}

/// Returns true if a name is reserved. No tool lists, matches or addresses it.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    // Upper and lower case are equal: on case-insensitive file systems `.DOCENT-x` is the same file
    // as `.docent-x`, and could be read or overwritten under the other spelling.
    name.as_bytes()
        .get(..PREFIX.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(PREFIX.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{is_prepared, is_reserved};

    #[test]
    fn prepared_files_are_told_by_their_names() {
        assert!(is_prepared(".docent-set-1.tmp"));
        assert!(!is_prepared(".docent-new-1.old") && !is_prepared("a.tmp"));
    }

    #[test]
    fn only_names_that_begin_so() {
        for name in [
            ".docent-",
            ".docent-set-1.tmp",
            ".DOCENT-x",
            ".docent-\u{e9}",
        ] {
            assert!(is_reserved(name), "{name}");
        }
        for name in [
            ".docentignore",
            ".docent",
            "docent-x",
            "a.docent-x",
            "",
            ".docent\u{2d0}",
        ] {
            assert!(!is_reserved(name), "{name}");
        }
    }
}
