//! The header lines of a file's diff: names, mode and time.

use crate::diff::file_patch::{FilePatch, UnsupportedChange};
use crate::diff::path_name::unquote;

/// Returns a name without the prefix of its side, `a/` or `b/`. Only the prefix of the same side is
/// removed: in a diff without prefixes, `b/x.md` as an old name is a file in the directory `b`.
pub fn plain(name: &str, side: &str) -> String {
    name.strip_prefix(side).unwrap_or(name).to_owned()
}

/// Parses the names of `diff --git a/x b/x`. Git does not quote blanks, so `a/x y b/x y` is split
/// in the middle if both halves are equal. Names that contain blanks and differ cannot be split,
/// and the lines `rename from` and `rename to`, or `---` and `+++`, give them.
pub fn git_names(names: &str) -> FilePatch {
    let quoted = || {
        let (old, rest) = unquote(names).filter(|_| names.starts_with('"'))?;
        let (new, _) = unquote(rest.trim_start())?;
        Some((old, new))
    };
    let halves = || {
        let middle = names.len() / 2;
        let (old, new) = names.split_at_checked(middle)?;
        let new = new.strip_prefix(' ')?;
        (old.strip_prefix("a/") == new.strip_prefix("b/")).then(|| (old.to_owned(), new.to_owned()))
    };
    let one_blank = || {
        let (old, new) = names.split_once(' ')?;
        (!new.contains(' ')).then(|| (old.to_owned(), new.to_owned()))
    };
    let found = quoted().or_else(halves).or_else(one_blank);
    FilePatch {
        old: found.as_ref().map(|(old, _)| plain(old, "a/")),
        new: found.as_ref().map(|(_, new)| plain(new, "b/")),
        ..FilePatch::default()
    }
}

/// Returns what a git mode changes that this crate cannot apply, or `None` for an ordinary file.
/// `100755` is an executable file, `120000` a symbolic link, `160000` a submodule.
pub fn kind_of_mode(mode: &str) -> Option<UnsupportedChange> {
    match mode.trim() {
        "100644" | "100664" => None,
        mode if mode.starts_with("100") => Some(UnsupportedChange::Mode),
        _ => Some(UnsupportedChange::Irregular),
    }
}

/// Returns true if the text after a name is the time that `diff` gives a file which does not exist:
/// the beginning of 1970, in the time zone in which it ran. `1970-01-01 09:00:00.000000000 +0900`
/// is one.
pub fn is_beginning_of_time(time: &str) -> bool {
    let mut words = time.split_whitespace();
    let (Some(day), Some(clock), Some(zone)) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let minutes = |hours: Option<&str>, minutes: Option<&str>| {
        let (hours, minutes) = (hours?.parse::<u32>().ok()?, minutes?.parse::<u32>().ok()?);
        hours.checked_mul(60)?.checked_add(minutes)
    };
    let since_midnight = minutes(clock.get(..2), clock.get(3..5));
    let ahead = minutes(zone.get(1..3), zone.get(3..5));
    let is_whole = clock.get(5..).is_some_and(|rest| {
        rest.strip_prefix(":00")
            .is_some_and(|rest| rest.trim_matches(['.', '0']).is_empty())
    });
    let (Some(since_midnight), Some(ahead), true) = (since_midnight, ahead, is_whole) else {
        return false;
    };
    match (day, zone.as_bytes().first()) {
        ("1970-01-01", Some(b'+')) => since_midnight == ahead,
        ("1969-12-31", Some(b'-')) => since_midnight + ahead == 24 * 60,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_what_is_not_there() {
        for (time, expected) in [
            ("\t1970-01-01 00:00:00.000000000 +0000", true),
            ("\t1970-01-01 09:00:00.000000000 +0900", true),
            ("\t1969-12-31 16:00:00 -0800", true),
            ("\t1970-01-01 00:00:01 +0000", false),
            ("\t1970-01-01 00:00:00 +0900", false),
            ("\t2020-01-01 00:00:00 +0000", false),
            ("\t1970-01-01", false),
            ("", false),
            ("\t1970-01-01 한글:00 +00한글", false),
        ] {
            assert_eq!(is_beginning_of_time(time), expected, "{time}");
        }
    }

    #[test]
    fn modes() {
        assert_eq!(kind_of_mode("100644"), None);
        assert_eq!(kind_of_mode("100755"), Some(UnsupportedChange::Mode));
        assert_eq!(kind_of_mode("120000"), Some(UnsupportedChange::Irregular));
        assert_eq!(kind_of_mode("160000"), Some(UnsupportedChange::Irregular));
    }
}
