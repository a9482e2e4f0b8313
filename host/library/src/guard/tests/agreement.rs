//! Tests that the Linux and the portable implementation open and refuse the same paths.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::guard::object::{
    Creation, ExpectedKind, ModeAlone, ObjectKind, OldContent, Opened, Readers, Renaming,
    ReplaceCondition, WriteAccess, WriteOptions,
};
use crate::guard::{linux, portable};

/// Creates a tree with one object of each kind.
fn tree() -> tempfile::TempDir {
    let temporary = tempfile::tempdir().unwrap();
    let root = temporary.path().join("root");
    fs::create_dir_all(root.join("dir/deep")).unwrap();
    fs::write(root.join("file"), "in file").unwrap();
    fs::write(root.join("dir/deep/file"), "in deep file").unwrap();
    fs::write(temporary.path().join("outside"), "secret").unwrap();
    fs::create_dir(temporary.path().join("elsewhere")).unwrap();
    symlink("file", root.join("link-in")).unwrap();
    symlink("../outside", root.join("link-out")).unwrap();
    symlink(temporary.path().join("outside"), root.join("link-absolute")).unwrap();
    symlink("dir", root.join("link-dir")).unwrap();
    symlink("../elsewhere", root.join("link-dir-out")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    temporary
}

const PATHS: [&str; 27] = [
    "file",
    "./file",
    "dir/../file",
    "dir/deep/file",
    "dir/deep",
    "dir/",
    "dir//deep/file",
    ".",
    "missing",
    "missing/file",
    "file/below",
    "..",
    "../outside",
    "dir/../../outside",
    "/etc/passwd",
    "/",
    "link-in",
    "link-out",
    "link-absolute",
    "link-dir",
    "link-dir/deep/file",
    "link-dir-out",
    "loop",
    "loop/x",
    "fifo",
    "fifo/x",
    "",
];

/// Returns the kind and content of the opened object; none if it was refused.
fn content(result: io::Result<Opened>) -> Option<String> {
    Some(match result.ok()? {
        Opened::Directory(_) => "directory".to_owned(),
        Opened::Regular(mut file) => {
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            text
        }
    })
}

fn roots(path: &Path) -> (File, File) {
    (
        linux::open_root_ambient(path).unwrap(),
        portable::open_root_ambient(path).unwrap(),
    )
}

#[test]
fn the_same_is_opened() {
    let temporary = tree();
    let (fast, slow) = roots(&temporary.path().join("root"));
    for path in PATHS {
        for expected in [ExpectedKind::Anything, ExpectedKind::Directory] {
            let one = content(linux::open(&fast, path, expected));
            let other = content(portable::open(&slow, path, expected));
            // `a/../b` stays inside, and the portable implementation refuses it; guests never ask
            // for it.
            if path.contains("..") {
                assert!(other.is_none(), "{path}");
            } else {
                assert_eq!(one, other, "{path}");
            }
        }
    }
    assert_eq!(
        content(linux::open(&fast, "dir/../file", ExpectedKind::Anything)).unwrap(),
        "in file"
    );
}

#[test]
fn nothing_outside_and_nothing_behind_a_link_is_opened() {
    let temporary = tree();
    let (fast, _) = roots(&temporary.path().join("root"));
    for path in PATHS.iter().filter(|path| {
        path.contains("link")
            || path.contains("loop")
            || path.contains("fifo/")
            || path.starts_with(['/'])
            || path.contains("outside")
            || **path == ".."
    }) {
        assert!(
            linux::open(&fast, path, ExpectedKind::Anything).is_err(),
            "{path}"
        );
        assert!(linux::open_listed(&fast, path).is_err(), "{path}");
        let writing = WriteOptions {
            access: WriteAccess::Write,
            creation: Creation::IfMissing,
            content: OldContent::Truncated,
            readers: Readers::Usual,
        };
        assert!(
            linux::open_for_writing(&fast, path, writing).is_err(),
            "{path}"
        );
    }
    assert_eq!(
        fs::read_to_string(temporary.path().join("outside")).unwrap(),
        "secret"
    );
}

#[test]
fn a_link_in_the_place_of_a_root_is_not_opened() {
    let temporary = tree();
    let link = temporary.path().join("root/link-dir-out");
    assert!(linux::open_root_ambient(&link).is_err());
    assert!(portable::open_root_ambient(&link).is_err());
}

#[test]
fn a_link_on_the_way_to_a_root_is_not_followed() {
    let temporary = tree();
    // If the temporary directory itself lay behind a symbolic link, every path would be refused.
    let base = temporary.path().canonicalize().unwrap();
    let (root, linked) = (base.join("root/dir/deep"), base.join("root/link-dir/deep"));
    assert!(root.is_dir() && linked.is_dir());
    assert!(linux::open_root_ambient(&root).is_ok());
    assert!(portable::open_root_ambient(&root).is_ok());
    assert!(linux::open_root_ambient(&linked).is_err());
    assert!(portable::open_root_ambient(&linked).is_err());
}

#[test]
fn a_fifo_is_told_and_never_waited_for() {
    let temporary = tree();
    let (fast, slow) = roots(&temporary.path().join("root"));
    for result in [
        linux::open(&fast, "fifo", ExpectedKind::Anything).map(|_| ()),
        linux::open_listed(&fast, "fifo").map(|_| ()),
        portable::open(&slow, "fifo", ExpectedKind::Anything).map(|_| ()),
        portable::open_listed(&slow, "fifo").map(|_| ()),
    ] {
        assert!(result.is_err());
    }
    let kind = linux::status_at(&fast, "fifo").unwrap().kind;
    assert!(!matches!(
        kind,
        ObjectKind::Regular | ObjectKind::Directory | ObjectKind::Link
    ));
}

#[test]
fn the_same_is_known_of_everything() {
    let temporary = tree();
    let (fast, slow) = roots(&temporary.path().join("root"));
    for path in [
        "file",
        "dir",
        "dir/deep/file",
        "link-in",
        "link-out",
        "loop",
        "missing",
    ] {
        let (one, other) = (
            linux::status_at(&fast, path),
            portable::status_at(&slow, path),
        );
        assert_eq!(one.is_ok(), other.is_ok(), "{path}");
        if let (Ok(one), Ok(other)) = (one, other) {
            assert_eq!(one, other, "{path}");
            if path == "file" {
                assert_eq!(linux::status_listed(&fast, path).unwrap(), one);
            }
            assert_eq!(
                linux::stat_fields_at(&fast, path).unwrap(),
                portable::stat_fields_at(&slow, path).unwrap(),
                "{path}"
            );
        }
    }
}

#[test]
fn a_listing_shows_every_name_and_none_that_is_not_utf8() {
    use std::os::unix::ffi::OsStrExt as _;

    let temporary = tree();
    let root = temporary.path().join("root");
    fs::write(root.join(std::ffi::OsStr::from_bytes(b"bad\xff")), "").unwrap();
    let (fast, slow) = roots(&root);
    let mut fast_listing = linux::list(&fast).unwrap();
    let mut one: Vec<_> = std::iter::from_fn(|| fast_listing.next())
        .map(|entry| entry.unwrap().name)
        .collect();
    let mut slow_listing = portable::list(&slow).unwrap();
    let mut other: Vec<_> = std::iter::from_fn(|| slow_listing.next())
        .map(|entry| entry.unwrap().name)
        .collect();
    one.sort();
    other.sort();
    assert_eq!(one, other);
    assert_eq!(one.iter().filter(|name| name.is_none()).count(), 1);
    assert_eq!(one.len(), fs::read_dir(&root).unwrap().count());
}

#[test]
fn writing_makes_and_changes_regular_files_only() {
    let temporary = tree();
    let root = temporary.path().join("root");
    let (fast, slow) = roots(&root);
    let create = WriteOptions {
        access: WriteAccess::Write,
        creation: Creation::Exclusive,
        content: OldContent::Kept,
        readers: Readers::Usual,
    };
    assert!(linux::open_for_writing(&fast, "made", create).is_ok());
    assert!(
        linux::open_for_writing(&fast, "made", create).is_err(),
        "exclusively"
    );
    assert!(
        portable::open_for_writing(&slow, "made", create).is_err(),
        "exclusively"
    );
    let change = WriteOptions {
        access: WriteAccess::ReadWrite,
        creation: Creation::Never,
        content: OldContent::Truncated,
        readers: Readers::Usual,
    };
    for path in ["fifo", "dir", "link-in", "missing"] {
        assert!(
            linux::open_for_writing(&fast, path, change).is_err(),
            "{path}"
        );
        assert!(
            portable::open_for_writing(&slow, path, change).is_err(),
            "{path}"
        );
    }
    assert!(linux::open_for_writing(&fast, "file", change).is_ok());
    assert_eq!(fs::read_to_string(root.join("file")).unwrap(), "");
    linux::create_directory(&fast, "dir/made", Readers::Usual).unwrap();
    assert!(linux::create_directory(&fast, "link-dir/made-too", Readers::Usual).is_err());
    linux::remove_directory(&fast, "dir/made").unwrap();
    linux::remove_file(&fast, "link-in").unwrap();
    assert!(root.join("file").exists(), "of a link the link is removed");
    assert!(linux::remove_file(&fast, "../outside").is_err());
    let anything = Renaming {
        replacing: ReplaceCondition::Anything,
        alone: ModeAlone::Kept,
    };
    assert!(linux::rename(&fast, "file", &fast, "../stolen", anything).is_err());
}
