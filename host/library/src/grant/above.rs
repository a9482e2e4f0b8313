//! Ignore rules from files outside a granted directory: the ignore files of the directories above
//! it up to the top of its git repository, and the repository's own `info/exclude`.
//!
//! They are read once, when the directory is granted: the guest cannot see anything above its
//! roots, so it is given their text. Git's configuration is not read, so `core.excludesFile` has no
//! effect.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Names of ignore files, in the guest's order: later ones override earlier ones.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".docentignore"];

/// Maximum bytes of one ignore file, the same limit as for those that the guest reads itself.
const IGNORE_BYTES: u64 = 64 << 10;

/// Maximum bytes of a `.git` file that points to a directory.
const POINTER_BYTES: u64 = 16 << 10;

/// An ignore file outside a granted directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IgnoreFile {
    /// Path from the directory to which the file applies down to the granted one, with a trailing
    /// `/`, such as `a/b/`; empty if they are the same.
    pub below: String,
    /// Content of the file.
    pub text: String,
}

/// Returns the ignore files that apply to the granted `directory`, an absolute path without
/// symbolic links, and lie outside it, the nearest one last; none if it is not in a git repository.
/// Files that cannot be read are skipped.
pub(crate) fn ignore_files_ambient(directory: &Path) -> Vec<IgnoreFile> {
    let mut above = directory.ancestors();
    let Some((top, git)) = above.find_map(|top| Some((top, git_directory(top)?))) else {
        return Vec::new();
    };
    let mut files = Vec::new();
    let mut add = |holder: &Path, file: &Path| {
        if let Some(below) = path_below(holder, directory)
            && let Some(text) = read(file, IGNORE_BYTES)
        {
            files.push(IgnoreFile { below, text });
        }
    };
    add(top, &git.join("info/exclude"));
    let within = directory.ancestors().skip(1);
    let mut holders: Vec<&Path> = within.take_while(|above| above.starts_with(top)).collect();
    holders.reverse();
    for holder in holders {
        for name in IGNORE_FILES {
            add(holder, &holder.join(name));
        }
    }
    files
}

/// Returns the path from `holder` to `directory` with a `/` after each name; none if a name is not
/// UTF-8, because the guest's patterns are.
fn path_below(holder: &Path, directory: &Path) -> Option<String> {
    let mut below = String::new();
    for name in directory.strip_prefix(holder).ok()? {
        below.push_str(name.to_str()?);
        below.push('/');
    }
    Some(below)
}

/// Returns the git directory of the repository whose top is `top`; none if `top` is not the top of
/// a repository.
fn git_directory(top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    let kind = fs::symlink_metadata(&git).ok()?.file_type();
    if kind.is_dir() {
        return Some(git);
    }
    // In a worktree and in a submodule `.git` is a file that names the git directory. Whoever
    // can write to the granted directory can write such a file: with `gitdir:
    // /home/ann/private` docent would read `info/exclude` there and pass its text to the guest.
    // The file is therefore only followed if the named directory points back, or belongs to an
    // outer repository.
    let named = read(&git, POINTER_BYTES)?;
    let named = top
        .join(named.strip_prefix("gitdir:")?.trim())
        .canonicalize();
    let directory = named.ok()?;
    if let Some(common) = read(&directory.join("commondir"), POINTER_BYTES) {
        let back = read(&directory.join("gitdir"), POINTER_BYTES)?;
        let is_known = directory.join(back.trim()).canonicalize().ok()? == git;
        let common = directory.join(common.trim()).canonicalize().ok()?;
        return is_known.then_some(common);
    }
    let is_of_submodule = top
        .ancestors()
        .skip(1)
        .any(|outer| directory.starts_with(outer.join(".git/modules")));
    is_of_submodule.then_some(directory)
}

/// Returns the text of a regular file; none for a symbolic link, or if it is larger than `most`.
fn read(path: &Path, most: u64) -> Option<String> {
    // The kind is checked before the file is opened: opening a named pipe would block until
    // another process writes to it. A symbolic link is not followed, since it may lead out of
    // the repository.
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let length = File::open(path)
        .ok()?
        .take(most + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    let text = String::from_utf8_lossy(&bytes);
    (length as u64 <= most).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: PathBuf, text: &str) {
        fs::create_dir_all(path.parent().expect("it lies somewhere")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    fn found(directory: &Path) -> Vec<(String, String)> {
        let files = ignore_files_ambient(directory);
        files
            .into_iter()
            .map(|file| (file.below, file.text))
            .collect()
    }

    fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(below, text): &(&str, &str)| ((*below).to_owned(), (*text).to_owned());
        all.iter().map(owned).collect()
    }

    #[test]
    fn files_up_to_the_top_of_the_repository() {
        let place = tempfile::tempdir().expect("a directory");
        let place = place.path().canonicalize().expect("it is there");
        let top = place.join("repository");
        write(place.join(".gitignore"), "outside\n");
        write(top.join(".git/info/exclude"), "mine\n");
        write(top.join(".gitignore"), "top\n");
        write(top.join("a/.ignore"), "second\n");
        write(top.join("a/.gitignore"), "first\n");
        write(top.join("a/b/.gitignore"), "read by the guest\n");
        let expected = [
            ("a/b/", "mine\n"),
            ("a/b/", "top\n"),
            ("b/", "first\n"),
            ("b/", "second\n"),
        ];
        assert_eq!(found(&top.join("a/b")), pairs(&expected));
        assert_eq!(found(&top), pairs(&[("", "mine\n")]));
        assert_eq!(found(&place), []);
        // Too large, and not a file.
        write(top.join(".gitignore"), &"x\n".repeat(64 << 10));
        fs::remove_file(top.join("a/.gitignore")).expect("it was there");
        fs::create_dir(top.join("a/.gitignore")).expect("a directory");
        let expected = [("a/b/", "mine\n"), ("b/", "second\n")];
        assert_eq!(found(&top.join("a/b")), pairs(&expected));
    }

    #[test]
    fn git_directories_elsewhere() {
        let place = tempfile::tempdir().expect("a directory");
        let place = place.path().canonicalize().expect("it is there");
        let (main, tree) = (place.join("main"), place.join("tree"));
        write(main.join(".git/info/exclude"), "of all trees\n");
        write(main.join(".git/worktrees/tree/commondir"), "../..\n");
        let back = format!("{}\n", tree.join(".git").display());
        write(main.join(".git/worktrees/tree/gitdir"), &back);
        let pointer = format!("gitdir: {}\n", main.join(".git/worktrees/tree").display());
        write(tree.join(".git"), &pointer);
        assert_eq!(found(&tree), pairs(&[("", "of all trees\n")]));
        // A pointer that the repository does not know.
        write(place.join("other/.git"), &pointer);
        assert_eq!(found(&place.join("other")), []);
        let module = main.join("libs/part");
        write(main.join(".gitignore"), "of the outer repository\n");
        write(
            main.join(".git/modules/part/info/exclude"),
            "of the module\n",
        );
        write(module.join(".git"), "gitdir: ../../.git/modules/part\n");
        assert_eq!(found(&module), pairs(&[("", "of the module\n")]));
        write(
            place.join("loose/.git"),
            "gitdir: ../main/.git/modules/part\n",
        );
        assert_eq!(found(&place.join("loose")), []);
    }
}
