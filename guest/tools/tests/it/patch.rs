//! Patches that create, remove and rename files, compared with `git apply`: the patches that apply,
//! and their results.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "git is a program, and takes files"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use docent_api::types::ErrorCode;
use docent_api::writing::{ManageCommand, ManageOptions};
use docent_tools::Docent;
use docent_tree::memory::MemoryDisk;

use crate::change::{diff, disk, docent, options, tree, undo};

/// The files of a tree.
type Files = BTreeMap<String, String>;

const NAMES: [&str; 6] = ["a.md", "b.txt", "d/c.md", "d/e/f.txt", "g h.md", "한글.md"];

/// Pseudorandom numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }

    fn name(&mut self) -> &'static str {
        NAMES[self.below(NAMES.len())]
    }

    fn text(&mut self) -> String {
        let id = self.below(1_000_000);
        let lines = 1 + self.below(9);
        let mut text: String = (0..lines).map(|line| format!("{id} {line}\n")).collect();
        match self.below(8) {
            0 => text.clear(),
            1 => drop(text.pop()),
            _ => {}
        }
        text
    }

    fn changed(&mut self, text: &str) -> String {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let at = self.below(lines.len().max(1));
        let other = |(line, own): (usize, &&str)| match line == at {
            true => format!("other {line}\n"),
            false => (*own).to_owned(),
        };
        lines.iter().enumerate().map(other).collect()
    }
}

/// A temporary directory, removed when the value is dropped.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let name = format!("docent-patch-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn git(&self, arguments: &[&str]) -> Output {
        Command::new("git")
            .args(arguments)
            .current_dir(&self.0)
            .env("GIT_CEILING_DIRECTORIES", self.0.parent().unwrap())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("HOME", &self.0)
            .output()
            .unwrap()
    }

    /// Makes these files the only content of the directory, except for `.git`.
    fn fill(&self, files: &Files) {
        for entry in fs::read_dir(&self.0).unwrap() {
            let path = entry.unwrap().path();
            match (path.ends_with(".git"), path.is_dir()) {
                (true, _) => {}
                (false, true) => fs::remove_dir_all(path).unwrap(),
                (false, false) => fs::remove_file(path).unwrap(),
            }
        }
        for (name, text) in files {
            let path = self.0.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn files(&self) -> Files {
        let read = |name: &&str| {
            let text = fs::read_to_string(self.0.join(name)).ok()?;
            Some(((*name).to_owned(), text))
        };
        NAMES.iter().filter_map(read).collect()
    }

    /// Returns git's diff between two trees.
    fn diff(&self, before: &Files, after: &Files) -> String {
        self.fill(before);
        self.git(&["add", "-A"]);
        self.fill(after);
        self.git(&["add", "-N", "--ignore-removal", "."]);
        String::from_utf8(self.git(&["diff", "-M30%"]).stdout).unwrap()
    }

    /// Returns the tree after `git apply`, or `None` if git refuses the patch.
    fn applied(&self, before: &Files, patch: &str) -> Option<Files> {
        self.fill(before);
        fs::write(self.0.join("patch"), patch).unwrap();
        let output = self.git(&["apply", "--whitespace=nowarn", "patch"]);
        output.status.success().then(|| self.files())
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn disk_of(files: &Files) -> MemoryDisk {
    let disk = disk(&[]);
    for (name, text) in files {
        disk.write("docs", name, text.as_bytes());
    }
    disk
}

fn files_of(disk: &MemoryDisk) -> Files {
    let files = tree(disk)
        .into_iter()
        .filter(|(path, _)| !path.ends_with('/'));
    files
        .map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap()))
        .collect()
}

/// Returns a tree, and another in which some files are new, deleted, renamed and changed.
fn trees(random: &mut Random) -> (Files, Files) {
    let mut before = Files::new();
    for _ in 0..1 + random.below(4) {
        before.insert(random.name().to_owned(), random.text());
    }
    let mut after = Files::new();
    for (name, text) in &before {
        let text = match random.below(3) {
            0 => random.changed(text),
            _ => text.clone(),
        };
        let to = match random.below(4) {
            0 => continue,
            1 => random.name(),
            _ => name,
        };
        // To change places takes two patches.
        if to == name || !before.contains_key(to) && !after.contains_key(to) {
            after.insert(to.to_owned(), text);
        }
    }
    let name = random.name();
    if random.below(2) == 0 && !before.contains_key(name) {
        after
            .entry(name.to_owned())
            .or_insert_with(|| random.text());
    }
    (before, after)
}

#[test]
fn what_git_writes_is_applied_and_taken_back() {
    let directory = Directory::new("applied");
    directory.git(&["init", "-q"]);
    let mut random = Random(17);
    let mut seen = [0; 3];
    for _ in 0..150 {
        let (before, after) = trees(&mut random);
        let patch = directory.diff(&before, &after);
        if patch.is_empty() {
            continue;
        }
        for (count, sign) in seen
            .iter_mut()
            .zip(["new file", "deleted file", "rename from"])
        {
            *count += usize::from(patch.contains(sign));
        }
        let disk = disk_of(&before);
        let mut docent = docent(&disk);
        let shown = docent.change(vec![diff(&patch)], options(true, None));
        let shown = shown.unwrap_or_else(|error| panic!("{before:?}\n{patch}\n{error:?}"));
        assert_eq!(files_of(&disk), before, "{patch}");
        let id = shown.plan_id.as_deref();
        let written = docent
            .change(vec![diff(&patch)], options(false, id))
            .unwrap();
        assert_eq!(files_of(&disk), after, "{patch}");
        // The difference shown has the same result, with git and here.
        let own: String = shown.files.iter().map(|file| file.diff.as_str()).collect();
        assert_eq!(
            directory.applied(&before, &own).as_ref(),
            Some(&after),
            "{own}"
        );
        undo(&mut docent, written.undo_id.as_deref());
        assert_eq!(files_of(&disk), before, "{patch}");
        docent
            .change(vec![diff(&own)], options(false, None))
            .unwrap();
        assert_eq!(files_of(&disk), after, "{own}");
    }
    assert!(seen.iter().all(|count| *count > 10), "{seen:?}");
}

#[test]
fn what_git_refuses_is_refused() {
    let directory = Directory::new("refused");
    directory.git(&["init", "-q"]);
    let mut random = Random(23);
    let (mut applied, mut refused) = (0, 0);
    for _ in 0..300 {
        let (before, after) = trees(&mut random);
        let patch = directory.diff(&before, &after);
        if patch.is_empty() {
            continue;
        }
        // Another program creates, changes or removes a file that the patch creates or deletes.
        let name = random.name();
        let mut found = before.clone();
        match (before.contains_key(name), after.contains_key(name)) {
            (false, _) => drop(found.insert(name.to_owned(), random.text())),
            (true, false) if random.below(2) == 0 && !patch.contains("rename from") => {
                found.entry(name.to_owned()).or_default().push_str("\nmore");
            }
            (true, false) => drop(found.remove(name)),
            (true, true) => {}
        }
        let expected = directory.applied(&found, &patch);
        let disk = disk_of(&found);
        let made = docent(&disk).change(vec![diff(&patch)], options(false, None));
        match &expected {
            Some(_) => applied += 1,
            None => refused += 1,
        }
        assert_eq!(
            made.is_ok(),
            expected.is_some(),
            "{found:?}\n{patch}\n{made:?}"
        );
        assert_eq!(files_of(&disk), expected.unwrap_or(found), "{patch}");
    }
    assert!(applied > 100 && refused > 20, "{applied} {refused}");
}

/// Returns the code and message with which a patch is refused.
fn refusal(docent: &mut Docent<MemoryDisk>, patch: &str) -> (ErrorCode, String) {
    let error = docent.change(vec![diff(patch)], options(true, None));
    let error = error.unwrap_err();
    (error.code, error.message)
}

#[test]
fn what_is_no_text_is_refused() {
    let disk = disk(&[("a.md", "a\n"), ("b.md", "b\n"), (".env", "K=1\n")]);
    let mut docent = docent(&disk);
    let before = tree(&disk);
    for (patch, code, said) in [
        (
            "diff --git a/a.md b/c.md\nsimilarity index 100%\ncopy from a.md\ncopy to c.md\n",
            ErrorCode::InvalidRequest,
            "copies a file to `c.md`",
        ),
        (
            "diff --git a/a.md b/a.md\nold mode 100644\nnew mode 100755\n",
            ErrorCode::InvalidRequest,
            "nothing but the mode of `a.md`",
        ),
        (
            "diff --git a/a.md b/a.md\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcma\n",
            ErrorCode::InvalidRequest,
            "the binary `a.md`",
        ),
        (
            "diff --git a/p.png b/p.png\nnew file mode 100644\nindex 0..1\n\
             Binary files /dev/null and b/p.png differ\n",
            ErrorCode::InvalidRequest,
            "the binary `p.png`",
        ),
        (
            "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n\
             +a.md\n\\ No newline at end of file\n",
            ErrorCode::InvalidRequest,
            "a link or submodule",
        ),
        (
            "--- /dev/null\n+++ b/b.md\n@@ -0,0 +1 @@\n+x\n",
            ErrorCode::DocumentExists,
            "`b.md` already exists",
        ),
        (
            "--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n",
            ErrorCode::InvalidPath,
            "belongs to version control",
        ),
        (
            "--- /dev/null\n+++ b/id_rsa\n@@ -0,0 +1 @@\n+x\n",
            ErrorCode::Sensitive,
            "sensitive",
        ),
        (
            "--- a/.env\n+++ /dev/null\n@@ -1 +0,0 @@\n-K=1\n",
            ErrorCode::Sensitive,
            "sensitive",
        ),
        (
            "--- a/a.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-other\n",
            ErrorCode::EditNotFound,
            "a.md",
        ),
        (
            "--- a/x.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            ErrorCode::DocumentNotFound,
            "x.md",
        ),
        (
            "diff --git a/a.md b/b.md\nsimilarity index 100%\nrename from a.md\nrename to b.md\n",
            ErrorCode::DocumentExists,
            "`b.md` already exists",
        ),
        (
            "--- a/a.md\n+++ b/c.md\n@@ -1 +1 @@\n-a\n+c\n",
            ErrorCode::InvalidRequest,
            "names `a.md` and `c.md`",
        ),
        (
            "--- /dev/null\n+++ b/n.md\n@@ -1 +1 @@\n-a\n+c\n",
            ErrorCode::InvalidRequest,
            "creates `n.md` with context",
        ),
        (
            "--- a/a.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n--- a/a.md\n+++ b/a.md\n\
             @@ -1 +1 @@\n-a\n+b\n",
            ErrorCode::InvalidRequest,
            "a diff creates or deletes the file",
        ),
    ] {
        let (found, message) = refusal(&mut docent, patch);
        assert_eq!(found, code, "{message}");
        assert!(message.contains(said), "{message}");
    }
    assert_eq!(tree(&disk), before);
    // Lines that the patch does not mention stay.
    disk.write("docs", "a.md", b"a\nmore\n");
    let (code, message) = refusal(
        &mut docent,
        "--- a/a.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
    );
    assert_eq!(code, ErrorCode::Conflict);
    assert!(message.contains("it has 1 line"), "{message}");
}

#[test]
fn what_of_a_patch_is_not_done_is_said() {
    let disk = disk(&[("a.md", "a\n"), ("b.md", "[a](a.md)\n")]);
    let mut docent = docent(&disk);
    let mut warned = |patch: &str| {
        let answer = docent
            .change(vec![diff(patch)], options(true, None))
            .unwrap();
        let broken = answer.impact.map_or(0, |impact| impact.broken.links.len());
        (answer.warnings.join("; "), broken)
    };
    let with_mode = "diff --git a/a.md b/a.md\nold mode 100644\nnew mode 100755\n--- a/a.md\n\
                     +++ b/a.md\n@@ -1 +1 @@\n-a\n+b\n";
    let said = "the mode that the diff gives `a.md` is not set";
    assert_eq!(warned(with_mode), (said.to_owned(), 0));
    let renamed = "diff --git a/a.md b/c.md\nsimilarity index 100%\nrename from a.md\n\
                   rename to c.md\n";
    let said = "links to `a.md` and in it stay as they are";
    assert_eq!(warned(renamed), (said.to_owned(), 1));
    let removed = "--- a/a.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    assert_eq!(warned(removed), (String::new(), 1));
    let both = format!("{removed}--- a/b.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-[a](a.md)\n");
    // Deleting a document with links breaks none of them.
    assert_eq!(warned(&both).1, 0);
    let made = "--- /dev/null\n+++ b/n.md\n@@ -0,0 +1,2 @@\n+[a](a.md)\n+[x](x.md)\n";
    assert_eq!(warned(made).1, 1);
}

#[test]
fn the_patches_of_models_make_remove_and_rename_as_well() {
    let disk = disk(&[("a.md", "one\ntwo\n"), ("b.md", "b\n")]);
    let mut docent = docent(&disk);
    let patch = "*** Begin Patch\n*** Update File: a.md\n*** Move to: d/c.md\n@@\n one\n-two\n\
                 +2\n*** Add File: n.md\n+new\n*** Delete File: b.md\n*** End Patch\n";
    let answer = docent
        .change(vec![diff(patch)], options(false, None))
        .unwrap();
    let after = [("d/c.md", "one\n2\n"), ("n.md", "new\n")];
    let after = after.map(|(path, text)| (path.to_owned(), text.to_owned()));
    assert_eq!(files_of(&disk), Files::from(after));
    let told: Vec<_> = answer
        .files
        .iter()
        .map(|file| {
            (
                file.path.as_str(),
                file.old_hash.is_some(),
                file.new_hash.is_some(),
            )
        })
        .collect();
    let expected = [
        ("a.md", true, true),
        ("n.md", false, true),
        ("b.md", true, false),
    ];
    assert_eq!(told, expected);
    let listed = docent.manage(
        ManageCommand::History,
        Some(ManageOptions {
            target: Some("n.md".to_owned()),
            limit: None,
            cursor: None,
            root: None,
        }),
    );
    assert_eq!(listed.unwrap().operations[0].files.len(), 3);
}

#[test]
fn a_file_that_came_meanwhile_is_not_replaced() {
    let disk = disk(&[("a.md", "a\n")]);
    let mut docent = docent(&disk);
    let patch = "--- /dev/null\n+++ b/n.md\n@@ -0,0 +1 @@\n+x\n--- a/a.md\n+++ /dev/null\n\
                 @@ -1 +0,0 @@\n-a\n";
    let shown = docent
        .change(vec![diff(patch)], options(true, None))
        .unwrap();
    disk.write("docs", "n.md", b"theirs\n");
    let before = tree(&disk);
    let id = shown.plan_id.as_deref();
    let error = docent.change(vec![diff(patch)], options(false, id));
    assert_eq!(error.unwrap_err().code, ErrorCode::Conflict);
    assert_eq!(tree(&disk), before);
}
