//! Spoilt patches of real histories, applied by git and by docent: docent must not write what git
//! refuses, with the exceptions that `README.md` justifies.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use docent_edit::diff::parse::parse;
use docent_edit::plan::{Edit, plan};
use docent_edit::source::Source;

use crate::history::{Change, History};

/// Number of patches spoilt in each way.
const PATCHES: usize = 200;

/// Size range of a patch in bytes: larger ones are of generated files.
const BYTES: std::ops::Range<usize> = 100..20_000;

/// Maximum number of printed patches that were written but should not have been.
const TOLD: usize = 5;

/// A patch of two files, with the files.
struct Patch {
    names: [String; 2],
    before: [String; 2],
    after: [String; 2],
    text: String,
}

/// The way in which a patch is spoilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Not,
    CutBytes,
    CutLines,
    LostLine,
    LostContextBehind,
    LostContextBefore,
    WrongCounts,
    ShiftedNumbers,
    MadeUpNumbers,
    Duplicated,
    Twice,
    Returns,
}

impl Way {
    const ALL: [Self; 12] = [
        Self::Not,
        Self::CutBytes,
        Self::CutLines,
        Self::LostLine,
        Self::LostContextBehind,
        Self::LostContextBefore,
        Self::WrongCounts,
        Self::ShiftedNumbers,
        Self::MadeUpNumbers,
        Self::Duplicated,
        Self::Twice,
        Self::Returns,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Not => "as it is",
            Self::CutBytes => "cut at a byte",
            Self::CutLines => "cut behind a line",
            Self::LostLine => "an added line lost",
            Self::LostContextBehind => "no context behind",
            Self::LostContextBefore => "no context before",
            Self::WrongCounts => "wrong counts",
            Self::ShiftedNumbers => "lines added above",
            Self::MadeUpNumbers => "made-up numbers",
            Self::Duplicated => "duplicated places",
            Self::Twice => "applied twice",
            Self::Returns => "CRLF",
        }
    }

    /// Returns true if the meaning of the spoilt patch is still certain, so that the commit's files
    /// may result although git refuses; see `README.md`.
    const fn is_argued(self) -> bool {
        matches!(
            self,
            Self::WrongCounts | Self::ShiftedNumbers | Self::MadeUpNumbers | Self::Returns
        )
    }

    /// Returns the files and the patch as they are sent, and the commit's result; none if there is
    /// nothing to spoil.
    fn spoil(self, patch: &Patch, random: &mut Random) -> Option<Task> {
        let mut task = Task {
            files: patch.before.clone(),
            expected: Some(patch.after.clone()),
            patch: patch.text.clone(),
        };
        let lines: Vec<&str> = patch.text.split_inclusive('\n').collect();
        match self {
            Self::Not => return Some(task),
            Self::CutBytes => {
                let mut end = 1 + random.below(patch.text.len() - 1);
                while !patch.text.is_char_boundary(end) {
                    end -= 1;
                }
                task.patch.truncate(end);
                task.expected = None;
            }
            Self::CutLines => {
                task.patch = lines[..1 + random.below(lines.len() - 1)].concat();
                task.expected = None;
            }
            Self::LostLine => {
                let added = |line: &&str| line.starts_with('+') && !line.starts_with("+++");
                let count = lines.iter().copied().filter(|line| added(line)).count();
                let lost = random.below(count.max(1));
                let mut seen = 0;
                let keeps = |line: &&&str| {
                    seen += usize::from(added(line));
                    !added(line) || seen != lost + 1
                };
                task.patch = lines.iter().filter(keeps).copied().collect();
                task.expected = None;
            }
            Self::LostContextBehind | Self::LostContextBefore => {
                task.patch = without_context(&lines, self == Self::LostContextBehind)?;
            }
            Self::WrongCounts => {
                let more = random.below(3);
                task.patch = with_numbers(&lines, |[old, olds, new, news]| {
                    [old, olds + more, new, news.saturating_sub(2 - more)]
                });
            }
            Self::MadeUpNumbers => {
                task.patch = with_numbers(&lines, |[_, olds, _, news]| [1, olds, 1, news]);
            }
            Self::ShiftedNumbers => {
                let above = "above\n".repeat(1 + random.below(40));
                task.files = task.files.map(|file| format!("{above}{file}"));
                task.expected = task
                    .expected
                    .map(|files| files.map(|file| format!("{above}{file}")));
            }
            Self::Duplicated => {
                let [file, _] = &patch.before;
                task.files[0] = format!(
                    "{file}{}{file}",
                    if file.ends_with('\n') { "" } else { "\n" }
                );
                task.patch = with_numbers(&lines, |[old, olds, new, news]| {
                    [old + 3, olds, new + 3, news]
                });
                task.expected = None;
            }
            Self::Twice => {
                task.files.clone_from(&patch.after);
                task.expected = None;
            }
            Self::Returns => {
                task.files = task.files.map(|file| file.replace('\n', "\r\n"));
                task.expected = task
                    .expected
                    .map(|files| files.map(|file| file.replace('\n', "\r\n")));
            }
        }
        let is_spoilt = task.patch != patch.text || task.files != patch.before;
        is_spoilt.then_some(task)
    }
}

/// An input for git and docent.
struct Task {
    files: [String; 2],
    /// Result of the commit, if the patch still describes it.
    expected: Option<[String; 2]>,
    patch: String,
}

/// The numbers of agreements and disagreements.
#[derive(Clone, Copy, Default)]
struct Counts {
    same: usize,
    both_refuse: usize,
    docent_refuses: usize,
    argued: usize,
    wrong: usize,
}

/// Prints the results of git and docent for spoilt patches.
///
/// # Errors
/// If docent writes what git refuses or writes differently, or git does not answer.
pub fn compare(histories: Vec<History>) -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let mut counts = vec![Counts::default(); Way::ALL.len()];
    let mut random = Random(42);
    let mut histories = histories;
    let mut told = 0;
    while counts.iter().any(|counts| counts.all() < PATCHES) {
        let mut rest = Vec::new();
        for mut history in histories {
            let Some(patch) = patch(&mut history, directory.path())? else {
                continue;
            };
            for (way, counts) in Way::ALL.into_iter().zip(&mut counts) {
                if counts.all() == PATCHES {
                    continue;
                }
                if let Some(task) = way.spoil(&patch, &mut random) {
                    let wrong = counts.wrong;
                    counts.add(way, &patch, &task, directory.path())?;
                    if counts.wrong > wrong && told < TOLD {
                        told += 1;
                        eprintln!("## {}\n{}", way.name(), task.patch);
                    }
                }
            }
            rest.push(history);
        }
        histories = rest;
        if histories.is_empty() {
            break;
        }
    }
    println!(
        "| | patches | both write the same | both refuse | docent refuses alone | git refuses alone, argued | wrong |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut wrong = 0;
    for (way, counts) in Way::ALL.into_iter().zip(&counts) {
        println!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            way.name(),
            counts.all(),
            counts.same,
            counts.both_refuse,
            counts.docent_refuses,
            counts.argued,
            counts.wrong
        );
        wrong += counts.wrong;
    }
    if wrong > 0 {
        return Err(
            format!("{wrong} patches were written that git refuses or writes otherwise").into(),
        );
    }
    Ok(())
}

/// Returns a patch of the next two changed files of a repository; none if there are no more.
fn patch(history: &mut History, directory: &Path) -> Result<Option<Patch>, Box<dyn Error>> {
    let mut found: Vec<(Change, String)> = Vec::new();
    while found.len() < 2 {
        let Some(change) = history.next_change()? else {
            return Ok(None);
        };
        let name = format!("{}.{}", ["one", "two"][found.len()], change.ending);
        fs::write(directory.join("old"), &change.before)?;
        fs::write(directory.join("new"), &change.after)?;
        let diff = git(
            directory,
            &["diff", "--no-index", "--no-color", "old", "new"],
        )
        .output()?;
        let Ok(diff) = String::from_utf8(diff.stdout) else {
            continue;
        };
        let names = [
            ("a/old", format!("a/{name}")),
            ("b/new", format!("b/{name}")),
        ];
        let (header, hunks) = diff.split_once("@@").unwrap_or_default();
        let header = names.iter().fold(header.to_owned(), |header, (old, new)| {
            header.replace(old, new)
        });
        let diff = format!("{header}@@{hunks}");
        if BYTES.contains(&diff.len()) {
            found.push((change, diff));
        }
    }
    let [(one, first), (two, second)] = &found[..] else {
        return Ok(None);
    };
    Ok(Some(Patch {
        names: [format!("one.{}", one.ending), format!("two.{}", two.ending)],
        before: [one.before.clone(), two.before.clone()],
        after: [one.after.clone(), two.after.clone()],
        text: format!("{first}{second}"),
    }))
}

impl Counts {
    fn all(&self) -> usize {
        self.same + self.both_refuse + self.docent_refuses + self.argued + self.wrong
    }

    fn add(
        &mut self,
        way: Way,
        patch: &Patch,
        task: &Task,
        directory: &Path,
    ) -> Result<(), Box<dyn Error>> {
        let of_git = by_git(patch, task, directory)?;
        let of_docent = by_docent(patch, task);
        let count = match (of_git, of_docent) {
            (None, None) => &mut self.both_refuse,
            (Some(_), None) => &mut self.docent_refuses,
            (Some(git), Some(docent)) if git == docent => &mut self.same,
            (None, Some(docent)) if way.is_argued() && task.expected.as_ref() == Some(&docent) => {
                &mut self.argued
            }
            _ => &mut self.wrong,
        };
        *count += 1;
        Ok(())
    }
}

/// Returns the files after git has applied the patch; none if it refuses.
fn by_git(
    patch: &Patch,
    task: &Task,
    directory: &Path,
) -> Result<Option<[String; 2]>, Box<dyn Error>> {
    for (name, file) in patch.names.iter().zip(&task.files) {
        fs::write(directory.join(name), file)?;
    }
    fs::write(directory.join("patch"), &task.patch)?;
    let arguments = ["apply", "--whitespace=nowarn", "patch"];
    let status = git(directory, &arguments).stderr(Stdio::null()).status()?;
    if !status.success() {
        return Ok(None);
    }
    let read = |name: &String| fs::read_to_string(directory.join(name));
    let [one, two] = &patch.names;
    Ok(Some([read(one)?, read(two)?]))
}

/// Returns the files after docent has applied the patch; none if it refuses.
fn by_docent(patch: &Patch, task: &Task) -> Option<[String; 2]> {
    let mut files = task.files.clone();
    for part in parse(&task.patch).ok()? {
        let name = part.old.as_deref().filter(|_| part.old == part.new)?;
        let index = patch.names.iter().position(|own| own == name)?;
        let source = Source::decode(task.files[index].as_bytes()).ok()?;
        files[index] = plan(&source, name, &[(0, Edit::Hunks(&part.hunks))])
            .ok()?
            .text;
    }
    Some(files)
}

fn git(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(directory);
    command
        .env("GIT_CEILING_DIRECTORIES", directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", directory);
    command
}

/// Returns a patch with other numbers in its hunk headers: first line and count of each side.
fn with_numbers(lines: &[&str], change: impl Fn([usize; 4]) -> [usize; 4]) -> String {
    let line = |line: &&str| match numbers(line) {
        Some((numbers, rest)) => {
            let [old, olds, new, news] = change(numbers);
            format!("@@ -{old},{olds} +{new},{news} @@{rest}")
        }
        None => (*line).to_owned(),
    };
    lines.iter().map(line).collect()
}

fn numbers(line: &str) -> Option<([usize; 4], &str)> {
    let (inside, rest) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = inside.split_once(" +")?;
    let range = |text: &str| {
        let (first, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((first.parse().ok()?, count.parse().ok()?))
    };
    let ((old, olds), (new, news)): ((usize, usize), (usize, usize)) = (range(old)?, range(new)?);
    Some(([old, olds, new, news], rest))
}

/// Returns a patch without the context after the last hunk's change, or before the first one's,
/// with matching line counts.
fn without_context(lines: &[&str], behind: bool) -> Option<String> {
    let headers: Vec<usize> = (0..lines.len())
        .filter(|at| numbers(lines[*at]).is_some())
        .collect();
    let header = if behind {
        *headers.last()?
    } else {
        *headers.first()?
    };
    let end = lines[header + 1..]
        .iter()
        .position(|line| !line.starts_with([' ', '+', '-', '\\']) || line.starts_with("--- "))
        .map_or(lines.len(), |length| header + 1 + length);
    let body = &lines[header + 1..end];
    let is_context = |line: &&&str| line.starts_with(' ');
    let lost = if behind {
        body.iter().rev().take_while(is_context).count()
    } else {
        body.iter().take_while(is_context).count()
    };
    if lost == 0 || lost == body.len() {
        return None;
    }
    let ([old, olds, new, news], rest) = numbers(lines[header])?;
    let moved = if behind { 0 } else { lost };
    let kept = if behind {
        &body[..body.len() - lost]
    } else {
        &body[lost..]
    };
    let own = format!(
        "@@ -{},{} +{},{} @@{rest}",
        old + moved,
        olds - lost,
        new + moved,
        news - lost
    );
    Some(
        [
            &lines[..header].concat(),
            &own,
            &kept.concat(),
            &lines[end..].concat(),
        ]
        .map(String::as_str)
        .concat(),
    )
}

/// A reproducible generator of random-looking numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_say_what_was_left_out() {
        let patch = "--- a/x\n+++ b/x\n@@ -3,4 +3,4 @@ f\n a\n b\n-c\n+d\n e\n";
        let lines: Vec<&str> = patch.split_inclusive('\n').collect();
        let behind = without_context(&lines, true).unwrap();
        assert_eq!(
            behind,
            "--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@ f\n a\n b\n-c\n+d\n"
        );
        let before = without_context(&lines, false).unwrap();
        assert_eq!(before, "--- a/x\n+++ b/x\n@@ -5,2 +5,2 @@ f\n-c\n+d\n e\n");
        let one = with_numbers(&lines, |[_, olds, _, news]| [1, olds, 1, news + 1]);
        assert!(one.contains("@@ -1,4 +1,5 @@ f\n"));
    }
}
