//! Reports of a change about its writes, compared with the bytes of the whole tree; a change that
//! is refused or only shown must write nothing.

use std::collections::{BTreeMap, BTreeSet};

use docent_api::writing::{ChangeAnswer, ChangeOptions, Edit, InsertPlace};
use docent_text::content_hash::ContentHash;
use docent_tools::{NO_CHANGE_OPTIONS, NO_EDIT};
use proptest::prelude::*;
use proptest::sample::select;

use super::{NAMES, PATHS, WORDS, World, check, world};
use crate::change::{tree, undo};

/// Operation on one file.
#[derive(Clone, Debug)]
enum FileOp {
    /// One word replaces another, which may occur never or often.
    Replace(&'static str, &'static str),
    /// A line is appended.
    Append(&'static str),
    /// The file moves to another path, which may be taken.
    Move(&'static str),
    /// The first line, which may differ, is removed.
    Cut(&'static str),
}

/// Paths to move to.
const NEW_PATHS: [&str; 5] = ["new/v.md", "w.py", "a.md", "docs/b.md", "docs/new.txt"];

fn op() -> impl Strategy<Value = FileOp> {
    let word = || prop_oneof![select(&WORDS[..]), select(&NAMES[..])];
    prop_oneof![
        4 => (word(), word()).prop_map(|(old, new)| FileOp::Replace(old, new)),
        2 => word().prop_map(FileOp::Append),
        3 => select(&NEW_PATHS[..]).prop_map(FileOp::Move),
        1 => word().prop_map(FileOp::Cut),
    ]
}

fn ops() -> impl Strategy<Value = BTreeMap<&'static str, FileOp>> {
    prop::collection::btree_map(select(&PATHS[..]), op(), 1..4)
}

fn edit(path: &str, op: &FileOp) -> Edit {
    let edit = Edit {
        path: Some(path.to_owned()),
        ..NO_EDIT
    };
    match op {
        FileOp::Replace(old, new) => Edit {
            old_text: Some((*old).to_owned()),
            new_text: Some((*new).to_owned()),
            ..edit
        },
        FileOp::Append(line) => Edit {
            insert: Some(format!("{line}\n")),
            at: Some(InsertPlace::End),
            ..edit
        },
        FileOp::Move(to) => Edit {
            move_: Some((*to).to_owned()),
            ..edit
        },
        FileOp::Cut(line) => Edit {
            diff: Some(format!(
                "--- a/{path}\n+++ b/{path}\n@@ -1,1 +0,0 @@\n-{line}\n"
            )),
            ..edit
        },
    }
}

/// Returns the text after the operation, or `None` if it is impossible.
fn done(text: &str, op: &FileOp) -> Option<String> {
    match op {
        FileOp::Replace(old, new) => {
            (text.matches(old).count() == 1).then(|| text.replace(old, new))
        }
        FileOp::Append(line) => Some(format!("{text}{line}\n")),
        FileOp::Move(_) => Some(text.to_owned()),
        FileOp::Cut(line) => text.strip_prefix(&format!("{line}\n")).map(str::to_owned),
    }
}

/// Returns the files after all operations, or `None` if one is impossible.
fn all_done(
    world: &World,
    ops: &BTreeMap<&'static str, FileOp>,
) -> Option<BTreeMap<String, String>> {
    let mut after = BTreeMap::new();
    let mut moves = Vec::new();
    for (path, text) in &world.files {
        let mut to = *path;
        let mut text = text.clone();
        if let Some(op) = ops.get(path) {
            text = done(&text, op)?;
            if let FileOp::Move(new) = op {
                if new == path {
                    return None;
                }
                to = new;
                moves.push((*path, *new));
            }
        }
        if after.insert(to.to_owned(), text).is_some() {
            return None;
        }
    }
    if ops.keys().any(|path| !world.files.contains_key(path)) {
        return None;
    }
    // Links follow, in the only markup that has this form of them.
    for (_, text) in after.iter_mut().filter(|(path, _)| path.ends_with(".md")) {
        let lines = text.lines().map(|line| {
            let link = line
                .starts_with('[')
                .then(|| line.split_once("](/"))
                .flatten();
            let moved = link.and_then(|(said, target)| {
                let target = target.strip_suffix(')')?;
                let (_, new) = moves.iter().find(|(old, _)| *old == target)?;
                Some(format!("{said}](/{new})"))
            });
            moved.unwrap_or_else(|| line.to_owned()) + "\n"
        });
        *text = lines.collect();
    }
    Some(after)
}

type Files = BTreeMap<String, Vec<u8>>;

/// Compares the report about each file with the trees before and afterwards.
fn check_files(answer: &ChangeAnswer, before: &Files, after: &Files) -> Result<(), TestCaseError> {
    let differing = |path: &&String| before.get(*path) != after.get(*path);
    let differing: BTreeSet<&String> = before
        .keys()
        .chain(after.keys())
        .filter(differing)
        .collect();
    let written = answer
        .files
        .iter()
        .filter(|file| file.applied && file.changed);
    let mut told = BTreeSet::new();
    for file in written {
        let to = file.moved_to.as_ref().unwrap_or(&file.path);
        told.extend([&file.path, to]);
        let hash = |files: &Files, path: &String| {
            let bytes = files.get(path);
            bytes.map(|bytes| ContentHash::new(bytes).short())
        };
        prop_assert_eq!(&file.old_hash, &hash(before, &file.path), "{:?}", file);
        prop_assert_eq!(&file.new_hash, &hash(after, to), "{:?}", file);
        let lines = |files: &Files, path: &String| {
            let bytes = files.get(path).map_or(&[][..], Vec::as_slice);
            i64::try_from(bytes.split(|byte| *byte == b'\n').count()).unwrap_or(i64::MAX)
        };
        let grown = i64::from(file.added_lines) - i64::from(file.removed_lines);
        prop_assert_eq!(grown, lines(after, to) - lines(before, &file.path));
    }
    // If one file left a path and another took it, the content there may be unchanged.
    let is_all = differing.iter().all(|path| told.contains(path));
    prop_assert!(is_all, "{:?} {:?}", differing, told);
    let others = told.iter().filter(|path| !differing.contains(**path));
    prop_assert_eq!(others.count(), 0, "{:?} {:?}", differing, told);
    Ok(())
}

#[test]
fn what_is_written_is_what_is_said_and_nothing_else() {
    let request = (world(), ops(), any::<bool>(), any::<bool>());
    check(400, request, |(world, ops, is_shown_first, transaction)| {
        let disk = world.disk();
        disk.grant_state();
        let files = || -> Files {
            tree(&disk)
                .into_iter()
                .filter(|(path, _)| !path.ends_with('/'))
                .collect()
        };
        let before = files();
        let edits: Vec<Edit> = ops.iter().map(|(path, op)| edit(path, op)).collect();
        let mut docent = crate::change::docent(&disk);
        let mut change = |dry_run: bool, plan_id: Option<String>| {
            let options = ChangeOptions {
                dry_run: Some(dry_run),
                transaction: Some(transaction),
                plan_id,
                ..NO_CHANGE_OPTIONS
            };
            docent.change(edits.clone(), Some(options))
        };
        let mut plan_id = None;
        if is_shown_first {
            let shown = change(true, None);
            prop_assert_eq!(&files(), &before);
            if let Ok(shown) = shown {
                prop_assert!(!shown.applied && shown.files.iter().all(|file| !file.applied));
                plan_id = shown.plan_id;
            }
        }
        let expected = all_done(&world, &ops);
        let answer = match change(false, plan_id) {
            Ok(answer) => answer,
            Err(error) => {
                prop_assert_eq!(&files(), &before);
                prop_assert!(expected.is_none() || !transaction, "{:?}", error);
                return Ok(());
            }
        };
        let after = files();
        check_files(&answer, &before, &after)?;
        prop_assert_eq!(answer.applied, after != before);
        if !transaction {
            let refused = answer.refused.iter().map(|file| &file.path);
            for path in refused.filter(|path| {
                !ops.values()
                    .any(|op| matches!(op, FileOp::Move(to) if to == path))
            }) {
                prop_assert_eq!(before.get(path), after.get(path));
            }
            return Ok(());
        }
        prop_assert!(answer.refused.is_empty());
        let expected = expected.map(|files| {
            let files = files
                .into_iter()
                .map(|(path, text)| (path, text.into_bytes()));
            let unseen = before
                .iter()
                .filter(|(path, _)| !world.files.contains_key(path.as_str()));
            files
                .chain(unseen.map(|(path, bytes)| (path.clone(), bytes.clone())))
                .collect::<Files>()
        });
        prop_assert_eq!(Some(&after), expected.as_ref());
        if answer.applied {
            undo(&mut docent, answer.undo_id.as_deref());
            prop_assert_eq!(&files(), &before);
        }
        Ok(())
    });
}
