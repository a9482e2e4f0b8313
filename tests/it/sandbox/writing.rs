//! Tests of rights: a read-only root is not written to; a writable one is, and nothing outside it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};

use super::deed::GuestDeed;
use super::hostile::{hostile, make_it};
use super::machine::left_out;
use docent_host::grant::Right;
use docent_tests::guest::limits;
use rustix::fs::XattrFlags;

use super::tree::Tree;

/// Returns everything that a write could change, for each entry below `directory`.
pub(super) fn snapshot(directory: &Path) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut left = vec![directory.to_owned()];
    while let Some(path) = left.pop() {
        let stat = fs::symlink_metadata(&path).unwrap();
        let content = if stat.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        if stat.is_dir() {
            left.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        }
        all.insert(
            path,
            (stat.mode(), stat.mtime(), stat.mtime_nsec(), content),
        );
    }
    all
}

#[test]
fn a_root_for_reading_stays_as_it_is() {
    let mut tree = Tree::new();
    tree.innocent("folder/page.md");
    let before = snapshot(tree.root.parent().unwrap());
    let mut session = hostile(&tree.root, Right::ReadOnly, limits());
    for path in [
        "innocent.md",
        "folder",
        "folder/page.md",
        "new",
        "../outside/secret.md",
        ".",
    ] {
        let told = make_it(&mut session, GuestDeed::Change.to(path)).unwrap();
        assert!(!told.contains("done"), "{path}: {told}");
        let told = make_it(&mut session, GuestDeed::Replace.to(path)).unwrap();
        assert!(!told.contains("done"), "{path}: {told}");
    }
    assert_eq!(before, snapshot(tree.root.parent().unwrap()));
}

#[test]
fn a_root_for_writing_ends_at_its_edge() {
    let tree = Tree::new();
    symlink("../outside", tree.root.join("out")).unwrap();
    symlink("../outside/secret.md", tree.root.join("out.md")).unwrap();
    let before = snapshot(&tree.outside);
    let mut session = hostile(&tree.root, Right::ReadWrite, limits());
    let hostile_paths = [
        "../outside/secret.md",
        "../outside",
        "out/secret.md",
        "out/new",
        "out.md",
        "/etc/docent-was-here",
        "..",
        "../new",
    ];
    for path in hostile_paths {
        for deed in [GuestDeed::Change, GuestDeed::Replace] {
            make_it(&mut session, deed.to(path)).unwrap();
        }
    }
    assert_eq!(before, snapshot(&tree.outside));
    let beside: Vec<_> = fs::read_dir(tree.root.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(beside.len(), 2, "{beside:?}");
    assert!(!Path::new("/etc/docent-was-here").exists());
}

#[test]
fn a_replaced_file_keeps_what_is_not_its_content() {
    let tree = Tree::new();
    let path = tree.root.join("innocent.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let owned = chown(&path, Some(1234), Some(4321));
    if let Err(error) = &owned {
        left_out("the owner of a replaced file", error);
    }
    let marked = rustix::fs::setxattr(&path, "user.docent", b"kept", XattrFlags::empty());
    if let Err(error) = &marked {
        left_out("extended attributes of a replaced file", error);
    }
    let before = fs::metadata(&path).unwrap();

    let mut session = hostile(&tree.root, Right::ReadWrite, limits());
    assert_eq!(
        make_it(&mut session, GuestDeed::Replace.to("innocent.md")).unwrap(),
        "done"
    );

    assert_eq!(fs::read(&path).unwrap(), b"replaced");
    let after = fs::metadata(&path).unwrap();
    assert_ne!(before.ino(), after.ino(), "another file stands there now");
    assert_eq!(before.mode(), after.mode());
    assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
    if marked.is_ok() {
        let mut value = [0; 16];
        let length = rustix::fs::getxattr(&path, "user.docent", &mut value).unwrap();
        assert_eq!(&value[..length], b"kept");
    }
    assert!(!tree.root.join("innocent.md-new").exists());
}
