//! docent's own edits, on a disk in memory.

use std::error::Error;

use docent_api::types::ErrorCode;
use docent_api::writing::{ChangeOptions, Edit};
use docent_tools::{Docent, NO_CHANGE_OPTIONS, NO_EDIT, ToolSettings};
use docent_tree::disk::{Directory as _, Disk as _, OpenFile as _};
use docent_tree::memory::MemoryDisk;

use crate::spoil::Task;
use crate::verdict::Verdict;

/// Maximum bytes read of a file.
const MOST: usize = 1 << 24;

/// Returns docent's result for an edit.
///
/// # Errors
/// If the file cannot be read afterwards.
pub fn judge(task: &Task<'_>) -> Result<Verdict, Box<dyn Error>> {
    let disk = MemoryDisk::with_files(&[(task.name, &task.file)]);
    disk.set_writable("docs");
    let mut docent = Docent::new(disk.clone(), ToolSettings::default());
    let edit = replacement(task.name, &task.old, &task.new);
    let answer = docent.change(vec![edit], options(false));
    let root = disk
        .open_root(0)
        .map_err(|failure| format!("{failure:?}"))?;
    let file = root
        .open_file(task.name)
        .map_err(|failure| format!("{failure:?}"))?;
    let now = file
        .read_all(MOST)
        .map_err(|failure| format!("{failure:?}"))?;
    Ok(Verdict::judge(task, &now, || match answer {
        Ok(_) => Verdict::Refused,
        Err(error) => shown(task, error.code, &error.message),
    }))
}

/// Returns the verdict on a refusal, by the places that its message shows.
fn shown(task: &Task<'_>, code: ErrorCode, message: &str) -> Verdict {
    let mut places = message.lines().filter_map(place);
    // For an ambiguous text the places are a list, in which the order has no meaning.
    let are_alike = code == ErrorCode::EditAmbiguous;
    let end = task.first + task.count - 1;
    let is_right = |(first, last): (usize, usize)| {
        let both = (last.min(end) + 1).saturating_sub(first.max(task.first));
        let shorter = task.count.min(last - first + 1);
        // Lines added at the place were not part of the sent text.
        if are_alike {
            first == task.first
        } else {
            2 * both >= shorter
        }
    };
    match places.position(is_right) {
        Some(0) => Verdict::First,
        Some(_) if are_alike => Verdict::First,
        Some(_) => Verdict::Shown,
        None => Verdict::Refused,
    }
}

/// Parses the first and last line of a place from the line of a message that introduces it.
fn place(line: &str) -> Option<(usize, usize)> {
    let titles = ["Nearest (", "Then (", "It is (", "The file (", ""];
    let behind = titles.iter().find_map(|title| {
        let lines = line.strip_prefix(title)?;
        lines.strip_prefix("lines ").or(lines.strip_prefix("line "))
    })?;
    let mut numbers = behind.split(|c: char| !c.is_ascii_digit());
    let first = numbers.next()?.parse().ok()?;
    let last = behind
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .strip_prefix(" to ");
    let last = last.and_then(|last| {
        last.split(|c: char| !c.is_ascii_digit())
            .next()?
            .parse()
            .ok()
    });
    Some((first, last.unwrap_or(first).max(first)))
}

/// Returns an edit of one text.
pub fn replacement(path: &str, old: &str, new: &str) -> Edit {
    Edit {
        path: Some(path.to_owned()),
        old_text: Some(old.to_owned()),
        new_text: Some(new.to_owned()),
        ..NO_EDIT
    }
}

/// Returns the options of a call.
pub fn options(dry_run: bool) -> Option<ChangeOptions> {
    Some(ChangeOptions {
        dry_run: Some(dry_run),
        ..NO_CHANGE_OPTIONS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_out_of_messages() {
        for (line, expected) in [
            (
                "Nearest (lines 41 to 44; 2 of 3 lines are equal):",
                Some((41, 44)),
            ),
            ("Then (line 7):", Some((7, 7))),
            ("The file (lines 1 to 3):", Some((1, 3))),
            ("line 12 (§ A) after `x`", Some((12, 12))),
            ("12| line 3", None),
            ("the text is not there", None),
        ] {
            assert_eq!(place(line), expected, "{line}");
        }
    }

    #[test]
    fn an_edit_is_made_or_refused() {
        let mut task = Task {
            name: "a.md",
            file: "one\ntwo words\nthree\n".to_owned(),
            old: "two words".to_owned(),
            new: "2".to_owned(),
            expected: Some("one\n2\nthree\n".to_owned()),
            first: 2,
            count: 1,
        };
        assert_eq!(judge(&task).unwrap(), Verdict::Right);
        task.old = "two\u{A0}words".to_owned();
        assert_eq!(judge(&task).unwrap(), Verdict::First);
        task.old = "two words".to_owned();
        task.expected = None;
        assert_eq!(judge(&task).unwrap(), Verdict::Wrong);
    }
}
