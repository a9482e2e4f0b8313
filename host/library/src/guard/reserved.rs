//! Names that are docent's own, by which a guest says what it is doing with a file.
//!
//! The guest's side of it stands in `guest/tree/src/reserved.rs` and in
//! `guest/transaction/src/places.rs`.

/// What such names begin with, whatever the case of its letters.
const PREFIX: &str = ".docent-";

/// What the names of files end with that hold new content and have no mode of their own yet.
const PREPARED: &str = ".tmp";

/// What a reserved name says of the renames of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// They replace what was looked at, and nothing else.
    Set,
    /// They never replace anything. So it is with journals too.
    New,
}

/// Returns what the last segment of a path says; none where it is no reserved name.
pub(super) fn word(path: &str) -> Option<Word> {
    let rest = behind_prefix(path)?;
    Some(if rest.starts_with("set-") {
        Word::Set
    } else {
        Word::New
    })
}

/// Whether a file of this name holds new content that has no mode of its own yet.
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
