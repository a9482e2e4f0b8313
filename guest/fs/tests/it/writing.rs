//! Transactions on a temporary directory.

use std::error::Error;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use docent_fs::{NativeDirectory, NativeDisk};
use docent_text::content_hash::{ContentHash, HashedContent};
use docent_transaction::journal::{Change, FileOperation, Journal, Request};
use docent_transaction::record::LineCounts;
use docent_transaction::undo::Target;
use docent_tree::disk::{Durability, Failure, Root, Surroundings as _, WriteFailure};
use docent_tree::door::Consent;
use docent_tree::path::RelPath;
use docent_tree::write::Writable;

type Outcome = Result<(), Box<dyn Error>>;

fn disk(root: &Path, state: &Path) -> Result<NativeDisk, Box<dyn Error>> {
    let open = |path: &Path| Dir::open_ambient_dir(path, ambient_authority());
    let granted = Root {
        name: "docs".to_owned(),
        writable: true,
        path: None,
    };
    Ok(NativeDisk::new(vec![(granted, open(root)?)]).with_state("docs", open(state)?))
}

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap_or_default()
}

fn request(operations: Vec<FileOperation>, disk: &NativeDisk) -> Request {
    let change = |operation| Change {
        operation,
        lines: LineCounts::default(),
    };
    Request {
        changes: operations.into_iter().map(change).collect(),
        emptied: Vec::new(),
        tool: "change".to_owned(),
        note: String::new(),
        now_ms: disk.unix_ms(),
    }
}

fn set(at: &str, old: &str, new: &str) -> FileOperation {
    FileOperation::Set {
        path: path(at),
        expected: ContentHash::new(old.as_bytes()).into(),
        content: HashedContent::new(new.as_bytes().to_vec()),
    }
}

fn names(directory: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

#[test]
fn several_files_written_and_undone() -> Outcome {
    let (root, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
    std::fs::create_dir(root.path().join("d"))?;
    std::fs::write(root.path().join("a.md"), "a")?;
    std::fs::write(root.path().join("d/b.md"), "b")?;
    let disk = disk(root.path(), state.path())?;
    let (root_of, state_of) = (
        Writable::root(&disk, 0, Consent::Withheld)?,
        Writable::state(&disk, 0)?,
    );
    let journal = Journal::new(&root_of, state_of.as_ref());
    let operations = vec![
        set("a.md", "a", "the new a"),
        FileOperation::Move {
            path: path("d/b.md"),
            to: path("n/m/b.md"),
            expected: ContentHash::new(b"b").into(),
            content: Some(HashedContent::new(b"moved".to_vec())),
        },
        FileOperation::New {
            path: path("n.md"),
            content: HashedContent::new(b"new".to_vec()),
        },
    ];
    let done = journal.commit(request(operations, &disk))?;
    assert_eq!((&done.unfinished, done.conflicts.len()), (&None, 0));
    if cfg!(unix) {
        assert_eq!(done.durability, Durability::Durable);
    }
    assert_eq!(
        std::fs::read_to_string(root.path().join("a.md"))?,
        "the new a"
    );
    assert_eq!(
        std::fs::read_to_string(root.path().join("n/m/b.md"))?,
        "moved"
    );
    assert_eq!(names(root.path())?, ["a.md", "d", "n", "n.md"]);
    assert!(names(&root.path().join("d"))?.is_empty());
    // Undone at once: nothing depends on times.
    journal.undo(Target::Latest, "manage", disk.unix_ms())?;
    assert_eq!(names(root.path())?, ["a.md", "d"]);
    assert_eq!(std::fs::read_to_string(root.path().join("d/b.md"))?, "b");
    assert_eq!(std::fs::read_to_string(root.path().join("a.md"))?, "a");
    journal.redo(Target::Latest, "manage", disk.unix_ms())?;
    assert_eq!(
        std::fs::read_to_string(root.path().join("n/m/b.md"))?,
        "moved"
    );
    assert_eq!(names(state.path())?, ["history", "objects"]);
    Ok(())
}

#[cfg(unix)]
#[test]
fn modes_stay_and_new_files_are_as_any_others() -> Outcome {
    use std::os::unix::fs::PermissionsExt as _;

    let (root, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let mode = |name: &str| -> Result<u32, Box<dyn Error>> {
        Ok(std::fs::metadata(root.path().join(name))?
            .permissions()
            .mode()
            & 0o7777)
    };
    for (name, bits) in [("run.sh", 0o750), ("tool.sh", 0o711)] {
        std::fs::write(root.path().join(name), "x")?;
        let permissions = std::fs::Permissions::from_mode(bits);
        std::fs::set_permissions(root.path().join(name), permissions)?;
    }
    std::fs::write(root.path().join("plain"), "")?;
    let disk = disk(root.path(), state.path())?;
    let (root_of, state_of) = (
        Writable::root(&disk, 0, Consent::Withheld)?,
        Writable::state(&disk, 0)?,
    );
    let journal = Journal::new(&root_of, state_of.as_ref());
    let operations = vec![
        set("run.sh", "x", "y"),
        FileOperation::Move {
            path: path("tool.sh"),
            to: path("d/tool.sh"),
            expected: ContentHash::new(b"x").into(),
            content: Some(HashedContent::new(b"y".to_vec())),
        },
        FileOperation::New {
            path: path("new"),
            content: HashedContent::new(b"n".to_vec()),
        },
    ];
    journal.commit(request(operations, &disk))?;
    assert_eq!((mode("run.sh")?, mode("d/tool.sh")?), (0o750, 0o711));
    assert_eq!(mode("new")?, mode("plain")?);
    let kept = state
        .path()
        .join("objects")
        .join(ContentHash::new(b"x").to_string());
    assert_eq!(std::fs::metadata(kept)?.permissions().mode() & 0o777, 0o600);
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_file_that_nobody_may_write_is_not_replaced() -> Outcome {
    use std::os::unix::fs::PermissionsExt as _;
    let (root, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let file = root.path().join("a.md");
    std::fs::write(&file, "a")?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444))?;
    let disk = disk(root.path(), state.path())?;
    let root_of = Writable::root(&disk, 0, Consent::Withheld)?;
    let journal = Journal::new(&root_of, None);
    let refused = journal.commit(request(vec![set("a.md", "a", "b")], &disk));
    assert!(refused.is_err());
    assert_eq!(std::fs::read_to_string(&file)?, "a");
    assert_eq!(names(root.path())?, ["a.md"]);
    Ok(())
}

#[cfg(unix)]
#[test]
fn links_and_files_of_several_names_are_not_replaced() -> Outcome {
    let (root, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
    std::fs::write(root.path().join("a.md"), "a")?;
    std::fs::hard_link(root.path().join("a.md"), root.path().join("b.md"))?;
    std::os::unix::fs::symlink("a.md", root.path().join("l.md"))?;
    let disk = disk(root.path(), state.path())?;
    let (root_of, state_of) = (
        Writable::root(&disk, 0, Consent::Withheld)?,
        Writable::state(&disk, 0)?,
    );
    let journal = Journal::new(&root_of, state_of.as_ref());
    for at in ["a.md", "l.md"] {
        let refused = journal.commit(request(vec![set(at, "a", "b")], &disk));
        assert!(refused.is_err(), "{at}");
    }
    let over_link = FileOperation::New {
        path: path("l.md"),
        content: HashedContent::new(b"n".to_vec()),
    };
    assert!(journal.commit(request(vec![over_link], &disk)).is_err());
    assert!(root.path().join("l.md").is_symlink());
    assert_eq!(std::fs::read_to_string(root.path().join("b.md"))?, "a");
    assert_eq!(names(root.path())?, ["a.md", "b.md", "l.md"]);
    Ok(())
}

#[test]
fn each_step_says_why_it_failed() -> Outcome {
    let (root, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
    std::fs::create_dir(root.path().join("d"))?;
    std::fs::write(root.path().join("d/a.md"), "a")?;
    let disk = disk(root.path(), state.path())?;
    let root_of: Writable<NativeDirectory> = Writable::root(&disk, 0, Consent::Withheld)?;
    let below = root_of.directory("d").map_err(|_| "d does not open")?;
    let exists = below.create("a.md", b"x").map(drop);
    assert_eq!(exists, Err(WriteFailure::Exists));
    assert_eq!(root_of.make_directory("d"), Err(WriteFailure::Exists));
    assert_eq!(root_of.remove_directory("d"), Err(WriteFailure::NotEmpty));
    assert_eq!(root_of.remove_directory("e"), Err(WriteFailure::NotFound));
    assert_eq!(below.remove_file("b.md"), Err(WriteFailure::NotFound));
    assert_eq!(below.version("b.md"), Err(Failure::NotFound));
    let version = below.version("a.md")?;
    assert_eq!((version.size, version.links), (1, 1));
    below.create(".docent-x", b"x")?.sync()?;
    let moved = below.move_new(".docent-x", &below, "a.md");
    assert_eq!(moved, Err(WriteFailure::Exists));
    std::fs::write(root.path().join("d/a.md"), "longer")?;
    let replaced = below.replace(".docent-x", &below, "a.md", &version);
    assert_eq!(replaced, Err(WriteFailure::Changed));
    let gone = below.move_new(".docent-y", &below, "b.md");
    assert_eq!(gone, Err(WriteFailure::NotFound));
    assert_eq!(names(&root.path().join("d"))?, [".docent-x", "a.md"]);
    Ok(())
}
