//! Paths as callers write them: absolute ones, addresses, and ones that begin with a root's name.

use docent_api::find::FindFilesOptions;
use docent_api::pillars::{ExploreAnswer, ExploreOptions};
use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{ChangeAnswer, Edit, WriteOptions};
use docent_tools::{Docent, NO_CHANGE_OPTIONS, NO_EDIT, NO_EXPLORE_OPTIONS, ToolSettings};
use docent_tree::memory::MemoryDisk;

/// Two roots, `docs` and `notes`, which the host shows as `/docs` and `/notes`.
fn docent() -> Docent<MemoryDisk> {
    let disk = MemoryDisk::with_roots(&["docs", "notes"]);
    for (root, path, text) in [
        ("docs", "guide/setup.md", "# Setup\n"),
        ("docs", "guide/install.md", "# Install\n"),
        ("docs", ".github/release.yml", "on: push\n"),
        ("docs", "top.md", "# Top\n"),
        ("notes", "todo.md", "# Todo\n\n## Now\n\nWrite.\n"),
        ("notes", "100%.md", "# All\n"),
        ("notes", "notes/deep.md", "# Deep\n"),
    ] {
        disk.write(root, path, text.as_bytes());
    }
    for root in ["docs", "notes"] {
        disk.set_writable(root);
    }
    Docent::new(disk, ToolSettings::default())
}

/// Returns the root and the path of the document that is read, or the code of the error.
fn read(path: &str) -> Result<(String, String), ErrorCode> {
    let answer = docent().read_document(path.to_owned(), None);
    let at = |root: Option<String>, path: String| (root.unwrap_or_default(), path);
    answer
        .map(|answer| at(answer.root, answer.path))
        .map_err(|error| error.code)
}

/// Returns the root and the path of the file that is written.
fn written(path: &str) -> Result<(String, String), Error> {
    let options = WriteOptions {
        content: Some("# New\n".to_owned()),
        template: None,
        variables: None,
        front_matter: None,
        if_exists: None,
        expect_hash: None,
        dry_run: Some(false),
        plan_id: None,
        note: None,
        root: None,
    };
    let answer = docent().write(path.to_owned(), Some(options))?;
    Ok((answer.root.unwrap_or_default(), answer.file.path))
}

fn explored(paths: &[&str], root: Option<&str>) -> Result<ExploreAnswer, Error> {
    docent().explore(Some(ExploreOptions {
        paths: Some(paths.iter().map(|path| (*path).to_owned()).collect()),
        root: root.map(str::to_owned),
        ..NO_EXPLORE_OPTIONS
    }))
}

fn changed(edits: Vec<Edit>) -> Result<ChangeAnswer, Error> {
    docent().change(edits, Some(NO_CHANGE_OPTIONS))
}

#[test]
fn a_path_is_read_in_the_forms_that_callers_write() {
    let at = |root: &str, path: &str| Ok((root.to_owned(), path.to_owned()));
    for (path, expected) in [
        ("guide/setup.md", at("docs", "guide/setup.md")),
        ("/guide/setup.md", at("docs", "guide/setup.md")),
        ("\\guide\\setup.md", at("docs", "guide/setup.md")),
        ("docs/guide/setup.md", at("docs", "guide/setup.md")),
        ("/docs/guide/setup.md", at("docs", "guide/setup.md")),
        ("notes/todo.md", at("notes", "todo.md")),
        ("notes/todo.md#Now", at("notes", "todo.md")),
        ("/notes/todo.md", at("notes", "todo.md")),
        ("docent://notes/todo.md", at("notes", "todo.md")),
        ("docent://notes/100%25.md", at("notes", "100%.md")),
        ("DOCENT://docs/top.md:1", at("docs", "top.md")),
        // A directory of that name in the base root takes precedence.
        ("docent://notes/notes/deep.md", at("notes", "notes/deep.md")),
        ("/etc/passwd", Err(ErrorCode::InvalidPath)),
        ("/guide/none.md", Err(ErrorCode::InvalidPath)),
        ("file:///guide/setup.md", Err(ErrorCode::InvalidPath)),
        ("~/top.md", Err(ErrorCode::InvalidPath)),
        ("/notes/../../top.md", Err(ErrorCode::InvalidPath)),
        ("//server/share", Err(ErrorCode::InvalidPath)),
        ("docent://other/top.md", Err(ErrorCode::NotGranted)),
        ("docent://notes/../top.md", Err(ErrorCode::InvalidPath)),
        ("notes/none.md", Err(ErrorCode::DocumentNotFound)),
    ] {
        assert_eq!(read(path), expected, "{path}");
    }
}

#[test]
fn what_is_outside_is_told_with_the_roots_and_how_to_write_it() {
    let error = docent().read_document("/users/ann/a.md".to_owned(), None);
    let error = error.unwrap_err();
    assert_eq!(
        (error.message.as_str(), error.hint.as_str()),
        (
            "`/users/ann/a.md` is outside the granted directories; expected a path below one of \
             the roots `docs`, `notes`",
            "For a path below the root leave the leading slash out: `users/ann/a.md`."
        )
    );
}

#[test]
fn nothing_is_made_by_mistake() {
    let at = |root: &str, path: &str| (root.to_owned(), path.to_owned());
    for (path, expected) in [
        ("guide/new.md", at("docs", "guide/new.md")),
        ("deep/er/new.md", at("docs", "deep/er/new.md")),
        ("/new.md", at("docs", "new.md")),
        ("/guide/new.md", at("docs", "guide/new.md")),
        ("notes/new.md", at("notes", "new.md")),
        ("notes/deep/new.md", at("notes", "deep/new.md")),
        ("docs/new.md", at("docs", "new.md")),
        ("docent://notes/notes/new.md", at("notes", "notes/new.md")),
    ] {
        let written = written(path).unwrap_or_else(|error| panic!("{path}: {error:?}"));
        assert_eq!(written, expected, "{path}");
    }
    for path in [
        "/users/ann/notes/new.md",
        "/none/new.md",
        "~/new.md",
        "file:///users/ann/new.md",
    ] {
        let error = written(path).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidPath, "{path}");
    }
}

#[test]
fn all_paths_of_a_call_lie_in_one_root() {
    let in_notes = explored(&["notes/todo.md", "/notes/100%.md"], None).unwrap();
    let paths: Vec<_> = in_notes
        .data
        .docs
        .iter()
        .map(|item| &item.file_path)
        .collect();
    assert_eq!(paths, ["todo.md", "100%.md"]);
    assert_eq!(in_notes.root.as_deref(), Some("notes"));
    for (paths, root) in [
        (&["notes/todo.md", "top.md"][..], None),
        (&["docs/top.md", "notes/todo.md"], None),
        (&["docent://notes/todo.md"], Some("docs")),
    ] {
        let error = explored(paths, root).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidPath, "{paths:?}");
    }
    // Within a root that is named, no name of another root is one.
    let error = explored(&["docs/top.md"], Some("notes")).unwrap_err();
    assert_eq!(error.code, ErrorCode::DocumentNotFound);
}

#[test]
fn an_edit_and_a_patch_take_the_same_paths() {
    let edit = |path: &str| Edit {
        path: Some(path.to_owned()),
        old_text: Some("# Todo".to_owned()),
        new_text: Some("# Done".to_owned()),
        ..NO_EDIT
    };
    for path in ["notes/todo.md", "/notes/todo.md", "docent://notes/todo.md"] {
        let answer = changed(vec![edit(path)]).unwrap();
        assert_eq!(answer.root.as_deref(), Some("notes"), "{path}");
        assert_eq!(answer.files[0].path, "todo.md", "{path}");
    }
    let made = |path: &str| {
        let diff = format!("--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+# New\n");
        changed(vec![Edit {
            diff: Some(diff),
            ..NO_EDIT
        }])
    };
    for (path, expected) in [("/guide/new.md", "guide/new.md"), ("docs/new.md", "new.md")] {
        assert_eq!(made(path).unwrap().files[0].path, expected);
    }
    let error = made("/users/ann/new.md").unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidPath);
    let moved = changed(vec![Edit {
        path: Some("top.md".to_owned()),
        move_: Some("/users/ann/top.md".to_owned()),
        ..NO_EDIT
    }]);
    assert_eq!(moved.unwrap_err().code, ErrorCode::InvalidPath);
}

#[test]
fn find_files_takes_no_leading_slash_but_the_path_of_a_root() {
    let found = |path: &str| {
        let options = FindFilesOptions {
            path: Some(path.to_owned()),
            ..NO_FIND
        };
        let answer = docent().find_files(Some(options));
        answer
            .map(|answer| answer.matches.len())
            .map_err(|error| error.code)
    };
    assert_eq!(found("/guide"), Err(ErrorCode::InvalidPath));
    assert_eq!(found("/notes/notes"), Ok(1));
    assert_eq!(found("notes"), Ok(3));
}

const NO_FIND: FindFilesOptions = FindFilesOptions {
    root: None,
    path: None,
    from: None,
    to: None,
    time_field: None,
    sort: None,
    recursive: None,
    max_depth: None,
    glob: None,
    include_files: None,
    include_directories: None,
    include_hidden: None,
    include_ignored: None,
    limit: None,
    cursor: None,
    timeout_ms: None,
    max_files_scanned: None,
    max_directories_scanned: None,
};

#[test]
fn a_path_that_leads_nowhere_is_told_with_the_nearest() {
    for (path, nearest) in [
        ("setup.md", "The nearest is `guide/setup.md`."),
        ("guide/Setup.md", "The nearest is `guide/setup.md`."),
        ("guide/instal.md", "The nearest is `guide/install.md`."),
        ("guide/xyz.md", ""),
    ] {
        let error = docent().read_document(path.to_owned(), None).unwrap_err();
        let is_told = error.hint.starts_with("The nearest");
        assert_eq!(is_told, !nearest.is_empty(), "{path}: {}", error.hint);
        assert!(error.hint.starts_with(nearest), "{path}: {}", error.hint);
    }
    let answer = explored(&["top.md", "instal.md"], None).unwrap();
    assert!(
        answer.blocked[0]
            .hint
            .starts_with("The nearest is `guide/install.md`."),
        "{:?}",
        answer.blocked
    );
    // Names that listings omit are not suggested.
    let error = docent()
        .read_document("relase.yml".to_owned(), None)
        .unwrap_err();
    assert!(!error.hint.contains("release"), "{}", error.hint);
}
