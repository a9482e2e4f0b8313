//! Reserved names of files, by which a guest declares the purpose of a file.
//!
//! Their counterparts in the guest are `guest/tree/src/reserved.rs` and
//! `guest/transaction/src/reserved.rs`.

/// Prefix of reserved names, compared without regard to case.
const PREFIX: &str = ".docent-";

/// Suffix of files that hold new content and do not have their final mode yet.
const PREPARED: &str = ".tmp";

/// The rule that a reserved name sets for renames of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Renames replace the target that was inspected, and no other.
    Set,
    /// Renames never replace anything. This also applies to journals.
    New,
}

/// Returns the rule of the last segment of a path; none if it is not a reserved name.
pub(super) fn word(path: &str) -> Option<Word> {
    let rest = behind_prefix(path)?;
    Some(if rest.starts_with("set-") {
        Word::Set
    } else {
        Word::New
    })
}

/// Returns true if a file of this name holds new content and does not have its final mode yet.
pub(super) fn is_prepared(path: &str) -> bool {
    behind_prefix(path).is_some_and(|rest| rest.ends_with(PREPARED))
}

fn behind_prefix(path: &str) -> Option<&str> {
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    let (start, rest) = name.split_at_checked(PREFIX.len())?;
    start.eq_ignore_ascii_case(PREFIX).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{Word, is_prepared, word};

    #[test]
    fn a_name_says_what_may_be_done_with_its_file() {
        for (path, expected) in [
            (".docent-new-1-0.tmp", Some(Word::New)),
            ("a/b/.docent-set-1-0.tmp/", Some(Word::Set)),
            (".DOCENT-journal-prepared", Some(Word::New)),
            (".docent-", Some(Word::New)),
            (".docent-new-1/a.md", None),
            (".docentignore", None),
            ("x.docent-new-1", None),
            (".docent\u{e9}\u{e9}", None),
            ("", None),
        ] {
            assert_eq!(word(path), expected, "{path}");
        }
        assert!(is_prepared("a/.docent-set-1.tmp"));
        assert!(!is_prepared(".docent-new-1.old") && !is_prepared("a.tmp"));
    }
}
