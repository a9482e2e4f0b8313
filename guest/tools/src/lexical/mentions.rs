//! Occurrences of names as whole words: of definitions, and of files.

use std::collections::BTreeSet;

use docent_text::lines::with_ends;
use docent_text::saturating::saturating_u32;

/// Returns the lines of a text, trimmed, with their numbers.
pub fn numbered_lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let lines = with_ends(text).enumerate();
    lines.map(|(index, line)| (saturating_u32(index + 1), line.trim()))
}

/// Returns the lines of a text that contain a name as a whole word.
pub fn named_lines(text: &str, name: &str) -> BTreeSet<u32> {
    // Most texts do not contain the name at all, and need not be divided into lines.
    if !text.contains(name) {
        return BTreeSet::new();
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let holds = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let behind = line[at + name.len()..].chars().next();
            !before.is_some_and(is_part) && !behind.is_some_and(is_part)
        })
    };
    let lines = numbered_lines(text).filter(|(_, line)| holds(line));
    lines.map(|(number, _)| number).collect()
}

/// Returns true if a line names the file at `path` with the name `name`: by the part of its path
/// given there, or by its name alone if no other file has it.
pub fn is_named(line: &str, path: &str, name: &str, is_unique: bool) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    line.match_indices(name).any(|(at, _)| {
        let behind = line[at + name.len()..].chars().next();
        // In `see a.md.` the last dot ends the sentence; `a.md.bak` is another file.
        let mut rest = line[at + name.len()..].chars();
        let is_end = match behind {
            Some('.') => !rest.nth(1).is_some_and(char::is_alphanumeric),
            Some(c) => !is_part(c),
            None => true,
        };
        let before = &line[..at];
        let start = before.trim_end_matches(is_part).len();
        let above = before[start..].trim_start_matches(['.', '/']);
        let is_whole = before.is_empty() || before.ends_with('/') || start == at;
        is_end
            && is_whole
            && match above {
                "" => is_unique,
                above => path.strip_suffix(name).is_some_and(|own| {
                    own.strip_suffix(above)
                        .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
                }),
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_named() {
        for (line, is_unique, expected) in [
            ("see `docs/a.md`", false, true),
            ("see docs/a.md.", false, true),
            ("see a.md", false, false),
            ("see a.md", true, true),
            ("see ./a.md", true, true),
            ("../docs/a.md", false, true),
            ("x/docs/a.md", false, false),
            ("other/a.md", true, false),
            ("data.md a.md.bak ba.md", true, false),
            ("ocs/a.md", false, false),
        ] {
            assert_eq!(
                is_named(line, "docs/a.md", "a.md", is_unique),
                expected,
                "{line}"
            );
        }
    }

    #[test]
    fn words_that_stand_by_themselves() {
        let text = "run\nrunning\nprerun run_all\n(run)\n\"run\" 런run\n";
        assert_eq!(Vec::from_iter(named_lines(text, "run")), [1, 4, 5]);
    }
}
