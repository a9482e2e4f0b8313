//! Tests that all pages together are the whole result, on files and through the component.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use docent_api::find::{FindSort, TimeField};
use docent_host::{Limits, Session};
use docent_tests::guest::{docent, limits};
use proptest::prelude::*;
use rustix::fs::{CWD, FileType, Mode};
use serde_json::{Map, Value, json};

use docent_conformance::reference::{
    Budget, EntryKind, Expected, FindRequest, Node, budgets, expected, find_requests, milliseconds,
    nodes,
};

/// Creates the entries below `root`. Each one comes after its parent directory.
fn make(root: &Path, nodes: &[Node]) {
    for node in nodes {
        let path = root.join(&node.path);
        match node.kind() {
            _ if node.path == ".gitignore" => fs::write(path, "skip\n").unwrap(),
            EntryKind::File(size) => fs::write(path, vec![b'x'; size.into()]).unwrap(),
            EntryKind::Link => std::os::unix::fs::symlink("a", path).unwrap(),
            EntryKind::Fifo => {
                rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o644), 0)
                    .unwrap();
            }
            EntryKind::Directory | EntryKind::Locked => fs::create_dir_all(&path).unwrap(),
        }
        if node.kind() == EntryKind::Directory {
            for number in 0..node.unnamed() {
                let name = [b"\xff", number.to_string().as_bytes()].concat();
                fs::write(root.join(&node.path).join(OsStr::from_bytes(&name)), "").unwrap();
            }
        }
    }
    for node in nodes.iter().rev() {
        let (EntryKind::File(_) | EntryKind::Directory, Some(time)) =
            (node.kind(), node.modified())
        else {
            continue;
        };
        let opened = fs::File::open(root.join(&node.path)).unwrap();
        opened.set_modified(system_time(time)).unwrap();
    }
}

fn system_time(nanoseconds: i128) -> SystemTime {
    let seconds = i64::try_from(nanoseconds.div_euclid(1_000_000_000)).unwrap();
    let rest = u64::try_from(nanoseconds.rem_euclid(1_000_000_000)).unwrap();
    let distance = Duration::from_secs(seconds.unsigned_abs());
    let start = if seconds < 0 {
        UNIX_EPOCH - distance
    } else {
        UNIX_EPOCH + distance
    };
    start + Duration::from_nanos(rest)
}

/// Returns the arguments in the callers' form.
fn arguments(
    request: &FindRequest,
    limit: u32,
    budget: Budget,
    cursor: Option<String>,
) -> Map<String, Value> {
    let given = request.options();
    let sort = match given.sort {
        Some(FindSort::TimeAsc) => "time-asc",
        Some(FindSort::PathAsc) => "path-asc",
        Some(FindSort::TimeDesc) | None => "time-desc",
    };
    let all = json!({
        "path": given.path,
        "from": given.from,
        "to": given.to,
        "timeField": "modified",
        "sort": sort,
        "recursive": given.recursive,
        "maxDepth": given.max_depth,
        "glob": given.glob,
        "includeFiles": given.include_files,
        "includeDirectories": given.include_directories,
        "includeHidden": given.include_hidden,
        "includeIgnored": given.include_ignored,
        "limit": limit,
        "maxFilesScanned": budget.files,
        "maxDirectoriesScanned": budget.directories,
        "cursor": cursor,
    });
    let Value::Object(all) = all else {
        unreachable!("it was made as one");
    };
    all.into_iter()
        .filter(|(_, value)| !value.is_null())
        .collect()
}

/// Returns the matches of all pages, with limits and budgets taken in turn.
fn shown(
    session: &mut Session,
    request: &FindRequest,
    turns: &[(u32, Budget)],
    most: usize,
) -> Result<Vec<Expected>, TestCaseError> {
    let (mut all, mut cursor) = (Vec::new(), None);
    for (count, (limit, budget)) in turns.iter().cycle().enumerate() {
        prop_assert!(count < most, "more than {most} pages");
        let page = session
            .call("find-files", arguments(request, *limit, *budget, cursor))
            .map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        for found in page["matches"].as_array().unwrap() {
            let size = found.get("sizeBytes").and_then(Value::as_u64);
            all.push((
                text(&found["path"]),
                milliseconds(&text(&found["time"])),
                size,
            ));
        }
        cursor = page.get("nextCursor").map(text);
        if cursor.is_none() {
            break;
        }
    }
    Ok(all)
}

const AMPLE: Budget = Budget {
    milliseconds: 60_000,
    files: 1_000_000,
    directories: 100_000,
};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn on_files_and_through_the_component(
        nodes in nodes(),
        requests in proptest::collection::vec((find_requests(), 1u32..6, proptest::collection::vec((1u32..6, budgets()), 1..4)), 1..12),
        cache in prop_oneof![Just(0usize), Just(1 << 20)],
    ) {
        let nodes: Vec<Node> = nodes.into_iter().map(Node::tame).collect();
        let directory = tempfile::tempdir().unwrap();
        make(directory.path(), &nodes);
        let mut session = docent(directory.path(), Limits { cache, ..limits() });
        for (mut request, limit, turns) in requests {
            request.field = TimeField::Modified;
            let (mut expected, _) = expected(&nodes, &request);
            let most = 4 * nodes.len() + 10;
            let found = shown(&mut session, &request, &[(limit, AMPLE)], most)?;
            prop_assert_eq!(&found, &expected);
            let mut found = shown(&mut session, &request, &turns, most)?;
            found.sort();
            expected.sort();
            prop_assert_eq!(found, expected);
        }
    }
}
