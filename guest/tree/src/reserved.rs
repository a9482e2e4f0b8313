//! Names that are docent's own. The only place that knows; [`crate::door`] shows none of them.

/// What reserved names begin with. Files of such names stand in a root only for the length of a
/// write, or after a crash until recovery; `.docentignore` and `.docent` are people's own.
pub const PREFIX: &str = ".docent-";

/// What the names of prepared files end with, beside the prefix: they hold new content, and have no
/// mode of their own yet. Synchronisation programs pass such names over.
pub const PREPARED: &str = ".tmp";

/// Whether a file of this name holds new content that has no mode of its own yet.
#[must_use]
pub fn is_prepared(name: &str) -> bool {
    is_reserved(name) && name.ends_with(PREPARED)
}

/// Whether a name is docent's own. No tool lists, matches or addresses it.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    // Whatever its case: on file systems that are lax about it, the other spelling is the same file.
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
