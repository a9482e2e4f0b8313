//! The directory that is granted to a command that writes.
//!
//! Each granted directory has a history of its own, so the choice must agree with that of the next
//! command: after an edit of `notes/a.md`, `docent undo` in the same place must find it. Hence the
//! choice is not the file's own directory, as for reading, but the first of these that contains all
//! files of the command:
//! 1. a configured root for writing, so that people and their agents share its history;
//! 2. the git repository, the unit of work in any of its directories; its top is also the base of
//!    the names in a diff for `git apply`;
//! 3. the current directory;
//! 4. the directory of the files.
//!
//! A directory that cannot be granted, such as `/` or one that contains the state directory, comes
//! last. So does one from which the path to the file crosses a hidden directory or another file
//! system, because neither is entered below a root.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use docent_host::grant::{Right, RootSpec};

use crate::terminal::error::CommandError;
use crate::terminal::style::visible;

/// The inputs of the choice. All paths are absolute and without links.
pub struct RootCandidates<'a> {
    /// The files that the command names.
    pub files: &'a [PathBuf],
    /// Current directory; none if it was removed.
    pub here: Option<&'a Path>,
    /// The roots that the configuration names.
    pub configured: &'a [RootSpec],
    /// Directory of the data that undo needs; none if none is kept.
    pub state: Option<&'a Path>,
    /// Returns true if a directory is the top of a git repository.
    pub is_repository: &'a dyn Fn(&Path) -> bool,
    /// Returns the device of a directory, or of its nearest existing ancestor; none on systems
    /// without device numbers.
    pub device: &'a dyn Fn(&Path) -> Option<u64>,
}

impl RootCandidates<'_> {
    /// Returns the root to grant; none if no directory contains all files.
    pub fn choose(&self) -> Option<RootSpec> {
        let mut holding = self.all();
        holding.retain(|root| self.holds_all(&root.path));
        let best = holding.iter().position(|root| self.is_fit(&root.path));
        // If no candidate is suitable, the first one is chosen nevertheless: granting it fails
        // with an error that says what is wrong with it.
        let index = best.unwrap_or_default();
        (index < holding.len()).then(|| holding.swap_remove(index))
    }

    fn all(&self) -> Vec<RootSpec> {
        let writable = |root: &&RootSpec| root.right == Right::ReadWrite;
        let mut all: Vec<_> = self.configured.iter().filter(writable).cloned().collect();
        let own = self.files.first().and_then(|file| file.parent());
        let start = if self.files.is_empty() {
            self.here
        } else {
            own
        };
        let above = || start.into_iter().flat_map(Path::ancestors);
        let repository = above().find(|directory| (self.is_repository)(directory));
        let nearest = above().find(|directory| self.holds_all(directory));
        let directories = [repository, self.here, nearest].into_iter().flatten();
        all.extend(directories.map(|path| RootSpec {
            name: None,
            path: path.to_owned(),
            right: Right::ReadWrite,
            sensitive: false,
        }));
        all
    }

    fn holds_all(&self, directory: &Path) -> bool {
        let mut above = self.files.iter().map(|file| file.parent());
        match self.here {
            Some(here) if self.files.is_empty() => here.starts_with(directory),
            _ => above.all(|above| above.is_some_and(|above| above.starts_with(directory))),
        }
    }

    fn is_fit(&self, directory: &Path) -> bool {
        let overlaps = |state: &Path| state.starts_with(directory) || directory.starts_with(state);
        // A hidden directory below a root is not entered, but a root may be hidden itself. For
        // `~/.config/app/a.toml`, the home directory is passed over and `~/.config/app` is
        // granted.
        let is_hidden = |file: &PathBuf| {
            let between = file.parent().and_then(|it| it.strip_prefix(directory).ok());
            between.is_some_and(|between| between.components().any(starts_with_dot))
        };
        let device = (self.device)(directory);
        let is_elsewhere = |file: &PathBuf| {
            let above = file.parent();
            above.is_some_and(|above| (self.device)(above) != device)
        };
        directory.parent().is_some()
            && !self.state.is_some_and(overlaps)
            && !self
                .files
                .iter()
                .any(|file| is_hidden(file) || is_elsewhere(file))
    }
}

fn starts_with_dot(component: Component<'_>) -> bool {
    component.as_os_str().as_encoded_bytes().starts_with(b".")
}

/// The directory granted to a command, and the person's current directory.
#[derive(Debug)]
pub struct CommandRoot {
    /// The directory.
    pub root: PathBuf,
    /// Current directory; none if it was removed.
    pub here: Option<PathBuf>,
    /// True if a command without file arguments is granted the same directory.
    pub is_usual: bool,
}

impl CommandRoot {
    /// Returns the names of files in the root.
    ///
    /// # Errors
    /// Returns an error for a file outside the root, or one whose name is not UTF-8, as the
    /// component's strings are.
    pub fn names(&self, files: &[PathBuf]) -> Result<Vec<String>, CommandError> {
        let name = |file: &PathBuf| {
            let shown = file.display();
            let wrong = |problem: String| CommandError::Usage(format!("`{shown}` {problem}"));
            let name = file.strip_prefix(&self.root).map_err(|_| {
                wrong(format!(
                    "lies outside of `{}`; expected a file in it",
                    self.root.display()
                ))
            })?;
            let name = name.to_str();
            name.map(str::to_owned)
                .ok_or_else(|| wrong("cannot be written: its name is not UTF-8".to_owned()))
        };
        files.iter().map(name).collect()
    }

    /// Returns a path in the root, relative to the current directory.
    pub fn show(&self, path: &str) -> String {
        let file = self.root.join(path.trim_start_matches('/'));
        let here = self.here.as_deref();
        let beneath = here.and_then(|here| file.strip_prefix(here).ok());
        beneath.unwrap_or(&file).display().to_string()
    }

    /// Returns a command line that concerns the same root, for the current directory.
    pub fn command(&self, words: &str) -> String {
        if self.is_usual {
            return format!("docent {words}");
        }
        let root = self.root.display().to_string();
        format!("docent {words} --root {}", shell_quote(&visible(&root)))
    }
}

/// Quotes a word for a shell.
fn shell_quote(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    if word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test case: existing entries and the expected choice.
    struct Case<'a> {
        files: &'a [&'a str],
        here: &'a str,
        configured: &'a [(&'a str, Right)],
        state: Option<&'a str>,
        repositories: &'a [&'a str],
        mounted: Option<&'a str>,
    }

    const NOTHING: Case<'static> = Case {
        files: &[],
        here: "/h/notes",
        configured: &[],
        state: Some("/h/.local/state/docent"),
        repositories: &[],
        mounted: None,
    };

    #[track_caller]
    fn chooses(case: &Case<'_>, expected: &str) {
        let files: Vec<PathBuf> = case.files.iter().map(PathBuf::from).collect();
        let spec = |(path, right): &(&str, Right)| RootSpec {
            name: None,
            path: path.into(),
            right: *right,
            sensitive: false,
        };
        let configured: Vec<RootSpec> = case.configured.iter().map(spec).collect();
        let candidates = RootCandidates {
            files: &files,
            here: Some(Path::new(case.here)),
            configured: &configured,
            state: case.state.map(Path::new),
            is_repository: &|path| case.repositories.iter().any(|it| Path::new(it) == path),
            device: &|path| Some(case.mounted.is_some_and(|it| path.starts_with(it)).into()),
        };
        let chosen = candidates.choose().map(|root| root.path);
        assert_eq!(chosen.as_deref(), Some(Path::new(expected)));
    }

    #[test]
    fn what_follows_an_edit_finds_it() {
        for files in [&[][..], &["/h/notes/a.md"], &["/h/notes/b/c.md"]] {
            chooses(&Case { files, ..NOTHING }, "/h/notes");
        }
        let repositories = &["/h/notes"][..];
        for here in ["/h/notes", "/h/notes/b", "/h"] {
            let files = &["/h/notes/b/c.md"][..];
            let case = Case {
                here,
                repositories,
                files,
                ..NOTHING
            };
            chooses(&case, "/h/notes");
        }
        let inside = Case {
            here: "/h/notes/b",
            repositories,
            ..NOTHING
        };
        chooses(&inside, "/h/notes");
    }

    #[test]
    fn a_file_elsewhere_has_its_directory() {
        let files = &["/x/y/a.md"];
        chooses(&Case { files, ..NOTHING }, "/x/y");
        let files = &["/x/y/a.md", "/x/z/b.md"];
        chooses(&Case { files, ..NOTHING }, "/x");
    }

    #[test]
    fn a_configured_root_for_writing_comes_first() {
        let files = &["/h/notes/b/c.md"];
        let configured = &[("/h/notes/b", Right::ReadWrite)];
        let case = Case {
            files,
            configured,
            ..NOTHING
        };
        chooses(&case, "/h/notes/b");
        let configured = &[("/h/notes/b", Right::ReadOnly), ("/x", Right::ReadWrite)];
        let case = Case {
            files,
            configured,
            ..NOTHING
        };
        chooses(&case, "/h/notes");
    }

    #[test]
    fn what_cannot_be_granted_comes_last() {
        let files = &["/h/notes/a.md"][..];
        for here in ["/h", "/"] {
            chooses(
                &Case {
                    files,
                    here,
                    ..NOTHING
                },
                "/h/notes",
            );
        }
        // The root contains the state directory, which is reported when it is granted.
        let here = "/h";
        chooses(&Case { here, ..NOTHING }, "/h");
        let state = None;
        let case = Case {
            files,
            here,
            state,
            ..NOTHING
        };
        chooses(&case, "/h");
        let files = &["/h/notes/usb/b/a.md"];
        let mounted = Some("/h/notes/usb");
        let case = Case {
            files,
            mounted,
            ..NOTHING
        };
        chooses(&case, "/h/notes/usb/b");
        let files = &["/h/notes/.github/workflows/a.yml"];
        chooses(&Case { files, ..NOTHING }, "/h/notes/.github/workflows");
    }

    #[test]
    fn commands_can_be_typed() {
        let command_root = |root: &str, is_usual| CommandRoot {
            root: root.into(),
            here: Some("/h".into()),
            is_usual,
        };
        assert_eq!(command_root("/h", true).command("undo 3"), "docent undo 3");
        let other = command_root("/h/it's", false).command("undo 3");
        assert_eq!(other, "docent undo 3 --root '/h/it'\\''s'");
        assert_eq!(command_root("/h/b", false).show("c/a.md"), "b/c/a.md");
        assert_eq!(command_root("/x", false).show("a.md"), "/x/a.md");
    }
}
