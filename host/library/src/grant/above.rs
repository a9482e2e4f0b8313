//! What git's rules leave out of a directory by files that do not lie in it: the ignore files of the
//! directories above it up to the top of its repository, and the repository's own `info/exclude`.
//!
//! They are read once, when the directory is granted: the guest sees nothing above its roots, and
//! is given their text. Git's configuration is not read, and so no `core.excludesFile`.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Names of ignore files, as the guest knows them: later ones override earlier ones.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".docentignore"];

/// Bytes of one ignore file: what the guest takes of those that it reads itself.
const IGNORE_BYTES: u64 = 64 << 10;

/// Bytes of a file by which git names a directory.
const POINTER_BYTES: u64 = 16 << 10;

/// An ignore file that does not lie in a granted directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IgnoreFile {
    /// The path that leads from the directory for which it holds to the granted one, with a `/`
    /// behind it; empty where they are the same.
    pub below: String,
    /// What stands in it.
    pub text: String,
}

/// Returns the ignore files that hold in the granted `directory`, an absolute path without links,
/// and do not lie in it, the nearest one last; none where it is in no git repository. What cannot
/// be read rules nothing.
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

/// Returns the path from `holder` to `directory` with `/` between names and behind the last; none
/// where a name is not UTF-8, for the guest's patterns are.
fn path_below(holder: &Path, directory: &Path) -> Option<String> {
    let mut below = String::new();
    for name in directory.strip_prefix(holder).ok()? {
        below.push_str(name.to_str()?);
        below.push('/');
    }
    Some(below)
}

/// Returns the directory that holds what git knows of the repository whose top is `top`; none where
/// that is none.
fn git_directory(top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    let kind = fs::symlink_metadata(&git).ok()?.file_type();
    if kind.is_dir() {
        return Some(git);
    }
    // In a worktree and in a submodule it is a file that names the directory. Anybody may have
    // written one, so only where the other side knows of it does it lead anywhere.
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

/// Returns the text of a regular file, which a link is not; none where it is larger than `most`.
fn read(path: &Path, most: u64) -> Option<String> {
    // Looked at before it is opened: a pipe would wait for somebody to write.
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
        // Too large, and no file.
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
        // One that the repository knows nothing of.
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
