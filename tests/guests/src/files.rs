//! Attempts to access files outside a guest's grants.

use wasi::filesystem::preopens;
use wasi::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorType, ErrorCode, NewTimestamp, OpenFlags, PathFlags,
};

/// Returns the first granted directory.
pub fn root() -> Descriptor {
    let (descriptor, _) = preopens::get_directories().swap_remove(0);
    descriptor
}

/// Opens a path with every combination of flags, and reports the results, one per line.
pub fn open(path: &str) -> String {
    let root = root();
    let mut told = Vec::new();
    for follow in [PathFlags::empty(), PathFlags::SYMLINK_FOLLOW] {
        for how in [OpenFlags::empty(), OpenFlags::DIRECTORY] {
            for rights in [
                DescriptorFlags::empty(),
                DescriptorFlags::READ,
                DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY,
            ] {
                told.push(match root.open_at(follow, path, how, rights) {
                    Ok(descriptor) => format!("opened {}", content(&descriptor)),
                    Err(code) => name(code),
                });
            }
        }
    }
    told.dedup();
    told.join("\n")
}

/// Returns the content that can be read from an open descriptor.
fn content(descriptor: &Descriptor) -> String {
    match descriptor.get_type() {
        Ok(DescriptorType::Directory) => {
            let mut names = Vec::new();
            if let Ok(stream) = descriptor.read_directory() {
                while let Ok(Some(entry)) = stream.read_directory_entry() {
                    names.push(entry.name);
                }
            }
            names.sort();
            format!("directory {}", names.join(" "))
        }
        Ok(kind) => match descriptor.read(1000, 0) {
            Ok((bytes, _)) => format!("{kind:?} {}", String::from_utf8_lossy(&bytes)),
            Err(code) => format!("{kind:?}, but {}", name(code)),
        },
        Err(code) => format!("something, but {}", name(code)),
    }
}

/// Requests the status of a path without opening it, with and without following links.
pub fn look(path: &str) -> String {
    let root = root();
    let mut told = Vec::new();
    for follow in [PathFlags::empty(), PathFlags::SYMLINK_FOLLOW] {
        told.push(match root.stat_at(follow, path) {
            Ok(stat) => format!("{:?} {}", stat.type_, stat.size),
            Err(code) => name(code),
        });
        told.push(match root.metadata_hash_at(follow, path) {
            Ok(_) => "hashed".to_owned(),
            Err(code) => name(code),
        });
    }
    told.dedup();
    told.join("\n")
}

/// Creates links to a path, and reads an existing one.
pub fn links(path: &str) -> String {
    let root = root();
    let outcomes = [
        root.symlink_at(path, "made-symbolic"),
        root.link_at(PathFlags::empty(), path, &root, "made-hard"),
        root.link_at(PathFlags::SYMLINK_FOLLOW, path, &root, "made-hard"),
        root.readlink_at(path).map(drop),
    ];
    told(outcomes)
}

/// Changes everything that can be changed about a path, and creates a file beside it.
pub fn change(path: &str) -> String {
    let root = root();
    let beside = format!("{path}-new");
    let write = DescriptorFlags::READ | DescriptorFlags::WRITE;
    let open = |path: &str, how| root.open_at(PathFlags::empty(), path, how, write);
    let mut outcomes = vec![
        open(&beside, OpenFlags::CREATE).map(drop),
        open(&beside, OpenFlags::CREATE | OpenFlags::EXCLUSIVE).map(drop),
        open(path, OpenFlags::TRUNCATE).map(drop),
        open(path, OpenFlags::empty()).map(drop),
        root.create_directory_at(&beside),
        root.remove_directory_at(path),
        root.unlink_file_at(path),
        root.rename_at(path, &root, &beside),
        root.set_times_at(
            PathFlags::empty(),
            path,
            NewTimestamp::Now,
            NewTimestamp::Now,
        ),
    ];
    let readable = root.open_at(
        PathFlags::empty(),
        path,
        OpenFlags::empty(),
        DescriptorFlags::READ,
    );
    if let Ok(file) = readable {
        outcomes.push(file.write(b"overwritten", 0).map(drop));
        outcomes.push(file.set_size(0));
        outcomes.push(file.set_times(NewTimestamp::Now, NewTimestamp::Now));
        outcomes.push(through(file.write_via_stream(0)));
        outcomes.push(through(file.append_via_stream()));
    }
    let directory = root.open_at(
        PathFlags::empty(),
        ".",
        OpenFlags::DIRECTORY,
        DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY,
    );
    if let Ok(directory) = directory {
        outcomes.push(directory.create_directory_at("made-directory"));
        outcomes.push(directory.unlink_file_at(path));
        outcomes.push(directory.set_times(NewTimestamp::Now, NewTimestamp::Now));
    }
    told(outcomes)
}

fn through(stream: Result<wasi::io::streams::OutputStream, ErrorCode>) -> Result<(), ErrorCode> {
    stream?
        .blocking_write_and_flush(b"overwritten")
        .map_err(|_| ErrorCode::Io)
}

/// Writes a file beside `path` and renames it over the path.
pub fn replace(path: &str) -> String {
    let root = root();
    let beside = format!("{path}-new");
    let replaced = root
        .open_at(
            PathFlags::empty(),
            &beside,
            OpenFlags::CREATE | OpenFlags::EXCLUSIVE,
            DescriptorFlags::WRITE,
        )
        .and_then(|file| file.write(b"replaced", 0))
        .and_then(|_| root.rename_at(&beside, &root, path));
    told([replaced])
}

/// Replaces `path` with a prepared file three times: without inspecting the path, as a file that
/// replaces the inspected target, and as a file that replaces nothing.
pub fn put(path: &str) -> String {
    let root = root();
    let prepare = |name: &str| create(&root, name);
    let look = || root.stat_at(PathFlags::empty(), path).map(drop);
    let rename = |name: &str| root.rename_at(name, &root, path);
    let (set, new) = (".docent-set-1.tmp", ".docent-new-1.tmp");
    let unseen = prepare(set).and_then(|()| rename(set));
    let seen = look().and_then(|()| rename(set));
    let replacing = prepare(new).and_then(|()| rename(new));
    told([unseen, seen, replacing])
}

/// Creates a file and a directory in the state of the first root.
pub fn write_state() -> String {
    let is_state = |path: &str| path.starts_with("/.docent-state/");
    let state = preopens::get_directories()
        .into_iter()
        .find(|(_, path)| is_state(path));
    let Some((state, _)) = state else {
        return "there is none".to_owned();
    };
    told([
        create(&state, "made"),
        state.create_directory_at("made-directory"),
        create(&state, "other").and_then(|()| state.rename_at("other", &state, "made")),
    ])
}

fn create(directory: &Descriptor, name: &str) -> Result<(), ErrorCode> {
    let flags = OpenFlags::CREATE | OpenFlags::EXCLUSIVE;
    let write = DescriptorFlags::WRITE;
    let file = directory.open_at(PathFlags::empty(), name, flags, write)?;
    file.write(b"written", 0).map(drop)
}

/// Opens a path, and keeps the descriptor and everything derived from it until the instance ends.
pub fn keep(path: &str) -> String {
    let root = root();
    let mut kept = 0;
    for _ in 0..10 {
        let opened = root.open_at(
            PathFlags::empty(),
            path,
            OpenFlags::empty(),
            DescriptorFlags::READ,
        );
        if let Ok(file) = opened {
            std::mem::forget(file.read_via_stream(0));
            std::mem::forget(file);
            kept += 1;
        }
    }
    format!("kept {kept}")
}

/// Reads more of a file than fits into memory.
pub fn read_much(path: &str) -> String {
    let file = root().open_at(
        PathFlags::empty(),
        path,
        OpenFlags::empty(),
        DescriptorFlags::READ,
    );
    let Ok(file) = file else {
        return "not opened".to_owned();
    };
    let read = file.read(u64::MAX, 0).map_or(0, |(bytes, _)| bytes.len());
    let streamed = file
        .read_via_stream(0)
        .ok()
        .and_then(|stream| stream.blocking_read(u64::MAX).ok())
        .map_or(0, |bytes| bytes.len());
    format!("{read} {streamed}")
}

fn told(outcomes: impl IntoIterator<Item = Result<(), ErrorCode>>) -> String {
    let lines: Vec<String> = outcomes
        .into_iter()
        .map(|outcome| outcome.map_or_else(name, |()| "done".to_owned()))
        .collect();
    lines.join("\n")
}

fn name(code: ErrorCode) -> String {
    code.name().to_owned()
}
